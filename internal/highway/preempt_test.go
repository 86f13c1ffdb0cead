package highway

import (
	"testing"

	"github.com/bloomlane/bloomlane/internal/preemption"
)

// Eight million keys, and keys of 1 MiB, hold up no garbage collection, as they would if all were
// one call into assembly. (TestPreemption of package kernel is the same for tables.)
func TestPreemption(t *testing.T) {
	const keys = 8 << 20
	k := New(ascending())
	data, hashes := make([]byte, 20*keys), make([]uint64, keys)
	offsets := make([]uint32, keys+1)
	for i := range keys {
		offsets[i+1] = offsets[i] + uint32(i%40)
	}
	large := make([][]byte, 1024)
	for i := range large {
		large[i] = data[i : i+1<<20]
	}
	each(t, func(t *testing.T, im implementation) {
		if im.String() == "purego" {
			return // portable Go stops anywhere
		}
		for name, call := range map[string]func(){
			"fixed": func() { im.fixed(k, data, 20, hashes) },
			"mixed": func() { offsetsOn(im, k, data, offsets[:keys+1], hashes) },
			"large": func() { keysOn(im, k, large, hashes[:len(large)]) },
			"one":   func() { im.sum64(k, data) },
		} {
			t.Run(name, func(t *testing.T) { preemption.Check(t, call) })
		}
	})
}
