package deletable

import (
	"hash/crc32"
	"io"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// Save writes the filter to the file path, which is replaced whole or not at all, also in a crash.
// A new file can be read by all that the umask lets; the hash key is not in it. Filters that were
// opened from the file stay as they are. The plan is in the file, but for a lifetime that has no name
// that [planning.ParseLifetime] reads: the filter that is opened has [planning.Oldest] instead. Its error is a *[FileError].
func (f *Filter) Save(path string) error {
	if err := atomicfile.Write(path, 0o666, f.write); err != nil {
		return fileError("save", path, err)
	}
	return nil
}

// write writes the filter as a file has it.
func (f *Filter) write(w io.Writer) error {
	// The header comes first and holds the checksum of the lanes, so they are encoded twice.
	check := crc32.New(castagnoli)
	if err := writeLanes(check, f.table); err != nil {
		return err
	}
	h := header{len(f.table), f.plan, f.counters, f.fingerprint, check.Sum32()}
	if _, err := w.Write(h.encode()); err != nil {
		return err
	}
	return writeLanes(w, f.table)
}
