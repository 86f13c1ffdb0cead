package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
)

// summary returns what a run says, a sentence each, every number and every word of praise or blame
// being computed from it.
func summary(run *result.Run, contests []result.Contest) (lines []string) {
	lines = append(lines, scalingSummary(contests)...)
	bouts := boutsOf(contests)
	for _, kind := range []string{result.AtEqualBits, result.AtEqualRate} {
		lines = append(lines, peerSummary(against(bouts, kind), kind)...)
	}
	lines = append(lines, accuracySummary(run)...)
	if crossed := crossingSummary(crossings(contests)); len(crossed) > 0 {
		lines = append(lines, "A batch call takes less time a key than calls of one key each: "+strings.Join(crossed, "; ")+".")
	}
	if wrong := wrongAnswers(run); len(wrong) > 0 {
		lines = append(lines, wrong...)
	} else if len(run.Accuracy) > 0 || len(bouts) > 0 {
		lines = append(lines, "No filter gave a wrong answer: each found every member that it was asked for.")
	}
	return lines
}

// glance returns a table of the fastest implementation of each operation in batches by the size of the
// table, on the first kind of pages that the run has.
func glance(contests []result.Contest) (t table, ok bool) {
	type line struct {
		operation, unit string
		lane            int
	}
	contests = where(contests, func(c result.Contest) bool {
		return c.Against == "" && c.Form == result.FormBatch && c.Bytes > 0 && len(c.Of(result.Kernel)) > 0
	})
	contests = where(contests, pictured(contests))
	if len(contests) == 0 {
		return table{}, false
	}
	pages := slices.MinFunc(contests, func(a, b result.Contest) int { return pagesOrder(a.Pages) - pagesOrder(b.Pages) }).Pages
	var lines ordered[line, map[int64]string]
	var sizes []int64
	for _, c := range contests {
		if c.Pages != pages {
			continue
		}
		l := line{c.Operation, c.Unit, c.Lane}
		if lines.at(l) == nil {
			lines.put(l, map[int64]string{})
		}
		kernel, _ := c.Fastest(result.Kernel)
		text := fmt.Sprintf("%s %s", nanoseconds(kernel.Least), kernel.Name)
		if floor, ok := c.Fastest(result.Floor); ok && floor.Least > 0 {
			text += fmt.Sprintf(" (%s)", times(kernel.Least/floor.Least))
		}
		lines.of[l][c.Bytes] = text
		if !slices.Contains(sizes, c.Bytes) {
			sizes = append(sizes, c.Bytes)
		}
	}
	slices.Sort(sizes)
	t = table{labels: 2, columns: []string{"batches of", "block"}}
	t.about = fmt.Sprintf(`Nanoseconds by size of the table on %s and on one core, with the fastest implementation and, in
brackets, as a multiple of a bare loop that only loads or rewrites the same memory:`, pagesName(pages))
	for _, bytes := range sizes {
		t.columns = append(t.columns, size(bytes))
	}
	for _, l := range lines.keys {
		row := []string{fmt.Sprintf("%s, a %s", l.operation, l.unit), fmt.Sprintf("%d bits", 8*l.lane)}
		for _, bytes := range sizes {
			row = append(row, cmp.Or(lines.of[l][bytes], "–"))
		}
		t.rows = append(t.rows, row)
	}
	return t, true
}

// scalingSummary says how throughput grows with cores, and that of the bare loops beside it: what these do not
// gain either is the memory's.
func scalingSummary(contests []result.Contest) (lines []string) {
	type cell struct {
		subject
		pages, name string
		column
	}
	cores := 0
	ranges := map[result.Kind][2]float64{}
	for _, kind := range []result.Kind{result.Kernel, result.Floor} {
		one := map[cell]result.Timing{}
		low, high := math.Inf(1), 0.0
		for _, parallel := range []bool{false, true} {
			for _, c := range contests {
				if c.Parallel() != parallel || c.Form != result.FormCores {
					continue
				}
				for _, t := range c.Of(kind) {
					at := cell{subjectOf(t.Group), t.Pages, t.Name, column{t.Bytes, t.Masks}}
					if !parallel {
						one[at] = t
					} else if single, ok := one[at]; ok && single.Median > 0 && t.Median > 0 {
						factor := throughput(t) / throughput(single)
						low, high = min(low, factor), max(high, factor)
						cores = max(cores, t.Cores)
					}
				}
			}
		}
		if high > 0 {
			ranges[kind] = [2]float64{low, high}
		}
	}
	kernels, ok := ranges[result.Kernel]
	if !ok {
		return nil
	}
	line := fmt.Sprintf("%d cores together do %s to %s as many operations a second as one, by operation and size",
		cores, times(kernels[0]), times(kernels[1]))
	if floors, ok := ranges[result.Floor]; ok {
		line += fmt.Sprintf("; the bare loops %s to %s", times(floors[0]), times(floors[1]))
	}
	return []string{line + "."}
}

// peerSummary counts the comparisons with peers and names those that were not won.
func peerSummary(bouts []bout, kind string) (lines []string) {
	if len(bouts) == 0 {
		return nil
	}
	way := "with as many bits a key"
	if kind == result.AtEqualRate {
		way = "at the same rate of false positives"
	}
	t := tallyOf(bouts)
	text := fmt.Sprintf("Against Go peers %s: of %s, %d won, %d lost, %d undecided.",
		way, plural(t.all(), "comparison"), len(t.won), len(t.lost), len(t.undecided))
	if least, median, most := t.factors(); most > 0 {
		text += fmt.Sprintf(" What was won was won by %s to %s, in the median %s.", times(least), times(most), times(median))
	}
	lines = append(lines, text)
	switch {
	case len(t.lost) > 0:
		lines = append(lines, fmt.Sprintf("The aim that no Go peer is faster at any operation and size is missed %s. %s",
			way, notWon(t.lost, bouts, "is faster than", func(b bout) float64 { return 1 / b.factor() })))
	case len(t.undecided) > 0:
		lines = append(lines, fmt.Sprintf("No Go peer was measurably faster %s.", way))
	default:
		lines = append(lines, fmt.Sprintf("The aim that no Go peer is faster at any operation and size is met %s.", way))
	}
	if len(t.undecided) > 0 {
		lines = append(lines, fmt.Sprintf("The noise leaves undecided %s: %s", way, notWon(t.undecided, bouts, "and", nil)))
	}
	return lines
}

// notWon names the peers of bouts, in which operations and at which sizes of how many, and by what
// factors.
func notWon(bouts, of []bout, what string, factor func(b bout) float64) string {
	type pair struct{ peer, ours string }
	type event struct {
		pair
		operation string
	}
	at := func(b bout) event {
		return event{pair{b.peer.Name, b.ours.Name}, subjectOf(b.Group).name()}
	}
	sizes := map[event]int{}
	for _, b := range of {
		sizes[at(b)]++
	}
	var pairs ordered[pair, []string]
	var events ordered[event, []bout]
	for _, b := range bouts {
		events.put(at(b), append(events.at(at(b)), b))
	}
	for _, e := range events.keys {
		found := events.of[e]
		text := e.operation
		if len(found) == sizes[e] && len(found) > 1 {
			text += " at every size"
		} else {
			for i, b := range found {
				text += []string{" at ", " and "}[min(i, 1)] + size(b.Bytes)
			}
		}
		if factor != nil {
			low, high := factor(found[0]), factor(found[0])
			for _, b := range found {
				low, high = min(low, factor(b)), max(high, factor(b))
			}
			if times(low) == times(high) {
				text += fmt.Sprintf(" (%s)", times(low))
			} else {
				text += fmt.Sprintf(" (%s to %s)", times(low), times(high))
			}
		}
		pairs.put(e.pair, append(pairs.at(e.pair), text))
	}
	var parts []string
	for _, k := range pairs.keys {
		parts = append(parts, fmt.Sprintf("%s %s %s in %s", k.peer, what, k.ours, strings.Join(pairs.of[k], ", ")))
	}
	return strings.Join(parts, "; ") + "."
}

// accuracySummary says what ours finds and deletes, and what memory others need for the same rate.
func accuracySummary(run *result.Run) (lines []string) {
	const usual = 16 // bits a key, which the tables are filled to
	for _, f := range filters(run) {
		if f.kind != result.Kernel {
			continue
		}
		for _, a := range f.points {
			if a.Asked != usual || a.Deletable == nil {
				continue
			}
			lines = append(lines, fmt.Sprintf("At %s bits a key %s finds %s of strangers (false positives), and a delete makes %s of members invisible.",
				bits(a.Bits), f.name, percent(a.Rate), percent(*a.Deletable)))
		}
	}
	lines = append(lines, memorySummary(run)...)
	return lines
}

// memorySummary says what memory ours needs for a rate, and what the thriftiest peers do. Of ours it is
// the first.
func memorySummary(run *result.Run) (lines []string) {
	all := result.MemoryAtRates(run.Accuracy, rates)
	ours := slices.IndexFunc(all, func(m result.Memory) bool { return m.Kind == result.Kernel })
	if ours < 0 {
		return nil
	}
	for i, rate := range rates {
		need := all[ours].At[i]
		if need == nil {
			continue
		}
		text := fmt.Sprintf("For %s of false positives %s needs %.1f bits a key", round(rate), all[ours].Name, need.Bits)
		// The thriftiest peer of those that delete, and of the others.
		for _, deletes := range []bool{true, false} {
			var thriftiest *result.Memory
			for _, m := range all {
				if m.Kind == result.Peer && m.Deletes == deletes && m.At[i] != nil && (thriftiest == nil || m.At[i].Bits < thriftiest.At[i].Bits) {
					thriftiest = &m
				}
			}
			if thriftiest != nil {
				text += fmt.Sprintf("; the thriftiest peer that %s, %.1f (%s)",
					map[bool]string{true: "deletes", false: "does not"}[deletes], thriftiest.At[i].Bits, thriftiest.Name)
			}
		}
		lines = append(lines, text+".")
	}
	return lines
}
