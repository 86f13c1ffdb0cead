package command

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	result := Version{Version: "unknown", Go: "go1.26", Platform: "linux/amd64",
		program: "bloomlane"}
	result.read(&debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"},
		Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: "5d0a"},
			{Key: "vcs.modified", Value: "true"},
		}})
	want := "bloomlane  v0.1.0\ncommit     5d0a, with changes\nbuilt by   go1.26\nfor       " +
		" linux/amd64\n"
	if got := result.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if result.read(&debug.BuildInfo{}); result.Version != "v0.1.0" {
		t.Errorf("a program without a version is %q", result.Version)
	}
}
