package counting

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
	for _, c := range []Config{
		{Members: 100, BitsPerKey: 40}, {Members: 1, BitsPerKey: 1},
		{Members: 100, Rate: 0.001, Width: 7},
	} {
		f := newFilter(t, c)
		for n := range uint64(300) {
			if _, err := f.InsertUint64(n); err != nil {
				t.Fatal(err)
			}
		}
		f.DeleteUint64(3)
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
		"inserts":           func(c *file.Contents) { c.Set("inserts", 1<<63) },
		"deleted":           func(c *file.Contents) { c.Set("deleted", 1<<63) },
		"retained":          func(c *file.Contents) { c.Set("retained", math.MaxUint64) },
		"hashes 0":          func(c *file.Contents) { c.Set(attributeHashes, 0) },
		"hashes":            func(c *file.Contents) { c.Set(attributeHashes, MaxHashes+1) },
		"hashes near 2^64":  func(c *file.Contents) { c.Set(attributeHashes, math.MaxUint64) },
		"width 0":           func(c *file.Contents) { c.Set(attributeWidth, 0) },
		"width":             func(c *file.Contents) { c.Set(attributeWidth, MaxWidth+1) },
		"width near 2^64":   func(c *file.Contents) { c.Set(attributeWidth, math.MaxUint64) },
		"no word":           func(c *file.Contents) { c.Sections[0].Words = nil },
		"no section":        func(c *file.Contents) { c.Sections = nil },
		"another section":   func(c *file.Contents) { c.Sections[0].Name = "words" },
		"another kind":      func(c *file.Contents) { c.Kind = "deletable" },
		"another attribute": func(c *file.Contents) { c.Set("more", 1) },
		"other attributes":  func(c *file.Contents) { c.Attributes[0].Name = "a" },
	} {
		c, err := newFilter(t, Config{Members: 128, BitsPerKey: 8}).Contents()
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
	c, _ := newFilter(t, Config{Members: 100, BitsPerKey: 10, Width: 5}).Contents()
	for i := range c.Sections[0].Words {
		c.Sections[0].Words[i] = math.MaxUint64 // also the bits of no cell
	}
	for _, name := range []string{"inserts", "deleted", "retained"} {
		c.Set(name, math.MaxInt)
	}
	g, err := Decode(c, fixed)
	if err != nil {
		t.Fatal(err)
	}
	g.InsertHash(1)
	if g.DeleteHash(1) != filter.Retained || g.Members() != 0 || g.Stats().Saturated != g.Cells() ||
		g.State().Rate != 1 {
		t.Errorf("%v: %+v, %+v", g, g.Stats(), g.State())
	}
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
