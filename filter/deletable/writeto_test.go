package deletable

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var _ io.WriterTo = (*Filter)(nil)

// WriteTo writes the bytes of a saved file; here of several pieces of lanes.
func TestWriteTo(t *testing.T) {
	f := newFilter(t, 100_000, 16)
	for n := range uint64(1000) {
		f.InsertUint64(n)
	}
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	n, err := f.WriteTo(&got)
	if err != nil || n != int64(len(want)) || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%d bytes (%v), want the %d of the file", n, err, len(want))
	}
}

// shortWriter has room for some bytes.
type shortWriter struct{ room int }

var errShort = errors.New("no more room")

func (w *shortWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	if n < len(p) {
		return n, errShort
	}
	return n, nil
}

// Wherever the writer ends, in the header or in the lanes, WriteTo says how far it came.
func TestWriteToAWriterThatEnds(t *testing.T) {
	f := newFilter(t, 100_000, 16)
	for _, room := range []int{0, 1, headerBytes - 1, headerBytes, headerBytes + 1, headerBytes + 3*pieceBlocks*BlockBytes/2} {
		n, err := f.WriteTo(&shortWriter{room})
		if n != int64(room) || !errors.Is(err, errShort) {
			t.Errorf("room for %d bytes: wrote %d (%v), want all and %v", room, n, err, errShort)
		}
	}
}
