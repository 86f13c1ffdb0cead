package file

import (
	"bytes"
	"io"
	"io/fs"
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

// WriteTo writes the file of c. It implements [io.WriterTo]. The words are read twice, because the header, which
// comes first, has their checksums.
func (c *Contents) WriteTo(w io.Writer) (n int64, err error) {
	h := encode(c)
	write := func(b []byte) bool {
		var wrote int
		wrote, err = w.Write(b)
		n += int64(wrote)
		return err == nil
	}
	if !write(h.encoded) {
		return n, err
	}
	buffer := c.pieceBuffer()
	for i := range c.Sections {
		if !write(make([]byte, h.layout[i].offset-n)) {
			return n, err
		}
		for piece := range slices.Chunk(c.Sections[i].Words, pieceWords) {
			if !write(appendWords(buffer, piece)) {
				return n, err
			}
		}
	}
	return n, nil
}

// pieceBuffer returns a buffer with room for the largest piece: small files are written often, and 1 MiB for each
// would be most of the time.
func (c *Contents) pieceBuffer() []byte {
	words := 0
	for i := range c.Sections {
		words = max(words, len(c.Sections[i].Words))
	}
	return make([]byte, 0, 8*min(words, pieceWords))
}

// Append appends the file of c to b.
func (c *Contents) Append(b []byte) ([]byte, error) {
	out := bytes.NewBuffer(slices.Grow(b, int(c.Size())))
	_, err := c.WriteTo(out)
	return out.Bytes(), err
}

// Save writes the file of c to a path, which is replaced whole or not at all, also in a crash. A new file has the
// permission bits perm, less the umask. Its error is an *[Error].
func (c *Contents) Save(path string, perm fs.FileMode) error {
	if err := atomicfile.Write(path, perm, func(w io.Writer) error { _, err := c.WriteTo(w); return err }); err != nil {
		return At("save", path, err)
	}
	return nil
}
