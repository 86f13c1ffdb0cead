package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	pages "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/kernel"
)

// A long footer, which takes nothing on disk where it is all zeros, is refused before there is
// memory for it, also where no int of 32 bits holds its length.
func TestLongFooterIsRefused(t *testing.T) {
	for _, length := range []uint32{maxFooter + 1, 1 << 31, 3 << 30, 1<<32 - 13} {
		end := binary.LittleEndian.AppendUint32(nil, length)
		_, err := Open(&sparse{[]byte(magic), append(end, magic...), 1 << 33}, 1<<33)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "found a footer of") {
			t.Errorf("a footer of %d bytes: %v", length, err)
		}
	}
}

// A filter of more than 128 MiB counts as none, and none is made: arrow-go reads no larger ones.
func TestLargeFilters(t *testing.T) {
	const values, bits = 1_100_000, 1024 // per value
	f := forgery{physical: physicalInt64, values: values, pages: []forgedPage{{values: values,
		encoding: encodingDeltas, content: uvarints(128, 1, values, 0)}}}
	for range values / 128 {
		f.pages[0].content = append(f.pages[0].content, 2, 0) // differences of 1
	}
	f.pages[0].content = append(f.pages[0].content, 2, 0)
	table, err := opened(t, f.bytes()).columns[0].NewFilter(0, bits)
	if check(t, err); len(table) != maxFilterBlocks {
		t.Errorf("%d blocks, want %d", len(table), maxFilterBlocks)
	}
	file := edit(written(t, withFilters), func(*thriftWriter) {}, 15, 4, 1, 3)
	whole := opened(t, file)
	offset := whole.filters[len(whole.filters)-1]
	for _, blocks := range []int{maxFilterBlocks, maxFilterBlocks + 1} {
		s := &sparse{appendHeader(file[:offset:offset], make(kernel.SplitBlockTable, blocks)),
			file[whole.end:], 200 << 20}
		f, err := Open(s, s.size)
		check(t, err)
		table, err := columnOf(t, f, "name").Filter(1)
		if check(t, err); len(table) != blocks && blocks <= maxFilterBlocks ||
			table != nil && blocks > maxFilterBlocks {
			t.Errorf("%d blocks for a filter of %d", len(table), blocks)
		}
	}
}

// allocated returns how many bytes do allocates.
func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// Footers whose structures have the fewest bytes, or none of what they must have, take memory by
// their bytes, and so do all errors of them.
func TestSmallStructures(t *testing.T) {
	const bytes = 1 << 20
	repeated := func(structure ...byte) []byte { // a list of them
		n := min(bytes/len(structure), maxStructs)
		b := append([]byte{15<<4 | thriftStruct}, uvarints(uint64(n))...)
		return append(b, slices.Repeat(structure, n)...)
	}
	root := func(children uint64) []byte { // an element, and the first of a list
		return slices.Concat([]byte{4<<4 | thriftBinary, 0, 1<<4 | thriftI32},
			uvarints(children<<1), []byte{0})
	}
	leaf := []byte{1<<4 | thriftI32, 2 << 1, 3<<4 | thriftBinary, 0, 0}
	leaves := repeated(leaf...)
	n, size := binary.Uvarint(leaves[1:])
	wide := slices.Concat([]byte{15<<4 | thriftStruct}, uvarints(n+1), root(n), leaves[1+size:])
	chunk := []byte{3<<4 | thriftStruct, 4<<4 | thriftI32, 0, 1<<4 | thriftI64, 0,
		2<<4 | thriftI64, 0, 2<<4 | thriftI64, 8, 0, 0}
	list := func(id byte, elements []byte) []byte {
		return append([]byte{id<<4 | thriftList}, elements...)
	}
	one := func(id byte, elements []byte) []byte { // a list in a structure that is one of a list
		return slices.Concat([]byte{id<<4 | thriftList, 1<<4 | thriftStruct}, list(1, elements))
	}
	for name, footer := range map[string][]byte{
		"no names":    list(2, repeated(0)),
		"empty names": list(2, repeated(4<<4|thriftBinary, 0, 0)),
		"columns":     list(2, wide),
		"no rows":     list(4, repeated(0)),
		"row groups":  list(4, repeated(3<<4|thriftI64, 0, 0)),
		"no numbers":  one(4, repeated(0)),
		"chunks":      one(4, repeated(chunk...)),
		"keys":        list(5, repeated(0)),
		"unknown":     list(7, repeated(0)),
	} {
		footer = append(footer, 0, 0, 0)
		file := slices.Concat([]byte(magic), footer,
			binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte(magic))
		if taken := allocated(func() {
			f, err := Open(strings.NewReader(string(file)), int64(len(file)))
			if err == nil {
				_, err = f.Column("none")
			}
			if !typed(err) || len(err.Error()) > 300 {
				t.Errorf("%s: %.400v", name, err)
			}
		}); taken > 64*len(footer) {
			t.Errorf("%s: %d bytes for a footer of %d", name, taken, len(footer))
		}
	}
}

// The names of a file's columns are its own choice, and an error is short all the same.
func TestColumnErrorIsBounded(t *testing.T) {
	var file bytes.Buffer
	schema := pages.NewSchema("s", pages.Group{strings.Repeat("x", 5000): pages.String(),
		strings.Repeat("y", 5000): pages.String()})
	if err := pages.NewWriter(&file, schema).Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Column("none")
	if !errors.Is(err, ErrColumn) || len(err.Error()) > 300 ||
		!strings.Contains(err.Error(), "expected one of xxx") {
		t.Errorf("%d bytes: %.400v", len(err.Error()), err)
	}
}
