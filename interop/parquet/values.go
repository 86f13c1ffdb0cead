package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	pages "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/filter/parquet"
	"github.com/bloomlane/bloomlane/kernel"
)

// Keys calls do with each value of the column in a row group that is not null, in the form of text
// that [Column.Value] takes. That is the key of the value for other filters. The bytes are valid
// until do returns. The error wraps [ErrType] or [ErrDamaged], or is that of the reader.
func (c *Column) Keys(group int, do func(key []byte)) error {
	if c.of == other {
		return c.typeError()
	}
	var b, plain []byte
	var failure error
	err := c.values(group, func(v pages.Value) {
		switch c.of {
		case int32Values:
			b = strconv.AppendInt(b[:0], int64(v.Int32()), 10)
		case uint32Values:
			b = strconv.AppendUint(b[:0], uint64(v.Uint32()), 10)
		case int64Values:
			b = strconv.AppendInt(b[:0], v.Int64(), 10)
		case uint64Values:
			b = strconv.AppendUint(b[:0], v.Uint64(), 10)
		case floatValues:
			b = appendNumber(b[:0], float64(v.Float()), 32)
		case doubleValues:
			b = appendNumber(b[:0], v.Double(), 64)
		case uuidValues:
			b = appendUUID(b[:0], v.ByteArray())
		case byteValues, fixedValues:
			b = v.ByteArray()
		default:
			plain = v.AppendBytes(plain[:0])
			text, err := c.appendText(b[:0], plain)
			if err != nil {
				failure = err
				return
			}
			b = text
		}
		do(b)
	})
	if err != nil {
		return err
	}
	return failure
}

// appendNumber appends the shortest text of a number. 0.0 and -0.0 have the same text.
func appendNumber(b []byte, x float64, bits int) []byte {
	if x == 0 {
		x = 0
	}
	return strconv.AppendFloat(b, x, 'g', -1, bits)
}

// NewFilter returns a new filter of the values of the column in a row group, with bitsPerValue bits
// per different value; 10.5 gives 1 % of false positives. It inserts values by their bits, as the
// format says. If there is a zero, it inserts 0.0 and -0.0. If there is a NaN, it also inserts the
// bit pattern of NaN that most programs use. So engines for which these are equal find them. The
// error wraps [ErrType], [ErrDamaged] or [ErrReader], or is that of the reader. The filter is
// returned beside an error that wraps ErrReader: it is right, and is for files that the engine of
// the error does not read.
func (c *Column) NewFilter(group int, bitsPerValue float64) (kernel.SplitBlockTable, error) {
	if !(bitsPerValue > 0 && bitsPerValue <= 1024) {
		return nil, fmt.Errorf("parquet: %g bits per value, expected more than 0 and at most 1024",
			bitsPerValue)
	}
	var hashes []uint64
	var missed error
	add := func(h uint64) { hashes = append(hashes, h) }
	var hash func(v pages.Value)
	switch physical := c.leaf.physical; physical {
	case physicalInt32:
		hash = func(v pages.Value) { add(parquet.Hash(v.Int32())) }
	case physicalInt64:
		hash = func(v pages.Value) { add(parquet.Hash(v.Int64())) }
	case physicalFloat:
		hash = func(v pages.Value) { addNumber(add, v.Float(), math.Float32frombits(0x7fc00000)) }
	case physicalDouble:
		hash = func(v pages.Value) {
			addNumber(add, v.Double(),
				math.Float64frombits(0x7ff8000000000000))
		}
	case physicalBytes, physicalFixed:
		hash = func(v pages.Value) {
			value := v.ByteArray()
			add(parquet.HashBytes(value))
			if c.of == halfValues {
				addHalf(add, halfOf(value))
			}
			if missed == nil {
				missed = c.missed(value)
			}
		}
	default:
		return nil, c.typeError()
	}
	if err := c.values(group, hash); err != nil {
		return nil, err
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	blocks := math.Ceil(float64(len(hashes)) * bitsPerValue / (8 * blockBytes))
	t := kernel.NewSplitBlockTable(int(min(max(1, blocks), float64(kernel.MaxSplitBlocks))))
	t.AddBatch(hashes)
	return t, missed
}

// addNumber adds the hash of a number, and the hashes of numbers that engines consider equal.
func addNumber[F float32 | float64](add func(uint64), x, nan F) {
	add(parquet.Hash(x))
	switch {
	case x == 0:
		add(parquet.Hash(F(0)))
		add(parquet.Hash(F(math.Copysign(0, -1))))
	case x != x:
		add(parquet.Hash(nan))
	}
}

// values reads the values of the column in a row group that are not null. The error wraps
// [ErrDamaged], also if the library that reads pages panics, or if the pages do not have as many
// values as the footer says.
func (c *Column) values(group int, do func(pages.Value)) (err error) {
	f := c.file
	damaged := func(what any) error {
		if f.r.err != nil {
			return fmt.Errorf("the values of column %s in row group %d: %w", c.Name(),
				group, f.r.err)
		}
		if err, ok := what.(error); ok && (errors.Is(err, ErrDamaged) || errors.Is(err, ErrType)) {
			return fmt.Errorf("the values of column %s in row group %d: %w", c.Name(), group, err)
		}
		return fmt.Errorf("%w: the values of column %s in row group %d: %v", ErrDamaged,
			c.Name(), group, what)
	}
	if path := f.groups[group].path; path != "" {
		return fmt.Errorf("%w: those of row group %d are in %s", ErrElsewhere, group, path)
	}
	if err := c.checkPages(group); err != nil {
		return damaged(err)
	}
	defer func() {
		if p := recover(); p != nil {
			err = damaged(p)
		}
	}()
	if f.data == nil {
		size := f.end + int64(len(f.footer)) + 8
		opened, err := pages.OpenFile(f.r, size, pages.SkipPageIndex(true),
			pages.SkipBloomFilters(true))
		if err != nil {
			return damaged(err)
		}
		f.data = opened
	}
	read := f.data.RowGroups()[group].ColumnChunks()[c.index].Pages()
	defer read.Close()
	buffer := make([]pages.Value, 1024)
	total := int64(0)
	for {
		page, err := read.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return damaged(err)
		}
		values := page.Values()
		for err == nil {
			var n int
			n, err = values.ReadValues(buffer)
			for _, v := range buffer[:n] {
				if !v.IsNull() {
					do(v)
				}
			}
			total += int64(n)
		}
		pages.Release(page)
		if err != io.EOF {
			return damaged(err)
		}
	}
	if want := f.groups[group].chunks[c.index].values; total != want {
		return damaged(fmt.Sprintf("found %d with nulls, expected %d", total, want))
	}
	return nil
}
