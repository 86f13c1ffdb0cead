package probe

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Files depend on the positions.
func TestPositionsStay(t *testing.T) {
	x := uint64(0x0123456789abcdef)
	for i, want := range []uint64{0xd46, 0xa28, 0x9f6} {
		x = Next(x)
		if got := Reduce(x, 5000); got != want {
			t.Errorf("position %d is %#x, want %#x", i, got, want)
		}
	}
	for _, n := range []uint64{1, 2, 1 << 39} {
		if Reduce(0, n) != 0 || Reduce(math.MaxUint64, n) != n-1 {
			t.Errorf("the ends of 64 bits are not those below %d", n)
		}
	}
}

// The rate of a filter of 1000 keys, 24,000 bits and k = 17 is that of independent positions, as is
// that of the same keys by the bits that are set. With double hashing keys that are no members find
// more than that.
func TestDoubleHashing(t *testing.T) {
	const n, k, members, filters, samples = 24_000, 17, 1000, 20, 500_000
	rng := rand.New(rand.NewPCG(1, 1))
	measure := func(next func(x, step uint64) uint64) (ratio float64) {
		found, want := 0.0, 0.0
		var set [n]bool
		for range filters {
			clear(set[:])
			for range members {
				x := rng.Uint64()
				step := mixed(x)
				for range k {
					x = next(x, step)
					set[Reduce(x, n)] = true
				}
			}
			ones := 0
			for _, one := range set {
				if one {
					ones++
				}
			}
			want += samples * math.Pow(float64(ones)/n, k)
			for range samples {
				x := rng.Uint64()
				step, present := mixed(x), true
				for i := 0; i < k && present; i++ {
					x = next(x, step)
					present = set[Reduce(x, n)]
				}
				if present {
					found++
				}
			}
		}
		t.Logf("%.0f found, %.0f by the bits", found, want)
		return found / want
	}
	if ratio := measure(func(x, _ uint64) uint64 { return Next(x) }); math.Abs(ratio-1) > 0.3 {
		t.Errorf("the rate is %.2f times that of the bits", ratio)
	}
	if ratio := measure(func(x, step uint64) uint64 { return x + step }); ratio < 1.5 {
		t.Errorf("with double hashing the rate is %.2f times that of the bits: it would do", ratio)
	}
}

// mixed is MurmurHash3's finalizer, for a second hash.
func mixed(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return bits.RotateLeft64(x^x>>33, 32)
}
