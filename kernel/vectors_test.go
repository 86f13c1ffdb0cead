//go:build goexperiment.simd && amd64 && !purego && !race

package kernel

import (
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A query in Go's own vectors is the definition's. The leg of the experiment fails if this test is
// not in the program.
func TestVectors(t *testing.T) {
	if !dispatch.Vectors() {
		require.Skip(t, "avx512", "AVX-512 is not active")
	}
	s512, s256 := methods512(), methods256()
	s512.query = func(t [][8]uint64, h uint64) bool {
		return dispatch.InBlock512(&t[fallback.Index(h, uint64(len(t)))], h)
	}
	s256.query = func(t [][8]uint32, h uint64) bool {
		return dispatch.InBlock256(&t[fallback.Index(h, uint64(len(t)))], h)
	}
	lawDefinition(t, s512)
	lawDefinition(t, s256)
	lawNoFalseNegatives(t, s512)
	lawNoFalseNegatives(t, s256)
}
