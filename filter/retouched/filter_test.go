package retouched

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// maker returns filters that are made of one of the kinds, with some false positives bought off.
func maker(kind int) filtertest.Maker {
	return func(s filter.Sizing, hashes []uint64) (filter.Stored, error) {
		var of interface {
			Base
			filter.Set
		}
		var err error
		if kind == 2 {
			of, err = deletable.New(deletable.Config{Members: s.Members, BitsPerKey: s.BitsPerKey,
				Turnovers: s.Turnovers, Key: s.Key})
		} else {
			of, err = plain.New(plain.Config{Members: s.Members, BitsPerKey: s.BitsPerKey,
				Blocked: kind == 1, Key: s.Key})
		}
		if err != nil {
			return nil, err
		}
		if _, err := of.InsertHashBatch(hashes, nil); err != nil {
			return nil, err
		}
		f, _, err := New(of, Config{Members: source(hashes), Troublesome: randomSource(5, 20_000)})
		return f, err
	}
}

// The laws hold for what is made of each kind, also of a deletable filter with planned turnovers,
// whose file has more attributes.
func TestLaws(t *testing.T) {
	for kind, name := range []string{"plain", "blocked", "deletable"} {
		t.Run(name, func(t *testing.T) { filtertest.RunMade(t, Kind, maker(kind)) })
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

// A filter that is read back from a file, a stream or its bytes has the numbers of its report and
// gives the same answers.
func TestFiles(t *testing.T) {
	for kind := range 3 {
		f := retouchedOf(t, kind)
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		content, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		unmarshaled := new(Filter)
		read := func(b []byte) *Filter {
			g, err := Read(bytes.NewReader(b), fixed)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		opened, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		if err := unmarshaled.UnmarshalBinary(content); err != nil {
			t.Fatal(err)
		}
		for name, g := range map[string]*Filter{"opened": opened, "loaded": loaded,
			"read": read(content), "unmarshaled": unmarshaled} {
			if g.Cleared() != f.Cleared() || g.Lost() != f.Lost() || g.State() != f.State() ||
				g.String() != f.String() || g.Cleared() == 0 || g.Lost() == 0 {
				t.Errorf("kind %d, %s: %v of %+v, want %v of %+v", kind, name, g,
					g.State(), f, f.State())
			}
			for i := range uint64(5000) {
				if hash := fixed.HashUint64(i); g.QueryHash(hash) != f.QueryHash(hash) {
					t.Fatalf("kind %d, %s: key %d is present: %v", kind, name, i, g.QueryHash(hash))
				}
			}
		}
		if again, err := read(content).MarshalBinary(); err != nil || !bytes.Equal(again, content) {
			t.Errorf("kind %d: written otherwise (%v)", kind, err)
		}
		if opened.Key().IsZero() || !unmarshaled.Key().IsZero() {
			t.Errorf("kind %d: %v, %v", kind, opened.Key(), unmarshaled.Key())
		}
	}
	if err := new(Filter).UnmarshalBinary(nil); err == nil {
		t.Error("a filter of no bytes")
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
		found, asked := 0, 200_000
		for hash, err := range randomSource(99, asked) {
			if err == nil && f.QueryHash(hash) {
				found++
			}
		}
		if got := float64(found) / float64(asked); math.Abs(got-rate) >
			4*math.Sqrt(rate/float64(asked)) {
			t.Errorf("kind %d: rate %g, the state says %g", kind, got, rate)
		}
	}
}

// Calls of a zero filter and of a closed one fail as the contract says.
func TestEnded(t *testing.T) {
	f := retouchedOf(t, 0)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	filtertest.Ended(t, f)
	filtertest.Ended(t, new(Filter))
}

// A harmful file is refused.
func TestHostileFiles(t *testing.T) {
	for name, change := range map[string]func(*file.Contents){
		"lost":         func(c *file.Contents) { c.Set(attributeLost, 1<<63) },
		"cleared":      func(c *file.Contents) { c.Set(attributeCleared, 1<<63) },
		"a promise":    func(c *file.Contents) { c.Promises = 1 },
		"bits":         func(c *file.Contents) { c.Set("bits", 1<<40) },
		"hashes 0":     func(c *file.Contents) { c.Set("hashes", 0) },
		"another kind": func(c *file.Contents) { c.Kind = "plain" },
		"no of":        func(c *file.Contents) { c.Sections = c.Sections[:1] },
		"no sections":  func(c *file.Contents) { c.Sections = nil },
		"of first":     func(c *file.Contents) { slices.Reverse(c.Sections) },
		"of nothing":   func(c *file.Contents) { c.Sections[1].Words = nil },
		"of itself":    func(c *file.Contents) { c.Sections[1].Words = file.TextWords(kindName) },
		"of another": func(c *file.Contents) {
			c.Sections[1].Words = file.TextWords("counting")
		},
		"of deletable": func(c *file.Contents) {
			c.Sections[1].Words = file.TextWords("deletable")
		},
		"of more words": func(c *file.Contents) {
			c.Sections[1].Words = append(c.Sections[1].Words,
				0)
		},
		"two of":   func(c *file.Contents) { c.Sections = append(c.Sections, c.Sections[1]) },
		"one more": func(c *file.Contents) { c.Set("more", 1) },
	} {
		c, err := retouchedOf(t, 0).Contents()
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		var wrong *file.Error
		if g, err := Decode(c, fixed); g != nil || !errors.As(err, &wrong) {
			t.Errorf("%s: %v (%v)", name, g, err)
		}
	}
	c, _ := retouchedOf(t, 1).Contents()
	if _, err := Decode(c, workload.Key(1)); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("another key: %v", err)
	}
}
