// Package retouched is no API: it reproduces Donnet, Baynat and Friedman, "Retouched Bloom Filters:
// Allowing Networked Applications to Trade Off Selected False Positives Against False Negatives",
// CoNEXT 2006, in its extended version.
//
// The filters are those of package filter/family/retouched. A network by a rule (see internet)
// stands for the one of the case study. docs/papers/retouched.md has what is found.
package retouched

import (
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "retouched",
		Title: "Donnet, Baynat, Friedman: Retouched Bloom Filters: Allowing Networked " +
			"Applications to Trade Off Selected False Positives Against False Negatives. CoNEXT " +
			"2006, extended",
		Files: files,
		Quantities: func(*trials.Run) (claim.Quantities, error) {
			return quantities(), nil
		},
	}
}
