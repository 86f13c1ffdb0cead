package bitwise

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/expected"
)

// Tail is how often members come: the part of them that come at least so many times, which is 1 for
// once.
type Tail func(times uint64) float64

// Zipf returns the tail of counts by Zipf's law: of n members the i-th most frequent one comes
// (n/i)^skew times. So the part of them that come at least c times is c^(-1/skew). With a skew of 0
// all come once.
func Zipf(skew float64) Tail {
	return func(times uint64) float64 { return math.Pow(float64(times), -1/skew) }
}

// exactly is up to which value of a cell of the first level its distribution is computed, equation
// 4. Beyond there a cell gets as high by one key that is, equation 5.
const exactly = 128

// load is what a level is expected to hold.
type load struct {
	zeros   float64 // the part of the cells whose value is 0: equation 1
	carries float64 // the part of the cells that have carried: equation 4 or 5
}

// loads calls next with the loads of the levels, the first level first. With what it gets, next
// returns the level after it, and false where there is none.
func loads(first Level, hashes, members int, tail Tail, next func(load) (Level, bool)) {
	m := float64(first.Cells())
	keys := float64(members) * float64(hashes) / m // of a cell
	// that a cell is the sum of: keys, then cells of the level below
	parts := keys
	// the distribution of these, as far as it is known
	sizes := make([]float64, exactly)
	for size := 1; size < exactly; size++ {
		sizes[size] = tail(uint64(size)) - tail(uint64(size)+1)
	}
	zeros := math.Exp(parts * m * math.Log1p(-1/m)) // exact: all m parts choose among m cells
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
			l.carries = -math.Expm1(-keys * tail(1<<bits))
		}
		above, more := next(l)
		if !more {
			return
		}
		sizes = carriesOf(values, level.Width, l.carries)
		per := float64(level.Cells()) / float64(above.Cells())
		keys *= per
		parts = per * l.carries
		zeros = math.Exp(-parts)
		level = above
	}
}

// compound returns the distribution of a sum of parts, as many as a Poisson variable of a mean,
// with a distribution of sizes above 0 (Panjer, ASTIN Bulletin 12, 1981): as far as that of the
// sizes is known.
func compound(mean float64, sizes []float64) []float64 {
	values := make([]float64, len(sizes))
	for value := range values {
		if value == 0 {
			values[0] = math.Exp(-mean)
			continue
		}
		sum := 0.0
		for size := 1; size <= value; size++ {
			sum += float64(size) * sizes[size] * values[value-size]
		}
		values[value] = mean / float64(value) * sum
	}
	return values
}

// carriesOf returns the distribution of what cells of a distribution of values have carried, of
// those that have: as far as it is known.
func carriesOf(values []float64, width int, carry float64) []float64 {
	sizes := make([]float64, len(values)>>width)
	for value, p := range values[:len(sizes)<<width] {
		if size := value >> width; size > 0 && carry > 0 {
			sizes[size] += p / carry
		}
	}
	return sizes
}

// Rate returns the false-positive rate that is expected with a number of different members in, in
// the mean over hash keys: equation 1. How often they come does not matter.
func (s Shape) Rate(members int) float64 {
	return rateOf(s.Levels[0].Cells(), s.Hashes, float64(members))
}

func rateOf(cells, hashes int, members float64) float64 {
	if cells == 1 || math.IsInf(members, 1) {
		return min(1, members)
	}
	return expected.RateOfBits(members, float64(cells), hashes)
}

// Over returns the part of the members that come so many times whose count is expected to be too
// high, with a number of members in, which come as a tail has it: equation 3. For those whose bits
// all are in the first level it is the rate.
func (s Shape) Over(times uint64, members int, tail Tail) float64 {
	top := 0 // the highest level that has bits of the count
	for bits := s.Levels[0].Width; top+1 < len(s.Levels) &&
		times>>bits > 0; bits += s.Levels[top].Width {
		top++
	}
	return s.rateWith(falseCarries(s.loads(members, tail)[:top+1]), members)
}

// Aged returns a rate that is not passed, however often all members are replaced by others that
// come as a tail has it: equation 4. It is for filters that are planned for such members.
func (s Shape) Aged(members int, tail Tail) float64 {
	all := s.loads(members, tail)
	return s.rateWith(min(1, marked*all[0].carries*falseCarries(all)), members)
}

// marked times the part of the cells that carry, and that of these that seem to have carried more,
// is more than the part of the cells of 0 that are marked and seem to be above 0, in the end: 0.5
// to 0.8 times in simulations with several widths, and 1.36 times with widths of 1 (TestTurnovers).
const marked = 1.5

// falseCarries returns the part of the cells of the first level whose carries seem to be more than
// they are, where their bits reach to the last of some levels: equation 2.
func falseCarries(levels []load) (part float64) {
	for at := len(levels) - 1; at > 0; at-- {
		part = 1 - levels[at].zeros*(1-part)
	}
	return part
}

// rateWith returns the rate where of the cells that are 0 a part seems not to be: that of a Bloom
// filter of so many more members that as much more of its bits are set.
func (s Shape) rateWith(part float64, members int) float64 {
	cells := s.Levels[0].Cells()
	more := math.Log1p(-part) / math.Log1p(-1/float64(cells)) / float64(s.Hashes)
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
