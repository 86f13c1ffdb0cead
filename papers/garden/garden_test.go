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

// Trials have the parameters that a row says, or it is refused.
func TestRefused(t *testing.T) {
	const missed = "members not found after deletes of non-members"
	claimtest.Refuses(t, New(), [][3]string{
		{"keys with a single minimum", "k=5; n=1000; load=0.7 | k=5; n=1000; load=2",
			"do not say load"},
		{missed, "m=5760; k=4; n=960; deletes=960 | m=5760; k=4; n=100; deletes=960",
			"do not say n"},
		{missed, "m=5760; k=4; n=960; w=3; deletes=960", "found w=3, expected 4"},
		{missed, "m=5760; k=4; n=960; deletes=961", "at 6 points"},
		{"filters in which a counter overflows", "m=1344; k=4; w=4 | m=1344; k=8; w=4",
			"do not say k"},
	})
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
