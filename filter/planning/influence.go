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

// influence is how much the classes of a block's keys matter to its false-positive rate.
type influence struct {
	keys  float64  // the number of keys of equal influence that would make it vary as much
	class arrivals // the influence of a class's keys, 1 where it is that of all
}

// arrivals returns what a block got that has more keys than the mean, by a part of them.
func (f *influence) arrivals(more float64) *arrivals {
	got := f.class
	for _, class := range got.classes() {
		*class = max(0, 1+more**class)
	}
	return &got
}

// influence derives that of each class. Where the logarithm of the rate has the slope G_c over that
// of the number of keys N_c of class c, a block's surplus of x keys in the class counts for
// x G_c/N_c. The numbers are independent Poisson variables, so the logarithm has the variance
// V = sum of G_c^2/N_c, which a single class of (sum of G_c)^2 / V keys would give it as well.
//
// The slopes are those of a block with K/2 keys more than the mean: the block of a false positive has
// about K more, where blocks hold few keys, and this is halfway.
func (past *history) influence() *influence {
	miss := exactly(past.w).miss
	log := func(got *arrivals) float64 {
		set := past.cell(got, odds{miss, miss}).set() // those of a Poisson variable, which do for slopes
		return math.Log(overPatterns(&past.patterns, &set))
	}
	numbers := past.numbers()
	f := &influence{keys: past.load, class: even}
	if log(&even) > -1e-12 {
		return f // every block is full
	}
	typical := even
	for _, class := range typical.classes() {
		*class += lanes / 2.0 / (past.load * (1 + past.h*float64(past.steps())))
	}
	typical.stayed = max(typical.stayed, 1/past.load) // or it would be the block of no false positive
	const step = 0.02
	base, sum, variance := log(&typical), 0.0, 0.0
	for i, n := range numbers.classes() {
		slope := 0.0
		if *n > 0 {
			more := typical
			*more.classes()[i] *= 1 + step
			slope = max(0, (log(&more)-base)/math.Log1p(step))
			variance += slope * slope / *n
			sum += slope
			slope /= *n
		}
		*f.class.classes()[i] = slope
	}
	scale := sum / variance
	for _, class := range f.class.classes() {
		*class *= scale
	}
	f.keys = sum * scale
	return f
}

// exactly returns the odds of one of w cells and a key that has one of them.
func exactly(w float64) odds { return odds{miss: -math.Log1p(-1 / w), hit: 1 / (w - 1)} }

// odds returns those of a cell in a block whose total of keys is known, while when they came is not.
//
// Given the total, each key hits the cell with probability 1/W, which makes fewer pairs of keys in it
// than a Poisson variable: the difference of exactly(W) to the Poisson variable's odds takes them
// from those that collide. But pairs collide only where the lifetimes overlap, and the fluctuation
// of the total, which gives the pairs back, gives them to all of the history. So only a part of the
// difference is taken: that with which a cell's chance to be without collisions, over all totals, is
// what it is for a cell among all the table's, where no total needs to be known.
func (past *history) odds(blocks float64, f *influence) odds {
	last := past.steps()
	all := exactly(past.w * blocks)
	want := past.cell(&even, odds{all.miss * blocks, all.hit * blocks}).s[last]

	known := exactly(past.w)
	const nodes = 4 // more change nothing
	mean := func(hit float64) (s float64) {
		for _, node := range binomialNodes(f.keys, 1/blocks, nodes) {
			s += node.weight * past.cell(f.arrivals(node.at/f.keys-1), odds{known.miss, hit}).s[last]
		}
		return s
	}
	none, whole := mean(known.miss), mean(known.hit)
	if none != whole {
		known.hit = known.miss + (want-none)/(whole-none)*(known.hit-known.miss)
	}
	return known
}
