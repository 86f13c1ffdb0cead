package deletable

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bloomlane/bloomlane/kernel"
)

// Open returns the filter that [Filter.Save] wrote to the file path, with the key that it had then.
// The whole file is checked first. Its error is a *[FileError], which wraps [ErrNotFilter],
// [ErrVersion], [ErrLength], [ErrChecksum], [ErrBounds], [ErrWrongKey] or an error of the file
// system.
//
// On a little-endian Unix host the filter lies in the mapped file instead of a copy: [Filter.Close]
// it after use. Writes to the filter stay private to it until it is saved. Save replaces files
// whole, so a filter stays good when its file is saved to; but no other program may write into the
// file, or cut it, while the filter is in use.
func Open(path string, key Key) (*Filter, error) {
	f, err := open(path, &key, loadTable)
	if err != nil {
		return nil, fileError("open", path, err)
	}
	return f, nil
}

// Info is what a file tells without its hash key.
type Info struct {
	Health
	Version     int    // of the file format
	Fingerprint uint64 // of the hash key: see [Key.Fingerprint]
}

// Inspect checks the whole file path, as [Open] does, and returns what it tells without its key.
func Inspect(path string) (Info, error) {
	f, err := open(path, nil, loadTable)
	if err != nil {
		return Info{}, fileError("open", path, err)
	}
	info := Info{f.Health(), int(f.plan.version()), f.fingerprint}
	return info, f.Close()
}

// Close releases the file of a filter that was opened, which is empty and of no use from then on.
// Only the first call does anything.
func (f *Filter) Close() error {
	unmap := f.unmap
	f.table, f.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}

// loader returns the table of a file that is open at the start of its lanes, after its header,
// their CRC-32C, and how to release the table, if that is anything.
type loader func(file *os.File, nblocks int) (kernel.Table512, uint32, func() error, error)

// open opens a file; key is nil where it is not known. The header is checked, and with it the
// length of the file, before memory is taken for the table.
func open(path string, key *Key, load loader) (*Filter, error) {
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
		f.key = *key
		if found := key.Fingerprint(); found != h.fingerprint {
			return nil, wrong(ErrWrongKey, fmt.Sprintf("a key with fingerprint %016x", found), fmt.Sprintf("%016x", h.fingerprint))
		}
	}
	table, check, unmap, err := load(file, h.nblocks)
	if err != nil {
		return nil, err
	}
	f.table, f.unmap = table, unmap
	if check != h.check {
		_ = f.Close() // the damage is the error to tell
		return nil, wrong(ErrChecksum, checksum("lanes", check), checksum("lanes", h.check))
	}
	return f, nil
}

// readTable is the loader that copies, on a host of any byte order.
func readTable(file *os.File, nblocks int) (kernel.Table512, uint32, func() error, error) {
	table := kernel.NewTable512(nblocks)
	check, err := readLanes(file, table)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = wrong(ErrLength, "a file that was cut meanwhile", fmt.Sprintf("%d bytes", fileBytes(nblocks)))
	}
	return table, check, nil, err
}
