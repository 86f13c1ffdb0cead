package bitwise

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
)

// A filter that is read back from a file, a stream or its bytes goes on as before.
func TestFiles(t *testing.T) {
	for _, s := range shapes {
		f, blank := newShape(t, s), newShape(t, shapes[1])
		for n := range uint64(300) {
			if err := f.AddUint64(n, n%50); err != nil {
				t.Fatal(err)
			}
		}
		f.DeleteUint64(3)
		filtertest.Files(t, f, blank,
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// A file with a harmful number is refused. The largest numbers that are accepted do no harm.
func TestHostileFiles(t *testing.T) {
	set := func(section, i int, value uint64) func(*file.Contents) {
		return func(c *file.Contents) { c.Sections[section].Words[i] = value }
	}
	for name, change := range map[string]func(*file.Contents){
		"members 0":           func(c *file.Contents) { c.Set(attributeMembers, 0) },
		"members":             func(c *file.Contents) { c.Set(attributeMembers, 1<<63) },
		"inserts":             func(c *file.Contents) { c.Set("inserts", 1<<63) },
		"deleted":             func(c *file.Contents) { c.Set("deleted", 1<<63) },
		"retained":            func(c *file.Contents) { c.Set("retained", math.MaxUint64) },
		"hashes 0":            func(c *file.Contents) { c.Set(attributeHashes, 0) },
		"hashes":              func(c *file.Contents) { c.Set(attributeHashes, MaxHashes+1) },
		"hashes near 2^64":    func(c *file.Contents) { c.Set(attributeHashes, math.MaxUint64) },
		"a level of no words": set(0, 0, 0),
		"a word too many":     set(0, 0, 21),
		"a word too few":      set(0, 4, 5),
		"words near 2^64":     set(0, 2, math.MaxUint64),
		"words near 2^63":     set(0, 2, math.MaxInt64),
		"words that wrap": func(c *file.Contents) {
			set(0, 0, 1<<63+20)(c)
			set(0, 2,
				1<<63+14)(c)
		},
		"width 0":             set(0, 1, 0),
		"width":               set(0, 3, MaxWidth+1),
		"width near 2^64":     set(0, 1, math.MaxUint64),
		"width 2^32+2":        set(0, 1, 1<<32+2),
		"a narrow last level": set(0, 7, 16),
		"a wide first level":  set(0, 1, 64),
		"no last level": func(c *file.Contents) {
			c.Sections[0].Words = c.Sections[0].Words[:6]
		},
		"half a level": func(c *file.Contents) {
			c.Sections[0].Words = c.Sections[0].Words[:7]
		},
		"no levels": func(c *file.Contents) { c.Sections[0].Words = nil },
		"too many levels": func(c *file.Contents) {
			c.Sections[0].Words = make([]uint64,
				2*MaxLevels+2)
		},
		"no word": func(c *file.Contents) { c.Sections[1].Words = nil },
		"a word of cells less": func(c *file.Contents) {
			c.Sections[1].Words = c.Sections[1].Words[1:]
		},
		"no section":            func(c *file.Contents) { c.Sections = c.Sections[:1] },
		"another section":       func(c *file.Contents) { c.Sections[0].Name = "words" },
		"another kind":          func(c *file.Contents) { c.Kind = "counting" },
		"another attribute":     func(c *file.Contents) { c.Set("more", 1) },
		"other attributes":      func(c *file.Contents) { c.Attributes[0].Name = "a" },
		"promises of no counts": func(c *file.Contents) { c.Promises &^= uint64(filter.Counts) },
	} {
		c, err := newShape(t, shapes[1]).Contents()
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		content, err := c.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		var wrong *file.Error
		if _, err := Read(bytes.NewReader(content), fixed); !errors.As(err, &wrong) ||
			!errors.Is(err, file.ErrBounds) && !errors.Is(err, file.ErrKind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range shapes {
		c, _ := newShape(t, s).Contents()
		for i := range c.Sections[1].Words {
			c.Sections[1].Words[i] = math.MaxUint64 // also the bits of no cell
		}
		for _, name := range []string{"inserts", "deleted", "retained"} {
			c.Set(name, math.MaxInt)
		}
		f, err := Decode(c, fixed)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.CountHash(1); len(s.Levels) > 1 && got != most {
			t.Errorf("%v: a count of %d, want one that is above all", f, got)
		}
		g, err := Read(bytes.NewReader(mustAppend(t, c)), fixed)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.AddHash(1, 1<<20); err != nil {
			t.Error(err)
		}
		absent := f.DeleteHash(1) == filter.Absent && s.Levels[0].Width < lastWidth
		if absent || f.Members() != 0 || f.State().Bytes != 8*s.Words() {
			t.Errorf("%v: %+v", f, f.State())
		}
		if err := f.Merge(g); err != nil {
			t.Error(err)
		}
		f.CountHash(1)
	}
}

func mustAppend(t *testing.T, c *file.Contents) []byte {
	t.Helper()
	content, err := c.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestKind(t *testing.T) {
	f, err := Kind.New(filter.Sizing{Members: 100, Rate: 0.01, Turnovers: 10, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Contents()
	if err != nil || c.Kind != Kind.Name {
		t.Errorf("a file of kind %s (%v)", c.Kind, err)
	}
	if g, err := Kind.Decode(c, fixed); err != nil || !g.(*Filter).Equal(f.(*Filter)) {
		t.Errorf("%v (%v)", g, err)
	}
	if g, err := Kind.New(filter.Sizing{}); g != nil || err == nil {
		t.Errorf("%v, %v of no sizing", g, err)
	}
}
