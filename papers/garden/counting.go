package garden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// countingOf is a counting filter of cells of a width, which fill words.
func countingOf(s size, width int) *counting.Filter {
	f := must(counting.New(counting.Config{Members: s.n, Hashes: s.k, Width: width, Key: secret,
		BitsPerKey: 64 * float64(s.m/(64/width)) / float64(s.n)}))
	if f.Shape().Cells != s.m {
		panic(fmt.Sprintf("garden: a filter of %d cells, want %d", f.Shape().Cells, s.m))
	}
	return f
}

// erosion is what deletes of non-members leave of a counting filter with n members: the parts of
// all cells, and of those of a member, that are at each value, in the mean. Such a delete takes one
// from k cells, any of those above 0, if all of its own are.
type erosion struct {
	k        float64
	all, own []float64
}

// eroded is one after a number of deletes of random keys.
func (s size) eroded(keys float64) *erosion {
	k, m := float64(s.k), float64(s.m)
	e := &erosion{k: k, all: make([]float64, 64), own: make([]float64, 64)}
	load := k * float64(s.n) / m
	term := math.Exp(-load)
	for value := range len(e.all) - 1 {
		e.all[value], e.own[value+1] = term, term // a member's cell has one throw for sure
		term *= load / float64(value+1)
	}
	const steps = 400
	for range steps {
		rate := keys / steps * k / m * math.Pow(1-e.all[0], k-1)
		for _, cells := range [][]float64{e.all, e.own} {
			for value := range len(cells) - 1 {
				down := float64(rate * cells[value+1])
				cells[value] += down
				cells[value+1] -= down
			}
		}
	}
	return e
}

// missed is the part of the members that is not found.
func (e *erosion) missed() float64 { return 1 - math.Pow(1-e.own[0], e.k) }

// deletions is a counting filter with deletes: its rate before; the part of its members that is not
// found after one delete of a non-member that is found, in the mean of some, and after as many
// deletes of random keys as there are members; the members that are not found after half of them
// are deleted, and the part after half of them had their bits set to 0.
type deletions struct{ rate, one, missed, kept, flipped float64 }

func deleting(run *trials.Run, s size) []deletions {
	return trials.Recall(run, fmt.Sprint("deletions ", s), run.Times(300, 24),
		func(rng *rand.Rand) (o deletions) {
			const singles = 200
			f, bits, half := countingOf(s, 4), newCounters(s.m, s.k, false), s.n/2
			members := fill(rng, f, s.n)
			whole := f.Clone()
			for _, hash := range members {
				bits.add(hash, 1)
			}
			o.rate = f.State().Rate
			for range singles {
				if hash := rng.Uint64(); f.QueryHash(hash) {
					g := f.Clone()
					g.DeleteHash(hash)
					o.one += lacking(g, members) / float64(singles*s.n)
				}
			}
			for range s.n {
				f.DeleteHash(rng.Uint64())
			}
			o.missed = lacking(f, members) / float64(s.n)
			for _, hash := range members[:half] {
				whole.DeleteHash(hash)
				bits.change(hash, func(int64) int64 { return 0 })
			}
			o.kept = lacking(whole, members[half:])
			for _, hash := range members[half:] {
				if bits.least(hash, endless) == 0 {
					o.flipped += 1 / float64(s.n-half)
				}
			}
			return o
		})
}

const countingFilters = "counting filters of 960 members, with counters of 4 bits"

// counted are counting filters of some bits per key.
var counted = []size{{5760, 4, 960}, {7680, 6, 960}, {9600, 7, 960}}

func missedOf(o *deletions) float64 { return o.missed }

func falseNegatives(run *trials.Run) claim.Value {
	v := claim.Value{Name: "False negatives after deletes", Formula: meanField,
		Where: `section Counting: "deletions necessarily introduce false negative (FN) errors"`,
		Trial: countingFilters, Readings: true,
		Why: "deletes of members introduce none while no counter is full, as a counter is at " +
			"least the number of members that have it; deletes of non-members that are found do"}
	for _, s := range counted {
		all, bits := deleting(run, s), float64(s.k*s.k*s.n/2)
		left := make([]float64, len(all))
		for i := range left {
			left[i] = float64(s.n - s.n/2)
		}
		for _, c := range []claim.Cell{
			{Row: "of half of the members", Formula: new(0.), Interval: claim.Among(
				trials.Column(all, func(o *deletions) float64 { return o.kept }), left)},
			{Row: "of as many random keys as there are members",
				Formula:  new(s.eroded(float64(s.n)).missed()),
				Interval: claim.Mean(trials.Column(all, missedOf))},
			{Row: "of half of the members, by setting bits to 0",
				Formula: new(1 - math.Pow(1-1/float64(s.m), bits)), Interval: claim.Mean(
					trials.Column(all, func(o *deletions) float64 { return o.flipped }))},
		} {
			c.Column, c.Published = s.String(), string(claim.Higher)
			v.Cells = append(v.Cells, c)
		}
	}
	return v
}

func boundOfNegatives(run *trials.Run) claim.Value {
	v := claim.Value{Name: "False negatives, less the rate of false positives", Readings: true,
		Where: `section Counting: "the probability of a FN is bounded by", where the bound is ` +
			`lost: the rate of false positives`, Formula: meanField, Trial: countingFilters}
	for _, s := range counted {
		all := deleting(run, s)
		rates := trials.Column(all, func(o *deletions) float64 { return o.rate })
		one := trials.Column(all, func(o *deletions) float64 { return o.one })
		for _, c := range []claim.Cell{
			{Row: "after one delete of a random key", Formula: new(s.eroded(1).missed() - s.rate()),
				Interval: claim.Difference(one, rates)},
			{Row: "after as many as there are members",
				Formula:  new(s.eroded(float64(s.n)).missed() - s.rate()),
				Interval: claim.Difference(trials.Column(all, missedOf), rates)},
		} {
			c.Column, c.Published = s.String(), string(claim.NotHigher)
			v.Cells = append(v.Cells, c)
		}
	}
	last := counted[2]
	v.Why = fmt.Sprintf("the bound holds for one delete, which finds a non-member with that rate. "+
		"A delete that does subtracts one from k counters, and a member is lost if any of its "+
		"counters was 1: as many deletes as there are members lose %s of the members at a rate "+
		"of %s",
		quantity.Percent(last.eroded(float64(last.n)).missed()), quantity.Percent(last.rate()))
	return v
}

func fullCounters(run *trials.Run) claim.Value {
	const unit = 64 * 21 // cells that are whole words, whatever their width up to 4 bits
	s := size{8 * unit, 5, unit}
	v := claim.Value{Name: "Keys that are lost to deletes of all their occurrences but one",
		Where: `section Counting: "one typically stops counting" at the highest value`,
		Rule:  claim.Never, Readings: true,
		Trial: "5,376 keys by Zipf's law with the skew 1.1 in filters of " + s.String(),
		Why:   "a full counter has to stay as it is: nobody knows how many keys it counts"}
	type loss struct{ keys, stays, down float64 }
	for _, width := range []int{2, 3, 4} {
		all := trials.Recall(run, fmt.Sprint("full counters ", width), run.Times(100, 6),
			func(rng *rand.Rand) (o loss) {
				hashes, times := multiset(rng, unit, 4*unit, 1.1)
				f, model, highest := countingOf(s, width), newCounters(s.m, s.k, false),
					int64(1)<<width-1
				for i, hash := range hashes {
					for range times[i] {
						must(f.InsertHash(hash))
						model.change(hash, func(v int64) int64 { return min(v+1, highest) })
					}
				}
				for i, hash := range hashes { // once each is left
					for range times[i] - 1 {
						f.DeleteHash(hash)
						model.change(hash, func(v int64) int64 { return max(v-1, 0) })
					}
				}
				o.keys, o.stays = float64(len(hashes)), lacking(f, hashes)
				for _, hash := range hashes {
					if model.least(hash, endless) == 0 {
						o.down++
					}
				}
				return o
			})
		keys := trials.Column(all, func(o *loss) float64 { return o.keys })
		column := fmt.Sprint("w = ", width)
		v.Cells = append(v.Cells,
			claim.Cell{Row: "a full counter stays: filter/counting", Column: column,
				Published: none, Interval: claim.Among(
					trials.Column(all, func(o *loss) float64 { return o.stays }), keys)},
			claim.Cell{Row: "a full counter counts down", Column: column, Published: none,
				Interval: claim.Among(
					trials.Column(all, func(o *loss) float64 { return o.down }), keys)})
	}
	return v
}

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
		cells, least, times := level.positions(hashed(hash, at)), f.highest, int64(1)
		for _, cell := range cells {
			least = min(least, level.cells[cell])
		}
		full := least == f.highest
		if full {
			times = -f.highest
		}
		for _, cell := range cells { // two may be one, and none is below 0 or beyond its bits
			level.cells[cell] = max(0, min(f.highest, level.cells[cell]+times))
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

// low is how many counts of a stream are too low, by kind, and those that are 0 of the first one.
type low struct {
	keys, lost float64
	under      [3]float64
}

func levelled(run *trials.Run) claim.Value {
	const keys, draws, bits = 2000, 20_000, 48
	v := claim.Value{Name: "Counts of a bitwise filter that are too low", Readings: true,
		Where: `section Bitwise: "aims at solving both of the overflow and space problem"`,
		Rule:  claim.Never, Trial: "20,000 draws of 2,000 keys by Zipf's law, with 48 bits per key"}
	for _, skew := range []float64{0.6, 1, 1.4} {
		all := trials.Recall(run, fmt.Sprint("bitwise ", skew), run.Times(60, 6),
			func(rng *rand.Rand) (o low) {
				hashes, times := multiset(rng, keys, draws, skew)
				n, left := len(hashes), slices.Clone(times)
				cell := must(bitwise.New(bitwise.Config{Members: n, BitsPerKey: bits, Key: secret}))
				one, four := newByKey(n*bits, 1), newByKey(n*bits, 4)
				// keys come in turns, so that levels are shared while they fill
				for more := true; more; {
					more = false
					for i, hash := range hashes {
						if left[i] > 0 {
							left[i]--
							more = true
							one.add(hash)
							four.add(hash)
							must(cell.InsertHash(hash))
						}
					}
				}
				o.keys = float64(n)
				for i, hash := range hashes {
					for kind, count := range []uint64{one.count(hash), four.count(hash),
						cell.CountHash(hash)} {
						if count < uint64(times[i]) {
							o.under[kind]++
						}
						if count == 0 && kind == 0 {
							o.lost++
						}
					}
				}
				return o
			})
		came := trials.Column(all, func(o *low) float64 { return o.keys })
		for kind, name := range []string{"carries by the key", "carries by the key, widths of 4",
			"carries by the cell: filter/family/bitwise"} {
			v.Cells = append(v.Cells, claim.Cell{Row: name, Column: fmt.Sprint("skew ", skew),
				Published: none, Interval: claim.Among(
					trials.Column(all, func(o *low) float64 { return o.under[kind] }), came)})
		}
		lost := claim.Among(trials.Column(all, func(o *low) float64 { return o.lost }), came)
		v.Why = "where carries go by the key, one that seems full in a level by mistake removes " +
			"bits of others, and keys are lost: with a skew of 1.4 " +
			quantity.Percent(*lost.Measured) + " of them are not found at all"
	}
	return v
}
