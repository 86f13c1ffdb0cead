package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	s := newShell(t)
	if r := reported[versionResult](s, exitYes, "", "version"); r.Version == "" ||
		r.Go != runtime.Version() {
		t.Errorf("%+v", r)
	}
	s.line(exitYes, "", "version")
	want := s.stdout
	if s.line(exitYes, "", "--version"); s.stdout != want {
		t.Errorf("--version says %q, and version %q", s.stdout, want)
	}
	if r := reported[versionResult](s, exitYes, "", "--version"); r.Version == "" {
		t.Errorf("%+v", r)
	}
	result := versionResult{Version: "unknown", Go: "go1.26", Platform: "linux/amd64"}
	result.read(&debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"},
		Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: "5d0a"},
			{Key: "vcs.modified", Value: "true"},
		}})
	want = "bloomlane  v0.1.0\ncommit     5d0a, with changes\nbuilt by   go1.26\nfor       " +
		" linux/amd64\n"
	if got := result.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if result.read(&debug.BuildInfo{}); result.Version != "v0.1.0" {
		t.Errorf("a program without a version is %q", result.Version)
	}
}
