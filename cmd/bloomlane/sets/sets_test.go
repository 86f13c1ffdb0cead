package sets

import (
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// TestExact holds the exact set against a list.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	exact, members := Exact{}, map[uint32]bool{}
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
	hits := []uint64{math.MaxUint64, math.MaxUint64, 7}
	if got := exact.QueryHashBatch(hashes, hits); got != want || exact.QueryHashBatch(hashes, nil) != want {
		t.Errorf("batch counts %d, want %d", got, want)
	}
	for i := range 128 {
		if hit := filter.At(hits, i); hit != members[uint32(i)] {
			t.Errorf("batch: key %d is %v, want %v", i, hit, members[uint32(i)])
		}
	}
	if hits[2] != 7 {
		t.Error("batch writes hits of no keys")
	}
}

// A renewed filter is built anew of all its members when it is due, and not where they are more than
// planned: then it is tried once for as many inserts as members were planned, and not with each insert.
// Without a list of its members it never is.
func TestRenewed(t *testing.T) {
	const members = 500
	for _, test := range []struct{ live, builds int }{{members, 9}, {2 * members, 0}} {
		random := rand.New(rand.NewPCG(9, 9))
		f, err := deletable.New(deletable.Config{Members: members, BitsPerKey: 16, Turnovers: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		exact, order := Exact{}, []uint64{}
		tried := 0
		r := &Renewed{Filter: f, Live: func() iter.Seq[uint64] { return maps.Keys(exact) }}
		r.Before = func() {
			if tried++; r.Due() == nil {
				t.Error("it is built before it is due")
			}
		}
		for range 10 * members {
			if len(order) == test.live {
				exact.DeleteHash(order[0])
				r.DeleteHash(order[0])
				order = order[1:]
			}
			hash := random.Uint64()
			if _, err := r.InsertHash(hash); err != nil {
				t.Fatal(err)
			}
			exact[hash] = struct{}{}
			order = append(order, hash)
		}
		for hash := range exact {
			if !r.QueryHash(hash) {
				t.Fatal("a member is lost")
			}
		}
		if r.Builds < test.builds || r.Builds > 2*test.builds || tried < 5 || tried > 20 {
			t.Errorf("%d live: tried %d times, built %d times, want %d or so", test.live, tried, r.Builds, test.builds)
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
