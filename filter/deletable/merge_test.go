package deletable

import (
	"errors"
	"slices"
	"testing"
)

func TestMergeIsTheInsertsOfBoth(t *testing.T) {
	a, b, both := newFilter(t, 1000, 12), newFilter(t, 1000, 12), newFilter(t, 1000, 12)
	for n := range uint64(1000) {
		both.InsertUint64(n)
		if n%3 == 0 {
			a.InsertUint64(n)
		} else {
			b.InsertUint64(n)
		}
	}
	other := slices.Clone(b.table)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	same(t, a, both)
	if !slices.Equal(b.table, other) {
		t.Error("the other filter changed")
	}
}

func TestMergeAddsTheCounters(t *testing.T) {
	a, b := newFilter(t, 32, 16), newFilter(t, 30, 16)
	a.counters = counters{32, 10, 3, 2}
	b.counters = counters{30, 100, 50, 7}
	want := counters{32, 110, 53, 9}
	if err := a.Merge(b); err != nil || a.counters != want {
		t.Errorf("%+v (%v), want %+v", a.counters, err, want)
	}
	a.counters, b.counters = counters{30, 1, 0, 0}, counters{32, 0, 0, 0}
	if err := a.Merge(b); err != nil || a.counters.planned != 32 {
		t.Errorf("planned %d (%v), want the larger, 32", a.counters.planned, err)
	}
}

func TestMergeRefuses(t *testing.T) {
	f := newFilter(t, 100, 16)
	f.InsertUint64(1)
	stranger, err := New(Config{Members: 100, BitsPerKey: 16})
	if err != nil {
		t.Fatal(err)
	}
	stranger.InsertUint64(2)
	want := slices.Clone(f.table)
	for _, test := range []struct {
		name  string
		other *Filter
		err   error
	}{
		{"another key", stranger, ErrWrongKey},
		{"another size", newFilter(t, 1000, 16), ErrUnequalSize},
		{"itself", f, ErrSelf},
	} {
		if err := f.Merge(test.other); !errors.Is(err, test.err) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.err)
		}
	}
	if !slices.Equal(f.table, want) || f.Inserts() != 1 {
		t.Error("a merge that was refused changed the filter")
	}
}
