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
	found.Verdicts(t, 30)
	found.AlteredDiffer(t, 10, 3)
	found.TheoryHolds(t, meanField, 20, 0.01)
	found.FiguresAre(t, "overflows")
}
