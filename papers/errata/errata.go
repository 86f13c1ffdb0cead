// Package errata is no API: it lists what four documents on Bloom filters have wrong, each erratum
// with a computation that shows it, and what was checked and holds.
//
// The documents have these names in the rows. Lines, pages and sections are those of these
// versions:
//
//   - letter: Rothenberg, Macapuna, Verdi, Magalhães, "The Deletable Bloom Filter", 2010.
//   - garden: Vallentin, "A Garden Variety of Bloom Filters", 2011. The text at hand has lost its
//     formulas.
//   - retouched: Donnet, Baynat, Friedman, "Retouched Bloom Filters", the long version of the paper
//     of 2006. The text at hand has no pictures, no conclusion and no references.
//   - elastic: Wu and others, "Elastic Bloom Filter", 2021, in the version of HAL.
//   - summary: Bippert, Rothrock, Yurish, "Bloom Filter Executive Summary".
//
// A line is a line of the plain text at hand. A row has the place, what stands there, what it must
// be, and two numbers: the one that the document gives or implies, and the one that is computed
// here. An erratum is a row whose numbers differ. A formula that is misprinted is computed as
// printed and as corrected; the corrected one gives what its document says elsewhere. If a text
// leaves something open, or says two things, the numbers are those of two readings.
//
// What needs simulations is in the package of its document, and so are the errata of the letter.
package errata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the errata of all documents.
func New() *claim.Paper {
	return &claim.Paper{
		Name:  "errata",
		Title: "What four documents on Bloom filters get wrong, and what holds",
		Parts: func() (parts []claim.Part, _ error) {
			for _, d := range documents {
				parts = append(parts,
					func(*trials.Run) ([]claim.Claim, []claim.Figure) { return d.claims(), nil })
			}
			return parts, nil
		},
	}
}

// document is one of those that are checked, or what lies between them.
type document struct {
	name string
	rows func() []row
}

var documents = []document{
	{"garden", garden}, {"retouched", retouched}, {"elastic", elastic},
	{"summary", summary}, {"between", between},
}

// row is an erratum, or something that holds.
type row struct {
	place string // page, section, equation or table, and line
	says  string // what stands there
	kind
	must     string // what it must be, and why; empty if it holds
	quantity string // what is computed
	claim.Published
	value     float64
	corrected *float64 // the same, by what it must be
}

type kind string

const (
	holds         kind = "holds"
	misprint      kind = "misprint"      // the document means something else
	inconsistency kind = "inconsistency" // with another place of the document
	contradiction kind = "contradiction" // with another document
	undefined     kind = "undefined"     // the text allows several results
	wrong         kind = "cannot hold"
	lost          kind = "lost" // the text at hand does not have it
)

// The readings of a formula that is misprinted.
const (
	asPrinted   = "as printed"
	asCorrected = "as corrected"
)

func (d document) claims() (claims []claim.Claim) {
	for _, r := range d.rows() {
		c := claim.Claim{
			Item: d.name + ": " + r.place, Where: r.says, Quantity: r.quantity, Unit: claim.Number,
			Published: r.Published, Interval: claim.Exact(r.value), Reading: claim.Literal,
		}
		if r.kind != holds {
			c.Why = string(r.kind) + ": " + r.must
		}
		switch {
		case r.kind == lost:
			c.Interval = claim.Interval{}
		case r.corrected != nil:
			c.Reading = asPrinted
			claims = append(claims, c)
			c.Reading, c.Interval = asCorrected, claim.Exact(*r.corrected)
		}
		claims = append(claims, c)
	}
	return claims
}

// exactly is a number that is given without rounding.
func exactly(v float64) claim.Published { return claim.Rounded(v, 0) }

// nearly is the same but for the rounding of floating point.
func nearly(v float64) claim.Published { return claim.Rounded(v, 1e-9) }

// slip is a word, a name or a reference that is misprinted.
type slip struct {
	line       int
	says, must string
}

// slips returns the row of a document's small misprints.
func slips(all ...slip) row {
	var list []string
	wrong := 0
	for _, s := range all {
		if s.says != s.must {
			wrong++
		}
		list = append(list, fmt.Sprintf("line %d has %q for %q", s.line, s.says, s.must))
	}
	return row{
		place:     "words, names and references",
		says:      "those below",
		kind:      misprint,
		must:      strings.Join(list, "; "),
		quantity:  "misprints",
		Published: exactly(0),
		value:     float64(wrong),
	}
}

// each visits all sequences of some digits below a base.
func each(base, digits int, visit func(d []int)) {
	d := make([]int, digits)
	for {
		visit(d)
		at := slices.IndexFunc(d, func(digit int) bool { return digit < base-1 })
		if at < 0 {
			return
		}
		clear(d[:at])
		d[at]++
	}
}

// bits returns how many counters are not 0.
func bits(counters []int) (set float64) {
	for _, c := range counters {
		set += count(c > 0)
	}
	return set
}

// count returns how many are true.
func count(yes ...bool) (n float64) {
	for _, y := range yes {
		if y {
			n++
		}
	}
	return n
}
