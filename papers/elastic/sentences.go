package elastic

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// large returns the paper's filter of some bits that grows by no threshold of its own.
func large(log int) *original.Filter {
	c := original.Default()
	c.Log, c.Threshold = log, 1
	return must(original.New(c))
}

// answered is the non-members that are found, and how many by the bits that are set.
type answered struct{ found, expected float64 }

func half(rng *rand.Rand) (r answered) {
	const queries = 1 << 14
	f := large(12)
	for f.SetBits() < 0.5 {
		insert(rng, f, 1)
	}
	for range queries {
		if f.Query(rng.Uint64()) {
			r.found++
		}
	}
	r.expected = queries * math.Pow(f.SetBits(), hashes)
	return r
}

// expanded is the logarithm of the rate after an expansion by that before.
func expanded(rng *rand.Rand) float64 {
	f := large(12)
	for f.SetBits() <= threshold {
		insert(rng, f, 1)
	}
	before := math.Log(f.SetBits())
	must(0, f.Expand())
	return hashes * (math.Log(f.SetBits()) - before)
}

// skipped is the members that are lost, and by how much the fingerprints tell their number wrongly.
type skipped struct{ lost, off float64 }

// skips are the inserts that section 3.2.1 takes for those of duplicates, if a claim says so.
func (s study) skips(run *trials.Run, at claim.Parameters) (string, []skipped) {
	const n, log, width, k = 400, 10, 12, 2
	skip := at.Text("duplicates") == "skipped"
	return "skips", trials.RecallOf(run, "skips", at.Text("duplicates"), s.number(400, 60),
		func(rng *rand.Rand) (r skipped) {
			f := must(original.New(original.Config{
				Log: log, Hashes: k, Width: width, Bucket: bucket, Branches: 3, Threshold: 1,
				Skip: skip,
			}))
			members := insert(rng, f, n)
			r.off = n - f.Cardinality()
			for _, hash := range members[:n/2] {
				f.Delete(hash)
			}
			for _, hash := range members[n/2:] {
				if !f.Query(hash) {
					r.lost += 2. / n
				}
			}
			return r
		})
}

// updated is a lazy update: queries for members meanwhile, and the bits that are set more.
type updated struct{ missing, asked, begun, ended float64 }

func lazy(rng *rand.Rand) (r updated) {
	c := original.Default()
	// with 8 the next expansion is due before the update ends
	c.Log, c.Lazy, c.Scan = 10, true, 64
	f := must(original.New(c))
	var members []uint64
	before := 0.0
	for !f.Updating() {
		before = f.SetBits()
		members = append(members, insert(rng, f, 1)...)
	}
	r.begun = f.SetBits() - before
	for f.Updating() {
		members = append(members, insert(rng, f, 1)...)
		for _, hash := range members {
			if r.asked++; !f.Query(hash) {
				r.missing++
			}
		}
	}
	r.ended = f.SetBits() - before
	return r
}

// joined is union, intersection and the accurate query.
type joined struct{ union, intersection, size, found, accurate, expected float64 }

// The sets of section 3.4: each has as many members of its own, and half as many are of both.
const setMembers, setQueries = 1000, 4000

func sets(rng *rand.Rand) (r joined) {
	const n, width = setMembers, 16
	c := original.Default()
	c.Log, c.Most, c.Width, c.Threshold = 13, width, width, 1
	f, g := must(original.New(c)), must(original.New(c))
	both := insert(rng, f, n/2)
	for _, hash := range both {
		must(0, g.Insert(hash))
	}
	members := append(insert(rng, f, n), insert(rng, g, n)...)
	must(0, g.Expand()) // so that they have different sizes
	union, intersection := must(f.Union(g)), must(f.Intersection(g))
	for _, hash := range append(members, both...) {
		if !union.Query(hash) {
			r.union++
		}
	}
	for _, hash := range both {
		if !intersection.Query(hash) {
			r.intersection++
		}
	}
	r.size = union.Cardinality() - 3*n
	insert(rng, f, 2*n)
	for range setQueries {
		hash := rng.Uint64()
		if f.Query(hash) {
			r.found++
			if f.QueryAccurate(hash) {
				r.accurate++
			}
		}
	}
	fingerprints := map[uint64]bool{}
	for _, number := range f.AppendNumbers(nil) {
		fingerprints[number] = true
	}
	r.expected = setQueries * math.Pow(float64(len(fingerprints))/(1<<width), hashes)
	return r
}

// compressed is that a compression undoes an expansion, and that neither is at once followed by
// the other.
type compressed struct{ differ, refused float64 }

func compress(rng *rand.Rand) (r compressed) {
	c := original.Default()
	c.Log = 9
	f := must(original.New(c))
	members := insert(rng, f, int(8*math.Exp2(9)*perBit(0.1)/hashes))
	before := count(f)
	must(0, f.Expand())
	if !f.Compress() {
		r.refused++
	}
	for number, n := range count(f) {
		r.differ += math.Abs(float64(n - before[number]))
	}
	for f.Log() > c.Log {
		was := f.Log()
		f.Delete(members[0])
		members = members[1:]
		if f.Log() == was && f.SetBits() < threshold/4 {
			r.refused++
		}
	}
	return r
}

// count returns how often a filter has each number.
func count(f *original.Filter) map[uint64]int {
	all := map[uint64]int{}
	for _, number := range f.AppendNumbers(nil) {
		all[number]++
	}
	return all
}

// accessed is the accesses of an elastic filter that does not grow: beside it stands a Bloom filter
// in fast memory with a counting filter in slow memory, as section 1 has it.
type accessed struct{ bits, buckets, deleted float64 }

func counting(rng *rand.Rand) (r accessed) {
	const operations = 100
	c := original.Default()
	c.Log = 12
	f := must(original.New(c))
	members := insert(rng, f, operations)
	r.bits, r.buckets = float64(f.Accesses.Fast)/operations, float64(f.Accesses.Slow)/operations
	f.Accesses = original.Accesses{}
	for _, hash := range members {
		if !f.Delete(hash) {
			panic("elastic: a member is absent")
		}
	}
	r.deleted = float64(f.Accesses.Slow) / operations
	return r
}

// listed is the first example of section 1, with random addresses: a black list that grows from a
// sixteenth of its members, and a white list of the addresses that it hits by mistake.
type listed struct{ lost, kept, blocked, rest, own, passed, expected, same, stale float64 }

func lists(rng *rand.Rand) (r listed) {
	const log, listed, friendly = 9, 2000, 200_000
	c := original.Default()
	c.Log, c.Threshold = log, 0.5 // so that it hits some
	black, white, same := must(original.New(c)), must(original.New(c)), must(original.New(c))
	bad := insert(rng, black, listed)
	var own []uint64 // hashes of the white list's own
	for range friendly {
		if hash := rng.Uint64(); black.Query(hash) {
			own = append(own, rng.Uint64())
			must(0, white.Insert(own[len(own)-1]))
			must(0, same.Insert(hash))
		}
	}
	r.own, r.blocked = float64(len(own)), float64(len(own))/friendly
	r.expected = math.Pow(white.SetBits(), hashes)
	for _, hash := range own {
		if !white.Query(hash) {
			r.rest++
		}
	}
	for _, hash := range bad {
		if white.Query(rng.Uint64()) {
			r.passed += 1. / listed
		}
		if same.Query(hash) {
			r.same += 1. / listed
		}
	}
	rest := bad[listed*7/8:]
	for i, hash := range bad[:listed*7/8] { // no threats any more
		black.Delete(hash)
		if r.kept++; !black.Query(rest[i%len(rest)]) {
			r.lost++
		}
	}
	for _, hash := range bad[:listed*7/8] {
		if black.Query(hash) {
			r.stale += 1. / (listed * 7 / 8)
		}
	}
	return r
}

// sentences is what the text says of operations.
func (s study) sentences() claim.Quantities {
	halves := repeated("rates", s.number(100, 20), half)
	updates := repeated("lazy", s.number(40, 8), lazy)
	together := repeated("sets", s.number(60, 12), sets)
	undone := repeated("compressions", s.number(100, 20), compress)
	operations := repeated("counting", 8, counting)
	black := repeated("lists", s.number(20, 6), lists)
	sharesOf := func(number func(l *listed) float64) claim.Quantity {
		return claim.Quantity{Unit: claim.Share, Trials: mean(black, number)}
	}
	counted := func(number func(a *accessed) float64, counters float64) claim.Quantity {
		return claim.Quantity{Trials: mean(operations, number),
			Formulas: claim.Formulas{"counting": constant(counters)}}
	}
	perMember := func(bits float64) float64 {
		return bits / (float64(1<<logBits) * perBit(threshold) / hashes)
	}
	accurate := func(r *joined) float64 { return r.accurate }
	return claim.Quantities{
		"non-members that are found, as a multiple of Ω^k": {
			Trials: mean(halves, func(r *answered) float64 { return r.found }).By(
				mean(halves, func(r *answered) float64 { return r.expected }))},
		"rate after an expansion, log by that before": {
			Trials: mean(repeated("expansions", s.number(200, 40), expanded),
				func(v *float64) float64 { return *v }),
			Formulas: claim.Formulas{meanField: constant(
				hashes * math.Log((1-math.Sqrt(1-threshold))/threshold))}},
		"members that are lost after deletes of the others": {Unit: claim.Share,
			Trials: mean(s.skips, func(r *skipped) float64 { return r.lost }).Of(
				func(claim.Parameters) int { return 200 })},
		"members, less the fingerprints by k": {
			Trials: mean(s.skips, func(r *skipped) float64 { return r.off })},
		"inserts that are skipped by mistake": computed(func(at claim.Parameters) float64 {
			n, k := at.Float("n"), at.Float("k")
			return n * math.Pow(k*n/math.Exp2(at.Float("w")), k) / (k + 1)
		}),

		"members that are not found meanwhile": share(updates,
			func(r *updated) (hits, cases float64) { return r.missing, r.asked }),
		"bits that are set as soon as it begins, less those before": {Unit: claim.Share,
			Trials: mean(updates, func(r *updated) float64 { return r.begun })},
		"bits that are set at its end, less those before": {Unit: claim.Share,
			Trials: mean(updates, func(r *updated) float64 { return r.ended })},

		"members of one or both that are not found": share(together,
			func(r *joined) (hits, cases float64) { return r.union, 2.5 * setMembers }),
		"members of both filters in it, beyond those of the one and of the other": {
			Trials: total(together, func(r *joined) float64 { return math.Abs(r.size) })},
		"members of both that are not found": share(together,
			func(r *joined) (hits, cases float64) { return r.intersection, setMembers / 2 }),
		"non-members that a query finds": {Unit: claim.Share,
			Trials: claim.Measured(together, func(r *joined, at claim.Parameters) float64 {
				if at.Text("query") == "accurate" {
					return r.accurate / setQueries
				}
				return r.found / setQueries
			})},
		"non-members that an accurate query finds, as a multiple of those by its formula": {
			Trials: mean(together, accurate).By(
				mean(together, func(r *joined) float64 { return r.expected })),
			Formulas: claim.Formulas{exact: constant(1)}},

		"fingerprints that differ after both, in all trials": {
			Trials: total(undone, func(r *compressed) float64 { return r.differ })},
		"compressions that overflow, in all trials": {
			Trials: total(undone, func(r *compressed) float64 { return r.refused })},
		"bits that are set after a compression, less the threshold": {Unit: claim.Share,
			Formulas: claim.Formulas{exact: constant(
				1 - math.Pow(1-threshold/4, 2) - threshold)}},
		"bits that are set after an expansion, less a quarter of the threshold": {
			Unit:     claim.Share,
			Formulas: claim.Formulas{exact: constant(1 - math.Sqrt(1-threshold) - threshold/4)}},

		"bits in fast memory per insert": counted(
			func(r *accessed) float64 { return r.bits }, hashes),
		"buckets or counters in slow memory per insert": counted(
			func(r *accessed) float64 { return r.buckets }, hashes),
		"buckets or counters in slow memory per delete, with a look before": counted(
			func(r *accessed) float64 { return r.deleted }, 2*hashes),
		"bits of a bucket of level 1, or a counter": {Formulas: claim.Formulas{
			exact: constant(bucket * (32 - logBits + 1)), "counting": constant(4)}},
		"bits in slow memory per member, with Ω of the bits set": {Formulas: claim.Formulas{
			exact:      constant(perMember(slowBits(logBits, true))),
			"counting": constant(perMember(4 * (1 << logBits)))}},

		"friendly addresses that are blocked": sharesOf(
			func(r *listed) float64 { return r.blocked }),
		"of these, those that the white list leaves": share(black,
			func(r *listed) (hits, cases float64) { return r.rest, r.own }),
		"listed addresses that the white list lets pass": {Unit: claim.Share,
			Trials: mean(black, func(r *listed) float64 { return r.passed }),
			Formulas: claim.Formulas{meanField: func(claim.Parameters) (rate float64) {
				_, all := black(s.run, nil)
				for _, r := range all {
					rate += r.expected / float64(len(all))
				}
				return rate
			}}},
		"the same, where both lists have the same hashes": sharesOf(
			func(r *listed) float64 { return r.same }),
		"listed addresses that are lost as the list shrinks": share(black,
			func(r *listed) (hits, cases float64) { return r.lost, r.kept }),
		"deleted addresses that are still blocked": sharesOf(
			func(r *listed) float64 { return r.stale }),
	}
}
