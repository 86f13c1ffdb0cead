package parquet

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"

	"github.com/bloomlane/bloomlane/kernel/parquet"
)

// appendText appends the text of a value, a plain encoding of the column's type: of a date, a time,
// a decimal or a FLOAT16. The error wraps [ErrDamaged].
func (c *Column) appendText(b, plain []byte) ([]byte, error) {
	switch e := c.leaf; c.valueType {
	case dateValues:
		return appendDate(b, int32(e.integer(plain))), nil
	case timeValues:
		return e.clock.append(b, e.integer(plain), timeLayout), nil
	case timestampValues:
		return e.clock.append(b, e.integer(plain), dateLayout+"T"+timeLayout), nil
	case halfValues:
		return halfOf(plain).append(b), nil
	default:
		n := new(big.Int)
		switch {
		case e.physical < physicalBytes:
			n.SetInt64(e.integer(plain))
		case len(plain) > maxDecimalBytes:
			const text = "%w: found a decimal of %d bytes in column %s, expected at most %d"
			return nil, fmt.Errorf(text, ErrDamaged, len(plain), shown(c.Name()), maxDecimalBytes)
		default:
			setBytes(n, plain)
		}
		return e.appendDecimal(b, n), nil
	}
}

// integer returns an integer of an element, of 32 or 64 bits.
func (e *element) integer(plain []byte) int64 {
	if e.physical == physicalInt32 {
		return int64(int32(binary.LittleEndian.Uint32(plain)))
	}
	return int64(binary.LittleEndian.Uint64(plain))
}

// hash returns the hash of an integer of the column.
func (c *Column) hash(n int64) uint64 {
	if c.leaf.physical == physicalInt32 {
		return parquet.Hash(int32(n))
	}
	return parquet.Hash(n)
}

// decimal returns the value of a decimal number. It has as many hashes as encodings.
func (c *Column) decimal(text string) (v Value, err error) {
	n, err := c.leaf.parseDecimal(text)
	if err != nil {
		return Value{}, err
	}
	for _, b := range c.leaf.encodings(n) {
		if c.leaf.physical < physicalBytes {
			v.hashes = append(v.hashes, c.hash(n.Int64()))
		} else {
			v.hashes = append(v.hashes, parquet.HashBytes(b))
		}
	}
	if v.hashes == nil {
		err = strconv.ErrRange
	}
	return v, err
}

// expected returns what the text of a value is.
func (c *Column) expected() string {
	switch c.valueType {
	case dateValues:
		return "a date such as 2006-01-02"
	case timeValues, timestampValues:
		layout := timeLayout
		if c.valueType == timestampValues {
			layout = dateLayout + "T" + timeLayout
		}
		example := c.leaf.clock.append(nil, c.leaf.clock.example(), layout)
		return fmt.Sprintf("a %s such as %s", c.valueType, example)
	case decimalValues:
		return fmt.Sprintf("a number of at most %d digits, %d of them after the point",
			c.leaf.precision, c.leaf.scale)
	}
	return "a value of type " + c.valueType.String()
}
