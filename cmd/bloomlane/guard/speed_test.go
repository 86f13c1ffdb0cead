package guard

import (
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/kernel"
)

// A recorder answers as the set behind it, and keeps the hashes of the first keys up to its limit.
func TestRecorder(t *testing.T) {
	filter, err := deletable.New(deletable.Config{Members: 10, BitsPerKey: 16})
	if err != nil {
		t.Fatal(err)
	}
	exact := Exact{}
	exact.Insert([]byte("b"))
	r := &recorder{Set: exact, filter: filter, limit: 5}
	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	hits := make([]uint64, 1)
	for range 3 {
		if n := r.QueryBatch(keys, hits); n != 1 || hits[0] != 2 {
			t.Errorf("%d present, hits %#x; want 1, 0x2", n, hits[0])
		}
	}
	a, b, c := filter.Hash(keys[0]), filter.Hash(keys[1]), filter.Hash(keys[2])
	if want := []uint64{a, b, c, a, b}; !slices.Equal(r.hashes, want) {
		t.Errorf("recorded %#x, want %#x", r.hashes, want)
	}
	speeds := r.speeds()
	for i, im := range kernel.Implementations() {
		if speeds[i].Implementation != im.String() || speeds[i].LookupsPerSecond < 1000 { // and not its inverse
			t.Errorf("%v: %+v", im, speeds[i])
		}
	}
	if none := (&recorder{filter: filter}).speeds(); none != nil {
		t.Errorf("no look-ups: %v", none)
	}
}
