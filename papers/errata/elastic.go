package errata

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/claim"
)

// The elastic paper's defaults (Table 1, lines 236-241).
const (
	elasticBits      = 1 << 15
	elasticHashes    = 5
	elasticThreshold = 0.2 // Ω, of the share of the bits that are set
	elasticBucket    = 8.
)

func elastic() []row {
	return slices.Concat(elasticFilter(), elasticAnalysis())
}

// fingerprint is what a hash function of an item gives.
type fingerprint struct{ of, index int }

// buckets are those of an elastic filter: a bit is set where one has something.
type buckets [][]int

// insert adds an item. An apparent duplicate is left out where that is to be so.
func (b buckets) insert(item []fingerprint, skip bool) {
	if skip && b.has(item) {
		return
	}
	for _, f := range item {
		b[f.index] = append(b[f.index], f.of)
	}
}

// has is the accurate query of section 3.4.
func (b buckets) has(item []fingerprint) bool {
	return !slices.ContainsFunc(item,
		func(f fingerprint) bool { return !slices.Contains(b[f.index], f.of) })
}

func (b buckets) query(item []fingerprint) bool {
	return !slices.ContainsFunc(item, func(f fingerprint) bool { return len(b[f.index]) == 0 })
}

// delete takes an item's fingerprints, one of equal ones or all.
func (b buckets) delete(item []fingerprint, all bool) {
	for _, f := range item {
		for at := slices.Index(b[f.index], f.of); at >= 0; at = slices.Index(b[f.index], f.of) {
			if b[f.index] = slices.Delete(b[f.index], at, at+1); !all {
				break
			}
		}
	}
}

// cardinality is as section 3.4 has it, for k hash functions.
func (b buckets) cardinality(k float64) (items float64) {
	for _, bucket := range b {
		items += float64(len(bucket)) / k
	}
	return items
}

// skipped inserts three items, of which the third looks like a duplicate, and deletes the first.
func skipped(skip bool) (missing, cardinality float64) {
	x, z := []fingerprint{{7, 1}, {2, 3}}, []fingerprint{{5, 2}, {4, 0}}
	y := []fingerprint{x[0], z[1]}
	b := make(buckets, 4)
	for _, item := range [][]fingerprint{x, z, y} {
		b.insert(item, skip)
	}
	cardinality = b.cardinality(2)
	b.delete(x, false)
	return count(!b.query(y), !b.query(z)), cardinality
}

// assigned returns how many of two items of one bucket are found after the other was deleted, where
// a fingerprint replaces what is in its bucket, or is added.
func assigned(replace bool) float64 {
	x, y := []fingerprint{{7, 1}}, []fingerprint{{5, 1}}
	b := make(buckets, 4)
	b.insert(x, false)
	if replace {
		clear(b)
	}
	b.insert(y, false)
	b.delete(y, false)
	return count(b.query(x))
}

// twins returns how many of two items of equal fingerprints are found after one of them was
// deleted.
func twins(all bool) float64 {
	b, item := make(buckets, 4), []fingerprint{{7, 1}}
	b.insert(item, false)
	b.insert(item, false)
	b.delete(item, all)
	return count(b.query(item))
}

// merged returns the cardinalities of a union of two filters with the same item, and of the
// intersection of two filters with items that have one fingerprint in common.
func merged() (union, intersection float64) {
	x, y := []fingerprint{{7, 1}, {2, 3}}, []fingerprint{{7, 1}, {6, 0}}
	both, common := make(buckets, 4), make(buckets, 4)
	both.insert(x, false)
	both.insert(x, false)
	for _, f := range x {
		if slices.Contains(y, f) {
			common.insert([]fingerprint{f}, false)
		}
	}
	return both.cardinality(2), common.cardinality(2)
}

// copied returns how many answers change when the bits of a filter of four are repeated in one of
// eight, over all filters of two items and all items that are asked.
func copied(every int) (changed float64) {
	each(8, 3, func(hash []int) {
		small, large := counted(4, []int{hash[0] % 4, hash[1] % 4}), make([]int, 8)
		for i := range large {
			large[i] = small[i%every]
		}
		changed += count((small[hash[2]%4] > 0) != (large[hash[2]] > 0))
	})
	return changed
}

func elasticFilter() []row {
	lost, inside := skipped(true)
	kept, _ := skipped(false)
	union, intersection := merged()
	return []row{
		{
			place: "section 1, line 41, and section 3.3.1, line 138",
			kind:  inconsistency,
			says:  "a larger Bloom filter for the same set is impossible without extra information",
			must: "one of the same rate is a copy beside the old bits, with which the lazy " +
				"update itself starts; impossible is one of a lower rate",
			quantity:  "answers that such a copy changes",
			Published: claim.Trend(claim.Higher),
			value:     copied(4),
		},
		{
			place:     "section 2.1, line 72",
			kind:      misprint,
			says:      "the query is ⋀ h_i(e) == 1",
			must:      "⋀ A[h_i(e)] == 1",
			quantity:  "members found, of one with the positions 3 and 5",
			Published: exactly(1),
			value:     count(!slices.ContainsFunc([]int{3, 5}, func(h int) bool { return h != 1 })),
			corrected: new(float64(least(counted(8, []int{3, 5}), []int{3, 5}))),
		},
		{
			place: "sections 2.1, 3.3.2 and 5.1.3, lines 64, 72, 144, 236 and 245",
			kind:  misleading,
			says:  "n, m and k",
			must: "n is the size of the universe, the number of items and that of false " +
				"positives; m is the bits and the queried items; k is the hash functions, the " +
				"branches of the bucket tree and the logarithm of the size",
			quantity:  "meanings of three letters",
			Published: exactly(3),
			value:     float64(len("uif") + len("bq") + len("hbl")),
		},
		{
			place: "section 2.2, line 78, and section 5.3, line 280",
			kind:  inconsistency,
			says: "Dynamic Bloom filters do not support deletion; in Fig. 5 their deletes " +
				"are timed",
			must: "what is timed must be the optimized Dynamic Bloom filter [15], with " +
				"counters, not [14]",
			quantity:  "filters of Fig. 5 that delete, of EBF, DBF and SBF",
			Published: exactly(1),
			value:     float64(len([]string{"EBF", "DBF"})),
		},
		{
			place: "section 3.1, line 90",
			kind:  wrong,
			says:  "a fingerprint is in [0, ⌊2^w/m⌋)",
			must: "[0, ⌈2^w/m⌉): m need not be a power of two, and section 3.2.5 " +
				"only has it even",
			quantity:  "the largest fingerprint at w = 6, m = 6",
			Published: exactly(64/6 - 1),
			value:     (1<<6 - 1) / 6,
		},
		{
			place: "section 3.1, Figs. 1 and 2, lines 93 and 96",
			kind:  holds,
			says: "011110₂ is 0111₂ in bucket 10₂ of 4, and 011₂ in bucket 110₂ of 8; 0101₂ " +
				"in 0 goes to 4",
			quantity:  "statements that are so",
			Published: exactly(3),
			value:     count(30/4 == 7 && 30%4 == 2, 30/8 == 3 && 30%8 == 6, (5*4+0)%8 == 4),
		},
		{
			place:     "section 3.2.1, lines 106-108",
			kind:      misprint,
			says:      "B[h_i(e).I_index] ← h_i(e).F_p",
			must:      "the fingerprint is added to the bucket",
			quantity:  "items found of one that shares its bucket with another, which was deleted",
			Published: exactly(1),
			value:     assigned(true),
			corrected: new(assigned(false)),
		},
		{
			place: "section 3.2.1, line 110, and abstract",
			kind:  wrong,
			says: "an item whose fingerprints are all there is believed a duplicate, and not " +
				"inserted",
			must: "it can be another item, which is lost when one whose fingerprints it shares " +
				"is deleted: a false negative, and every delete was of an inserted item",
			quantity:  "members lost, of those that stay",
			Published: exactly(0),
			value:     lost,
			corrected: new(kept),
		},
		{
			place:     "section 3.4, line 156",
			kind:      wrong,
			says:      "we know exactly how many items were inserted",
			must:      "less those that were taken for duplicates",
			quantity:  "items by the formula, of 3",
			Published: exactly(3),
			value:     inside,
		},
		{
			place: "section 3.2.3, line 118",
			kind:  undefined,
			says:  "to remove an item, its fingerprints are deleted from the buckets",
			must:  "one of equal ones: deleting all loses the other item that has it",
			quantity: "of two items with equal fingerprints, found after a delete takes one of " +
				"these and all",
			Published: exactly(twins(false)),
			value:     twins(true),
		},
		{
			place: "sections 3.2.4 and 4.2, lines 122, 204 and 212",
			kind:  inconsistency,
			says: "Case 1 is the full bucket, Case 2 the set bits; the proof has them the " +
				"other way round",
			must:      "Case 2 is the set bits in the proof too",
			quantity:  "number of the case of the set bits, in the section and in the proof",
			Published: exactly(2),
			value:     1,
		},
		{
			place:     "section 3.2.4, line 122",
			kind:      holds,
			says:      "set bits above Ω are a false positive rate above Ω^k",
			quantity:  "rate at Ω = 0.5, k = 2, by all pairs of positions in 2 of 4 bits",
			Published: nearly(0.25),
			value:     half(),
		},
		{
			place: "section 3.2.4, line 124, and abstract",
			kind:  holds,
			says: "F_p m + I_index is the hash number; when the filter expands, the false " +
				"positives decrease",
			quantity:  "expected rate after an expansion at Ω = 0.2, k = 5, less that before",
			Published: claim.Trend(claim.Lower),
			value: math.Pow(1-math.Sqrt(1-elasticThreshold), elasticHashes) -
				math.Pow(elasticThreshold, elasticHashes),
		},
		{
			place:     "section 3.2.5, line 132",
			kind:      wrong,
			says:      "i = 0, 1, …, m/2: B[i] is merged with B[i + m/2]",
			must:      "i = 0, 1, …, m/2 - 1",
			quantity:  "the highest bucket that is merged, of 0 to 7",
			Published: exactly(7),
			value:     8/2 + 8/2,
			corrected: new(8./2 - 1 + 8/2),
		},
		{
			place: "sections 3.2.4 and 3.3.2, lines 122 and 144",
			kind:  wrong,
			says:  "a full bucket makes the filter expand, and then the item is inserted",
			must: "not if the bucket is full of equal hashes: no expansion parts them, until " +
				"fingerprints have no bits left; the section has no way out",
			quantity: "fingerprints in the fullest bucket when two hashes 011110₂ have no " +
				"bits left",
			Published: exactly(1),
			value:     fullest(0b011110, 0b011110),
		},
		{
			place:     "section 3.4, line 152, and section 3.1, line 90",
			kind:      inconsistency,
			says:      "the buckets (B_i) with i ∈ [1, m]; indexes are in [0, m)",
			must:      "i ∈ [0, m)",
			quantity:  "the first bucket",
			Published: exactly(0),
			value:     1,
			corrected: new(0.),
		},
		{
			place: "section 3.4, line 152",
			kind:  wrong,
			says:  "the union keeps all the fingerprints",
			must: "it is that of multisets: an item of both filters is there twice, and a " +
				"delete leaves it",
			quantity:  "items of the union of {x} and {x}",
			Published: exactly(1),
			value:     union,
		},
		{
			place: "section 3.4, line 154",
			kind:  wrong,
			says:  "the intersection is that of the fingerprints of each bucket",
			must: "fingerprints that different items have in common stay, " +
				"and belong to no item",
			quantity:  "items of the intersection of {x} and {y} that share a fingerprint",
			Published: exactly(0),
			value:     intersection,
		},
		{
			place: "section 3.3.2, line 144, level 2",
			kind:  wrong,
			says: "bucket i is associated to bucket ⌊i/k⌋ of level 2; an expansion pulls " +
				"fingerprints back, after which the item is inserted",
			must: "where k does not divide m other buckets share one after an expansion, and " +
				"what level 2 had may not fit any more: each half needs groups of its own",
			quantity: "filters that overflow by an expansion, of all with 4 buckets of a slot, " +
				"3 branches, 4 hashes",
			Published: exactly(0),
			value:     regrouped(func(bucket int) int { return bucket / 3 }),
			corrected: new(regrouped(func(bucket int) int { return bucket/4*2 + bucket%4/3 })),
		},
		{
			place: "section 3.3.2, line 144, and Table 1",
			kind:  undefined,
			says: "a k-ary bucket tree adds ⌈log₂ k⌉ bits; the defaults are 5 hash " +
				"functions and 3 branches",
			must:      "k is the branches here: another letter",
			quantity:  "bits that are added, with 5 and with 3",
			Published: exactly(math.Ceil(math.Log2(5))),
			value:     math.Ceil(math.Log2(3)),
		},
		{
			place: "section 1, line 45, white list",
			kind:  undefined,
			says: "a white list of the friendly addresses that are false positives solves the " +
				"problem",
			must: "with hash functions of its own: with those of the black list, as of two " +
				"filters of one kind, its addresses have the bits of the listed ones, and " +
				"these pass",
			quantity: "listed items that pass such a list, of two in 4 bits with 2 hashes, over " +
				"all of them",
			Published: exactly(0),
			value:     whiteListed(),
		},
		slips(
			slip{158, "h_i(e).Index", "h_i(e).I_index"},
		),
	}
}

// regrouped returns how many filters of four buckets with a slot each fit, and do not when they
// have expanded to eight, over all hashes of four fingerprints. Buckets of a group share a bucket
// of level 2, also with one slot.
func regrouped(group func(bucket int) int) (overflow float64) {
	fits := func(hashes []int, m int) bool {
		beyond := make([]int, m)
		for bucket, load := range counted(m, mod(hashes, m)) {
			beyond[group(bucket)] += max(0, load-1)
		}
		return slices.Max(beyond) <= 1
	}
	each(8, 4, func(d []int) { overflow += count(fits(d, 4) && !fits(d, 8)) })
	return overflow
}

func mod(hashes []int, m int) (indexes []int) {
	for _, h := range hashes {
		indexes = append(indexes, h%m)
	}
	return indexes
}

// whiteListed returns the share of listed items that a white list has, over all black lists of two
// items. The white list has the hash functions of the black one, and all items that this hits by
// mistake.
func whiteListed() (share float64) {
	listed, passed := 0.0, 0.0
	each(4, 4, func(d []int) {
		black, white := counted(4, d[:2], d[2:]), make([]int, 4)
		each(4, 2, func(item []int) {
			if least(black, item) > 0 && !slices.Equal(item, d[:2]) && !slices.Equal(item, d[2:]) {
				white[item[0]], white[item[1]] = 1, 1
			}
		})
		listed += 2
		passed += count(least(white, d[:2]) > 0, least(white, d[2:]) > 0)
	})
	return passed / listed
}

// fullest returns the fingerprints in the fullest bucket when hashes of six bits have expanded a
// filter of four buckets until there are 64.
func fullest(hashes ...int) (most float64) {
	b := make(buckets, 4)
	for _, h := range hashes {
		b.insert([]fingerprint{{h / 4, h % 4}}, false)
	}
	for len(b) < 64 {
		old := b
		b = make(buckets, 2*len(old))
		for i, bucket := range old {
			for _, of := range bucket {
				at := i + of%2*len(old)
				b[at] = append(b[at], of/2)
			}
		}
	}
	for _, bucket := range b {
		most = max(most, float64(len(bucket)))
	}
	return most
}

// half returns the rate of a filter with two of four bits set, by all pairs of positions.
func half() (rate float64) {
	each(4, 2, func(d []int) { rate += count(d[0] < 2 && d[1] < 2) / 16 })
	return rate
}

func elasticAnalysis() []row {
	const delta = 0.01
	fill := -math.Log1p(-elasticThreshold) // kn/m at Ω
	inBucket := distuv.Binomial{N: math.Round(fill * elasticBits), P: 1. / elasticBits}
	overflowing := func(slots float64) float64 { return elasticBits * inBucket.Survival(slots) }
	optimum := math.Log2(math.E) * math.Log2(1/delta) // m/n
	size := 4 / math.Log1p(-math.Pow(delta, 0.25))    // m/n by section 4.3, k = 4
	changes := changes(elasticThreshold)
	most := 0.
	for _, p := range changes {
		most = max(most, math.Abs(p/(1-p)))
	}
	return []row{
		{
			place:     "section 4.1, line 168",
			kind:      holds,
			says:      "m = log₂(e) n log₂(1/δ) and k = ln(2) m/n",
			quantity:  "rate of such a filter at δ = 0.01",
			Published: nearly(delta),
			value:     math.Pow(-math.Expm1(-math.Ln2), math.Ln2*optimum),
		},
		{
			place:     "section 4.2, Lemma 4.1, lines 178-184",
			kind:      holds,
			says:      "(a/M)^M ≤ b for b < 1/9, a > 4 and M from its bound on",
			quantity:  "the highest ln of (a/M)^M / b of 27,000",
			Published: claim.Trend(claim.NotHigher),
			value:     lemma(),
		},
		{
			place:     "section 4.2, Eqs. (2) and (3), lines 194-198",
			kind:      misprint,
			says:      "m (enk/M)^M ≤ ε",
			must:      "m (enk/(mM))^M ≤ ε: a of the lemma is enk/m",
			quantity:  "log10 of its left side by ε, at m = 2^15, nk = 2m, ε = 1/m",
			Published: claim.Trend(claim.NotHigher),
			value:     unionBound(2 * elasticBits),
			corrected: new(unionBound(2)),
		},
		{
			place: "section 4.2, Theorem 4.1, line 196",
			kind:  wrong,
			says:  "Lemma 4.1 is applied with a = enk/m",
			must: "it needs a > 4: more fingerprints than 1.47 per bucket, which is 77 % of the " +
				"bits set; a filter at its optimum, half full, has a = 1.88",
			quantity:  "a at the optimum, less 4",
			Published: claim.Trend(claim.Higher),
			value:     math.E*math.Ln2 - 4,
		},
		{
			place: "section 4.3, line 216, D, and Table 1",
			kind:  wrong,
			says:  "a bucket size of D makes the probability of an overflow 1/m",
			must: "at the defaults a is 0.61, and D is 2.7, so that any bucket with 3 overflows: " +
				"7 slots are enough",
			quantity: "buckets expected to overflow at Ω = 0.2, of 32,768",
			Published: claim.Published{Value: new(1. / elasticBits), Least: new(0.),
				Most: new(1. / elasticBits)},
			value:     overflowing(math.Floor(bucketSize(math.E * fill))),
			corrected: new(overflowing(7)),
		},
		{
			place:    "Table 1, line 237",
			kind:     holds,
			says:     "bucket size 8",
			quantity: "buckets expected to overflow at Ω = 0.2, of 32,768",
			Published: claim.Published{Value: new(1. / elasticBits), Least: new(0.),
				Most: new(1. / elasticBits)},
			value: overflowing(elasticBucket),
		},
		{
			place: "section 4.2, proof of Theorem 4.2, line 210, 1/2",
			kind:  wrong,
			says:  "p is in (1/2, 5/8) where the items become fewer",
			must: "1/2 between two compressions, and after an expansion 2 ln(1 - Ω/4) / " +
				"ln(1 - Ω): less",
			quantity:  "the lower of both at Ω = 0.2, less 1/2",
			Published: claim.Trend(claim.Higher),
			value:     slices.Min(changes) - 1./2,
		},
		{
			place: "section 4.2, proof of Theorem 4.2, line 210, 2",
			kind:  wrong,
			says:  "p is in (8/5, 2) where the items become more",
			must: "2 between two expansions, and after a compression ln(1 - Ω) / (2 ln(1 - " +
				"Ω/4)): more",
			quantity:  "the higher of both at Ω = 0.2, less 2",
			Published: claim.Trend(claim.Lower),
			value:     slices.Max(changes) - 2,
		},
		{
			place:     "section 4.2, proof of Theorem 4.2, line 210, 8/3",
			kind:      holds,
			says:      "|p/(1-p)| ≤ 8/3",
			quantity:  "the highest at Ω = 0.2, less 8/3",
			Published: claim.Trend(claim.NotHigher),
			value:     most - 8./3,
		},
		{
			place: "section 4.2, proof of Theorem 4.2, line 210, both",
			kind:  wrong,
			says:  "p ∈ (1/2, 5/8) ∪ (8/5, 2)",
			must:  "p is 1/2 or 2, or outside of these, and never in one of the two intervals",
			quantity: "of the four changes from an expansion or compression to the next at Ω = " +
				"0.2, those in the intervals",
			Published: exactly(4),
			value: changesWhere(changes, func(p float64) bool {
				return 1./2 < p && p < 5./8 || 8./5 < p && p < 2
			}),
			corrected: new(changesWhere(changes,
				func(p float64) bool { return p <= 1./2 || p >= 2 })),
		},
		{
			place: "section 4.2, proof of Theorem 4.2, line 212",
			kind:  wrong,
			says: "the j-th of consecutive expansions has a probability of ε/2^j and the same " +
				"cost as the first",
			must: "its cost doubles with the table, and the sum of these terms has no limit: the " +
				"probability needed is that of j overflows one after another, a product",
			quantity:  "sum of 20 terms, in units of the first one's cost times ε",
			Published: claim.Rounded(1, 0.01),
			value:     consecutive(20),
		},
		{
			place:     "section 3.2.5, line 134",
			kind:      holds,
			says:      "compression is due below Ω/4",
			quantity:  "expected share of the bits set after it, less Ω",
			Published: claim.Trend(claim.Lower),
			value:     1 - math.Pow(1-elasticThreshold/4, 2) - elasticThreshold,
		},
		{
			place:     "section 4.3, line 216, k",
			kind:      misprint,
			says:      "k = -log₂(1/δ)",
			must:      "k = log₂(1/δ)",
			quantity:  "k at δ = 0.01, for which section 4.1 has ln(2) m/n",
			Published: nearly(math.Ln2 * optimum),
			value:     -math.Log2(1 / delta),
			corrected: new(math.Log2(1 / delta)),
		},
		{
			place:     "section 4.3, line 216, m",
			kind:      misprint,
			says:      "m = kn / ln(1 - δ^(1/k))",
			must:      "m = -kn / ln(1 - δ^(1/k))",
			quantity:  "bits per item at k = 4, δ = 0.01",
			Published: claim.Trend(claim.Higher),
			value:     size,
			corrected: new(-size),
		},
		{
			place:     "section 4.3, line 216, w",
			kind:      holds,
			says:      "hashes of 32 bits reach 512 MB",
			quantity:  "MiB of 2^32 bits",
			Published: exactly(512),
			value:     1 << 32 / 8 / (1 << 20),
		},
		{
			place: "section 5.2, line 253, and Table 1",
			kind:  inconsistency,
			says:  "2^14 items are inserted first, into 2^18 bits; the expanding threshold is 0.2",
			must: "the filter has expanded before that if 0.2 is Ω, of the set bits; if it is Δ, " +
				"of the rate, the table does not say so",
			quantity:  "share of the bits set by 2^14 items with k = 5, less 0.2",
			Published: claim.Trend(claim.NotHigher),
			value:     -math.Expm1(-elasticHashes*math.Exp2(14-18)) - elasticThreshold,
		},
		{
			place: "section 5.5, line 307, branches",
			kind:  wrong,
			says:  "the load rate gets larger with more branches, since we have more buckets",
			must: "fewer: k buckets of level 1 share one of level 2, and the load is higher as " +
				"there are fewer slots; fewer fingerprints fit",
			quantity:  "buckets of level 2 with 8 branches, less those with 2, at m = 2^12",
			Published: claim.Trend(claim.Higher),
			value:     math.Ceil((1<<12)/8.) - math.Ceil((1<<12)/2.),
		},
	}
}

// bucketSize is D of section 4.3 at the defaults, where ε is 1/m, so that (ε/m)^-0.5 is m.
func bucketSize(a float64) float64 {
	return a * math.Log(elasticBits) / math.Log(math.Log(elasticBits))
}

// unionBound is Eq. (3) with a fraction's numerator enk or enk/m, which is e times a number.
func unionBound(number float64) float64 {
	slots := bucketSize(math.E * 2)
	return math.Log10(elasticBits) + slots*math.Log10(math.E*number/slots) + math.Log10(elasticBits)
}

// lemma returns the highest logarithm of the two sides' ratio in Lemma 4.1, over a grid of b, a and
// M.
func lemma() float64 {
	highest := math.Inf(-1)
	each(30, 3, func(d []int) {
		b := math.Exp(-math.Log(9) - 1e-6 - float64(d[0]*d[0])/4)
		a := 4 + 1e-6 + float64(d[1])
		x := -0.5 * math.Log(b)
		m := a * x / math.Log(x) * (1 + float64(d[2])/10)
		highest = max(highest, m*math.Log(a/m)-math.Log(b))
	})
	return highest
}

// changes returns by what the number of items changes between two expansions, two compressions, and
// one of each, with thresholds of the set bits for both: an expansion at omega, a compression at a
// quarter of it.
func changes(omega float64) []float64 {
	items := func(threshold, m float64) float64 { return -m * math.Log1p(-threshold) }
	return []float64{
		items(omega, 2) / items(omega, 1), items(omega/4, 1) / items(omega/4, 2),
		items(omega/4, 2) / items(omega, 1), items(omega, 1) / items(omega/4, 2),
	}
}

func changesWhere(changes []float64, holds func(p float64) bool) (n float64) {
	for _, p := range changes {
		n += count(holds(p))
	}
	return n
}

// consecutive returns the cost of some consecutive expansions by the proof's probabilities. Each
// goes over a table of twice the size.
func consecutive(expansions int) (cost float64) {
	probability, table := 0.5, 2.
	for range expansions {
		cost += probability * table
		probability, table = probability/2, table*2
	}
	return cost
}
