package errata

import (
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

// Each row has its verdict and its numbers. Where they change on purpose: go test -update.
func TestValues(t *testing.T) { claimtest.Run(t, New()).Verdicts(t, 0) }

func TestFaultsShow(t *testing.T) { claimtest.Run(t, New()).FaultsShow(t, 14) }

// An erratum differs, and what holds does not. Where there is a correction it holds, and must be
// meant.
func TestKinds(t *testing.T) {
	claims, at := claimtest.Run(t, New()).Claims, 0
	places := map[string]bool{}
	for _, d := range documents {
		for _, r := range d.rows() {
			c := claims[at]
			at++
			errata := c.Verdict == claim.Differs
			switch {
			case r.kind == lost && c.Verdict != claim.NotReproducible, r.kind == holds && errata,
				r.kind != holds && r.kind != lost && !errata:
				t.Errorf("%s, %s: %s", c.Item, r.kind, c.Verdict)
			case (r.kind == holds) != (r.must == ""), r.says == "", r.quantity == "",
				places[c.Item]:
				t.Errorf("%s, %s: %q must be %q", c.Item, r.kind, r.says, r.must)
			}
			places[c.Item] = true
			if r.corrected != nil {
				if c := claims[at]; c.Meant != claim.MustBeMeant {
					t.Errorf("%s: as corrected: %s", c.Item, c.Verdict)
				}
				at++
			}
		}
	}
	if at != len(claims) {
		t.Errorf("%d rows, %d claims", at, len(claims))
	}
}

// The tables are those of the text, whose columns were summed apart from this.
func TestTables(t *testing.T) {
	var sum cleared
	for _, table := range tables {
		if len(table) != len(betas) {
			t.Errorf("%d rows, want %d", len(table), len(betas))
		}
		for _, r := range table {
			sum.b, sum.halfB, sum.side = sum.b+r.b, sum.halfB+r.halfB, sum.side+r.side
			sum.halfSide, sum.sum = sum.halfSide+r.halfSide, sum.sum+r.sum
			sum.halfSum, sum.lost = sum.halfSum+r.halfSum, sum.lost+r.lost
		}
	}
	for _, half := range []*float64{&sum.halfB, &sum.halfSide, &sum.halfSum} {
		*half = math.Round(*half*100) / 100
	}
	if want := (cleared{200_850, 1562.74, 96_400, 1285.25, 297_250, 2796.3, 94_643}); sum != want {
		t.Errorf("sums %v, want %v", sum, want)
	}
}

// What no filter of an enumeration does is done by one that is wrong.
func TestCovers(t *testing.T) {
	if lostByCounting(func(int) int { return 0 }) == 0 {
		t.Error("counters that are cleared lose no members")
	}
	if decremented(2) != 1 {
		t.Error("a delete takes one from a counter")
	}
}
