// Package retouched is no API: it reproduces Donnet, Baynat and Friedman, "Retouched Bloom Filters: Allowing
// Networked Applications to Trade Off Selected False Positives Against False Negatives", CoNEXT 2006, in its
// extended version.
package retouched

import (
	"github.com/bloomlane/bloomlane/papers/claim"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "retouched",
		Title: "Donnet, Baynat, Friedman: Retouched Bloom Filters: Allowing Networked Applications to Trade Off " +
			"Selected False Positives Against False Negatives. CoNEXT 2006, extended",
		Parts: func() ([]claim.Part, error) { return parts(), nil },
	}
}

func parts() (all []claim.Part) {
	var g grid
	var cases stopping
	for i := range g {
		all = append(all, g.simulate(i))
	}
	return append(all, g.standards, randomized, g.tables, g.sums, g.compareColumns, g.figure5, g.figure6,
		estimates, g.figures8to10, figure11, complexity,
		cases.simulate, cases.shapes, cases.tableV, cases.sums, cases.missing, cases.figures)
}
