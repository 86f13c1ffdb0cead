package guard

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Filters and exact sets are what the rules need.
var _, _ Set = keys{}, Exact{}

// TestExact holds the exact set against a list.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	set, members := Exact{}, map[uint32]bool{}
	for range 5000 {
		word := random.Uint32N(100)
		key := words(word)
		if got := set.Query(key); got != members[word] {
			t.Fatalf("query of %d is %v, want %v", word, got, members[word])
		}
		if random.IntN(2) == 0 {
			if got := set.Insert(key); got != members[word] {
				t.Fatalf("insert of %d is %v, want %v", word, got, members[word])
			}
			members[word] = true
			continue
		}
		want := kernel.Absent
		if members[word] {
			want = kernel.Deleted
		}
		if got := set.Delete(key); got != want {
			t.Fatalf("delete of %d is %v, want %v", word, got, want)
		}
		delete(members, word)
	}

	keys, want := [][]byte(nil), 0
	for word := range uint32(100) {
		keys = append(keys, words(word))
		if members[word] {
			want++
		}
	}
	hits := []uint64{math.MaxUint64, math.MaxUint64, 7}
	if got := set.QueryBatch(keys, hits); got != want || set.QueryBatch(keys, nil) != want {
		t.Errorf("batch counts %d, want %d", got, want)
	}
	for i := range 128 {
		if hit := hits[i/64]>>(i%64)&1 == 1; hit != members[uint32(i)] {
			t.Errorf("batch: key %d is %v, want %v", i, hit, members[uint32(i)])
		}
	}
	if hits[2] != 7 {
		t.Error("batch writes hits of no keys")
	}
}

func TestPlan(t *testing.T) {
	plan := Plan{Sources: 1000, Blocked: 50, Sequences: 3, GoodRate: 1e-3, BadRate: 1e-6, SequenceRate: 1e-9}
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
	for _, plan := range []Plan{
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
	for says, change := range map[string]func(*Plan){
		"found NaN turnovers":             func(p *Plan) { p.GoodTurnovers = math.NaN() },
		"found -1 turnovers":              func(p *Plan) { p.GoodTurnovers = -1 },
		"found 0.009 turnovers":           func(p *Plan) { p.GoodTurnovers = 0.009 },
		"found 0 expected sources":        func(p *Plan) { p.Sources = 0 },
		"found 67108865 expected sources": func(p *Plan) { p.Sources = MaxSources + 1 },
		"found good rate 0,":              func(p *Plan) { p.GoodRate = 0 },
		"found bad rate 1,":               func(p *Plan) { p.BadRate = 1 },
		"found sequence rate NaN":         func(p *Plan) { p.SequenceRate = math.NaN() },
		"found sequence rate 1e-13":       func(p *Plan) { p.SequenceRate = 1e-13 },
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
	filter, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.01, Key: key.FromBytes([key.Size]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	const strangers = 200_000
	if n := falsePositives(keys{filter}, strangers); n != 0 {
		t.Errorf("%d false positives of an empty filter", n)
	}
	for i := range uint32(1000) {
		filter.Insert(words(i))
	}
	// Five standard deviations of a binomial distribution.
	rate := filter.Stats().Rate
	got, want, deviation := float64(falsePositives(keys{filter}, strangers)), rate*strangers, math.Sqrt(rate*strangers)
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
