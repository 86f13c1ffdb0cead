package counting

import (
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

// The numbers of this kind end where its Config ends.
func TestBounds(t *testing.T) {
	for name, high := range map[string]uint64{"hashes": MaxHashes, "width": MaxWidth} {
		for _, wrong := range []uint64{0, high + 1} {
			c, _ := newFilter(t, Config{Members: 100, BitsPerKey: 8}).Contents()
			c.Set(name, wrong)
			if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
				t.Errorf("%s %d: %v", name, wrong, err)
			}
		}
	}
}

// The largest numbers of a file do no harm.
func TestLargestNumbers(t *testing.T) {
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
	if g.DeleteHash(1) != filter.Retained || g.Members() != 0 ||
		g.Stats().Saturated != g.Shape().Cells || g.State().Rate != 1 {
		t.Errorf("%v: %+v, %+v", g, g.Stats(), g.State())
	}
}
