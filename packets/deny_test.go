package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/xdp"
)

// A file has changed if its size, its time or the file itself has, and it has been still for a
// look. One that is gone has changed at once.
func TestFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	made := time.Now().Add(-time.Hour)
	write := func(content string, modified time.Time) {
		t.Helper()
		err := os.WriteFile(path, []byte(content), 0o600)
		if err == nil {
			err = os.Chtimes(path, modified, modified)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("one", made)
	f := followed{path: path}
	look := func(want bool, what string) {
		t.Helper()
		if got := f.changed(); got != want {
			t.Errorf("%s: changed is %v, want %v", what, got, want)
		}
	}
	read := func() { _, _ = f.read(newDenyCommand()) } // it is no list
	read()
	look(false, "the same file")
	changes := map[string]func(){
		"another size": func() { write("three", made) },
		"another time": func() { write("three", made.Add(time.Second)) },
		"another file": func() {
			modified := f.was.ModTime()
			if err := os.Rename(path, path+".old"); err != nil {
				t.Fatal(err)
			}
			write("three", modified)
		},
	}
	for _, what := range []string{"another size", "another time", "another file"} {
		changes[what]()
		look(false, what+" at the first look")
		look(true, what+" at the second look")
		read()
		look(false, what+" when it is read")
	}
	write("grows", made.Add(2*time.Second))
	look(false, "a file that is written")
	write("grows on", made.Add(3*time.Second))
	look(false, "a file that is still written")
	look(true, "a file that was written")
	read()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	look(true, "a file that is gone")
	read()
	look(false, "a file that stays gone")
	write("again", made)
	look(false, "a file that comes again")
	look(true, "a file that has come again")
}

// Of files that take the path before each look, each second one is read.
func TestFollowedReplaced(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "list")
	replace := func(i int) {
		t.Helper()
		file := filepath.Join(folder, "new")
		err := os.WriteFile(file, fmt.Appendf(nil, "192.0.2.%d\n", i), 0o600)
		if err == nil {
			err = os.Rename(file, path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	replace(0)
	f := followed{path: path}
	if _, err := f.read(newDenyCommand()); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 9; i += 2 {
		replace(i)
		if f.changed() {
			t.Errorf("file %d has changed at the first look", i)
		}
		replace(i + 1)
		if !f.changed() {
			t.Errorf("file %d has not changed at the second look", i)
		}
		want := netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/32", i))
		if got, err := f.read(newDenyCommand()); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("it has %v, want %v: %v", got, want, err)
		}
	}
	// What is still there at the end is read too.
	if f.changed() || !f.changed() {
		t.Error("the last file is not read at the second look")
	}
}

// What is pinned ends at a signal, and where its interface vanished, but with no other error.
func TestUnpins(t *testing.T) {
	for cause := xdp.Privilege; cause <= xdp.Files; cause++ {
		if got := unpins(&xdp.Error{Cause: cause}); got != (cause == xdp.Interface) {
			t.Errorf("%v: unpins %v", cause, got)
		}
	}
	if !unpins(nil) || unpins(errors.New("of anything else")) {
		t.Error("it ends with an error, or not with a signal")
	}
}

// A list that is empty at the start gets a warning too: it takes the place of what is pinned.
func TestDenyOfNothing(t *testing.T) {
	s := newShell(t)
	s.Write("list", "# nothing\n")
	s.Line(exitBad, "", "deny there-is-none --list @list")
	s.Noted("warning: the deny list is empty")
}
