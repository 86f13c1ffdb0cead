package claim

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// WriteSummary writes how many values of each paper have which verdict, as a table of Markdown.
// Points of figures are no claims.
func WriteSummary(w io.Writer, papers ...Found) error {
	table := pivot.Empty("paper")
	for _, paper := range papers {
		for _, verdict := range Verdicts {
			number := len(pivot.Where(paper.Values,
				func(v Value) bool { return v.Verdict == verdict })) +
				len(pivot.Where(paper.Claims,
					func(c Claim) bool { return !c.Point && c.Verdict == verdict }))
			table.Set(string(verdict), strconv.Itoa(number), paper.Paper)
		}
	}
	var text strings.Builder
	table.Markdown(&text)
	_, err := io.WriteString(w, text.String())
	return err
}

// WriteReport writes what was found of a paper, in Markdown: its summary, its findings with their
// numbers, and the reasons for what differs and what cannot be reproduced.
func (p *Paper) WriteReport(w io.Writer, run *trials.Run, found Found) error {
	if p.Values != nil {
		return p.writePage(w, run, found)
	}
	var text strings.Builder
	form := ""
	if run.Short {
		form = " --short"
	}
	fmt.Fprintf(&text, "# %s, reproduced\n\n%s.\n\n`go run ./papers report %s%s --seed %d` writes "+
		"this page; `papers/%s/claims.tsv` has each claim, with the paper's words.\n\n",
		strings.ToUpper(p.Name[:1])+p.Name[1:], strings.TrimSuffix(p.Title, "."), p.Name, form,
		run.Seed, p.Name)
	_ = WriteSummary(&text, found) // into memory
	fmt.Fprintf(&text, "\n## What was found\n\n%s\n", strings.TrimSpace(found.Findings))
	for _, test := range []struct {
		title string
		Verdict
	}{
		{"What differs, and why", Differs},
		{"What cannot be reproduced, and why", NotReproducible},
	} {
		writeReasons(&text, test.title, test.Verdict, found.Claims)
	}
	_, err := io.WriteString(w, wrap(text.String()))
	return err
}

// wrap breaks the lines of each paragraph, and of each item of a list, again; tables stay.
func wrap(text string) string {
	const columns, held = 120, "\x00" // a space that no line ends with
	var out strings.Builder
	end := 0 // of the line that is written
	text = strings.ReplaceAll(strings.TrimSpace(text), " %", held+"%")
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		begins := len(words) == 0 || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") ||
			strings.HasPrefix(line, "- ")
		if begins && end > 0 {
			out.WriteString("\n")
			end = 0
		}
		indent := ""
		if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "  ") {
			indent = "  "
		}
		for i, word := range words {
			switch width := utf8.RuneCountInString(word); {
			case i == 0 && begins:
				end = width
			case end == 0:
				end = width
			case end+1+width <= columns || strings.HasPrefix(line, "|"):
				word, end = " "+word, end+1+width
			default:
				word, end = "\n"+indent+word, len(indent)+width
			}
			out.WriteString(word)
		}
		if len(words) == 0 {
			out.WriteString("\n")
		}
	}
	return strings.ReplaceAll(out.String(), held, " ") + "\n"
}

// fill replaces each ${quantity; name=value: formula} of a text by the value.
func (q Quantities) fill(run *trials.Run, text string) (filled string, err error) {
	filled = os.Expand(text, func(name string) string {
		place := max(0, strings.LastIndex(name, ": "))
		quantity, parameters, _ := strings.Cut(name[:place], "; ")
		all, fault := parseParameters(parameters)
		if fault == nil && len(all) != 1 {
			fault = fmt.Errorf("found %d values, expected one", len(all))
		}
		if fault == nil {
			e := evaluation{q, quantity, all[0]}
			value := "${" + strings.TrimPrefix(name[place:], ": ") + "}"
			if fault = e.names(value); fault == nil {
				return e.expand(run, value)
			}
		}
		err = cmp.Or(err, inside("${"+name+"}", fault))
		return ""
	})
	return filled, err
}

// writeReasons writes each reason for a verdict once, with the places that it is for.
func writeReasons(text *strings.Builder, title string, verdict Verdict, claims []Claim) {
	claims = pivot.Where(claims, func(c Claim) bool { return c.Verdict == verdict })
	if len(claims) > 0 {
		fmt.Fprintf(text, "\n\n## %s\n\n", title)
	}
	for item, own := range pivot.Groups(claims, func(c Claim) string { return c.Item }) {
		more := ""
		if len(own) > 1 {
			more = fmt.Sprintf(" (%d claims)", len(own))
		}
		why := pivot.Names(own, func(c Claim) string { return c.Why })
		fmt.Fprintf(text, "- **%s**%s. %s: %s, %s. %s.\n", item, more, own[0].Where,
			own[0].Quantity, own[0].outcome(), strings.Join(why[:min(len(why), 2)], "; "))
	}
}

// outcome is what is published beside what was measured.
func (c *Claim) outcome() string {
	if c.Measured == nil {
		return "published " + c.published()
	}
	return fmt.Sprintf("published %s, measured %s", c.published(), c.measured())
}
