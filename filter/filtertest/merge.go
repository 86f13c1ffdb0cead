package filtertest

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
)

// A merge has the members of both, and the other filter stays as it is.
func merge(t *testing.T, s *subject) {
	for _, members := range []int{3, 300, short(40_000)} { // also more than a table's merge takes at once
		sizing := filter.Sizing{Members: members, BitsPerKey: 24, Key: fixed}
		a, b, both := s.empty(t, sizing), s.empty(t, sizing), s.empty(t, sizing)
		ours, theirs := hashesOf(fixed, numbers(0, members/3)), hashesOf(fixed, numbers(1<<40, members/2))
		for _, insert := range []struct {
			f      filter.Stored
			hashes []uint64
		}{{a, ours}, {b, theirs}, {both, ours}, {both, theirs}} {
			if _, err := hashSet(insert.f).InsertHashBatch(insert.hashes, nil); err != nil {
				t.Fatal(err)
			}
		}
		before := content(t, b)
		if err := s.kind.Merge(a, b); err != nil {
			t.Fatal(err)
		}
		unchanged(t, "the filter that is merged into another", b, before)
		if s.promises(filter.NoFalseNegatives) {
			if found := a.QueryHashBatch(slices.Concat(ours, theirs), nil); found != len(ours)+len(theirs) {
				t.Errorf("%d of %d members of both are present", found, len(ours)+len(theirs))
			}
		}
		checkMembers(t, s, a, len(ours)+len(theirs))
		if s.promises(filter.MergesExactly) {
			same(t, "the merge, and the inserts of both", a, both)
		}
	}
}

// Members of both are present also where others were deleted, and stay so while more are.
func mergeAfterDeletes(t *testing.T, s *subject) {
	const members = 300
	sizing := s.tight(t, 2*members)
	a, b := newOwner(t, s, sizing, 3), newOwner(t, s, sizing, 4)
	for _, o := range []*owner{a, b} {
		for range 3 * members {
			if o.rng.IntN(members) >= len(o.members) {
				o.insert()
			} else {
				o.delete()
			}
		}
	}
	if err := s.kind.Merge(a.f, b.f); err != nil {
		t.Fatal(err)
	}
	a.members = append(a.members, b.members...)
	for n, times := range b.times {
		a.times[n] += times
	}
	a.check()
	for len(a.members) > 0 {
		if a.delete(); len(a.members)%8 == 0 {
			a.check()
		}
	}
}

// Filters that do not fit are refused, and nothing changes.
func mergeRefuses(t *testing.T, s *subject) {
	sizing := roomySample()
	f := s.sample(t)
	larger, other := sizing, sizing
	larger.Members *= 16
	other.Key = key.FromBytes([key.Size]byte{1})
	closed := s.sample(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	before := content(t, f)
	for name, g := range map[string]filter.Stored{
		"another key": s.sampleOf(t, other), "another size": s.sampleOf(t, larger), "itself": f, "a closed one": closed,
	} {
		var theirs []byte
		if !g.Closed() {
			theirs = content(t, g)
		}
		for to, from := range map[filter.Stored]filter.Stored{f: g, g: f} {
			err := s.kind.Merge(to, from)
			if err == nil || errors.Is(err, os.ErrClosed) != (g == closed) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		unchanged(t, name, f, before)
		if !g.Closed() {
			unchanged(t, name+", the other", g, theirs)
		}
	}
}
