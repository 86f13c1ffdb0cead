package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/quantity"
)

const fastestFloor = "fastest floor"

// what is the operation, and of a query what is asked for.
func what(c result.Conditions) string {
	if c.Keys != "" {
		return c.Operation + " (" + c.Keys + ")"
	}
	return c.Operation
}

func block(bits int) string { return fmt.Sprintf("%d bits", bits) }

// size is what a column of times stands for: the size of the table, or a number of masks.
func size(c result.Conditions) string {
	if c.Masks > 0 {
		return quantity.Of(c.Masks, "mask")
	}
	return quantity.Bytes(c.Bytes)
}

// times writes a factor.
func times(factor float64) string { return quantity.Digits(factor) + "x" }

// beside returns the groups that have peers, or that have none; of those with hashes for keys, and
// bytesBeside of those with keys of bytes.
func beside(groups []result.Group, against string) []result.Group {
	return where(groups,
		func(g result.Group) bool { return g.Against == against && g.KeyBytes == "" })
}

func bytesBeside(groups []result.Group, against string) []result.Group {
	return where(groups,
		func(g result.Group) bool { return g.Against == against && g.KeyBytes != "" })
}

// operationTables have the times of batches by the size of the table: for each width and kind of
// pages a line for each operation and implementation.
func operationTables(groups []result.Group) tables {
	var all tables
	for _, g := range beside(groups, "") {
		if g.Form == result.FormBatch && g.Masks == 0 {
			title := fmt.Sprintf("blocks of %d bits, %s", g.BlockBits, pagesName(g.Pages))
			detail := g.Pages != bestPages(groups)
			if g.Keys != "" && !slices.Contains(pictured, what(g.Conditions)) {
				title, detail = title+", other queries", true
			}
			t := all.titled(title, detail,
				"ns per key, or of merges and copies per block, and in brackets as a multiple of "+
					"the floor", "", "")
			addTimes(t, size(g.Conditions), g, what(g.Conditions))
		}
	}
	return all
}

// addTimes adds the subjects of a group to a table that has lines by the given labels and the
// subject.
func addTimes(t *table, column string, g result.Group, labels ...string) {
	if floor, ok := g.Fastest(result.Floor); ok {
		t.set(column, quantity.Digits(floor.Least), append(slices.Clone(labels), fastestFloor)...)
	}
	for _, s := range g.Of(result.Implementation) {
		text := quantity.Digits(s.Least)
		if ratio := g.ToFloor(s); ratio > 0 {
			text += " (" + times(ratio) + ")"
		}
		t.set(column, text, append(slices.Clone(labels), s.Name)...)
	}
}

// callTables have the times of calls of one key by the size of the table, and of batches by the
// keys per call; and of header matches.
func callTables(groups []result.Group) tables {
	var singles tables
	calls := table{title: "batches by the keys per call", about: "ns per key",
		labels: 3, columns: []string{"block", "table", ""}}
	match := table{title: "match of a header against masks", labels: 2,
		columns: []string{"block", ""}, about: "ns per mask, and in brackets as a multiple of a " +
			"loop in Go that reads one byte of each"}
	for _, g := range beside(groups, "") {
		switch {
		case g.Masks > 0:
			addTimes(&match, size(g.Conditions), g, block(g.BlockBits))
		case g.Form == result.FormSingle:
			t := singles.titled("one key per call, "+pagesName(g.Pages),
				g.Pages != bestPages(groups), "ns per key, and in brackets as a multiple of a "+
					"loop in Go that touches one word of the block",
				"block", "", "")
			addTimes(t, size(g.Conditions), g, block(g.BlockBits), what(g.Conditions))
		case g.Form == result.FormCalls:
			for _, s := range g.Of(result.Implementation) {
				column := quantity.Count(s.Batch)
				if s.Name == result.Methods {
					column = "one by one"
				}
				calls.set(column, quantity.Digits(s.Least), block(g.BlockBits), size(g.Conditions),
					what(g.Conditions))
			}
		}
	}
	return append(singles, calls, match)
}

// selectionTable has the times of selections, by the share of the keys that are present.
func selectionTable(groups []result.Group) table {
	t := table{title: "selections", labels: 3, columns: []string{"block", "", ""},
		about: "ns per key"}
	for _, g := range groups {
		if g.Form == result.FormSelection {
			addTimes(&t, size(g.Conditions), g, block(g.BlockBits), what(g.Conditions))
		}
	}
	return t
}

// coreTable has the throughput of one core and of all of them.
func coreTable(groups []result.Group) table {
	t := table{title: "throughput", labels: 4, columns: []string{"block", "table", "", ""},
		about: "millions of keys per second of all cores together, in brackets times one core"}
	one := map[string]float64{}
	for _, g := range groups {
		if g.Form != result.FormCores {
			continue
		}
		floor, _ := g.Fastest(result.Floor)
		for _, s := range append(g.Of(result.Implementation), floor) {
			median := result.Median(s.Samples)
			if median <= 0 {
				continue
			}
			// Medians, not leasts: the cores' least times need not be of the same moment.
			rate, name := 1e3*float64(max(g.Cores, 1))/median, s.Name
			if s.Kind == result.Floor {
				name = fastestFloor
			}
			labels := []string{block(g.BlockBits), size(g.Conditions), what(g.Conditions), name}
			text, key := quantity.Digits(rate), strings.Join(labels, "|")
			if g.Cores <= 1 {
				one[key] = rate
			} else if one[key] > 0 {
				text += " (" + times(rate/one[key]) + ")"
			}
			t.set(quantity.Of(max(g.Cores, 1), "core"), text, labels...)
		}
	}
	return t
}

// peerTables have a line for each filter, a table for each size. The factors are those of the first
// of ours.
func peerTables(groups []result.Group) (all []table) {
	var sizes []int64
	for _, g := range groups {
		if !slices.Contains(sizes, g.Bytes) {
			sizes = append(sizes, g.Bytes)
		}
	}
	for n, bytes := range sizes {
		t := table{labels: 3, columns: []string{"filter", "bits per key", "false positives"}}
		t.detail = n < len(sizes)-1 && (n > 0 || groups[0].Against == result.AtEqualRate)
		for _, g := range groups {
			ours := g.Of(result.Implementation)
			if g.Bytes != bytes || len(ours) == 0 {
				continue
			}
			t.title = fmt.Sprintf("%s members, %s of ours at 16 bits per key",
				quantity.Count(g.Members), quantity.Bytes(bytes))
			t.about = "ns per key; in brackets times " + ours[0].Name
			if floor, ok := g.Fastest(result.Floor); ok {
				t.set(what(g.Conditions), quantity.Digits(floor.Least), fastestFloor, "", "")
			}
			for _, s := range append(ours, g.Of(result.Peer)...) {
				text := quantity.Digits(s.Least)
				if s.Kind == result.Peer {
					text += duel{g.Conditions, ours[0], s}.String()
				}
				t.set(what(g.Conditions), text, s.Name, bits(8*s.BytesPerKey), percent(s.Rate))
			}
		}
		if t.title != "" {
			all = append(all, t)
		}
	}
	return all
}

// duel is one filter of ours beside one peer in a group.
type duel struct {
	result.Conditions
	ours, peer result.Subject
}

// duels are those of a run. Building a filter is none: it is timed once where the filter is large,
// and with it the memory that it begins with.
func duels(groups []result.Group) (all []duel) {
	for _, g := range groups {
		for _, ours := range g.Of(result.Implementation) {
			for _, peer := range g.Of(result.Peer) {
				if g.Operation != "build" {
					all = append(all, duel{g.Conditions, ours, peer})
				}
			}
		}
	}
	return all
}

// outcome is by the samples, and nothing is decided where the least times, which stand in the
// tables, say the contrary, as they may where the noise is large.
func (d duel) outcome() result.Outcome {
	switch outcome := result.Paired(d.ours.Samples, d.peer.Samples).Outcome; {
	case outcome == result.Faster && d.factor() > 1, outcome == result.Slower && d.factor() < 1:
		return outcome
	}
	return result.Undecided
}

// factor is how many times as long the peer took, by the least times.
func (d duel) factor() float64 {
	if d.ours.Least <= 0 {
		return 0
	}
	return d.peer.Least / d.ours.Least
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
	from := table{title: "the peers", about: "* hashes keys itself, which is in its times",
		labels: 2, columns: []string{"filter or hash", "module"}}
	use := table{title: "how the peers are used", labels: 2,
		columns: []string{"filter", ""}, detail: true}
	for _, l := range run.Libraries {
		name := l.Name
		if l.Hashes {
			name += "*"
		}
		module := strings.TrimSpace(strings.TrimPrefix(l.Module, "github.com/") + " " + l.Version)
		from.rows = append(from.rows, []string{name, module})
		if l.Hash != "" {
			from.set("keys of bytes are hashed by", secretOf(l.Hash, l.Keyed), name, module)
		}
		use.rows = append(use.rows, []string{l.Name, l.Use})
	}
	return tables{from, use}
}

// secretOf is a hash, and whether it is under a secret.
func secretOf(hash string, keyed bool) string {
	if keyed {
		return hash + ", under a secret"
	}
	return hash
}

// hashTable has the times of hashes alone, ours by implementation. The factors are those of the
// first of ours.
func hashTable(run *result.Run) table {
	t := table{title: "hashes of keys of bytes", labels: 2, columns: []string{"", "under a secret"},
		about: `ns per key by its bytes; in brackets times ` + ourBatches +
			`. "Methods" is our form for one key`}
	for _, g := range run.Groups {
		ours, ok := g.Fastest(result.Implementation)
		if g.Operation != hashing || !ok {
			continue
		}
		for _, s := range g.Subjects {
			text, keyed := quantity.Digits(s.Least), "yes"
			if s.Kind == result.Peer {
				text += duel{g.Conditions, ours, s}.String()
				if !isKeyed(run, s.Name) {
					keyed = "no"
				}
			}
			t.set(g.KeyBytes, text, s.Name, keyed)
		}
	}
	return t
}

// summarized are the lengths of keys whose hashes a summary has, and the figures of all machines.
var summarized = []string{"8", "16", "40", "8-64"}

// ourHash returns the subjects of a group of hashes that have the hash function of our keys in the
// run: the fastest of batches, and the form for one key.
func ourHash(run *result.Run, g result.Group) (batches, one result.Subject, ok bool) {
	if g.Operation != hashing {
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

const (
	hashing    = "hash"
	ourBatches = "the fastest of our batches"
)

// isKeyed reports whether the hash of a name is under a secret.
func isKeyed(run *result.Run, name string) bool {
	return slices.ContainsFunc(run.Libraries,
		func(l result.Library) bool { return l.Name == name && l.Keyed })
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
		of := map[string]float64{}
		for _, s := range g.Subjects {
			of[s.Name] = s.Least
		}
		hash, index, ready, keys := of[result.StepHash], of[result.StepIndex], of[result.StepReady],
			of[result.StepKeys]
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

func stackTable(groups []result.Group) table {
	t := table{title: "what a query of keys is made of", labels: 2,
		columns: []string{"bytes of a key", "table"},
		about: "ns per key, of filter/deletable in batches; in brackets times that of ready " +
			"hashes"}
	for _, c := range stacks(groups) {
		set := func(column, figure string) {
			t.set(column, figure, c.KeyBytes,
				quantity.Bytes(c.Bytes))
		}
		set("hash", quantity.Digits(c.hash))
		set("index", quantity.Digits(c.index))
		set("memory", quantity.Digits(c.memory))
		set("keys", quantity.Digits(c.keys)+" ("+times(c.keys/c.ready)+")")
		set("ready hashes", quantity.Digits(c.ready))
	}
	return t
}

// accuracyTables have what filters answer by the bits per key that were asked for: false positives,
// the share of members that can be deleted, and from these the memory that each rate takes.
func accuracyTables(run *result.Run) []table {
	rates := table{title: "false positives by bits per key", labels: 1, columns: []string{"filter"},
		about: `measured / predicted by the filter's own theory; "at" is what a filter took that was asked for ` +
			"the bits of the column"}
	deletable := table{title: "deletable members by bits per key", labels: 1,
		columns: []string{"filter"}, about: "the share of members that a delete makes invisible " +
			"when each is deleted from the full filter, measured / predicted"}
	points := slices.Clone(run.Accuracy)
	slices.SortStableFunc(points,
		func(a, b result.Accuracy) int { return cmp.Compare(a.Asked, b.Asked) })
	cell := func(a result.Accuracy, measured, predicted *float64) string {
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
	}
	for _, a := range points {
		rates.set(bits(a.Asked), cell(a, &a.Rate, a.Predicted), a.Name)
		deletable.set(bits(a.Asked), cell(a, a.Deletable, a.PredictedDeletable), a.Name)
	}
	memory := table{title: "memory at an equal rate of false positives", labels: 1,
		columns: []string{"filter"}, about: "bits per key, interpolated between the measured " +
			"points on both sides of the rate, and of filters that delete the share of members " +
			"that they can"}
	for _, rate := range equalRates {
		need := result.EqualRate(run.Accuracy, rate)
		for _, a := range points {
			if m, ok := need[a.Name]; ok {
				text := fmt.Sprintf("%.1f", m.Bits)
				if m.Deletable > 0 {
					text += " (" + percent(m.Deletable) + ")"
				}
				memory.set("at "+percent(rate), text, a.Name)
			}
		}
	}
	return []table{rates, deletable, memory}
}

// equalRates are those at which the memory of filters is compared.
var equalRates = []float64{0.01, 0.001}

// latencyTables have the distribution of the time of a call, by the keys of a call.
func latencyTables(run *result.Run) (all tables) {
	for _, l := range run.Latencies {
		call, process := "one key", "quiet"
		if l.Form != result.FormSingle {
			call = "batch of " + quantity.Count(l.Batch)
		}
		if l.Loaded {
			process = "with GC"
		}
		t := all.titled(fmt.Sprintf("blocks of %d bits", l.BlockBits),
			l.BlockBits != run.Latencies[0].BlockBits, "in half of the calls no more / in all "+
				"but one in a hundred / in all but one in a thousand / the longest",
			"table", "process", "")
		t.set(call,
			strings.Join([]string{seconds(l.P50), seconds(l.P99), seconds(l.P999), seconds(l.Max)},
				" / "), quantity.Bytes(l.Bytes), process, l.Operation)
	}
	return all
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
