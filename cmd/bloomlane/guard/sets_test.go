package guard

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// TestExact holds the exact set against a list.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	set, exact, members := exactSet(), Exact{}, map[uint32]bool{}
	set.Deleter = exact
	for range 5000 {
		word := random.Uint32N(100)
		key := words(word)
		if got := set.Query(key); got != members[word] {
			t.Fatalf("query of %d is %v, want %v", word, got, members[word])
		}
		if random.IntN(2) == 0 {
			if got, err := set.Insert(key); got != members[word] || err != nil {
				t.Fatalf("insert of %d is %v (%v), want %v", word, got, err, members[word])
			}
			members[word] = true
			continue
		}
		want := filter.Absent
		if members[word] {
			want = filter.Deleted
		}
		if got := set.Delete(key); got != want {
			t.Fatalf("delete of %d is %v, want %v", word, got, want)
		}
		delete(members, word)
	}
	if got := exact.State(); got.Members != float64(len(members)) || got.Bytes != 8*len(members) {
		t.Errorf("%+v, want %d members", got, len(members))
	}

	hashes, want := []uint64(nil), 0
	for word := range uint32(100) {
		hashes = append(hashes, set.Key.Hash(words(word)))
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

	before := []uint64{math.MaxUint64, math.MaxUint64}
	if n, err := exact.InsertHashBatch(hashes, before); n != 100 || err != nil || len(exact) != 100 || !slices.Equal(before, hits[:2]) {
		t.Errorf("inserted %d (%v), now %d members, %x present before, want %x", n, err, len(exact), before, hits[:2])
	}
	status := make([]filter.Status, 101)
	if n := exact.DeleteHashBatch(append(hashes[:100:100], hashes[7]), status); n != 100 || len(exact) != 0 {
		t.Errorf("deleted %d, %d are left", n, len(exact))
	}
	if status[0] != filter.Deleted || status[100] != filter.Absent || exact.DeleteHashBatch(hashes, nil) != 0 {
		t.Errorf("statuses %v and %v, want deleted, and absent the second time", status[0], status[100])
	}
}

func TestPlan(t *testing.T) {
	plan := Sizing{Sources: 1000, Blocked: 50, Sequences: 3, GoodRate: 1e-3, BadRate: 1e-6, SequenceRate: 1e-9}
	filters, err := NewFilters(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		filter  *deletable.Filter
		planned int
		rate    float64
	}{
		{"good", filters.Good, 1000, 1e-3},
		{"bad", filters.Bad, 1050, 1e-6},
		{"sequences", filters.Sequences, 3, 1e-9},
	} {
		if s := test.filter.Stats(); s.Planned != test.planned || s.PlannedRate > test.rate || s.Members != 0 {
			t.Errorf("%s filter: planned for %d members with %g, want %d with %g", test.name, s.Planned, s.PlannedRate, test.planned, test.rate)
		}
	}
	// As large and as small as may be, and no sequences.
	for _, plan := range []Sizing{
		{Sources: MaxSources, GoodRate: 0.99, BadRate: 0.99, SequenceRate: 0.99},
		{Sources: 1, GoodRate: MinRate, GoodTurnovers: MinTurnovers, BadRate: MinRate, SequenceRate: MinRate},
	} {
		filters, err := NewFilters(plan)
		if err != nil {
			t.Fatal(err)
		}
		if n, m := filters.Good.Stats().Planned, filters.Sequences.Stats().Planned; n != plan.Sources || m != 1 {
			t.Errorf("planned for %d sources and %d sequences, want %d and 1", n, m, plan.Sources)
		}
	}
	for says, change := range map[string]func(*Sizing){
		"found NaN turnovers":             func(p *Sizing) { p.GoodTurnovers = math.NaN() },
		"found -1 turnovers":              func(p *Sizing) { p.GoodTurnovers = -1 },
		"found 0.009 turnovers":           func(p *Sizing) { p.GoodTurnovers = 0.009 },
		"found 0 expected sources":        func(p *Sizing) { p.Sources = 0 },
		"found 67108865 expected sources": func(p *Sizing) { p.Sources = MaxSources + 1 },
		"found good rate 0,":              func(p *Sizing) { p.GoodRate = 0 },
		"found bad rate 1,":               func(p *Sizing) { p.BadRate = 1 },
		"found sequence rate NaN":         func(p *Sizing) { p.SequenceRate = math.NaN() },
		"found sequence rate 1e-13":       func(p *Sizing) { p.SequenceRate = 1e-13 },
	} {
		p := plan
		change(&p)
		if _, err := NewFilters(p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

// TestFalsePositives measures a filter whose rate is known.
func TestFalsePositives(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.01, Key: key.FromBytes([key.Size]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	const nonMembers = 200_000
	if n := falsePositives(setOf(f), nonMembers); n != 0 {
		t.Errorf("%d false positives of an empty filter", n)
	}
	for i := range uint32(1000) {
		mustInsert(t, setOf(f), words(i))
	}
	// Five standard deviations of a binomial distribution.
	rate := f.Stats().Rate
	got, want, deviation := float64(falsePositives(setOf(f), nonMembers)), rate*nonMembers, math.Sqrt(rate*nonMembers)
	if math.Abs(got-want) > 5*deviation {
		t.Errorf("%v false positives, want %.0f ± %.0f", got, want, 5*deviation)
	}
}

// TestMemory checks that memory is measured: a key takes at least its string header, and no set is free.
func TestMemory(t *testing.T) {
	for name, measured := range map[string]func(int) int{
		"exact set": func(n int) int { return exactBytes(n, 4) },
		"states":    stateBytes,
	} {
		for _, n := range []int{1000, 100_000, 4 << 20} {
			if perKey := float64(measured(n)) / float64(n); perKey < 16 || perKey > 1000 {
				t.Errorf("%s of %d keys: %.1f bytes a key", name, n, perKey)
			}
		}
	}
}

var errBroken = errors.New("broken")

// TestRenewalFails: where the good filter cannot be built anew, the error says so, and it stays as it is.
func TestRenewalFails(t *testing.T) {
	filters, err := NewFilters(Sizing{Sources: 2, GoodRate: 0.1, GoodTurnovers: MinTurnovers, BadRate: 0.1, SequenceRate: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	good := filters.Good
	keys := [][]byte{words(1), words(2), words(3), words(4)}
	for _, key := range keys {
		mustInsert(t, setOf(good), key)
	}
	var many *deletable.TooManyError
	if _, err := filters.renew(2, slices.Values(keys)); !errors.As(err, &many) || filters.Good != good || filters.Rebuilds != 0 {
		t.Errorf("more members than planned: error %v, %d rebuilds", err, filters.Rebuilds)
	}
}
