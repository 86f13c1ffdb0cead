//go:build (amd64 || arm64) && !purego

package proved

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// This program has the machine code that is proved.
func TestCheck(t *testing.T) {
	same, other := Check()
	if len(same) < 9 || len(same) != len(Functions) || len(other) != 0 {
		t.Errorf("%d functions of %d are the same, and %q are not", len(same), len(Functions),
			other)
	}
}

// changed is the memory of this program with another bit.
type changed struct {
	memory
	address uint64
}

func (c changed) Bytes(address uint64, size int) ([]byte, error) {
	read, err := c.memory.Bytes(address, size)
	if err == nil && c.address-address < uint64(size) {
		read[c.address-address] ^= 1 << 7
	}
	return read, err
}

// Any byte of a function or of its constants changes what is found.
func TestSumSeesEveryByte(t *testing.T) {
	for i, f := range Functions {
		from := addresses()[i]
		code, err := memory{}.Bytes(from, f.Size)
		if err != nil {
			t.Fatal(err)
		}
		var places []uint64
		for n := range f.Size {
			places = append(places, from+uint64(n))
		}
		for _, r := range f.References {
			for n := range r.Size {
				places = append(places, r.Target(code, from)+uint64(n))
			}
		}
		for _, at := range places {
			sum, err := f.Sum(changed{address: at}, from)
			if err == nil && sum == f.Digest && !f.equalConstants(t, from, at) {
				t.Errorf("%s: another byte at %#x is not seen", f.Name, at-from)
			}
		}
	}
}

// equalConstants says whether a changed byte is a part of a reference, which leads to a constant
// like that of before: functions have copies of them.
func (f Function) equalConstants(t *testing.T, from, at uint64) bool {
	t.Helper()
	code, err := changed{address: at}.Bytes(from, f.Size)
	if err != nil {
		t.Fatal(err)
	}
	before := view(from, f.Size)
	for _, r := range f.References {
		if old, found := r.Target(before, from), r.Target(code, from); found != old {
			return bytes.Equal(view(found, r.Size), view(old, r.Size))
		}
	}
	return false
}

// What cannot be read is an error.
func TestUnreadableMemory(t *testing.T) {
	const far = 1 << 44
	if read, err := (memory{}).Bytes(addresses()[0]+far, 8); err == nil {
		t.Errorf("far from the program is %x", read)
	}
}

// The addresses are those of the names: no two functions have the same code there, but for those of
// two sets that only prefetch.
func TestFunctionsDiffer(t *testing.T) {
	var seen [][]byte
	for i, f := range Functions {
		code, err := memory{}.Bytes(addresses()[i], f.Size)
		if err != nil || !strings.HasPrefix(f.Name, "Fetch") && slices.ContainsFunc(seen,
			func(other []byte) bool { return bytes.Equal(code, other) }) {
			t.Errorf("%s has the code of another (%v)", f.Name, err)
		}
		seen = append(seen, code)
	}
}
