//go:build !unix

package file

import "os"

// mappable is false: this system keeps files that are mapped from being replaced, or has no
// mapping.
const mappable = false

func mapFile(*Contents, *os.File,
	*header) error {
	panic("file: mapFile where nothing is mappable")
}
