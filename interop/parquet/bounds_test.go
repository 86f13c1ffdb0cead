package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	pages "github.com/parquet-go/parquet-go"
)

// A long footer, which takes nothing on disk where it is all zeros, is refused before there is
// memory for it, also where no int of 32 bits holds its length.
func TestLongFooterIsRefused(t *testing.T) {
	for _, length := range []uint32{maxFooter + 1, 1 << 31, 3 << 30, 1<<32 - 13} {
		end := binary.LittleEndian.AppendUint32(nil, length)
		_, err := Open(&sparse{[]byte(magic), append(end, magic...), 1 << 33}, 1<<33)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "found a footer of") {
			t.Errorf("a footer of %d bytes: %v", length, err)
		}
	}
}

// The names of a file's columns are its own choice, and an error is short all the same.
func TestColumnErrorIsBounded(t *testing.T) {
	var file bytes.Buffer
	schema := pages.NewSchema("s", pages.Group{strings.Repeat("x", 5000): pages.String(),
		strings.Repeat("y", 5000): pages.String()})
	if err := pages.NewWriter(&file, schema).Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Column("none")
	if !errors.Is(err, ErrColumn) || len(err.Error()) > 300 ||
		!strings.Contains(err.Error(), "expected one of xxx") {
		t.Errorf("%d bytes: %.400v", len(err.Error()), err)
	}
}
