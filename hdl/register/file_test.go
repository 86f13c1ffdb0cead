//go:build unix

package register_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// The words of a plain file are the registers, little-endian, and nothing else of it changes.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resource0")
	want := make([]byte, 2*register.WindowBytes)
	for i := range want {
		want[i] = byte(i * 7)
	}
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := register.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := file.Read(8); err != nil || got != 0x4d463f38 {
		t.Errorf("word at 8 is %#x (%v)", got, err)
	}
	copy(want[0x1ffc:], []byte{0x44, 0x33, 0x22, 0x11})
	if err := file.Write(0x1ffc, 0x11223344); err != nil {
		t.Error(err)
	}
	for _, address := range []uint32{1, 2, 0x1ffd, 0x2000, 0xffff_fffc, 0xffff_ffff} {
		var wrong *register.AddressError
		if _, err := file.Read(address); !errors.As(err, &wrong) || wrong.Address != address {
			t.Errorf("read of %#x: %v", address, err)
		}
		if err := file.Write(address, 1); !errors.As(err, &wrong) || wrong.Bytes != len(want) {
			t.Errorf("write of %#x: %v", address, err)
		}
	}
	if err := errors.Join(file.Close(), file.Close()); err != nil {
		t.Error(err)
	}
	if _, err := file.Read(0); err == nil {
		t.Error("a closed file can be read")
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has other bytes (%v)", err)
	}
}

// A file that cannot be the registers is refused.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	short := filepath.Join(folder, "short")
	if err := os.WriteFile(short, make([]byte, register.WindowBytes-1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{short, folder, filepath.Join(folder, "none")} {
		if file, err := register.Open(path); err == nil {
			t.Errorf("%s is opened", path)
			file.Close()
		}
	}
}
