package filter

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// MaxBits is the largest number of bits of a table, which is 64 GiB of memory. If an int has 32
// bits, it is the largest int.
const MaxBits = min(planning.MaxBlocks*512, math.MaxInt)

// MinRate returns the smallest rate that a filter can be planned for: members / 2^64. A key with
// the same hash as a member is present in every filter, and that is the share of such keys.
func MinRate(members int) float64 { return float64(members) * 0x1p-64 }

// Check returns a *[SizingError] if no filter of any kind can have the sizing s. The error names
// the given kind.
func (s *Sizing) Check(kind string) error {
	wrong := func(field string, found any, expected string) error {
		return &SizingError{Kind: kind, Field: field, Found: found, Expected: expected}
	}
	switch { // the conditions are written so that NaN fails them too
	case s.Members < 1:
		return wrong("Members", s.Members, "at least 1")
	case s.Members > planning.MaxMembers:
		return wrong("Members", s.Members, fmt.Sprintf("at most %d", planning.MaxMembers))
	case s.BitsPerKey == 0 && s.Rate == 0:
		return wrong("BitsPerKey", 0, "a number above 0, or a rate")
	case s.BitsPerKey != 0 && s.Rate != 0:
		return wrong("BitsPerKey", s.BitsPerKey,
			fmt.Sprintf("0, because there is a rate of %g", s.Rate))
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

// LeastRate returns the words for an error about a rate below [MinRate].
func LeastRate(members int) string {
	return fmt.Sprintf("at least %.3g: that share of all 64-bit hashes belongs to the %d members",
		MinRate(members), members)
}

// A plan by Rate may need this many bits per planned insert, or freeBits in all. The list of the
// 64-bit hashes of the members takes 64 bits for each, and a hash set of them some 128, with the
// lowest rate that any filter can have: no program is served by a filter of many times that memory.
// Usual plans take up to 1,000 bits.
const (
	mostBitsPerInsert = 4096
	freeBits          = 8 << 20
)

// CheckBits returns a *[SizingError] if a filter of a kind, which is planned by its Rate, takes
// far more bits than a list of the members. rate returns the rate of a filter of a
// number of bits per planned member. Call Check first.
func (s *Sizing) CheckBits(kind string, bits float64, rate func(bitsPerKey float64) float64) error {
	most := max(mostBitsPerInsert*float64(s.Inserts()), freeBits)
	if s.Rate == 0 || bits <= most {
		return nil
	}
	each := most / float64(s.Members)
	return &SizingError{Kind: kind, Field: "Rate", Found: s.Rate, Expected: fmt.Sprintf(
		"at least %g, which takes %.0f bits per member, or bits per key for a filter of %.0f",
		RoundRate(rate(0.98*each)), each, bits/float64(s.Members))}
}

// RoundRate returns a rate of three digits that is slightly above rate.
func RoundRate(rate float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(1.006*rate, 'e', 2, 64), 64)
	if err != nil {
		panic(err) // FormatFloat has written it
	}
	return rounded
}

// Bits returns the number of bits that BitsPerKey asks for, rounded up. A product that is a whole
// number except for its rounding error is that number, so that BitsPerKey may be bits divided by
// members. Call Check first.
func (s *Sizing) Bits() int {
	bits := float64(float64(s.Members) * s.BitsPerKey)
	if whole := math.Round(bits); math.Abs(bits-whole) <= bits*0x1p-50 {
		bits = whole
	}
	return int(max(1, math.Ceil(bits)))
}

// Inserts returns the number of inserts until the end of the Turnovers, the first Members included.
// Call Check first.
func (s *Sizing) Inserts() int {
	return int(min(math.Round(float64(s.Members)*(1+s.Turnovers)), math.MaxInt/2))
}
