// Package recordingtest is no API: tests of studies hold the committed pages to their recordings.
package recordingtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// SameFiles fails the test unless the named files of a committed report are those that its command
// has made of its recording.
func SameFiles(t *testing.T, committed, made string, names ...string) {
	t.Helper()
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(committed, name)); err != nil ||
			!bytes.Equal(got, want) {
			t.Errorf("%s differs from what is made of its recording (%v): run \"make pages\"",
				name, err)
		}
	}
}
