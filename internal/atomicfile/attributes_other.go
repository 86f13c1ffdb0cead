//go:build !linux

package atomicfile

import "os"

// keepAttributes does nothing: only those of Linux are known here.
func keepAttributes(*os.File, string) error { return nil }
