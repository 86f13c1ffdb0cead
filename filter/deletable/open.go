package deletable

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// Open returns the filter that [Filter.Save] wrote to the file path, with the key that it had then.
// The whole file is checked first. Its error is a *[FileError], which wraps [ErrNotFilter],
// [ErrVersion], [ErrLength], [ErrChecksum], [ErrBounds], [ErrWrongKey] or an error of the file
// system.
//
// On a little-endian Unix host the filter lies in the mapped file instead of a copy. Writes to the filter stay
// private to it until it is saved. Save replaces files
// whole, so a filter stays good when its file is saved to; but no other program may write into the
// file, or cut it, while the filter is in use: [Load] is for such a file.
//
// A filter that is replaced by a newer one while readers run needs no Close. Publish the new one in an
// [sync/atomic.Pointer] and drop the old one: its file is unmapped when the last reader has let it go.
func Open(path string, key key.Key) (*Filter, error) { return open("open", path, key, mapTable) }

// Load is [Open] into memory: nothing that happens to the file later matters to the filter.
func Load(path string, key key.Key) (*Filter, error) { return open("load", path, key, readTable) }

// Info is what a file tells without its hash key.
type Info struct {
	Health
	Version     int    // of the file format
	Fingerprint uint64 // of the hash key: see [key.Key.Fingerprint]
}

// Inspect checks the whole file path, as [Open] does, and returns what it tells without its key.
func Inspect(path string) (Info, error) {
	f, err := decode(path, nil, mapTable)
	if err != nil {
		return Info{}, fileError("inspect", path, err)
	}
	info := Info{f.Health(), int(f.plan.version()), f.fingerprint}
	return info, f.Close()
}

// Close ends the filter: calls from then on fail or panic with [filter.ErrClosed], the next Close too. Calls that
// run now finish first: the memory or the mapping goes when the last of them has returned, at a garbage
// collection. Only a later use of the filter, not a fault, is what readers can meet, so readers that
// may be late want the filter to be dropped instead of closed: see [Open].
func (f *Filter) Close() error {
	if f.table.Swap(nil) == nil {
		return filter.ErrClosed
	}
	return nil
}

// loader returns the table of a file that is open at the start of its lanes, after its header, and
// their CRC-32C.
type loader func(file *os.File, nblocks int) (*table, uint32, error)

func open(op, path string, key key.Key, load loader) (*Filter, error) {
	f, err := decode(path, &key, load)
	if err != nil {
		return nil, fileError(op, path, err)
	}
	return f, nil
}

// decode reads a file; key is nil where it is not known. The header is checked, and with it the
// length of the file, before memory is taken for the table.
func decode(path string, key *key.Key, load loader) (*Filter, error) {
	info, err := os.Stat(path) // not of the open file: to open a named pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, wrong(ErrNotFilter, "file mode "+info.Mode().String(), "a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	page := make([]byte, headerBytes)
	n, err := io.ReadFull(file, page)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	h, err := decodeHeader(page[:n], info.Size())
	if err != nil {
		return nil, err
	}
	f := &Filter{plan: h.plan, counters: h.counters, fingerprint: h.fingerprint}
	if key != nil {
		if key.IsZero() {
			return nil, wrong(ErrWrongKey, "no key", fmt.Sprintf("one with fingerprint %016x", h.fingerprint))
		}
		f.key = *key
		if found := key.Fingerprint(); found != h.fingerprint {
			return nil, wrong(ErrWrongKey, fmt.Sprintf("a key with fingerprint %016x", found), fmt.Sprintf("%016x", h.fingerprint))
		}
	}
	t, check, err := load(file, h.nblocks)
	if err != nil {
		return nil, err
	}
	if check != h.check {
		return nil, wrong(ErrChecksum, checksum("lanes", check), checksum("lanes", h.check))
	}
	f.table.Store(t)
	return f, nil
}

// readTable is the loader that copies, on a host of any byte order.
func readTable(file *os.File, nblocks int) (*table, uint32, error) {
	t := &table{blocks: kernel.NewTable512(nblocks)}
	check, err := readLanes(file, t.blocks)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = wrong(ErrLength, "a file that was cut meanwhile", fmt.Sprintf("%d bytes", fileBytes(nblocks)))
	}
	return t, check, err
}
