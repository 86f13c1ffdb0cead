package parquet

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// The widest decimals that are read. Engines have 38 or 76 digits.
const (
	maxDecimalDigits = 1000
	maxDecimalBytes  = 512
)

var decimalText = regexp.MustCompile(`^[+-]?\d+(?:\.\d*)?$`)

// parseDecimal returns the integer of a decimal number in a column: the number times 10^scale. It
// is a syntax error if the number has other digits behind that, and a range error if it has more
// digits than the precision.
func (e *element) parseDecimal(text string) (*big.Int, error) {
	if !decimalText.MatchString(text) {
		return nil, strconv.ErrSyntax
	}
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if int64(len(fraction)) > e.scale {
		return nil, strconv.ErrSyntax
	}
	digits := whole + fraction + strings.Repeat("0", int(e.scale)-len(fraction))
	if int64(len(strings.TrimLeft(digits, "+-0"))) > e.precision {
		return nil, strconv.ErrRange
	}
	n, _ := new(big.Int).SetString(digits, 10) // they are digits
	return n, nil
}

// appendDecimal appends the decimal number of an integer, with as many digits after the point as
// the scale.
func (e *element) appendDecimal(b []byte, n *big.Int) []byte {
	if n.Sign() < 0 {
		b = append(b, '-')
	}
	digits := new(big.Int).Abs(n).String()
	scale := int(e.scale)
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	b = append(b, digits[:len(digits)-scale]...)
	if scale > 0 {
		b = append(append(b, '.'), digits[len(digits)-scale:]...)
	}
	return b
}

// setBytes sets n to an integer in two's complement, the highest byte first.
func setBytes(n *big.Int, b []byte) {
	n.SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
}

// bytesOf returns an integer in two's complement in as many bytes, or nil if it needs more.
func bytesOf(n *big.Int, length int) []byte {
	bits := n.BitLen()
	if n.Sign() < 0 {
		bits = new(big.Int).Not(n).BitLen()
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*length)))
	}
	if bits >= 8*length {
		return nil
	}
	return n.FillBytes(make([]byte, length))
}

// encodings returns the bytes that an integer may have in a column, none if it is out of range. The
// length of a byte array should be the shortest, but a writer may use that of its own integers, or
// of the precision.
func (e *element) encodings(n *big.Int) (all [][]byte) {
	first, last := int(e.length), int(e.length)
	switch e.physical {
	case physicalInt32:
		first, last = 4, 4
	case physicalInt64:
		first, last = 8, 8
	case physicalBytes:
		widest := new(big.Int).Exp(big.NewInt(10), big.NewInt(e.precision), nil)
		first, last = 1, max(16, widest.BitLen()/8+1)
	}
	for length := first; length <= last; length++ {
		if b := bytesOf(n, length); b != nil {
			all = append(all, b)
		}
	}
	return all
}
