//go:build !unix

package atomicfile

// syncFolder does nothing: this system cannot sync a folder.
func syncFolder(string) error { return nil }
