package sets

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// TestExact holds the exact set against a list.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	exact, members := new(Exact), map[uint32]bool{}
	hash := func(word uint32) uint64 { return uint64(word) << 40 }
	for range 5000 {
		word := random.Uint32N(100)
		if got := exact.QueryHash(hash(word)); got != members[word] {
			t.Fatalf("query of %d is %v, want %v", word, got, members[word])
		}
		if random.IntN(2) == 0 {
			if got, err := exact.InsertHash(hash(word)); got != members[word] || err != nil {
				t.Fatalf("insert of %d is %v (%v), want %v", word, got, err, members[word])
			}
			members[word] = true
			continue
		}
		want := filter.Absent
		if members[word] {
			want = filter.Deleted
		}
		if got := exact.DeleteHash(hash(word)); got != want {
			t.Fatalf("delete of %d is %v, want %v", word, got, want)
		}
		delete(members, word)
	}

	hashes, want := []uint64(nil), 0
	for word := range uint32(100) {
		hashes = append(hashes, hash(word))
		if members[word] {
			want++
		}
	}
	present := []uint64{math.MaxUint64, math.MaxUint64, 7}
	if got := exact.QueryHashBatch(hashes, present); got != want ||
		exact.QueryHashBatch(hashes, nil) != want {
		t.Errorf("batch counts %d, want %d", got, want)
	}
	for i := range 128 {
		if hit := filter.At(present, i); hit != members[uint32(i)] {
			t.Errorf("batch: key %d is %v, want %v", i, hit, members[uint32(i)])
		}
	}
	if present[2] != 7 {
		t.Error("batch writes answers of no keys")
	}
}

// turned inserts random hashes into a filter and into an exact set of its members, of which the
// oldest leaves both where there are that many, and returns the members, the oldest first.
func turned(t *testing.T, f filter.Deleter, exact *Exact, live, inserts int) (members []uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(9, 9))
	for range inserts {
		if len(members) == live {
			exact.DeleteHash(members[0])
			f.DeleteHash(members[0])
			members = members[1:]
		}
		hash := random.Uint64()
		if _, err := f.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
		if _, err := exact.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
		members = append(members, hash)
	}
	for _, hash := range members {
		if !f.QueryHash(hash) {
			t.Fatal("a member is lost")
		}
	}
	return members
}

// A renewed filter is rebuilt of all its members when it is due, and not where they are more
// than planned: then it is tried once for as many inserts as members were planned, and not with
// each insert. Without a list of its members it never is.
func TestRenewed(t *testing.T) {
	const members = 500
	for _, test := range []struct{ live, builds int }{{members, 9}, {1, 6}, {2 * members, 0}} {
		f, err := deletable.New(deletable.Config{Members: members, BitsPerKey: 16, Turnovers: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		exact, tried := new(Exact), 0
		r := &Renewed{Filter: f}
		r.Live = func(low, high uint64) iter.Seq[uint64] {
			if tried++; r.Due() == nil {
				t.Error("it is built before it is due")
			}
			return exact.Interval(low, high)
		}
		turned(t, r, exact, test.live, 10*members)
		if r.Builds < test.builds || r.Builds > 2*test.builds || tried < 5 || tried > 20 {
			t.Errorf("%d live: tried %d times, built %d times, want %d or so", test.live, tried,
				r.Builds, test.builds)
		}
	}
	f, err := deletable.New(deletable.Config{Members: 1, BitsPerKey: 16})
	if err != nil {
		t.Fatal(err)
	}
	never := &Renewed{Filter: f}
	for hash := range uint64(50) {
		if _, err := never.InsertHash(hash << 50); err != nil || never.Builds != 0 {
			t.Fatalf("without a list of members: %d builds, error %v", never.Builds, err)
		}
	}
}

// A filter with steps is refreshed in rounds at the pace of its plan, of all its members, and keeps
// its planned rate.
func TestRenewedBySteps(t *testing.T) {
	const members, turnovers = 5000, 12
	f, err := deletable.New(deletable.Config{Members: members, BitsPerKey: 16, Reinserts: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := deletable.NewRefresher(f, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact := new(Exact)
	r := &Renewed{Filter: f, Live: exact.Interval, Steps: steps}
	turned(t, r, exact, members, members*(1+turnovers))
	if s := f.Stats(); r.Builds < turnovers/2-1 || r.Builds > turnovers/2 ||
		s.Rate > 1.3*s.PlannedRate {
		t.Errorf("%d rounds, want %d or one less; %+v", r.Builds, turnovers/2, s)
	}
	r.Live = func(low, high uint64) iter.Seq[uint64] {
		// neither is in it
		return func(yield func(uint64) bool) { _ = yield(low-1) && yield(high+1) }
	}
	for hash := range uint64(2 * members) {
		if _, err = r.InsertHash(hash << 50); err != nil {
			break
		}
	}
	var e *deletable.IntervalError
	if !errors.As(err, &e) {
		t.Errorf("a list of others: error %v", err)
	}
}

// TestIntervals holds intervals to a sorted list, and their cost to that of what is in them: the
// members of the buckets that they touch.
func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 11))
	exact, members := new(Exact), []uint64{0, math.MaxUint64, 1 << 63, 1<<63 - 1}
	for range 20_000 {
		members = append(members, random.Uint64())
	}
	if exact.Len() != 0 || slices.Collect(exact.All()) != nil {
		t.Error("the zero set has members")
	}
	for _, hash := range members {
		if _, err := exact.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
	}
	for range 15_000 {
		i := random.IntN(len(members))
		exact.DeleteHash(members[i])
		members = slices.Delete(members, i, i+1)
	}
	slices.Sort(members)
	if exact.Len() != len(members) || !slices.Equal(slices.Sorted(exact.All()), members) {
		t.Errorf("%d members, want %d", exact.Len(), len(members))
	}
	for range 1000 {
		low, high := random.Uint64(), random.Uint64()>>random.IntN(64)
		if random.IntN(2) == 0 { // an end that is a member
			low = members[random.IntN(len(members))]
		}
		high = low + min(high, math.MaxUint64-low)
		from, _ := slices.BinarySearch(members, low)
		to, is := slices.BinarySearch(members, high)
		if is {
			to++
		}
		if got := slices.Sorted(exact.Interval(low, high)); !slices.Equal(got, members[from:to]) {
			t.Fatalf("%d from %#x to %#x, want %d", len(got), low, high, to-from)
		}
		for range exact.Interval(low, high) {
			break // a list may be left
		}
		looked := 0
		for _, bucket := range exact.buckets[exact.bucket(low) : exact.bucket(high)+1] {
			looked += len(bucket)
		}
		if looked > to-from+6*bucketMembers {
			t.Errorf("looks at %d members for %d", looked, to-from)
		}
	}
	for _, bucket := range exact.buckets {
		if cap(bucket) > 6*bucketMembers {
			t.Errorf("a bucket for %d", cap(bucket))
		}
	}
}
