package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// operationTables have our operations on hashes: by the size of the table, of the best pages that
// the run has, or by the keys of a call.
func operationTables(all []cell) (found []*pivot.Table) {
	ours := pivot.Where(alone(all), func(c cell) bool { return !c.isOtherQuery() })
	for _, form := range []struct{ name, title, about string }{
		{result.FormBatch, "Batches", "ns per key, or of merges and copies per block"},
		{result.FormSingle, "One key per call", "ns per key; the floor is a loop in Go that " +
			"touches one word of the block"},
	} {
		best := pivot.Where(in(form.name, ours), cell.onBestPages)
		found = append(found, pivot.Figures("block|operation|by", best, cell.block, cell.what,
			cell.name, cell.size, cell.overFloor).Titled(form.title, form.about))
	}
	perCall := func(c cell) string {
		if c.Name == result.Methods {
			return "one by one"
		}
		return quantity.Count(c.Batch)
	}
	calls := pivot.Where(in(result.FormCalls, all),
		func(c cell) bool { return c.Kind == result.Implementation })
	return append(found,
		pivot.Figures("keys|block|table|operation", calls, cell.keys, cell.block, cell.size,
			cell.what, perCall, cell.time).Titled("Batches by the keys per call", "ns per key"),
		pivot.Figures("block|by", pivot.Where(all, func(c cell) bool { return c.Masks > 0 }),
			cell.block, cell.name, cell.size, cell.overFloor).Titled(
			"Match of a header against masks", "ns per mask; the floor is a loop in Go that reads "+
				"one byte of each"),
		pivot.Figures("block|table|operation|by", in(result.FormCores, ours), cell.block,
			cell.size, cell.what, cell.name,
			func(c cell) string { return quantity.Of(max(c.Cores, 1), "core") },
			cell.time).Titled("Several cores at once", "ns per key of each core"))
}

// peerTable has a line for each filter in a cache and in the largest table, ours and of other
// libraries. The factors are those of the first of ours.
func peerTable(s side, all []cell) *pivot.Table {
	filled := func(text func(c cell) string) func(c cell) string { // with members
		return func(c cell) string {
			if c.Kind == result.Floor {
				return ""
			}
			return text(c)
		}
	}
	beside := pivot.Where(compare(all, s.against, s.bytes), func(c cell) bool {
		return !c.isOtherQuery() && len(c.Of(result.Implementation)) > 0
	})
	most := int64(0)
	for _, c := range beside {
		most = max(most, c.Bytes)
	}
	return pivot.Figures("table of ours|filter|bits per key|false positives",
		pivot.Where(beside, func(c cell) bool { return c.Bytes == cacheBytes || c.Bytes == most }),
		cell.size, cell.name, filled(func(c cell) string { return bits(8 * c.BytesPerKey) }),
		filled(func(c cell) string { return percent(c.Rate) }), cell.what,
		func(c cell) string { return c.against(c.Of(result.Implementation)[0]) },
	).Titled("Filters "+s.String(), "ns per key")
}

// against is the time, and of a peer as a multiple of one of ours.
func (c cell) against(ours result.Subject) string {
	if c.Kind != result.Peer {
		return c.time()
	}
	c.Subject, ours = ours, c.Subject
	return quantity.Digits(ours.Least) + duel{c, ours}.String()
}

// duel is one filter of ours beside one peer in a group.
type duel struct {
	cell // ours
	peer result.Subject
}

// duels are those of cells. Building a filter is none: it is timed once where the filter is large,
// and with it the memory that it begins with.
func duels(all []cell) (found []duel) {
	for _, c := range all {
		if c.Kind != result.Implementation || c.Operation == "build" {
			continue
		}
		for _, peer := range c.Of(result.Peer) {
			found = append(found, duel{c, peer})
		}
	}
	return found
}

// outcome is by the samples, and nothing is decided where the least times, which stand in the
// tables, say the contrary, as they may where the noise is large.
func (d duel) outcome() result.Outcome {
	switch outcome := result.Paired(d.Samples, d.peer.Samples).Outcome; {
	case outcome == result.Faster && d.factor() > 1, outcome == result.Slower && d.factor() < 1:
		return outcome
	}
	return result.Undecided
}

// factor is how many times as long the peer took, by the least times.
func (d duel) factor() float64 {
	if d.Least <= 0 {
		return 0
	}
	return d.peer.Least / d.Least
}

func (d duel) String() string {
	mark := map[result.Outcome]string{result.Undecided: " ?", result.Slower: " LOST"}[d.outcome()]
	switch {
	case d.factor() == 0:
		return ""
	case d.Operation == "build":
		mark = ""
	}
	return " (" + times(d.factor()) + mark + ")"
}

// wrongTable has the filters that lost members, refused some, or forgot some by the deletes of
// others: ours first, for their faults must not look like those of peers.
func wrongTable(run *result.Run) *pivot.Table {
	t := pivot.Empty("whose|filter|bits per key|members")
	for _, kind := range []result.Kind{result.Implementation, result.Peer} {
		add := func(kindOf result.Kind, name string, bitsPerKey float64, members int64,
			what string, n int64) {
			if kindOf == kind && n > 0 {
				t.Set(what, quantity.Count(n),
					map[bool]string{true: "OURS"}[kind == result.Implementation], name,
					bits(bitsPerKey), quantity.Count(members))
			}
		}
		for _, g := range run.Groups {
			for _, s := range g.Subjects {
				add(s.Kind, s.Name, 8*s.BytesPerKey, g.Members, "not found when timed", s.Lost)
			}
		}
		for _, a := range run.Accuracy {
			add(a.Kind, a.Name, a.Bits, a.Members, "not found", a.Lost)
			add(a.Kind, a.Name, a.Bits, a.Members, "not found after deletes of half", a.DeleteLost)
			add(a.Kind, a.Name, a.Bits, a.Members, "refused", a.Refused)
		}
	}
	return t.Titled("Members that filters lost", "numbers of members; all others found each")
}

// libraryTable says where the peers are from, and how they were used.
func libraryTable(run *result.Run) *pivot.Table {
	t := pivot.Rows("filter or hash|module|keys of bytes are hashed by|use", run.Libraries,
		func(l result.Library) []string {
			if l.Hashes {
				l.Name += "*"
			}
			if l.Keyed && l.Hash != "" {
				l.Hash += ", under a secret"
			}
			return []string{l.Name, strings.TrimSpace(
				strings.TrimPrefix(l.Module, "github.com/") + " " + l.Version), l.Hash, l.Use}
		})
	t.Words = 3
	return t.Titled("Other libraries", "* hashes keys itself, which is in its times")
}

const hashing = "hash"

// hashTable has the times of each hash function by the length of the keys.
func hashTable(all []cell) *pivot.Table {
	function := func(c cell) string {
		if c.Kind == result.Peer {
			return c.Name
		}
		_, function := c.HashFunction()
		return function
	}
	how := func(c cell) string {
		implementation, _ := c.HashFunction()
		switch {
		case c.Form == result.FormChain:
			return "each after the one before"
		case c.Kind == result.Peer || implementation == result.Methods:
			return "one key at a time"
		}
		return "batches, " + implementation
	}
	return pivot.Figures("machine|hash function|", ofHashing(all), cell.machine, function, how,
		cell.keyBytes, cell.time).Titled("Hashes of keys, by their bytes", "ns per key")
}

// ofHashing returns the cells of hashes alone.
func ofHashing(all []cell) []cell {
	return pivot.Where(all, func(c cell) bool { return c.Operation == hashing })
}

// stackTable has what a query of keys is made of: hashes alone, those and a table in the
// first-level cache, ready hashes in the table, and keys in it.
func stackTable(all []cell) *pivot.Table {
	return pivot.Figures("bytes of a key|table", in(result.FormStack, all), cell.keyBytes,
		cell.size, cell.name, cell.time).Titled("What a query of keys is made of",
		"ns per key, of filter/deletable in batches")
}

// accuracyTables have what filters answer by the bits per key that were asked for: false positives,
// the share of members that can be deleted, and from these the memory that each rate takes.
func accuracyTables(run *result.Run) []*pivot.Table {
	points := slices.Clone(run.Accuracy)
	slices.SortStableFunc(points,
		func(a, b result.Accuracy) int { return cmp.Compare(a.Asked, b.Asked) })
	name := func(a result.Accuracy) string { return a.Name }
	shares := func(pair func(a *result.Accuracy) (measured, predicted *float64)) *pivot.Table {
		return pivot.Figures("filter", points, name,
			func(a result.Accuracy) string { return bits(a.Asked) },
			func(a result.Accuracy) string {
				measured, predicted := pair(&a)
				if measured == nil {
					return ""
				}
				text := percent(*measured)
				if predicted != nil {
					text += " / " + percent(*predicted)
				}
				if math.Abs(a.Bits-a.Asked) > 0.01*a.Asked {
					text += " at " + bits(a.Bits)
				}
				return text
			})
	}
	memory := pivot.Empty("filter")
	for _, rate := range equalRates {
		need := result.EqualRate(run.Accuracy, rate)
		for _, a := range points {
			if m, ok := need[a.Name]; ok {
				text := fmt.Sprintf("%.1f", m.Bits)
				if m.Deletable > 0 {
					text += " (" + percent(m.Deletable) + ")"
				}
				memory.Set("at "+percent(rate), text, a.Name)
			}
		}
	}
	return []*pivot.Table{
		shares(func(a *result.Accuracy) (*float64, *float64) {
			return &a.Rate, a.Predicted
		}).Titled("False positives by bits per key", `measured / predicted by the filter's own `+
			`theory; "at" is what a filter took that was asked for the bits of the column`),
		shares(func(a *result.Accuracy) (*float64, *float64) {
			return a.Deletable, a.PredictedDeletable
		}).Titled("Deletable members by bits per key", "the share of members that a delete makes "+
			"invisible when each is deleted from the full filter, measured / predicted"),
		memory.Titled("Memory at an equal rate of false positives", "bits per key, interpolated "+
			"between the measured points on both sides of the rate, and of filters that delete "+
			"the share of members that they can"),
	}
}

// equalRates are those at which the memory of filters is compared.
var equalRates = []float64{0.01, 0.001}

// latencyTable has the distribution of the time of a call, by the keys of a call.
func latencyTable(run *result.Run) *pivot.Table {
	return pivot.Figures("block|table|process|operation", run.Latencies,
		func(l result.Latency) string { return fmt.Sprintf("%d bits", l.BlockBits) },
		func(l result.Latency) string { return quantity.Bytes(l.Bytes) },
		func(l result.Latency) string {
			return map[bool]string{true: "with GC", false: "quiet"}[l.Loaded]
		},
		func(l result.Latency) string { return l.Operation },
		func(l result.Latency) string {
			if l.Form == result.FormSingle {
				return "one key"
			}
			return "batch of " + quantity.Count(l.Batch)
		},
		func(l result.Latency) string {
			return strings.Join([]string{seconds(l.P50), seconds(l.P99), seconds(l.P999),
				seconds(l.Max)}, " / ")
		}).Titled("Latency of calls", "in half of the calls no more / in all but one in a hundred "+
		"/ in all but one in a thousand / the longest; the clock steps by "+
		seconds(run.ClockStep)+`. "With GC" is while other goroutines allocate all the time`)
}

// seconds writes a time with its unit.
func seconds(ns float64) string { return benchunit.Scale(ns/1e9, benchunit.Decimal) + "s" }

// percent writes a share with two digits that count, and with three from a tenth on.
func percent(share float64) string {
	return fmt.Sprintf("%.*g %%",
		2+int(min(1, 10*share)), 100*share)
}

// bits writes a number of bits per key.
func bits(b float64) string { return quantity.Number(math.Round(b*10) / 10) }
