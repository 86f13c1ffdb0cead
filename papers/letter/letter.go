// Package letter is no API: it reproduces the letter that the deletable filter is from: Rothenberg,
// Macapuna, Verdi and Magalhães, "The Deletable Bloom Filter: A New Member of the Bloom Family",
// IEEE Communications Letters 14(6), 2010.
//
// The curves of its figures have no readable values, so its published values are those of its
// sentences. If a sentence can be read in several ways, each way is a reading of the claim. These
// readings matter:
//
//   - Equation 1 is printed as its complement. Section IV can only mean the complement.
//   - Percentages are rounded to tens. Equation 1 gives 93.2 % where the letter says 90 %. 78.7 %
//     of the elements are deletable where it says 80 %. 35.2 % of the set bits are reset where it
//     says "around 40 %". If they were rounded to single percents, 80 % would be right for elements
//     whose cells are distinct, and 90 % for no reading.
//   - "The number of deleted bits", which improves when r doubles, means their share of the set
//     bits. With that reading, and as many deletable elements as before, the claim holds from 12 to
//     25 elements only.
//   - Observations are lower than theory, and more so for higher r and m/n. This holds for the
//     ratio of what is retained. For the difference in points it does not hold for m/n, and for r
//     it holds only if m/n is low.
//
// The letter explains these lower values by imperfect hash functions. But perfectly random cells
// have them too. The reason is that equation 1 treats the regions of an element as any regions.
//
// Filters are those of package filter/family/dlbf. An element is its k cells: positions among the
// m' = m - r that the collision bitmap leaves. They come from a random hash, from other ways to
// hash, or from words.
package letter

import (
	_ "embed"

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

//go:embed claims.tsv
var claimTable string

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
		Table: claimTable,
		Quantities: func(*trials.Run) (claim.Quantities, error) {
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
		Figures: figures,
	}
}
