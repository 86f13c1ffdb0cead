package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
)

// A file that is a mount point is refused before its new content is written; a file beside it, and
// one in a folder that is mounted, are not.
func TestWriteRefusesAMountPoint(t *testing.T) {
	needsRoot(t)
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"f", "on", "in/f"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path(name)), 0o700),
			os.WriteFile(path(name), []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("on", path("link")); err != nil {
		t.Fatal(err)
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine: its mounts are its own
		err := unix.Unshare(unix.CLONE_NEWNS)
		if err == nil {
			err = errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
				unix.Mount(path("f"), path("on"), "", unix.MS_BIND, ""),
				unix.Mount(path("in"), path("in"), "", unix.MS_BIND, ""))
		}
		if err == nil {
			for _, name := range []string{"on", "link"} {
				err := Write(path(name), 0o666, func(io.Writer) error {
					t.Errorf("%s: content is written for a file that is refused", name)
					return nil
				})
				if !errors.Is(err, ErrMounted) {
					t.Errorf("%s: error %v, want %v", name, err, ErrMounted)
				}
			}
			err = errors.Join(Write(path("f"), 0o666, content("new")),
				Write(path("in/f"), 0o666, content("new")))
		}
		result <- err
	}()
	err := <-result
	if errors.Is(err, unix.EPERM) {
		require.Skip(t, "root", "only root with all capabilities mounts files: "+err.Error())
	}
	if err != nil {
		t.Error(err)
	}
	holds(t, path("in"), map[string]string{"f": "new"})
}
