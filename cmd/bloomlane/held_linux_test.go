package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// heldBy is a writer that looks which descriptors lead to a file, each time that it is written to.
type heldBy struct {
	t    *testing.T
	path string
	held []string
}

func (h *heldBy) Write(b []byte) (int, error) {
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(names) == 0 {
		h.t.Fatalf("no descriptors: %v", err)
	}
	for _, name := range names {
		if target, _ := os.Readlink(name); target == h.path {
			h.held = append(h.held, name)
		}
	}
	return len(b), nil
}

// No command holds the file that it replaces open when it has printed its result, and is about to
// rename the new one: Windows could not.
func TestReplacedFilesAreClosed(t *testing.T) {
	for _, test := range []struct{ line, name string }{
		{"export parquet @p --column user", "p"},
		{"delete @f apple", "f"},
		{"merge -o @f @f @g --key @f.key", "f"},
		{"rebuild @f apple", "f"},
	} {
		s := newShell(t)
		s.parquet("p", 0, 1)
		s.Line(exitYes, "apple\n", "build -o @f --members 9")
		s.Line(exitYes, "plum\n", "build -o @g --key @f.key --members 9")
		var stderr strings.Builder
		out := &heldBy{t: t, path: s.Path(test.name)}
		line := strings.ReplaceAll(test.line, "@", s.Folder+string(filepath.Separator))
		code := run(strings.Fields(line), strings.NewReader(""), out, &stderr)
		if code != exitYes || len(out.held) > 0 {
			t.Errorf("%s: exit code %d, %s, held by %v", test.line, code, &stderr, out.held)
		}
	}
}
