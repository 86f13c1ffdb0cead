package retouched

import (
	"fmt"
	"iter"

	"github.com/bloomlane/bloomlane/filter"
)

// Algorithm is a way to choose the bit of a troublesome key that is cleared. The numbers are those
// of the paper's listings.
type Algorithm int

const (
	// RandomSelection clears one of the bits of a troublesome key at random: Algorithm 1.
	RandomSelection Algorithm = iota + 1

	// MinimumFN clears the bit that the fewest members have: Algorithm 2. A member that is lost
	// already still counts.
	MinimumFN

	// MaximumFP clears the bit that the most troublesome keys have: Algorithm 3. A key that is
	// bought off already still counts.
	MaximumFP

	// Ratio clears the bit with the fewest members per troublesome key: Algorithm 4. Members and
	// keys that are gone already still count.
	Ratio

	// ImprovedMinimumFN is MinimumFN, but counts only the members that are not lost yet: Algorithm
	// 5.
	ImprovedMinimumFN

	// ImprovedMaximumFP is MaximumFP, but counts only the troublesome keys that are still present:
	// Algorithm 6.
	ImprovedMaximumFP

	// ImprovedRatio is Ratio, but counts only the members and the troublesome keys that are still
	// present: Algorithm 7.
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

// followsMembers and followsTroublesome report whether keys that are gone no longer count.
func (a Algorithm) followsMembers() bool     { return a == ImprovedMinimumFN || a == ImprovedRatio }
func (a Algorithm) followsTroublesome() bool { return a == ImprovedMaximumFP || a == ImprovedRatio }

// None is the Budget that allows no loss of members.
const None = -1

// Config says what New clears, how, and how far. A source yields hashes of keys, each with an error
// that ends it: [filter.Hashes] makes one of keys, and [filter.Infallible] one of an iterator that
// cannot fail. New reads each source once.
type Config struct {
	// Algorithm chooses the bits. 0 means ImprovedRatio.
	Algorithm Algorithm

	// Members is the source of all members, each once.
	Members iter.Seq2[uint64, error]

	// Troublesome is the source of the keys to buy off, in the order in which they are bought off.
	// A key that comes twice counts twice.
	Troublesome iter.Seq2[uint64, error]

	// Others is the source of other false positives; nil for none. No bit is cleared for their
	// sake. But algorithms that choose by troublesome keys count them too, so more of them go. The
	// paper's tables are made in this way.
	Others iter.Seq2[uint64, error]

	// Protected is the source of members that must not be lost, each once; nil for none. Their bits
	// are never cleared.
	Protected iter.Seq2[uint64, error]

	// Budget is the largest number of members that may be lost; 0 means any number, and None means
	// no member.
	Budget int

	// Target ends the work when this many troublesome keys are bought off; 0 means all.
	Target int

	// Bits ends the work when this many bits are cleared; 0 means any number.
	Bits int

	// Seed is the seed of the random choices of RandomSelection and Randomized.
	Seed uint64
}

func (c *Config) check() error {
	switch {
	case c.Algorithm < 0 || c.Algorithm > Randomized:
		return wrong("Algorithm", int(c.Algorithm), fmt.Sprintf("0 to %d", int(Randomized)))
	case c.Members == nil:
		return wrong("Members", "nil", "a source")
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

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: kindName, Field: field, Found: found, Expected: expected}
}
