package elastic

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/papers/trials"
)

// lemma returns the M of Lemma 4.1, and how many times b the bound (a/M)^M is there, as a
// logarithm.
func lemma(a, lnb float64) (m, over float64) {
	l := -lnb / 2
	m = a * l / math.Log(l)
	return m, m*math.Log(a/m) - lnb
}

// worst is how far the bound of Lemma 4.1 is above b, over all b below 1/9, in parts of -log b.
func worst(a float64) float64 {
	highest := math.Inf(-1)
	for lnb := -math.Log(9) - 1e-9; lnb > -600; lnb *= 1.001 {
		_, over := lemma(a, lnb)
		highest = max(highest, over/-lnb)
	}
	return highest
}

// buckets are m that fingerprints are thrown into: each of them into a random one.
type buckets struct {
	m    int
	load float64 // fingerprints per bucket, kn/m
}

func (b buckets) throws() float64 { return math.Round(b.load * float64(b.m)) }

// size is D, by Lemma 4.1 with ε = 1/m.
func (b buckets) size() float64 {
	d, _ := lemma(math.E*b.load, -2*math.Log(float64(b.m)))
	return d
}

// full is the chance that one of them has j fingerprints or more, as if they were independent.
func (b buckets) full(j int) float64 {
	m := float64(b.m)
	return -math.Expm1(m * math.Log1p(-trials.Tail(j, b.throws(), 1/m)))
}

// need is the least slots with which ε holds.
func (b buckets) need() (slots int) {
	for slots = 1; b.full(slots+1) > 1/float64(b.m); slots++ {
	}
	return slots
}

// beyondLast counts the buckets beyond the last of m that a compression reads, where bucket i is
// merged with bucket i + m/2, for i from 0 to m/2 less a number.
func beyondLast(m, less int) (beyond float64) {
	for i := 0; i <= m/2-less; i++ {
		if i+m/2 >= m {
			beyond++
		}
	}
	return beyond
}

// regrouped counts the filters of m buckets with a slot each that fit, and do not when they have
// expanded to 2m, over all hashes of m fingerprints. Buckets of a group share a bucket of level 2,
// also with one slot.
func regrouped(m int, group func(bucket int) int) (overflow float64) {
	fits := func(hashes []int, buckets int) bool {
		used, shared := make([]bool, buckets), make([]bool, buckets)
		for _, hash := range hashes {
			home, slot := hash%buckets, used
			if used[home] {
				home, slot = group(home), shared
			}
			if slot[home] {
				return false
			}
			slot[home] = true
		}
		return true
	}
	hashes := make([]int, m)
	var count func(next int)
	count = func(next int) {
		if next == m {
			if fits(hashes, m) && !fits(hashes, 2*m) {
				overflow++
			}
			return
		}
		for hashes[next] = range 2 * m {
			count(next + 1)
		}
	}
	count(0)
	return overflow
}

// shape is a size of buckets, and how many share one of level 2; 0 if there is none.
type shape struct{ log, size, branches int }

func (s shape) slots() float64 {
	groups := 0
	if s.branches > 0 {
		groups = (1<<s.log + s.branches - 1) / s.branches
	}
	return float64(s.size) * float64(1<<s.log+groups)
}

// load is the part of the slots that is expected to be used where the first bucket overflows, with
// fingerprints one by one: loads of buckets are Poisson's, and the buckets that share one of level
// 2 overflow where what they have beyond their own slots is more than it has.
func (s shape) load() float64 {
	groups, each := float64(int(1)<<s.log), 1
	if s.branches > 0 {
		groups, each = groups/float64(s.branches), s.branches
	}
	const step = 0.01
	fits := 0.0
	for mean := step / 2; ; mean += step {
		of := distuv.Poisson{Lambda: mean}
		beyond := []float64{of.CDF(float64(s.size))}
		for j := 1; j <= s.size && s.branches > 0; j++ {
			beyond = append(beyond, of.Prob(float64(s.size+j)))
		}
		sum := []float64{1}
		for range each {
			next := make([]float64, min(len(sum)+len(beyond)-1, s.size+1))
			for i, a := range sum {
				for j, b := range beyond[:min(len(beyond), len(next)-i)] {
					next[i+j] += a * b
				}
			}
			sum = next
		}
		all := math.Pow(min(floats.Sum(sum), 1), groups)
		if fits += all * step; all < 1e-6 {
			return fits * math.Exp2(float64(s.log)) / s.slots()
		}
	}
}
