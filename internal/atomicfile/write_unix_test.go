//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe stands for what is neither a file nor a folder: devices, sockets.
func TestWriteRefusesAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(t, pipe, ErrNotRegular)
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe has become %v (%v)", info.Mode(), err)
	}
}

// A file system that cannot sync folders says so, and that is no error.
func TestFoldersThatCannotBeSynced(t *testing.T) {
	defer func() { toDisk = (*os.File).Sync }()
	for _, refusal := range []error{syscall.EINVAL, errors.ErrUnsupported} {
		toDisk = func(f *os.File) error {
			if info, err := f.Stat(); err != nil || !info.IsDir() {
				return err
			}
			return &fs.PathError{Op: "sync", Path: f.Name(), Err: refusal}
		}
		path := filepath.Join(t.TempDir(), "f")
		if err := Write(path, 0o600, content("new")); err != nil {
			t.Errorf("%v: %v", refusal, err)
		}
	}
}
