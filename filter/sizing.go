package filter

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// MaxBits is the largest number of bits of a table: 64 GiB of them. Where an int has 32 bits it is
// the largest int.
const MaxBits = min(planning.MaxBlocks*512, math.MaxInt)

// MinRate returns the smallest rate that a filter of so many members is planned for. What has the
// hash of a member is present in any filter, and of the 2^64 hashes one in so many is.
func MinRate(members int) float64 { return float64(members) * 0x1p-64 }

// Check returns a *[SizingError] where no kind has a filter of s.
func (s *Sizing) Check(kind string) error {
	wrong := func(field string, found any, expected string) error {
		return &SizingError{Kind: kind, Field: field, Found: found, Expected: expected}
	}
	switch { // conditions are so written that NaN fails them too
	case s.Members < 1:
		return wrong("Members", s.Members, "at least 1")
	case s.Members > planning.MaxMembers:
		return wrong("Members", s.Members, fmt.Sprintf("at most %d", planning.MaxMembers))
	case s.BitsPerKey == 0 && s.Rate == 0:
		return wrong("BitsPerKey", 0, "either it or Rate above 0")
	case s.BitsPerKey != 0 && s.Rate != 0:
		return wrong("BitsPerKey", s.BitsPerKey, fmt.Sprintf("0, because Rate is %g", s.Rate))
	case s.Rate == 0 && !(s.BitsPerKey > 0):
		return wrong("BitsPerKey", s.BitsPerKey, "a number above 0")
	case s.Rate == 0 && float64(s.Members)*s.BitsPerKey > MaxBits:
		return wrong("BitsPerKey", s.BitsPerKey,
			fmt.Sprintf("at most %.6g: %d members in %d bits", MaxBits/float64(s.Members),
				s.Members, MaxBits))
	case s.BitsPerKey == 0 && !(s.Rate > 0 && s.Rate < 1):
		return wrong("Rate", s.Rate, "a number between 0 and 1")
	case s.BitsPerKey == 0 && s.Rate < MinRate(s.Members):
		return wrong("Rate", s.Rate, LeastRate(s.Members))
	case !(s.Turnovers >= 0 && s.Turnovers <= planning.MaxTurnovers):
		return wrong("Turnovers", s.Turnovers,
			fmt.Sprintf("0 to %g", float64(planning.MaxTurnovers)))
	}
	return nil
}

// LeastRate says in an error what rate is expected, where one is below [MinRate].
func LeastRate(members int) string {
	return fmt.Sprintf("at least %.3g: that part of all 64-bit hashes is those of %d members",
		MinRate(members), members)
}

// Bits returns the number of bits that BitsPerKey asks for, of a Sizing that was checked. What is a
// whole number but for rounding is that number, so that BitsPerKey may be bits divided by members.
func (s *Sizing) Bits() uint64 {
	bits := float64(s.Members) * s.BitsPerKey
	if whole := math.Round(bits); math.Abs(bits-whole) <= bits*0x1p-50 {
		bits = whole
	}
	return uint64(max(1, math.Ceil(bits)))
}

// Inserts returns the number of inserts until the end of the Turnovers, of a Sizing that was
// checked.
func (s *Sizing) Inserts() int {
	return int(min(math.Round(float64(s.Members)*(1+s.Turnovers)), math.MaxInt/2))
}
