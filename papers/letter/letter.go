// Package letter is no API: it reproduces the letter that the deletable filter is from: Rothenberg,
// Macapuna, Verdi and Magalhães, "The Deletable Bloom Filter: A New Member of the Bloom Family",
// IEEE Communications Letters 14(6), 2010.
//
// docs/papers/letter.md has what is found.
//
// Filters are those of package filter/family/dlbf. An element is its k cells: positions among the
// m' = m - r that the collision bitmap leaves. They come from a random hash, from other ways to
// hash, or from words.
package letter

import (
	"embed"

	"github.com/spf13/pflag"

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

// standard is a filter of m bits that nothing is deleted from: one region whose bit is beside the
// m.
func standard(m, k int) dlbf.Shape { return dlbf.Shape{Bits: m + 1, Regions: 1, Hashes: k} }

//go:embed claims.tsv figures.tsv findings.md
var files embed.FS

// New returns the paper.
func New() *claim.Paper {
	var words string
	return &claim.Paper{
		Name: "letter",
		Title: "Rothenberg, Macapuna, Verdi, Magalhães: The Deletable Bloom Filter: A New Member " +
			"of the Bloom Family. IEEE Communications Letters 14(6), 2010",
		Flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&words, "words", "",
				"take the elements of sections III and IV from this file, "+
					"a word per line, not at random")
		},
		Files: files,
		Quantities: func(run *trials.Run) (claim.Quantities, error) {
			e := hashed
			if words != "" {
				dictionary, err := readWords(words)
				if err != nil {
					return nil, err
				}
				e = dictionary.elements
			}
			return quantities(e), nil
		},
	}
}
