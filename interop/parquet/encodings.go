package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The encodings of parquet.thrift that are read.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDeltas          = 5
	encodingDeltaLengths    = 6
	encodingDeltaBytes      = 7
	encodingDictionary      = 8
	encodingByteStreams     = 9
)

// anyWidth is the width of byte arrays: each has a length of its own.
const anyWidth = -1

// width returns how many bytes a value has in the plain encoding.
func (e *element) width() int64 {
	switch e.physical {
	case physicalInt32, physicalFloat:
		return 4
	case physicalInt64, physicalDouble:
		return 8
	case physicalFixed:
		return e.length
	}
	return anyWidth
}

// decode calls do with n values of a page that are in b.
func (r *pageReader) decode(h *pageHeader, b []byte, n int64, do func([]byte, int64)) error {
	leaf, width := r.column.leaf, r.column.leaf.width()
	switch e := h.encoding; {
	case e == encodingPlain:
		return plainValues(b, width, n, func(value []byte) { do(value, 1) })
	case e == encodingPlainDictionary || e == encodingDictionary:
		if r.dictionary == nil {
			return damaged("indexes", "a dictionary before them")
		}
		return r.dictionary.values(b, n, do)
	case e == encodingDeltas && (leaf.physical == physicalInt32 || leaf.physical == physicalInt64):
		return deltaValues(b, width, n, do)
	case e == encodingDeltaLengths && width == anyWidth:
		return deltaLengthValues(b, n, do)
	case e == encodingDeltaBytes && (width == anyWidth || leaf.physical == physicalFixed):
		return deltaByteValues(b, width, n, h.limit(), do)
	case e == encodingByteStreams && width != anyWidth:
		return byteStreamValues(b, width, n, do)
	default:
		return fmt.Errorf("%w: found values of %s in encoding %d of parquet.thrift", ErrType,
			leaf.typeName(), e)
	}
}

// plainValues reads n values, one after another. Those of any width have their length before them.
func plainValues(b []byte, width, n int64, do func(value []byte)) error {
	for range n {
		var value []byte
		var err error
		if width == anyWidth {
			value, b, err = cutBytes(b)
		} else {
			value, b, err = cut(b, width)
		}
		if err != nil {
			return err
		}
		do(value)
	}
	return nil
}

// dictionary has the values that the pages of a column name by their indexes.
type dictionary struct {
	content []byte
	width   int64
	count   int64
	starts  []uint32 // of each value with its length, if it has one
}

// setDictionary reads the page of a dictionary. It copies the content.
func (r *pageReader) setDictionary(h *pageHeader, content []byte) error {
	if r.dictionary != nil {
		return damaged("a second dictionary", "one for a column in a row group")
	}
	if h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return fmt.Errorf("%w: found a dictionary in encoding %d of parquet.thrift", ErrType,
			h.encoding)
	}
	d := &dictionary{content: bytes.Clone(content), width: r.column.leaf.width(), count: h.values}
	r.dictionary = d
	start := uint32(0)
	return plainValues(d.content, d.width, d.count, func(value []byte) {
		if d.width == anyWidth {
			d.starts = append(d.starts, start)
			start += 4 + uint32(len(value))
		}
	})
}

// values reads the indexes of n values.
func (d *dictionary) values(b []byte, n int64, do func([]byte, int64)) error {
	first, b, err := cut(b, 1)
	if err != nil {
		return err
	}
	width := int64(first[0])
	if width > 32 {
		return damaged(fmt.Sprintf("indexes of %d bits", width), "at most 32")
	}
	return eachRun(b, width, n, func(index uint32, times int64) error {
		i := int64(index)
		if i >= d.count {
			return damaged(fmt.Sprint("index ", i), fmt.Sprint("one below ", d.count))
		}
		if d.width != anyWidth {
			do(d.content[i*d.width:(i+1)*d.width], times)
			return nil
		}
		value := d.content[d.starts[i]:]
		do(value[4:4+int64(binary.LittleEndian.Uint32(value))], times)
		return nil
	})
}

// deltaValues reads n integers of width bytes.
func deltaValues(b []byte, width, n int64, do func([]byte, int64)) error {
	numbers, _, err := newDeltas(b, n)
	if err != nil {
		return err
	}
	var value [8]byte
	for range n {
		binary.LittleEndian.PutUint64(value[:], uint64(numbers.next()))
		do(value[:width], 1)
	}
	return nil
}

// deltaLengthValues reads n byte arrays, which come after all of their lengths.
func deltaLengthValues(b []byte, n int64, do func([]byte, int64)) error {
	lengths, b, err := newDeltas(b, n)
	if err != nil {
		return err
	}
	for range n {
		var value []byte
		if value, b, err = cut(b, lengths.nextLength()); err != nil {
			return err
		}
		do(value, 1)
	}
	return nil
}

// deltaByteValues reads n byte arrays of which each has a prefix of the one before. They have at
// most limit bytes in sum.
func deltaByteValues(b []byte, width, n, limit int64, do func([]byte, int64)) error {
	prefixes, b, err := newDeltas(b, n)
	if err != nil {
		return err
	}
	suffixes, b, err := newDeltas(b, n)
	if err != nil {
		return err
	}
	var value []byte
	for range n {
		prefix, _, err := cut(value, prefixes.nextLength())
		if err != nil {
			return err
		}
		var suffix []byte
		if suffix, b, err = cut(b, suffixes.nextLength()); err != nil {
			return err
		}
		value = append(prefix, suffix...)
		if limit -= int64(len(value)); limit < 0 {
			return damaged("longer values", "no more than a page can stand for")
		}
		if width != anyWidth && int64(len(value)) != width {
			return damaged(fmt.Sprintf("a value of %d bytes", len(value)), fmt.Sprint(width))
		}
		do(value, 1)
	}
	return nil
}

// byteStreamValues reads n values of width bytes: first the first byte of each, then the second.
func byteStreamValues(b []byte, width, n int64, do func([]byte, int64)) error {
	if int64(len(b)) != n*width {
		return damaged(fmt.Sprintf("%d bytes of %d values", len(b), n), fmt.Sprint(n*width))
	}
	value := make([]byte, width)
	for i := range n {
		for j := range value {
			value[j] = b[int64(j)*n+i]
		}
		do(value, 1)
	}
	return nil
}
