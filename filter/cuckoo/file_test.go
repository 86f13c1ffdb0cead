package cuckoo

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
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

// A file whose words or members are not those of its numbers is refused. The largest numbers that
// are accepted do no harm.
func TestFit(t *testing.T) {
	for name, change := range map[string]func(*file.Contents){
		"held":           func(c *file.Contents) { c.Set("held", 161) },
		"buckets":        func(c *file.Contents) { c.Set("buckets", 42) },
		"buckets, fewer": func(c *file.Contents) { c.Set("buckets", 38) },
		"bits":           func(c *file.Contents) { c.Set("fingerprint-bits", 12) },
		"a word more": func(c *file.Contents) {
			c.Sections[0].Words = append(c.Sections[0].Words, 0)
		},
		"the word behind": func(c *file.Contents) {
			c.Sections[0].Words[len(c.Sections[0].Words)-1] = 1
		},
		"the last bit": func(c *file.Contents) {
			c.Sections[0].Words[len(c.Sections[0].Words)-2] |= 1 << 63
		},
	} {
		c, err := newFilter(t, Config{Members: 128, BitsPerKey: 14, Fingerprint: 11}).Contents()
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, held := range []uint64{0, 160} {
		f := newFilter(t, Config{Members: 128, BitsPerKey: 14, Fingerprint: 11})
		f.InsertHash(1)
		c, _ := f.Contents()
		c.Set("held", held)
		c.Set("kicks", math.MaxUint64)
		g, err := Decode(c, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for hash := range uint64(300) {
			g.InsertHash(hash * 0x9e3779b97f4a7c15)
		}
		if g.DeleteHash(1) != filter.Deleted || g.Members() > g.Shape().Slots() ||
			g.State().Fill > 1 {
			t.Errorf("%v: %+v", g, g.State())
		}
		for range 3 {
			g.DeleteHash(0x9e3779b97f4a7c15)
		}
		base.Open(&g.Body).members = 0
		g.DeleteHash(0x3c6ef372fe94f82a)
		if g.Members() != 0 {
			t.Errorf("%d members", g.Members())
		}
	}
}
