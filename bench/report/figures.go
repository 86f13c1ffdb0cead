package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Recording is a run, its name, and where its page is.
type Recording struct {
	Name, Link string
	*result.Run
}

// figures are the tables of several recordings that a page can have, by name.
var figures = map[string]func(all []Recording) *pivot.Table{
	"machines": machineFigures, "floors": floorFigures, "peers": peerFigures,
	"singles": singleFigures,
}

// A block of figures in a page is between a line that begins so and one that ends it.
const (
	figuresBegin = "<!-- figures: "
	figuresEnd   = "<!-- end of figures -->\n"
)

// FiguresError says what is wrong with a block of figures.
type FiguresError struct{ Found, Expected string }

func (e *FiguresError) Error() string {
	return fmt.Sprintf("figures: found %s, expected %s", e.Found, e.Expected)
}

// Blocks returns the blocks of figures of recordings, by name.
func Blocks(all []Recording) map[string]string {
	blocks := map[string]string{}
	for name, make := range figures {
		blocks[name] = ""
		if t := make(all); len(t.Rows) > 0 {
			blocks[name] = linked(markdown(t), all) + "\n"
		}
	}
	return blocks
}

// Figures returns a page of Markdown with its blocks of figures as those of their names are. Its
// error is a *[FiguresError].
func Figures(page string, blocks map[string]string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(page, figuresBegin)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, rest, _ := strings.Cut(rest, " -->\n")
		_, after, ended := strings.Cut(rest, figuresEnd)
		switch block, known := blocks[name]; {
		case !known:
			names := strings.Join(slices.Sorted(maps.Keys(blocks)), ", ")
			return "", &FiguresError{fmt.Sprintf("a block %.20q", name), "one of " + names}
		case !ended:
			return "", &FiguresError{"no end of block " + name, strings.TrimSpace(figuresEnd)}
		default:
			b.WriteString(figuresBegin + name + " -->\n" + block + figuresEnd)
		}
		page = after
	}
}

// linked makes the names of the recordings links, in the cells that hold nothing else.
func linked(text string, all []Recording) string {
	for _, r := range all {
		text = strings.ReplaceAll(text, "\n| "+pivot.Escape(r.Name)+" |",
			fmt.Sprintf("\n| [%s](%s) |", pivot.Escape(r.Name), r.Link))
	}
	return text
}

// floorFigures have the multiples of the floor of each machine's best implementation.
func floorFigures(all []Recording) *pivot.Table {
	best := pivot.Where(bestBatches(cells(all...)),
		func(c cell) bool { return c.ToFloor(c.Subject) > 0 })
	return pivot.Figures("machine|", best, cell.machine, cell.operation, cell.size,
		func(c cell) string { return quantity.Digits(c.ToFloor(c.Subject)) }).Titled(
		"Batches on blocks of 512 bits", "times the floor")
}

// singleFigures have the times of the calls of one key that programs make, of 512-bit blocks.
func singleFigures(all []Recording) *pivot.Table {
	methods := pivot.Where(in(result.FormSingle, cells(all...)), func(c cell) bool {
		return c.BlockBits == 512 && c.onBestPages() && c.Name == result.Methods
	})
	return pivot.Figures("machine|", methods, cell.machine, cell.operation, cell.size,
		cell.time).Titled("One key per call", "ns per key, on blocks of 512 bits")
}

// peerFigures count the comparisons with peers of each machine whose loops are as in programs, and
// name what is lost to whom.
func peerFigures(all []Recording) *pivot.Table {
	t := pivot.Empty("machine||won|undecided|lost|which").Titled("Comparisons with peers", "")
	t.Labels, t.Words = 2, 1
	for _, r := range pivot.Where(all, func(r Recording) bool { return r.PlainLoops }) {
		for _, s := range sides {
			ended, lost := map[result.Outcome]int{}, []string(nil)
			all := duels(compare(cells(r), s.against, s.bytes))
			for _, d := range all {
				ended[d.outcome()]++
			}
			if len(all) == 0 {
				continue
			}
			for event, of := range pivot.Groups(pivot.Where(all,
				func(d duel) bool { return d.outcome() == result.Slower }),
				func(d duel) string { return d.Name + " in " + d.Operation }) {
				peer := func(d duel) string { return d.peer.Name }
				lost = append(lost, event+" to "+strings.Join(pivot.Names(of, peer), ", "))
			}
			count := func(o result.Outcome) string { return quantity.Count(ended[o]) }
			t.Rows = append(t.Rows, []string{r.Name, s.String(), count(result.Faster),
				count(result.Undecided), count(result.Slower), strings.Join(lost, "; ")})
		}
	}
	return t
}

// selectionFigures have the times of selections on blocks of 512 bits: of the bitmap alone, of the
// bitmap and a loop in Go over it, and of the selection.
func selectionFigures(all []Recording) *pivot.Table {
	ours := pivot.Where(in(result.FormSelection, cells(all...)), func(c cell) bool {
		return c.BlockBits == 512 && c.Kind == result.Implementation
	})
	forms := map[string]string{"": "select", result.SelectBitmap: "bitmap",
		result.SelectLoop: "loop"}
	implementation := func(c cell) string {
		name, _, _ := strings.Cut(c.Name, ",")
		return name
	}
	return pivot.Figures("machine|implementation|present", ours, cell.machine,
		implementation, func(c cell) string { return c.Keys }, func(c cell) string {
			return c.size() + ": " + forms[c.Name[len(implementation(c)):]]
		}, cell.time).Titled("Positions of what is present", "ns per key, on blocks of 512 bits")
}
