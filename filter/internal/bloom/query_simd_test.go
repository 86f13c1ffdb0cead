//go:build goexperiment.simd && amd64 && !purego && !race

package bloom

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A query of a block in Go's own vectors has the answers of the loop over the positions, of members
// and of others, at every k.
func TestVectors(t *testing.T) {
	if !dispatch.Vectors() {
		require.Skip(t, "avx512", "AVX-512 is not active")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := 1; k <= 2*group+1; k++ {
		table := NewTable(Shape{Blocks: 5, Span: BlockBits, Hashes: k})
		found := 0
		for i := range 2000 {
			hash := rng.Uint64()
			if i%16 == 0 {
				table.Insert(hash)
			}
			got, want := table.Query(hash), table.queryFrom(hash, table.Base(hash), k)
			if got != want {
				t.Fatalf("k = %d, hash %#x: present %v, want %v", k, hash, got, want)
			}
			if got {
				found++
			}
		}
		if found < 100 || found == 2000 {
			t.Errorf("k = %d: %d of 2000 present", k, found)
		}
	}
}
