package elastic

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
	found.Verdicts(t, 150)
	found.AlteredDiffer(t, 20, 40)
	found.TheoryHolds(t, meanField, 100, 0.01)
	found.FiguresAre(t, "overflows", "growth", "initial")
}
