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

// delete takes an item's fingerprints, one of equal ones.
func (b buckets) delete(item []fingerprint) {
	for _, f := range item {
		if at := slices.Index(b[f.index], f.of); at >= 0 {
			b[f.index] = slices.Delete(b[f.index], at, at+1)
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

// skipped inserts three items, of which the third looks like a duplicate, and deletes the first. It
// returns how many of the others are lost.
func skipped(skip bool) (missing float64) {
	x, z := []fingerprint{{7, 1}, {2, 3}}, []fingerprint{{5, 2}, {4, 0}}
	y := []fingerprint{x[0], z[1]}
	b := make(buckets, 4)
	for _, item := range [][]fingerprint{x, z, y} {
		b.insert(item, skip)
	}
	b.delete(x)
	return count(!b.query(y), !b.query(z))
}

// merged returns the cardinality of the union of two filters with the same item.
func merged() float64 {
	x, both := []fingerprint{{7, 1}, {2, 3}}, make(buckets, 4)
	both.insert(x, false)
	both.insert(x, false)
	return both.cardinality(2)
}

func elasticFilter() []row {
	return []row{
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
			place: "section 2.2, line 78, section 5.1.2, line 234, and section 5.3, line 280",
			kind:  inconsistency,
			says: "the Dynamic Bloom filter [14] does not support deletion; in Fig. 5 its " +
				"deletes are compared",
			must: "say what is timed: the optimized one [15], with counters, deletes by line 80, " +
				"and [14] does not",
			quantity:  "filters of Fig. 5 that delete, of EBF, DBF and SBF",
			Published: exactly(1),
			value:     float64(len([]string{"EBF", "DBF"})),
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
			place: "section 3.2.1, line 110, and sections 1 and 6, lines 39 and 315",
			kind:  inconsistency,
			says: "an item whose fingerprints are all there is believed a duplicate, and not " +
				"inserted; the advantages of the Bloom filter, as no false negatives, are kept",
			must: "it can be another item, which is lost when one whose fingerprints it shares " +
				"is deleted. With 5 hashes of 32 bits this next to never happens",
			quantity:  "members lost, of those that stay",
			Published: exactly(0),
			value:     skipped(true),
			corrected: new(skipped(false)),
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
			place:     "section 3.2.5, line 132, i",
			kind:      misprint,
			says:      "i = 0, 1, …, m/2: B[i] is merged with B[i + m/2]",
			must:      "i = 0, 1, …, m/2 - 1",
			quantity:  "the highest bucket that is merged, of 0 to 7",
			Published: exactly(7),
			value:     8/2 + 8/2,
			corrected: new(8./2 - 1 + 8/2),
		},
		{
			place: "section 3.4, lines 152 and 156",
			kind:  inconsistency,
			says: "the union keeps all the fingerprints; these by k are exactly the number of " +
				"items",
			must: "an item of both filters is there twice: it counts as two, and a delete " +
				"leaves it",
			quantity:  "items of the union of {x} and {x}",
			Published: exactly(1),
			value:     merged(),
		},
		{
			place: "section 3.3.2, line 144, level 2",
			kind:  undefined,
			says: "bucket i is associated to bucket ⌊i/k⌋ of level 2; an expansion tries to " +
				"pull fingerprints back, after which the item is tried again",
			must: "say what is done if they do not fit: where k does not divide m, as 3 does " +
				"not, other buckets share one after an expansion. They fit if each half has " +
				"groups of its own",
			quantity: "filters that overflow by an expansion, of all with 4 buckets of a slot, " +
				"3 branches, 4 hashes",
			Published: exactly(0),
			value:     regrouped(func(bucket int) int { return bucket / 3 }),
			corrected: new(regrouped(func(bucket int) int { return bucket/4*2 + bucket%4/3 })),
		},
		slips(
			slip{152, "i ∈ [1, m]", "i ∈ [0, m)"},
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
			place: "section 4.2, Lemma 4.1, line 178, and Theorem 4.1, line 196",
			kind:  inconsistency,
			says:  "the lemma has a > 4; it is applied with a = enk/m",
			must: "this is above 4 with more fingerprints than 1.47 per bucket, which is 77 % of " +
				"the bits set; a filter at its optimum, half full, has a = 1.88",
			quantity:  "a at the optimum, less 4",
			Published: claim.Trend(claim.Higher),
			value:     math.E*math.Ln2 - 4,
		},
		{
			place: "section 4.3, line 216, D, and Table 1",
			kind:  wrong,
			says:  "a bucket size of D makes the probability of an overflow 1/m",
			must: "at the defaults a is 0.61, and D is 2.7: of buckets of 3 some overflow, " +
				"and 7 slots are enough",
			quantity: "buckets expected to overflow at Ω = 0.2, of 32,768",
			Published: claim.Published{Value: new(1. / elasticBits), Least: new(0.),
				Most: new(1. / elasticBits)},
			value:     overflowing(math.Ceil(bucketSize(math.E * fill))),
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
			place:     "section 4.2, proof of Theorem 4.2, line 210, 8/3",
			kind:      holds,
			says:      "|p/(1-p)| ≤ 8/3",
			quantity:  "the highest at Ω = 0.2, less 8/3",
			Published: claim.Trend(claim.NotHigher),
			value:     most - 8./3,
		},
		{
			place: "section 4.2, proof of Theorem 4.2, line 210, p",
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
			place:     "section 3.2.5, line 132, Ω/4",
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
			kind:  undefined,
			says:  "2^14 items are inserted first, into 2^18 bits; the expanding threshold is 0.2",
			must: "say of what: the filter has expanded before that if 0.2 is Ω, of the set " +
				"bits, and has not if it is Δ, of the rate",
			quantity:  "share of the bits set by 2^14 items with k = 5, less 0.2",
			Published: claim.Trend(claim.NotHigher),
			value:     -math.Expm1(-elasticHashes*math.Exp2(14-18)) - elasticThreshold,
		},
		{
			place: "section 5.5, line 307, and section 3.3.2, line 144",
			kind:  inconsistency,
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
