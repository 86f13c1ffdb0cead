package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

type tables = []*pivot.Table

// operationTables have the times of batches by the size of the table: for each width and kind of
// pages a line for each operation and implementation.
func operationTables(all []cell) (found tables) {
	all = pivot.Where(in(result.FormBatch, alone(all)), func(c cell) bool { return c.Masks == 0 })
	for title, part := range pivot.Groups(all, func(c cell) string {
		title := fmt.Sprintf("blocks of %d bits, %s", c.BlockBits, pagesName(c.Pages))
		if c.isOtherQuery() {
			title += ", other queries"
		}
		return title
	}) {
		t := pivot.Figures("|", part, cell.what, cell.name, cell.size, cell.overFloor)
		t.Titled(title, "ns per key, or of merges and copies per block, and in brackets as a "+
			"multiple of the floor").Detail = !part[0].onBestPages() || part[0].isOtherQuery()
		found = append(found, t)
	}
	return found
}

// callTables have the times of calls of one key by the size of the table, and of batches by the
// keys per call; and of header matches.
func callTables(all []cell) (found tables) {
	const multiple = ", and in brackets as a multiple of a loop in Go that "
	for pages, part := range pivot.Groups(in(result.FormSingle, alone(all)),
		func(c cell) string { return pagesName(c.Pages) }) {
		t := pivot.Figures("block||", part, cell.block, cell.what, cell.name, cell.size,
			cell.overFloor)
		t.Titled("one key per call, "+pages, "ns per key"+multiple+"touches one word of the "+
			"block").Detail = !part[0].onBestPages()
		found = append(found, t)
	}
	calls := pivot.Where(in(result.FormCalls, alone(all)),
		func(c cell) bool { return c.Kind == result.Implementation })
	perCall := func(c cell) string {
		if c.Name == result.Methods {
			return "one by one"
		}
		return quantity.Count(c.Batch)
	}
	ofKeys := in(result.FormCalls, compare(all, "", true))
	return append(found, pivot.Figures("block|table|", calls, cell.block, cell.size, cell.what,
		perCall, cell.time).Titled("batches by the keys per call", "ns per key"),
		pivot.Figures("table|", ofKeys, cell.size, cell.what, perCall, cell.time).Titled(
			"batches of keys of 16 bytes by the keys per call", "ns per key, of filter/deletable"),
		pivot.Figures("block|", pivot.Where(all, func(c cell) bool { return c.Masks > 0 }),
			cell.block, cell.name, cell.size, cell.overFloor).Titled(
			"match of a header against masks", "ns per mask"+multiple+"reads one byte of each"))
}

// selectionTable has the times of selections, by the share of the keys that are present.
func selectionTable(all []cell) tables {
	return tables{pivot.Figures("block||", in(result.FormSelection, all), cell.block, cell.what,
		cell.name, cell.size, cell.overFloor).Titled("selections", "ns per key")}
}

// coreTable has the throughput of one core and of all of them.
func coreTable(all []cell) tables {
	one := map[string]float64{}
	return tables{pivot.Figures("block|table||", in(result.FormCores, all), cell.block, cell.size,
		cell.what, cell.name,
		func(c cell) string { return quantity.Of(max(c.Cores, 1), "core") },
		func(c cell) string {
			// Medians, not leasts: the cores' least times need not be of the same moment.
			median := result.Median(c.Samples)
			if median <= 0 {
				return ""
			}
			rate := 1e3 * float64(max(c.Cores, 1)) / median
			text, place := quantity.Digits(rate), fmt.Sprint(c.block(), c.size(), c.what(), c.Name)
			if c.Cores <= 1 {
				one[place] = rate
			} else if one[place] > 0 {
				text += " (" + times(rate/one[place]) + ")"
			}
			return text
		}).Titled("throughput",
		"millions of keys per second of all cores together, in brackets times one core")}
}

// peerTables have a line for each filter, a table for each size. The factors are those of the first
// of ours.
func peerTables(all []cell) (found tables) {
	filled := func(text func(c cell) string) func(c cell) string { // with members
		return func(c cell) string {
			if c.Kind == result.Floor {
				return ""
			}
			return text(c)
		}
	}
	all = pivot.Where(all, func(c cell) bool { return len(c.Of(result.Implementation)) > 0 })
	for size, part := range pivot.Groups(all, cell.size) {
		t := pivot.Figures("filter|bits per key|false positives", part, cell.name,
			filled(func(c cell) string { return bits(8 * c.BytesPerKey) }),
			filled(func(c cell) string { return percent(c.Rate) }), cell.what,
			func(c cell) string { return c.against(c.Of(result.Implementation)[0]) })
		found = append(found, t.Titled(quantity.Count(part[0].Members)+" members, "+size+
			" of ours at 16 bits per key",
			"ns per key; in brackets times "+part[0].Of(result.Implementation)[0].Name))
	}
	for n := range max(1, len(found)) - 1 {
		found[n].Detail = n > 0 || all[0].Against == result.AtEqualRate
	}
	return found
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

// outcomes returns duels by how they end.
func outcomes(all []duel) map[result.Outcome][]duel {
	byOutcome := map[result.Outcome][]duel{}
	for _, d := range all {
		outcome := d.outcome()
		byOutcome[outcome] = append(byOutcome[outcome], d)
	}
	return byOutcome
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

// libraryTables say where the peers are from, and how they were used.
func libraryTables(run *result.Run) tables {
	hashed := slices.ContainsFunc(run.Libraries,
		func(l result.Library) bool { return l.Hash != "" })
	heads := "filter or hash|module"
	if hashed {
		heads += "|keys of bytes are hashed by"
	}
	from := pivot.Rows(heads, run.Libraries, func(l result.Library) []string {
		if l.Hashes {
			l.Name += "*"
		}
		if l.Keyed && l.Hash != "" {
			l.Hash += ", under a secret"
		}
		return []string{l.Name, strings.TrimSpace(strings.TrimPrefix(l.Module, "github.com/") +
			" " + l.Version), l.Hash}
	}).Titled("the peers", "* hashes keys itself, which is in its times")
	use := pivot.Rows("filter|", run.Libraries,
		func(l result.Library) []string { return []string{l.Name, l.Use} }).Titled(
		"how the peers are used", "")
	from.Labels, use.Labels, use.Detail = 2, 2, true
	return tables{from, use}
}

const (
	hashing    = "hash"
	ourBatches = "the fastest of our batches"
)

// hashTable has the times of hashes alone, ours by implementation, independent ones or chains. The
// factors are those of the first of ours.
func hashTable(form string, all []cell) *pivot.Table {
	titles := map[string]string{result.FormBatch: "hashes of keys of bytes",
		result.FormChain: "hashes of keys of bytes, each after the one before"}
	keyed := func(c cell) string {
		return map[bool]string{true: "yes", false: "no"}[c.isKeyed()]
	}
	against := func(c cell) string {
		ours, ok := c.Fastest(result.Implementation)
		if !ok {
			return ""
		}
		return c.against(ours)
	}
	return pivot.Figures("|under a secret", in(form, ofHashing(all)), cell.name, keyed,
		cell.keyBytes, against).Titled(titles[form], `ns per key by its bytes; in brackets times `+ourBatches+
		`. "Methods" is our form for one key`)
}

// lengthTables have the times of filters with keys of bytes of other lengths than those that are
// compared, and with strings, a table for each size.
func lengthTables(all []cell) (found tables) {
	others := pivot.Where(all, func(c cell) bool {
		return c.Against == result.AtEqualBits && c.KeyBytes != "" && c.KeyBytes != besideBytes &&
			c.Operation != "build"
	})
	for size, part := range pivot.Groups(others, cell.size) {
		found = append(found, pivot.Figures("filter", part, cell.name, func(c cell) string {
			return strings.Replace(c.KeyBytes, result.InStrings, " in strings", 1) + ": " + c.what()
		}, cell.time).Titled("keys of other lengths, "+size+" of ours at 16 bits per key",
			"ns per key by its bytes"))
	}
	return found
}

// ofHashing returns the cells of hashes alone.
func ofHashing(all []cell) []cell {
	return pivot.Where(all, func(c cell) bool { return c.Operation == hashing })
}

// summarized are the lengths of keys whose hashes a summary has, and the figures of all machines.
var summarized = []string{"8", "16", "40", "8-64"}

// ourHash returns the subjects of a group of hashes that have the hash function of our keys in the
// run: the fastest of batches, and the form for one key.
func ourHash(run *result.Run, g result.Group) (batches, one result.Subject, ok bool) {
	if g.Operation != hashing || g.Form != result.FormBatch {
		return batches, one, false
	}
	for _, s := range g.Of(result.Implementation) {
		implementation, function := s.HashFunction()
		switch {
		case function != run.HashFunction():
		case implementation == result.Methods:
			one = s
		case batches.Name == "" || s.Least < batches.Least:
			batches = s
		}
	}
	return batches, one, batches.Name != "" && one.Name != ""
}

// costs is what a query of a batch of keys takes, in ns per key: see result.FormStack.
type costs struct {
	result.Conditions
	hash, index, memory float64 // of keys; their sum is keys
	ready, keys         float64
}

// stacks returns those of the groups, as far as none of the steps lacks.
func stacks(groups []result.Group) (all []costs) {
	for _, g := range groups {
		ns := map[string]float64{}
		for _, s := range g.Subjects {
			ns[s.Name] = s.Least
		}
		hash, index, ready, keys := ns[result.StepHash], ns[result.StepIndex], ns[result.StepReady],
			ns[result.StepKeys]
		if g.Form != result.FormStack || min(hash, index, ready, keys) <= 0 {
			continue
		}
		index = max(index, hash) // noise may have it otherwise
		index = min(index, keys)
		hash = min(hash, index)
		all = append(all, costs{g.Conditions, hash, index - hash, keys - index, ready, keys})
	}
	return all
}

// overReady is the time of keys, and as a multiple of that of ready hashes.
func (c costs) overReady() string {
	return quantity.Digits(c.keys) + " (" + times(c.keys/c.ready) + ")"
}

func stackTable(groups []result.Group) *pivot.Table {
	t := pivot.Rows("bytes of a key|table|hash|index|memory|keys|ready hashes", stacks(groups),
		func(c costs) []string {
			return []string{c.KeyBytes, quantity.Bytes(c.Bytes), quantity.Digits(c.hash),
				quantity.Digits(c.index), quantity.Digits(c.memory), c.overReady(),
				quantity.Digits(c.ready)}
		})
	t.Labels = 2
	return t.Titled("what a query of keys is made of",
		"ns per key, of filter/deletable in batches; in brackets times that of ready hashes")
}

// accuracyTables have what filters answer by the bits per key that were asked for: false positives,
// the share of members that can be deleted, and from these the memory that each rate takes.
func accuracyTables(run *result.Run) tables {
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
	return tables{
		shares(func(a *result.Accuracy) (*float64, *float64) {
			return &a.Rate, a.Predicted
		}).Titled("false positives by bits per key", `measured / predicted by the filter's own `+
			`theory; "at" is what a filter took that was asked for the bits of the column`),
		shares(func(a *result.Accuracy) (*float64, *float64) {
			return a.Deletable, a.PredictedDeletable
		}).Titled("deletable members by bits per key", "the share of members that a delete makes "+
			"invisible when each is deleted from the full filter, measured / predicted"),
		memory.Titled("memory at an equal rate of false positives", "bits per key, interpolated "+
			"between the measured points on both sides of the rate, and of filters that delete "+
			"the share of members that they can"),
	}
}

// equalRates are those at which the memory of filters is compared.
var equalRates = []float64{0.01, 0.001}

// latencyTables have the distribution of the time of a call, by the keys of a call.
func latencyTables(run *result.Run) (found tables) {
	for title, part := range pivot.Groups(run.Latencies, func(l result.Latency) string {
		return fmt.Sprintf("blocks of %d bits", l.BlockBits)
	}) {
		t := pivot.Figures("table|process|", part,
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
			}).Titled(title, "in half of the calls no more / in all but one in a hundred / in all "+
			"but one in a thousand / the longest")
		t.Detail = len(found) > 0
		found = append(found, t)
	}
	return found
}

// seconds writes a time with its unit, briefly.
func seconds(ns float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	for ; ns >= 999.5 && len(units) > 1; units = units[1:] {
		ns /= 1000
	}
	return fmt.Sprintf("%.*g %s", 2+int(min(1, ns/99.5)), ns, units[0])
}

// percent writes a share with two digits that count, and with three from a tenth on.
func percent(share float64) string {
	return fmt.Sprintf("%.*g %%",
		2+int(min(1, 10*share)), 100*share)
}

// bits writes a number of bits per key.
func bits(b float64) string { return quantity.Number(math.Round(b*10) / 10) }

// pagesNames are the kinds of pages, those that a reader should see first, and how a report calls
// them.
var pagesNames = [][2]string{
	{"huge", "huge pages"}, {"default", "the system's pages"}, {"4KiB", "pages of 4 KiB"},
	{"", "the system's pages"},
}

// bestPages is the first kind of pages that a run has.
func bestPages(groups []result.Group) string {
	for _, kind := range pagesNames {
		if slices.ContainsFunc(groups, func(g result.Group) bool { return g.Pages == kind[0] }) {
			return kind[0]
		}
	}
	return ""
}

func pagesName(pages string) string {
	for _, kind := range pagesNames {
		if kind[0] == pages {
			return kind[1]
		}
	}
	return pages + " pages"
}
