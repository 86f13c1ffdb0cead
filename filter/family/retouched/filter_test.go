package retouched

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// maker returns filters that are made of one of the kinds, with some false positives bought off.
func maker(kind int) filtertest.Maker {
	return func(s filter.Sizing, hashes []uint64) (filter.Stored, error) {
		var base interface {
			Base
			filter.Set
		}
		var err error
		if kind == 2 {
			base, err = deletable.New(deletable.Config{Members: s.Members, BitsPerKey: s.BitsPerKey,
				Turnovers: s.Turnovers, Key: s.Key})
		} else {
			base, err = plain.New(plain.Config{Members: s.Members, BitsPerKey: s.BitsPerKey,
				Blocked: kind == 1, Key: s.Key})
		}
		if err != nil {
			return nil, err
		}
		if _, err := base.InsertHashBatch(hashes, nil); err != nil {
			return nil, err
		}
		f, _, err := New(base,
			Config{Members: source(hashes), Troublesome: randomSource(5, 20_000)})
		return f, err
	}
}

// The laws hold for what is made of each kind, not only of plain filters, as in package family,
// also of a deletable filter with planned turnovers, whose file has more attributes.
func TestLaws(t *testing.T) {
	for kind, name := range map[int]string{1: "blocked", 2: "deletable"} {
		t.Run(name, func(t *testing.T) { filtertest.RunAgain(t, Kind, maker(kind)) })
	}
}

// retouchedOf returns a filter of 300 members of which some are lost.
func retouchedOf(t *testing.T, kind int) *Filter {
	t.Helper()
	hashes := make([]uint64, 300)
	for i := range hashes {
		hashes[i] = fixed.HashUint64(uint64(i))
	}
	f, err := maker(kind)(filter.Sizing{Members: 300, BitsPerKey: 10, Turnovers: 1, Key: fixed},
		hashes)
	if err != nil {
		t.Fatal(err)
	}
	return f.(*Filter)
}

// A filter that is read back from a file, a stream or its bytes is equal.
func TestFiles(t *testing.T) {
	for kind := range 3 {
		f := retouchedOf(t, kind)
		other, err := maker(kind)(filter.Sizing{Members: 9, BitsPerKey: 20, Key: fixed}, nil)
		if err != nil {
			t.Fatal(err)
		}
		filtertest.Files(t, f, other.(*Filter),
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// Filters that differ in their bits, in their numbers or in what they are made of are not equal,
// and a clone has memory of its own.
func TestEqual(t *testing.T) {
	for kind := range 3 {
		f := retouchedOf(t, kind)
		for name, change := range map[string]func(*table){
			"a bit":    func(u *table) { u.ClearBits(u.AppendPositions(nil, fixed.HashUint64(1))) },
			"cleared":  func(u *table) { u.cleared++ },
			"lost":     func(u *table) { u.lost++ },
			"the kind": func(u *table) { u.Base = retouchedOf(t, (kind+1)%3).table.Table().Base },
		} {
			g := f.Clone()
			if !g.Equal(f) || !f.Equal(retouchedOf(t, kind)) {
				t.Errorf("kind %d: a clone differs", kind)
			}
			if change(g.table.Table()); g.Equal(f) || f.Equal(g) {
				t.Errorf("kind %d: equal but for %s", kind, name)
			}
		}
	}
}

// The state is that of the bits as they are, without the lost members, and not what the number of
// inserts lets expect.
func TestState(t *testing.T) {
	for kind := range 3 {
		f := retouchedOf(t, kind)
		base := f.table.Table().Base
		s := f.State()
		fill, rate := scan(base)
		if !s.Scanned || s.Fill != fill || s.Rate != rate || s.Bytes != base.State().Bytes ||
			s.Members != 300-float64(f.Lost()) {
			t.Errorf("kind %d: %+v", kind, s)
		}
		present := 0
		for i := range uint64(300) {
			if f.QueryUint64(i) {
				present++
			}
		}
		if present != 300-f.Lost() {
			t.Errorf("kind %d: %d members are present, %d were lost", kind, present, f.Lost())
		}
		found, queries := 0, 200_000
		for hash, err := range randomSource(99, queries) {
			if err == nil && f.QueryHash(hash) {
				found++
			}
		}
		if got := float64(found) / float64(queries); math.Abs(got-rate) >
			4*math.Sqrt(rate/float64(queries)) {
			t.Errorf("kind %d: rate %g, the state says %g", kind, got, rate)
		}
	}
}

// A file that names another kind than that of its filter is refused.
func TestHostileFiles(t *testing.T) {
	for _, name := range []string{"", kindName, "counting", "blocked", "deletable"} {
		c, err := retouchedOf(t, 0).Contents()
		if err != nil {
			t.Fatal(err)
		}
		c.Sections[1].Words = file.TextWords(name)
		var wrong *file.Error
		if g, err := Decode(c, fixed); g != nil || !errors.As(err, &wrong) {
			t.Errorf("%q: %v (%v)", name, g, err)
		}
	}
}
