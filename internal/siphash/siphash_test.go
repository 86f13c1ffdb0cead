package siphash

import (
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/batch/batchtest"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

func TestMain(m *testing.M) { batchtest.Main(m) }

// onOne is a key on one implementation, which is the same for all single keys.
type onOne struct {
	*Key
	im dispatch.Implementation
}

func (o onOne) Batch(keys batch.Keys, hashes []uint64) { o.BatchOn(o.im, keys, hashes) }

func define(key, data []byte) uint64 {
	return Definition((*[Size]byte)(key), data, compression, finalization)
}

var hash = batchtest.Hash{
	Size: Size,
	New: func(im dispatch.Implementation, key []byte) batchtest.Key {
		return onOne{New([Size]byte(key)), im}
	},
	Definition: define,
	Reference:  define, // which TestVectors compares with other authors'
	Widths:     []int{4, 8, 16, 20, 32, 40},
	Part:       8,
}

func TestReference(t *testing.T)           { hash.TestReference(t) }
func TestFixed(t *testing.T)               { hash.TestFixed(t) }
func TestMixed(t *testing.T)               { hash.TestMixed(t) }
func TestLongKeys(t *testing.T)            { hash.TestLongKeys(t) }
func TestNothingIsReadBeside(t *testing.T) { hash.TestNothingIsReadBeside(t) }
func TestPreemption(t *testing.T)          { hash.TestPreemption(t) }

// FuzzHashes is the law of every form in its most general form.
func FuzzHashes(f *testing.F) {
	f.Add([]byte("0123456789012345"), []byte("a key of some bytes"), []byte{0, 1, 7, 8})
	f.Fuzz(hash.Fuzz)
}

// No call allocates, also where keys are on the caller's stack.
func TestAllocations(t *testing.T) {
	batchtest.Each(t, func(t *testing.T, im dispatch.Implementation) {
		k := New([Size]byte{})
		for name, call := range map[string]func(){
			"Sum64":       func() { var data [100]byte; k.Sum64(data[:]) },
			"Sum64, few":  func() { var data [9]byte; k.Sum64(data[:]) },
			"Sum64Uint64": func() { k.Sum64Uint64(1) },
			"Fixed": func() {
				var data [8 * 19]byte
				var h [19]uint64
				k.BatchOn(im, batch.Fixed(data[:], 8, h[:]), h[:])
			},
			"Fixed, 24": func() {
				var data [24 * 19]byte
				var h [19]uint64
				k.BatchOn(im, batch.Fixed(data[:], 24, h[:]), h[:])
			},
			"Slices": func() {
				var data [300]byte
				var h [9]uint64
				keys := [][]byte{data[:], data[:9], data[:40], 8: nil}
				k.BatchOn(im, batch.Of(keys, h[:]), h[:])
			},
			"Strings": func() {
				var h [9]uint64
				keys := [...]string{"a", "bc", 8: ""}
				k.BatchOn(im, batch.Of(keys[:], h[:]), h[:])
			},
			"Offsets": func() {
				var data [9]byte
				var h [9]uint64
				offsets := [...]int32{0, 1, 1, 2, 3, 3, 3, 4, 8, 9}
				k.BatchOn(im, batch.Offsets(data[:], offsets[:], h[:]), h[:])
			},
		} {
			if n := testing.AllocsPerRun(20, call); n != 0 && !fallback.Race {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}
