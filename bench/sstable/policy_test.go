//go:build pebble

package sstable

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A database of Pebble asks the filters of its tables, and finds every key, also when it is opened
// again. Nearly all other keys need no block of a table.
func TestDatabase(t *testing.T) {
	options := &pebble.Options{FS: vfs.NewMem()}
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = Policy{BitsPerKey: 10, Key: secret}
	}
	const keys = 10_000
	var data [16]byte
	for opened := range 2 {
		db, err := pebble.Open("db", options)
		if err != nil {
			t.Fatal(err)
		}
		for n := range keys {
			if opened == 0 {
				err = errors.Join(err, db.Set(text(data[:], 2*n), []byte("value"), pebble.NoSync))
			}
		}
		if err = errors.Join(err, db.Flush()); err != nil {
			t.Fatal(err)
		}
		for n := range 2 * keys {
			_, closer, err := db.Get(text(data[:], n))
			if (err == nil) != (n%2 == 0) {
				t.Fatalf("key %d: %v", n, err)
			}
			if err == nil {
				err = closer.Close()
			}
		}
		metrics := db.Metrics().Filter
		if metrics.Hits < keys*97/100 || metrics.Hits > keys || metrics.Misses < keys {
			t.Errorf("%d tables were left out and %d read, for %d keys that are there and as many "+
				"that are not", metrics.Hits, metrics.Misses, keys)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
