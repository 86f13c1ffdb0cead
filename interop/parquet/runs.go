package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// eachRun reads n numbers of a width of at most 32 bits in the encoding RLE, which has runs of one
// number and groups of eight packed numbers. It calls do with each run, and with each packed number
// as a run of one; without bits, packed numbers are one run. A run that is longer than what is left
// of the n is an error. Packed numbers may be more than that.
func eachRun(b []byte, width, n int64, do func(number uint32, times int64) error) error {
	for n > 0 {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return damaged(fmt.Sprintf("the end before %d numbers", n), "all of them")
		}
		b = b[size:]
		count := head >> 1
		if head&1 == 0 {
			if count == 0 || count > uint64(n) {
				return damaged(fmt.Sprintf("a run of %d", count), fmt.Sprint("1 to ", n))
			}
			var number [4]byte
			if size = copy(number[:(width+7)/8], b); int64(size) < (width+7)/8 {
				return damaged("a run at the end", "its number")
			}
			b = b[size:]
			if err := do(binary.LittleEndian.Uint32(number[:]), int64(count)); err != nil {
				return err
			}
			n -= int64(count)
			continue
		}
		if count == 0 {
			return damaged("0 groups of packed numbers", "at least 1")
		}
		numbers := int64(min(uint64(n), 8*min(count, uint64(n))))
		if width == 0 { // any number of them has no bytes
			if err := do(0, numbers); err != nil {
				return err
			}
			n -= numbers
			continue
		}
		if need := (numbers*width + 7) / 8; need > int64(len(b)) {
			return damaged(fmt.Sprintf("%d bytes of packed numbers", len(b)),
				fmt.Sprint("at least ", need))
		}
		for i := range numbers {
			if err := do(uint32(packed(b, i, width)), 1); err != nil {
				return err
			}
		}
		// Some writers leave out the end of the last group, and DuckDB adds groups.
		groups := int64(min(count, uint64(len(b))))
		b = b[min(int64(len(b)), groups*width):]
		n -= numbers
	}
	return nil
}

// packed returns number i of those that are packed into b, the first into the lowest bits. A width
// is at most 64 bits.
func packed(b []byte, i, width int64) uint64 {
	b = b[i*width/8:]
	shift := uint(i * width % 8)
	var v uint64
	if len(b) > 8 {
		v = binary.LittleEndian.Uint64(b)>>shift | uint64(b[8])<<(64-shift)
	} else {
		for j, x := range b {
			v |= uint64(x) << (8 * j)
		}
		v >>= shift
	}
	return v & (1<<uint(width) - 1)
}

// countHighest reads the levels of n values, and returns how many are the highest.
func countHighest(b []byte, highest, n int64) (count int64, err error) {
	err = eachRun(b, int64(bits.Len64(uint64(highest))), n, func(level uint32, times int64) error {
		switch {
		case int64(level) == highest:
			count += times
		case int64(level) > highest:
			return damaged(fmt.Sprintf("level %d", level), fmt.Sprint("at most ", highest))
		}
		return nil
	})
	return count, err
}
