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

// operationTables have the times of batches by the size of the table: for each width and kind of
// pages a line for each operation and implementation.
func operationTables(all []cell) pivot.Tables {
	other := func(c cell) bool { return c.Keys != "" && !c.isPictured() }
	t := table{
		Titles: func(c cell) string {
			title := fmt.Sprintf("blocks of %d bits, %s", c.BlockBits, pagesName(c.Pages))
			if other(c) {
				title += ", other queries"
			}
			return title
		},
		About: "ns per key, or of merges and copies per block, and in brackets as a multiple of " +
			"the floor",
		Labels: []column{ofWhat, ofName}, Column: cell.size, Figure: cell.overFloor,
		Detail: func(c cell) bool { return !c.onBestPages() || other(c) },
	}
	return t.Tables(pivot.Where(in(result.FormBatch, alone(all)),
		func(c cell) bool { return c.Masks == 0 }))
}

// callTables have the times of calls of one key by the size of the table, and of batches by the
// keys per call; and of header matches.
func callTables(all []cell) pivot.Tables {
	all = alone(all)
	singles := table{
		Titles: func(c cell) string { return "one key per call, " + pagesName(c.Pages) },
		About: "ns per key, and in brackets as a multiple of a loop in Go that touches one word " +
			"of the block",
		Labels: []column{ofBlock, ofWhat, ofName}, Column: cell.size, Figure: cell.overFloor,
		Detail: func(c cell) bool { return !c.onBestPages() },
	}
	calls := table{
		Title: "batches by the keys per call", About: "ns per key",
		Labels: []column{ofBlock, ofTable, ofWhat}, Figure: cell.time,
		Column: func(c cell) string {
			if c.Name == result.Methods {
				return "one by one"
			}
			return quantity.Count(c.Batch)
		},
	}
	match := table{
		Title: "match of a header against masks",
		About: "ns per mask, and in brackets as a multiple of a loop in Go that reads one byte " +
			"of each",
		Labels: []column{ofBlock, ofName}, Column: cell.size, Figure: cell.overFloor,
	}
	return slices.Concat(singles.Tables(in(result.FormSingle, all)),
		calls.Tables(pivot.Where(in(result.FormCalls, all),
			func(c cell) bool { return c.Kind == result.Implementation })),
		match.Tables(pivot.Where(all, func(c cell) bool { return c.Masks > 0 })))
}

// selectionTable has the times of selections, by the share of the keys that are present.
func selectionTable(all []cell) pivot.Tables {
	t := table{Title: "selections", About: "ns per key",
		Labels: []column{ofBlock, ofWhat, ofName}, Column: cell.size, Figure: cell.overFloor}
	return t.Tables(in(result.FormSelection, all))
}

// coreTable has the throughput of one core and of all of them.
func coreTable(all []cell) pivot.Tables {
	one := map[string]float64{}
	t := table{
		Title:  "throughput",
		About:  "millions of keys per second of all cores together, in brackets times one core",
		Labels: []column{ofBlock, ofTable, ofWhat, ofName},
		Column: func(c cell) string { return quantity.Of(max(c.Cores, 1), "core") },
		Figure: func(c cell) string {
			// Medians, not leasts: the cores' least times need not be of the same moment.
			median := result.Median(c.Samples)
			if median <= 0 {
				return ""
			}
			rate := 1e3 * float64(max(c.Cores, 1)) / median
			text, at := quantity.Digits(rate), fmt.Sprint(c.block(), c.size(), c.what(), c.Name)
			if c.Cores <= 1 {
				one[at] = rate
			} else if one[at] > 0 {
				text += " (" + times(rate/one[at]) + ")"
			}
			return text
		},
	}
	return t.Tables(in(result.FormCores, all))
}

// peerTables have a line for each filter, a table for each size. The factors are those of the first
// of ours.
func peerTables(all []cell) pivot.Tables {
	all = pivot.Where(all, func(c cell) bool { return len(c.Of(result.Implementation)) > 0 })
	if len(all) == 0 {
		return nil
	}
	filled := func(text func(c cell) string) func(c cell) string { // with members
		return func(c cell) string {
			if c.Kind == result.Floor {
				return ""
			}
			return text(c)
		}
	}
	t := table{
		Titles: func(c cell) string {
			return fmt.Sprintf("%s members, %s of ours at 16 bits per key",
				quantity.Count(c.Members), quantity.Bytes(c.Bytes))
		},
		About: "ns per key; in brackets times " + all[0].Of(result.Implementation)[0].Name,
		Labels: []column{pivot.Named("filter", cell.name),
			pivot.Named("bits per key",
				filled(func(c cell) string { return bits(8 * c.BytesPerKey) })),
			pivot.Named("false positives",
				filled(func(c cell) string { return percent(c.Rate) }))},
		Column: cell.what,
		Figure: func(c cell) string { return c.against(c.Of(result.Implementation)[0]) },
	}
	tables := t.Tables(all)
	for n := range max(0, len(tables)-1) {
		tables[n].Detail = n > 0 || all[0].Against == result.AtEqualRate
	}
	return tables
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

// libraryTables say where the peers are from, and how they were used.
func libraryTables(run *result.Run) pivot.Tables {
	from := &pivot.Table{Title: "the peers", About: "* hashes keys itself, which is in its times",
		Labels: 2, Columns: []string{"filter or hash", "module"}, Empty: pivot.Dash}
	use := &pivot.Table{Title: "how the peers are used", Labels: 2, Detail: true,
		Columns: []string{"filter", ""}}
	for _, l := range run.Libraries {
		name, hash := l.Name, l.Hash
		if l.Hashes {
			name += "*"
		}
		if hash != "" && l.Keyed {
			hash += ", under a secret"
		}
		module := strings.TrimSpace(strings.TrimPrefix(l.Module, "github.com/") + " " + l.Version)
		from.Rows = append(from.Rows, []string{name, module})
		from.Set("keys of bytes are hashed by", hash, name, module)
		use.Rows = append(use.Rows, []string{l.Name, l.Use})
	}
	return pivot.Tables{from, use}
}

const (
	hashing    = "hash"
	ourBatches = "the fastest of our batches"
)

// hashTable has the times of hashes alone, ours by implementation. The factors are those of the
// first of ours.
func hashTable(all []cell) pivot.Tables {
	t := table{
		Title: "hashes of keys of bytes",
		About: `ns per key by its bytes; in brackets times ` + ourBatches +
			`. "Methods" is our form for one key`,
		Labels: []column{ofName, pivot.Named("under a secret", func(c cell) string {
			return map[bool]string{true: "yes", false: "no"}[c.isKeyed()]
		})},
		Column: cell.keyBytes,
		Figure: func(c cell) string {
			ours, ok := c.Fastest(result.Implementation)
			if !ok {
				return ""
			}
			return c.against(ours)
		},
	}
	return t.Tables(ofHashing(all))
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

// overReady is the time of keys, and as a multiple of that of ready hashes.
func (c costs) overReady() string {
	return quantity.Digits(c.keys) + " (" + times(c.keys/c.ready) + ")"
}

func stackTable(groups []result.Group) pivot.Tables {
	ns := func(name string, part func(c costs) float64) pivot.Column[costs] {
		return pivot.Named(name, func(c costs) string { return quantity.Digits(part(c)) })
	}
	t := pivot.Rows(stacks(groups),
		pivot.Named("bytes of a key", func(c costs) string { return c.KeyBytes }),
		pivot.Named("table", func(c costs) string { return quantity.Bytes(c.Bytes) }),
		ns("hash", func(c costs) float64 { return c.hash }),
		ns("index", func(c costs) float64 { return c.index }),
		ns("memory", func(c costs) float64 { return c.memory }),
		pivot.Named("keys", costs.overReady),
		ns("ready hashes", func(c costs) float64 { return c.ready }))
	t.Title, t.Labels = "what a query of keys is made of", 2
	t.About = "ns per key, of filter/deletable in batches; in brackets times that of ready hashes"
	return pivot.Tables{t}
}

// accuracyTables have what filters answer by the bits per key that were asked for: false positives,
// the share of members that can be deleted, and from these the memory that each rate takes.
func accuracyTables(run *result.Run) pivot.Tables {
	points := slices.Clone(run.Accuracy)
	slices.SortStableFunc(points,
		func(a, b result.Accuracy) int { return cmp.Compare(a.Asked, b.Asked) })
	name := pivot.Named("filter", func(a result.Accuracy) string { return a.Name })
	tables := func(
		title, about string,
		shares func(a *result.Accuracy) (measured, predicted *float64),
	) pivot.Tables {
		t := pivot.Pivot[result.Accuracy]{Title: title, About: about,
			Labels: []pivot.Column[result.Accuracy]{name},
			Column: func(a result.Accuracy) string { return bits(a.Asked) },
			Figure: func(a result.Accuracy) string {
				measured, predicted := shares(&a)
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
			}}
		return t.Tables(points)
	}
	memory := &pivot.Table{Title: "memory at an equal rate of false positives", Labels: 1,
		Columns: []string{"filter"}, Empty: pivot.Dash, About: "bits per key, interpolated " +
			"between the measured points on both sides of the rate, and of filters that delete " +
			"the share of members that they can"}
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
	return slices.Concat(
		tables("false positives by bits per key", `measured / predicted by the filter's own `+
			`theory; "at" is what a filter took that was asked for the bits of the column`,
			func(a *result.Accuracy) (*float64, *float64) { return &a.Rate, a.Predicted }),
		tables("deletable members by bits per key", "the share of members that a delete makes "+
			"invisible when each is deleted from the full filter, measured / predicted",
			func(a *result.Accuracy) (*float64, *float64) {
				return a.Deletable, a.PredictedDeletable
			}), pivot.Tables{memory})
}

// equalRates are those at which the memory of filters is compared.
var equalRates = []float64{0.01, 0.001}

// latencyTables have the distribution of the time of a call, by the keys of a call.
func latencyTables(run *result.Run) pivot.Tables {
	t := pivot.Pivot[result.Latency]{
		Titles: func(l result.Latency) string {
			return fmt.Sprintf("blocks of %d bits", l.BlockBits)
		},
		About: "in half of the calls no more / in all but one in a hundred / in all but one in " +
			"a thousand / the longest",
		Labels: []pivot.Column[result.Latency]{
			pivot.Named("table", func(l result.Latency) string { return quantity.Bytes(l.Bytes) }),
			pivot.Named("process", func(l result.Latency) string {
				return map[bool]string{true: "with GC", false: "quiet"}[l.Loaded]
			}),
			pivot.Named("", func(l result.Latency) string { return l.Operation })},
		Column: func(l result.Latency) string {
			if l.Form == result.FormSingle {
				return "one key"
			}
			return "batch of " + quantity.Count(l.Batch)
		},
		Figure: func(l result.Latency) string {
			return strings.Join([]string{seconds(l.P50), seconds(l.P99), seconds(l.P999),
				seconds(l.Max)}, " / ")
		},
		Detail: func(l result.Latency) bool { return l.BlockBits != run.Latencies[0].BlockBits },
	}
	return t.Tables(run.Latencies)
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
