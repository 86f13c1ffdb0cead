package garden

import (
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found := claimtest.Run(t, New(), 400, 60)
	found.TheoryHolds(t, exact, 200, 0)
	found.TheoryHolds(t, meanField, 200, 0.01)
	found.TheoryHolds(t, restored, 15, 0.02)
	windowsHold(t, found.Claims)
}

// Windows are certain: so are these values, and in the order of the stream.
func windowsHold(t *testing.T, claims []claim.Claim) {
	held := 0
	for _, c := range claims {
		if c.Item != "A²: a FIFO" || c.Of != exact {
			continue
		}
		if held++; *c.Measured != *c.Expected {
			t.Errorf("%s, %v: %g, and theory has %g", c.Quantity, c.Parameters,
				*c.Measured, *c.Expected)
		}
	}
	if held < 13 {
		t.Errorf("%d values of windows", held)
	}
	longer := windowed()["certain window at equal bits, as a multiple of double buffering's, "+
		"less 1"]
	for _, rate := range []float64{0.1, 0.05, 0.01, 0.002} {
		at := claim.Parameters{"n": 1000, "rate": rate}
		got, want := longer.Formulas[exact](at), longer.Formulas[windowOfA2](at)
		if math.Abs(got-want) > 0.03 { // for the hashes are a whole number
			t.Errorf("rate %g: %g, and equation 8 has %g", rate, got, want)
		}
	}
	for _, name := range []string{oursOfA2, atFull, aboveIt, warmUp, flush} {
		s := subjectOf(claim.Parameters{"n": 100, "rate": 0.01, "filter": name})
		if s.present(s.sure) != 1 || s.present(s.last) <= 0 || s.present(s.last+1) != 0 {
			t.Errorf("%s: %g, %g and %g are present after %d, %d and %d others", s.name,
				s.present(s.sure), s.present(s.last), s.present(s.last+1), s.sure, s.last, s.last+1)
		}
	}
}
