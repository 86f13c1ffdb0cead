package elastic

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

// filled returns the paper's filter of 2^12 bits, of which at least a part are set.
func filled(rng *rand.Rand, set float64) *original.Filter {
	f := large(12, 1)
	for f.SetBits() < set {
		insert(rng, f, 1)
	}
	return f
}

// halves has the non-members that are found where half of the bits are set, and how many are
// expected to be.
var halves = repeated("rates", 100, 20, func(rng *rand.Rand) claim.Outcome {
	const queries = 1 << 14
	f, found := filled(rng, 0.5), 0.0
	for range queries {
		if f.Query(rng.Uint64()) {
			found++
		}
	}
	return claim.Outcome{"found": {found},
		"expected": {queries * math.Pow(f.SetBits(), hashes)}}
})

// expanded has the logarithm of the rate after an expansion by that before.
var expanded = repeated("expansions", 200, 40, func(rng *rand.Rand) claim.Outcome {
	f := filled(rng, threshold)
	before := math.Log(f.SetBits())
	f.Expand()
	return claim.Outcome{"log": {hashes * (math.Log(f.SetBits()) - before)}}
})

// skips are the inserts that section 3.2.1 takes for those of duplicates, if a claim says so: the
// members that are lost, and by how much the fingerprints tell their number wrongly.
var skips = claim.Simulation{
	Name:    claim.Named("skips"),
	Subject: func(at claim.Parameters) string { return at.Text("duplicates") },
	Times:   claim.Times(400, 60),
	Fixed:   claim.Parameters{"k": 2, "m": 1 << 10, "n": 400, "w": 12},
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		const n, log, width, k = 400, 10, 12, 2
		f := original.New(original.Config{Log: log, Hashes: k, Width: width, Bucket: bucket,
			Branches: 3, Threshold: 1, Skip: at.Text("duplicates") == "skipped"})
		members := insert(rng, f, n)
		off, lost := n-f.Cardinality(), 0.0
		for _, hash := range members[:n/2] {
			f.Delete(hash)
		}
		for _, hash := range members[n/2:] {
			if !f.Query(hash) {
				lost += 2. / n
			}
		}
		return claim.Outcome{"lost": {lost}, "off": {off}}
	},
}

// absent returns how many keys a filter does not find.
func absent(f *original.Filter, keys []uint64) (n float64) {
	for _, hash := range keys {
		if !f.Query(hash) {
			n++
		}
	}
	return n
}

// lazy is a lazy update: queries for members meanwhile, and the bits that are set more.
var lazy = repeated("lazy", 40, 8, func(rng *rand.Rand) claim.Outcome {
	c := original.Default()
	// with 8 the next expansion is due before the update ends
	c.Log, c.Lazy, c.Scan = 10, true, 64
	f := original.New(c)
	var members []uint64
	var before, missing, queries float64
	for !f.Updating() {
		before = f.SetBits()
		members = append(members, insert(rng, f, 1)...)
	}
	begun := f.SetBits() - before
	for f.Updating() {
		members = append(members, insert(rng, f, 1)...)
		queries += float64(len(members))
		missing += absent(f, members)
	}
	return claim.Outcome{"missing": {missing}, "asked": {queries}, "begun": {begun},
		"ended": {f.SetBits() - before}}
})

// sets is union, intersection and the accurate query. Each set has as many members of its own, and
// half as many are of both.
var sets = repeated("sets", 60, 12, func(rng *rand.Rand) claim.Outcome {
	const n, width, queries = 1000, 16, 4000
	c := original.Default()
	c.Log, c.Most, c.Width, c.Threshold = 13, width, width, 1
	f, g := original.New(c), original.New(c)
	both := insert(rng, f, n/2)
	for _, hash := range both {
		g.Insert(hash)
	}
	members := append(insert(rng, f, n), insert(rng, g, n)...)
	g.Expand() // so that they have different sizes
	members = append(members, both...)
	union := f.Union(g)
	o := claim.Outcome{"union": {absent(union, members)}, "members": {float64(len(members))},
		"intersection": {absent(f.Intersection(g), both)}, "both": {n / 2},
		"size": {math.Abs(union.Cardinality() - 3*n)}}
	insert(rng, f, 2*n)
	var found, accurate float64
	for range queries {
		hash := rng.Uint64()
		if f.Query(hash) {
			found += 1. / queries
			if f.QueryAccurate(hash) {
				accurate += 1. / queries
			}
		}
	}
	fingerprints := map[uint32]bool{}
	for _, number := range f.AppendNumbers(nil) {
		fingerprints[number] = true
	}
	o["plain"], o["accurate"] = []float64{found}, []float64{accurate}
	o["expected"] = []float64{math.Pow(float64(len(fingerprints))/(1<<width), hashes)}
	return o
})

// compress has that a compression undoes an expansion, and that neither is at once followed by the
// other.
var compress = repeated("compressions", 100, 20, func(rng *rand.Rand) claim.Outcome {
	c := original.Default()
	c.Log = 9
	f := original.New(c)
	members := insert(rng, f, int(8*math.Exp2(9)*perBit(0.1)/hashes))
	count := map[uint32]float64{}
	for _, number := range f.AppendNumbers(nil) {
		count[number]++
	}
	f.Expand()
	var differ, refused float64
	if !f.Compress() {
		refused++
	}
	for _, number := range f.AppendNumbers(nil) {
		count[number]--
	}
	for _, n := range count {
		differ += math.Abs(n)
	}
	for f.Log() > c.Log {
		was := f.Log()
		f.Delete(members[0])
		members = members[1:]
		if f.Log() == was && f.SetBits() < threshold/4 {
			refused++
		}
	}
	return claim.Outcome{"differ": {differ}, "refused": {refused}}
})

// counting is the accesses of an elastic filter that does not grow: beside it stands a Bloom filter
// in fast memory with a counting filter in slow memory, as section 1 has it.
var counting = repeated("counting", 8, 8, func(rng *rand.Rand) claim.Outcome {
	const operations = 100
	f := large(12, threshold)
	members := insert(rng, f, operations)
	inserts := f.Accesses
	for _, hash := range members {
		must(f.Delete(hash))
	}
	return claim.Outcome{"bits": {float64(inserts.Fast) / operations},
		"buckets": {float64(inserts.Slow) / operations},
		"deleted": {float64(f.Accesses.Slow-inserts.Slow) / operations}}
})

// lists is the first example of section 1, with random addresses: a black list that grows from a
// sixteenth of its members, and a white list of the addresses that it hits by mistake.
var lists = repeated("lists", 20, 6, func(rng *rand.Rand) claim.Outcome {
	const log, listed, gone, friendly = 9, 2000, 1750, 200_000
	black, white, same := large(log, 0.5), large(log, 0.5), large(log, 0.5) // so that it hits some
	bad := insert(rng, black, listed)
	var own []uint64 // hashes of the white list's own
	for range friendly {
		if hash := rng.Uint64(); black.Query(hash) {
			own = append(own, insert(rng, white, 1)...)
			same.Insert(hash)
		}
	}
	var passed, alike, lost, stale float64
	rest := absent(white, own)
	for _, hash := range bad {
		if white.Query(rng.Uint64()) {
			passed += 1. / listed
		}
		if same.Query(hash) {
			alike += 1. / listed
		}
	}
	for i, hash := range bad[:gone] { // no threats any more
		black.Delete(hash)
		if !black.Query(bad[gone+i%(listed-gone)]) {
			lost++
		}
	}
	for _, hash := range bad[:gone] {
		if black.Query(hash) {
			stale += 1. / gone
		}
	}
	return claim.Outcome{"blocked": {float64(len(own)) / friendly}, "rest": {rest},
		"own": {float64(len(own))}, "passed": {passed}, "same": {alike}, "lost": {lost},
		"kept": {gone}, "stale": {stale}, "expected": {math.Pow(white.SetBits(), hashes)}}
})

// sentences is what the text says of operations.
func (s study) sentences() claim.Quantities {
	counted := func(number string, counters float64) claim.Quantity {
		return claim.Quantity{Trials: counting.Mean(number),
			Formulas: claim.Formulas{"counting": claim.Constant(counters)}}
	}
	perMember := func(bits float64) claim.Formula {
		return claim.Constant(bits / (float64(1<<logBits) * perBit(threshold) / hashes))
	}
	table1 := claim.Parameters{"S": bucket, "m": 1 << logBits, "w": 32}
	set := claim.Parameters{"set": threshold}
	return claim.Quantities{
		"non-members that are found, as a multiple of Ω^k": {
			Trials: halves.Mean("found").By(halves.Mean("expected"))},
		"rate after an expansion, log by that before": {Trials: expanded.Mean("log"),
			Formulas: claim.Formulas{meanField: claim.Constant(
				hashes * math.Log((1-math.Sqrt(1-threshold))/threshold))}},
		"members that are lost after deletes of the others": skips.Mean("lost").Of(
			func(claim.Parameters) int { return 200 }).Share(),
		"members, less the fingerprints by k": {Trials: skips.Mean("off")},
		"inserts that are skipped by mistake": computed(func(at claim.Parameters) float64 {
			n, k := at.Float("n"), at.Float("k")
			return n * math.Pow(k*n/math.Exp2(at.Float("w")), k) / (k + 1)
		}),

		"members that are not found meanwhile": lazy.
			Among("missing", "asked").Share(),
		"bits that are set as soon as it begins, less those before": lazy.Mean("begun").Share(),
		"bits that are set at its end, less those before":           lazy.Mean("ended").Share(),

		"members of one or both that are not found": sets.Among("union", "members").Share(),
		"members of both filters in it, beyond those of the one and of the other": {
			Trials: sets.Total("size")},
		"members of both that are not found": sets.Among("intersection", "both").Share(),
		"non-members that a query finds":     sets.MeanBy("query").Share(),
		"non-members that an accurate query finds, as a multiple of those by its formula": {
			Trials:   sets.Mean("accurate").By(sets.Mean("expected")),
			Formulas: claim.Formulas{exact: claim.Constant(1)}},

		"fingerprints that differ after both, in all trials": {Trials: compress.Total("differ")},
		"compressions that overflow, in all trials":          {Trials: compress.Total("refused")},
		"bits that are set after a compression, less the threshold": claim.Computed(claim.Share,
			exact, claim.Constant(1-math.Pow(1-threshold/4, 2)-threshold)).Fixed(set),
		"bits that are set after an expansion, less a quarter of the threshold": claim.Computed(
			claim.Share, exact, claim.Constant(1-math.Sqrt(1-threshold)-threshold/4)).Fixed(set),

		"bits in fast memory per insert":                counted("bits", hashes),
		"buckets or counters in slow memory per insert": counted("buckets", hashes),
		"buckets or counters in slow memory per delete, with a look before": counted("deleted",
			2*hashes),
		"bits of a bucket of level 1, or a counter": computed(claim.Constant(
			bucket*(32-logBits+1))).With("counting", claim.Constant(4)).Fixed(table1),
		"bits in slow memory per member, with Ω of the bits set": computed(
			perMember(slowBits(logBits, true))).With("counting", perMember(4<<logBits)).
			Fixed(table1),

		"friendly addresses that are blocked":        lists.Mean("blocked").Share(),
		"of these, those that the white list leaves": lists.Among("rest", "own").Share(),
		"listed addresses that the white list lets pass": {Unit: claim.Share,
			Trials: lists.Mean("passed"), Formulas: claim.Formulas{
				meanField: func(at claim.Parameters) float64 {
					return stat.Mean(lists.Mean("expected")(s.run, at).Values, nil)
				}}},
		"the same, where both lists have the same hashes":    lists.Mean("same").Share(),
		"listed addresses that are lost as the list shrinks": lists.Among("lost", "kept").Share(),
		"deleted addresses that are still blocked":           lists.Mean("stale").Share(),
	}
}
