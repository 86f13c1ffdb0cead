package challenge

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// keyOf is a key of random numbers.
func keyOf(rng *rand.Rand) key.Key {
	var bytes []byte
	for range 4 {
		bytes = binary.LittleEndian.AppendUint64(bytes, rng.Uint64())
	}
	return keytest.Key(bytes...)
}

// growing is a set that nothing is deleted from.
type growing struct{ *plain.Filter }

// DeleteHash panics: engines delete good sources only.
func (growing) DeleteHash(uint64) filter.Status { panic("challenge: a delete from a bad set") }

// grown is the document's filter that does not delete, for n elements.
func grown(rng *rand.Rand, n int, p float64) guard.Set {
	f := must(plain.New(plain.Config{Members: n, BitsPerKey: perElement(p),
		Hashes: hashesFor(perElement(p)), Key: keyOf(rng)}))
	return guard.Set{Deleter: growing{f}, Key: f.Key()}
}

// listed is an engine's exact good set with the document's filters of the bad sources, as many as
// there are in the end without errors, and of the sequences.
func (t *trace) listed(rng *rand.Rand, p float64, bad int) guard.Sets {
	sets := guard.NewExactSets()
	sets.Bad, sets.Sequences = grown(rng, max(1, bad), p), grown(rng, len(t.sequences), p)
	return sets
}

func strikes(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Sources that are blocked for strikes", Unit: claim.Number,
		Where: `line 72: "sends three such sequences"; line 80: "3+ bad packets"`,
		Trial: "the synthetic trace of 1,000 sources, with exact sets",
		Why:   "each word of a sequence is in more packets than the sequence is, and blocks more"}
	words := trials.Recall(run, "strikes", run.Times(40, 10), func(rng *rand.Rand) [2]float64 {
		t := synthetic(rng, 1000)
		bare := *t
		bare.sequences = slices.Collect(slices.Chunk(slices.Concat(t.sequences...), wordBytes))
		return [2]float64{float64(t.exactly().Counts().ThirdStrike),
			float64(bare.exactly().Counts().ThirdStrike)}
	})
	for i, row := range []string{"three sequences", "three words of sequences"} {
		v.Cells = append(v.Cells, claim.Cell{Row: row, Interval: claim.Mean(
			trials.Column(words, func(o *[2]float64) float64 { return o[i] }))})
	}
	return v
}

// mistakes are what filters of lists do to a trace: the sources that exact sets do not block, those
// of them that are blocked, the same of those that send no sequence, and of packets.
type mistakes struct{ innocents, blocked, clean, blockedClean, packets, rejected float64 }

func (t *trace) mistaken(rng *rand.Rand, exact outcome, p float64) (o mistakes) {
	found := t.run(t.listed(rng, p, len(exact.bad)), len(t.sources))
	struck := map[netip.Addr]bool{}
	for i, is := range exact.verdicts {
		if is != guard.Rejected {
			o.packets++
			if found.verdicts[i] == guard.Rejected {
				o.rejected++
			}
		}
		struck[t.packets[i].Source] = struck[t.packets[i].Source] || is == guard.Strike
	}
	for _, source := range t.sources {
		if exact.bad[source] {
			continue
		}
		bad := 0.0
		if found.bad[source] {
			bad = 1
		}
		o.innocents, o.blocked = o.innocents+1, o.blocked+bad
		if !struck[source] {
			o.clean, o.blockedClean = o.clean+1, o.blockedClean+bad
		}
	}
	return o
}

// wrongly are the mistakes with a P, in the synthetic trace and in the capture.
func wrongly(run *trials.Run, p float64) (synthesized, real []mistakes) {
	synthesized = trials.Recall(run, fmt.Sprint("synthetic ", p), run.Times(60, 20),
		func(rng *rand.Rand) mistakes {
			t := synthetic(rng, 1000)
			return t.mistaken(rng, t.exactly(), p)
		})
	t := trials.Recall(run, "capture", 1, captured)[0]
	exact := trials.Recall(run, "capture, exactly", 1,
		func(*rand.Rand) outcome { return t.exactly() })[0]
	real = trials.Recall(run, fmt.Sprint("captured ", p), run.Times(60, 8),
		func(rng *rand.Rand) mistakes { return t.mistaken(rng, exact, p) })
	return synthesized, real
}

func innocentsBlocked(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Innocent sources that are blocked",
		Where: "line 72, with the document's filters of lists",
		Trial: "engines with these filters, beside exact sets",
		Why: "the filter of the sequences is asked with each word, and three mistakes block a " +
			"clean source, or fewer one that has sent a bad sequence; the bad set alone blocks P " +
			"of them. A program that counts strikes has an exact table of the sources anyway, " +
			"where an address takes 32 / 0.9 bits. With P = 0.001 these are blocked or rejected:"}
	for _, p := range []float64{1e-2, standard, 1e-4} {
		synthesized, real := wrongly(run, p)
		add := func(row string, all []mistakes, hits, cases func(o *mistakes) float64) {
			part := claim.Among(trials.Column(all, hits), trials.Column(all, cases))
			v.Cells = append(v.Cells, claim.Cell{Row: row, Column: fmt.Sprint("P = ", p),
				Interval: part})
			if p == standard {
				v.Why += fmt.Sprintf(" %s %s;", row, quantity.Percent(*part.Measured))
			}
		}
		blocked := func(o *mistakes) float64 { return o.blocked }
		innocents := func(o *mistakes) float64 { return o.innocents }
		add("of the innocent sources of the synthetic trace", synthesized, blocked, innocents)
		add("of those that send no bad sequence", synthesized,
			func(o *mistakes) float64 { return o.blockedClean },
			func(o *mistakes) float64 { return o.clean })
		add("of the innocent sources of the capture", real, blocked, innocents)
		add("of the packets of these", real,
			func(o *mistakes) float64 { return o.rejected },
			func(o *mistakes) float64 { return o.packets })
	}
	v.Why = strings.TrimSuffix(v.Why, ";")
	return v
}

// readings are of which packets insert their source into the good set, by those that do not.
var readings = []struct {
	name  string
	skips func(f set, packet int, source uint64) bool
}{
	{"once per source", func(_ set, packet int, _ uint64) bool { return packet > 0 }},
	{"with each packet", func(set, int, uint64) bool { return false }},
	{"where the filter does not show it",
		func(f set, _ int, source uint64) bool { return f.QueryHash(source) }},
}

// inserted is a filter of 1,000 sources of 40 packets, of which half are deleted, by a reading: the
// deletes that leave their source visible, and the sources that are lost.
type inserted struct{ visible, lost float64 }

const (
	half  = 500
	loose = 1e-2 // a P so high that mistakes of the good set show
	halve = "1,000 sources of 40 packets, of which half are deleted, P = 0.01"
)

// inserting is a part of the sources by a reading, in counters, or in a collision array.
func inserting(run *trials.Run, v, reading int, of func(*inserted) float64) claim.Interval {
	all := trials.Recall(run, fmt.Sprint("inserts ", v, reading), run.Times(200, 40),
		func(rng *rand.Rand) (o inserted) {
			f, sources := variants[v].make(2*half, float64(2+2*v)*perElement(loose)),
				make([]uint64, 2*half)
			workload.Fill(rng, sources)
			for packet := range perSource {
				for _, source := range sources {
					if !readings[reading].skips(f, packet, source) {
						must(f.InsertHash(source))
					}
				}
			}
			for i, source := range sources {
				if i < half {
					f.DeleteHash(source)
				}
				switch shown := f.QueryHash(source); {
				case i < half && shown:
					o.visible++
				case i >= half && !shown:
					o.lost++
				}
			}
			return o
		})
	return claim.Among(trials.Column(all, of),
		trials.Column(all, func(*inserted) float64 { return half }))
}

func visible(o *inserted) float64 { return o.visible }

func countersClear(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Deletes from counters that leave their source visible",
		Where: `line 82: counters are "100% accurate in deleting members"; line 74: "add good ` +
			`actors to a good actors bloom filter"`, Rule: claim.Never, Readings: true,
		Trial: halve,
		Why: "others hold the counters of a source that was inserted once; of one that was " +
			"inserted 15 times they have stopped, and stay. In a collision array no delete " +
			"clears anything if each packet inserts its source: " +
			quantity.Percent(*inserting(run, flags, 1, visible).Measured) + " stay visible"}
	for i, r := range readings {
		v.Cells = append(v.Cells, claim.Cell{Row: r.name, Published: none,
			Interval: inserting(run, counters, i, visible)})
	}
	return v
}

func membersLost(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Members that are lost to deletes",
		Where: `line 64: "preventing false negatives"; line 68: "without accidentally affecting ` +
			`bits that other elements have contributed to"`, Rule: claim.Never, Readings: true,
		Trial: halve,
		Why: "a source that was left out, as the filter showed it by mistake, is deleted, and " +
			"takes bits of others"}
	for i, r := range readings {
		for _, way := range []int{flags, counters} {
			v.Cells = append(v.Cells, claim.Cell{Row: r.name, Column: variants[way].name,
				Published: none, Interval: inserting(run, way, i,
					func(o *inserted) float64 { return o.lost })})
		}
	}
	return v
}
