package claim

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bloomlane/bloomlane/papers/trials"
)

// WriteSummary writes how many claims of each paper have which verdict, as a table of Markdown.
// Points of figures are no claims.
func WriteSummary(w io.Writer, claims []Claim) error {
	var names []string
	counts := map[string]map[Verdict]int{}
	for _, c := range claims {
		switch {
		case c.Point:
			continue
		case counts[c.Paper] == nil:
			names, counts[c.Paper] = append(names, c.Paper), map[Verdict]int{}
		}
		counts[c.Paper][c.Verdict]++
	}
	var text strings.Builder
	text.WriteString("| paper |")
	for _, verdict := range Verdicts {
		fmt.Fprintf(&text, " %s |", verdict)
	}
	text.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(Verdicts)) + "\n")
	for _, name := range names {
		fmt.Fprintf(&text, "| %s |", name)
		for _, verdict := range Verdicts {
			fmt.Fprintf(&text, " %d |", counts[name][verdict])
		}
		text.WriteString("\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// WriteReport writes what was found of a paper, in Markdown: its summary, its findings with their
// numbers, and the reasons for what differs and what cannot be reproduced.
func (p *Paper) WriteReport(w io.Writer, run *trials.Run, found Found) error {
	var text strings.Builder
	form := ""
	if run.Short {
		form = " --short"
	}
	fmt.Fprintf(&text, "# %s, reproduced\n\n%s.\n\n`go run ./papers report %s%s --seed %d` writes "+
		"this page; `papers/%s/claims.tsv` has each claim, with the paper's words.\n\n",
		strings.ToUpper(p.Name[:1])+p.Name[1:], strings.TrimSuffix(p.Title, "."), p.Name, form,
		run.Seed, p.Name)
	if err := WriteSummary(&text, found.Claims); err != nil {
		return err
	}
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
func (q Quantities) fill(run *trials.Run, text string) string {
	return os.Expand(text, func(name string) string {
		place := strings.LastIndex(name, ": ")
		if place < 0 {
			return "?"
		}
		quantity, parameters, _ := strings.Cut(name[:place], "; ")
		all, err := parseParameters(parameters)
		if err != nil || len(all) != 1 {
			return "?"
		}
		return evaluation{q, quantity, all[0]}.expand(run, "${"+name[place+len(": "):]+"}")
	})
}

// writeReasons writes each reason for a verdict once, with the places that it is for.
func writeReasons(text *strings.Builder, title string, verdict Verdict, claims []Claim) {
	var items []string
	numbers, first := map[string]int{}, map[string]Claim{}
	for _, c := range claims {
		if c.Verdict != verdict {
			continue
		}
		if numbers[c.Item] == 0 {
			items, first[c.Item] = append(items, c.Item), c
		}
		numbers[c.Item]++
	}
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(text, "\n\n## %s\n\n", title)
	for _, item := range items {
		var why []string
		for _, c := range claims {
			if c.Item == item && c.Verdict == verdict && !slices.Contains(why, c.Why) {
				why = append(why, c.Why)
			}
		}
		c := first[item]
		more := ""
		if numbers[item] > 1 {
			more = fmt.Sprintf(" (%d claims)", numbers[item])
		}
		fmt.Fprintf(text, "- **%s**%s. %s: %s, %s. %s.\n", item, more, c.Where, c.Quantity,
			c.outcome(), strings.Join(why[:min(len(why), 2)], "; "))
	}
}

// outcome is what is published beside what was measured.
func (c *Claim) outcome() string {
	if c.Measured == nil {
		return "published " + c.published()
	}
	return fmt.Sprintf("published %s, measured %s", c.published(), c.measured())
}
