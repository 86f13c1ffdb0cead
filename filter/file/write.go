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

// Size returns the length of the file of c in bytes.
func (c *Contents) Size() int64 {
	words := make([]int64, len(c.Sections))
	for i := range c.Sections {
		words[i] = int64(len(c.Sections[i].Words))
	}
	_, _, length, _ := lay(len(c.Attributes), words)
	return length
}

// WriteTo writes the file of c. It implements [io.WriterTo]. The words are read twice, because the
// header, which comes first, has their checksums: nobody may write them in that time.
func (c *Contents) WriteTo(w io.Writer) (n int64, err error) {
	defer runtime.KeepAlive(c) // the words may lie in a mapping that ends with c
	h := encode(c)
	write := func(b []byte) bool {
		if len(b) == 0 {
			return true
		}
		var wrote int
		wrote, err = w.Write(b)
		if wrote < 0 || wrote > len(b) {
			wrote, err = 0, errors.New("a writer's count of bytes is wrong")
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
	buffer := make([]byte, 0, chunkBytes)
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

// Append appends the file of c to b.
func (c *Contents) Append(b []byte) ([]byte, error) {
	out := bytes.NewBuffer(slices.Grow(b, int(c.Size())))
	_, err := c.WriteTo(out)
	return out.Bytes(), err
}

// Save writes the file of c to a path, which is replaced whole or not at all, also in a crash. A
// new file has the permission bits perm, less the umask. Its error is an *[Error].
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
