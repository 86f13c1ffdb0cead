package challenge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/packets/sets"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// set is a set of the hashes of sources.
type set interface {
	InsertHash(hash uint64) (present bool, err error)
	QueryHash(hash uint64) bool
	DeleteHash(hash uint64) filter.Status
}

// variant is a filter that deletes, of n sources in a number of bits each.
type variant struct {
	name string
	make func(n int, each float64) set
}

// Those that the document names, and that claims are about; of the others see [variants].
const (
	flags = iota
	counters
	second
)

var (
	memory = 2 * perElement(standard) // of a bit and its flag, per source
	secret = keytest.Key(1)           // engines have a key of each set
)

// flagged is a collision array: each bit has a flag that says that it was set when it was one.
func flagged(n int, each float64) set {
	cells := int(each * float64(n) / 2)
	return must(dlbf.New(dlbf.Config{Members: n, BitsPerKey: 2 * float64(cells) / float64(n),
		Regions: cells, Hashes: hashesFor(each / 2), Key: secret}))
}

func counted(n int, each float64) set {
	return must(counting.New(counting.Config{Members: n, BitsPerKey: each,
		Hashes: hashesFor(each / 4), Key: secret}))
}

var variants = []variant{
	flags:    {"a collision flag per bit", flagged},
	counters: {"4-bit counters", counted},
	second: {"a second filter of the deleted", func(n int, each float64) set {
		c := plain.Config{Members: n, BitsPerKey: each / 2, Key: secret}
		return &two{must(plain.New(c)), must(plain.New(c))}
	}},
	{"regions as in the letter", func(n int, each float64) set {
		return must(dlbf.New(dlbf.Config{Members: n, BitsPerKey: each, Key: secret}))
	}},
	{"filter/deletable", func(n int, each float64) set { return blocks(n, each) }},
	{"filter/deletable with a refresh", func(n int, each float64) set {
		f, s := blocks(n, each), &owned{}
		s.Renewed = sets.Renewed{Filter: f, Live: s.all.Interval,
			Steps: must(deletable.NewRefresher(f, 1, 0))}
		return s
	}},
	{"filter/family/spectral", func(n int, each float64) set {
		c := spectral.Config{Members: n, BitsPerKey: each, Key: secret}
		return must(spectral.NewSelection(c))
	}},
	{"filter/elastic, in more memory", func(n int, each float64) set {
		return must(elastic.New(elastic.Config{Members: n, BitsPerKey: each, Key: secret}))
	}},
	{"filter/cuckoo", func(n int, each float64) set {
		return must(cuckoo.New(cuckoo.Config{Members: n, BitsPerKey: each, Key: secret}))
	}},
}

// two is the document's filter with a second one, of the deleted elements, which has priority.
type two struct{ inserted, deleted *plain.Filter }

func (f *two) InsertHash(hash uint64) (bool, error) { return f.inserted.InsertHash(hash) }
func (f *two) QueryHash(hash uint64) bool {
	return f.inserted.QueryHash(hash) && !f.deleted.QueryHash(hash)
}

func (f *two) DeleteHash(hash uint64) filter.Status {
	must(f.deleted.InsertHash(hash))
	return filter.Deleted
}

// blocks returns our filter of whole blocks, and no more bits than others take.
func blocks(n int, each float64) *deletable.Filter {
	const blockBits = 8 * float64(deletable.BlockBytes)
	whole := math.Floor(each*float64(n)/blockBits) * blockBits
	return must(deletable.New(deletable.Config{Members: n, BitsPerKey: whole / float64(n),
		Key: secret}))
}

// owned asks for its members: they are those of the exact table that a firewall has anyhow.
type owned struct {
	sets.Renewed
	all sets.Exact
}

func (s *owned) InsertHash(hash uint64) (bool, error) {
	present, err := s.Renewed.InsertHash(hash)
	_, _ = s.all.InsertHash(hash) // it never fails
	return present, err
}

func (s *owned) DeleteHash(hash uint64) filter.Status {
	s.all.DeleteHash(hash)
	return s.Renewed.DeleteHash(hash)
}

// recorder is an exact set that keeps what was done: inserts, and deletes.
type recorder struct {
	sets.Exact
	steps []step
}

type step struct {
	hash    uint64
	deletes bool
}

func (r *recorder) InsertHash(hash uint64) (bool, error) {
	r.steps = append(r.steps, step{hash, false})
	return r.Exact.InsertHash(hash)
}

func (r *recorder) DeleteHash(hash uint64) filter.Status {
	r.steps = append(r.steps, step{hash, true})
	return r.Exact.DeleteHash(hash)
}

// answer is what a filter says in the end: how many of some non-members it finds, and the part of
// the members that it hides.
type answer struct{ found, hidden float64 }

// answers are those of all variants, where sources leave when they are blocked, and where those
// leave too that were not seen for longest, beyond a tenth of all.
type answers [2][]answer

const replayed = "the engine's inserts and deletes of the synthetic trace, in equal memory"

var leaving = []string{"sources leave when they are blocked", "sources come and go"}

func asked(run *trials.Run) []answers {
	n := run.Times(10_000, 5_000)
	return trials.Recall(run, "question", run.Times(16, 6), func(rng *rand.Rand) (o answers) {
		t := synthetic(rng, n)
		for i, limit := range []int{n, n / turnovers} {
			exact, good := guard.NewExactSets(), &recorder{}
			exact.Good = guard.Set{Deleter: good, Key: keyOf(rng)}
			t.run(exact, limit)
			for _, v := range variants {
				f := v.make(limit, memory)
				o[i] = append(o[i], good.replay(rng, f))
			}
		}
		return o
	})
}

const queries = 50_000 // of non-members

// replay does to a filter what was done.
func (r *recorder) replay(rng *rand.Rand, f set) (o answer) {
	for _, s := range r.steps {
		if s.deletes {
			f.DeleteHash(s.hash)
		} else {
			must(f.InsertHash(s.hash))
		}
	}
	for hash := range r.All() {
		if !f.QueryHash(hash) {
			o.hidden += 1 / float64(r.Len())
		}
	}
	for range queries {
		if f.QueryHash(rng.Uint64()) {
			o.found++
		}
	}
	return o
}

// of is a number of a variant's answers.
func of(all []answers, leave, v int, number func(*answer) float64) []float64 {
	return trials.Column(all, func(o *answers) float64 { return number(&o[leave][v]) })
}

// finds is the part of the non-members that a variant finds.
func finds(all []answers, leave, v int) claim.Interval {
	return claim.Among(
		of(all, leave, v, func(o *answer) float64 { return o.found }),
		of(all, leave, v, func(*answer) float64 { return queries }))
}

func question(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Which filter that deletes? Non-members that the good set finds",
		Where: "line 76: which deletable filter should the firewall use?",
		Trial: replayed,
		Why: "the verdicts need none, as a blocked source stays blocked: the bad set is asked " +
			"first, and nothing is deleted from it. For the good sources take a cuckoo filter, " +
			"or filter/deletable with a refresh where queries must be fast. While sources leave " +
			"only when they are blocked, the collision array is good enough, and counters find " +
			"more (line 82); where they come and go, flags and stale bits add up with each " +
			"turnover, and counters find far fewer. A second filter finds more while few are " +
			"deleted (line 84), and then fewer: it hides for good what is deleted. Each has " +
			quantity.Digits(memory) + " bits per source. After ten turnovers it finds, with 95 % " +
			"certainty at most:"}
	all := asked(run)
	for i, variant := range variants {
		for leave, column := range leaving {
			v.Cells = append(v.Cells, claim.Cell{Row: variant.name, Column: column,
				Interval: finds(all, leave, i)})
		}
		last := v.Cells[len(v.Cells)-1]
		v.Why += fmt.Sprintf(" %s %s (%s);", last.Row, quantity.Percent(*last.Measured),
			quantity.Percent(*last.High))
	}
	v.Why = strings.TrimSuffix(v.Why, ";")
	return v
}

func collisionArray(run *trials.Run) claim.Value {
	return claim.Value{Name: "Non-members that the collision array finds", Rule: claim.Below,
		Where: `line 80: "we accomplished this in our own solution with a collision array"`,
		Trial: replayed,
		Cells: []claim.Cell{{Row: leaving[0], Published: "implied 0.1 %",
			Interval: finds(asked(run), 0, flags)}}}
}

func secondHides(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Members that a second filter of the deleted hides", Trial: replayed,
		Where: `line 84: it "introduces a greater possibility of false negatives" than a ` +
			`collision array, which hides none`,
		Readings: true, Why: "it hides who comes back, and hardly a member while few are deleted"}
	for leave, row := range leaving {
		v.Cells = append(v.Cells, claim.Cell{Row: row, Published: string(claim.Higher),
			Interval: claim.MeanShare(of(asked(run), leave, second,
				func(o *answer) float64 { return o.hidden }))})
	}
	return v
}

func doubleSize(*trials.Run) claim.Value {
	const n = 1_000_000
	each := perElement(standard)
	letter := must((&dlbf.Config{Members: n, Rate: standard}).Shape())
	fingerprints := must((&cuckoo.Config{Members: n, Rate: standard}).Shape())
	v := claim.Value{Name: "Bits of a filter that deletes, by those of one that does not",
		Where: `line 90: "or the size of the structure will increase by at least roughly double"`,
		Unit:  claim.Number, Rule: claim.Above, Formula: "for a million sources, P = 0.001"}
	for _, c := range []struct {
		name string
		bits float64
	}{
		{variants[flags].name, memory}, {variants[counters].name, 4 * each},
		{"regions as in the letter", float64(letter.Bits) / n},
		{"filter/cuckoo", 8 * float64(fingerprints.Bytes()) / n},
	} {
		v.Cells = append(v.Cells, claim.Cell{Row: c.name, Published: "implied 1.8",
			Formula: new(c.bits / each)})
		v.Why = "a cuckoo filter has " + quantity.Digits(c.bits) + " bits per source, and a " +
			"filter without deletes " + quantity.Digits(each)
	}
	return v
}

func eightVariations(*trials.Run) claim.Value {
	return claim.Value{Name: "Variations that allow for deletion",
		Where: `line 76: "at least eight existing Bloom Filter variations that allow for deletion"`,
		Why: "the survey that counts them is not at hand, and nor are the large test cases that " +
			"\"would run out of memory in more traditional set data structures\" (line 80)"}
}
