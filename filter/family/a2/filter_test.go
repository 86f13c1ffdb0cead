package a2

import (
	"errors"
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
	_ filter.Rebuilder = (*Filter)(nil)
	_ filter.Resetter  = (*Filter)(nil)
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

func mustInsert(t testing.TB, f *Filter, hashes ...uint64) (present []uint64) {
	t.Helper()
	present = make([]uint64, filter.Words(len(hashes)))
	if n, err := f.InsertHashBatch(hashes, present); n != len(hashes) || err != nil {
		t.Fatalf("%d of %d inserts: %v", n, len(hashes), err)
	}
	return present
}

// The window is exact for keys that no false positive hides: the c-th key of a buffer stays for
// exactly 2 n_a - c other keys. So the last key of a buffer stays for n_a others, and the first for
// 2 n_a - 1.
func TestWindow(t *testing.T) {
	const window = 100
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []int{1, 2, 50, 99, 100} {
		f := newFilter(t, Config{Members: window, BitsPerKey: 200})
		hash := rng.Uint64()
		mustInsert(t, f, workload.Hashes(rng, 3*window+c-1)...) // past turns
		mustInsert(t, f, hash)
		for others := 1; others <= 2*window-c; others++ {
			if mustInsert(t, f, rng.Uint64()); !f.QueryHash(hash) {
				t.Fatalf("key %d of a buffer is lost at %d others, want %d", c, others, 2*window-c)
			}
		}
		if mustInsert(t, f, rng.Uint64()); f.QueryHash(hash) {
			t.Errorf("key %d of a buffer is present after %d others", c, 2*window-c+1)
		}
	}
}

// A key that is inserted again is the latest, and counts only if the first buffer does not have it.
func TestInsertedAgain(t *testing.T) {
	const window = 10
	rng := rand.New(rand.NewPCG(2, 2))
	f := newFilter(t, Config{Members: window, BitsPerKey: 400})
	hash := rng.Uint64()
	for i := range 5 { // not counted: the first has it
		if present, err := f.InsertHash(hash); err != nil || present != (i > 0) ||
			f.Stats().First.Keys != 1 {
			t.Fatalf("insert %d: present %v, %+v (%v)", i, present, f.Stats(), err)
		}
	}
	mustInsert(t, f, workload.Hashes(rng, window-1)...)
	if present, _ := f.InsertHash(hash); !present || f.Stats().Turns != 0 ||
		f.Stats().First.Keys != window {
		t.Errorf("a full buffer turns at a key that it has: %+v", f.Stats())
	}
	mustInsert(t, f, workload.Hashes(rng, window)...) // the key is in the second only
	if s := f.Stats(); s.Turns != 1 || s.First.Keys != window || s.Second.Keys != window {
		t.Errorf("%+v", s)
	}
	if present, _ := f.InsertHash(hash); !present || f.Stats().Turns != 2 ||
		f.Stats().First.Keys != 1 {
		t.Errorf("of the second, at a turn: present %v, %+v", present, f.Stats())
	}
	mustInsert(t, f, workload.Hashes(rng, 2*window-1)...)
	if !f.QueryHash(hash) {
		t.Error("a key that was inserted again is not the latest")
	}
	if mustInsert(t, f, rng.Uint64()); f.QueryHash(hash) {
		t.Error("a key outlives its window")
	}
}

// In a buffer so small that most keys are false positives, no key of the window is lost: it is
// present with n_a others after its last insert, however often these come.
func TestNoKeyOfTheWindowIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []Config{
		{Members: 1, BitsPerKey: 4}, {Members: 2, BitsPerKey: 4}, {Members: 40, BitsPerKey: 4},
		{Members: 40, BitsPerKey: 7, Hashes: 9},
		{Members: 100, Rate: 0.8}, {Members: 64, BitsPerKey: 16},
	} {
		f := newFilter(t, c)
		var kept []uint64 // the latest last
		for range 20_000 {
			hash := rng.Uint64()
			if len(kept) > 0 && rng.IntN(3) == 0 {
				at := rng.IntN(len(kept))
				hash = kept[at]
				kept = slices.Delete(kept, at, at+1)
			}
			kept = append(kept, hash)
			kept = kept[max(0, len(kept)-c.Members-1):]
			if mustInsert(t, f, hash); !f.QueryHash(kept[0]) ||
				!f.QueryHash(kept[rng.IntN(len(kept))]) {
				t.Fatalf("%+v: a key of the window is lost", c)
			}
		}
		if found := f.QueryHashBatch(kept, nil); found != len(kept) || f.Stats().Turns == 0 {
			t.Errorf("%+v: %d of %d keys, %+v", c, found, len(kept), f.Stats())
		}
	}
}

// Batches over turns equal their operations one after another, with groups that just fit into a
// buffer and groups that do not.
func TestBatchesOverTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, window := range []int{1, 3, 63, 64, 65, 128, 200} {
		one, many := newFilter(t, Config{Members: window, BitsPerKey: 12}),
			newFilter(t, Config{Members: window, BitsPerKey: 12})
		blind := newFilter(t, Config{Members: window, BitsPerKey: 12})
		for round := range 30 {
			group := workload.Hashes(rng, 64*(round%4)+rng.IntN(70))
			for i := range group {
				if i > 0 && rng.IntN(4) == 0 {
					group[i] = group[rng.IntN(i)]
				}
			}
			want := make([]uint64, filter.Words(len(group)))
			for i, hash := range group {
				before := one.QueryHash(hash)
				if present, err := one.InsertHash(hash); err != nil || present != before {
					t.Fatalf("window %d: present %v, and a query said %v (%v)", window,
						present, before, err)
				}
				if before {
					want[i/64] |= 1 << (i % 64)
				}
			}
			if got := mustInsert(t, many, group...); !slices.Equal(got, want) || !one.Equal(many) {
				t.Fatalf("window %d, %d keys: a batch differs from its sequence",
					window, len(group))
			}
			if _, err := blind.InsertHashBatch(group, nil); err != nil || !one.Equal(blind) {
				t.Fatalf("window %d, %d keys: a batch without answers differs (%v)", window,
					len(group), err)
			}
		}
		if one.Stats().Turns == 0 {
			t.Errorf("window %d: no turn", window)
		}
	}
}

// The state of one key is near zero. The turns stay at their highest, odd and even alternately, and
// the filter goes on.
func TestTurnsSaturate(t *testing.T) {
	g := newFilter(t, Config{Members: 100, Rate: 0.01})
	mustInsert(t, g, 1)
	if s := g.State(); s.Members != 1 || g.Stats().Second != (Buffer{}) ||
		!(s.Rate > 0 && s.Rate < 1e-10) {
		t.Errorf("%+v, %+v of a key", s, g.Stats())
	}
	mustInsert(t, g, workload.Hashes(rand.New(rand.NewPCG(6, 6)), 250)...)
	if g.Reset(); !g.Equal(newFilter(t, Config{Members: 100, Rate: 0.01})) {
		t.Error("a turn is left after a reset")
	}
	h := g.Clone()
	base.Open(&g.Body).turns = base.MaxCount - 1 // which is even, and goes on as from none
	hashes := workload.Hashes(rand.New(rand.NewPCG(5, 5)), 1000)
	for i, hash := range hashes {
		mustInsert(t, g, hash)
		mustInsert(t, h, hash)
		if turns := g.Stats().Turns; turns < math.MaxInt-1 || !g.QueryHash(hashes[max(0, i-100)]) ||
			g.QueryHash(^hash) != h.QueryHash(^hash) {
			t.Fatalf("%d turns, and after %d keys it goes on otherwise", turns, i)
		}
	}
	if s := new(Filter).Stats(); s != (Stats{}) {
		t.Errorf("%+v of no filter", s)
	}
}

// A filter that is read back from a file, a stream or its bytes goes on as before: with one buffer
// in use, with a full one, and after a turn.
func TestFiles(t *testing.T) {
	for _, c := range []Config{{Members: 1, BitsPerKey: 4}, {Members: 100, BitsPerKey: 9.1},
		{Members: 101, Rate: 0.1}} {
		for _, keys := range []int{0, 50, 100, 101, 250} {
			f := newFilter(t, c)
			for n := range uint64(keys) {
				if _, err := f.InsertUint64(n); err != nil {
					t.Fatal(err)
				}
			}
			blank := newFilter(t, Config{Members: 2, BitsPerKey: 40})
			filtertest.Files(t, f, blank,
				filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
		}
	}
}

// A file whose numbers or words do not fit each other is refused. The largest numbers that are
// accepted do no harm.
func TestFit(t *testing.T) {
	words := func(n int) func(*file.Contents) {
		return func(c *file.Contents) { c.Sections[0].Words = make([]uint64, n) }
	}
	for name, change := range map[string]func(*file.Contents){
		"members of bits":  func(c *file.Contents) { c.Set("members", 101) },
		"fewer than held":  func(c *file.Contents) { c.Set("members", 4) },
		"held":             func(c *file.Contents) { c.Set("held", 21) },
		"hashes 0":         func(c *file.Contents) { c.Set("hashes", 0) },
		"hashes":           func(c *file.Contents) { c.Set("hashes", MaxHashes+1) },
		"fewer bits":       func(c *file.Contents) { c.Set("bits", 64) },
		"more bits":        func(c *file.Contents) { c.Set("bits", 129) },
		"half a pair":      words(3),
		"a pair more":      words(6),
		"a bit behind":     func(c *file.Contents) { c.Sections[0].Words[2] |= 1 << 36 },
		"and in the other": func(c *file.Contents) { c.Sections[0].Words[3] |= 1 << 63 },
	} {
		f := newFilter(t, Config{Members: 20, BitsPerKey: 10})
		mustInsert(t, f, 1, 2<<60, 3<<60, 4<<60, 5<<60)
		c, err := f.Contents()
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := newFilter(t, Config{Members: 20, BitsPerKey: 10}).Contents()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"members", "held"} {
		c.Set(name, 100) // as many keys as bits
	}
	c.Set("turns", base.MaxCount)
	f, err := Decode(c, fixed)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.State(); !(s.Rate > 0.99 && s.Rate <= 1) || s.Members != 200 {
		t.Errorf("%+v", s)
	}
}
