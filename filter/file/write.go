package file

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// Size returns the length in bytes of the file that WriteTo writes.
func (c *Contents) Size() int64 {
	words := c.words()
	_, _, length, _ := lay(versionOf(words), len(c.stored()), words)
	return length
}

// WriteTo writes the file. It implements [io.WriterTo]. It reads the words twice, because the
// header comes first and has their checksums: no goroutine may write to them meanwhile. It panics
// if the contents break the format, for example by a wrong name.
func (c *Contents) WriteTo(w io.Writer) (n int64, err error) {
	return c.write(w, versionOf(c.words()))
}

func (c *Contents) write(w io.Writer, version uint32) (n int64, err error) {
	defer runtime.KeepAlive(c) // the words may lie in a mapping that ends with c
	h := encode(c, version)
	write := func(b []byte) bool {
		if len(b) == 0 {
			return true
		}
		var wrote int
		wrote, err = w.Write(b)
		if wrote < 0 || wrote > len(b) {
			wrote, err = 0, errors.New("the writer returned a wrong number of bytes")
		}
		n += int64(wrote)
		if err == nil && wrote < len(b) {
			err = io.ErrShortWrite
		}
		return err == nil
	}
	if !write(h.encoded) {
		return n, err
	}
	buffer := c.buffer()
	for i := range c.Sections {
		if !write(make([]byte, h.layout[i].offset-n)) {
			return n, err
		}
		for chunk := range slices.Chunk(c.Sections[i].Words, chunkWords) {
			if !write(appendWords(buffer, chunk)) {
				return n, err
			}
		}
	}
	return n, nil
}

// Append appends the file to b. Its error is that of WriteTo. It panics if the contents break the
// format.
func (c *Contents) Append(b []byte) ([]byte, error) {
	out := bytes.NewBuffer(slices.Grow(b, int(c.Size())))
	_, err := c.WriteTo(out)
	return out.Bytes(), err
}

// Save writes the file to path. It replaces a file whole or not at all, also if the program or the
// machine crashes. A new file has the permission bits perm minus the umask. One that is replaced
// keeps its own, its owner and its group, and on Linux its access control list and extended
// attributes, or is not replaced. The error is an *[Error]. It panics if the contents break the
// format.
func (c *Contents) Save(path string, perm fs.FileMode) error {
	write := func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	}
	if err := atomicfile.Write(path, perm, write); err != nil {
		return At("save", path, err)
	}
	return nil
}
