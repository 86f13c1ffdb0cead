//go:build unix

package deletable

import (
	"encoding/binary"
	"testing"
)

// Without this, a loader that always copies would pass every other test.
func TestOpenMapsWhereLanesAreInTheHostsOrder(t *testing.T) {
	_, content := sample(t)
	f, err := Open(writeFile(t, content), fixed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	littleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if mapped := f.table.Load().mapped; mapped != littleEndian {
		t.Errorf("mapped: %v, little-endian: %v", mapped, littleEndian)
	}
}
