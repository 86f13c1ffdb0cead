package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
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
		{"a file replaced by a shorter one", "the old one", content("new"), nil,
			map[string]string{"f": "new"}},
		{"an empty file", "old", content(""), nil, map[string]string{"f": ""}},
		{"a writer that fails at once", "old", func(io.Writer) error { return broken }, broken,
			map[string]string{"f": "old"}},
		{"a writer that fails half way", "old", func(w io.Writer) error {
			return errors.Join(content("half of the n")(w), broken)
		}, broken, map[string]string{"f": "old"}},
		{"a writer that fails, and no file before", "", func(io.Writer) error { return broken },
			broken, nil},
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
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666, 0o420, 0o402} {
		path := filepath.Join(t.TempDir(), "f")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		err := Write(path, 0o666, func(w io.Writer) error {
			// Who cannot read the file cannot read its new content before it is in place either.
			names, _ := filepath.Glob(path + ".*")
			if len(names) != 1 {
				t.Errorf("the temporary files are %v", names)
			} else if info, err := os.Stat(names[0]); err != nil || info.Mode()&^mode != 0 {
				t.Errorf("the temporary file has mode %v (%v), want %v at most",
					info.Mode(), err, mode)
			}
			return content("new")(w)
		})
		if err != nil {
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
		require.Skip(t, "links", "no symbolic links here: "+err.Error())
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
		"":                                       fs.ErrNotExist,
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

// A file without any permission to write is refused by its mode, which a rename does not check, and
// neither does root.
func TestWriteRefusesAFileThatIsReadOnly(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(path, 0o600) }() // Windows removes no such file
	refuses(t, path, fs.ErrPermission)
	if _, err := Target(path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Target: %v, want %v", err, fs.ErrPermission)
	}
	holds(t, folder, map[string]string{"f": "old"})
}

// links makes symbolic links, from names in folder to texts.
func links(t *testing.T, folder string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := os.Symlink(text, filepath.Join(folder, name)); err != nil {
			require.Skip(t, "links", "no symbolic links here: "+err.Error())
		}
	}
}

// The file that a link leads to is created if it does not exist. The links are followed as the
// system does: "near" is a link to another folder, so near/../f is not the f of this one.
func TestWriteFollowsDanglingLinks(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"direct", "f"}, {"chain", "f"}, {"near/back", "far/f"}, {"over", "far/f"},
		{"absolute", "far/f"},
	} {
		folder := t.TempDir()
		if err := os.MkdirAll(filepath.Join(folder, "far", "away"), 0o700); err != nil {
			t.Fatal(err)
		}
		links(t, folder, map[string]string{
			"direct": "f", "chain": "direct", "near": "far/away", "over": "near/../f",
			"far/away/back": "../f", "absolute": filepath.Join(folder, "far", "f"),
		})
		path, want := filepath.Join(folder, test.path), filepath.Join(folder, test.want)
		if err := Write(path, 0o644, content("new")); err != nil {
			t.Errorf("%s: %v", test.path, err)
		}
		if got, err := os.ReadFile(want); string(got) != "new" {
			t.Errorf("%s: %s holds %q (%v), want new", test.path, test.want, got, err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s has become %v (%v)", test.path, info.Mode(), err)
		}
	}
}

func TestWriteRefusesLoopsAndLinksIntoNoFolder(t *testing.T) {
	folder := t.TempDir()
	links(t, folder, map[string]string{"a": "b", "b": "a", "c": "missing/f"})
	called := false
	for _, name := range []string{"a", "c"} {
		err := Write(filepath.Join(folder, name), 0o644,
			func(io.Writer) error { called = true; return nil })
		if err == nil || called || name == "c" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v; writer called: %v", name, err, called)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 3 {
		t.Errorf("the folder holds %v (%v), want the three links", entries, err)
	}
}

// The other name of a file keeps the old content, and is no name of the new file.
func TestWriteSeparatesHardLinks(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "f"), filepath.Join(folder, "other")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, other); err != nil {
		require.Skip(t, "links", "no hard links here: "+err.Error())
	}
	if err := Write(path, 0o644, content("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, folder, map[string]string{"f": "new", "other": "old"})
}

// stage stages content for path and checks that path is as it was.
func stage(t *testing.T, path, text, old string) *Staged {
	t.Helper()
	staged, err := Stage(path, 0o600, content(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != old {
		t.Errorf("staging made the file %q, want %q", got, old)
	}
	return staged
}

func TestStaged(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")

	if err := stage(t, path, "discarded", "").Discard(); err != nil {
		t.Error(err)
	}
	holds(t, folder, nil)
	if err := stage(t, path, "one", "").Commit(); err != nil {
		t.Error(err)
	}
	holds(t, folder, map[string]string{"f": "one"})

	staged := stage(t, path, "two", "one")
	if err := staged.Commit(); err != nil {
		t.Error(err)
	}
	// What is over does nothing, and must not touch what came after it.
	if err := Write(path, 0o600, content("three")); err != nil {
		t.Error(err)
	}
	if err := staged.Discard(); err != nil {
		t.Error(err)
	}
	for _, commit := range []func() error{staged.Commit, staged.CommitNew} {
		if err := commit(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a second commit: %v, want %v", err, os.ErrClosed)
		}
	}
	holds(t, folder, map[string]string{"f": "three"})
}

// The new content and its mode are on disk before the rename, and the folder after it, in every way
// to replace a file. A sync that fails is an error: of the file, and the old one stays; of the
// folder, and the new one is in place.
func TestSyncs(t *testing.T) {
	defer func() { toDisk = (*os.File).Sync }()
	broken := errors.New("broken")
	steps := []string{"file, and old is in place", "folder, and new is in place"}
	if runtime.GOOS == "windows" {
		steps = steps[:1]
	}
	for _, way := range []struct {
		name string
		old  string // "" for no file
		do   func(path string) error
	}{
		{"write", "old", func(path string) error { return Write(path, 0o600, content("new")) }},
		{"write of a new file", "", func(path string) error {
			return Write(path, 0o600, content("new"))
		}},
		{"commit of a new file", "", func(path string) error {
			staged, err := Stage(path, 0o600, content("new"))
			if err != nil {
				return err
			}
			return staged.CommitNew()
		}},
	} {
		for fails := range len(steps) + 1 {
			t.Run(fmt.Sprintf("%s, sync %d fails", way.name, fails), func(t *testing.T) {
				folder := t.TempDir()
				path := filepath.Join(folder, "f")
				if way.old != "" {
					if err := errors.Join(os.WriteFile(path, []byte(way.old), 0o600),
						os.Chmod(path, 0o666)); err != nil {
						t.Fatal(err)
					}
				}
				var done []string
				toDisk = func(f *os.File) error {
					info, err := f.Stat()
					if err != nil {
						t.Fatal(err)
					}
					what := "folder"
					if !info.IsDir() {
						what = "file"
						text, _ := os.ReadFile(f.Name())
						if mode := info.Mode().Perm(); string(text) != "new" ||
							way.old != "" && mode != 0o666 {
							t.Errorf("on disk are %q and mode %v, want all of the new file", text,
								mode)
						}
					}
					placed, _ := os.ReadFile(path)
					done = append(done, fmt.Sprintf("%s, and %s is in place", what,
						cmp.Or(string(placed), "old")))
					if len(done) == fails+1 {
						return broken
					}
					return nil
				}
				err := way.do(path)
				want, left := steps[:min(fails+1, len(steps))], map[string]string{"f": "new"}
				if fails == 0 {
					if left["f"] = way.old; way.old == "" {
						delete(left, "f")
					}
				}
				if failed := fails < len(steps); !slices.Equal(done, want) ||
					errors.Is(err, broken) != failed || (err == nil) == failed {
					t.Errorf("synced %q with error %v, want %q", done, err, want)
				}
				holds(t, folder, left)
			})
		}
	}
}

// A rename that fails leaves no temporary file: here a folder has come to be in the place.
func TestCommitRemovesWhatItCannotPlace(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	for _, commit := range []func(*Staged) error{(*Staged).Commit, (*Staged).CommitNew} {
		staged := stage(t, path, "new", "")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := commit(staged); err == nil {
			t.Error("a folder was replaced")
		}
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
			t.Errorf("the folder holds %v (%v), want the one in it", entries, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommitNew(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	late := stage(t, path, "late", "")
	if err := stage(t, path, "first", "").CommitNew(); err != nil {
		t.Error(err)
	}
	if err := late.CommitNew(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file that exists: %v, want %v", err, fs.ErrExist)
	}
	holds(t, folder, map[string]string{"f": "first"})
}

// Where the file system has no hard links a new file is renamed, after a look.
func TestPlaceNewWithoutHardLinks(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name  string
		link  error
		taken bool
		want  error
		files map[string]string
	}{
		{"unsupported", errors.ErrUnsupported, false, nil, map[string]string{"to": "new"}},
		{"not permitted", fs.ErrPermission, false, nil, map[string]string{"to": "new"}},
		{"taken", errors.ErrUnsupported, true, fs.ErrExist,
			map[string]string{"from": "new", "to": "old"}},
		{"another error", broken, false, broken, map[string]string{"from": "new"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
			if err := os.WriteFile(from, []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
			if test.taken {
				if err := os.WriteFile(to, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := placeNew(from, to, func(string, string) error { return test.link })
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			holds(t, folder, test.files)
		})
	}
}
