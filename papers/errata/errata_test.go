package errata

import (
	"testing"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
)

func found(t *testing.T) claimtest.Found {
	t.Helper()
	found, err := claimtest.Short(New())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Each row has its verdict and its numbers.
func TestValues(t *testing.T) { found(t).Values(t) }

func TestAlteredClaimsDiffer(t *testing.T) { found(t).AlteredDiffer(t, 45, 14) }

// An erratum differs, and what holds does not. Where there is a correction it holds, and must be meant.
func TestKinds(t *testing.T) {
	claims, at := found(t).Claims, 0
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
			case (r.kind == holds) != (r.must == ""), r.says == "", r.quantity == "", places[c.Item]:
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
