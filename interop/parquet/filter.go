package parquet

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/kernel"
)

// maxHeader is how many bytes are read for the header of a filter. The headers of known writers
// have at most 16 bytes.
const maxHeader = 256

const blockBytes = 32

// maxFilterBlocks is the size of the largest filter that is read, and of the largest that NewFilter
// makes. arrow-go reads no larger ones.
const maxFilterBlocks = 128 << 20 / blockBytes

// Filter returns the filter of the column in a row group, from 0 to RowGroups() - 1. It is nil if
// there is none, or if it has more than 128 MiB, or an algorithm, a hash or a compression that the
// format does not define. It allocates twice the bytes of the filter. The error wraps [ErrDamaged],
// or is that of the reader.
func (c *Column) Filter(group int) (kernel.SplitBlockTable, error) {
	c0 := c.file.groups[group].chunks[c.index]
	if c0.offset == 0 {
		return nil, nil
	}
	lies := func(found, expected string) error {
		const text = "%w: the filter of column %s in row group %d: found %s, expected %s"
		return fmt.Errorf(text, ErrDamaged, shown(c.Name()), group, found, expected)
	}
	if c0.offset < int64(len(magic)) || c0.offset >= c.file.end {
		return nil,
			lies(fmt.Sprint("offset ", c0.offset),
				fmt.Sprint("one before the footer, at ", c.file.end))
	}
	head := make([]byte, min(maxHeader, c.file.end-c0.offset))
	if err := readFull(c.file.r, head, c0.offset); err != nil {
		return nil, err
	}
	r := &thriftReader{b: head}
	size, known := readHeader(r)
	if r.err != nil {
		return nil, fmt.Errorf("the header of the filter of column %s in row group %d: %w",
			shown(c.Name()), group, r.err)
	}
	if !known {
		return nil, nil
	}
	header := int64(len(head) - len(r.b))
	start, end := c0.offset+header, c.file.end
	// Filters do not overlap, so that all of them together are not larger than the file.
	if i, _ := slices.BinarySearch(c.file.filters, c0.offset); i+1 < len(c.file.filters) {
		end = c.file.filters[i+1]
	}
	switch {
	case size <= 0 || size%blockBytes != 0:
		return nil, lies(fmt.Sprint(size, " bytes"), "whole blocks of 32 bytes")
	case size > end-start:
		return nil, lies(fmt.Sprintf("%d bytes at %d", size, start),
			fmt.Sprint("their end before ", end))
	case c0.length != 0 && c0.length != header+size:
		return nil, lies(fmt.Sprint(header+size, " bytes with the header"), fmt.Sprint(c0.length))
	}
	if size > maxFilterBlocks*blockBytes {
		return nil, nil
	}
	bitset := make([]byte, size)
	if err := readFull(c.file.r, bitset, start); err != nil {
		return nil, err
	}
	return kernel.SplitBlockTableOfBytes(bitset), nil
}

// readHeader reads the header of a filter. It returns the size of the bitset, and whether the
// filter has the one algorithm, hash and compression that the format defines, each of which is the
// first member of a union.
func readHeader(r *thriftReader) (size int64, known bool) {
	unions, first := 0, 0
	for id, typ := range r.fields() {
		switch id {
		case 1:
			r.integer(&size, thriftI32, typ)
		case 2, 3, 4:
			if !r.want(thriftStruct, typ) {
				break
			}
			unions++
			if r.union() == 1 {
				first++
			}
		default:
			r.skip(typ, false)
		}
	}
	if unions != 3 {
		r.fail(fmt.Sprint(unions, " of an algorithm, a hash and a compression"), "all three")
	}
	return size, first == 3
}

// appendHeader appends the header of a filter.
func appendHeader(b []byte, t kernel.SplitBlockTable) []byte {
	w := thriftWriter{b: b}
	w.integer(1, thriftI32, int64(len(t)*blockBytes))
	for id := int16(2); id <= 4; id++ { // the algorithm, the hash and the compression
		w.raw(id, thriftStruct, []byte{1<<4 | thriftStruct, 0, 0})
	}
	return w.end()
}
