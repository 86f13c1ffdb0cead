package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func content(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds fails the test unless folder holds exactly these files with this content: no temporary
// file may be left.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if _, ok := want[entry.Name()]; !ok {
			t.Errorf("%s is left in the folder", entry.Name())
		}
	}
	for name, want := range want {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name  string
		old   string // "" for no file
		write func(io.Writer) error
		err   error
		want  map[string]string
	}{
		{"a new file", "", content("new"), nil, map[string]string{"f": "new"}},
		{"a file replaced by a shorter one", "the old one", content("new"), nil, map[string]string{"f": "new"}},
		{"an empty file", "old", content(""), nil, map[string]string{"f": ""}},
		{"a writer that fails at once", "old", func(io.Writer) error { return broken }, broken,
			map[string]string{"f": "old"}},
		{"a writer that fails half way", "old", func(w io.Writer) error {
			return errors.Join(content("half of the n")(w), broken)
		}, broken, map[string]string{"f": "old"}},
		{"a writer that fails, and no file before", "", func(io.Writer) error { return broken }, broken, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "f")
			if test.old != "" {
				if err := os.WriteFile(path, []byte(test.old), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := Write(path, 0o644, test.write); !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			holds(t, folder, test.want)
		})
	}
}

func TestWriteLeavesTheOldFileUntilTheEnd(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Write(path, 0o644, func(w io.Writer) error {
		err := content("new")(w)
		if got, _ := os.ReadFile(path); string(got) != "old" {
			t.Errorf("while it is written the file holds %q, want old", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	holds(t, folder, map[string]string{"f": "new"})
}

func TestWriteRemovesItsFileWhenTheWriterPanics(t *testing.T) {
	folder := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_ = Write(filepath.Join(folder, "f"), 0o644, func(io.Writer) error { panic("broken") })
	}()
	holds(t, folder, nil)
}

func TestWriteKeepsTheModeOfAnOldFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666} {
		path := filepath.Join(t.TempDir(), "f")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, 0o644, content("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v (%v), want %v", info.Mode(), err, mode)
		}
	}
}

func TestWriteGivesANewFileItsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := Write(path, 0o400, content("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o400 {
		t.Errorf("mode %v (%v), want 0400", info.Mode(), err)
	}
}

func TestWriteFollowsSymbolicLinks(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	link, path := filepath.Join(folder, "link"), filepath.Join(elsewhere, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Logf("no symbolic links here: %v", err)
		return
	}
	if err := Write(link, 0o644, content("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link has become %v (%v)", info.Mode(), err)
	}
	holds(t, folder, map[string]string{"link": "new"})
	holds(t, elsewhere, map[string]string{"f": "new"})
}

// What must not be replaced is a thing of the test's own folder, never one of the machine's: if the
// guard breaks, a test that runs as root would put a file in its place.
func TestWriteRefuses(t *testing.T) {
	folder := t.TempDir()
	taken := filepath.Join(folder, "folder")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		taken:                                    ErrNotRegular,
		filepath.Join(folder, "missing", "file"): fs.ErrNotExist,
	} {
		refuses(t, path, want)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want the one in it", entries, err)
	}
}

// refuses fails the test unless Write refuses the path with an error that wraps want, before it
// calls the writer.
func refuses(t *testing.T, path string, want error) {
	t.Helper()
	called := false
	err := Write(path, 0o644, func(io.Writer) error {
		called = true
		return errors.New("refused too late")
	})
	if called || !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v; writer called: %v", path, err, want, called)
	}
}
