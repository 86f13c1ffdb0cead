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

// A file whose levels are not those of its words is refused. The largest numbers that are accepted
// do no harm.
func TestFit(t *testing.T) {
	for name, sizes := range map[string][]uint64{
		"a level of no words": {0, 2, 14, 2, 6, 3, 5, 64},
		"a word too many":     {21, 2, 14, 2, 6, 3, 5, 64},
		"words near 2^64":     {20, 2, math.MaxUint64, 2, 6, 3, 5, 64},
		"words near 2^63":     {20, 2, math.MaxInt64, 2, 6, 3, 5, 64},
		"words that wrap":     {1<<63 + 20, 2, 1<<63 + 14, 2, 6, 3, 5, 64},
		"width 0":             {20, 0, 14, 2, 6, 3, 5, 64},
		"width":               {20, 2, 14, MaxWidth + 1, 6, 3, 5, 64},
		"width near 2^64":     {20, math.MaxUint64, 14, 2, 6, 3, 5, 64},
		"width 2^32+2":        {20, 1<<32 + 2, 14, 2, 6, 3, 5, 64},
		"a narrow last level": {20, 2, 14, 2, 6, 3, 5, 16},
		"a wide first level":  {20, 64, 14, 2, 6, 3, 5, 64},
		"no last level":       {20, 2, 14, 2, 6, 3},
		"half a level":        {20, 2, 14, 2, 6, 3, 5},
		"no levels":           {},
		"too many levels":     make([]uint64, 2*MaxLevels+2),
	} {
		c, err := newShape(t, shapes[1]).Contents()
		if err != nil {
			t.Fatal(err)
		}
		c.Sections[0].Words = sizes
		if _, err := Decode(c, fixed); !errors.Is(err, file.ErrBounds) {
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
