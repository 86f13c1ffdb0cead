package denylist

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

const title = "Deny lists in the kernel's packet path"

// Page writes the page of a recording.
func (r *found) Page(w io.Writer) error {
	var b bytes.Buffer
	c := &r.Config
	fmt.Fprintf(&b, `# %s

%s
The kernel is Linux %s. The subjects are:

- *%s*: the program and the table of module [xdp](../../../docs/xdp.md), at %d bits per member.
- *%s*: the same, and what the filter finds asks an exact set.
- *BPF* …: the kernel's own maps, each asked by a program that parses like that of module xdp, asks
  the map, and counts the verdict. The Bloom filter has 5 hashes, and cannot delete.
- *bare parse*: that program without a map. *bare pass* and *bare drop*: a verdict and nothing else.

![%s](%s)

## The time of a packet

In ns, by the kernel's test call, which has no driver and no stack. The packets have %s
sources in random order, none of them twice if the list is long enough. Each subject takes its turn at
%s packets, in %d rounds: a time is the mean of the least times of the turns, and behind it is the
time above that of the bare parse over that of *%s*. All of them get their next source by the same
program, which is in all times.
`,
		title, r.Where("denylist", fileName), r.Kernel, nameFilter, bitsPerMember, nameExact,
		title, pictureName, quantity.Count(c.Sources), quantity.Count(c.Slice), c.Rounds,
		nameFilter)
	for _, f := range families {
		for _, members := range c.Members {
			fmt.Fprintf(&b, "\n### %s, %s members\n\n", f, quantity.Count(members))
			r.times(r.Timed, f, members, r.aboveParse).Aligned(&b)
		}
	}
	fmt.Fprintf(&b, `
## The list

*load* is ns per member, from addresses in memory to a list in force, once: other work on the
machine is in it, and of a short list most of it is the kernel's waiting. *dropped* is the share of
%s addresses out of the list that are dropped, in %%. *missed* is members that pass.
`, quantity.Count(c.Asked))
	for _, f := range families {
		fmt.Fprintf(&b, "\n### %s\n\n", f)
		r.memory(f).Aligned(&b)
	}
	fmt.Fprintf(&b, `
## Frames through a veth pair

In ns: the time of a core that sends frames into one end of the pair, and takes them out of the
other, where the subject is attached natively. So all times have the sender's. A frame that passes
goes into the stack, which finds no route for it. nftables and ipset are behind a bare pass. The
lists have %s members, and the frames %s sources.
`, quantity.Count(c.Filtered), quantity.Count(c.Live))
	for _, f := range families {
		fmt.Fprintf(&b, "\n### Frames of %s\n\n", f)
		r.times(r.Live, f, c.Filtered, r.million).Aligned(&b)
	}
	fmt.Fprintf(&b, `
## Where the others win

Against *%s*, by 5 %% or more, with 1 %% of the sources in the list:

`, nameFilter)
	r.wins().Aligned(&b)
	for _, note := range r.Notes {
		fmt.Fprintln(&b, "-", note)
	}
	_, err := b.WriteTo(w)
	return err
}

// find returns the time of a subject in the conditions of another one.
func find(all []timed, subject string, like timed) *timed {
	return pivot.Find(all, func(t timed) bool {
		return t.Subject == subject && t.Family == like.Family && t.Members == like.Members &&
			t.Listed == like.Listed
	})
}

// aboveParse is the time of a look-up over that of our filter.
func (r *found) aboveParse(t timed) string {
	parse, filter := find(r.Timed, bareParse, t), find(r.Timed, nameFilter, t)
	if parse == nil || filter == nil || t.Least <= parse.Least || filter.Least <= parse.Least {
		return ""
	}
	return fmt.Sprintf("%.1f×", (t.Least-parse.Least)/(filter.Least-parse.Least))
}

// million is the frames of a second, in millions.
func (r *found) million(t timed) string { return fmt.Sprintf("%.2f M/s", 1000/t.Least) }

// times is a table of times, with something behind each.
func (r *found) times(
	all []timed,
	f family,
	members int,
	behind func(timed) string,
) *pivot.Table {
	heads := "sources in the list:"
	for _, m := range mixes {
		heads += "|" + m.Name + "|"
	}
	t := pivot.Rows(heads, pivot.First(all, timed.subject), func(first timed) []string {
		row := []string{first.Subject}
		for _, m := range mixes {
			cells := []string{"", ""}
			first.Family, first.Members, first.Listed = f, members, m.Name
			if t := find(all, first.Subject, first); t != nil {
				cells = []string{quantity.Digits(t.Least), behind(*t)}
			}
			row = append(row, cells...)
		}
		return row
	})
	t.Empty = ""
	return t
}

func (t timed) subject() string { return t.Subject }

// names returns the names of the subjects in the order of the run.
func (r *found) names() []string {
	return pivot.Names(slices.Concat(r.Timed, r.Live), timed.subject)
}

// memory is a table of the lists of a family.
func (r *found) memory(f family) *pivot.Table {
	t := pivot.Rows("list|members|bytes per member|load, ns|dropped, %|missed",
		pivot.Where(r.Lists, func(l list) bool { return l.Family == f }),
		func(l list) []string {
			row := []string{l.Subject, quantity.Count(l.Members), quantity.Digits(l.perMember()),
				quantity.Digits(l.Load)}
			if l.Asked > 0 {
				row = append(row, fmt.Sprintf("%.3g", 100*l.rate()), quantity.Count(l.Missed))
			}
			return row
		})
	t.Empty = ""
	return t
}

func (l list) perMember() float64 { return float64(l.Bytes) / float64(l.Members) }
func (l list) rate() float64      { return float64(l.Dropped) / float64(max(1, l.Asked)) }

// clearly is how much better another list is before the page says so.
const clearly = 0.95

// wins has what other lists are better at than our filter, by the members of the list.
func (r *found) wins() *pivot.Table {
	t := pivot.Empty("list|better at")
	column := func(f family, members int) string {
		return fmt.Sprintf("%s, %s members", f, quantity.Count(members))
	}
	for _, f := range families {
		for _, members := range r.Config.Members {
			t.Columns = append(t.Columns, column(f, members))
		}
	}
	share := func(percent float64) string { return fmt.Sprintf("%.2g", percent) }
	for _, name := range r.names() {
		if slices.Contains([]string{nameFilter, nameExact, bareParse, barePass, bareDrop}, name) {
			continue
		}
		compare := func(
			what, column string,
			theirs, ours float64,
			text func(figure float64) string,
		) {
			if theirs < clearly*ours {
				t.Set(column, text(theirs)+" against "+text(ours), name, what)
			}
		}
		for i, all := range [][]timed{r.Timed, r.Live} {
			what := []string{"a packet, ns", "a frame through the pair, ns"}[i]
			for _, t := range all {
				if filter := find(all, nameFilter, t); filter != nil && t.Subject == name &&
					t.Listed == mixes[1].Name {
					compare(what, column(t.Family, t.Members), t.Least, filter.Least,
						quantity.Digits)
				}
			}
		}
		for _, l := range r.Lists {
			filter := pivot.Find(r.Lists, func(ours list) bool {
				return ours.Subject == nameFilter && ours.Family == l.Family &&
					ours.Members == l.Members
			})
			if l.Subject != name || filter == nil {
				continue
			}
			where := column(l.Family, l.Members)
			if l.Bytes > 0 {
				compare("a member, bytes", where, l.perMember(), filter.perMember(),
					quantity.Digits)
			}
			if l.Asked > 0 {
				compare("others dropped, %", where, 100*l.rate(), 100*filter.rate(), share)
			}
		}
	}
	return t
}

// picture draws times and memory by the members, and the frames that pass the veth pair.
func (r *found) picture() *chart.Picture {
	p := &chart.Picture{Title: title, Columns: 2, Width: 400, Height: 260}
	lines := &chart.Lines{Look: chart.Marked, Names: r.names()}
	for _, f := range families {
		times := chart.New(fmt.Sprintf("%s, 1 %% of the sources in the list", f),
			"members of the list", "ns per packet")
		chart.Draw(lines, times, r.Timed, func(t timed) (string, plotter.XYs) {
			if t.Family != f || t.Listed != mixes[1].Name {
				return "", nil
			}
			return t.Subject, plotter.XYs{{X: float64(t.Members), Y: t.Least}}
		})
		memory := chart.New(fmt.Sprintf("memory, %s", f), "members of the list",
			"bytes per member")
		chart.Draw(lines, memory, r.Lists, func(l list) (string, plotter.XYs) {
			if l.Family != f || l.Bytes == 0 || l.Asked == 0 {
				return "", nil
			}
			return l.Subject, plotter.XYs{{X: float64(l.Members), Y: l.perMember()}}
		})
		for _, panel := range []*chart.Panel{times, memory} {
			chart.Logarithmic(quantity.Number, &panel.X)
			chart.Logarithmic(quantity.Number, &panel.Y)
			p.Panels = append(p.Panels, panel)
		}
	}
	return p
}
