package plain

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// A filter that is read back from a file, a stream or its bytes goes on as before.
func TestFiles(t *testing.T) {
	for _, c := range configs() {
		f := newFilter(t, c)
		for n := range uint64(300) {
			if _, err := f.InsertUint64(n); err != nil {
				t.Fatal(err)
			}
		}
		blank := newFilter(t, Config{Members: 1, BitsPerKey: 1})
		filtertest.Files(t, f, blank,
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// A file with a harmful number is refused. The largest numbers that are accepted do no harm.
func TestHostileFiles(t *testing.T) {
	for name, change := range map[string]func(*file.Contents){
		"members 0":         func(c *file.Contents) { c.Set(attributeMembers, 0) },
		"members":           func(c *file.Contents) { c.Set(attributeMembers, 1<<63) },
		"inserts":           func(c *file.Contents) { c.Set(attributeInserts, 1<<63) },
		"hashes 0":          func(c *file.Contents) { c.Set(attributeHashes, 0) },
		"hashes":            func(c *file.Contents) { c.Set(attributeHashes, MaxHashes+1) },
		"hashes near 2^64":  func(c *file.Contents) { c.Set(attributeHashes, math.MaxUint64) },
		"bits 0":            func(c *file.Contents) { c.Set(attributeBits, 0) },
		"a bit more":        func(c *file.Contents) { c.Set(attributeBits, 1025) },
		"a word less":       func(c *file.Contents) { c.Set(attributeBits, 960) },
		"bits near 2^64":    func(c *file.Contents) { c.Set(attributeBits, math.MaxUint64) },
		"a word more":       func(c *file.Contents) { c.Sections[0].Words = make([]uint64, 17) },
		"no word":           func(c *file.Contents) { c.Sections[0].Words = nil },
		"no section":        func(c *file.Contents) { c.Sections = nil },
		"another section":   func(c *file.Contents) { c.Sections[0].Name = "words" },
		"another kind":      func(c *file.Contents) { c.Kind = "deletable" },
		"another attribute": func(c *file.Contents) { c.Set("more", 1) },
		"other attributes":  func(c *file.Contents) { c.Attributes[0].Name = "a" },
	} {
		for _, blocked := range []bool{false, true} {
			f := newFilter(t, Config{Members: 128, BitsPerKey: 8, Blocked: blocked})
			c, err := f.Contents()
			if err != nil {
				t.Fatal(err)
			}
			if change(c); c.Sections != nil && len(c.Sections[0].Words) == 0 {
				c.Sections[0].Words = nil
			}
			content, err := c.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			var wrong *file.Error
			if _, err := Read(bytes.NewReader(content), fixed); !errors.As(err, &wrong) ||
				!errors.Is(err, file.ErrBounds) && !errors.Is(err, file.ErrKind) {
				t.Errorf("%s, blocked %v: %v", name, blocked, err)
			}
		}
	}
	f := newFilter(t, Config{Members: 100, BitsPerKey: 10.01})
	c, _ := f.Contents()
	c.Sections[0].Words[15] |= 1 << 41
	if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
		t.Errorf("a bit behind the last: %v", err)
	}
	c.Sections[0].Words[15] = 0
	c.Set(attributeInserts, math.MaxInt)
	c.Set(attributeMembers, planning.MaxMembers)
	g, err := Decode(c, fixed)
	if err != nil {
		t.Fatal(err)
	}
	if g.InsertHash(1); g.Inserts() != math.MaxInt || g.ExpectedRate(g.Inserts()) != 1 ||
		g.State().Bytes != 128 {
		t.Errorf("%v after %d inserts: %+v", g, g.Inserts(), g.State())
	}
}

func TestKinds(t *testing.T) {
	for _, kind := range []filter.Kind{Kind, BlockedKind} {
		f, err := kind.New(filter.Sizing{Members: 100, Rate: 0.01, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Contents()
		if err != nil || c.Kind != kind.Name {
			t.Errorf("%s: a file of kind %s (%v)", kind.Name, c.Kind, err)
		}
		for _, other := range []filter.Kind{Kind, BlockedKind} {
			if _, err := other.Decode(c, fixed); errors.Is(err, file.ErrKind) !=
				(other.Name != kind.Name) {
				t.Errorf("%s as %s: %v", kind.Name, other.Name, err)
			}
		}
		if g, err := kind.New(filter.Sizing{}); g != nil || err == nil {
			t.Errorf("%s: %v, %v of no sizing", kind.Name, g, err)
		}
	}
}
