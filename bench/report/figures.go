package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Recording is a run, its name, and where its page is.
type Recording struct {
	Name, Link string
	*result.Run
}

// figures are the tables of several recordings that a page can have, by name.
var figures = map[string]func(all []Recording) table{
	"floors": floorFigures, "peers": peerFigures, "bytes": bytesFigures,
	"singles": singleFigures, "hashes": hashFigures,
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
		if t := make(all); len(t.rows) > 0 {
			var text bytes.Buffer
			t.markdown(&text)
			blocks[name] = linked(text.String(), all) + "\n"
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
		text = strings.ReplaceAll(text, "\n| "+escape(r.Name)+" |",
			fmt.Sprintf("\n| [%s](%s) |", escape(r.Name), r.Link))
	}
	return text
}

// floorFigures have the multiples of the floor of each machine's best implementation.
func floorFigures(all []Recording) table {
	t := table{title: "batches on blocks of 512 bits", about: "times the floor", labels: 2,
		columns: []string{"machine", ""}}
	for _, r := range all {
		for _, g := range beside(r.Groups, "") {
			if g.Form != result.FormBatch || g.BlockBits != 512 || g.Pages != bestPages(r.Groups) ||
				!slices.Contains(pictured, what(g.Conditions)) {
				continue
			}
			for _, s := range g.Of(result.Implementation) {
				if ratio := g.ToFloor(s); ratio > 0 && s.Name == r.Implementations[0] {
					t.set(size(g.Conditions), quantity.Digits(ratio), r.Name, g.Operation)
				}
			}
		}
	}
	return t
}

// singleFigures have the times of the calls of one key that programs make, of 512-bit blocks.
func singleFigures(all []Recording) table {
	t := table{title: "one key per call", about: "ns per key, on blocks of 512 bits", labels: 2,
		columns: []string{"machine", ""}}
	for _, r := range all {
		for _, g := range r.Groups {
			if g.Form != result.FormSingle || g.BlockBits != 512 ||
				g.Pages != bestPages(r.Groups) {
				continue
			}
			for _, s := range g.Subjects {
				if s.Name == result.Methods {
					t.set(size(g.Conditions), quantity.Digits(s.Least), r.Name, g.Operation)
				}
			}
		}
	}
	return t
}

// peerFigures count the comparisons with peers, and name what is lost to whom.
func peerFigures(all []Recording) table {
	t := table{title: "comparisons with peers", labels: 2, columns: []string{"machine", ""}}
	for _, r := range all {
		for _, against := range []string{result.AtEqualBits, result.AtEqualRate} {
			for i, groups := range [][]result.Group{beside(r.Groups, against),
				bytesBeside(r.Groups, against)} {
				by, what, to := map[result.Outcome]int{}, []string(nil), map[string][]string{}
				compared := duels(groups)
				for _, d := range compared {
					outcome := d.outcome()
					by[outcome]++
					if outcome != result.Slower {
						continue
					}
					event := d.ours.Name + " in " + d.Operation
					if !slices.Contains(what, event) {
						what = append(what, event)
					}
					if !slices.Contains(to[event], d.peer.Name) {
						to[event] = append(to[event], d.peer.Name)
					}
				}
				if len(compared) == 0 {
					continue
				}
				set := func(column, text string) {
					t.set(column, text, r.Name, equal[against]+[]string{"", ofBytes}[i])
				}
				set("won", quantity.Count(by[result.Faster]))
				set("undecided", quantity.Count(by[result.Undecided]))
				set("lost", quantity.Count(by[result.Slower]))
				for i, event := range what {
					what[i] = event + " to " + strings.Join(to[event], ", ")
				}
				set("which", strings.Join(what, "; "))
			}
		}
	}
	return t
}

// bytesFigures have the times of hashes alone, ours and others', and of queries of keys in batches.
func bytesFigures(all []Recording) table {
	t := table{title: "ns per key, by its bytes", labels: 2, columns: []string{"machine", ""}}
	for _, r := range all {
		for _, g := range r.Groups {
			batches, one, ok := ourHash(r.Run, g)
			if !ok || !slices.Contains(summarized, g.KeyBytes) {
				continue
			}
			t.set(g.KeyBytes, quantity.Digits(batches.Least), r.Name, "hash, in batches")
			t.set(g.KeyBytes, quantity.Digits(one.Least), r.Name, "hash, one by one")
			for _, s := range g.Subjects {
				switch {
				case s.Kind == result.Peer && isKeyed(r.Run, s.Name):
					t.set(g.KeyBytes, quantity.Digits(s.Least), r.Name,
						s.Name+", under a secret too")
				case s.Kind == result.Peer:
					t.set(g.KeyBytes, quantity.Digits(s.Least), r.Name, s.Name+", without a secret")
				}
			}
		}
		for _, c := range stacks(r.Groups) {
			t.set(c.KeyBytes, fmt.Sprintf("%s (%s)", quantity.Digits(c.keys),
				times(c.keys/c.ready)), r.Name,
				"query of keys, "+quantity.Bytes(c.Bytes)+" (times ready hashes)")
		}
	}
	return t
}

// hashFigures have the times of each hash function by the length of the keys, of the machines that
// have timed more than one.
func hashFigures(all []Recording) table {
	t := table{title: "hashes of keys, by their bytes", about: "ns per key", labels: 3,
		columns: []string{"machine", "hash function", ""}}
	for _, r := range all {
		for _, g := range r.Groups {
			if g.Operation != hashing {
				continue
			}
			ours := g.Of(result.Implementation)
			_, first := ours[0].HashFunction()
			_, last := ours[len(ours)-1].HashFunction()
			if first == last {
				continue
			}
			for _, s := range ours {
				implementation, function := s.HashFunction()
				if implementation == result.Methods {
					implementation = "one key at a time"
				}
				t.set(g.KeyBytes, quantity.Digits(s.Least), r.Name, function, implementation)
			}
		}
	}
	return t
}
