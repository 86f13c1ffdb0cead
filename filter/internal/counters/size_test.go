package counters

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// filled returns counters at the load of a Bloom filter with the best k, of half of them above 0:
// by keys that come once each (skew below 0), or by a stream of ten times as many draws by Zipf's
// law.
func filled(t testing.TB, m uint64, skew float64) *Array {
	t.Helper()
	a := New(ShapeOf(m), 1)
	n := uint64(float64(m) * math.Ln2)
	add := func(hash uint64) {
		p := a.At(hash)
		a.Set(p, a.Get(p)+1)
	}
	if skew < 0 {
		rng := rand.New(rand.NewPCG(7, 8))
		for range n {
			add(rng.Uint64())
		}
		return a
	}
	stream, err := workload.Zipf(n, skew, 9)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 * n {
		add(stream.Hash(stream.Next()))
	}
	return a
}

// sizes returns, in bits per counter, the memory, the codes with the index, the codes, the entropy
// of the counters, and the bound of the paper: the sum of ceil(log2) of them, of which it takes 1
// at least per counter.
func sizes(a *Array) (memory, indexed, codes, entropy, paper float64) {
	m := float64(a.Counters())
	frequency := map[uint64]float64{}
	for i := range a.Counters() {
		value := a.Get(a.Index(i))
		frequency[value]++
		paper += float64(max(1, bits.Len64(max(value, 1)-1)))
	}
	for _, n := range frequency {
		entropy -= n / m * math.Log2(n/m)
	}
	_, size := a.Count()
	return 8 * float64(a.Bytes()) / m, (float64(size) + 8*slice*float64(a.Pages)) / m,
		(float64(size) - header*64*float64(a.Pages)) / m, entropy, paper / m
}

// The table of doc.go.
func TestBitsPerCounter(t *testing.T) {
	for _, row := range []struct{ skew, memory, indexed, codes, entropy, paper float64 }{
		{-1, 2.82, 2.44, 1.82, 1.59, 1.03}, {0, 5.83, 5.56, 4.93, 3.32, 2.52},
		{0.5, 5.46, 5.23, 4.60, 3.48, 2.37},
		{1, 3.79, 3.52, 2.89, 2.69, 1.57}, {1.5, 2.06, 1.86, 1.24, 0.63, 1.06},
	} {
		memory, indexed, codes, entropy, paper := sizes(filled(t, 1<<17, row.skew))
		for i, pair := range [][2]float64{
			{memory, row.memory}, {indexed, row.indexed}, {codes, row.codes},
			{entropy, row.entropy},
			{paper, row.paper},
		} {
			if math.Abs(pair[0]-pair[1]) > 0.006 {
				t.Errorf("skew %g: size %d is %.3f, documented %g", row.skew, i, pair[0], pair[1])
			}
		}
		if codes < entropy {
			t.Errorf("skew %g: codes of %g bits for an entropy of %g", row.skew, codes, entropy)
		}
	}
}
