package retouched

import (
	"embed"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

//go:embed claims.tsv figures.tsv findings.md
var files embed.FS

// quantities are what the rows of the table and the figures are about.
func quantities() claim.Quantities {
	return claim.Join(selective(), described(), stopSets())
}

// algorithms are those of section IV by the names of the paper.
var algorithms = map[string]selection{
	"":       {}, // where none is named
	"Random": random, "Minimum FN": minimumFN, "Maximum FP": maximumFP, "Ratio": ratio,
}

// The parameters of an algorithm.
const (
	algorithm = "algorithm"
	counts    = "counts"   // "B" where v_B counts the keys of B only, as printed
	improved  = "improved" // "yes" for the algorithms of section V
)

// selected returns the algorithm of a claim.
func selected(point claim.Parameters) selection {
	s := claim.Pick(point, algorithm, algorithms)
	if point.Word(counts, "", "FP", "B") == "B" && s.countsKeys() {
		s = s.asPrinted()
	}
	if point.Word(improved, "", "yes") == "yes" {
		s = s.improve()
	}
	return s
}

// substitute returns trials at another value of a parameter.
func substitute(t claim.Trials, name string, value any) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		at = maps.Clone(at)
		at[name] = value
		return t(run, at)
	}
}

// difference returns the differences of trials; no sample where one has none.
func difference(t, other claim.Trials) claim.Trials {
	return func(run *trials.Run, at claim.Parameters) claim.Sample {
		s, o := t(run, at), other(run, at)
		if len(s.Values) != len(o.Values) {
			return claim.Sample{}
		}
		s.Values = floats.SubTo(make([]float64, len(s.Values)), s.Values, o.Values)
		return s
	}
}

// printedCells are what tables I to IV print, by algorithm, β and column.
var printedCells = func() map[[3]any]float64 {
	all := map[[3]any]float64{}
	rows, err := claim.Read(files)
	if err != nil {
		return all // Parts says so
	}
	for _, c := range rows {
		if c.Printed != "" && c.Item[:5] == "table" {
			all[[3]any{c.Parameters[algorithm], c.Parameters.Float("β"), c.Quantity}] = *c.Value
		}
	}
	return all
}()

func cell(algorithm any, beta float64, column string) float64 {
	return printedCells[[3]any{algorithm, beta, column}]
}

// printedChi is Eq. (12) by a table's own numbers, which has all false positives in its last row.
func printedChi(at claim.Parameters) float64 {
	a, beta := at.Value(algorithm), at.Float("β")
	all := cell(a, 1, "|B|")
	return cell(a, beta, "|B| + |B'|") / all / cell(a, beta, "|A'|") * members
}

// rightSums counts the rows of a table in which the third column is the sum of the first two.
func rightSums(at claim.Parameters) (right float64) {
	for _, beta := range betas {
		a := at.Value(algorithm)
		if cell(a, beta, "|B|")+cell(a, beta, "|B'|") == cell(a, beta, "|B| + |B'|") {
			right++
		}
	}
	return right
}

// bestWhole is the whole k of the lowest rate by Eq. (5).
func bestWhole() int {
	best := 1
	for k := 2; k <= 20; k++ {
		if rate(bits, members, k) < rate(bits, members, best) {
			best = k
		}
	}
	return best
}

// list32 is the size of a list of addresses.
const list32 = "32 bits an address"

// selective is section IV and the tables, the lemmas, and what is printed of other filters.
func selective() claim.Quantities {
	all, own := claim.Quantities{}, claim.Parameters{"k": hashes, "m": bits, "n": members}
	for _, name := range []string{keysGone, othersGone, allGone, lost, reset, chi, losses, gains,
		otherwise, fewest} {
		all[name] = claim.Quantity{Trials: tables.Mean(name)}
	}
	gone, missing, chis := tables.Mean(allGone), tables.Mean(lost), tables.Mean(chi)
	all[keysGone] = claim.Quantity{Trials: tables.Mean(keysGone), Formulas: claim.Formulas{
		"β (N - n) times Eq. (5)": func(at claim.Parameters) float64 {
			return at.Float("β") * (universe - members) * shape.Rate()
		}}}
	all[chi] = claim.Quantity{Trials: chis, Formulas: claim.Formulas{"by the tables": printedChi}}
	left := difference(substitute(chis, "β", 1).Log(), substitute(chis, "β", betas[0]).Log())
	return claim.Join(all, printed, claim.Quantities{
		"growth at the last doubling, by the bound's": {Trials: growth},
		"rate of false positives": claim.Quantity{Unit: claim.Share, Trials: tables.Mean("rate"),
			Formulas: claim.Formulas{"Eq. (5)": claim.Constant(shape.Rate())}}.Fixed(own),
		"the m/n-th root of the least rate": claim.Computed(claim.Number, "Eq. (7)",
			claim.Constant(math.Pow(shape.BestRate(), float64(members)/bits))).Fixed(own),
		"k of the lowest rate, of whole k, less Eq. (6)": claim.Computed(claim.Number, "Eq. (5)",
			claim.Constant(float64(bestWhole())-shape.BestHashes())).Fixed(own),
		"rate at the best whole k, less Eq. (7)": claim.Computed(claim.Share, "Eq. (5)",
			claim.Constant(rate(bits, members, bestWhole())-shape.BestRate())).Fixed(own),
		"false positives removed by a bit":           {Trials: gone.By(tables.Mean(reset))},
		"false positives removed, less members lost": {Trials: difference(gone, missing)},
		"what is left of χ at β = 1, logarithm":      {Trials: left},
		"change of χ up to β = 1": {Unit: claim.Share, Trials: left.Map(
			func(log float64, _ claim.Parameters) float64 { return math.Expm1(log) })},
		"rise of χ by improving": {Unit: claim.Share,
			Trials: substitute(chis, improved, "yes").By(chis).
				Map(func(ratio float64, _ claim.Parameters) float64 { return ratio - 1 })},
	})
}

// printed is what is computed of printed numbers and listings.
var printed = claim.Quantities{
	"rows of a table whose |B| and |B'| add up": claim.Computed(claim.Number,
		"of those printed", rightSums),
	"success, stopping short and collisions together": claim.Computed(claim.Number, "sum",
		func(at claim.Parameters) float64 {
			return at.Float("success") + at.Float("short") + at.Float("collisions")
		}),
	"a printed number, less another": claim.Computed(claim.Number, "first - second",
		func(at claim.Parameters) float64 { return at.Float("first") - at.Float("second") }),
	"bits of the list, by those of the filter": claim.Computed(claim.Number, list32,
		func(at claim.Parameters) float64 { return 32 * penultimates / at.Float("m") }),
	"MB of addresses": claim.Computed(claim.Number, list32,
		func(at claim.Parameters) float64 { return at.Float("addresses") * 4 / 1e6 }),

	"packets that a time-out filter samples": {Formulas: claim.Formulas{
		"buckets of the flow": sampled(func(flow, _ int) int { return flow }, false),
		"buckets of the time": sampled(func(_, time int) int { return time }, false),
		"buckets of the flow, others set to 0": sampled(
			func(flow, _ int) int { return flow }, true),
	}},
	"filters of a dynamic filter": {Formulas: claim.Formulas{
		"fewer keys than n": dynamic(func(keys, _ int) int { return keys }),
		"fewer keys than it is made for": dynamic(
			func(_, capacity int) int { return capacity }),
	}},
}

// sampled returns how many packets a time-out Bloom filter samples, of flows that take turns and
// never pause for its time-out. A bucket has the time of its last packet.
func sampled(position func(flow, time int) int, forget bool) func(claim.Parameters) float64 {
	return func(point claim.Parameters) (packets float64) {
		last := map[int]bool{}
		for i := range point.Int("packets") {
			// no flow has the number of a time
			bucket := position(-1-i%point.Int("flows"), i)
			if !last[bucket] {
				packets++
			}
			if forget {
				clear(last)
			}
			last[bucket] = true
		}
		return packets
	}
}

// dynamic returns how many filters a dynamic Bloom filter has after some keys, each into the first
// filter with fewer keys than a limit, which may depend on how many keys there are.
func dynamic(limit func(keys, capacity int) int) func(claim.Parameters) float64 {
	return func(point claim.Parameters) float64 {
		filters := []int{0}
		for n := range point.Int("keys") {
			i := slices.IndexFunc(filters,
				func(own int) bool { return own < limit(n, point.Int("capacity")) })
			if i < 0 {
				i, filters = len(filters), append(filters, 0)
			}
			filters[i]++
		}
		return float64(len(filters))
	}
}
