package main

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/require"
)

// replaced replaces the filter f of a shell by an empty one of the fixed key, with the key file k.
func replaced(t *testing.T, s *shell, show func(keyCreated bool) error) error {
	t.Helper()
	k, err := key.Parse(strings.TrimSpace(fixedKey))
	if err != nil {
		t.Fatal(err)
	}
	f, err := deletable.New(deletable.Config{Members: 1, BitsPerKey: 16, Key: k})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := lockFile(s.path("f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.release()
	out := &output{newRootCommand(), s.path("f"), lock}
	return out.replace(f, s.path("k"),
		func(_ io.Writer, keyCreated bool) error { return show(keyCreated) })
}

// What can happen while the result is printed: neither file is in its place then.
func TestReplaceFilter(t *testing.T) {
	otherKey := "ff" + fixedKey[2:]
	broken := errors.New("broken")
	for _, test := range []struct {
		name     string
		key      string // of the file k before, or ""
		show     func(s *shell) error
		err      error
		replaced bool
		keyAfter string
	}{
		{"nothing", "", func(*shell) error { return nil }, nil, true, fixedKey},
		{"nothing, and a key before", fixedKey, func(*shell) error { return nil }, nil,
			true, fixedKey},
		{"an error", "", func(*shell) error { return broken }, broken, false, ""},
		{"the same key appears", "", func(s *shell) error { s.write("k", fixedKey); return nil },
			nil, true, fixedKey},
		{"another key appears", "", func(s *shell) error { s.write("k", otherKey); return nil },
			file.ErrWrongKey, false, otherKey},
		{"another key before", otherKey, func(*shell) error { return broken },
			file.ErrWrongKey, false, otherKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t)
			s.write("f", "old")
			if test.key != "" {
				s.write("k", test.key)
			}
			err := replaced(t, s, func(keyCreated bool) error {
				_, err := os.Stat(s.path("k"))
				if none := test.key == ""; keyCreated != none || (err != nil) != none ||
					s.read("f") != "old" {
					t.Errorf("a key file is made: %v; there: %v; f holds %.10q", keyCreated,
						err == nil, s.read("f"))
				}
				return test.show(s)
			})
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if got := s.read("f") != "old"; got != test.replaced {
				t.Errorf("the filter was replaced: %v, want %v", got, test.replaced)
			}
			if test.keyAfter == "" {
				s.files("f")
			} else if s.files("f", "k"); s.read("k") != test.keyAfter {
				t.Errorf("the key is %q, want %q", s.read("k"), test.keyAfter)
			}
		})
	}
}

// A filter that cannot take its place leaves the new key, which another filter may have by then.
func TestReplaceFilterKeepsTheKey(t *testing.T) {
	s := newShell(t)
	err := replaced(t, s, func(bool) error { return os.Mkdir(s.path("f"), 0o700) })
	if err == nil {
		t.Error("a folder was replaced")
	}
	s.files("f", "k")
}

// A key must not be written to the file that the filter then replaces, whatever its name.
func TestAKeyIsNotWrittenToTheFilter(t *testing.T) {
	s := newShell(t)
	if err := os.Symlink("f", s.path("link")); err != nil {
		require.Skip(t, "links", "no symbolic links here: "+err.Error())
	}
	if err := os.Symlink(".", s.path("same")); err != nil {
		t.Fatal(err)
	}
	s.refuse("apple\n", "build -o ", [][2]string{
		{"@f --key @link", "expected two files"}, {"@link --key @f", "expected two files"},
		{"@f --key @same/f", "expected two files"}, {"@same/link --key @f", "expected two files"},
	})

	s = days(t)
	if err := os.Symlink("all", s.path("all.key")); err != nil {
		t.Fatal(err)
	}
	s.refuse("", "", [][2]string{{"merge -o @all @monday @tuesday", "expected two"}})
}

// A key file that others can read, or write to, is worth a warning, and one is enough.
func TestKeyFilesOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	s := fruit(t)
	s.write("k", s.read("f.key"))
	s.line(exitYes, "x\n", "build -o @h --key @f.key --members 3")
	s.write("packets", "c0a80001 00000001\n")
	for _, test := range []struct {
		mode os.FileMode
		want string
	}{
		{0o600, ""}, {0o400, ""}, {0o644, "found mode 0644"}, {0o640, "found mode 0640"},
		{0o604, "found mode 0604"}, {0o622, "found mode 0622"},
	} {
		if err := os.Chmod(s.path("k"), test.mode); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"query @f apple --key @k", "rebuild @f apple --key @k",
			"merge -o @new @f @h --key @k",
			"build -o @new --key @k --members 3", "guard --packets @packets --key @k",
		} {
			s.line(exitYes, "", line)
			want := ""
			if test.want != "" {
				want = "bloomlane: warning: @k: " + test.want + ", with which others get at the " +
					"hash key, expected 0600\n"
			}
			if s.notes != want {
				t.Errorf("%s with mode %v: notes %q, want %q", line, test.mode, s.notes, want)
			}
			_ = os.Remove(s.path("new"))
			s.line(exitYes, "", line+" --quiet")
			_ = os.Remove(s.path("new"))
			if s.notes != "" {
				t.Errorf("%s --quiet: notes %q", line, s.notes)
			}
		}
	}
}
