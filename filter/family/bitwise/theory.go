package bitwise

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// Tail is how often members come: it returns the part of the members that come at least the given
// number of times. It is 1 for once.
type Tail func(times uint64) float64

// Zipf returns the tail of counts by Zipf's law: of n members the i-th most frequent one comes
// (n/i)^skew times. So the part of them that come at least c times is c^(-1/skew). With a skew of 0
// all come once.
func Zipf(skew float64) Tail {
	return func(times uint64) float64 { return elementary.Pow(float64(times), -1/skew) }
}

// exactly is the value of a cell of the first level up to which its distribution is computed, by
// equation 5. A cell with a higher value has it from one key: equation 6.
const exactly = 128

// load is what a level is expected to hold.
type load struct {
	zeros   float64 // the part of the cells whose value is 0: equation 1
	carries float64 // the part of the cells that have carried: equation 5 or 6
}

// loads calls next with the load of each level, the first level first. next returns the level
// above, or false if there is none.
func loads(first Level, hashes, members int, tail Tail, next func(load) (Level, bool)) {
	m := float64(first.Cells())
	keys := float64(members) * float64(hashes) / m // per cell
	// the number of parts that a cell is the sum of: keys, and above the first level cells
	parts := keys
	// the distribution of their sizes, as far as it is known
	sizes := make([]float64, exactly)
	for size := 1; size < exactly; size++ {
		sizes[size] = tail(uint64(size)) - tail(uint64(size)+1)
	}
	// exact: all m parts choose among m cells
	zeros := elementary.Exp(parts * m * elementary.Log1p(-1/m))
	for level, bits := first, 0; ; {
		bits += level.Width
		values := compound(parts, sizes)
		l := load{zeros: zeros}
		switch highest := 1 << level.Width; {
		case level.Width == lastWidth || bits >= 64: // no count has bits above these
		case highest <= len(values):
			below := 0.0
			for _, p := range values[:highest] {
				below += p
			}
			l.carries = max(0, 1-below)
		default:
			l.carries = -elementary.Expm1(-keys * tail(1<<bits))
		}
		above, more := next(l)
		if !more {
			return
		}
		sizes = carriesOf(values, level.Width, l.carries)
		per := float64(level.Cells()) / float64(above.Cells())
		keys *= per
		parts = per * l.carries
		zeros = elementary.Exp(-parts)
		level = above
	}
}

// compound returns the distribution of a sum of parts whose number is a Poisson variable with the
// given mean and whose sizes, above 0, have the given distribution (Panjer, ASTIN Bulletin 12,
// 1981). It goes as far as the distribution of the sizes.
func compound(mean float64, sizes []float64) []float64 {
	values := make([]float64, len(sizes))
	for value := range values {
		if value == 0 {
			values[0] = elementary.Exp(-mean)
			continue
		}
		sum := 0.0
		for size := 1; size <= value; size++ {
			sum += float64(float64(size) * sizes[size] * values[value-size])
		}
		values[value] = mean / float64(value) * sum
	}
	return values
}

// carriesOf returns the distribution of what cells have carried, among the cells that have carried.
// values is the distribution of their values, and the result goes as far as it.
func carriesOf(values []float64, width int, carry float64) []float64 {
	sizes := make([]float64, len(values)>>width)
	for value, p := range values[:len(sizes)<<width] {
		if size := value >> width; size > 0 && carry > 0 {
			sizes[size] += p / carry
		}
	}
	return sizes
}

// Rate returns the false-positive rate that is expected with a number of different members in
// (equation 1). It is the mean over hash keys, and does not depend on how often members come.
func (s Shape) Rate(members int) float64 {
	return rateOf(s.Levels[0].Cells(), s.Hashes, float64(members))
}

func rateOf(cells, hashes int, members float64) float64 {
	if cells == 1 || math.IsInf(members, 1) {
		return min(1, members)
	}
	return expected.RateOfBits(members, float64(cells), hashes)
}

// Over returns the part of the members that come the given number of times whose count is expected
// to be too high (equation 3). members is the number of different members that are in, and tail is
// how often they come. If the first level holds the count, that part is the rate.
func (s Shape) Over(times uint64, members int, tail Tail) float64 {
	top := 0 // the highest level that has bits of the count
	for bits := s.Levels[0].Width; top+1 < len(s.Levels) &&
		times>>bits > 0; bits += s.Levels[top].Width {
		top++
	}
	return s.rateWith(falseCarries(s.loads(members, tail)[:top+1]), members)
}

// Aged returns a bound of the rate however often all members are replaced by others, which come as
// tail says (equation 4). It is for filters that were planned for such members. A factor in it is
// from simulations, and not derived.
func (s Shape) Aged(members int, tail Tail) float64 {
	all := s.loads(members, tail)
	return s.rateWith(min(1, marked*all[0].carries*falseCarries(all)), members)
}

// marked is the factor 3/2 of equation 4. Its product with the part of the cells that carry and the
// part of these that seem to have carried more is a bound of the part of the cells of 0 that are
// marked and seem to be above 0 in the end. In simulations that part is 0.5 to 0.8 times the
// product of the two with several widths, and 1.36 times with widths of 1 (TestTurnovers).
const marked = 1.5

// falseCarries returns the part of the cells of the first level whose carries seem to be more than
// they are, if their bits reach to the last of the given levels (equation 2).
func falseCarries(levels []load) (part float64) {
	for at := len(levels) - 1; at > 0; at-- {
		part = 1 - float64(levels[at].zeros*(1-part))
	}
	return part
}

// rateWith returns the rate if a part of the cells of 0 seems to be above 0. It is the rate of a
// Bloom filter with as many more members as set that many more bits.
func (s Shape) rateWith(part float64, members int) float64 {
	cells := s.Levels[0].Cells()
	more := elementary.Log1p(-part) / elementary.Log1p(-1/float64(cells)) / float64(s.Hashes)
	return rateOf(cells, s.Hashes, float64(members)+more)
}

func (s Shape) loads(members int, tail Tail) (all []load) {
	loads(s.Levels[0], s.Hashes, members, tail, func(l load) (Level, bool) {
		all = append(all, l)
		if len(all) == len(s.Levels) {
			return Level{}, false
		}
		return s.Levels[len(all)], true
	})
	return all
}
