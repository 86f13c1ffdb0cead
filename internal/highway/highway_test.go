package highway

import (
	"testing"

	"github.com/minio/highwayhash"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/batch/batchtest"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

func TestMain(m *testing.M) { batchtest.Main(m) }

// onOne is a key on one implementation.
type onOne struct {
	im implementation
	k  *Key
}

func (o onOne) Sum64(data []byte) uint64               { return o.im.sum64(o.k, data) }
func (o onOne) Sum64Uint64(n uint64) uint64            { return o.im.sum64Uint64(o.k, n) }
func (o onOne) Batch(keys batch.Keys, hashes []uint64) { o.im.batch(o.k, keys, hashes) }

var hash = batchtest.Hash{
	Size: Size,
	New: func(im dispatch.Implementation, key []byte) batchtest.Key {
		return onOne{implementation(im), New([Size]byte(key))}
	},
	Definition: func(key, data []byte) uint64 {
		return definition(initial((*[Size]byte)(key)), data)
	},
	Reference: func(key, data []byte) uint64 { return highwayhash.Sum64(data, key) },
	Widths:    []int{4, 8, 16, 20, 32, 40},
	Part:      packetBytes,
	Call:      1024,
}

func TestReference(t *testing.T)           { hash.TestReference(t) }
func TestFixed(t *testing.T)               { hash.TestFixed(t) }
func TestMixed(t *testing.T)               { hash.TestMixed(t) }
func TestLongKeys(t *testing.T)            { hash.TestLongKeys(t) }
func TestNothingIsReadBeside(t *testing.T) { hash.TestNothingIsReadBeside(t) }
func TestPreemption(t *testing.T)          { hash.TestPreemption(t) }

// FuzzHashes is the law of every form in its most general form.
func FuzzHashes(f *testing.F) {
	f.Add([]byte("01234567890123456789012345678901"), []byte("a key of some bytes"),
		[]byte{0, 1, 7, 8})
	f.Fuzz(hash.Fuzz)
}

// No call allocates, also where keys are on the caller's stack.
func TestAllocations(t *testing.T) {
	batchtest.Each(t, func(t *testing.T, tested dispatch.Implementation) {
		im := implementation(tested)
		k := New([Size]byte{})
		for name, call := range map[string]func(){
			"Sum64":       func() { var data [100]byte; im.sum64(k, data[:]) },
			"Sum64, few":  func() { var data [9]byte; im.sum64(k, data[:]) },
			"Sum64Uint64": func() { im.sum64Uint64(k, 1) },
			"Fixed": func() {
				var data [8 * 19]byte
				var h [19]uint64
				k.BatchOn(tested, batch.Fixed(data[:], 8, h[:]), h[:])
			},
			"Fixed, 24": func() {
				var data [24 * 19]byte
				var h [19]uint64
				k.BatchOn(tested, batch.Fixed(data[:], 24, h[:]), h[:])
			},
			"Slices": func() {
				var data [300]byte
				var h [9]uint64
				keys := [][]byte{data[:], data[:9], data[:40], 8: nil}
				k.BatchOn(tested, batch.Of(keys, h[:]), h[:])
			},
			"Strings": func() {
				var h [9]uint64
				keys := [...]string{"a", "bc", 8: ""}
				k.BatchOn(tested, batch.Of(keys[:], h[:]), h[:])
			},
			"Offsets": func() {
				var data [9]byte
				var h [9]uint64
				offsets := [...]int32{0, 1, 1, 2, 3, 3, 3, 4, 8, 9}
				k.BatchOn(tested, batch.Offsets(data[:], offsets[:], h[:]), h[:])
			},
		} {
			if n := testing.AllocsPerRun(20, call); n != 0 && !fallback.Race {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}
