package main

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// replaced replaces the filter f of a shell by an empty one of the fixed key, with the key file k.
func replaced(t *testing.T, s *shell, show func(keyCreated bool) error) error {
	t.Helper()
	k, err := key.Parse(strings.TrimSpace(commandtest.FixedKey))
	if err != nil {
		t.Fatal(err)
	}
	f, err := deletable.New(deletable.Config{Members: 1, BitsPerKey: 16, Key: k})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := lockFile(s.Path("f"), locking{})
	if err != nil {
		t.Fatal(err)
	}
	defer lock.release()
	out := &output{newRootCommand(), s.Path("f"), lock, false}
	return out.replace(f, s.Path("k"),
		func(_ io.Writer, keyCreated bool) error { return show(keyCreated) })
}

// What can happen while the result is printed: neither file is in its place then.
func TestReplaceFilter(t *testing.T) {
	otherKey := "ff" + commandtest.FixedKey[2:]
	broken, another := errors.New("broken"), errors.New("another key")
	for _, test := range []struct {
		name     string
		key      string // of the file k before, or ""
		show     func(s *shell) error
		err      error
		replaced bool
		keyAfter string
	}{
		{"nothing", "", func(*shell) error { return nil }, nil, true, commandtest.FixedKey},
		{"nothing, and a key before", commandtest.FixedKey, func(*shell) error { return nil }, nil,
			true, commandtest.FixedKey},
		{"an error", "", func(*shell) error { return broken }, broken, false, ""},
		{"the same key appears", "", func(s *shell) error {
			s.Write("k", commandtest.FixedKey)
			return nil
		}, nil, true, commandtest.FixedKey},
		{"another key appears", "", func(s *shell) error { s.Write("k", otherKey); return nil },
			another, false, otherKey},
		{"another key before", otherKey, func(*shell) error { return broken },
			another, false, otherKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t)
			s.Write("f", "old")
			if test.key != "" {
				s.Write("k", test.key)
			}
			err := replaced(t, s, func(keyCreated bool) error {
				_, err := os.Stat(s.Path("k"))
				if none := test.key == ""; keyCreated != none || (err != nil) != none ||
					s.Read("f") != "old" {
					t.Errorf("a key file is made: %v; there: %v; f holds %.10q", keyCreated,
						err == nil, s.Read("f"))
				}
				return test.show(s)
			})
			if other := new(key.OtherKeyError); errors.As(err, &other) {
				err = another
			}
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if got := s.Read("f") != "old"; got != test.replaced {
				t.Errorf("the filter was replaced: %v, want %v", got, test.replaced)
			}
			if test.keyAfter == "" {
				s.Files("f")
			} else if s.Files("f", "k"); s.Read("k") != test.keyAfter {
				t.Errorf("the key is %q, want %q", s.Read("k"), test.keyAfter)
			}
		})
	}
}

// A filter that cannot take its place leaves the new key, which another filter may have by then.
func TestReplaceFilterKeepsTheKey(t *testing.T) {
	s := newShell(t)
	err := replaced(t, s, func(bool) error { return os.Mkdir(s.Path("f"), 0o700) })
	if err == nil {
		t.Error("a folder was replaced")
	}
	s.Files("f", "k")
}

// A key must not be written to the file that the filter then replaces, whatever its name.
func TestAKeyIsNotWrittenToTheFilter(t *testing.T) {
	s := newShell(t)
	if err := os.Symlink("f", s.Path("link")); err != nil {
		require.Skip(t, "links", "no symbolic links here: "+err.Error())
	}
	if err := os.Symlink(".", s.Path("same")); err != nil {
		t.Fatal(err)
	}
	s.Refuse("apple\n", "build -o ", [][2]string{
		{"@f --key @link", "expected two files"}, {"@link --key @f", "expected two files"},
		{"@f --key @same/f", "expected two files"}, {"@same/link --key @f", "expected two files"},
	})

	s = days(t)
	if err := os.Symlink("all", s.Path("all.key")); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", "", [][2]string{{"merge -o @all @monday @tuesday", "expected two"}})
}

// A key file that others can read, or write to, is worth a warning, and one is enough.
func TestKeyFilesOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	s := fruit(t)
	s.Write("k", s.Read("f.key"))
	s.Line(exitYes, "x\n", "build -o @h --key @f.key --members 3")
	for _, test := range []struct {
		mode os.FileMode
		want string
	}{
		{0o600, ""}, {0o400, ""}, {0o644, "found mode 0644"}, {0o640, "found mode 0640"},
		{0o604, "found mode 0604"}, {0o622, "found mode 0622"},
	} {
		if err := os.Chmod(s.Path("k"), test.mode); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"query @f apple --key @k", "rebuild @f apple --key @k",
			"merge -o @new @f @h --key @k",
			"build -o @new --key @k --members 3",
		} {
			s.Line(exitYes, "", line)
			want := ""
			if test.want != "" {
				want = "bloomlane: warning: @k: " + test.want + ", with which others get at the " +
					"hash key, expected 0600\n"
			}
			if s.Notes != want {
				t.Errorf("%s with mode %v: notes %q, want %q", line, test.mode, s.Notes, want)
			}
			_ = os.Remove(s.Path("new"))
			s.Line(exitYes, "", line+" --quiet")
			_ = os.Remove(s.Path("new"))
			if s.Notes != "" {
				t.Errorf("%s --quiet: notes %q", line, s.Notes)
			}
		}
	}
}
