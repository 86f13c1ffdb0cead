package guard

import (
	"io"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/kernel"
)

// A recorder answers as the set behind it, and keeps the hashes of the first keys up to its limit.
func TestRecorder(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 10, BitsPerKey: 16})
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := f.HashString("a"), f.HashString("b"), f.HashString("c")
	r := &recorder{Deleter: Exact{b: {}}, of: f, limit: 5}
	present := make([]uint64, 1)
	for range 3 {
		if n := r.QueryHashBatch([]uint64{a, b, c}, present); n != 1 || present[0] != 2 {
			t.Errorf("%d present, %#x; want 1, 0x2", n, present[0])
		}
	}
	if want := []uint64{a, b, c, a, b}; !slices.Equal(r.hashes, want) {
		t.Errorf("recorded %#x, want %#x", r.hashes, want)
	}
	speeds := r.speeds()
	for i, im := range kernel.Implementations() {
		if speeds[i].Implementation != im.String() || speeds[i].LookupsPerSecond < 1000 { // and not its inverse
			t.Errorf("%v: %+v", im, speeds[i])
		}
	}
	if none := (&recorder{of: f}).speeds(); none != nil {
		t.Errorf("no look-ups: %v", none)
	}
}

// An audit records the look-ups of the filter of sequences, under that filter's key.
func TestRecordedHashes(t *testing.T) {
	run := mustRun(t, storyConfig(), few)
	run.audit.lookups.limit = 1
	packets := []sent{{source: one, payload: words(7)}}
	if err := run.Process(&stream{packets, io.EOF}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{run.filters.Sequences.Hash(words(7))}; !slices.Equal(run.audit.lookups.hashes, want) {
		t.Errorf("recorded %#x, want %#x", run.audit.lookups.hashes, want)
	}
}
