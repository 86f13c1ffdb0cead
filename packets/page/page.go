package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"

	"github.com/bloomlane/bloomlane/packets/agreement"
	"github.com/bloomlane/bloomlane/packets/deny"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/report/kernels"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

//go:embed page.html
var source string

// page is written so that it is XML too, by which tests read it.
var page = template.Must(template.New("page").Parse(source))

// section is the reports of a command.
type section struct {
	Command, Title, About string
	Reports               []*Report
}

// sections returns those of a page, in its order.
func sections() []section {
	return []section{
		{"guard", "The packets of captures", `A source in the bad filter is rejected. A source that
sends a bad sequence of payload words gets a strike; the third one moves it from the good filter to
the bad one.`, nil},
		{"deny", "Denied at an interface", `The kernel asks the deny list before the network stack
sees the packet: of IPv4 exact ranges, of IPv6 a filter and an exact trie. By accident a filter
finds a few addresses that are not in the list; an exact set corrects that, where the mode is
exact.`, nil},
		{"kernels", "Speed on this CPU", `The time of a key in a batch, on one core, in blocks of
512 bits at 16 bits per key. “memory” is no filter. It is the least that one could do: a loop in
portable Go that reads one word of each key's cache line (query), or reads and writes it, and
prefetches nothing. “purego” is the filter in portable Go; the others are the filter in assembly
for an instruction set.`, nil},
		{"agreement", "One list on four machines", `One filter file of a deny list, and one capture,
given to Go, C, the Linux kernel and Verilog. While packets pass, entries are added and deleted.
docs/agreement.md says what is compared, and what is proved.`, nil},
	}
}

// Title is what a report is of.
func (r *Report) Title() string {
	switch of := r.Of.(type) {
	case *guard.Report:
		title := filepath.Base(of.Input)
		if of.Synthetic {
			title = "SYNTHETIC " + of.Input
		}
		if of.Never != nil {
			title += ", with sources that are never blocked"
		}
		return title
	case *deny.Report:
		return of.Interface
	case *kernels.Report:
		return of.CPU
	case *agreement.Report:
		return filepath.Base(of.Input)
	}
	return r.Command
}

// Shown are the tables that have something to say.
func (r *Report) Shown() []*pivot.Table {
	return pivot.Where(r.Of.Tables(), func(t *pivot.Table) bool { return len(t.Rows) > 0 })
}

// Origin is what made a report.
func (r *Report) Origin() string { return r.Program + ", on " + r.Machine }

// tile is a figure for the top of the page.
type tile struct{ Figure, Class, Text string }

// tiles are sums of the guards, and the times of queries.
func tiles(all []*Report) (found []tile) {
	var packets, synthetic, rejected, audited, differences int
	for _, r := range all {
		switch of := r.Of.(type) {
		case *guard.Report:
			packets += of.Packets
			rejected += of.Verdicts.Rejected
			if of.Synthetic {
				synthetic += of.Packets
			}
			if a := of.Audit; a != nil {
				audited += of.Packets
				differences += a.VerdictDifferences + a.AnswerDifferences
			}
		case *kernels.Report:
			for _, s := range of.Speed {
				if query := s.Query(of.Active); query > 0 {
					found = append(found, tile{fmt.Sprintf("%.2f ns", query), "",
						"per query in batches, in a table of " + quantity.Bytes(s.Bytes)})
				}
			}
		}
	}
	count := quantity.Count[int]
	if audited > 0 {
		class := map[bool]string{true: "good", false: "bad"}[differences == 0]
		found = slices.Insert(found, 0, tile{count(differences), class, "differences from exact " +
			"sets, in " + count(audited) + " verdicts and the answers at the end"})
	}
	if packets > 0 {
		found = slices.Insert(found, 0, tile{count(packets), "", fmt.Sprintf("packets went "+
			"through the guard, %s of them synthetic; it rejected %s", count(synthetic),
			count(rejected))})
	}
	return found
}

// Write writes the page.
func Write(w io.Writer, reports []*Report) error {
	latest := slices.MaxFunc(reports, func(a, b *Report) int { return a.Made.Compare(b.Made) })
	all := sections()
	for i := range all {
		s := &all[i]
		s.Reports = pivot.Where(reports, func(r *Report) bool { return r.Command == s.Command })
		slices.SortStableFunc(s.Reports, order)
	}
	var text bytes.Buffer
	err := page.Execute(&text, struct {
		Reports  []*Report
		Latest   *Report
		Sections []section
		Tiles    []tile
	}{reports, latest, pivot.Where(all, func(s section) bool { return len(s.Reports) > 0 }),
		tiles(reports)})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err = w.Write(text.Bytes())
	return err
}

// order has captures before what was generated, and many sources before few.
func order(a, b *Report) int {
	left, isGuard := a.Of.(*guard.Report)
	right, both := b.Of.(*guard.Report)
	if !isGuard || !both {
		return 0
	}
	last := map[bool]int{true: 1}
	return cmp.Or(last[left.Synthetic]-last[right.Synthetic],
		right.Sources.Listed-left.Sources.Listed)
}
