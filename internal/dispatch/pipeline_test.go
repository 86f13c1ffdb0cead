package dispatch

import "testing"

// A table of more than half of the second-level cache is prefetched, and a small one never is.
func TestFetchFrom(t *testing.T) {
	for _, test := range []struct {
		secondLevel int
		want        uintptr
	}{{0, 64 << 10}, {64 << 10, 64 << 10}, {512 << 10, 256<<10 + 1}, {1 << 20, 512<<10 + 1}} {
		if got := fetchFrom(test.secondLevel); got != test.want {
			t.Errorf("second-level cache of %d bytes: from %d, want %d", test.secondLevel,
				got, test.want)
		}
	}
}

// A pipeline cuts a batch into calls of at most CallKeys keys, each but the last a multiple of 64,
// that cover it in order; and with those prefetched before the first call, every key is prefetched
// once, at the fixed distance, and no call looks behind the batch.
func TestPipeline(t *testing.T) {
	for _, keys := range []int{0, 1, 63, 64, 65, 127, 128, CallKeys - 1, CallKeys, CallKeys + 1,
		CallKeys + FetchDistance, 2*CallKeys + FetchDistance - 1, 10*CallKeys + 77} {
		for _, tableBytes := range []uintptr{64, FetchBytes - 1, FetchBytes, 1 << 30} {
			p := newPipeline(keys, tableBytes)
			done, prefetched := 0, p.ahead()
			for p.next() {
				if p.start != done || p.start%64 != 0 || p.n > CallKeys {
					t.Fatalf("%d keys: a call of %d from %d, after %d", keys, p.n, p.start, done)
				}
				done += p.n
				if p.fetch < 0 || p.fetch > p.n {
					t.Fatalf("%d keys: %d of a call's %d prefetch", keys, p.fetch, p.n)
				}
				if p.fetch > 0 {
					if prefetched != p.start+p.distance {
						t.Fatalf("%d keys: key %d is prefetched after %d", keys,
							p.start+p.distance, prefetched)
					}
					prefetched += p.fetch
				}
			}
			if done != keys {
				t.Fatalf("%d keys: %d done", keys, done)
			}
			want := keys
			if tableBytes < FetchBytes {
				want = 0
			}
			if prefetched != want {
				t.Fatalf("%d keys of a table of %d bytes: %d prefetched", keys,
					tableBytes, prefetched)
			}
		}
	}
}

// Of a merge of large tables every call prefetches all of its blocks, also a short one at the end.
func TestFetched(t *testing.T) {
	for tableBytes, want := range map[uintptr]int{0: 0, FetchBytes - 1: 0,
		FetchBytes: 7, 1 << 30: 7} {
		if got := fetched(7, tableBytes); got != want {
			t.Errorf("table of %d bytes: %d of 7 blocks are prefetched, want %d",
				tableBytes, got, want)
		}
	}
}
