package garden

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// counters is a model of cells that count, for what no kind of filter has: without a width of the
// cells, in sections, with signs.
type counters struct {
	cells     []int64
	hashes    int
	sectioned bool // the i-th hash has a cell of the i-th section, not one of all
}

func newCounters(m, k int, sectioned bool) *counters {
	return &counters{cells: make([]int64, m), hashes: k, sectioned: sectioned}
}

// positions appends the cells of a key.
func (c *counters) positions(own []int, hash uint64) []int {
	for i := range c.hashes {
		hash = probe.Next(hash)
		if c.sectioned {
			size := len(c.cells) / c.hashes
			own = append(own, i*size+int(probe.Reduce(hash, uint64(size))))
		} else {
			own = append(own, int(probe.Reduce(hash, uint64(len(c.cells)))))
		}
	}
	return own
}

// add adds a number to the count of a key.
func (c *counters) add(hash uint64, times int64) {
	var own [16]int
	for _, cell := range c.positions(own[:0], hash) {
		c.cells[cell] += times
	}
}

// least is the estimate of minimum selection, of cells that stop at a highest value.
func (c *counters) least(hash uint64, highest int64) int64 {
	var own [16]int
	for _, cell := range c.positions(own[:0], hash) {
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

// chances returns the probability of each key of Zipf's law.
func chances(keys int, skew float64) []float64 {
	p, sum := make([]float64, keys), 0.0
	for i := range p {
		p[i] = math.Pow(float64(i+1), -skew)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// members returns how many keys come in a number of draws by the law of a claim.
func members(keys, draws int) func(claim.Parameters) int {
	return func(at claim.Parameters) int {
		came, _ := cameBy(keys, draws, at.Float("skew"))
		return came
	}
}

// tail returns the probability that of n throws, each with the chance p, j or more hit.
func tail(j int, n, p float64) float64 {
	if j <= 0 {
		return 1
	}
	if float64(j) > n {
		return 0
	}
	return distuv.Beta{Alpha: float64(j), Beta: n - float64(j) + 1}.CDF(p)
}
