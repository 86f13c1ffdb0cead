package filtertest

import (
	"bytes"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/kernel"
)

// A merge has the members of both filters, and the other filter does not change.
func merge(t *testing.T, s *subject) {
	// also more than one call of the kernel's merge
	for _, members := range []int{3, 300, short(40_000)} {
		sizing := filter.Sizing{Members: members, BitsPerKey: 24, Key: s.key}
		a, b, both := s.empty(t, sizing), s.empty(t, sizing), s.empty(t, sizing)
		ours, theirs := hashesOf(s.key, numbers(0, members/3)),
			hashesOf(s.key, numbers(1<<40, members/2))
		for _, insert := range []struct {
			f      filter.Stored
			hashes []uint64
		}{{a, ours}, {b, theirs}, {both, ours}, {both, theirs}} {
			if _, err := hashSet(insert.f).InsertHashBatch(insert.hashes, nil); err != nil {
				t.Fatal(err)
			}
		}
		before := content(t, b)
		if err := s.merge(a, b); err != nil {
			t.Fatal(err)
		}
		unchanged(t, "the filter that is merged into another", b, before)
		if s.promises(base.NoFalseNegatives) {
			if found := a.QueryHashBatch(slices.Concat(ours, theirs), nil); found !=
				len(ours)+len(theirs) {
				t.Errorf("%d of %d members of both are present", found, len(ours)+len(theirs))
			}
		}
		checkMembers(t, s, a, len(ours)+len(theirs))
		if s.promises(base.MergesExactly) {
			same(t, "the merge, and the inserts of both", a, both)
		}
	}
}

// The members of both filters are present after a merge, also if others were deleted before, and
// stay present while others are deleted.
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
	if err := s.merge(a.f, b.f); err != nil {
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

// A merge of filters that do not fit is an error, and nothing changes.
func mergeRefuses(t *testing.T, s *subject) { refuses(t, s, s.merge) }

func intersectRefuses(t *testing.T, s *subject) { refuses(t, s, s.intersect) }

func refuses(t *testing.T, s *subject, operation func(to, from filter.Stored) error) {
	oneMemory(t, s, operation)
	sizing := s.roomySample()
	f := s.sample(t)
	larger, other := sizing, sizing
	larger.Members *= 16
	other.Key = keytest.Key(1)
	closed := s.sample(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	before := content(t, f)
	if err := operation(f, nil); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("no filter: error %v", err)
	}
	all := map[string]filter.Stored{
		"another key": s.sampleOf(t, other), "another size": s.sampleOf(t, larger), "itself": f,
		"a closed one": closed,
	}
	if _, wraps := reflect.TypeOf(f).MethodByName("Unwrap"); !wraps { // a zero value wraps none
		all["a zero value"] = zeroOf(f)
	}
	for name, g := range all {
		var theirs []byte
		if !g.Closed() {
			theirs = content(t, g)
		}
		for to, from := range map[filter.Stored]filter.Stored{f: g, g: f} {
			err := operation(to, from)
			if err == nil || errors.Is(err, os.ErrClosed) != g.Closed() {
				t.Errorf("%s: error %v", name, err)
			}
		}
		unchanged(t, name, f, before)
		if !g.Closed() {
			unchanged(t, name+", the other", g, theirs)
		}
	}
}

// Two filters that were decoded from the same contents may lie in one memory. Then each is the
// other.
func oneMemory(t *testing.T, s *subject, operation func(to, from filter.Stored) error) {
	c, err := file.Read(bytes.NewReader(content(t, s.sample(t))))
	if err != nil {
		t.Fatal(err)
	}
	var two [2]filter.Stored
	for i := range two {
		if two[i], err = s.kind.Decode(c, s.key); err != nil {
			t.Fatal(err)
		}
	}
	before := content(t, two[1])
	if err := operation(two[0], two[1]); err != nil && !errors.Is(err, filter.ErrSelf) {
		t.Errorf("two filters in one memory: error %v", err)
	}
	unchanged(t, "two filters in one memory", two[1], before)
}

// The fold of a filter by a divisor is equal to a filter of that size with the same inserts, and
// merges with it. Members stay present, also while others are deleted. The filter itself does not
// change.
func fold(t *testing.T, s *subject) {
	folds := map[int]bool{}
	for _, members := range []int{3, 45, 300, 1024, short(40_000)} {
		sizing := filter.Sizing{Members: members, BitsPerKey: 24, Key: s.key}
		f, after := s.empty(t, sizing), newOwner(t, s, sizing, 5)
		one, other := s.empty(t, sizing), s.empty(t, sizing) // each with half of the members
		hashes := hashesOf(s.key, numbers(0, members))
		for _, part := range []struct {
			f      filter.Stored
			hashes []uint64
		}{{f, hashes}, {one, hashes[:members/2]}, {other, hashes[members/2:]}} {
			if _, err := hashSet(part.f).InsertHashBatch(part.hashes, nil); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 * members {
			if _, deletes := after.f.(filter.Deleter); deletes &&
				after.rng.IntN(members) < len(after.members) {
				after.delete()
			} else if len(after.members) < members {
				after.insert()
			}
		}
		before := content(t, f)
		for _, divisor := range []int{-1, 0, 1, 2, 3, 4, 5, 6, 7, 15, math.MaxInt} {
			folded, err := s.fold(f, divisor)
			unchanged(t, "the filter that is folded", f, before)
			if err != nil {
				if !errors.Is(err, filter.ErrIndivisible) || divisor == 1 {
					t.Fatal(err)
				}
				continue
			}
			folds[divisor] = true
			if found := folded.QueryHashBatch(hashes, nil); found != len(hashes) {
				t.Errorf("%d of %d members are present in the fold", found, len(hashes))
			}
			if divisor*folded.State().Bytes > f.State().Bytes+8*divisor { // a word is the least
				t.Errorf("%d bytes fold by %d into %d", f.State().Bytes, divisor,
					folded.State().Bytes)
			}
			checkMembers(t, s, folded, len(hashes))
			var parts [2]filter.Stored
			for i, part := range []filter.Stored{one, other} {
				if parts[i], err = s.fold(part, divisor); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.merge(parts[0], parts[1]); err != nil {
				t.Fatal(err)
			}
			same(t, "the fold, and the merge of two folds", parts[0], folded)
		}
		for divisor := 2; divisor < 6; divisor++ {
			if folded, err := s.fold(after.f, divisor); err == nil {
				after.f = folded
				break
			}
		}
		after.check()
		for _, deletes := after.f.(filter.Deleter); deletes && len(after.members) > 0; {
			if after.delete(); len(after.members)%64 == 0 {
				after.check()
			}
		}
	}
	for _, divisor := range []int{1, 2, 3, 15} {
		if !folds[divisor] {
			t.Errorf("no filter was folded by %d", divisor)
		}
	}
	closed := s.sample(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.fold(closed, 1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed filter: %v", err)
	}
}

// A filter that is far too large for its members folds to about the size of one that is planned for
// them and the rate, and has that rate. Inserts of members that are in change nothing.
func foldTo(t *testing.T, s *subject) {
	const members, rate = 3000, 0.01
	nblocks := kernel.Foldable(8000)
	// for about 50 times the members
	f := s.empty(t, filter.Sizing{Members: nblocks * 50, BitsPerKey: 512.0 / 50, Key: s.key})
	folder, _ := filter.As[filter.Folder](f)
	hashes := hashesOf(s.key, numbers(0, members))
	for range 2 {
		if _, err := hashSet(f).InsertHashBatch(hashes, nil); err != nil {
			t.Fatal(err)
		}
	}
	before := content(t, f)
	folded, err := folder.FoldTo(rate)
	if err != nil {
		t.Fatal(err)
	}
	unchanged(t, "the filter that is folded", f, before)
	if found := folded.QueryHashBatch(hashes, nil); found != members {
		t.Errorf("%d of %d members are present in the fold", found, members)
	}
	planned := s.empty(t, filter.Sizing{Members: members, Rate: rate, Key: s.key}).State().Bytes
	if got := folded.State().Bytes; got < planned*9/10 || got > planned*3/2 {
		t.Errorf("%d bytes, planned are %d", got, planned)
	}
	const others = 100_000
	found := folded.QueryHashBatch(hashesOf(s.key, numbers(1<<40, others)), nil)
	if found > 1.25*rate*others || found < rate*others/4 {
		t.Errorf("%d of %d non-members are present, want about %g", found, others, rate*others)
	}
	var e *filter.SizingError
	if _, err := folder.FoldTo(1e-300); !errors.As(err, &e) || e.Field != "Rate" || e.Found != 1e-300 {
		t.Errorf("a rate that no size has: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.FoldTo(rate); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed filter: %v", err)
	}
}

// The bits of a filter say how many different members it has, and how many two have in common, also
// if members were inserted twice, and after a merge.
func estimate(t *testing.T, s *subject) {
	const ours, theirs, common = 9000, 5000, 2000
	sizing := filter.Sizing{Members: ours, BitsPerKey: 16, Key: s.key}
	a, b := s.empty(t, sizing), s.empty(t, sizing)
	check := func(what string, e filter.Estimate, want float64) {
		t.Helper()
		// in three times the interval, which a normal variable leaves once in 2e8 times
		if off := e.Members - want; e.Low > e.Members || e.High < e.Members ||
			off > 3*(e.High-e.Members) || -off > 3*(e.High-e.Members) ||
			e.High-e.Members > 2+0.1*want {
			t.Errorf("%s: %+v, want %g", what, e, want)
		}
	}
	of := func(f filter.Stored) filter.Estimator {
		e, _ := filter.As[filter.Estimator](f)
		return e
	}
	check("no members", of(a).Estimate(), 0)
	insert := func(f filter.Stored, first, n int) {
		for range 2 {
			if _, err := hashSet(f).InsertHashBatch(hashesOf(s.key, numbers(uint64(first), n)),
				nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	insert(a, 0, 1)
	check("one member", of(a).Estimate(), 1)
	insert(a, 1, ours-1)
	insert(b, ours-common, theirs)
	check("the members", of(a).Estimate(), ours)
	before := content(t, b)
	e, err := of(a).EstimateCommon(b)
	if err != nil {
		t.Fatal(err)
	}
	check("the common members", e, common)
	unchanged(t, "the other filter", b, before)
	if err := s.merge(a, b); err != nil {
		t.Fatal(err)
	}
	check("the members of a merge", of(a).Estimate(), ours+theirs-common)
}

func estimateRefuses(t *testing.T, s *subject) {
	refuses(t, s, func(to, from filter.Stored) error {
		f, _ := filter.As[filter.Estimator](to)
		_, err := f.EstimateCommon(from)
		return err
	})
}

// A key is present in an intersection only if it was present in both filters. A key that is a
// member i times in one and j times in the other is a member min(i, j) times, and stays present
// while others are deleted.
func intersect(t *testing.T, s *subject) {
	const members, common = 900, 300
	sizing := filter.Sizing{Members: members, BitsPerKey: 10, Key: s.key}
	a, b := s.empty(t, sizing), s.empty(t, sizing)
	hashes := hashesOf(s.key, numbers(0, 2*members))
	both, ours, theirs := hashes[:common], hashes[common:members], hashes[members:2*members-common]
	if s.promises(base.Multiset) {
		both = append(both, both[:20]...)
	}
	for f, more := range map[filter.Stored][][]uint64{a: {ours, both, both[:10]},
		b: {both, both[10:20], theirs}} {
		for _, hashes := range more {
			if !s.promises(base.Multiset) && len(hashes) <= 10 {
				continue
			}
			if _, err := hashSet(f).InsertHashBatch(hashes, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := append(hashesOf(s.key, numbers(1<<40, 20_000)), hashes...)
	inA, inB, inBoth := make([]uint64, filter.Words(len(all))),
		make([]uint64, filter.Words(len(all))), make([]uint64, filter.Words(len(all)))
	a.QueryHashBatch(all, inA)
	b.QueryHashBatch(all, inB)
	before := content(t, b)
	if err := s.intersect(a, b); err != nil {
		t.Fatal(err)
	}
	unchanged(t, "the filter that is intersected with another", b, before)
	a.QueryHashBatch(all, inBoth)
	for i, present := range inBoth {
		if extra := present &^ (inA[i] & inB[i]); extra != 0 {
			t.Fatalf("hashes %d to %d: present %#x, which were not in both", 64*i, 64*i+63, extra)
		}
	}
	if counted := a.State().Members; counted < 0.9*float64(len(both)) ||
		counted > 1.1*float64(len(both)) {
		t.Errorf("%.0f members, want about %d", counted, len(both))
	}
	deleter, deletes := a.(filter.Deleter)
	for i := range both {
		if found := a.QueryHashBatch(both[i:], nil); found != len(both)-i {
			t.Fatalf("%d of %d members of both are present after %d deletes", found, len(both)-i, i)
		}
		if deletes {
			deleter.DeleteHash(both[i])
		}
	}
}
