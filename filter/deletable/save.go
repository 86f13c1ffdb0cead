package deletable

import (
	"hash/crc32"
	"io"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// Save writes the filter to the file path, which is replaced whole or not at all, also in a crash.
// A new file can be read by all that the umask lets; the hash key is not in it. A symbolic link stays,
// other hard links keep the old content, and a file without any permission to write is refused. Of
// two that save to one file at once the last wins: programs that change a file need a lock of theirs. Filters that were
// opened from the file stay as they are. The plan is in the file, but for a lifetime that has no name
// that [planning.ParseLifetime] reads: the filter that is opened has [planning.Oldest] instead. Its error is a *[FileError].
func (f *Filter) Save(path string) error {
	if err := atomicfile.Write(path, 0o666, f.write); err != nil {
		return fileError("save", path, err)
	}
	return nil
}

// WriteTo writes the filter to w as [Filter.Save] writes it to a file, and returns the number of bytes
// that it wrote.
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	counted := countingWriter{w: w}
	err := f.write(&counted)
	return counted.n, err
}

// countingWriter counts the bytes that w takes.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
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
