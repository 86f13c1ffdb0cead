//go:build !amd64 || purego

package pmac

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// Query512 reports whether the hash of data is present in a table of nblocks blocks.
func (k *Key) Query512(table *[8]uint64, nblocks int, data []byte) bool {
	return fallback.Query(unsafe.Slice(table, nblocks), k.Sum64(data))
}
