package elastic

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// sentences is what the text says of operations, and what of it cannot be reproduced.
var sentences = []claim.Part{rates, skips, lazy, sets, compressions, counting, lists}

// rates is the rate by the bits that are set, and what an expansion does to it.
func rates(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct{ found, expected, after float64 }
	const queries = 1 << 14
	all := trials.Each(run, "rates", number(run, 100, 20), func(rng *rand.Rand) (r result) {
		c := original.Default()
		c.Log, c.Threshold = 12, 1
		f := must(original.New(c))
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
	})
	c := claim.Claim{
		Item:  "section 3.2.4",
		Where: "section 3.2.4: the rate is Δ = Ω^k where Ω of the bits are set",
		Unit:  claim.Number,
		Parameters: map[string]any{
			"k":   hashes,
			"set": 0.5,
		}, Quantity: "non-members that are found, as a multiple of Ω^k",
		Published: claim.Rounded(1, 0.02), Trials: len(all), Reading: claim.Literal,
		Why: "it is another rate",
		Interval: claim.Ratio(trials.Column(all, func(r *result) float64 { return r.found }),
			trials.Column(all, func(r *result) float64 { return r.expected })),
	}
	claims = append(claims, c)

	all = trials.Each(run, "expansions", number(run, 200, 40), func(rng *rand.Rand) (r result) {
		c := original.Default()
		c.Log, c.Threshold = 12, 1
		f := must(original.New(c))
		for f.SetBits() <= threshold {
			insert(rng, f, 1)
		}
		r.expected = math.Log(f.SetBits())
		must(0, f.Expand())
		r.after = hashes * (math.Log(f.SetBits()) - r.expected)
		return r
	})
	c.Where = `abstract: "when EBF expands, the false positives decrease"`
	c.Parameters = map[string]any{"k": hashes, "set": threshold}
	c.Quantity, c.Trials, c.Published = "rate after an expansion, log by that before", len(
		all,
	), claim.Trend(
		claim.Lower,
	)
	c.Theory = claim.By(meanField, hashes*math.Log((1-math.Sqrt(1-threshold))/threshold))
	c.Interval = mean(all, func(r *result) float64 { return r.after })
	return append(claims, c), nil
}

// skips is the inserts that section 3.2.1 takes for those of duplicates.
func skips(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, log, width, k = 400, 10, 12, 2
	for _, reading := range []struct {
		name string
		skip bool
	}{{asPrinted, true}, {"every insert stores its fingerprints", false}} {
		type result struct{ lost, off float64 }
		all := trials.Each(run, "skips", number(run, 400, 60), func(rng *rand.Rand) (r result) {
			f := must(original.New(original.Config{
				Log: log, Hashes: k, Width: width, Bucket: bucket, Branches: 3, Threshold: 1,
				Skip: reading.skip,
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
		c := claim.Claim{
			Item:       "section 3.2.1: duplicates",
			Parameters: map[string]any{"n": n, "m": 1 << log, "w": width, "k": k},
			Unit:       claim.Share,
			Where: `section 3.2.1: where all fingerprints are there "we do not insert"; section 1: "no false ` +
				`negatives"`,
			Quantity: "members that are lost after deletes of the others", Published: none(),
			Reading:  reading.name,
			Interval: mean(all, func(r *result) float64 { return r.lost }), Trials: len(all),
			Why: "the insert is skipped, and the fingerprints go with the members that they are of",
		}
		claims = append(claims, c)
		c.Where, c.Unit = `section 3.4: "we can know exactly how many items have been inserted"`,
			claim.Number
		c.Quantity, c.Interval = "members, less the fingerprints by k", mean(
			all,
			func(r *result) float64 { return r.off },
		)
		c.Why = "some inserts store nothing"
		claims = append(claims, c)
	}
	const many, w = 10_000_000, 32
	return append(claims, claim.Claim{
		Item: "section 3.2.1: duplicates", Where: "section 3.2.1", Unit: claim.Number,
		Reading:    asPrinted,
		Parameters: map[string]any{"n": many, "w": w, "k": hashes},
		Quantity:   "inserts that are skipped by mistake",
		Theory:     claim.Theory{},
		Interval:   claim.Exact(many * math.Pow(hashes*many/math.Exp2(w), hashes) / (hashes + 1)),
	}), nil
}

// lazy is queries while a lazy update goes on.
func lazy(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct{ missing, at, after float64 }
	all := trials.Each(run, "lazy", number(run, 40, 8), func(rng *rand.Rand) (r result) {
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
		r.at = f.SetBits() - before
		for f.Updating() {
			members = append(members, insert(rng, f, 1)...)
			for _, hash := range members {
				if !f.Query(hash) {
					r.missing++
				}
			}
		}
		r.after = f.SetBits() - before
		return r
	})
	c := claim.Claim{
		Item:  "section 3.3.1: lazy update",
		Where: `section 3.3.1: "the query can be performed right away"`, Unit: claim.Share,
		Parameters: map[string]any{"m": 1 << 10}, Reading: claim.Literal, Trials: len(all),
		Published: none(),
		Quantity:  "members that are not found meanwhile",
		Interval:  mean(all, func(r *result) float64 { return r.missing }),
		Why:       "some are not found",
	}
	claims = append(claims, c)
	c.Quantity, c.Published = "bits that are set as soon as it begins, less those before",
		claim.Published{}
	c.Interval = mean(all, func(r *result) float64 { return r.at })
	claims = append(claims, c)
	c.Quantity = "bits that are set at its end, less those before"
	c.Interval = mean(all, func(r *result) float64 { return r.after })
	return append(claims, c), nil
}

// sets is union, intersection and the accurate query.
func sets(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const n, log, width, queries = 1000, 13, 16, 4000
	type result struct{ union, intersection, size, found, accurate, expected float64 }
	all := trials.Each(run, "sets", number(run, 60, 12), func(rng *rand.Rand) (r result) {
		c := original.Default()
		c.Log, c.Most, c.Width, c.Threshold = log, width, width, 1
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
		for range queries {
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
		r.expected = queries * math.Pow(float64(len(fingerprints))/(1<<width), hashes)
		return r
	})
	c := claim.Claim{
		Item:       "section 3.4: extra operations",
		Parameters: map[string]any{"n": n, "m": 1 << log, "w": width},
		Unit:       claim.Number,
		Reading:    claim.Literal, Trials: len(all), Published: none(), Why: "some are not found",
	}
	c.Where, c.Quantity = "section 3.4: the union", "members of one or both that are not found"
	c.Interval = mean(all, func(r *result) float64 { return r.union })
	claims = append(claims, c)
	c.Quantity = "members of both filters in it, beyond those of the one and of the other"
	c.Why = "it is another number"
	c.Interval = mean(all, func(r *result) float64 { return r.size })
	claims = append(claims, c)
	c.Where, c.Quantity = "section 3.4: the intersection", "members of both that are not found"
	c.Interval = mean(all, func(r *result) float64 { return r.intersection })
	claims = append(claims, c)
	c.Where, c.Published = `section 3.4: "a more accurate estimation at the expense of slower `+
		`speed"`, claim.Trend(
		claim.Lower,
	)
	c.Quantity, c.Why = "non-members that an accurate query finds, less those of a query",
		"it finds as many"
	c.Interval = claim.Difference(trials.Column(all, func(r *result) float64 { return r.accurate }),
		trials.Column(all, func(r *result) float64 { return r.found }))
	claims = append(claims, c)
	c.Quantity, c.Published = "non-members that an accurate query finds, as a multiple of those "+
		"by its formula",
		claim.Published{}
	c.Theory = claim.By(exact, 1)
	c.Interval = claim.Ratio(trials.Column(all, func(r *result) float64 { return r.accurate }),
		trials.Column(all, func(r *result) float64 { return r.expected }))
	return append(claims, c), nil
}

// compressions is that a compression undoes an expansion, and that neither is at once followed by
// the other.
func compressions(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	type result struct{ differ, refused float64 }
	all := trials.Each(run, "compressions", number(run, 100, 20), func(rng *rand.Rand) (r result) {
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
	})
	c := claim.Claim{
		Item:  "section 3.2.5: compression",
		Where: `section 3.2.5: "the inverse process of expansion"`, Unit: claim.Number,
		Parameters: map[string]any{"m": 1 << 12}, Reading: claim.Literal, Trials: len(all),
		Published: none(),
		Quantity:  "fingerprints that differ after both",
		Interval:  mean(all, func(r *result) float64 { return r.differ }),
		Why:       "some differ",
	}
	claims = append(claims, c)
	c.Where, c.Quantity = `section 3.2.5: below Ω/4; "it should not cause bucket overflow"`,
		"compressions that overflow"
	c.Interval = mean(all, func(r *result) float64 { return r.refused })
	claims = append(claims, c)
	c.Parameters, c.Trials = map[string]any{"threshold": threshold}, 0
	c.Where = "section 3.2.5: below Ω/4"
	c.Quantity = "bits that are set after a compression, less the threshold"
	c.Published, c.Why = claim.Trend(claim.Lower), "it expands at once"
	c.Interval = claim.Exact(1 - math.Pow(1-threshold/4, 2) - threshold)
	claims = append(claims, c)
	c.Quantity, c.Published = "bits that are set after an expansion, less a quarter of the "+
		"threshold", claim.Trend(
		claim.Higher,
	)
	c.Interval, c.Why = claim.Exact(1-math.Sqrt(1-threshold)-threshold/4),
		"it is compressed at once"
	return append(claims, c), nil
}

// count returns how often a filter has each number.
func count(f *original.Filter) map[uint64]int {
	all := map[uint64]int{}
	for _, number := range f.AppendNumbers(nil) {
		all[number]++
	}
	return all
}

// counting is a Bloom filter in fast memory with a counting filter in slow memory, as section 1 has
// it, beside the elastic one, where neither grows.
func counting(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const log, operations = 12, 100
	type result struct{ bits, buckets, deleted, random float64 }
	all := trials.Each(run, "counting", 8, func(rng *rand.Rand) (r result) {
		c := original.Default()
		c.Log = log
		f := must(original.New(c))
		members := insert(rng, f, operations)
		r.bits, r.buckets = float64(f.Accesses.Fast)/operations, float64(f.Accesses.Slow)/operations
		f.Accesses = original.Accesses{}
		for range operations {
			f.Query(rng.Uint64())
		}
		r.random = float64(f.Accesses.Fast) / operations
		f.Accesses = original.Accesses{}
		for _, hash := range members {
			if !f.Delete(hash) {
				panic("elastic: a member is absent")
			}
		}
		r.deleted = float64(f.Accesses.Slow) / operations
		return r
	})
	c := claim.Claim{
		Item: "against counting", Where: "section 1: a counting filter in slow memory and a " +
			"Bloom filter in fast memory",
		Parameters: map[string]any{
			"m": 1 << log,
			"n": operations,
			"k": hashes,
		}, Unit: claim.Number, Reading: claim.Literal,
		Trials: len(all),
	}
	for _, of := range []struct {
		quantity string
		counting float64
		number   func(*result) float64
	}{
		{"bits in fast memory per insert", hashes, func(r *result) float64 { return r.bits }},
		{"buckets or counters in slow memory per insert", hashes,
			func(r *result) float64 { return r.buckets }},
		{"buckets or counters in slow memory per delete, with a look before", 2 * hashes,
			func(r *result) float64 { return r.deleted }},
	} {
		c.Quantity, c.Theory, c.Interval = of.quantity, claim.By("counting", of.counting),
			mean(all, of.number)
		claims = append(claims, c)
	}
	c.Trials = 0
	c.Quantity, c.Theory = "bits of a bucket of level 1, or a counter", claim.By("counting", 4)
	c.Interval = claim.Exact(bucket * (32 - logBits + 1))
	c.Parameters = map[string]any{"m": 1 << logBits, "S": bucket, "w": 32}
	claims = append(claims, c)
	members := float64(1<<logBits) * perBit(threshold) / hashes
	c.Quantity, c.Theory = "bits in slow memory per member, with Ω of the bits set", claim.By(
		"counting",
		4*(1<<logBits)/members,
	)
	c.Interval = claim.Exact(slowBits(logBits, true) / members)
	return append(claims, c), nil
}

// lists is the first example of section 1, with random addresses: a black list that grows from a
// sixteenth of its members, and a white list of the addresses that it hits by mistake.
func lists(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const log, listed, friendly = 9, 2000, 200_000
	const passes = "listed addresses that the white list lets pass"
	type result struct{ lost, blocked, rest, passed, expected, same, stale float64 }
	all := trials.Each(run, "lists", number(run, 20, 6), func(rng *rand.Rand) (r result) {
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
		r.blocked = float64(len(own)) / friendly
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
		for _, hash := range bad[:listed*7/8] { // no threats any more
			black.Delete(hash)
		}
		for _, hash := range bad[listed*7/8:] {
			if !black.Query(hash) {
				r.lost++
			}
		}
		for _, hash := range bad[:listed*7/8] {
			if black.Query(hash) {
				r.stale += 1. / (listed * 7 / 8)
			}
		}
		return r
	})
	c := claim.Claim{
		Item: "section 1: black lists", Unit: claim.Share, Reading: "random addresses",
		Trials:     len(all),
		Parameters: map[string]any{"listed": listed, "friendly": friendly, "m": 1 << log},
	}
	for _, of := range []struct {
		where, quantity string
		claim.Published
		number func(*result) float64
		why    string
	}{
		{`"the result might be a false positive"`, "friendly addresses that are blocked",
			claim.Trend(claim.Higher), func(r *result) float64 { return r.blocked }, "none is"},
		{`"to solve the problem, a white list can be set up"`,
			"of these, those that the white list leaves", none(),
			func(r *result) float64 { return r.rest }, "some are left"},
		{`"to solve the problem, a white list can be set up"`, passes, none(),
			func(r *result) float64 { return r.passed },
			"the white list has false positives of its own"},
		{`"to solve the problem, a white list can be set up"`,
			"the same, where both lists have the same hashes", none(),
			func(r *result) float64 { return r.same },
			"the addresses whose bits the black list has pass, and these are the listed ones"},
		{`"the lists should be deletable and adjustable"`,
			"listed addresses that are lost as the list shrinks", none(),
			func(r *result) float64 { return r.lost }, "some are lost"},
		{`"the lists should be deletable and adjustable"`, "deleted addresses that are still " +
			"blocked", claim.Published{},
			func(r *result) float64 { return r.stale }, ""},
	} {
		c.Where, c.Quantity = "section 1, black lists: "+of.where, of.quantity
		c.Published, c.Why = of.Published, of.why
		c.Interval, c.Theory = mean(all, of.number), claim.Theory{}
		if of.quantity == passes {
			c.Theory = claim.By(meanField,
				*mean(all, func(r *result) float64 { return r.expected }).Measured)
		}
		claims = append(claims, c)
	}
	return claims, nil
}
