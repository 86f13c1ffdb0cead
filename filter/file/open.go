package file

import (
	"errors"
	"hash/crc32"
	"io"
	"os"
)

// Verify says when [Open] checks the sections of a file. It always checks the header at once.
type Verify int

// The moments at which sections are checked.

const (
	// VerifyNow reads and checks the whole file before Open returns.
	VerifyNow Verify = iota
	// VerifyLater leaves the check to [Contents.Verify]. The file stays open until then, or until
	// the contents are unreachable.
	VerifyLater
	// VerifyNever checks no section. It is for a file that was checked before.
	VerifyNever
)

// Open opens the file at path. On a little-endian Unix host it maps the file, so that a large file
// opens at once. On other hosts it reads and checks the whole file, as [Load] does. Writes to the
// words do not change the file. The words are valid as long as the contents are reachable: a
// program that uses the words must keep the contents alive.
//
// Save replaces files whole, so an open file does not change. No program may write to it in place,
// or cut it. The error is an *[Error].
func Open(path string, verify Verify) (*Contents, error) {
	c, err := open(path, verify)
	if err != nil {
		return nil, At("open", path, err)
	}
	return c, nil
}

func open(path string, verify Verify) (*Contents, error) {
	file, length, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if file != nil {
			_ = file.Close() // it was only read
		}
	}()
	if !mappable {
		return readAgain(file, length)
	}
	h, err := readHeader(file)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = Wrong(ErrLength, decimal(uint64(length))+" bytes", "a whole header")
	}
	if err != nil {
		return nil, err
	}
	if length != h.length {
		return nil, Wrong(ErrLength, decimal(uint64(length))+" bytes", decimal(uint64(h.length)))
	}
	if verify == VerifyNow {
		if err := verifyFile(file, h); err != nil {
			return nil, err
		}
	}
	// a copy, because with VerifyLater the header lives longer
	c := new(Contents)
	*c = h.Contents
	if err := mapFile(c, file, h); err != nil {
		return readAgain(file, length) // a file system that cannot map
	}
	switch verify {
	case VerifyLater:
		c.source = &source{file, h}
		file = nil
	case VerifyNever:
		c.unverified = true
	}
	return c, nil
}

// readAgain reads a file of length bytes from its start.
func readAgain(file *os.File, length int64) (*Contents, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	c, err := read(file, length)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = Wrong(ErrLength, "a file that ends too early", "more bytes")
	}
	return c, err
}

// source is the file from which Verify checks the sections. It does not read the words in memory,
// because these may have been written to.
type source struct {
	file *os.File
	h    *header
}

// Verify checks the sections of contents that were opened with [VerifyLater]. If they are right, it
// closes the file, and later calls return nil. It reads the file and not the words in memory. The
// error is an *[Error]; it wraps [ErrUnverified] for contents that were opened with [VerifyNever].
func (c *Contents) Verify() error {
	if c.unverified {
		return Wrong(ErrUnverified, "VerifyNever", "VerifyLater")
	}
	if c.source == nil {
		return nil
	}
	name := c.source.file.Name()
	if err := verifyFile(c.source.file, c.source.h); err != nil {
		return At("verify", name, err)
	}
	err := c.source.file.Close()
	c.source = nil
	if err != nil {
		return At("verify", name, err)
	}
	return nil
}

// verifyFile checks the sections of a file, and the zeros between them.
func verifyFile(file *os.File, h *header) error {
	buffer := make([]byte, chunkBytes)
	offset := h.size
	for i := range h.layout {
		e := &h.layout[i]
		gap := buffer[:e.offset-offset]
		if err := readAt(file, gap, offset); err != nil {
			return err
		}
		if err := zeros("the file", offset, gap); err != nil {
			return err
		}
		offset = e.offset
		for piece := range e.pieces() {
			end := min(e.offset+(piece+1)*pieceBytes, e.offset+e.bytes())
			sum := uint32(0)
			for offset < end {
				b := buffer[:min(chunkBytes, end-offset)]
				if err := readAt(file, b, offset); err != nil {
					return err
				}
				sum = crc32.Update(sum, castagnoli, b)
				offset += int64(len(b))
			}
			if err := h.checkSum(i, piece, sum); err != nil {
				return err
			}
		}
	}
	return nil
}

// readAt reads b from a file whose length was checked.
func readAt(file *os.File, b []byte, offset int64) error {
	_, err := file.ReadAt(b, offset)
	if errors.Is(err, io.EOF) {
		return Wrong(ErrLength, "a file that was cut while open",
			decimal(uint64(offset)+uint64(len(b)))+" bytes or more")
	}
	return err
}
