package deletable

import (
	"hash/crc32"
	"io"
	"runtime"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// Save writes the filter to the file path, which is replaced whole or not at all, also in a crash.
// A new file can be read by all that the umask lets; the hash key is not in it. A symbolic link stays,
// other hard links keep the old content, and a file without any permission to write is refused. Of
// two that save to one file at once the last wins: programs that change a file need a lock of theirs. Filters that were
// opened from the file stay as they are. The plan is in the file, but for a lifetime that has no name
// that [planning.ParseLifetime] reads: the filter that is opened has [planning.Oldest] instead.
//
// Its error is a *[FileError]. Where f is closed it wraps [filter.ErrClosed], and no file is touched.
func (f *Filter) Save(path string) error {
	err := error(filter.ErrClosed)
	if t := f.table.Load(); t != nil {
		err = atomicfile.Write(path, 0o666, func(w io.Writer) error { return f.write(w, t) })
		runtime.KeepAlive(t)
	}
	if err != nil {
		return fileError("save", path, err)
	}
	return nil
}

// WriteTo writes what [Filter.Save] would make the content of a file. It implements [io.WriterTo].
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	t := f.table.Load()
	if t == nil {
		return 0, filter.ErrClosed
	}
	counted := countingWriter{w: w}
	err := f.write(&counted, t)
	runtime.KeepAlive(t)
	return counted.n, err
}

// countingWriter counts the bytes that it writes.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// write writes the filter, whose table is t, as a file has it.
func (f *Filter) write(w io.Writer, t *table) error {
	// The header comes first and holds the checksum of the lanes, so they are encoded twice.
	check := crc32.New(castagnoli)
	if err := writeLanes(check, t.blocks); err != nil {
		return err
	}
	h := header{len(t.blocks), f.plan, f.counters, f.fingerprint, check.Sum32()}
	if _, err := w.Write(h.encode()); err != nil {
		return err
	}
	return writeLanes(w, t.blocks)
}
