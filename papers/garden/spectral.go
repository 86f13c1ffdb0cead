package garden

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	variable "github.com/bloomlane/bloomlane/internal/counters"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// spectrum is the section on the spectral filter, but for its sketches.
var spectrum = []claim.Part{spectralErrors, singleMinima, coded}

const (
	spectralKeys   = 2000 // to draw from
	spectralDraws  = 10   // for each
	spectralHashes = 5
)

// spectralKinds are the three algorithms, in the order of their results.
var spectralKinds = []string{"MS", "MI", "RM"}

// spectralOf are filters of as many primary counters for n members at a load of kn/m.
func spectralOf(n int, load float64) (all [3]filter.Counter, m float64) {
	c := spectral.Config{
		// which is wide enough, and fast
		Members: n, Hashes: spectralHashes, Width: 16, Key: secret,
		Rate: math.Pow(-math.Expm1(-load), spectralHashes),
	}
	ms := must(spectral.NewSelection(c))
	return [3]filter.Counter{ms, must(spectral.NewIncrease(c)), must(spectral.NewRecurring(c))},
		float64(ms.Shape().Counters)
}

// miscounted is what the counts of all members of a stream have: of each algorithm, and in theory
// of MS.
type miscounted struct {
	wrong, under, size      [3]float64 // parts of the members, and the mean error
	theory, formula, theSum float64
}

func miscount(rng *rand.Rand, skew, load float64) (r miscounted) {
	stream := must(workload.Zipf(spectralKeys, skew, rng.Uint64()))
	hashes, times := make([]uint64, spectralKeys*spectralDraws), map[uint64]uint64{}
	stream.Fill(hashes)
	for _, hash := range hashes {
		times[hash]++
	}
	n := float64(len(times))
	all, m := spectralOf(len(times), load)
	for i, f := range all {
		must(f.InsertHashBatch(hashes, nil))
		for hash, want := range times {
			switch got := f.CountHash(hash); {
			case got > want:
				r.wrong[i] += 1 / n
				r.size[i] += float64(got-want) / n
			case got < want:
				r.wrong[i] += 1 / n
				r.under[i] += 1 / n
				r.size[i] += float64(want-got) / n
			}
		}
	}
	r.theory = expected.RateOfBits(n-1, m, spectralHashes)
	r.formula = classical(m, spectralHashes, n)
	r.theSum = meanNoise(times, m, spectralHashes)
	return r
}

// meanNoise is the mean error of minimum selection: the sum over x of the probability that all k
// counters of a key have x or more of others, which is a compound Poisson distribution, by Panjer's
// recursion.
func meanNoise(times map[uint64]uint64, m, k float64) (mean float64) {
	of := map[uint64]float64{}
	for _, n := range times {
		of[n]++
	}
	load := (float64(len(times)) - 1) * k / m
	chance := []float64{math.Exp(-load)}
	left := 1 - chance[0]
	for s := uint64(1); left > 0.01; s++ {
		mean += math.Pow(left, k)
		p := 0.0
		for n, keys := range of {
			if n <= s {
				p += float64(n) * keys / float64(len(times)) * chance[s-n]
			}
		}
		chance = append(chance, p*load/float64(s))
		left -= chance[s]
	}
	return mean
}

// spectralErrors is the errors of the three algorithms by skew and by load, at equal primary
// counters.
func spectralErrors(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	panels := [][2]*chart.Panel{}
	for by, title := range []string{"kn/m = 0.7", "skew 0.8"} {
		x := []string{"skew", "load, kn/m"}[by]
		wrong := chart.New(title, x, "counts that are wrong")
		size := chart.New(title, x, "mean error")
		panels = append(panels, [2]*chart.Panel{wrong, size})
		var marks [2][3]plotter.XYs
		var lines [2]plotter.XYs
		for _, at := range [][]float64{{0, 0.4, 0.8, 1.2}, {0.4, 0.7, 1, 1.4, 2}}[by] {
			skew, load := at, 0.7
			if by == 1 {
				skew, load = 0.8, at
			}
			results := trials.Each(run, fmt.Sprint("spectral ", skew, load), number(run, 200, 8),
				func(rng *rand.Rand) miscounted { return miscount(rng, skew, load) })
			of := func(f func(r *miscounted) float64) []float64 { return trials.Column(results, f) }
			c := claim.Claim{
				Item: "spectral: errors", Where: "section Spectral", Unit: claim.Share,
				Trials:  len(results),
				Reading: claim.Literal, Point: true,
				Parameters: map[string]any{"keys": spectralKeys, "k": spectralHashes, "skew": skew,
					"load": load},
			}
			for i, name := range spectralKinds {
				c.Quantity, c.Unit, c.Theory = "counts of "+name+" that are wrong", claim.Share,
					claim.Theory{}
				c.Interval = mean(results, func(r *miscounted) float64 { return r.wrong[i] })
				if i == 0 {
					theory := mean(results, func(r *miscounted) float64 { return r.theory })
					c.Theory = claim.By(exact, *theory.Measured)
					lines[0] = append(lines[0], plotter.XY{X: at, Y: *c.Expected})
				}
				claims = append(claims, c)
				marks[0][i] = append(marks[0][i], plotter.XY{X: at, Y: *c.Measured})
				c.Quantity, c.Unit, c.Theory = "mean error of "+name, claim.Number, claim.Theory{}
				c.Interval = mean(results, func(r *miscounted) float64 { return r.size[i] })
				if i == 0 {
					theory := mean(results, func(r *miscounted) float64 { return r.theSum })
					c.Theory = claim.By(meanField, *theory.Measured)
					lines[1] = append(lines[1], plotter.XY{X: at, Y: *c.Expected})
				}
				claims = append(claims, c)
				marks[1][i] = append(marks[1][i], plotter.XY{X: at, Y: *c.Measured})
			}
			if by == 0 {
				claims = append(claims, spectralSentences(c, results, of)...)
			}
		}
		for i, panel := range panels[by] {
			panel.Add("MS", lines[i], chart.Expected(0))
			for series, name := range spectralKinds {
				panel.Add(name, marks[i][series], chart.Marks(series))
			}
			chart.Logarithmic([]func(float64) string{quantity.Percent, quantity.Number}[i],
				&panel.Y)
		}
	}
	return claims, []claim.Figure{{Name: "spectral", Picture: &chart.Picture{
		Title: fmt.Sprintf("Counts of minimum selection, minimal increase and recurring minimum "+
			"(k = %d, primary counters alike): marks simulated, lines expected", spectralHashes),
		Panels:  []*chart.Panel{panels[0][0], panels[0][1], panels[1][0], panels[1][1]},
		Columns: 2, Width: 330, Height: 260,
	}}}
}

// spectralSentences are what the section says of the three algorithms, for the streams of c.
func spectralSentences(
	c claim.Claim,
	results []miscounted,
	of func(func(*miscounted) float64) []float64,
) (claims []claim.Claim) {
	c.Point, c.Theory, c.Unit = false, claim.Theory{}, claim.Share
	c.Where = `section Spectral: "Cohen and Matias claim that"`
	c.Reading = "the formula that is lost: no count is under"
	for i, name := range spectralKinds[:2] {
		c.Quantity, c.Published = "counts of "+name+" that are under", none()
		c.Interval = mean(results, func(r *miscounted) float64 { return r.under[i] })
		claims = append(claims, c)
	}
	c.Reading = "the formula that is lost: a Bloom error"
	c.Quantity, c.Published, c.Unit = "counts of MS that are wrong, as a multiple of the formula",
		claim.Rounded(1, 0.04), claim.Number
	c.Interval = claim.Ratio(of(func(r *miscounted) float64 { return r.wrong[0] }),
		of(func(r *miscounted) float64 { return r.formula }))
	claims = append(claims, c)

	c.Reading, c.Unit = "the formula that is lost: no more errors than MS", claim.Share
	c.Quantity, c.Published = "counts of MI that are wrong, less those of MS",
		claim.Trend(claim.NotHigher)
	c.Interval = claim.Difference(of(func(r *miscounted) float64 { return r.wrong[1] }),
		of(func(r *miscounted) float64 { return r.wrong[0] }))
	claims = append(claims, c)

	c.Where, c.Reading = `section Spectral: RM "does at least as well as the MS algorithm"`,
		claim.Literal
	c.Quantity, c.Published = "counts of RM that are wrong, less those of MS",
		claim.Trend(claim.NotHigher)
	c.Interval = claim.Difference(of(func(r *miscounted) float64 { return r.wrong[2] }),
		of(func(r *miscounted) float64 { return r.wrong[0] }))
	claims = append(claims, c)
	c.Where, c.Published = `section Spectral: RM "has usually better error rates"`,
		claim.Trend(claim.Lower)
	return append(claims, c)
}

// singlePart is the part of the keys with a single minimum where each has come as often: one of its
// counters has some number of other keys, and all others have more.
func singlePart(load float64, k int) (part float64) {
	more, chance := 1.0, math.Exp(-load)
	for n := range 100 {
		more = max(0, more-chance)
		part += float64(k) * chance * math.Pow(more, float64(k-1))
		chance *= load / float64(n+1)
	}
	return part
}

// singleMinima is how many keys have a single minimum.
func singleMinima(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for _, k := range []int{4, 5} {
		const n, load = 5000, 0.7
		m := int(math.Round(n * float64(k) / load))
		results := trials.Each(run, fmt.Sprint("single ", k), number(run, 400, 20),
			func(rng *rand.Rand) float64 {
				f, keys := newCounters(m, k, false), make([]uint64, n)
				workload.Fill(rng, keys)
				for _, key := range keys {
					f.add(key, 1)
				}
				single := 0
				for _, key := range keys {
					var own [16]int
					least, times := int64(endless), 0
					for _, cell := range f.positions(own[:0], key) {
						switch value := f.cells[cell]; {
						case value < least:
							least, times = value, 1
						case value == least:
							times++
						}
					}
					if times == 1 {
						single++
					}
				}
				return float64(single) / n
			})
		claims = append(claims, claim.Claim{
			Item:       "spectral: single minima",
			Where:      `section Spectral: "this applies to approximately 20% of the items"`,
			Parameters: map[string]any{"n": n, "k": k, "load": load}, Unit: claim.Share,
			Trials:   len(results),
			Quantity: "keys with a single minimum", Published: claim.About(0.2),
			Theory:   claim.By(meanField, singlePart((n-1)*float64(k)/float64(m), k)),
			Interval: claim.Mean(results),
			Reading:  fmt.Sprintf("k = %d", k),
			Why: fmt.Sprintf("it depends on k and on the load: at kn/m = 0.7 it is %s with k = 4 "+
				"and %s with 5",
				quantity.Percent(singlePart(load, 4)), quantity.Percent(singlePart(load, 5))),
		})
	}
	return claims, nil
}

// stored is bits per counter: of the codes, with their index, of the entropy, and of the lengths in
// binary.
type stored struct{ codes, indexed, entropy, binary float64 }

// codedOf returns the sizes of counters, by the mean number of keys per counter and of draws per
// key.
func codedOf(rng *rand.Rand, load, draws, skew float64) (s stored) {
	const most = 1 << 15
	a := variable.New(variable.ShapeOf(most), 1)
	_, empty := a.Count()
	m := float64(a.Counters())
	n := uint64(load * m)
	stream := must(workload.Zipf(n, skew, rng.Uint64()))
	if draws == 1 {
		for range n {
			a.Raise(a.At(rng.Uint64()), 1)
		}
	} else {
		for range uint64(draws * float64(n)) {
			a.Raise(a.At(stream.Hash(stream.Next())), 1)
		}
	}
	frequency := map[uint64]float64{}
	for i := range a.Counters() {
		value := a.Get(a.Index(i))
		frequency[value]++
		s.binary += float64(max(1, bits.Len64(max(value, 1)-1))) / m
	}
	for _, n := range frequency {
		s.entropy -= n / m * math.Log2(n/m)
	}
	_, size := a.Count()
	s.indexed = float64(size) / m
	s.codes = (float64(size-empty) + m) / m
	return s
}

// coded is the memory of counters of variable length.
func coded(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	once := chart.New("keys once each", "keys per counter", "bits per counter")
	drawn := chart.New("10 draws for each key, ln 2 keys per counter", "skew", "bits per counter")
	c := claim.Claim{
		Item: "spectral: counters", Where: `section Spectral: "the fancy data-structure"`,
		Unit:    claim.Number,
		Reading: claim.Literal, Point: true,
	}
	var marks [4]plotter.XYs
	var lines [2]plotter.XYs
	measure := func(load, draws, skew, x float64) {
		results := trials.Each(run, fmt.Sprint("coded ", load, draws, skew), number(run, 20, 3),
			func(rng *rand.Rand) stored { return codedOf(rng, load, draws, skew) })
		c.Trials = len(results)
		c.Parameters = map[string]any{"keys per counter": load,
			"draws per key": draws, "skew": skew}
		for i, of := range []func(*stored) float64{
			func(s *stored) float64 { return s.codes },
			func(s *stored) float64 { return s.indexed },
			func(s *stored) float64 { return s.entropy },
			func(s *stored) float64 { return s.binary },
		} {
			c.Quantity = "bits per counter, " + [...]string{
				"of the codes", "with their index", "entropy", "in binary, without ends",
			}[i]
			c.Interval, c.Theory = mean(results, of), claim.Theory{}
			if draws == 1 && (i == 0 || i == 2) {
				length, entropy := onceEach(load)
				c.Theory = claim.By(meanField, []float64{length, 0, entropy}[i])
			}
			claims = append(claims, c)
			marks[i] = append(marks[i], plotter.XY{X: x, Y: *c.Measured})
		}
	}
	for _, load := range []float64{0.125, 0.25, 0.5, math.Ln2, 1, 1.5, 2, 3} {
		measure(load, 1, 0, load)
	}
	for load := 0.125; load <= 3; load += 0.0625 {
		length, entropy := onceEach(load)
		lines[0] = append(lines[0], plotter.XY{X: load, Y: length})
		lines[1] = append(lines[1], plotter.XY{X: load, Y: entropy})
	}
	once.Add("codes", lines[0], chart.Expected(0))
	once.Add("entropy", lines[1], chart.Expected(2))
	names := []string{"codes", "codes and index", "entropy", "⌈log2⌉, without ends"}
	for i, name := range names {
		once.Add(name, marks[i], chart.Marks(i))
		marks[i] = nil
	}
	for _, skew := range []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5} {
		measure(math.Ln2, spectralDraws, skew, skew)
	}
	once.X.Min = 0
	once.X.Tick.Marker = chart.Ticks(quantity.Number, 0, 1, 2, 3)
	for i, name := range names {
		drawn.Add(name, marks[i], chart.Marked(i))
	}
	return claims, []claim.Figure{{
		Name: "coded",
		Picture: &chart.Picture{
			Title: "Counters of variable length, beside their entropy: " +
				"marks simulated, lines expected",
			Panels: []*chart.Panel{once, drawn}, Columns: 2, Width: 330, Height: 260,
		},
	}}
}

// onceEach returns the mean length of the code of a Poisson distributed counter, and its entropy.
func onceEach(load float64) (length, entropy float64) {
	chance := math.Exp(-load)
	for n := range uint64(60) {
		length += chance * float64(variable.Length(n))
		if chance > 0 {
			entropy -= chance * math.Log2(chance)
		}
		chance *= load / float64(n+1)
	}
	return length, entropy
}
