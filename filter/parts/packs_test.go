package parts

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The hashes of a bundle, which belong to random parts, fill all packs but one of each part.
func TestPacksAreFull(t *testing.T) {
	bundle := 4_000_000
	if testing.Short() {
		bundle = 100_000
	}
	rng := rand.New(rand.NewPCG(24, 3))
	for _, parts := range []int{16, 256, 1024, 4096} {
		packer := NewPacker(Layout{Blocks: parts << 10, PartBlocks: 1 << 10})
		packs := 0
		for range bundle {
			if _, pack := packer.Add(rng.Uint64()); pack != nil {
				packs++
			}
		}
		for range packer.Rest() {
			packs++
		}
		if least := bundle / (PackBytes / 8); packs < least || packs > least+parts {
			t.Errorf("%d packs for %d parts, want at least %d", packs, parts, least)
		}
	}
}

// Parts have similar sizes: the largest of a filter has few more hashes than the mean.
func TestPartsAreAlike(t *testing.T) {
	const parts, hashes = 1024, 1 << 22
	rng := rand.New(rand.NewPCG(24, 4))
	var counts [parts]int
	l := Layout{Blocks: parts, PartBlocks: 1}
	for range hashes {
		counts[l.Of(rng.Uint64())]++
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	if mean := hashes / parts; float64(most) > float64(mean)+6*math.Sqrt(float64(mean)) {
		t.Errorf("a part has %d hashes, the mean is %d", most, mean)
	}
}
