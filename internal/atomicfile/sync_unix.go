//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder writes the entries of a folder to disk, so that a rename in it survives a power cut.
// Some file systems cannot, and say so with EINVAL: there it does nothing.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = toDisk(folder)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	if closeErr := folder.Close(); err == nil {
		err = closeErr
	}
	return err
}
