package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// summary returns what no table says of a run, a sentence each.
func summary(run *result.Run) []string {
	ofHashes := func(g result.Group) bool { return g.KeyBytes == "" }
	lines, wrong := callSummary(pivot.Where(run.Groups, ofHashes)), wrongAnswers(run)
	if len(wrong) == 0 && (len(run.Accuracy) > 0 ||
		len(duels(compare(cells(Recording{Run: run}), result.AtEqualBits, false))) > 0) {
		wrong = []string{"No filter gave a wrong answer: each took all members and found each " +
			"that it was asked for."}
	}
	return append(lines, wrong...)
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
