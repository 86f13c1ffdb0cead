//go:build !unix

package deletable

import "os"

// mapTable copies the table: this system keeps files that are mapped from being replaced, or has
// no mapping.
func mapTable(file *os.File, nblocks int) (*table, uint32, error) { return readTable(file, nblocks) }
