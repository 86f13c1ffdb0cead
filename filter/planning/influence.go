package planning

import "math"

// ages is the number of classes of the keys that have left by the end, by when they came: one of
// the members that were there at the start, and the others by equal parts of the time since.
const ages = 5

// arrivals says how many keys a block got, class by class, as multiples of the mean: those that are
// there at the end, and those that have left.
type arrivals struct {
	stayed float64
	left   [ages]float64
}

// even are the arrivals of a block that got the mean of every class.
var even = arrivals{1, [ages]float64{1, 1, 1, 1, 1}}

// classes returns the values of a for its classes, one after another.
func (a *arrivals) classes() [1 + ages]*float64 {
	return [1 + ages]*float64{&a.stayed, &a.left[0], &a.left[1], &a.left[2], &a.left[3], &a.left[4]}
}

// class returns the class of the keys that were born in step k and left.
func (past *history) class(k int) int { return 1 + k*(ages-1)/past.steps() }

// numbers returns the mean numbers of keys of a block's classes.
func (past *history) numbers() (n arrivals) {
	n.stayed = past.load
	n.left[0] = past.load * past.lived[past.steps()]
	for k := range past.steps() {
		n.left[past.class(k)] += past.load * max(0, past.h-past.staying(k))
	}
	return n
}

// influence says how the numbers of a block's keys vary: those that are there at the end, and those
// that have left, each of which counts by what it matters to the false-positive rate.
type influence struct {
	blocks float64 // of the table
	stayed float64 // the mean number of keys that are there at the end

	// the number of keys of equal influence that would make the rate vary as much
	left  float64
	class [ages]float64 // the influence of a class's keys, 1 where it is that of all
}

// each calls do with the arrivals of blocks, what part of all blocks they stand for, and how many
// keys more than the mean they have, of either number: a Gauss quadrature over the two numbers,
// which are independent.
func (f *influence) each(by nodes, do func(got *arrivals, part float64, surplus [2]float64)) {
	left := binomialNodes(f.left, 1/f.blocks, by.left)
	for _, s := range binomialNodes(f.stayed, 1/f.blocks, by.stayed) {
		for _, l := range left {
			got := arrivals{stayed: s.at / f.stayed, left: even.left}
			if f.left > 0 {
				for i, class := range f.class {
					got.left[i] = max(0, 1+(l.at/f.left-1)*class)
				}
			}
			do(&got, s.weight*l.weight, [2]float64{s.at - f.stayed, l.at - f.left})
		}
	}
}

// nodes are those of a quadrature over the two numbers of a block's keys.
type nodes struct{ stayed, left int }

// influence derives that of each class of the keys that left. Where the logarithm of the rate has
// the slope G_c over that of the number of keys N_c of class c, a block's surplus of x keys in the
// class counts for x G_c/N_c. The numbers are independent Poisson variables, so the logarithm has
// the variance V = sum of G_c^2/N_c, which a single class of (sum of G_c)^2 / V keys would give it
// as well.
//
// The slopes are those of a block with K/2 keys more than the mean: the block of a false positive
// has about K more, where blocks hold few keys, and this is halfway.
func (past *history) influence(blocks float64) *influence {
	miss := exactly(past.w).miss
	log := func(got *arrivals) float64 {
		// those of a Poisson variable, which do for slopes
		set := past.cell(got, odds{miss, miss}).set()
		return math.Log(overPatterns(&past.patterns, &set))
	}
	numbers := past.numbers()
	f := &influence{blocks: blocks, stayed: past.load, class: even.left}
	for _, n := range numbers.left {
		f.left += n
	}
	if log(&even) > -1e-12 {
		return f // every block is full
	}
	typical := even
	for _, class := range typical.classes() {
		*class += lanes / 2.0 / (past.load * (1 + past.h*float64(past.steps())))
	}
	// or it would be the block of no false positive
	typical.stayed = max(typical.stayed, 1/past.load)
	const step = 0.02
	base, sum, variance := log(&typical), 0.0, 0.0
	var slopes [ages]float64 // for each key
	for i, n := range numbers.left {
		if n == 0 {
			continue
		}
		more := typical
		more.left[i] *= 1 + step
		slope := max(0, (log(&more)-base)/math.Log1p(step))
		variance += slope * slope / n
		sum += slope
		slopes[i] = slope / n
	}
	if variance == 0 {
		return f // hardly any left
	}
	scale := sum / variance
	for i := range slopes {
		f.class[i] = slopes[i] * scale
	}
	f.left = sum * scale
	return f
}

// exactly returns the odds of one of w cells and a key that has one of them.
func exactly(w float64) odds { return odds{miss: -math.Log1p(-1 / w), hit: 1 / (w - 1)} }

// odds returns those of a cell in a block whose total of keys is known, while when they came is
// not.
//
// Given the total, each key hits the cell with probability 1/W, which makes fewer pairs of keys in
// it than a Poisson variable: the difference of exactly(W) to the Poisson variable's odds takes
// them from those that collide. But pairs collide only where the lifetimes overlap, and the
// fluctuation of the total, which gives the pairs back, gives them to all of the history. So only a
// part of the difference is taken: that with which a cell's chance to be without collisions, over
// all totals, is what it is for a cell among all the table's, where no total needs to be known.
func (past *history) odds(f *influence, by nodes) odds {
	last := past.steps()
	all := exactly(past.w * f.blocks)
	want := past.cell(&even, odds{all.miss * f.blocks, all.hit * f.blocks}).s[last]

	known := exactly(past.w)
	mean := func(hit float64) (s float64) {
		f.each(by, func(got *arrivals, part float64, _ [2]float64) {
			s += part * past.cell(got, odds{known.miss, hit}).s[last]
		})
		return s
	}
	none, whole := mean(known.miss), mean(known.hit)
	if none != whole {
		known.hit = known.miss + (want-none)/(whole-none)*(known.hit-known.miss)
	}
	return known
}
