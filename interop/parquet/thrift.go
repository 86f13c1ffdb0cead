package parquet

import (
	"encoding/binary"
	"fmt"
	"iter"
)

// The types of Thrift's compact protocol, which footers and the headers of filters use.
const (
	thriftTrue = 1 + iota
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

// maxDepth is the deepest nesting of structures. Parquet's structures have less than ten levels.
const maxDepth = 64

// thriftReader reads the compact protocol from memory. After the first error it returns zeros and
// empty structures. It allocates no memory by a number that it reads.
type thriftReader struct {
	b     []byte
	err   error
	depth int
}

func (r *thriftReader) fail(found, expected string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: found %s, expected %s", ErrDamaged, found, expected)
	}
	r.b = nil
}

func (r *thriftReader) byte() byte {
	if len(r.b) == 0 {
		r.fail("the end of the metadata", "more of it")
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("a number without an end", "one of at most 64 bits")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *thriftReader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// fields yields the fields of a structure. The caller must read or skip the value of each field. A
// field that comes twice is an error: other readers take the first. The ids of the format are less
// than 64.
func (r *thriftReader) fields() iter.Seq2[int16, byte] {
	return func(yield func(int16, byte) bool) {
		if r.depth++; r.depth > maxDepth {
			r.fail("structures nested deeper than that", fmt.Sprint(maxDepth, " levels"))
		}
		id, seen := int16(0), uint64(0)
		for r.err == nil {
			head := r.byte()
			if head == 0 {
				break
			}
			if delta := head >> 4; delta > 0 {
				id += int16(delta)
			} else {
				var v int64
				r.integer(&v, thriftI16, thriftI16)
				id = int16(v)
			}
			if id >= 0 && id < 64 {
				if seen&(1<<id) != 0 {
					r.fail(fmt.Sprint("a second field ", id), "one")
					break
				}
				seen |= 1 << id
			}
			if !yield(id, head&15) {
				break
			}
		}
		r.depth--
	}
}

// want reports whether the type of a value is the expected one. It skips a value of another type:
// a field that has one counts as missing, as it does in readers that Thrift generates.
func (r *thriftReader) want(expected, found byte) bool {
	if found != expected {
		r.skip(found, false)
	}
	return found == expected && r.err == nil
}

// integer reads an integer of the expected type, of 16 to 64 bits. It leaves the number as it is if
// the field counts as missing.
func (r *thriftReader) integer(to *int64, expected, found byte) {
	if !r.want(expected, found) {
		return
	}
	v, shift := r.varint(), 64-16<<(expected-thriftI16)
	if v<<shift>>shift != v {
		r.fail(fmt.Sprint("the number ", v), fmt.Sprint("one of ", 64-shift, " bits"))
		return
	}
	*to = v
}

// boolean reads a field that is a boolean. It returns otherwise if the field counts as missing.
func (r *thriftReader) boolean(otherwise bool, typ byte) bool {
	if typ == thriftTrue || r.want(thriftFalse, typ) {
		return typ == thriftTrue
	}
	return otherwise
}

// union skips a union and returns its member, or 0 if it has none.
func (r *thriftReader) union() (member int16) {
	for id, typ := range r.fields() {
		if member != 0 {
			r.fail(fmt.Sprintf("members %d and %d of a union", member, id), "one")
			break
		}
		member = id
		r.skip(typ, false)
	}
	return member
}

// binary reads a string, which is a part of the reader's memory.
func (r *thriftReader) binary(typ byte) []byte {
	if !r.want(thriftBinary, typ) {
		return nil
	}
	return r.take(r.uvarint())
}

func (r *thriftReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail(fmt.Sprint(n, " bytes"), fmt.Sprint("at most ", len(r.b)))
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// list reads the head of a list or a set. Each element has at least one byte, so a list with more
// elements than bytes left is an error.
func (r *thriftReader) list() (n int, element byte) {
	head := r.byte()
	size := uint64(head >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if size > uint64(len(r.b)) {
		r.fail(fmt.Sprint("a list of ", size), fmt.Sprint("at most ", len(r.b)))
		return 0, 0
	}
	return int(size), head & 15
}

// maxStructs is the most structures in a list. Arrow C++ refuses more, too.
const maxStructs = 1_000_000

// structs reads the head of a list of structures.
func (r *thriftReader) structs(typ byte) int {
	if !r.want(thriftList, typ) {
		return 0
	}
	n, element := r.list()
	if n > maxStructs || n > 0 && element != thriftStruct {
		r.fail(fmt.Sprintf("a list of %d values of Thrift's type %d", n, element),
			fmt.Sprintf("at most %d of type %d", maxStructs, thriftStruct))
		return 0
	}
	return n
}

// skip reads a value of any type, and returns its bytes. inList says that a boolean has a byte of
// its own.
func (r *thriftReader) skip(typ byte, inList bool) []byte {
	before := r.b
	switch typ {
	case thriftTrue, thriftFalse:
		if inList {
			r.byte()
		}
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.take(8)
	case thriftBinary:
		r.binary(typ)
	case thriftUUID:
		r.take(16)
	case thriftList, thriftSet:
		n, element := r.list()
		r.skipEach(n, element)
	case thriftMap:
		if n := r.uvarint(); n > uint64(len(r.b)) {
			r.fail(fmt.Sprint("a map of ", n), fmt.Sprint("at most ", len(r.b)))
		} else if n > 0 {
			types := r.byte()
			r.skipEach(int(n), types>>4, types&15)
		}
	case thriftStruct:
		for _, typ := range r.fields() {
			r.skip(typ, false)
		}
	default:
		r.fail(fmt.Sprint("a value of Thrift's type ", typ), "one of 1 to 13")
	}
	if r.err != nil {
		return nil
	}
	return before[:len(before)-len(r.b)]
}

func (r *thriftReader) skipEach(n int, types ...byte) {
	if r.depth++; r.depth > maxDepth {
		r.fail("lists nested deeper than that", fmt.Sprint(maxDepth, " levels"))
	}
	for i := 0; i < n && r.err == nil; i++ {
		for _, typ := range types {
			r.skip(typ, true)
		}
	}
	r.depth--
}

// thriftWriter writes the fields of one structure. Nested structures have writers of their own.
type thriftWriter struct {
	b    []byte
	last int16
}

// field writes the head of a field.
func (w *thriftWriter) field(id int16, typ byte) {
	if delta := id - w.last; delta >= 1 && delta <= 15 {
		w.b = append(w.b, byte(delta)<<4|typ)
	} else {
		w.b = appendVarint(append(w.b, typ), int64(id))
	}
	w.last = id
}

func (w *thriftWriter) raw(id int16, typ byte, value []byte) {
	w.field(id, typ)
	w.b = append(w.b, value...)
}

func (w *thriftWriter) integer(id int16, typ byte, v int64) {
	w.field(id, typ)
	w.b = appendVarint(w.b, v)
}

func (w *thriftWriter) binary(id int16, v string) {
	w.field(id, thriftBinary)
	w.b = append(binary.AppendUvarint(w.b, uint64(len(v))), v...)
}

func (w *thriftWriter) structs(id int16, elements [][]byte) {
	w.field(id, thriftList)
	w.b = appendStructs(w.b, elements)
}

// end ends the structure and returns its bytes.
func (w *thriftWriter) end() []byte { return append(w.b, 0) }

func appendVarint(b []byte, v int64) []byte {
	return binary.AppendUvarint(b, uint64(v<<1)^uint64(v>>63))
}

// appendStructs appends the value of a list of structures.
func appendStructs(b []byte, elements [][]byte) []byte {
	if n := len(elements); n < 15 {
		b = append(b, byte(n)<<4|thriftStruct)
	} else {
		b = binary.AppendUvarint(append(b, 15<<4|thriftStruct), uint64(n))
	}
	for _, e := range elements {
		b = append(b, e...)
	}
	return b
}
