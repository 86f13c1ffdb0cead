package letter

import (
	"testing"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
)

// With the element's own throw equation 1 is too high, but less so than without, also for shapes
// with short and missing regions.
func TestOwnThrow(t *testing.T) {
	for _, test := range []struct {
		s dlbf.Shape
		n int
	}{
		{dlbf.Shape{Bits: 32, Regions: 4, Hashes: 3}, 3},
		{dlbf.Shape{Bits: 240, Regions: 7, Hashes: 20}, 5},
		{dlbf.Shape{Bits: 16, Regions: 6, Hashes: 4}, 2},
		{dlbf.Shape{Bits: 100, Regions: 30, Hashes: 2}, 30},
		{dlbf.Shape{Bits: 1000, Regions: 1, Hashes: 64}, 2},
		{dlbf.Shape{Bits: 50_000, Regions: 10, Hashes: 6}, 200},
	} {
		exact, own, meant := test.s.Deletability(test.n), OwnThrow(test.s, test.n),
			Equation1(test.s, test.n)
		if !(exact < own && own < meant) {
			t.Errorf("%v, %d members: deletable %.5f, by own throws %.5f, by equation 1 %.5f",
				test.s, test.n, exact, own, meant)
		}
	}
}
