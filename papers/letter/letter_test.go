package letter

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What the run finds that CI makes: simulations agree with exact theory.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	claimtest.Run(t, New(), 200, 60).TheoryHolds(t, exact, 200, 0)
}

// Trials have the parameters that a row says, or it is refused.
func TestRefused(t *testing.T) {
	const best, way = "rate of false positives of the best", "rate of a filter on its way"
	const lost = "members not found after half of the elements are removed"
	claimtest.Refuses(t, New(), [][3]string{
		{"rate before removal", "m=240; k=5; r=12; n=22", `no "before"`},
		{"rate after removal", "m=240; k=5; r=60; n=22", `no "after"`},
		{"rate before removal", "m=240; k=5; r=24; n=22; zzz=4", "nothing reads zzz"},
		{"deletable elements", "m=240; k=5; r=24; n=22; hash=sha", "found hash=sha"},
		{"deletable elements", "m=240; k=5; r=24; n=22; hash=double hashing | " +
			"m=480; k=5; r=24; n=22; hash=double hashing", "do not say m"},
		{way, "m=240; k=5; r=24; n=22; processed=1 | m=240; k=5; r=60; n=22; processed=1",
			"do not say r"},
		{way, "m=240; k=5; r=24; n=22; processed=30", "at 23 points"},
		{"filters of which all elements are deletable", "m=32; k=3; r=4; n=3 | m=64; k=3; r=4; n=3",
			"do not say m"},
		{lost, "m=240; k=5; q=4; n=22 | m=240; k=8; q=4; n=22", "do not say k"},
		{lost, "m=240; k=5; q=4; n=22 | m=240; k=5; q=3; n=22", "do not say q"},
		{lost, "m=240; k=5; q=4; n=22 | m=1000; k=5; q=4; n=22", "do not say m"},
		{best, "m=240; k=5; r=24; n=22; d=2; goal=rate | m=240; k=5; r=60; n=22; d=2; goal=rate",
			"do not say r"},
		{best, "m=240; k=5; r=24; n=22; d=3; goal=rate", "at 15 points"},
		{best, "m=240; k=5; r=24; n=22; d=32; goal=rate", "at 15 points"},
	})
}

// The letter's figure 1, worked: m = 32, k = 3, r = 4. Its cells are not readable, so these are
// ours: 28 cells in regions of seven. Elements x and y share cell 8, in the second region; all
// three are deletable.
func TestFigure1(t *testing.T) {
	a := array(dlbf.Shape{Bits: 32, Regions: 4, Hashes: 3})
	x, y, z := []uint64{1, 8, 15}, []uint64{3, 8, 22}, []uint64{10, 19, 26}
	for _, cells := range [][]uint64{x, y, z} {
		if a.QueryAt(cells) {
			t.Fatalf("%v is there already", cells)
		}
		a.InsertAt(cells)
	}
	if got, want := a.Count(), (dlbf.Counts{Ones: 8, Collided: 1, Clearable: 6}); got != want {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for _, cell := range []uint64{7, 8, 13} {
		if a.DeletableAt([]uint64{cell}) {
			t.Errorf("cell %d is in the region with the collision", cell)
		}
	}
	left := 8
	for i, cells := range [][]uint64{x, y, z} {
		if !a.QueryAt(cells) || !a.DeletableAt(cells) || a.DeleteAt(cells) != filter.Deleted ||
			a.QueryAt(cells) {
			t.Errorf("element %d is not removed", i)
		}
		left -= 2 // and the third bit is in the region with the collision
		if got := a.Count(); got.Ones != left || got.Collided != 1 {
			t.Errorf("after element %d: %+v, want %d bits", i, got, left)
		}
	}
	if !a.QueryAt([]uint64{8, 10}) {
		t.Error("bits 8 and 10 are orphans")
	}
}

// The exact rate is that of counting all ways to throw.
func TestOccupied(t *testing.T) {
	for _, test := range []struct{ cells, k, n int }{{2, 1, 1}, {3, 2, 1}, {4, 2, 3}, {5, 3, 2}} {
		s := dlbf.Shape{Bits: test.cells + 1, Regions: 1, Hashes: test.k}
		throws := test.k * test.n
		ways, sum := 1, 0.0
		for range throws {
			ways *= test.cells
		}
		for way := range ways {
			set, rest := map[int]bool{}, way
			for range throws {
				set[rest%test.cells] = true
				rest /= test.cells
			}
			sum += math.Pow(float64(len(set))/float64(test.cells), float64(test.k))
		}
		if got, want := occupied(s, test.n), sum/float64(ways); math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: %g, want %g", test, got, want)
		}
	}
}

// Words are elements: each once, and the same in each run.
func TestWords(t *testing.T) {
	file := func(lines int, line func(i int) string) string {
		name := filepath.Join(t.TempDir(), "words")
		var text strings.Builder
		for i := range lines {
			fmt.Fprintln(&text, line(i))
		}
		if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	parts := func(words string) error {
		paper, flags := New(), pflag.NewFlagSet("", pflag.ContinueOnError)
		paper.Flags(flags)
		if err := flags.Parse([]string{"--words", words}); err != nil {
			t.Fatal(err)
		}
		_, err := paper.Quantities(&trials.Run{})
		return err
	}
	good := file(least+1, func(i int) string { return fmt.Sprint("word ", i) })
	for name, want := range map[string]string{
		good: "",
		file(least, func(i int) string { return fmt.Sprint(i / 2) }): fmt.Sprintf(
			"found %d words, expected %d or more", least/2, least),
		file(least, func(int) string { return "" }):                     "found 0 words",
		file(1, func(int) string { return strings.Repeat("a", 1<<20) }): "token too long",
		filepath.Join(t.TempDir(), "none"):                              "no such file",
	} {
		if err := parts(name); (err == nil) != (want == "") || err != nil &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	d, err := readWords(good)
	if err != nil {
		t.Fatal(err)
	}
	deletable := func() []float64 {
		return simulated(d.elements).Mean("deletable")(&trials.Run{Seed: 1, Short: true},
			claim.Parameters{"m": bits, "k": hashes, "r": regions, "n": 21}).Values
	}
	if first := deletable(); !slices.Equal(first, deletable()) {
		t.Error("the same words give other trials")
	}
	if i := claim.Mean(deletable()); *i.Low > 0.85 || *i.High < 0.7 {
		t.Errorf("%g to %g of the words are deletable", *i.Low, *i.High)
	}
}

// Elements have k cells of those there are, appended to what is there; of distinct ones no two
// coincide, and of those that are set once none is there twice.
func TestElements(t *testing.T) {
	const cells, k = 12, 5
	for name, test := range map[string]struct {
		elements      elements
		fewer, repeat bool // some have fewer cells; some have a cell twice
	}{
		"hashed": {hashed, false, true}, "perfect": {perfect, false, true},
		"doubly": {doubly, false, true},
		"weakly": {weakly, false, true}, "distinct": {distinct, false, false},
		"once": {once, true, false},
	} {
		draw := test.elements(rand.New(rand.NewPCG(1, 2)), cells, k)
		fewer, repeat, hit := false, false, [cells]int{}
		for range 2000 {
			all := draw([]uint64{99})
			own := slices.Clone(all[1:])
			for _, cell := range own {
				hit[cell]++
			}
			slices.Sort(own)
			fewer = fewer || len(own) < k
			repeat = repeat || len(slices.Compact(slices.Clone(own))) < len(own)
			if all[0] != 99 || len(own) > k {
				t.Fatalf("%s: %v", name, all)
			}
		}
		if fewer != test.fewer || repeat != test.repeat {
			t.Errorf("%s: fewer cells %v, a cell twice %v", name, fewer, repeat)
		}
		if least, most := slices.Min(hit[:]),
			slices.Max(hit[:]); float64(least) < 0.7*float64(most) {
			t.Errorf("%s: cells are hit %d to %d times", name, least, most)
		}
	}
	number, seen := numbers(rand.New(rand.NewPCG(1, 2)), 100), map[int]bool{}
	for range 100 {
		seen[number()] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 numbers are drawn", len(seen))
	}
}
