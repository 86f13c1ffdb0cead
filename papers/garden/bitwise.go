package garden

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
)

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

// What is counted.
const (
	levelledKeys  = 2000
	levelledDraws = 20_000
)

// counters of as many bits
const (
	byTheCell = "bitwise with carries by the cell"
	wide      = "counters of 16 bits" // which hold all counts
)

var levelledKinds = []string{byTheCell, wide, "bitwise with carries by the key",
	"bitwise with widths of 4"}

// levels is what a stream of a skew needs with some bits per key: the keys that come, the shape of
// a bitwise filter, and the cells and hashes of wide counters.
type levels struct {
	came
	shape bitwise.Shape
	m, k  int
}

type levelling struct {
	skew float64
	bits int // per key
}

var levelsFor = known(func(p levelling) (l levels) {
	l.came = cameBy(draws{law{levelledKeys, p.skew}, levelledDraws})
	l.shape = must((&bitwise.Config{Members: l.members, BitsPerKey: float64(p.bits),
		Tail: l.tail}).Shape())
	l.m = l.members * p.bits / 16
	l.k = max(1, int(math.Round(bestHashes(float64(l.m), float64(l.members)))))
	return l
})

func levelsOf(at claim.Parameters) levels {
	return levelsFor(levelling{at.Float("skew"), at.Int("bits per key")})
}

// carried are the counts of a stream by kind, a key: that are wrong, too low, and 0, and how far
// they are off.
var carried = claim.Simulation{
	Name:  claim.Named("bitwise %v %v", "skew", "bits per key"),
	Times: claim.Times(60, 6), Point: claim.Along("counters", levelledKinds),
	Trial: func(rng *rand.Rand, at claim.Parameters) claim.Outcome {
		l, bits := levelsOf(at), at.Int("bits per key")
		hashes, times := multiset(rng, levelledKeys, levelledDraws, at.Float("skew"))
		f, c := must(bitwise.NewShape(l.shape, l.members, secret)), newCounters(l.m, l.k, false)
		one, four := newByKey(l.members*bits, 1), newByKey(l.members*bits, 4)
		left := slices.Clone(times)
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
		var wrong, under, lost, off [4]float64
		each := 1 / float64(len(hashes))
		for i, hash := range hashes {
			for kind, count := range [4]uint64{f.CountHash(hash),
				uint64(c.least(hash, endless)), one.count(hash), four.count(hash)} {
				change := int64(count) - times[i]
				if change != 0 {
					wrong[kind] += each
				}
				if change < 0 {
					under[kind] += each
				}
				if count == 0 {
					lost[kind] += each
				}
				off[kind] += math.Abs(float64(change)) * each
			}
		}
		return claim.Outcome{"wrong": wrong[:], "under": under[:], "lost": lost[:], "off": off[:]}
	},
}

// levelled is the section on the bitwise filter.
func levelled() claim.Quantities {
	return claim.Quantities{
		"counts that are wrong": measured(carried.Mean("wrong"), meanField,
			func(at claim.Parameters) float64 {
				switch l := levelsOf(at); at.Text("counters") {
				case byTheCell:
					return overOf(l.shape, l.members, l.tail)
				case wide:
					return expected.RateOfBits(float64(l.members-1), float64(l.m), l.k)
				}
				return math.NaN()
			}),
		"mean error of a count": {Trials: carried.Mean("off")},
		"keys that are counted less often than they came": measured(
			carried.Mean("under").Of(members(levelledKeys, levelledDraws)), exact,
			func(at claim.Parameters) float64 {
				if at.Text("counters") == byTheCell {
					return 0
				}
				return math.NaN()
			}),
		"keys that are not found at all": carried.Mean("lost").Share(),
	}
}
