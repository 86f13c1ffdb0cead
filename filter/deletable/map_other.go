//go:build !unix

package deletable

import (
	"os"

	"github.com/bloomlane/bloomlane/kernel"
)

// loadTable copies the table: this system keeps files that are mapped from being replaced, or has
// no mapping.
func loadTable(file *os.File, nblocks int) (kernel.Table512, uint32, func() error, error) {
	return readTable(file, nblocks)
}
