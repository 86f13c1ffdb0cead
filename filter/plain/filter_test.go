package plain

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
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

// Filters of any number of hashes keep the laws of their kinds. Package kinds tests planned
// ones.
func TestLawsOfAnyHashes(t *testing.T) {
	for _, c := range []Config{{Hashes: 2}, {Hashes: 3}, {Hashes: MaxHashes},
		{Hashes: 5, Blocked: true}} {
		kind := Kind
		if c.Blocked {
			kind = BlockedKind
		}
		kind.New = base.NewOf(func(s filter.Sizing) (*Filter, error) {
			c := c
			c.Members, c.BitsPerKey, c.Rate, c.Turnovers, c.Key = s.Members, s.BitsPerKey, s.Rate,
				s.Turnovers, s.Key
			return New(c)
		})
		t.Run(fmt.Sprintf("%d hashes", c.Hashes), func(t *testing.T) {
			filtertest.RunAgain(t, kind, nil)
		})
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

// Filters of other settings do not merge. Package filtertest has the others that do not.
func TestMergeRefuses(t *testing.T) {
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
}
