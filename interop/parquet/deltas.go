package parquet

import (
	"encoding/binary"
	"fmt"
)

// deltas are the numbers of the encoding DELTA_BINARY_PACKED: each is the number before it and a
// difference, and the differences are packed in blocks of parts with a width of their own.
type deltas struct {
	left   int64  // numbers that next can return
	number uint64 // the one that it returns
	part   int64  // differences in a part
	parts  int64  // in a block

	blocks []byte // the blocks that were not begun
	least  uint64 // of the differences in the block
	widths []byte // of the parts in the block that were not begun
	packed []byte // the part
	width  int64
	read   int64 // differences of the part
}

// maxDeltaBlock is the most differences in a block, of which a block of equal ones has two bytes.
// Known writers have 2,048 at most.
const maxDeltaBlock = 1 << 12

// newDeltas checks n numbers, and returns them with the bytes after them.
func newDeltas(b []byte, n int64) (d deltas, rest []byte, err error) {
	var head [4]uint64 // the size of a block, its parts, the count of numbers, and the first
	for i := range head {
		if head[i], b, err = cutNumber(b); err != nil {
			return d, nil, err
		}
	}
	size, parts, count := head[0], head[1], head[2]
	switch {
	case size == 0 || size > maxDeltaBlock || parts == 0 || size%parts != 0 || size/parts%32 != 0:
		return d, nil, damaged(fmt.Sprintf("blocks of %d differences in %d parts", size, parts),
			fmt.Sprintf("at most %d, and a multiple of 32 in each part", maxDeltaBlock))
	case count != uint64(n):
		return d, nil, damaged(fmt.Sprintf("%d differences", count), fmt.Sprint(n))
	}
	d = deltas{left: n, number: unzigzag(head[3]), part: int64(size / parts), parts: int64(parts),
		blocks: b}
	for left := n - 1; left > 0; {
		if _, b, err = cutNumber(b); err != nil {
			return d, nil, err
		}
		var widths []byte
		if widths, b, err = cut(b, d.parts); err != nil {
			return d, nil, err
		}
		for _, width := range widths {
			if left <= 0 { // the width of a part that is not there can have any value
				break
			}
			if width > 64 {
				return d, nil, damaged(fmt.Sprintf("differences of %d bits", width), "at most 64")
			}
			if _, b, err = cut(b, int64(width)*d.part/8); err != nil {
				return d, nil, err
			}
			left -= d.part
		}
	}
	return d, b, nil
}

// next returns the next number. Only the first left calls may be made. newDeltas has found all
// bytes to be there.
func (d *deltas) next() int64 {
	number := d.number
	if d.left--; d.left > 0 {
		if d.read == d.part || d.packed == nil {
			d.begin()
		}
		d.number += d.least + packed(d.packed, d.read, d.width)
		d.read++
	}
	return int64(number)
}

// nextLength returns the next number as a length, which has 32 bits with a sign.
func (d *deltas) nextLength() int64 { return int64(int32(d.next())) }

// begin begins the next part, and if there is none in the block, the next block.
func (d *deltas) begin() {
	if len(d.widths) == 0 {
		least, size := binary.Uvarint(d.blocks)
		d.least = unzigzag(least)
		d.blocks = d.blocks[size:]
		d.widths, d.blocks = d.blocks[:d.parts], d.blocks[d.parts:]
	}
	d.width, d.read = int64(d.widths[0]), 0
	size := d.width * d.part / 8
	d.widths, d.packed, d.blocks = d.widths[1:], d.blocks[:size:size], d.blocks[size:]
}

func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

// cut returns the first n bytes of b, and the rest.
func cut(b []byte, n int64) (first, rest []byte, err error) {
	if n < 0 || n > int64(len(b)) {
		return nil, nil, damaged(fmt.Sprintf("a length of %d bytes", n),
			fmt.Sprint("0 to the ", len(b), " that are left"))
	}
	return b[:n], b[n:], nil
}

// cutBytes returns the bytes after a length of four bytes, and the rest.
func cutBytes(b []byte) (first, rest []byte, err error) {
	length, b, err := cut(b, 4)
	if err != nil {
		return nil, nil, err
	}
	return cut(b, int64(binary.LittleEndian.Uint32(length)))
}

// cutNumber returns the number that b begins with, and the rest.
func cutNumber(b []byte) (number uint64, rest []byte, err error) {
	number, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, damaged("a number without an end", "one of at most 64 bits")
	}
	return number, b[size:], nil
}
