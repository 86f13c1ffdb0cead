package parquet

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/bloomlane/bloomlane/kernel/parquet"
)

// half is a floating-point number of 16 bits: 1 of sign, 5 of exponent and 10 of fraction.
type half uint16

const (
	halfNaN      = half(0x7e00) // the one that most programs use
	halfInfinity = half(0x7c00)
	halfSign     = half(0x8000)
)

func halfOf(b []byte) half { return half(binary.LittleEndian.Uint16(b)) }

func (h half) hash() uint64 {
	return parquet.HashBytes(binary.LittleEndian.AppendUint16(nil, uint16(h)))
}

func (h half) isZero() bool { return h&^halfSign == 0 }

func (h half) isNaN() bool { return h&^halfSign > halfInfinity }

func (h half) float() float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	x := math.Ldexp(fraction, -24)
	switch {
	case h.isNaN():
		x = math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent > 0:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if h&halfSign != 0 {
		x = -x
	}
	return x
}

// parseHalf returns the number nearest to a text, the even one of two.
func parseHalf(text string) (half, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	h := half(0)
	if math.Signbit(x) {
		h, x = halfSign, -x
	}
	_, exponent := math.Frexp(x)
	exponent = max(exponent, -13) // numbers below 2^-14 have the distance of those above
	switch {
	case x != x:
		return halfNaN, nil
	case x == 0:
		return h, nil
	case math.IsInf(x, 1):
		return h | halfInfinity, nil
	}
	// of 1024 to 2048, and of the next exponent if it is rounded to 2048
	fraction := math.RoundToEven(math.Ldexp(x, 11-exponent))
	n := fraction + float64(1024*(exponent+13))
	if n >= float64(halfInfinity) {
		return 0, strconv.ErrRange
	}
	return h | half(n), nil
}

// append appends the shortest digits that stand for the number.
func (h half) append(b []byte) []byte {
	for digits := 1; digits <= 5 && !h.isNaN(); digits++ {
		text := strconv.FormatFloat(h.float(), 'e', digits-1, 64)
		if parsed, err := parseHalf(text); err == nil && parsed == h {
			x, _ := strconv.ParseFloat(text, 64) // as before
			return appendNumber(b, x, 64)
		}
	}
	return appendNumber(b, h.float(), 64)
}

// addHalf adds the hashes of numbers that engines consider equal to a number.
func addHalf(add func(uint64), h half) {
	switch {
	case h.isZero():
		add(half(0).hash())
		add(halfSign.hash())
	case h.isNaN():
		add(halfNaN.hash())
	}
}

// value returns the value of a number. A zero has two hashes.
func (h half) value() Value {
	switch {
	case h.isNaN():
		return Value{any: true}
	case h.isZero():
		return Value{hashes: []uint64{half(0).hash(), halfSign.hash()}}
	}
	return Value{hashes: []uint64{h.hash()}}
}
