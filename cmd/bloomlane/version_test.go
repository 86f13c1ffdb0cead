package main

import (
	"runtime"
	"testing"

	"github.com/bloomlane/bloomlane/report/command"
)

// --version is the command version.
func TestVersion(t *testing.T) {
	s := newShell(t)
	if r := reported[command.Version](s, exitYes, "", "version"); r.Version == "" ||
		r.Go != runtime.Version() {
		t.Errorf("%+v", r)
	}
	s.Line(exitYes, "", "version")
	want := s.Stdout
	if s.Line(exitYes, "", "--version"); s.Stdout != want {
		t.Errorf("--version says %q, and version %q", s.Stdout, want)
	}
	if r := reported[command.Version](s, exitYes, "", "--version"); r.Version == "" {
		t.Errorf("%+v", r)
	}
}
