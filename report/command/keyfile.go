package command

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// ReadKey reads a key file, or standard input: the text of a key, with or without a line end.
func ReadKey(cmd *cobra.Command, path string) (key.Key, error) {
	if path == Standard {
		k, err := key.Read(cmd.InOrStdin())
		if err != nil {
			return key.Key{}, fmt.Errorf("%s: %w", StandardInput, err)
		}
		return k, nil
	}
	k, err := key.ReadFile(path)
	if err == nil {
		warnOfReaders(cmd, path)
	}
	return k, err
}

// warnOfReaders warns of a key file that others can read, or replace the content of. Windows has no
// such modes.
func warnOfReaders(cmd *cobra.Command, path string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 &&
		runtime.GOOS != "windows" {
		Warn(cmd, "%s: found mode %04o, with which others get at the hash key, expected 0600", path,
			info.Mode().Perm())
	}
}

// IsFilter reports whether a file begins like one of a filter.
func IsFilter(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(file.Magic)+4) // and the version
	if _, err = io.ReadFull(f, head); err == io.EOF || err == io.ErrUnexpectedEOF {
		return false, nil
	}
	return strings.HasPrefix(string(head), file.Magic), err
}
