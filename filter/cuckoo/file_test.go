package cuckoo

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
		{Members: 1000, BitsPerKey: 10}, {Members: 290, Rate: 0.001},
		{Members: 280, BitsPerKey: 45},
	} {
		f := newFilter(t, c)
		for n := range uint64(280) {
			if _, err := f.InsertUint64(n); err != nil {
				t.Fatal(err)
			}
		}
		f.DeleteUint64(3)
		blank := newFilter(t, Config{Members: 1, BitsPerKey: 64})
		filtertest.Files(t, f, blank,
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// A file with a harmful number is refused. The largest numbers that are accepted do no harm.
func TestHostileFiles(t *testing.T) {
	for name, change := range map[string]func(*file.Contents){
		"members 0":         func(c *file.Contents) { c.Set(attributeMembers, 0) },
		"members":           func(c *file.Contents) { c.Set(attributeMembers, 1<<63) },
		"held":              func(c *file.Contents) { c.Set(attributeHeld, 161) },
		"held near 2^64":    func(c *file.Contents) { c.Set(attributeHeld, math.MaxUint64) },
		"bits 3":            func(c *file.Contents) { c.Set(attributeFingerprint, 3) },
		"bits 33":           func(c *file.Contents) { c.Set(attributeFingerprint, 33) },
		"bits near 2^64":    func(c *file.Contents) { c.Set(attributeFingerprint, math.MaxUint64) },
		"buckets 0":         func(c *file.Contents) { c.Set(attributeBuckets, 0) },
		"buckets":           func(c *file.Contents) { c.Set(attributeBuckets, 42) },
		"buckets 2^62":      func(c *file.Contents) { c.Set(attributeBuckets, 1<<62) },
		"buckets near 2^64": func(c *file.Contents) { c.Set(attributeBuckets, math.MaxUint64) },
		"a word more": func(c *file.Contents) {
			c.Sections[0].Words = append(c.Sections[0].Words, 0)
		},
		"a word less": func(c *file.Contents) {
			c.Sections[0].Words = c.Sections[0].Words[1:]
		},
		"the word behind": func(c *file.Contents) {
			c.Sections[0].Words[len(c.Sections[0].Words)-1] = 1
		},
		"the last bit": func(c *file.Contents) {
			c.Sections[0].Words[len(c.Sections[0].Words)-2] |= 1 << 63
		},
		"no word":           func(c *file.Contents) { c.Sections[0].Words = nil },
		"no section":        func(c *file.Contents) { c.Sections = nil },
		"another section":   func(c *file.Contents) { c.Sections[0].Name = "words" },
		"another kind":      func(c *file.Contents) { c.Kind = "deletable" },
		"another attribute": func(c *file.Contents) { c.Set("more", 1) },
		"other attributes":  func(c *file.Contents) { c.Attributes[0].Name = "a" },
	} {
		c, err := newFilter(t, Config{Members: 128, BitsPerKey: 14, Fingerprint: 11}).Contents()
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
	for _, held := range []uint64{0, 160} {
		f := newFilter(t, Config{Members: 128, BitsPerKey: 14, Fingerprint: 11})
		f.InsertHash(1)
		c, _ := f.Contents()
		c.Set(attributeHeld, held)
		c.Set(attributeKicks, math.MaxUint64)
		g, err := Decode(c, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for hash := range uint64(300) {
			g.InsertHash(hash * 0x9e3779b97f4a7c15)
		}
		if g.DeleteHash(1) != filter.Deleted || g.Members() > g.Slots() || g.State().Fill > 1 {
			t.Errorf("%v: %+v", g, g.State())
		}
		for range 3 {
			g.DeleteHash(0x9e3779b97f4a7c15)
		}
		g.members = 0
		g.DeleteHash(0x3c6ef372fe94f82a)
		if g.Members() != 0 {
			t.Errorf("%d members", g.Members())
		}
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
