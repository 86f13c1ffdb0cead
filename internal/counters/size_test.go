package counters

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/workload"
)

// filled returns counters at the load of a Bloom filter with the best k, of half of them above 0: by keys that
// come once each (skew below 0), or by a stream of ten times as many draws by Zipf's law.
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

// sizes returns, in bits per counter, the memory, the codes with the index, the codes, the entropy of the
// counters, and the bound of the paper: the sum of ceil(log2) of them, of which it takes 1 at least per counter.
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

// The table of the documentation.
func TestBitsPerCounter(t *testing.T) {
	m := uint64(1 << 19)
	if testing.Short() {
		m = 1 << 17
	}
	for _, row := range []struct{ skew, memory, codes, entropy, paper float64 }{
		{-1, 2.66, 1.80, 1.68, 1.04}, {0, 5.6, 4.7, 3.6, 2.2}, {0.5, 5, 4, 3, 2}, {1, 4, 3, 3, 2}, {1.5, 2, 2, 1, 1},
	} {
		memory, indexed, codes, entropy, paper := sizes(filled(t, m, row.skew))
		t.Logf("skew %g: %.2f bits per counter, %.2f with the index, codes of %.2f, entropy %.2f, ceil(log2) %.2f",
			row.skew, memory, indexed, codes, entropy, paper)
	}
}
