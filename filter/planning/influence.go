package planning

import "github.com/bloomlane/bloomlane/internal/elementary"

// ages is the number of classes of the keys that have left by the end. One class has the members
// that were there at the start, and the others have the keys that came in equal parts of the time
// since.
const ages = 5

// arrivals says how many keys of each class a block got, as multiples of the mean: keys that are
// there at the end, and keys that have left.
type arrivals struct {
	stayed float64
	left   [ages]float64
}

// even are the arrivals of a block that got the mean number of each class.
var even = arrivals{1, [ages]float64{1, 1, 1, 1, 1}}

// classes returns the values of a for its classes, one after another.
func (a *arrivals) classes() [1 + ages]*float64 {
	return [1 + ages]*float64{&a.stayed, &a.left[0], &a.left[1], &a.left[2], &a.left[3], &a.left[4]}
}

// numbers returns the mean numbers of keys of a block's classes.
func (past *history) numbers() (n arrivals) {
	n.stayed = past.load
	n.left[0] = past.load * past.lived[past.steps()]
	for k := range past.steps() {
		n.left[past.class[k]] += float64(past.load * max(0, past.h-past.staying(k)))
	}
	return n
}

// influence says how the number of keys that are there at the end varies between blocks, and that
// of the keys that have left. The latter count by their influence on the false-positive rate.
type influence struct {
	blocks float64 // the number of blocks of the table
	stayed float64 // the mean number of keys that are there at the end

	// the number of keys of equal influence that would make the rate vary as much
	left  float64
	class [ages]float64 // the influence of a key of a class, relative to the mean
}

// each calls do with the nodes of a Gauss quadrature over the two numbers, which are independent:
// the arrivals of blocks, the share of all blocks that they stand for, and by how many keys they
// exceed the mean of the two numbers.
func (f *influence) each(by nodes, do func(got *arrivals, part float64, surplus [2]float64)) {
	left := binomialNodes(f.left, 1/f.blocks, by.left)
	for _, s := range binomialNodes(f.stayed, 1/f.blocks, by.stayed) {
		for _, l := range left {
			got := arrivals{stayed: s.x / f.stayed, left: even.left}
			if f.left > 0 {
				for i, class := range f.class {
					got.left[i] = max(0, 1+float64((l.x/f.left-1)*class))
				}
			}
			do(&got, s.weight*l.weight, [2]float64{s.x - f.stayed, l.x - f.left})
		}
	}
}

// nodes are the numbers of nodes of the quadrature over the two numbers of keys.
type nodes struct{ stayed, left int }

// influence computes the influence of each class of keys that left. G_c is the slope of the
// logarithm of the rate over the logarithm of the number N_c of keys of class c. Then a surplus of
// x keys of the class counts as x G_c/N_c. The numbers are independent Poisson variables, so the
// variance of the logarithm is V = sum of G_c^2/N_c. A single class of (sum of G_c)^2 / V keys
// would give the same variance.
//
// The slopes are those of a block with K/2 keys more than the mean. If blocks hold few keys, the
// block of a false positive has about K keys more than the mean, and this is halfway.
func (past *history) influence(blocks float64) *influence {
	miss := exactly(past.w).miss
	log := func(got *arrivals) float64 {
		// the odds of a Poisson variable, which are good enough for slopes
		set := past.cell(got, odds{miss, miss}).set()
		return elementary.Log(overPatterns(&past.patterns, &set))
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
		*class += lanes / 2.0 / (past.load * (1 + float64(past.h*float64(past.steps()))))
	}
	// with no key the block would have no false positive
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
		slope := max(0, (log(&more)-base)/elementary.Log1p(step))
		variance += slope * slope / n
		sum += slope
		slopes[i] = slope / n
	}
	if variance == 0 {
		return f // hardly any key has left
	}
	scale := sum / variance
	for i := range slopes {
		f.class[i] = slopes[i] * scale
	}
	f.left = sum * scale
	return f
}

// exactly returns the odds of one of w cells and a key that has one of them.
func exactly(w float64) odds { return odds{miss: -elementary.Log1p(-1 / w), hit: 1 / (w - 1)} }

// odds returns the odds of a cell in a block whose total number of keys is known, but not the times
// at which they came.
//
// Given the total, each key hits the cell with probability 1/W. That makes fewer pairs of keys in a
// cell than a Poisson variable, by the difference between exactly(W) and the odds of a Poisson
// variable. But a pair collides only if the lifetimes overlap, while the fluctuation of the total,
// which brings the pairs back, does so for the whole history. So only a part of the difference is
// used. It is chosen so that the probability of a cell to be without collisions, as a mean over all
// totals, equals that of a cell of the whole table, for which no total needs to be known.
func (past *history) odds(f *influence, grid nodes) odds {
	last := past.steps()
	all := exactly(float64(past.w * f.blocks))
	want := past.cell(&even, odds{all.miss * f.blocks, all.hit * f.blocks}).s[last]

	known := exactly(past.w)
	mean := func(hit float64) (s float64) {
		f.each(grid, func(got *arrivals, part float64, _ [2]float64) {
			s += float64(part * past.cell(got, odds{known.miss, hit}).s[last])
		})
		return s
	}
	none, whole := mean(known.miss), mean(known.hit)
	if none != whole {
		known.hit = known.miss + float64((want-none)/(whole-none)*(known.hit-known.miss))
	}
	return known
}
