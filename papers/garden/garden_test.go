package garden

import (
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
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
	found.Verdicts(t, 400)
	found.AlteredDiffer(t, 60, 60)
	found.TheoryHolds(t, exact, 200, 0)
	found.TheoryHolds(t, meanField, 200, 0.01)
	found.FiguresAre(t, "overflows", "negatives", "undercounts", "levels", "zeros", "stable", "rates", "missed", "windows", "buffers",
		"sections", "sketches", "blocklist", "digests", "best", "compressed")
}
