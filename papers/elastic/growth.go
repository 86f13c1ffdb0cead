package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// peaks are the relative peak data sizes: members, as a multiple of those to begin with.
var peaks = []float64{1, 2, 4, 8, 16, 32, 64}

// grow inserts members, and returns what a subject has at some numbers of them: its rate, and what
// operations read and write.
func grow(rng *rand.Rand, s subject, deletes bool, places []int) claim.Outcome {
	// the queries at each number of members, and the inserts of which one has queries behind it
	const sampled, churned, mixed = 2000, 200, 16
	o := claim.Outcome{}
	var members []uint64
	member := func() uint64 { return members[rng.IntN(len(members))] }
	add := func(accesses *original.Accesses, f func()) {
		before := s.accesses()
		f()
		after := s.accesses()
		accesses.Fast += after.Fast - before.Fast
		accesses.Slow += after.Slow - before.Slow
		accesses.Moved += after.Moved - before.Moved
	}
	var inserts, others, own original.Accesses // others are queries of non-members
	pairs := 0.0
	for _, n := range places {
		for len(members) < n {
			hash := rng.Uint64()
			add(&inserts, func() { s.insert(hash) })
			if members = append(members, hash); len(members)%mixed == 0 {
				add(&others, func() { s.query(rng.Uint64()) })
				add(&own, func() { s.query(member()) })
				pairs++
			}
		}
		var absent, present, out original.Accesses
		for range sampled {
			add(&absent, func() { s.query(rng.Uint64()) })
			add(&present, func() { s.query(member()) })
		}
		made := 0.0
		for range churned {
			if deletes {
				add(&out, func() {
					if s.churn(member()) {
						made++
					}
				})
			}
		}
		each, parts := float64(n), float64(s.parts())
		reads := float64(absent.Fast) / sampled
		for name, v := range map[string]float64{
			"rate": s.rate(), "rate of a part": s.rate() / (parts - 1), // the last is not full
			"reads": reads, "reads of a part": reads / (parts - 1),
			"own reads": float64(present.Fast) / sampled,
			"buckets":   float64(absent.Slow+present.Slow) / (2 * sampled),
			"insert": float64(inserts.Fast)/each + float64(inserts.Slow)/each +
				float64(inserts.Moved)/each,
			"delete":  float64(out.Fast+out.Slow) / churned,
			"deleted": made / churned,
			"queries": float64(others.Fast)/pairs + float64(own.Fast)/pairs, // two, until now
		} {
			o[name] = append(o[name], v)
		}
	}
	return o
}

// sizes are the growths of Figs. 3, 5 and 6, from a size to 64 times as many members, and of Fig.
// 4, to one number of members from many sizes. The paper's sizes are eight times these, or more.
type sizes struct {
	log     func(at claim.Parameters) int // of the bits to begin with
	members []int
}

func (s study) growth() sizes {
	log := s.number(logBits, 11)
	z := sizes{log: func(claim.Parameters) int { return log }}
	for _, peak := range peaks {
		z.members = append(z.members, int(peak)<<log/16)
	}
	return z
}

func (s study) initial() sizes {
	members := 1 << s.number(18, 14) / 16
	return sizes{members: []int{members}, log: func(at claim.Parameters) int {
		return int(math.Log2(at.Float("m/n") * float64(members)))
	}}
}

// grown returns the growths of a claim's subject.
func (z sizes) grown(seeds string) *claim.Simulation {
	return &claim.Simulation{
		Name: func(at claim.Parameters) string {
			name := at.Word("filter", subjectNames...)
			return fmt.Sprint(seeds, z.log(at), slices.Index(subjectNames, name))
		},
		Times: claim.Times(8, 8), Point: claim.Along("peak", peaks),
		Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
			return grow(rng, z.subject(at), slices.Contains(deleterNames, at.Text("filter")),
				z.members)
		},
	}
}

func (z sizes) subject(at claim.Parameters) subject {
	return newSubject(at.Text("filter"), z.log(at), z.members[len(z.members)-1])
}

// expected returns the rate of a claim's subject at its peak, and the bits that a query of a
// non-member reads.
func (z sizes) expected(point claim.Parameters) (rate, reads float64) {
	n := z.members[0]
	if peak := point.Int("peak"); peak > 0 { // also between those that are simulated
		n *= peak
	}
	return z.subject(point).expected(n)
}

func (z sizes) rate() claim.Formulas {
	return claim.Formulas{meanField: func(at claim.Parameters) float64 {
		rate, _ := z.expected(at)
		return rate
	}}
}

// byBefore is a number as a multiple of that at a part of a claim's members.
func byBefore(part float64, of claim.Trials) claim.Quantity {
	return claim.Quantity{Trials: func(run *trials.Run, point claim.Parameters) claim.Sample {
		return of.By(func(run *trials.Run, at claim.Parameters) claim.Sample {
			return of(run, claim.Parameters{"filter": at.Value("filter"),
				"peak": max(1, int(part*at.Float("peak")))})
		})(run, point)
	}}
}

// The names of quantities that figures show too.
const (
	rateOfPositives = "rate of false positives"
	readsOfOthers   = "bits that a query of a non-member reads"
	accessesPerOne  = "bits and buckets per insert"
	accessesOfOut   = "bits and buckets per delete"
	rateAtLast      = "rate of false positives at last"

	toMillionth = "mean field, to a millionth" // for what is equal but for its rounding
)

// growths is Figs. 3 to 6.
func (s study) growths() claim.Quantities {
	growth, initial := s.growth(), s.initial()
	grown, atLast := growth.grown("growth "), initial.grown("initial ")
	rate, reads, insert := grown.Mean("rate"), grown.Mean("reads"), grown.Mean("insert")
	queries := grown.Mean("queries")
	mixed := func(run *trials.Run, point claim.Parameters) claim.Sample {
		read := queries(run, point).Values
		each, trial := point.Float("queries"), -1 // of each kind, per insert
		return insert.To(func(v float64, _ claim.Parameters) float64 {
			trial++
			return (v + each*read[trial]) / (1 + 2*each)
		})(run, point)
	}
	return claim.Quantities{
		rateOfPositives:   {Unit: claim.Share, Trials: rate, Formulas: growth.rate()},
		"log of the rate": {Trials: rate.Log()},
		"rate per filter, as a multiple of that at a quarter of the members": byBefore(0.25,
			grown.Mean("rate of a part")),
		"bits per query and filter, as a multiple of that at a quarter of the members": byBefore(
			0.25, grown.Mean("reads of a part")),
		readsOfOthers + ", as a multiple of those before any growth": byBefore(0, reads),
		readsOfOthers: {Trials: reads, Formulas: claim.Formulas{
			meanField: func(at claim.Parameters) float64 {
				_, reads := growth.expected(at)
				return reads
			}}},
		"log of the " + readsOfOthers:                    {Trials: reads.Log()},
		"log of the bits that a query of a member reads": {Trials: grown.Mean("own reads").Log()},
		accessesPerOne:                           {Trials: insert},
		"log of the bits and buckets per insert": {Trials: insert.Log()},
		accessesOfOut: {Trials: grown.Mean("delete").To(
			func(v float64, at claim.Parameters) float64 {
				// Package original looks for all fingerprints first: k bits and k buckets.
				if at.Text("looks") == "no" && at.Text("filter") == subjectNames[0] {
					return v - 2*hashes
				}
				return v
			})},
		"buckets that a query reads": {Trials: grown.Mean("buckets")},
		"deletes of members that are made": {Unit: claim.Share,
			Trials: grown.Mean("deleted")},
		"log of the bits and buckets per operation": {Trials: claim.Trials(mixed).Log()},
		"bits that a query reads, until then": {Trials: queries.To(
			func(v float64, _ claim.Parameters) float64 { return v / 2 })},
		rateAtLast: {Unit: claim.Share, Trials: atLast.Mean("rate"),
			Formulas: initial.rate()},
		"log of the rate at last": {Trials: atLast.Mean("rate").Log(), Formulas: claim.Formulas{
			toMillionth: func(at claim.Parameters) float64 {
				rate, _ := initial.expected(at)
				return math.Round(1e6*math.Log(rate)) / 1e6
			}}},
	}
}
