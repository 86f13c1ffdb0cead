package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// summary returns what a run says, a sentence each, every number and every word of praise or blame
// being computed from it.
func summary(run *result.Run) (lines []string) {
	lines, all := append(lines, coreSummary(run.Groups)...), cells(Recording{Run: run})
	ofHashes, ofBytes := []string(nil), []string(nil)
	for _, s := range sides {
		sentences := peerSummary(duels(s.duels(all)), s.String())
		if s.bytes {
			ofBytes = append(ofBytes, sentences...)
		} else {
			ofHashes = append(ofHashes, sentences...)
		}
	}
	lines = slices.Concat(lines, ofHashes, bytesSummary(run), ofBytes)
	lines = append(lines, accuracySummary(run)...)
	lines = append(lines, callSummary(run.Groups)...)
	wrong := wrongAnswers(run)
	if len(wrong) == 0 &&
		(len(run.Accuracy) > 0 || len(duels(compare(all, result.AtEqualBits, false))) > 0) {
		wrong = []string{"No filter gave a wrong answer: each took all members and found each " +
			"that it was asked for."}
	}
	return append(lines, wrong...)
}

// span is the least and the largest of values.
type span struct{ low, high float64 }

func (s *span) add(v float64) {
	if s.high == 0 || v < s.low {
		s.low = v
	}
	s.high = max(s.high, v)
}

func (s span) String() string {
	if times(s.low) == times(s.high) {
		return times(s.low)
	}
	return times(s.low) + " to " + times(s.high)
}

// coreSummary says how throughput grows with cores, and that of the bare loops beside it: what
// these do not gain either is the memory's.
func coreSummary(groups []result.Group) []string {
	one, gain, cores := map[string]float64{}, map[result.Kind]span{}, 0
	for _, g := range groups {
		for _, s := range g.Subjects {
			median := result.Median(s.Samples)
			if g.Form != result.FormCores || median <= 0 {
				continue
			}
			c := g.Conditions
			c.Cores = 0
			place := fmt.Sprint(c, s.Kind, s.Name)
			if g.Cores <= 1 {
				one[place] = median
			} else if one[place] > 0 {
				of := gain[s.Kind]
				of.add(float64(g.Cores) * one[place] / median)
				gain[s.Kind], cores = of, max(cores, g.Cores)
			}
		}
	}
	if gain[result.Implementation].high == 0 {
		return nil
	}
	line := fmt.Sprintf("%d cores together do %v as many operations per second as one, by "+
		"operation and size", cores, gain[result.Implementation])
	if gain[result.Floor].high > 0 {
		line += fmt.Sprintf("; the bare loops %v", gain[result.Floor])
	}
	return []string{line + "."}
}

// peerSummary counts the comparisons with peers and names those that were not won.
func peerSummary(all []duel, equal string) (lines []string) {
	if len(all) == 0 {
		return nil
	}
	byOutcome, won := outcomes(all), span{}
	for _, d := range byOutcome[result.Faster] {
		won.add(d.factor())
	}
	text := fmt.Sprintf("Beside Go peers %s: of %s, %d won, %d lost, %d undecided.",
		equal, quantity.Of(len(all), "comparison"), len(byOutcome[result.Faster]),
		len(byOutcome[result.Slower]), len(byOutcome[result.Undecided]))
	if won.high > 0 {
		text += fmt.Sprintf(" Where ours is faster, the peer takes %s to %s as long.",
			times(won.low), times(won.high))
	}
	lines = append(lines, text)
	if lost := byOutcome[result.Slower]; len(lost) > 0 {
		lines = append(lines, fmt.Sprintf("Lost %s: %s.", equal, placed(lost)))
	}
	if undecided := byOutcome[result.Undecided]; len(undecided) > 0 {
		lines = append(lines, fmt.Sprintf("Undecided %s: %s.", equal, placed(undecided)))
	}
	return lines
}

// bytesSummary says what hashes take, ours beside those under a secret and those without, and what
// keys of bytes cost where hashes could be had.
func bytesSummary(run *result.Run) (lines []string) {
	for _, g := range run.Groups {
		batches, one, ok := ourHash(run, g)
		if !ok || !slices.Contains(summarized, g.KeyBytes) {
			continue
		}
		text := fmt.Sprintf("Hashes of keys of %s bytes: ours takes %s ns in batches and %s ns "+
			"one by one", g.KeyBytes, quantity.Digits(batches.Least), quantity.Digits(one.Least))
		others := map[bool][]string{}
		for _, s := range g.Of(result.Peer) {
			keyed := isKeyed(run, s.Name)
			others[keyed] = append(others[keyed],
				fmt.Sprintf("%s %s ns", s.Name, quantity.Digits(s.Least)))
		}
		for _, keyed := range []bool{true, false} {
			if len(others[keyed]) > 0 {
				text += fmt.Sprintf("; %s %s", map[bool]string{true: "of others under a secret",
					false: "of those without"}[keyed], strings.Join(others[keyed], ", "))
			}
		}
		lines = append(lines, text+".")
	}
	for _, c := range stacks(run.Groups) {
		lines = append(lines, fmt.Sprintf("A query batch of keys of %s bytes takes %s as long as "+
			"one of ready hashes, in %s: %s ns for %s.",
			c.KeyBytes, times(c.keys/c.ready), quantity.Bytes(c.Bytes), quantity.Digits(c.keys),
			quantity.Digits(c.ready)))
	}
	return lines
}

// placed names the peers of duels, in which operations, at which sizes and beside which of ours,
// and the times of the peer as multiples of those of ours.
func placed(all []duel) string {
	type event struct {
		place, ours string
		factor      span
	}
	var events []event
	for _, group := range pivot.Groups(all,
		func(d duel) string { return fmt.Sprint(d.peer.Name, "|", d.what(), "|", d.Name) }) {
		e, sizes := event{ours: group[0].Name}, []string(nil)
		for _, d := range group {
			sizes = append(sizes, quantity.Bytes(d.Bytes))
			e.factor.add(d.factor())
		}
		e.place = fmt.Sprintf("%s in %s at %s", group[0].peer.Name, group[0].what(),
			strings.Join(sizes, " and "))
		events = append(events, e)
	}
	var parts []string
	for place, of := range pivot.Groups(events, func(e event) string { return e.place }) {
		ours, factor := []string(nil), span{}
		for _, e := range of {
			ours = append(ours, e.ours)
			factor.add(e.factor.low)
			factor.add(e.factor.high)
		}
		parts = append(parts,
			fmt.Sprintf("%s (%v beside %s)", place, factor, strings.Join(ours, " and ")))
	}
	return strings.Join(parts, "; ")
}

// accuracySummary says what ours finds and deletes, and what memory others need for the same rate.
func accuracySummary(run *result.Run) (lines []string) {
	const usual = 16 // bits per key, which the tables are filled to
	var ours string
	kinds, deletes := map[string]result.Kind{}, map[string]bool{}
	for _, a := range run.Accuracy {
		kinds[a.Name], deletes[a.Name] = a.Kind, a.Deletable != nil
		if a.Kind != result.Implementation {
			continue
		}
		ours = cmp.Or(ours, a.Name)
		if a.Asked == usual && a.Deletable != nil {
			lines = append(lines, fmt.Sprintf("At %s bits per key %s finds %s of non-members "+
				"(false positives), and a delete makes %s of members invisible.",
				bits(a.Bits), a.Name, percent(a.Rate), percent(*a.Deletable)))
		}
	}
	for _, rate := range equalRates {
		need := result.EqualRate(run.Accuracy, rate)
		if _, ok := need[ours]; !ok {
			continue
		}
		text := fmt.Sprintf("For %s of false positives %s needs %.1f bits per key", percent(rate),
			ours, need[ours].Bits)
		for _, can := range []bool{true, false} {
			least := ""
			for _, name := range slices.Sorted(maps.Keys(need)) {
				if kinds[name] == result.Peer && deletes[name] == can &&
					(least == "" || need[name].Bits < need[least].Bits) {
					least = name
				}
			}
			if least != "" {
				text += fmt.Sprintf("; of peers that %s the least is %.1f (%s)",
					map[bool]string{true: "delete", false: "do not"}[can], need[least].Bits, least)
			}
		}
		lines = append(lines, text+".")
	}
	return lines
}

// crossing is the least number of keys from which on batches take less time per key than calls of
// one key, where the samples of the same rounds bear that out, of it and of every larger one; 0
// where no batch is faster. It is false where there are no such samples, or too few.
func crossing(g result.Group) (keys int, known bool) {
	all := g.Of(result.Implementation)
	i := slices.IndexFunc(all, func(s result.Subject) bool { return s.Name == result.Methods })
	if i < 0 {
		return 0, false
	}
	single := all[i]
	batches := slices.Delete(all, i, i+1)
	slices.SortFunc(batches, func(a, b result.Subject) int { return b.Batch - a.Batch })
	for _, s := range batches {
		v := result.Paired(s.Samples, single.Samples)
		if known = v.Ratio > 0 && !math.IsInf(v.High, 1); !known || v.Outcome != result.Faster {
			break
		}
		keys = s.Batch
	}
	return keys, known
}

func callSummary(groups []result.Group) []string {
	low, high := math.MaxInt, 0
	var never []string
	for _, g := range groups {
		keys, told := crossing(g)
		if g.Form != result.FormCalls || !told {
			continue
		}
		if keys > 0 {
			low, high = min(low, keys), max(high, keys)
		} else {
			never = append(never, fmt.Sprintf("%s of %s with blocks of %d bits", g.Operation,
				quantity.Bytes(g.Bytes), g.BlockBits))
		}
	}
	if high == 0 && len(never) == 0 {
		return nil
	}
	text := "A batch call takes less time per key than calls of one key each from " +
		quantity.Of(low, "key")
	switch {
	case high == 0:
		text = "No batch call takes less time per key than calls of one key each"
		never = nil
	case high > low:
		text += fmt.Sprintf(" to %s, by operation and table", quantity.Of(high, "key"))
	}
	if len(never) > 0 {
		text += ", never for " + strings.Join(never, ", ")
	}
	return []string{text + "."}
}

// wrongAnswers names every filter that lost members: a sentence each, ours first.
func wrongAnswers(run *result.Run) []string {
	var ours, others []string
	add := func(kind result.Kind, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); kind == result.Implementation {
			ours = append(ours, "OURS: "+text) // a fault of ours must not look like one of a peer
		} else {
			others = append(others, text)
		}
	}
	type filter struct {
		result.Kind
		name    string
		against string
		bytes   int64
		keys    string
	}
	seen := map[filter]bool{} // it is counted once for all operations of a size
	for _, g := range run.Groups {
		for _, s := range g.Subjects {
			if f := (filter{s.Kind, s.Name, g.Against, g.Bytes, g.KeyBytes}); s.Lost > 0 &&
				!seen[f] {
				seen[f] = true
				add(s.Kind, "%s did not find %s of the members that it was asked for when it had "+
					"been timed, of %s %v (false negatives).", s.Name, quantity.Count(s.Lost),
					quantity.Count(g.Members), side{g.Against, g.KeyBytes != ""})
			}
		}
	}
	for _, a := range run.Accuracy {
		part := fmt.Sprintf("of %s members at %s bits per key",
			quantity.Count(a.Members), bits(a.Bits))
		if a.Lost > 0 {
			add(a.Kind, "%s did not find %s %s (false negatives).", a.Name,
				quantity.Count(a.Lost), part)
		}
		if a.DeleteLost > 0 {
			add(a.Kind, "%s no longer found %s of those that were to stay, after half %s had "+
				"been deleted (false negatives).",
				a.Name, quantity.Count(a.DeleteLost), part)
		}
		if a.Refused > 0 {
			add(a.Kind, "%s was full and refused %s %s.", a.Name, quantity.Count(a.Refused), part)
		}
	}
	return append(ours, others...)
}
