package garden

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// counters is a model of cells that count, for what no kind of filter has: without a width of the
// cells, in sections, with signs.
type counters struct {
	cells     []int64
	hashes    int
	sectioned bool  // the i-th hash has a cell of the i-th section, not one of all
	own       []int // cells of the key at hand
}

func newCounters(m, k int, sectioned bool) *counters {
	return &counters{make([]int64, m), k, sectioned, make([]int, k)}
}

// positions returns the cells of a key, until it is called again.
func (c *counters) positions(hash uint64) []int {
	size, section := len(c.cells), 0
	if c.sectioned {
		size /= c.hashes
		section = size
	}
	for i := range c.own {
		hash = probe.Next(hash)
		c.own[i] = i*section + int(probe.Reduce(hash, uint64(size)))
	}
	return c.own
}

// change replaces the values of a key's cells.
func (c *counters) change(hash uint64, to func(value int64) int64) {
	for _, cell := range c.positions(hash) {
		c.cells[cell] = to(c.cells[cell])
	}
}

// add adds a number to the count of a key.
func (c *counters) add(hash uint64, times int64) {
	c.change(hash, func(value int64) int64 { return value + times })
}

// least is the estimate of minimum selection, of cells that stop at a highest value.
func (c *counters) least(hash uint64, highest int64) int64 {
	for _, cell := range c.positions(hash) {
		highest = min(highest, c.cells[cell])
	}
	return highest
}

// endless is the highest value of cells that do not stop.
const endless = math.MaxInt64

// multiset draws a stream of keys by Zipf's law: the hash of each, and how often it came, if it
// did.
func multiset(rng *rand.Rand, keys, draws int, skew float64) (hashes []uint64, times []int64) {
	stream := must(workload.Zipf(uint64(keys), skew, rng.Uint64()))
	times = make([]int64, keys)
	for range draws {
		times[stream.Next()]++
	}
	came := 0
	for i, n := range times {
		if n > 0 {
			hashes, times[came] = append(hashes, stream.Hash(uint64(i))), n
			came++
		}
	}
	return hashes, times[:came]
}
