package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A scratch file holds what is written, is not found by its folder, and leaves nothing.
func TestScratch(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	left := path + ".01234567.tmp" // by a process that was killed
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := Scratch(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Scratch(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range []*os.File{first, second} {
		if _, err := file.WriteAt([]byte{'a' + byte(i)}, 5); err != nil {
			t.Fatal(err)
		}
	}
	for i, file := range []*os.File{first, second} {
		var content [6]byte
		want := [6]byte{5: 'a' + byte(i)}
		if _, err := file.ReadAt(content[:], 0); err != nil || content != want {
			t.Errorf("file %d holds %q (%v)", i, content, err)
		}
	}
	if !locks {
		_ = os.Remove(left) // nothing is swept
	}
	if runtime.GOOS != "windows" {
		holds(t, folder, map[string]string{"f": "old"})
	}
	_, _ = first.Close(), second.Close()
	holds(t, folder, map[string]string{"f": "old"})
	if _, err := Scratch(filepath.Join(folder, "missing", "f")); err == nil {
		t.Error("made a file in a folder that does not exist")
	}
}
