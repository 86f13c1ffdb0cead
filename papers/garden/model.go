package garden

import (
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/papers/claim"
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
	for _, cell := range c.positions(hash) {
		c.cells[cell] += times
	}
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

// law is that of Zipf, of a number of keys.
type law struct {
	keys int
	skew float64
}

// chances returns the probability of each key.
var chances = known(func(l law) []float64 {
	p, sum := make([]float64, l.keys), 0.0
	for i := range p {
		p[i] = math.Pow(float64(i+1), -l.skew)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
})

// draws is a number of keys that come by a law.
type draws struct {
	law
	number int
}

// came is how many keys come, and how often these come.
type came struct {
	members int
	tail    bitwise.Tail
}

var cameBy = known(func(d draws) came {
	const most = 130
	means, atLeast := make([]float64, d.keys), make([]float64, most)
	for i, p := range chances(d.law) {
		means[i] = p * float64(d.number)
		below, term := 0.0, math.Exp(-means[i])
		for times := range most {
			atLeast[times] += 1 - below
			below += term
			term *= means[i] / float64(times+1)
		}
	}
	return came{int(math.Round(atLeast[1])), func(times uint64) float64 {
		if times < most {
			return atLeast[times] / atLeast[1]
		}
		more := 0
		for more < d.keys && means[more] >= float64(times) {
			more++
		}
		return float64(more) / atLeast[1]
	}}
})

// members returns how many keys come in a number of draws by the law of a claim.
func members(keys, number int) func(claim.Parameters) int {
	return func(at claim.Parameters) int {
		return cameBy(draws{law{keys, at.Float("skew")}, number}).members
	}
}
