package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

const basicFilters = "basic filters of random keys"

// visit is what a browser does that asks a filter first, and the server that has the list of what
// the filter shows.
type visit struct{ trips, needless float64 }

func blocklist(run *trials.Run) claim.Value {
	const n, rate, visits = 1000, 0.01, 20_000
	v := claim.Value{Name: "Round trips for URLs that are not listed", Rule: claim.Never,
		Where: `Introduction: "all checks are performed locally, but when the user surfs to a ` +
			`malicious URL, an extra round trip"`,
		Formula: meanField, Trial: "visits, with a filter of 1,000 URLs and a rate of 1 %",
		Why: "the browser asks the server about false positives too: if few visits are to " +
			"listed URLs, it asks mostly about these"}
	for _, listed := range []float64{0.01, 0.001, 0.0001} {
		all := trials.Recall(run, fmt.Sprint("blocklist ", listed), run.Times(200, 6),
			func(rng *rand.Rand) (o visit) {
				f := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret}))
				fill(rng, f, n)
				for range visits {
					switch bad := rng.Float64() < listed; {
					case bad:
						o.trips++
					case f.QueryHash(rng.Uint64()):
						o.trips++
						o.needless++
					}
				}
				return o
			})
		v.Cells = append(v.Cells, claim.Cell{Published: none,
			Row:     quantity.Percent(listed) + " of the visits are to listed URLs",
			Formula: new((1 - listed) * rate / (listed + float64((1-listed)*rate))),
			Interval: claim.Among(
				trials.Column(all, func(o *visit) float64 { return o.needless }),
				trials.Column(all, func(o *visit) float64 { return o.trips }))})
	}
	return v
}

// filled is the part of the bits that are set of a filter with n members, and the rate of these.
type filled struct{ part, rate float64 }

func fillings(run *trials.Run, s size) []filled {
	work := s.m + 10*s.k*s.n
	return trials.Recall(run, fmt.Sprint("fill ", s), run.Times(30_000_000/work, 3_000_000/work),
		func(rng *rand.Rand) filled {
			f := must(plain.New(plain.Config{Members: s.n, Hashes: s.k, Key: secret,
				BitsPerKey: float64(s.m) / float64(s.n)}))
			if f.Shape().Bits != s.m {
				panic(fmt.Sprintf("garden: a filter of %d bits, want %d", f.Shape().Bits, s.m))
			}
			fill(rng, f, s.n)
			part := float64(f.Stats().Ones) / float64(s.m)
			return filled{part, math.Pow(part, float64(s.k))}
		})
}

func partOf(o *filled) float64 { return o.part }

// by is the mean of a number of filters as a multiple of a formula.
func by(run *trials.Run, s size, of func(o *filled) float64, formula float64) claim.Interval {
	return claim.Mean(trials.Column(fillings(run, s), of)).
		Map(func(v float64) float64 { return v / formula })
}

// sizes are filters of the letter's size, and of a smaller and a larger one.
var sizes = []size{{32, 5, 4}, {240, 5, 22}, {10_000, 7, 1000}}

func stillZero(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Bits that are 0 after an insert, by (1 - 1/m)^k", Unit: claim.Number,
		Where: `section Basic: "the probability that a certain bit in" the vector "is still 0 is"`,
		Trial: basicFilters}
	for _, s := range sizes {
		s.n = 1
		v.Cells = append(v.Cells, claim.Cell{Row: s.String(), Published: "implied 1 ± 0.001",
			Interval: by(run, s, func(o *filled) float64 { return 1 - o.part }, s.zeros())})
	}
	return v
}

func setBits(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Bits that are 1 after all inserts, by 1 - (1 - 1/m)^(kn)",
		Unit: claim.Number, Where: `section Basic: "the probability that a certain bit is 1 is"`,
		Trial: basicFilters}
	for _, s := range sizes {
		v.Cells = append(v.Cells, claim.Cell{Row: s.String(), Published: "implied 1 ± 0.005",
			Interval: by(run, s, partOf, 1-s.zeros())})
	}
	return v
}

func bloomError(run *trials.Run) claim.Value {
	v := claim.Value{Name: "The rate, by (1 - e^(-kn/m))^k", Unit: claim.Number,
		Where:   `section Basic: "the probability of a Bloom error is"`,
		Formula: "Bose et al.", Trial: basicFilters}
	for _, s := range sizes {
		v.Cells = append(v.Cells, claim.Cell{Row: s.String(), Published: "implied 1 ± 0.01",
			Formula:  new(s.rate() / s.classical()),
			Interval: by(run, s, func(o *filled) float64 { return o.rate }, s.classical())})
	}
	v.Why = fmt.Sprintf("the formula takes the power of the mean fill, and the mean of a k-th "+
		"power is more: with 32 bits the rate is %s and not %s, and with 10,000 bits the formula "+
		"is right",
		quantity.Percent(sizes[0].rate()), quantity.Percent(sizes[0].classical()))
	return v
}

// rate is that of Bose et al.
func (s size) rate() float64 { return expected.RateOfBits(float64(s.n), float64(s.m), s.k) }

// bestHashes is the formula of the best k.
func bestHashes(bitsPerKey float64) float64 { return bitsPerKey * math.Ln2 }

// best are filters with the best whole k.
var best = []size{{6000, 4, 1000}, {8000, 6, 1000}, {12_000, 8, 1000}, {16_000, 11, 1000}}

func halfFull(run *trials.Run) claim.Value {
	v := claim.Value{Name: "Bits that are set with the best k",
		Where:   `section Basic: for the optimal k "we have", "hence"`,
		Formula: exact, Trial: basicFilters,
		Why: fmt.Sprintf("with m/n = 8 the formula gives k = %.3f, and a whole number of hashes "+
			"sets another part", bestHashes(8))}
	for _, s := range best {
		v.Cells = append(v.Cells, claim.Cell{Row: s.String(), Published: "implied 50 % ± 2 %",
			Formula: new(1 - s.zeros()), Interval: by(run, s, partOf, 1)})
	}
	return v
}

func bestRate(run *trials.Run) claim.Value {
	v := claim.Value{Name: "The rate with the best k, by 2^(-m/n ln 2)", Unit: claim.Number,
		Rule: claim.Around, Where: `section Basic: for the optimal k "we have", "hence"`,
		Formula: "Bose et al.", Trial: basicFilters}
	for _, s := range best {
		power := math.Exp2(-bestHashes(float64(s.m) / float64(s.n)))
		v.Cells = append(v.Cells, claim.Cell{Row: s.String(), Published: ratio,
			Formula:  new(s.rate() / power),
			Interval: by(run, s, func(o *filled) float64 { return o.rate }, power)})
	}
	return v
}

// optimalBits are those of a key by the formula for a rate.
func optimalBits(rate float64) float64 { return -math.Log(rate) / (math.Ln2 * math.Ln2) }

var rates = []float64{0.1, 0.01, 0.001}

func requiredBits(*trials.Run) claim.Value {
	v := claim.Value{Name: "Fewest bits with a whole k, by n ln(1/P) / (ln 2)^2",
		Unit: claim.Number, Formula: exact, Where: `section Basic: "for a desired FP probability ` +
			`we can compute the number of required bits"`}
	for _, rate := range rates {
		s := must(plain.New(plain.Config{Members: 1000, Rate: rate, Key: secret})).Shape()
		v.Cells = append(v.Cells, claim.Cell{Row: "P = " + quantity.Percent(rate),
			Published: "implied 1 ± 0.02",
			Formula:   new(float64(s.Bits) / 1000 / optimalBits(rate))})
	}
	return v
}

// entropy is that of a bit that is 1 with a probability.
func entropy(p float64) float64 {
	return -(float64(p*math.Log2(p)) + float64((1-p)*math.Log2(1-p)))
}

func compressed(run *trials.Run) claim.Value {
	const rate, n = 0.01, 1000
	v := claim.Value{Name: "Bits per key to send, less 99 % of those of the best filter",
		Unit: claim.Number, Where: `section libbf: "Bloom filters can also be compressed"`,
		Formula: meanField, Trial: basicFilters + ", with an ideal code", Readings: true,
		Why: "with the best k half of the bits are set, and their entropy is a bit each; fewer " +
			"hashes and more bits in memory have less"}
	for _, k := range []int{2, 7} {
		part := math.Pow(rate, 1/float64(k))
		bits := -float64(k) / math.Log1p(-part)
		s := size{int(math.Round(bits * n)), k, n}
		sent := func(part float64) float64 {
			return float64(bits*entropy(part)) - float64(0.99*optimalBits(rate))
		}
		sizes := trials.Column(fillings(run, s), func(o *filled) float64 { return sent(o.part) })
		v.Cells = append(v.Cells, claim.Cell{Row: fmt.Sprint("k = ", k), Formula: new(sent(part)),
			Published: string(claim.Lower), Interval: claim.Mean(sizes)})
	}
	return v
}

func cuckoos(*trials.Run) claim.Value {
	const n = 100_000
	v := claim.Value{Name: "Bits per key of a cuckoo filter, less a basic one's",
		Where: `section libbf: "cuckoo hashing is a related space-efficient alternative"`,
		Unit:  claim.Number, Formula: exact,
		Why: "a fingerprint has log2(1/P) bits and three more, some slots stay empty, and a " +
			"Bloom filter needs 1.44 log2(1/P): the cuckoo filter is smaller below a rate of 1 %"}
	for _, rate := range append(rates, 0.0001) {
		f := must(cuckoo.New(cuckoo.Config{Members: n, Rate: rate, Key: secret}))
		basic := must(plain.New(plain.Config{Members: n, Rate: rate, Key: secret})).Shape().Bits
		v.Cells = append(v.Cells, claim.Cell{Row: "P = " + quantity.Percent(rate),
			Published: string(claim.Lower), Formula: new(float64(8*f.State().Bytes-basic) / n)})
	}
	return v
}
