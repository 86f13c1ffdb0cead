package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
)

const (
	temporaryDigits = 8 // hex, lower case
	temporarySuffix = ".tmp"
)

// Sweep removes the temporary files that killed writers of the file path left, as every writer does
// at its start. A file that cannot be removed stays, and does no harm.
func Sweep(path string) {
	if path, err := follow(path); err == nil {
		sweep(path)
	}
}

func sweep(path string) {
	if !locks {
		return // a writer at work looks like one that was killed
	}
	folder, err := os.Open(folderOf(path))
	if err != nil {
		return
	}
	names, _ := folder.Readdirnames(-1)
	_ = folder.Close()
	prefix, base := filepath.Split(path)
	for _, name := range names {
		if isTemporary(name, base) {
			removeUnlocked(prefix + name)
		}
	}
}

// isTemporary reports whether a name is that of a temporary file of the file base.
func isTemporary(name, base string) bool {
	name, ok := strings.CutPrefix(name, base+".")
	digits, end := strings.CutSuffix(name, temporarySuffix)
	return ok && end && len(digits) == temporaryDigits &&
		strings.Trim(digits, "0123456789abcdef") == ""
}
