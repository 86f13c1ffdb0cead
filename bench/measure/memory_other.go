//go:build !linux

package measure

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/kernel"
)

// pageKinds are the sizes of pages that a table can be on: those that the system gives.
var pageKinds = []string{"default"}

func newTable(width int, bytes int64, pages string) (table, func() error, error) {
	memory := kernel.NewTable512(int(bytes / int64(unsafe.Sizeof(kernel.Block512{}))))
	return tableAt(width, unsafe.Pointer(&memory[0]), bytes), func() error { return nil }, nil
}

func hugeShare(table) (float64, bool) { return 0, false }

func availableBytes() (int64, bool) { return 0, false }
