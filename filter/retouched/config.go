package retouched

import (
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
)

// Algorithm is a way to choose the bits that are cleared. The numbers are those of the paper's
// listings.
type Algorithm int

const (
	// RandomSelection clears one of a troublesome key's bits at random: Algorithm 1.
	RandomSelection Algorithm = iota + 1

	// MinimumFN clears the bit that the fewest members have: Algorithm 2. A member that is lost
	// still counts.
	MinimumFN

	// MaximumFP clears the bit that the most troublesome keys have: Algorithm 3. One that is bought
	// off still counts.
	MaximumFP

	// Ratio clears the bit with the fewest members per troublesome key: Algorithm 4. Those that are
	// gone still count.
	Ratio

	// ImprovedMinimumFN is MinimumFN by the members that are not lost yet: Algorithm 5.
	ImprovedMinimumFN

	// ImprovedMaximumFP is MaximumFP by the troublesome keys that are present yet: Algorithm 6.
	ImprovedMaximumFP

	// ImprovedRatio is Ratio by the members and the troublesome keys that are present yet:
	// Algorithm 7.
	ImprovedRatio

	// Randomized clears bits at random, whether troublesome keys have them or not: section III-B.
	Randomized
)

var algorithms = [...]string{
	RandomSelection: "random selection", MinimumFN: "minimum FN", MaximumFP: "maximum FP",
	Ratio:             "ratio",
	ImprovedMinimumFN: "improved minimum FN", ImprovedMaximumFP: "improved maximum FP",
	ImprovedRatio: "improved ratio",
	Randomized:    "randomized",
}

func (a Algorithm) String() string {
	if a < RandomSelection || a > Randomized {
		return fmt.Sprintf("algorithm %d", int(a))
	}
	return algorithms[a]
}

// followsMembers and followsTroublesome report whether what is gone does not count any more.
func (a Algorithm) followsMembers() bool     { return a == ImprovedMinimumFN || a == ImprovedRatio }
func (a Algorithm) followsTroublesome() bool { return a == ImprovedMaximumFP || a == ImprovedRatio }

// None is the Budget of no member at all.
const None = -1

// Config says what is retouched, how, and how far. Sources yield hashes of the filter's keys:
// [filter.Hashes] makes them of keys, and [filter.Infallible] of what cannot fail. Each is read
// once.
type Config struct {
	// Algorithm chooses the bits; 0 is ImprovedRatio with Members, and Ratio with Counts.
	Algorithm Algorithm

	// Members is the source of all members, each once. Exactly one of Members and Counts is given.
	Members iter.Seq2[uint64, error]

	// Counts has for each bit of the filter how many of the members' bits it is: see [CountsOf].
	// What is lost is then estimated. Algorithms that follow the members need Members.
	Counts []uint32

	// Troublesome is the source of the keys to be bought off, which come first to be bought off
	// first. One that comes twice counts twice.
	Troublesome iter.Seq2[uint64, error]

	// Others is the source of other false positives, nil for none. No bit is cleared for their
	// sake, but the choice by troublesome keys counts them too: so more of them go. The paper's
	// tables come of that: its vB has all false positives.
	Others iter.Seq2[uint64, error]

	// Protected is the source of members that must not be lost, each once; nil for none. Their bits
	// are never cleared.
	Protected iter.Seq2[uint64, error]

	// Budget is the number of members that may be lost at most; 0 is any number, and None none.
	// With Counts each member is taken to be lost as often as one of its bits is cleared, so the
	// budget holds too.
	Budget int

	// Target ends it when so many troublesome keys are bought off; 0 is all.
	Target int

	// Bits ends it when so many bits are cleared; 0 is any number.
	Bits int

	// Seed is that of the random choices of RandomSelection and Randomized.
	Seed uint64
}

func (c *Config) check() error {
	switch {
	case c.Algorithm < 0 || c.Algorithm > Randomized:
		return wrong("Algorithm", int(c.Algorithm), fmt.Sprintf("0 to %d", int(Randomized)))
	case c.Members == nil && c.Counts == nil:
		return wrong("Members", "nil", "either it or Counts")
	case c.Members != nil && c.Counts != nil:
		return wrong("Members", "a source", "nil, because there are Counts")
	case c.Counts != nil && c.Algorithm.followsMembers():
		return wrong("Counts", "a number for each bit",
			"Members, which "+c.Algorithm.String()+" follows")
	case c.Budget < None:
		return wrong("Budget", c.Budget, "None or more")
	case c.Target < 0:
		return wrong("Target", c.Target, "0 or more")
	case c.Bits < 0:
		return wrong("Bits", c.Bits, "0 or more")
	case c.Troublesome == nil && (c.Algorithm != Randomized || c.Bits == 0):
		return wrong("Troublesome", "nil", "a source, or a number of bits to clear at random")
	}
	return nil
}

// algorithm returns the algorithm, also where none is named.
func (c *Config) algorithm() Algorithm {
	switch {
	case c.Algorithm != 0:
		return c.Algorithm
	case c.Counts != nil:
		return Ratio
	default:
		return ImprovedRatio
	}
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}
