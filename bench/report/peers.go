package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomlane/bloomlane/bench/result"
)

// bout is one filter of ours against one peer, in one group.
type bout struct {
	result.Group
	ours, peer result.Timing
	verdict    result.Verdict // of ours
}

// boutsOf returns the comparisons of a run in its order. Building a filter is none: it is timed once where the
// filter is large, and with it the memory that it begins with.
func boutsOf(contests []result.Contest) (all []bout) {
	for _, c := range contests {
		if c.Operation == "build" {
			continue
		}
		for _, ours := range c.Of(result.Kernel) {
			for _, peer := range c.Of(result.Peer) {
				all = append(all, boutOf(c.Group, ours, peer))
			}
		}
	}
	return all
}

// boutOf compares by the samples, and decides nothing where the least times say the contrary, as they may where
// the noise is large: it is these that stand in the tables.
func boutOf(group result.Group, ours, peer result.Timing) bout {
	b := bout{group, ours, peer, result.Paired(ours.Samples, peer.Samples)}
	if f := b.factor(); b.verdict.Outcome == result.Faster && f <= 1 || b.verdict.Outcome == result.Slower && f >= 1 {
		b.verdict.Outcome = result.Undecided
	}
	return b
}

// factor is how many times as long the peer took, by the least times.
func (b bout) factor() float64 {
	if b.ours.Least <= 0 || b.peer.Least <= 0 {
		return b.verdict.Ratio
	}
	return b.peer.Least / b.ours.Least
}

// String is for a cell: the peer's time, and how ours did.
func (b bout) String() string {
	time := nanoseconds(b.peer.Least)
	switch b.verdict.Outcome {
	case result.Faster:
		return fmt.Sprintf("%s, won %s", time, times(b.factor()))
	case result.Slower:
		return fmt.Sprintf("%s, LOST %s", time, times(1/b.factor()))
	}
	switch v := b.verdict; {
	case v.Ratio == 0:
		return time + ", undecided"
	case v.Low > 0 && !math.IsInf(v.High, 1):
		return fmt.Sprintf("%s, undecided (%s to %s)", time, times(v.Low), times(v.High))
	default:
		return fmt.Sprintf("%s, undecided (%s)", time, times(v.Ratio))
	}
}

// tally counts how the comparisons against peers ended.
type tally struct {
	won, lost, undecided []bout
}

func tallyOf(bouts []bout) (t tally) {
	for _, b := range bouts {
		switch b.verdict.Outcome {
		case result.Faster:
			t.won = append(t.won, b)
		case result.Slower:
			t.lost = append(t.lost, b)
		default:
			t.undecided = append(t.undecided, b)
		}
	}
	return t
}

func (t tally) all() int { return len(t.won) + len(t.lost) + len(t.undecided) }

// factors returns the least, the median and the largest factor of what was won.
func (t tally) factors() (least, median, most float64) {
	var ratios []float64
	for _, b := range t.won {
		ratios = append(ratios, b.factor())
	}
	if len(ratios) == 0 {
		return 0, 0, 0
	}
	least, median, _ = result.Summarize(ratios)
	return least, median, slices.Max(ratios)
}

// against chooses the bouts of equal bits or equal rate.
func against(bouts []bout, kind string) (of []bout) {
	for _, b := range bouts {
		if b.Against == kind {
			of = append(of, b)
		}
	}
	return of
}

// peerTables returns a table for each filter of ours and each operation of groups with peers: ours
// first, then a line a peer, with what the filter holds and its rate, and a column for each size.
func peerTables(contests []result.Contest, kind string) (all []table) {
	type key struct {
		result.Group // less its size
		ours         string
	}
	type line = ordered[column, string]
	type entry struct {
		line
		timings []result.Timing
	}
	var tables ordered[key, *ordered[string, *entry]]
	columns := map[key][]column{}
	add := func(k key, name string, c column, t result.Timing, text string) {
		lines := tables.at(k)
		if lines == nil {
			lines = new(ordered[string, *entry])
			tables.put(k, lines)
		}
		e := lines.at(name)
		if e == nil {
			e = new(entry)
			lines.put(name, e)
		}
		e.put(c, text)
		e.timings = append(e.timings, t)
		if !slices.Contains(columns[k], c) {
			columns[k] = append(columns[k], c)
		}
	}
	for _, c := range contests {
		if c.Against != kind {
			continue
		}
		bouts := boutsOf([]result.Contest{c})
		for _, ours := range c.Of(result.Kernel) {
			k := key{c.Group, ours.Name}
			k.Bytes, k.Members = 0, 0
			for _, floor := range c.Of(result.Floor) {
				add(k, "floor: "+floor.Name, column{bytes: c.Bytes}, floor, nanoseconds(floor.Least))
			}
			add(k, ours.Name, column{bytes: c.Bytes}, ours, nanoseconds(ours.Least))
			for _, peer := range c.Of(result.Peer) {
				text := nanoseconds(peer.Least)
				if i := slices.IndexFunc(bouts, func(b bout) bool { return b.ours.Name == ours.Name && b.peer.Name == peer.Name }); i >= 0 {
					text = bouts[i].String()
				}
				add(k, peer.Name, column{bytes: c.Bytes}, peer, text)
			}
		}
	}
	for _, k := range tables.keys {
		lines := tables.of[k]
		t := table{
			title:   fmt.Sprintf("%s against %s", subjectOf(k.Group).name(), k.ours),
			about:   fmt.Sprintf("times in ns a %s, tables on %s", k.Unit, pagesName(k.Pages)),
			labels:  1,
			columns: []string{"filter", "bits a key", "false positives"},
			picture: peerPictureName(k.Group, k.ours),
		}
		if k.Operation != "build" {
			t.about += fmt.Sprintf("; won, undecided or LOST is %s against the filter of the line", k.ours)
		}
		if k.Parallel() {
			t.title += ", " + plural(k.Cores, "core")
		}
		slices.SortFunc(columns[k], column.compare)
		for _, c := range columns[k] {
			t.columns = append(t.columns, c.String())
		}
		for _, name := range lines.keys {
			e := lines.of[name]
			row := []string{name, heldRange(e.timings), rateRange(e.timings)}
			for _, c := range columns[k] {
				text, ok := e.of[c]
				if !ok {
					text = "–"
				}
				row = append(row, text)
			}
			t.rows = append(t.rows, row)
		}
		all = append(all, t)
	}
	return all
}

// librariesTable says where the peers are from and how they were used.
func librariesTable(run *result.Run) (table, bool) {
	t := table{title: "The peers", labels: 5, columns: []string{"filter", "module", "version", "hashes keys itself", "what it is, and how it is used"}}
	for _, l := range run.Libraries {
		hashes := "no"
		if l.Hashes {
			hashes = "yes, in its times"
		}
		t.rows = append(t.rows, []string{l.Name, l.Module, l.Version, hashes, l.Use})
	}
	return t, len(t.rows) > 0
}

// name is the operation, where the rest goes without saying.
func (s subject) name() string {
	if s.asked != "" {
		return s.operation + " (" + s.asked + ")"
	}
	return s.operation
}

// heldRange writes the memory of a filter over the sizes of a table: one figure where they agree.
func heldRange(timings []result.Timing) string {
	low, high := math.Inf(1), 0.0
	for _, t := range timings {
		if t.Held > 0 {
			low, high = min(low, 8*t.Held), max(high, 8*t.Held)
		}
	}
	switch {
	case high == 0:
		return ""
	case bits(low) == bits(high):
		return bits(low)
	}
	return bits(low) + " to " + bits(high)
}

func rateRange(timings []result.Timing) string {
	low, high, held := math.Inf(1), 0.0, false
	for _, t := range timings {
		if t.Held > 0 { // a filter, of which the rate was measured
			low, high, held = min(low, t.Rate), max(high, t.Rate), true
		}
	}
	switch {
	case !held:
		return ""
	case high <= 1.1*low:
		return percent((low + high) / 2)
	}
	return percent(low) + " to " + percent(high)
}

// wrongAnswers names every filter that lost members: a sentence each, ours first.
func wrongAnswers(run *result.Run) (all []string) {
	type place struct {
		kind result.Kind
		name string
	}
	var timed ordered[place, int64]
	for _, t := range run.Timings {
		if t.Lost > 0 {
			p := place{t.Kind, t.Name}
			timed.put(p, timed.at(p)+t.Lost)
		}
	}
	for _, p := range timed.keys {
		all = append(all, fmt.Sprintf("%s did not find %s of the members that it was asked for while it was timed (false negatives).",
			who(p.kind, p.name), count(timed.of[p])))
	}
	for _, a := range run.Accuracy {
		at := fmt.Sprintf("of %s members at %s bits a key", count(a.Members), bits(a.Bits))
		if a.Lost > 0 {
			all = append(all, fmt.Sprintf("%s did not find %s %s (false negatives).", who(a.Kind, a.Name), count(a.Lost), at))
		}
		if a.DeleteLost > 0 {
			all = append(all, fmt.Sprintf("%s no longer found %s of those that were to stay, after half %s had been deleted (false negatives).",
				who(a.Kind, a.Name), count(a.DeleteLost), at))
		}
		if a.Refused > 0 {
			all = append(all, fmt.Sprintf("%s was full and refused %s %s.", who(a.Kind, a.Name), count(a.Refused), at))
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return oursFirst(b) - oursFirst(a) })
	return all
}

// who marks ours, for a fault of ours must not look like one of a peer.
func who(kind result.Kind, name string) string {
	if kind == result.Kernel {
		return ourMark + name
	}
	return name
}

const ourMark = "OURS: "

func oursFirst(s string) int {
	if len(s) >= len(ourMark) && s[:len(ourMark)] == ourMark {
		return 1
	}
	return 0
}
