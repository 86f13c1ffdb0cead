package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Bytes that are no Thrift are an error, and their numbers cause no allocation and no deep
// recursion.
func TestThrift(t *testing.T) {
	nested := func(levels int, open ...byte) []byte {
		return slices.Concat([]byte{1<<4 | open[0]}, bytes.Repeat(open, levels),
			make([]byte, 2*levels))
	}
	huge := []byte{255, 255, 255, 255, 255, 255, 255, 255, 127}
	for name, test := range map[string]struct {
		b    []byte
		says string
	}{
		"nothing":   {nil, "found the end"},
		"no end":    {[]byte{1<<4 | thriftTrue}, "found the end"},
		"no byte":   {[]byte{1<<4 | thriftByte}, "found the end"},
		"no number": {[]byte{1<<4 | thriftI64, 0x80}, "a number without an end"},
		"long number": {append([]byte{1<<4 | thriftI64}, bytes.Repeat([]byte{0x80}, 11)...),
			"a number without an end"},
		"short double": {[]byte{1<<4 | thriftDouble, 0, 0, 0, 0, 0, 0, 0},
			"8 bytes, expected at most 7"},
		"short UUID": {make([]byte, 9), ""},
		"long string": {append([]byte{1<<4 | thriftBinary}, huge...),
			"bytes, expected at most 0"},
		"long list": {slices.Concat([]byte{1<<4 | thriftList, 15<<4 | thriftStruct}, huge,
			[]byte{0, 0, 0}), "a list of"},
		"long set": {slices.Concat([]byte{1<<4 | thriftSet, 15<<4 | thriftTrue, 4, 1, 1, 0}),
			"a list of 4, expected at most 3"},
		"long map": {slices.Concat([]byte{1<<4 | thriftMap}, huge, []byte{0, 0, 0}),
			"a map of"},
		"a type": {[]byte{1<<4 | 14, 0, 0}, "a value of Thrift's type 14"},
		"type 0 in list": {[]byte{1<<4 | thriftList, 2 << 4, 0, 0, 0},
			"a value of Thrift's type 0"},
		"deep":     {nested(maxDepth-1, 1<<4|thriftStruct)[1:], ""},
		"too deep": {nested(maxDepth, 1<<4|thriftStruct)[1:], "nested deeper"},
		"deep lists": {nested(maxDepth-1, thriftList, 1<<4|thriftList)[:1+2*maxDepth-3],
			"found the end"},
		"too deep lists": {nested(5*maxDepth, 1<<4|thriftList)[:5*maxDepth], "lists nested deeper"},
	} {
		r := &thriftReader{b: test.b}
		r.skip(thriftStruct, false)
		if test.says == "" && r.err != nil || test.says != "" &&
			(!errors.Is(r.err, ErrDamaged) || !strings.Contains(fmt.Sprint(r.err), test.says)) {
			t.Errorf("%s: %v, want %q", name, r.err, test.says)
		}
	}
}

// A list has no more structures than a limit, whatever bytes there are.
func TestLongLists(t *testing.T) {
	for _, n := range []int{maxStructs, maxStructs + 1} {
		b := slices.Concat([]byte{15<<4 | thriftStruct}, uvarints(uint64(n)), make([]byte, n))
		r := &thriftReader{b: b}
		if got := r.structs(thriftList); (got == n) != (n == maxStructs) ||
			errors.Is(r.err, ErrDamaged) != (n > maxStructs) {
			t.Errorf("%d of %d (%v)", got, n, r.err)
		}
	}
}
