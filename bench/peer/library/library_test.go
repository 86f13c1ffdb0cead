package library

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/FastFilter/xorfilter"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	bitsbloom "github.com/bits-and-blooms/bloom/v3"
	pebblebloom "github.com/cockroachdb/pebble/v2/bloom"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/greatroar/blobloom"
	bloomfilter "github.com/holiman/bloomfilter/v2"
	linvoncuckoo "github.com/linvon/cuckoo-filter"
	panmaricuckoo "github.com/panmari/cuckoofilter"
	"github.com/parquet-go/parquet-go/bloom"
	cuckoo "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

const (
	testMembers    = 3 << 14
	testNonMembers = 1 << 18
)

// every calls a test for each filter, of this project and of others.
func every(t *testing.T, test func(t *testing.T, p peer.Peer, ours bool)) {
	for _, p := range peer.Ours() {
		t.Run(p.Name, func(t *testing.T) { test(t, p, true) })
	}
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) { test(t, p, false) })
	}
}

// randomKeys returns n different keys; those of one seed differ from those of another, too.
func randomKeys(seed uint64, n int) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	keys := workload.Hashes(rng, n)
	return keys
}

// filled returns a filter of the keys, inserted in two parts.
func filled(t *testing.T, p peer.Peer, keys []uint64, bits float64) (f peer.Filter, refused int) {
	t.Helper()
	b, err := p.New(len(keys), bits)
	if err != nil {
		t.Fatal(err)
	}
	part := len(keys)/3 + 1
	refused = b.Insert(keys[:part]) + b.Insert(keys[part:])
	f, err = b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f, refused
}

func TestAnswers(t *testing.T) {
	members, nonMembers := randomKeys(1, testMembers), randomKeys(2, testNonMembers)
	every(t, func(t *testing.T, p peer.Peer, ours bool) {
		for _, bits := range []float64{8, 12.5, 16} {
			f, refused := filled(t, p, members, bits)
			lost := len(members) - f.QueryHashBatch(members, nil)
			if lost > 0 || refused > 0 {
				t.Logf("at %v bits per key %d of %d members are lost, and %d were refused", bits,
					lost, len(members), refused)
			}
			if ours && lost+refused > 0 || lost+refused > len(members)/100 {
				t.Errorf("at %v bits per key %d of %d members are lost, and %d were refused", bits,
					lost, len(members), refused)
			}

			rate := float64(f.QueryHashBatch(nonMembers, nil)) / testNonMembers
			theory := f.(peer.Theory).ExpectedRate(len(members))
			noise := 6 * math.Sqrt(theory/testNonMembers)
			if math.Abs(rate-theory) > noise+0.02*theory {
				t.Logf("at %v bits per key: %.3f %% false positives, by the formula %.3f %%", bits,
					100*rate, 100*theory)
				// A peer may be worse than its formula, which is for the accuracy to report.
				if ours || rate > 5*theory+noise {
					t.Errorf("at %v bits per key: %.3f %% false positives, by the formula %.3f %%",
						bits, 100*rate, 100*theory)
				}
			}

			size := p.Takes(bits)
			most := 1.1 * size
			switch {
			case p.Fixed:
				size, most = 8, 10
			case p.Doubles:
				most = 2 * size
			}
			got := 8 * float64(f.State().Bytes) / float64(len(members))
			if got < 0.99*size || got > most {
				t.Errorf("at %v bits per key it takes %.3f", bits, got)
			}
			if planned := 8 * float64(p.Size(len(members), bits)) /
				float64(len(members)); math.Abs(planned/got-1) > 0.05 {
				t.Errorf("at %v bits per key it takes %.3f, planned %.3f", bits, got, planned)
			}
			if p.BuildBytes(len(members), bits) < int64(f.State().Bytes)*95/100 {
				t.Errorf("%d bytes while it is built, and %d in the end",
					p.BuildBytes(len(members), bits), int64(f.State().Bytes))
			}
		}
	})
}

// The loops over a library's calls are functions of their own package level, or of a constructor
// that is compiled as one: in a copy that is part of a caller the compiler inlines no call.
func TestLoopsAreNoCopies(t *testing.T) {
	for _, p := range slices.Concat(All(), OfStreams()) {
		name := runtime.FuncForPC(reflect.ValueOf(p.Begin).Pointer()).Name()
		_, name, _ = strings.Cut(name, "/library.")
		if strings.HasPrefix(name, "All.") || strings.HasPrefix(name, "OfStreams.") ||
			name == "" {
			t.Errorf("%s is begun by %q", p.Name, name)
		}
	}
}

// The bits are the same answers as the count, for any number of keys, and nothing else is written.
func TestPresent(t *testing.T) {
	members := randomKeys(1, 1<<12)
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		f, _ := filled(t, p, members, 12)
		for _, n := range []int{0, 1, 63, 64, 65, 1000} {
			keys := randomKeys(3, n)
			for i := range n / 2 {
				keys[2*i] = members[i]
			}
			present := randomKeys(4, (n+63)/64+1)
			after := present[len(present)-1]
			count := f.QueryHashBatch(keys, present)
			if present[len(present)-1] != after {
				t.Errorf("%d keys: a word behind the answers was written", n)
			}
			if without := f.QueryHashBatch(keys, nil); without != count {
				t.Errorf("%d keys: %d present with answers and %d without", n, count, without)
			}
			ones := 0
			for _, word := range present[:len(present)-1] {
				ones += bits.OnesCount64(word)
			}
			if ones != count {
				t.Errorf("%d keys: %d present, and %d bits set", n, count, ones)
			}
			for i, key := range keys {
				if hit := present[i/64]>>(i%64)&1 == 1; hit !=
					(f.QueryHashBatch([]uint64{key}, nil) == 1) {
					t.Errorf("key %d of %d is %v in a batch, and not by itself", i, n, hit)
				}
			}
		}
	})
}

// The smallest filters work too.
func TestSmall(t *testing.T) {
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		for _, bits := range []float64{0.5, 1, 6, 16} {
			for _, members := range [][]uint64{{0}, {math.MaxUint64, 1}, randomKeys(1, 3),
				randomKeys(1, 10)} {
				f, _ := filled(t, p, members, bits)
				if found := f.QueryHashBatch(members, nil); found != len(members) {
					t.Errorf("%d of %d members are found, at %v bits per key", found,
						len(members), bits)
				}
				f.(peer.Theory).ExpectedRate(len(members))
			}
		}
	})
}

func TestDelete(t *testing.T) {
	members := randomKeys(1, testMembers)
	gone, stay := members[:testMembers/2], members[testMembers/2:]
	every(t, func(t *testing.T, p peer.Peer, ours bool) {
		f, _ := filled(t, p, members, 16)
		d, deletes := f.(peer.Deleter)
		if _, inserts := f.(peer.Inserter); deletes != p.Deletes || inserts == p.Static {
			t.Fatalf("a %T, and the peer says deletes %v, static %v", f, p.Deletes, p.Static)
		}
		if !deletes {
			return
		}
		before := f.QueryHashBatch(stay, nil)
		deleted := d.DeleteHashBatch(gone, nil)
		visible := f.QueryHashBatch(gone, nil)
		lost := before - f.QueryHashBatch(stay, nil)
		t.Logf("deleted %d of %d: %d are still visible; of the others %d are lost", deleted,
			len(gone), visible, lost)
		if deleted < len(gone)/2 || visible > len(gone)/2 {
			t.Errorf("deleted %d of %d, of which %d are still visible", deleted, len(gone), visible)
		}
		if ours && lost > 0 || lost > len(stay)/100 {
			t.Errorf("%d of %d members were lost when others were deleted", lost, len(stay))
		}
		// What is inserted again is found again.
		peer.Insert(d, gone)
		if found := f.QueryHashBatch(members, nil); ours && found != len(members) ||
			found < len(members)*99/100 {
			t.Errorf("%d of %d members are found after those deleted were inserted again",
				found, len(members))
		}
	})
}

// A filter is said to decay where turnovers leave bits behind, and to refuse inserts where it takes
// a bounded number of members; what is left of it is written beside its times.
func TestLimits(t *testing.T) {
	const members, bits = 1 << 12, 24
	others := randomKeys(2, testNonMembers)
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		f, _ := filled(t, p, randomKeys(1, members), bits)
		before := f.QueryHashBatch(others, nil)
		if d, deletes := f.(peer.Deleter); deletes {
			for turnover := range uint64(5) {
				d.DeleteHashBatch(randomKeys(turnover+1, members), nil)
				peer.Insert(d, randomKeys(turnover+2, members))
			}
			if after := f.QueryHashBatch(others, nil); p.Decays != (after > 10*before+1000) {
				t.Errorf("of %d keys %d are found before turnovers, and %d after: decays %v",
					testNonMembers, before, after, p.Decays)
			}
		} else if p.Decays {
			t.Error("it decays, and does not delete")
		}
		if inserts, ok := f.(peer.Inserter); ok {
			refused := peer.Insert(inserts, randomKeys(9, 8*members))
			if p.Refuses != (refused > 0) {
				t.Errorf("%d inserts refused, and the peer says %v", refused, p.Refuses)
			}
		} else if p.Refuses {
			t.Error("it refuses inserts, and takes none")
		}
	})
}

// A library merges its filters where it has a method for that.
func TestMerges(t *testing.T) {
	filters := map[string]any{
		"bloomlane-512": kernel.NewTable512(1), "bloomlane-256": kernel.NewTable256(1),
		"parquet-go":      bloom.SplitBlockFilter(nil),
		"arrow-go":        metadata.NewBloomFilter(32, 32, memory.NewGoAllocator()),
		"blobloom":        new(blobloom.Filter),
		"bits-and-blooms": new(bitsbloom.BloomFilter), "holiman": new(bloomfilter.Filter),
		"ristretto": new(z.Bloom), "pebble": pebblebloom.FilterPolicy(10),
		"BinaryFuse8":      new(xorfilter.BinaryFuse8),
		"seiflotfy-cuckoo": new(cuckoo.Filter), "panmari-cuckoo": new(panmaricuckoo.Filter),
		"linvon-cuckoo": new(linvoncuckoo.Filter), "boom-deletable": new(boom.DeletableBloomFilter),
		"boom-counting": new(boom.CountingBloomFilter),
	}
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		merges, kind := false, reflect.TypeOf(filters[p.Name])
		for i := range kind.NumMethod() {
			switch kind.Method(i).Name {
			case "Merge", "MergeFrom", "Union", "UnionInPlace", "Or":
				merges = true
			}
		}
		if merges != p.Merges {
			t.Errorf("%v has such a method: %v; the peer says %v", kind, merges, p.Merges)
		}
	})
}

func TestAllocations(t *testing.T) {
	keys, present := randomKeys(1, 1<<12), make([]uint64, 1<<12/64)
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		f, _ := filled(t, p, keys, 16)
		allocations := testing.AllocsPerRun(10, func() { f.QueryHashBatch(keys, present) })
		if p.Allocates != (allocations > 0) {
			t.Errorf("a query allocates %v times, and the peer says %v", allocations, p.Allocates)
		}
		if d, ok := f.(peer.Deleter); ok {
			n := testing.AllocsPerRun(10,
				func() { d.DeleteHashBatch(keys, nil); peer.Insert(d, keys) })
			if p.InsertAllocates != (n > 0) {
				t.Errorf("a delete and an insert allocate %v times, and the peer says %v", n,
					p.InsertAllocates)
			}
		}
	})
}

func TestFit(t *testing.T) {
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		for _, bits := range []float64{6, 10, 12.3, 16, 32} {
			for _, members := range []int{1 << 12, 50_000} {
				fit := p.Fit(members, bits)
				if fit < 1 || fit > members || fit != members && !p.Doubles {
					t.Fatalf("of %d members at %v bits per key %d fit", members, bits, fit)
				}
				if !p.Doubles {
					continue
				}
				want := p.Takes(bits)
				f, _, err := p.Build(randomKeys(1, fit), bits)
				if err != nil {
					t.Fatal(err)
				}
				if got := float64(8*f.State().Bytes) / float64(fit); math.Abs(got/want-1) > 0.01 {
					t.Errorf("%d members at %v bits per key take %v", fit, bits, got)
				}
			}
		}
		if fit := p.Fit(1, 6); p.Doubles && fit > 1 {
			t.Errorf("of one member %d fit", fit)
		}
	})
}

func TestNew(t *testing.T) {
	every(t, func(t *testing.T, p peer.Peer, _ bool) {
		if p.Name == "" || strings.ContainsAny(p.Name, " \t/") || p.Note == "" {
			t.Errorf("named %q, note %q", p.Name, p.Note)
		}
		for _, wrong := range []struct {
			members int
			bits    float64
		}{{0, 8}, {-1, 8}, {1, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("no panic for %+v", wrong)
					}
				}()
				_, _ = p.New(wrong.members, wrong.bits)
			}()
		}
		if p.MaxBytes == 0 {
			return
		}
		members := int(p.MaxBytes) // eight bits for each are too many, for any
		_, err := p.New(members, 24)
		var size *peer.SizeError
		if !errors.As(err, &size) || size.Peer != p.Name || size.MaxBytes != p.MaxBytes ||
			size.Bytes <= p.MaxBytes {
			t.Errorf("%d members at 24 bits per key: %v", members, err)
		}
		t.Log(err)
	})
}

// What a library refuses is told, key by key, and the keys behind it are inserted.
func TestRefused(t *testing.T) {
	f := &noThirds{}
	g := ofKeys(f, 0, nil)
	if refused := peer.Insert(g, []uint64{1, 3, 4, 6, 9, 10}); refused != 3 ||
		!slices.Equal(f.taken, []byte{1, 4, 10}) {
		t.Errorf("%d refused, taken %d", refused, f.taken)
	}
	if refused := peer.InsertBytes(g, [][]byte{{3}, {5}, {6}, {7}}); refused != 2 ||
		!slices.Equal(f.taken, []byte{1, 4, 10, 5, 7}) {
		t.Errorf("%d refused, taken %d", refused, f.taken)
	}
}

// noThirds refuses the keys that 3 divides, by their first byte.
type noThirds struct{ taken []byte }

func (f *noThirds) Lookup(key []byte) bool { return slices.Contains(f.taken, key[0]) }

func (f *noThirds) Insert(key []byte) bool {
	if key[0]%3 == 0 {
		return false
	}
	f.taken = append(f.taken, key[0])
	return true
}
