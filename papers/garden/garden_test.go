package garden

import (
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// What the run finds that CI makes: simulations agree with theory, and what is certain of windows
// is what is found.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found := claimtest.Holds(t, New())
	found.FormulaHolds(t, exact, 20)
	found.FormulaHolds(t, meanField, 20)
	found.FormulaHolds(t, "Bose et al.", 7)
}
