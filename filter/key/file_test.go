package key

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestKeyFiles(t *testing.T) {
	path, k := filepath.Join(t.TempDir(), "k"), New()
	if err := CheckFile(path, k); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	for range 2 { // the second finds the key
		if err := WriteFile(path, k); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := ReadFile(path); err != nil || !got.Equal(k) {
		t.Errorf("read %v, error %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode(); mode != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v", mode)
	}

	other := New()
	err = WriteFile(path, other)
	var e *OtherKeyError
	if !errors.As(err, &e) || e.Path != path || e.Found != k.Identity() ||
		e.Expected != other.Identity() {
		t.Errorf("another key: error %v", err)
	}
	for _, secret := range []Key{k, other} {
		if strings.Contains(err.Error(), secret.Secret()[:16]) {
			t.Error("the error shows a key")
		}
	}
	if err := CheckFile(path, k); err != nil {
		t.Errorf("the key was replaced: %v", err)
	}
}

func TestReadFileTakesLineEndsAndNothingElse(t *testing.T) {
	each(t, func(t *testing.T, a Algorithm) {
		path, k := filepath.Join(t.TempDir(), "k"), a.New()
		secret := k.Secret()
		for text, ok := range map[string]bool{
			secret: true, secret + "\n": true, secret + "\r\n": true,
			"": false, secret + " ": false, secret[1:] + "\n": false, "\n" + secret: false,
			secret + "\n" + secret: false,
		} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := ReadFile(path)
			var e *ParseError
			if ok && (err != nil || !got.Equal(k)) || !ok && !errors.As(err, &e) {
				t.Errorf("%d characters: %v, error %v", len(text), got, err)
			}
			if before := err; !ok {
				if err := WriteFile(path, k); err == nil || err.Error() != before.Error() {
					t.Errorf("a write over %d characters: %v, want %v", len(text), err, before)
				}
			}
		}
	})
}

// Of many writers one makes the file, and the others find its key.
func TestWritersOfOneKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k")
	var group sync.WaitGroup
	var keys [8]Key
	var errs [len(keys)]error
	for i := range keys {
		keys[i] = New()
		group.Go(func() { errs[i] = WriteFile(path, keys[i]) })
	}
	group.Wait()
	written := 0
	for i, err := range errs {
		var e *OtherKeyError
		if err == nil {
			written++
			if err := CheckFile(path, keys[i]); err != nil {
				t.Error(err)
			}
		} else if !errors.As(err, &e) {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); written != 1 || len(entries) != 1 ||
		err != nil {
		t.Errorf("%d keys were written, the folder has %v, error %v", written, entries, err)
	}
}
