package plain

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
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
		blank := newFilter(t, Config{Members: 1, BitsPerKey: 1, Blocked: c.Blocked})
		filtertest.Files(t, f, blank,
			filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
	}
}

// A file whose words are not those of its numbers is refused. The largest numbers that are accepted
// do no harm.
func TestFit(t *testing.T) {
	for _, blocked := range []bool{false, true} {
		for name, change := range map[string]func(*table){
			"a bit more":  func(of *table) { of.bits++ },
			"a word less": func(of *table) { of.bits -= 64 },
			"a word more": func(of *table) { of.Words = make([]uint64, 17) },
		} {
			size := bloom.Shape{Blocks: 1, Span: 1024, Hashes: 5}
			table := newTable(size, 100, blocked)
			if err := table.Fit(table.Words); err != nil {
				t.Fatal(err)
			}
			change(table)
			if err := table.Fit(table.Words); !errors.Is(err, file.ErrBounds) {
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
	c.Set("inserts", math.MaxInt)
	c.Set("members", planning.MaxMembers)
	g, err := Decode(c, fixed)
	if err != nil {
		t.Fatal(err)
	}
	if g.InsertHash(1); g.Inserts() != math.MaxInt || g.Shape().Rate(g.Inserts()) != 1 ||
		g.State().Bytes != 128 {
		t.Errorf("%v after %d inserts: %+v", g, g.Inserts(), g.State())
	}
}

func TestKinds(t *testing.T) {
	for _, kind := range []base.Kind{Kind, BlockedKind} {
		f, err := kind.New(filter.Sizing{Members: 100, Rate: 0.01, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Contents()
		if err != nil || c.Kind != kind.Name {
			t.Errorf("%s: a file of kind %s (%v)", kind.Name, c.Kind, err)
		}
		for _, other := range []base.Kind{Kind, BlockedKind} {
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
