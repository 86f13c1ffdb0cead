//go:build (amd64 || arm64) && !purego

package proved

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// A byte that is changed in the memory of this program is seen, and so is one that is changed back.
func TestCheckSeesAChangedByte(t *testing.T) {
	const last = "QueryKeySplit"
	i := slices.IndexFunc(Functions, func(f Function) bool { return f.Name == last })
	code := view(addresses()[i], Functions[i].Size)
	page := uintptr(syscall.Getpagesize())
	from := uintptr(addresses()[i]) &^ (page - 1)
	pages := view(uint64(from), int(2*page))
	protect := func(how int) {
		t.Helper()
		if err := syscall.Mprotect(pages, how); err != nil {
			t.Fatal(err)
		}
	}
	protect(syscall.PROT_READ | syscall.PROT_WRITE | syscall.PROT_EXEC)
	defer protect(syscall.PROT_READ | syscall.PROT_EXEC)
	byteOf := (*byte)(unsafe.Pointer(&code[len(code)/2]))
	for _, want := range [][]string{{last}, nil} {
		*byteOf ^= 1
		if _, other := Check(); !slices.Equal(other, want) {
			t.Errorf("%q have other code, want %q", other, want)
		}
	}
}
