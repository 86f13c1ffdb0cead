// Package letter is no API: it reproduces the letter that the deletable filter is from: Rothenberg,
// Macapuna, Verdi and Magalhães, "The Deletable Bloom Filter: A New Member of the Bloom Family",
// IEEE Communications Letters 14(6), 2010.
//
// README.md has what is found. The curves of the letter's figures have no readable
// values, so that those that are published are those of its sentences.
//
// Filters are those of package filter/family/dlbf. An element is its k cells: positions among the
// m' = m - r that the collision bitmap leaves.
package letter

import (
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What section IV simulates.
const (
	bits     = 240
	hashes   = 5
	regions  = 24 // a tenth of the bits
	members  = 22 // "a reasonable utilization"
	letterly = 2000
	queries  = 500
)

// shape is the letter's filter with some regions.
func shape(r int) dlbf.Shape { return dlbf.Shape{Bits: bits, Regions: r, Hashes: hashes} }

// standard is a filter of the same size that nothing is deleted from: one region whose bit is
// beside the m.
var standard = dlbf.Shape{Bits: bits + 1, Regions: 1, Hashes: hashes}

// New returns the paper.
func New() *claim.Paper {
	return &claim.Paper{
		Name: "letter",
		Title: "Rothenberg, Macapuna, Verdi, Magalhães: The Deletable Bloom Filter: A New Member " +
			"of the Bloom Family. IEEE Communications Letters 14(6), 2010",
		Values: []func(*trials.Run) claim.Value{
			figure2, aroundNinety, bitmap, equation1Printed, equation1Meant, figure3,
			eighty, aroundForty, doublingElements, doublingBits, figure4, improvement,
			lowerByRegions, lowerByLoad, hashFunctions, otherParameters, equation2, removal,
			falseNegatives, comparable, counters, leftHashed, signatures,
		},
	}
}
