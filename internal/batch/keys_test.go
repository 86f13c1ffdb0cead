package batch

import (
	"fmt"
	"strings"
	"testing"
)

// Keys that do not fit their hashes panic.
func TestPanics(t *testing.T) {
	hashes := make([]uint64, 3)
	data := make([]byte, 24)
	for name, call := range map[string]func(){
		"Fixed, a byte too many":     func() { Fixed(append(data, 0), 8, hashes) },
		"Fixed, a byte too few":      func() { Fixed(data[1:], 8, hashes) },
		"Fixed, a hash too few":      func() { Fixed(data, 8, hashes[1:]) },
		"Fixed, a negative width":    func() { Fixed(data, -8, hashes) },
		"Fixed, bytes of no width":   func() { Fixed(data, 0, hashes) },
		"Uint64s, a key too few":     func() { Uint64s(make([]uint64, 2), hashes) },
		"Of, a slice too many":       func() { Of(make([][]byte, 4), hashes) },
		"Of, a string too few":       func() { Of(make([]string, 2), hashes) },
		"Offsets, one too few":       func() { Offsets(data, []int32{0, 1, 2}, hashes) },
		"Offsets, none":              func() { Offsets(data, []int32{}, nil) },
		"Offsets, falling":           func() { Offsets(data, []int64{0, 2, 1, 3}, hashes) },
		"Offsets, negative":          func() { Offsets(data, []int64{-1, 2, 2, 3}, hashes) },
		"Offsets, behind the data":   func() { Offsets(data, []uint32{0, 1, 2, 25}, hashes) },
		"Offsets, far behind it":     func() { Offsets(data, []uint64{0, 1, 2, 1 << 63}, hashes) },
		"Offsets, all behind it":     func() { Offsets(nil, []uint64{1, 1, 1, 1}, hashes) },
		"Offsets, one hash too many": func() { Offsets(data, []uint32{0, 1, 2}, hashes) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "key: ") {
					t.Errorf("panic %q", got)
				}
			}()
			call()
		})
	}
}

// Hashes cannot be stored where offsets are: those of the first keys would say where later ones
// are. They can be beside them.
func TestHashesBesideOffsets(t *testing.T) {
	const n = 2 * chunk
	data := make([]byte, n)
	for _, start := range []int{0, 1, n, n + 1, 2 * n, 2*n + 1} { // of hashes
		memory := make([]uint64, 4*n)
		offsets, hashes := memory[n:2*n+1], memory[start:start+n]
		allowed := start == 0 || start == 2*n+1
		func() {
			defer func() {
				if panicked := recover() != nil; panicked == allowed {
					t.Errorf("hashes at %d: panicked %v", start, panicked)
				}
			}()
			Offsets(data, offsets, hashes)
		}()
	}
}
