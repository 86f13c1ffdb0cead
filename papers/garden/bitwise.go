package garden

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"

	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// levelled is the section on the bitwise filter.
var levelled = []claim.Part{carrying}

// byKey is the bitwise filter as the article has it: a level counts some bits of a key's count
// by minimum selection, and a key whose count is full there is removed and inserted in the next
// level. A key has two cells in each: of 1 to 8 that is the number with which counts are wrong
// least often, with 24 to 96 bits per key.
type byKey struct {
	levels  []*counters
	highest int64 // of a cell
}

// newByKey returns levels of some bits together, with cells of a width. The sizes fall as those of
// mavam/libbf: m, m/2, m/4, m/6 and so on.
func newByKey(bits, width int) *byKey {
	f := &byKey{highest: 1<<width - 1}
	parts, sum := []float64{1}, 1.0
	for at := 1; at*width < 24; at++ {
		parts = append(parts, 1/float64(2*at))
		sum += parts[at]
	}
	for _, part := range parts {
		f.levels = append(f.levels,
			newCounters(max(1, int(part/sum*float64(bits)/float64(width))), 2, false))
	}
	return f
}

// hashed is the hash of a key in a level: each has functions of its own.
func hashed(hash uint64, level int) uint64 {
	return workload.Mix(hash + uint64(level)*0x9E37_79B9_7F4A_7C15)
}

func (f *byKey) add(hash uint64) {
	for at, level := range f.levels {
		hash, full := hashed(hash, at), false
		if full = level.least(hash, endless) >= f.highest; full {
			level.add(hash, -f.highest)
		} else {
			level.add(hash, 1)
		}
		for range level.hashes { // none is below 0, or beyond what its bits hold
			hash = probe.Next(hash)
			cell := &level.cells[probe.Reduce(hash, uint64(len(level.cells)))]
			*cell = max(0, min(f.highest, *cell))
		}
		if !full {
			return
		}
	}
}

func (f *byKey) count(hash uint64) (count uint64) {
	weight := uint64(1)
	for at, level := range f.levels {
		count += weight * uint64(level.least(hashed(hash, at), f.highest))
		weight *= uint64(f.highest) + 1
	}
	return count
}

// cameBy is how many keys of Zipf's law come in a number of draws, and how often these come.
func cameBy(keys, draws int, skew float64) (members int, tail bitwise.Tail) {
	const most = 130
	means := chances(keys, skew)
	atLeast := make([]float64, most)
	for i := range means {
		means[i] *= float64(draws)
		below, term := 0.0, math.Exp(-means[i])
		for times := range most {
			atLeast[times] += 1 - below
			below += term
			term *= means[i] / float64(times+1)
		}
	}
	return int(math.Round(atLeast[1])), func(times uint64) float64 {
		if times < most {
			return atLeast[times] / atLeast[1]
		}
		more := 0
		for more < keys && means[more] >= float64(times) {
			more++
		}
		return float64(more) / atLeast[1]
	}
}

// overOf is the part of the members whose count is expected to be over: by how many bits they have.
func overOf(s bitwise.Shape, members int, tail bitwise.Tail) (over float64) {
	for from, level := uint64(1), 0; level < len(s.Levels); level++ {
		to, part := from<<s.Levels[level].Width, tail(from)
		if level == 0 {
			to = 1 << s.Levels[0].Width
		}
		if level+1 < len(s.Levels) {
			part -= tail(to)
		}
		over += part * s.Over(from, members, tail)
		from = to
	}
	return over
}

// carrying is the bitwise filter beside one of counters of 16 bits, which hold all counts: of as
// many bits.
func carrying(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	const keys, draws, decisive = 2000, 20_000, 48
	picture := &chart.Picture{
		Title:   "Counts of keys that come by Zipf's law: marks simulated, lines expected",
		Columns: 3, Width: 250, Height: 240,
	}
	var below []*chart.Panel
	for _, skew := range []float64{0.6, 1, 1.4} {
		n, tail := cameBy(keys, draws, skew)
		wrongs := chart.New(fmt.Sprintf("skew %g, %d keys", skew, n), "bits per key",
			"counts that are wrong")
		errors := chart.New("", "bits per key", "mean error of a count")
		const byCell, wide, literal, paired = 0, 1, 2, 3
		names := []string{
			"bitwise, carries by the cell", "counters of 16 bits", "bitwise, carries by the key",
			"the same, widths of 4",
		}
		var wrongMarks, errorMarks [4]plotter.XYs
		var lines [2]plotter.XYs
		for _, bits := range []int{24, 32, decisive, 64, 96} {
			shape :=
				must((&bitwise.Config{Members: n, BitsPerKey: float64(bits), Tail: tail}).Shape())
			m := n * bits / 16
			k := max(1, int(math.Round(float64(m)/float64(n)*math.Ln2)))
			over := [2]float64{overOf(shape, n, tail),
				expected.RateOfBits(float64(n-1), float64(m), k)}
			type result struct{ wrong, under, lost, off [4]float64 } // by kind, per key
			name := fmt.Sprint("bitwise ", skew, bits)
			results := trials.Each(run, name, number(run, 60, 6), func(rng *rand.Rand) (r result) {
				hashes, times := multiset(rng, keys, draws, skew)
				f, c := must(bitwise.NewShape(shape, n, secret)), newCounters(m, k, false)
				one, four := newByKey(n*bits, 1), newByKey(n*bits, 4)
				left := append([]int64{}, times...)
				// keys come in turns, so that levels are shared while they fill
				for more := true; more; {
					more = false
					for i, hash := range hashes {
						if left[i] == 0 {
							continue
						}
						left[i]--
						more = true
						must(f.InsertHash(hash))
						c.add(hash, 1)
						one.add(hash)
						four.add(hash)
					}
				}
				for i, hash := range hashes {
					found := [4]uint64{f.CountHash(hash), uint64(c.least(hash, endless)),
						one.count(hash), four.count(hash)}
					for kind, count := range found {
						off := int64(count) - times[i]
						if off != 0 {
							r.wrong[kind] += 1 / float64(len(hashes))
						}
						if off < 0 {
							r.under[kind] += 1 / float64(len(hashes))
						}
						if count == 0 {
							r.lost[kind] += 1 / float64(len(hashes))
						}
						r.off[kind] += math.Abs(float64(off)) / float64(len(hashes))
					}
				}
				return r
			})
			c := claim.Claim{
				Item: "bitwise: counts", Where: "section Bitwise", Unit: claim.Share,
				Trials:     len(results),
				Reading:    claim.Literal,
				Parameters: map[string]any{"skew": skew, "bits per key": bits},
			}
			for kind, name := range names {
				at := c
				at.Point, at.Quantity = true, "counts that are wrong: "+name
				if kind < len(lines) {
					at.Theory = claim.By(meanField, over[kind])
					lines[kind] = append(lines[kind], plotter.XY{X: float64(bits), Y: over[kind]})
				}
				at.Interval = mean(results, func(r *result) float64 { return r.wrong[kind] })
				if *at.Low > 0 {
					claims = append(claims, at)
					wrongMarks[kind] = append(wrongMarks[kind],
						plotter.XY{X: float64(bits), Y: *at.Measured})
				}
				at.Quantity, at.Theory, at.Unit = "mean error of a count: "+name,
					claim.Theory{}, claim.Number
				at.Interval = mean(results, func(r *result) float64 { return r.off[kind] })
				if *at.Low > 0 {
					claims = append(claims, at)
					errorMarks[kind] = append(errorMarks[kind],
						plotter.XY{X: float64(bits), Y: *at.Measured})
				}
			}
			if bits != decisive {
				continue
			}
			for _, reading := range []struct {
				kind, width int
				text        string
			}{
				{literal, 1, claim.Literal}, {paired, 4, claim.Literal},
				{byCell, shape.Levels[0].Width, "carries go by the cell: filter/family/bitwise"},
			} {
				c.Reading = reading.text
				c.Parameters = map[string]any{"skew": skew, "bits per key": bits,
					"w": reading.width}
				c.Where =
					`section Bitwise: "aims at solving both of the overflow and space problem"`
				c.Quantity, c.Published = "keys that are counted less often than they came", none()
				c.Interval = mean(results, func(r *result) float64 { return r.under[reading.kind] })
				c.Theory = claim.Theory{}
				if reading.kind == byCell {
					c.Theory = claim.By(exact, 0)
				}
				lost := mean(results, func(r *result) float64 { return r.lost[reading.kind] })
				c.Why = fmt.Sprintf("a key that seems full in a level by mistake removes bits of "+
					"others: %s of the keys are not found at all",
					quantity.Percent(*lost.Measured))
				claims = append(claims, c)
				c.Quantity, c.Published =
					"counts that are wrong, less those of counters of 16 bits",
					claim.Trend(claim.Lower)
				c.Interval = mean(results,
					func(r *result) float64 { return r.wrong[reading.kind] - r.wrong[wide] })
				if reading.kind == byCell {
					c.Theory = claim.By(meanField, over[byCell]-over[wide])
				}
				claims = append(claims, c)
			}
		}
		for kind, name := range names {
			if kind < len(lines) {
				wrongs.Add(name, lines[kind], chart.Expected(kind))
			}
			wrongs.Add(name, wrongMarks[kind], chart.Marks(kind))
			errors.Add(name, errorMarks[kind], chart.Marked(kind))
		}
		chart.Logarithmic(quantity.Percent, &wrongs.Y)
		chart.Logarithmic(quantity.Number, &errors.Y)
		for _, panel := range []*chart.Panel{wrongs, errors} {
			panel.X.Tick.Marker = chart.Ticks(quantity.Number, 24, 48, 72, 96)
		}
		picture.Panels = append(picture.Panels, wrongs)
		below = append(below, errors)
	}
	picture.Panels = append(picture.Panels, below...)
	return claims, []claim.Figure{{Name: "levels", Picture: picture}}
}
