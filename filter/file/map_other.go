//go:build !unix

package file

import "os"

// mappable is false, because this system cannot replace files that are mapped, or cannot map files.
const mappable = false

func mapFile(*Contents, *os.File, *header) error {
	panic("file: mapFile where nothing is mappable")
}
