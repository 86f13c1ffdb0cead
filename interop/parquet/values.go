package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/parquet"
)

// Keys calls do with each value of the column in a row group that is not null, in the form of text
// that [Column.Value] takes. That is the key of the value for other filters. The bytes are valid
// until do returns. The error wraps [ErrType] or [ErrDamaged], or is that of the reader.
func (c *Column) Keys(group int, do func(key []byte)) error {
	return c.KeyRuns(group, func(key []byte, times int64) {
		for range times {
			do(key)
		}
	})
}

// KeyRuns is Keys with one call for a run of equal values, of which a few bytes of a file may have
// any number.
func (c *Column) KeyRuns(group int, do func(key []byte, times int64)) error {
	if c.valueType == other {
		return c.typeError()
	}
	var b []byte
	var failure error
	err := c.values(group, func(value []byte, times int64) {
		if failure != nil {
			return
		}
		switch c.valueType {
		case int32Values, int64Values:
			b = strconv.AppendInt(b[:0], c.leaf.integer(value), 10)
		case uint32Values:
			b = strconv.AppendUint(b[:0], uint64(binary.LittleEndian.Uint32(value)), 10)
		case uint64Values:
			b = strconv.AppendUint(b[:0], binary.LittleEndian.Uint64(value), 10)
		case floatValues:
			b = appendNumber(b[:0], float64(floatOf(value)), 32)
		case doubleValues:
			b = appendNumber(b[:0], doubleOf(value), 64)
		case uuidValues:
			b = appendUUID(b[:0], value)
		case byteValues, fixedValues:
			b = append(b[:0], value...)
		default:
			text, err := c.appendText(b[:0], value)
			if err != nil {
				failure = err
				return
			}
			b = text
		}
		do(b, times)
	})
	if err != nil {
		return err
	}
	return failure
}

func floatOf(plain []byte) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(plain))
}

func doubleOf(plain []byte) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(plain))
}

// appendNumber appends the shortest text of a number. 0.0 and -0.0 have the same text.
func appendNumber(b []byte, x float64, bits int) []byte {
	if x == 0 {
		x = 0
	}
	return strconv.AppendFloat(b, x, 'g', -1, bits)
}

// NewFilter returns a new filter of the values of the column in a row group, with bitsPerValue bits
// per different value, and at most 128 MiB; 10.5 bits give 1 % of false positives. It inserts
// values by their bits, as the format says. If there is a zero, it inserts 0.0 and -0.0. If there
// is a NaN, it also inserts the bit pattern of NaN that most programs use. So engines for which
// these are equal find them. The error wraps [ErrType], [ErrDamaged] or [ErrReader], or is that of
// the reader. The filter is returned beside an error that wraps ErrReader: it is right, and is for
// files that the engine of the error does not read.
func (c *Column) NewFilter(group int, bitsPerValue float64) (kernel.SplitBlockTable, error) {
	if !(bitsPerValue > 0 && bitsPerValue <= 1024) {
		return nil, fmt.Errorf("parquet: %g bits per value, expected more than 0 and at most 1024",
			bitsPerValue)
	}
	var distinct hashes
	var missed error
	var hash func(value []byte)
	switch c.leaf.physical {
	case physicalInt32, physicalInt64:
		hash = func(value []byte) { distinct.add(parquet.HashBytes(value)) }
	case physicalBytes, physicalFixed:
		hash = func(value []byte) {
			distinct.add(parquet.HashBytes(value))
			if c.valueType == halfValues {
				addHalf(distinct.add, halfOf(value))
			}
			if missed == nil {
				missed = c.missed(value)
			}
		}
	case physicalFloat:
		hash = func(value []byte) {
			addNumber(&distinct, floatOf(value), math.Float32frombits(0x7fc00000))
		}
	case physicalDouble:
		hash = func(value []byte) {
			addNumber(&distinct, doubleOf(value), math.Float64frombits(0x7ff8000000000000))
		}
	default:
		return nil, c.typeError()
	}
	if err := c.values(group, func(value []byte, _ int64) { hash(value) }); err != nil {
		return nil, err
	}
	distinct.compact()
	blocks := math.Ceil(float64(len(distinct.all)) * bitsPerValue / (8 * blockBytes))
	t := kernel.NewSplitBlockTable(int(min(max(1, blocks), maxFilterBlocks)))
	t.AddBatch(distinct.all)
	return t, missed
}

// hashes is a set of hashes. Its memory is bounded by how many are different.
type hashes struct {
	all   []uint64
	limit int // the length at which equal ones are dropped
}

func (h *hashes) add(hash uint64) {
	if h.all = append(h.all, hash); len(h.all) >= h.limit {
		h.compact()
		h.limit = max(1<<16, 2*len(h.all))
	}
}

func (h *hashes) compact() {
	slices.Sort(h.all)
	h.all = slices.Compact(h.all)
}

// addNumber adds the hash of a number, and the hashes of numbers that engines consider equal.
func addNumber[F float32 | float64](to *hashes, x, nan F) {
	to.add(parquet.Hash(x))
	switch {
	case x == 0:
		to.add(parquet.Hash(F(0)))
		to.add(parquet.Hash(F(math.Copysign(0, -1))))
	case x != x:
		to.add(parquet.Hash(nan))
	}
}
