package challenge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// fill inserts n sources, and returns what asks for others.
func fill(rng *rand.Rand, n int, insert func(source uint32)) (nonMember func() uint32) {
	first := rng.Uint32()
	for i := range n {
		insert(scattered(first + uint32(i)))
	}
	others := uint64(1)<<32 - uint64(n)
	return func() uint32 { return scattered(first + uint32(n) + uint32(rng.Uint64N(others))) }
}

// scattered gives each number of 32 bits another one.
func scattered(n uint32) uint32 { return (n ^ n>>15) * 0x2c1b3c6d }

// hits counts those of some queries for non-members that are found.
func hits(queries int, contains func(uint32) bool, nonMember func() uint32) (found int) {
	for range queries {
		if contains(nonMember()) {
			found++
		}
	}
	return found
}

// guaranteed is the document's m and k, with its hashes.
func guaranteed(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n = sources
	filters := number(run, 16, 8)
	for _, p := range falseRates {
		queries := number(run, 100_000_000, 400_000) / filters
		if p > 1e-5 { // which shows well enough with fewer
			queries = number(run, 1_600_000, 400_000) / filters
		}
		m, k := sized(n, p)
		found := 0
		for _, h := range trials.Each(run, fmt.Sprint("guaranteed ", p), filters,
			func(rng *rand.Rand) int {
				f := newPlain(rng, uint64(m), k)
				return hits(queries, f.contains, fill(rng, n, f.insert))
			}) {
			found += h
		}
		claims = append(claims, claim.Claim{
			Item:       "its formulas",
			Where:      `line 25: "guaranteeing a probability P of a false positive"`,
			Parameters: map[string]any{"P": p, "k": k, "m": m, "n": n}, Unit: claim.Share,
			Reading:  claim.Literal,
			Quantity: "non-members that are found", Published: claim.About(p),
			Theory:   claim.By(formula, rateOf(float64(m), float64(k), n)),
			Interval: claim.Proportion(found, queries*filters), Trials: filters,
			Why: "it is another rate",
		})
	}
	for reading, k := range map[string]float64{"k is rounded": 10,
		"k is cut, as most languages convert it": 9} {
		m := math.Ceil(n * perElement(standard))
		claims = append(claims, claim.Claim{
			Item: "its formulas", Where: "line 25: k = (m/n) ln 2, which is 9.97",
			Unit:       claim.Number,
			Parameters: map[string]any{"P": standard, "k": k, "n": n}, Reading: reading,
			Quantity: "rate by its formula, as a multiple of P", Published: claim.Rounded(1, 0.01),
			Interval: claim.Exact(rateOf(m, k, n) / standard), Why: "k is too low",
		})
	}
	slices.SortFunc(claims[len(claims)-2:], func(a, b claim.Claim) int {
		return int(b.Parameters["k"].(float64) - a.Parameters["k"].(float64))
	})
	return claims, nil
}

// reduced is the rate of a filter with hashes of some bits modulo m, with n elements: some places
// have one hash more than the others.
func reduced(bits int, m, k, n float64) float64 {
	all := math.Exp2(float64(bits))
	each := math.Floor(all / m)
	more := all - each*m
	set := 0.0 // of the hashes, those that lead to a place that is set
	for _, places := range []struct{ number, hashes float64 }{{more, each + 1}, {m - more, each}} {
		part := places.hashes / all
		set += places.number * part * -math.Expm1(k*n*math.Log1p(-part))
	}
	return math.Pow(set, k)
}

// hashBits is the document's hash.
const hashBits = 32

// modulo is what 32 bits modulo m cost.
func modulo(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	c := claim.Claim{
		Item: "its hashes", Where: `line 41: "a 32-bit hash that is then reduced by modulo m"`,
		Unit: claim.Number, Reading: claim.Literal, Published: claim.About(1),
		Quantity: "rate as a multiple of that by its formula",
	}
	bits := number(run, 20, 16)
	filters := number(run, 16, 8)
	for _, share := range []float64{1. / 64, 0.75, 1, 1.5, 2, 4} { // m, of the hashes
		m := int(share * math.Exp2(float64(bits)))
		n := int(float64(m) / perElement(standard))
		k := hashesFor(float64(m), float64(n))
		queries := number(run, 1_000_000, 50_000)
		ideal := rateOf(float64(m), float64(k), float64(n))
		results := trials.Each(run, fmt.Sprint("modulo ", share), filters,
			func(rng *rand.Rand) float64 {
				f := newPlain(rng, uint64(m), k)
				f.shift = hashBits - bits
				return float64(hits(queries, f.contains, fill(rng, n, f.insert))) /
					float64(queries) / ideal
			})
		c.Parameters = map[string]any{
			"m": fmt.Sprintf("%.3g × 2^%d", share, bits), "hash": fmt.Sprint(bits, " bits"),
		}
		c.Theory = claim.By(formula, reduced(bits, float64(m), float64(k), float64(n))/ideal)
		c.Interval, c.Trials = claim.Mean(results), filters
		c.Why = "some places have more hashes than others"
		if share > 1 {
			c.Why = fmt.Sprintf("%s of the bits have no hash", quantity.Percent(1-1/share))
		}
		claims = append(claims, c)
	}
	if !run.Short {
		claims = append(claims, threeQuarters(run, c))
	}
	c.Parameters, c.Trials, c.Theory = map[string]any{"P": standard}, 0, claim.Theory{}
	c.Published, c.Quantity = claim.Published{}, "elements from which on some bits have no hash"
	c.Interval = claim.Exact(math.Floor(math.Exp2(hashBits)/perElement(standard)) + 1)
	return append(claims, c), nil
}

// threeQuarters is a filter of the document's own hashes in 384 MiB.
func threeQuarters(run *trials.Run, c claim.Claim) claim.Claim {
	const m, queries = 3 << 30, 20_000_000
	n := int(m / perElement(standard))
	k := hashesFor(m, float64(n))
	found := trials.Each(run, "three quarters", 1, func(rng *rand.Rand) int {
		f := newPlain(rng, m, k)
		first := rng.Uint32()
		var halves sync.WaitGroup
		for half := range uint64(2) {
			halves.Go(func() { // each sets the places of its half
				for i := range n {
					key := [...]uint32{scattered(first + uint32(i))}
					for j := range f.seeds {
						if place := f.place(j, key[:]); place/(m/2) == half {
							f.ones.set(place)
						}
					}
				}
			})
		}
		halves.Wait()
		return hits(queries, f.contains, func() uint32 {
			return scattered(first + uint32(n) + uint32(rng.Uint64N(1<<32-uint64(n))))
		})
	})[0]
	ideal := rateOf(m, float64(k), float64(n))
	c.Parameters = map[string]any{"m": "0.75 × 2^32", "hash": "32 bits"}
	c.Theory = claim.By(formula, reduced(hashBits, m, float64(k), float64(n))/ideal)
	c.Trials, c.Why = 1, "some places have more hashes than others, and a twentieth of all "+
		"addresses are in: many a non-member is the difference of two seeds away from one, which "+
		"has two of its indexes"
	c.Interval = claim.Proportion(found,
		queries).Map(func(rate float64) float64 { return rate / ideal })
	return c
}

// seeds is what seeds make of one hash, for keys of one word.
func seeds(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct{ shared, repeated float64 }
	const elements = 1000
	m, k := sized(sources, standard)
	all := trials.Each(run, "seeds", number(run, 100, 20), func(rng *rand.Rand) (r result) {
		r.shared = SharedIndexes(rng, elements)
		h := newHashing(rng, uint64(m), k)
		for range elements {
			x, places := rng.Uint32(), map[uint64]bool{}
			for i := range k {
				places[h.place(i, []uint32{x})] = true
			}
			if len(places) < k {
				r.repeated += 1. / elements
			}
		}
		return r
	})
	distinct := 1.0
	for i := range k {
		distinct *= 1 - float64(i)/float64(m)
	}
	c := claim.Claim{
		Item:       "its hashes",
		Where:      `line 27: seeds make "each one to produce a unique and independent index"`,
		Parameters: map[string]any{"k": k, "m": m}, Unit: claim.Share, Reading: claim.Literal,
		Trials:    len(all),
		Quantity:  "elements of which two indexes are equal",
		Published: none(), Theory: claim.By(formula, 1-distinct),
		Interval: mean(all, func(r *result) float64 { return r.repeated }),
		Why:      "indexes of independent hashes are equal with this probability",
	}
	claims = append(claims, c)
	c.Quantity = "pairs of sources, a difference of two seeds apart, that share two indexes"
	c.Theory = claim.Theory{}
	c.Interval = mean(all, func(r *result) float64 { return r.shared })
	c.Why = "MurmurHash3 takes the exclusive or of the seed and what it made of the first word, " +
		"and all else follows from that; of 10,000 sources few are so far apart"
	return append(claims, c), nil
}

// SharedIndexes returns how many of some pairs of sources share two indexes, of the filter with the
// default P. The words that MurmurHash3 makes of a pair differ by what two seeds differ by.
func SharedIndexes(rng *rand.Rand, pairs int) (share float64) {
	m, k := sized(sources, standard)
	h := newHashing(rng, uint64(m), k)
	for range pairs {
		x := rng.Uint32()
		seeds := rng.Perm(k)
		i, j := seeds[0], seeds[1]
		y := unmixed(mixed(x) ^ h.seeds[i] ^ h.seeds[j])
		if h.place(i, []uint32{x}) == h.place(j, []uint32{y}) &&
			h.place(j, []uint32{x}) == h.place(i, []uint32{y}) {
			share += 1 / float64(pairs)
		}
	}
	return share
}

// unmixed is the word that mixed made another one of.
func unmixed(w uint32) uint32 {
	w *= inverse(0x1b873593)
	w = w>>15 | w<<17
	return w * inverse(0xcc9e2d51)
}

// inverse returns the number by which an odd one is 1 modulo 2^32, by Newton's method.
func inverse(odd uint32) uint32 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// flags is what a flag says, by the two sentences of line 64.
func flags(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct{ flags, cleared float64 }
	for _, of := range []struct{ n, trials int }{
		{sources, number(run, 100, 20)}, {10, number(run, 100_000, 20_000)},
	} {
		m, k := sized(of.n, standard)
		all := trials.Each(run, fmt.Sprint("flags ", of.n), of.trials,
			func(rng *rand.Rand) (r result) {
				ones := newCollisions(rng, m, k, false)
				others := newCollisions(rng, m, k, true)
				others.hashing = ones.hashing
				var members []uint32
				fill(rng, of.n, func(source uint32) {
					members = append(members, source)
					ones.insert(source)
					others.insert(source)
				})
				for i := range uint64(m) {
					if ones.flags.at(i) && !others.flags.at(i) {
						r.flags++
					}
				}
				ones.delete(members[0])
				if ones.contains(members[0]) {
					r.cleared++
				}
				return r
			})
		c := claim.Claim{
			Item:       "a flag",
			Where:      `line 64: "set multiple times by different elements"; "if the bit is set to one"`,
			Parameters: map[string]any{"n": of.n, "k": k, "m": m}, Unit: claim.Number,
			Reading:  "both",
			Quantity: "flags by bits that are one, less those by different elements",
			Trials:   of.trials,
			Interval: mean(all, func(r *result) float64 { return r.flags }),
		}
		claims = append(claims, c)
		if of.n == sources {
			continue
		}
		c.Quantity, c.Unit, c.Reading = "deletes that leave their element visible", claim.Share,
			"by bits that are one"
		c.Interval = mean(all, func(r *result) float64 { return r.cleared })
		claims = append(claims, c)
	}
	return claims, nil
}
