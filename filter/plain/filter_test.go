package plain

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	_ filter.Clearer   = (*Filter)(nil)
	_ filter.Rebuilder = (*Filter)(nil)
	_ filter.Resetter  = (*Filter)(nil)
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

// configs are small and odd, and of both kinds.
func configs() []Config {
	return []Config{
		{Members: 1, BitsPerKey: 1}, {Members: 100, BitsPerKey: 0.7},
		{Members: 500, BitsPerKey: 10.01},
		{Members: 2000, BitsPerKey: 12, Hashes: 3},
		{Members: 300, BitsPerKey: 150, Hashes: MaxHashes},
		{Members: 500, BitsPerKey: 10, Blocked: true}, {Members: 1, BitsPerKey: 10, Blocked: true},
		{Members: 3000, Rate: 0.01, Blocked: true, Hashes: 5}, {Members: 400, Rate: 1e-4},
	}
}

// A batch of any length, over many groups of 64, equals its operations one after another. Members
// are found. No word behind the answers is written.
func TestBatchesAreTheirSequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range configs() {
		one, many := newFilter(t, c), newFilter(t, c)
		var members []uint64
		for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 191, 193, 257, 320} {
			group := workload.Hashes(rng, n)
			if n > 3 {
				group[n/2] = group[n/3] // twice in a batch
			}
			want := make([]uint64, filter.Words(n))
			for i, hash := range group {
				if was := one.QueryHash(hash); was {
					want[i/64] |= 1 << (i % 64)
				}
				if was, err := one.InsertHash(hash); err != nil || was != filter.At(want, i) {
					t.Fatalf("%+v: insert: %v, %v", c, was, err)
				}
			}
			present := slices.Repeat([]uint64{^uint64(0)}, len(want)+2)
			if got, err := many.InsertHashBatch(group, present); err != nil || got != n {
				t.Fatalf("%+v: %d of %d inserts: %v", c, got, n, err)
			}
			if !slices.Equal(present, append(slices.Clone(want), ^uint64(0), ^uint64(0))) {
				t.Fatalf("%+v: %d keys: present %x, want %x", c, n, present, want)
			}
			if !one.Equal(many) {
				t.Fatalf("%+v: %d keys: a batch differs from its sequence", c, n)
			}
			members = append(members, group...)
		}
		for _, n := range []int{0, 1, 64, 65, 200, len(members)} {
			queries := slices.Concat(members[len(members)-n:], workload.Hashes(rng, n))
			present := slices.Repeat([]uint64{^uint64(0)}, filter.Words(len(queries))+1)
			count := many.QueryHashBatch(queries, present)
			want, words := 0, make([]uint64, filter.Words(len(queries)))
			for i, hash := range queries {
				if one.QueryHash(hash) {
					want++
					words[i/64] |= 1 << (i % 64)
				}
				if i < n && !filter.At(present, i) {
					t.Fatalf("%+v: a member is not found", c)
				}
			}
			if count != want || many.QueryHashBatch(queries, nil) != want ||
				!slices.Equal(present, append(words, ^uint64(0))) {
				t.Fatalf("%+v: %d of %d present, want %d, or the bits differ", c, count,
					len(queries), want)
			}
		}
		if got := many.Inserts(); got != len(members) {
			t.Errorf("%+v: %d inserts, want %d", c, got, len(members))
		}
	}
}

// The bits of a key in a blocked filter are in one block, a cache line. All blocks and all their
// bits are used.
func TestPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, c := range configs() {
		f := newFilter(t, c)
		used := map[uint64]bool{}
		for range 200 {
			hash := rng.Uint64()
			p := f.AppendPositions([]uint64{7}, hash)
			if len(p) != 1+f.Shape().Hashes || p[0] != 7 {
				t.Fatalf("%+v: positions %v of %d hashes", c, p, f.Shape().Hashes)
			}
			g := f.Fresh().(*Filter)
			if _, err := g.InsertHash(hash); err != nil {
				t.Fatal(err)
			}
			for _, position := range p[1:] {
				used[position] = true
				if c.Blocked && position/BlockBits != p[1]/BlockBits {
					t.Fatalf("%+v: positions %v", c, p[1:])
				}
				g.ClearBits([]uint64{position})
				if g.QueryHash(hash) {
					t.Fatalf("%+v: present without bit %d", c, position)
				}
				if _, err := g.InsertHash(hash); err != nil {
					t.Fatal(err)
				}
			}
			if g.ClearBits(p[1:]); g.Stats().Ones != 0 {
				t.Fatalf("%+v: bits beside %v", c, p[1:])
			}
		}
		if low := min(f.Shape().Bits/3, 100); len(used) < low {
			t.Errorf("%+v: %d positions of %d are used", c, len(used), f.Shape().Bits)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: a bit behind the last was cleared", c)
				}
			}()
			f.ClearBits([]uint64{uint64(f.Shape().Bits)})
		}()
	}
}

// The merge of two filters is the filter of all inserts of both. Nothing else merges.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range configs() {
		a, b, all := newFilter(t, c), newFilter(t, c), newFilter(t, c)
		for i, hash := range workload.Hashes(rng, 400) {
			f := a
			if i%3 == 0 {
				f = b
			}
			for _, f := range []*Filter{f, all} {
				if _, err := f.InsertHash(hash); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := a.Merge(b); err != nil || !a.Equal(all) {
			t.Errorf("%+v: the merge differs: %v", c, err)
		}
	}
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 8})
	for name, g := range map[string]*Filter{
		"size": newFilter(t, Config{Members: 1001, BitsPerKey: 8, Hashes: f.Shape().Hashes}),
		"k":    newFilter(t, Config{Members: 1000, BitsPerKey: 8, Hashes: f.Shape().Hashes + 1}),
		"kind": newFilter(t, Config{Members: 1024, BitsPerKey: 7.8125, Hashes: f.Shape().Hashes,
			Blocked: true}),
	} {
		if err := f.Merge(g); !errors.Is(err, filter.ErrUnequalSize) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	other, _ := New(Config{Members: 1000, BitsPerKey: 8})
	if err := f.Merge(other); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("another key: %v", err)
	}
	if err := f.Merge(f); !errors.Is(err, filter.ErrSelf) {
		t.Errorf("itself: %v", err)
	}
	for _, none := range []*Filter{nil, new(Filter)} {
		if err := f.Merge(none); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("none: %v", err)
		}
	}
}

func TestLifeCycle(t *testing.T) {
	f := newFilter(t, Config{Members: 100, Rate: 0.01})
	if _, err := f.InsertString("a"); err != nil || !f.QueryString("a") {
		t.Errorf("a member is not found (%v)", err)
	}
	g := f.Clone()
	if g.InsertUint64(1); g.Equal(f) || f.Inserts() != 1 {
		t.Error("a clone is the filter itself")
	}
	f.Reset()
	if !f.Equal(f.Fresh().(*Filter)) || f.QueryString("a") {
		t.Error("something is left after a reset")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s"} {
		if got := fmt.Sprintf(verb, f); got != f.String() || len(got) > 100 {
			t.Errorf("%s prints %q", verb, got)
		}
	}
	base.Open(&f.Body).inserts = base.MaxCount - 1
	for range 3 {
		f.InsertHash(1)
	}
	f.InsertHashBatch([]uint64{1, 2}, nil)
	if f.Inserts() != math.MaxInt {
		t.Errorf("%d inserts, want the largest int", f.Inserts())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	filtertest.Ended(t, f)
	filtertest.Ended(t, new(Filter))
}

func TestNoAllocations(t *testing.T) {
	for _, c := range configs() {
		f := newFilter(t, c)
		group, present := workload.Hashes(rand.New(rand.NewPCG(4, 4)), 200), make([]uint64, 4)
		var p [MaxHashes]uint64
		for name, call := range map[string]func(){
			"InsertHash":        func() { f.InsertHash(1) },
			"QueryHash":         func() { f.QueryHash(1) },
			"InsertString":      func() { f.InsertString("some key") },
			"InsertHashBatch":   func() { f.InsertHashBatch(group, present) },
			"QueryHashBatch":    func() { f.QueryHashBatch(group, present) },
			"QueryUint64Batch":  func() { f.QueryUint64Batch(group, present) },
			"InsertUint64Batch": func() { f.InsertUint64Batch(group, nil) },
			"AppendPositions":   func() { f.AppendPositions(p[:0], 1) },
			"State":             func() { f.State() },
		} {
			if n := testing.AllocsPerRun(20, call); n != 0 {
				t.Errorf("%+v: %s allocates %v times", c, name, n)
			}
		}
	}
}
