package elastic

import (
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found, err := claimtest.Short(New())
	if err != nil {
		t.Fatal(err)
	}
	found.Verdicts(t, 250)
	found.AlteredDiffer(t, 25, 60)
	found.TheoryHolds(t, meanField, 100, 0.01)
	found.FiguresAre(t, "overflows", "growth", "initial", "slow",
		"expansions", "loads", "forms")
}

// The bits of the buckets are those of the filter.
func TestSlowBits(t *testing.T) {
	for log := 4; log < 14; log++ {
		for branches, tree := range map[int]bool{0: false, 3: true} {
			c := original.Default()
			c.Log, c.Branches = log, branches
			f, err := original.New(c)
			if err != nil {
				t.Fatal(err)
			}
			_, slow := f.Bytes()
			if off := 8*float64(slow) - slowBits(log, tree); off < 0 || off > 4*64 { // the rest of a word, and one behind
				t.Errorf("2^%d bits, branches %d: %d bytes, want %g", log, branches, slow, slowBits(log, tree)/8)
			}
		}
	}
}
