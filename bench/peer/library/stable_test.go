package library

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter/family/stable"
)

// The filters for streams take the memory that is asked for; the stable one keeps its rate and most
// of the latest keys, and a sketch counts no key less often than it was inserted.
func TestOfStreams(t *testing.T) {
	const n, bits = 20_000, 32
	for _, p := range OfStreams() {
		members, b := randomKeys(1, n), p.Begin(n, bits)
		if p.Name == "boom-stable" {
			b.Insert(randomKeys(3, 10*n)) // to the stable point
		}
		b.Insert(members)
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := 8 * float64(f.State().Bytes) / n; got > bits || got < 0.99*bits ||
			p.Size(n, bits) != int64(f.State().Bytes) {
			t.Errorf("%s takes %.2f bits per key, planned %d bytes", p.Name, got, p.Size(n, bits))
		}
		rate, theory := float64(f.QueryHashBatch(randomKeys(2, n), nil))/n,
			f.(peer.Theory).ExpectedRate(n)
		if math.Abs(rate-theory) > 0.2*theory {
			t.Errorf("%s: a rate of %.4f, expected %.4f", p.Name, rate, theory)
		}
		if f.QueryHashBatch(members[n/2:], nil) < n/2*9/10 {
			t.Errorf("%s misses many of the latest keys", p.Name)
		}
		c, counts := f.(sketch)
		if !counts {
			config := stable.Config{Members: n, BitsPerKey: bits}
			if shape, err := config.Shape(); err != nil ||
				math.Abs(theory-shape.StableRate()) > 0.3*shape.StableRate() {
				t.Errorf("%s: a rate of %.4f is expected, of filter/family/stable %.4f (%v)",
					p.Name, theory, shape.StableRate(), err)
			}
			continue
		}
		// as it makes them
		rows, width := math.Ceil(math.Log(1/c.sketch.Delta())), math.Ceil(math.E/c.sketch.Epsilon())
		if held := 8 * rows * width; held != float64(f.State().Bytes) {
			t.Errorf("%s holds %v bytes, and says %d", p.Name, held, f.State().Bytes)
		}
		times := make([]uint64, n)
		for round := range uint64(3) {
			c.CountHashBatch(members, times)
			below := slices.IndexFunc(times, func(n uint64) bool { return n <= round })
			if exact := slices.Index(times, round+1); below >= 0 || exact < 0 {
				t.Errorf("%s: after %d inserts key %d is below and key %d exact", p.Name,
					round+1, below, exact)
			}
			peer.Insert(c, members)
		}
	}
}
