package expected

import (
	"math"

	"github.com/bloomlane/bloomlane/internal/elementary"
)

// Block is how the keys of a block hit its cells. The cells of all blocks are a linear counter
// (Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting algorithm for database
// applications", ACM TODS, 1990): a cell of B blocks is clear after n keys with the probability
//
//	z = (1 - hit/B)^n
//
// so n follows from the share of the cells that are clear.
type Block struct {
	Cells int
	Hit   float64 // the probability that a key of the block hits a cell

	// Pairs are the other cells of the block, from the view of one.
	Pairs []Pair
}

// Pair is a number of cells, and the probability that a key of the block hits one of them, or
// another given one, or both.
type Pair struct{ Cells, Hit float64 }

// Block returns the block of lanes.
func (shape Lanes) Block() Block {
	w, k := float64(shape.Bits), float64(shape.Count)
	return Block{Cells: shape.Count * shape.Bits, Hit: 1 / w,
		Pairs: []Pair{{w - 1, 2 / w}, {float64((k - 1) * w), (2 - 1/w) / w}}}
}

// BlockOfBits returns a block of m bits, of which a key has k at random, which may coincide.
func BlockOfBits(m, k int) Block {
	hit := func(cells float64) float64 {
		return -elementary.Expm1(float64(k) * elementary.Log1p(max(-1, -cells/float64(m))))
	}
	return Block{Cells: m, Hit: hit(1), Pairs: []Pair{{float64(m - 1), hit(2)}}}
}

// missed returns the logarithm of the probability that no key hits, of those that choose among
// nblocks and then hit with a probability.
func missed(keys float64, nblocks int, hit float64) float64 {
	return float64(keys * elementary.Log1p(-hit/float64(nblocks)))
}

// Keys returns about how many different keys leave a number of cells of nblocks blocks clear. If
// none is clear it counts as if half a cell were.
func (b Block) Keys(zeros, nblocks int) float64 {
	share := max(0.5, float64(zeros)) / (float64(b.Cells) * float64(nblocks))
	return elementary.Log(share) / missed(1, nblocks, b.Hit)
}

// Variance returns the variance of [Block.Keys], for a number of keys in nblocks blocks: that of the
// number Z of clear cells, over the square of the slope of its mean. Let there be N cells, and c
// of them in a block. With d the probability that two cells of different blocks are clear, and e for
// the other cells of one block,
//
//	Var Z = N (z + sum of e - c d + N (d - z^2))
func (b Block) Variance(keys float64, nblocks int) float64 {
	if keys == 0 {
		return 0
	}
	cells, all := float64(b.Cells), float64(float64(b.Cells)*float64(nblocks))
	one := missed(keys, nblocks, b.Hit)
	sum := elementary.Exp(-one) - cells // Var Z / N z^2
	if nblocks > 1 {
		apart := missed(keys, nblocks, 2*b.Hit) - float64(2*one) // log(d / z^2)
		sum += float64((all - cells) * elementary.Expm1(apart))
	}
	for _, pair := range b.Pairs {
		sum += float64(pair.Cells * elementary.Exp(missed(keys, nblocks, pair.Hit)-float64(2*one)))
	}
	slope := missed(1, nblocks, b.Hit)
	return max(0, sum) / (all * slope * slope)
}

// Estimate is a number of keys, which is between two bounds with 95 %.
type Estimate struct{ Members, Low, High float64 }

// Estimate estimates how many different keys leave a number of cells of nblocks blocks clear.
func (b Block) Estimate(zeros, nblocks int) Estimate {
	keys := b.Keys(zeros, nblocks)
	e := within(keys, b.Variance(keys, nblocks))
	if zeros == 0 {
		e.High = math.Inf(1)
	}
	return e
}

// Common estimates how many keys two tables of nblocks have in common, from the clear cells of each
// and of their merge. With V the variance of a table, its variance is that of the merge, less those
// of the two, plus twice that of the common keys: a cell that is clear in the merge is clear in
// both, and a cell is clear in both more often than by chance as far as the common keys make it so.
func (b Block) Common(first, second, merged, nblocks int) Estimate {
	n, m, all := b.Keys(first, nblocks), b.Keys(second, nblocks), b.Keys(merged, nblocks)
	keys := min(max(0, n+m-all), n, m)
	v := func(keys float64) float64 { return b.Variance(keys, nblocks) }
	e := within(keys, v(all)-v(n)-v(m)+float64(2*v(keys)))
	if merged == 0 {
		e.Low, e.High = 0, math.Inf(1)
	}
	return e
}

// within returns the estimate of keys with a variance.
func within(keys, variance float64) Estimate {
	const z, rounding = 1.959963984540054, 1e-9
	deviation := float64(z*math.Sqrt(max(0, variance))) + float64(rounding*keys)
	return Estimate{keys, max(0, keys-deviation), keys + deviation}
}
