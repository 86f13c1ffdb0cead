package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/hugepage"
)

// Read reads a whole file from r into memory and checks it. r must end with the file. Read
// allocates at most twice the bytes of r and 1 MiB, whatever the header claims. The error is an
// *[Error].
func Read(r io.Reader) (*Contents, error) { return readOf(r, 0) }

// readOf is Read of a reader that is known to have this number of bytes, so that their memory can
// be allocated at once.
func readOf(r io.Reader, known int64) (*Contents, error) {
	c, err := read(r, known)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = Wrong(ErrLength, "an end", "more bytes")
	}
	if err != nil {
		return nil, At("read", "", err)
	}
	return c, nil
}

// Load reads the file at path into memory and checks it. Later changes of the file do not affect
// the contents. It allocates about the length of the file, since that is known. The error is an
// *[Error].
func Load(path string) (*Contents, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, At("load", path, err)
	}
	defer file.Close()
	c, err := readOf(file, size)
	if err != nil {
		return nil, At("load", path, err)
	}
	return c, nil
}

// openRegular opens a regular file, and returns its length.
func openRegular(path string) (*os.File, int64, error) {
	// Stat comes first, because opening a named pipe would wait for its writer
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, Wrong(ErrNotFilter, "file mode "+info.Mode().String(), "a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	if info, err = file.Stat(); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

func read(r io.Reader, known int64) (*Contents, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if known > 0 && known != h.length {
		return nil, Wrong(ErrLength, decimal(uint64(known))+" bytes", decimal(uint64(h.length)))
	}
	offset := h.size
	for i := range h.layout {
		e := &h.layout[i]
		gap, err := readBytes(r, nil, e.offset-offset)
		if err != nil {
			return nil, err
		}
		if err := zeros("the file", offset, gap); err != nil {
			return nil, err
		}
		check := func(piece int64, sum uint32) error { return h.checkSum(i, piece, sum) }
		if h.Sections[i].Words, err = readWords(r, e.words, known, check); err != nil {
			return nil, err
		}
		offset = e.offset + e.bytes()
	}
	if err := readEnd(r, offset); err != nil {
		return nil, err
	}
	return &h.Contents, nil
}

// readHeader reads and checks the header.
func readHeader(r io.Reader) (*header, error) {
	first := make([]byte, fixedBytes)
	n, err := io.ReadFull(r, first)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	first = first[:n]
	size, err := start(first)
	if err != nil {
		return nil, err
	}
	all, err := readBytes(r, first, size-fixedBytes)
	if err != nil {
		return nil, err
	}
	return decode(all)
}

// readEnd returns an error unless r ends here, at the offset at.
func readEnd(r io.Reader, offset int64) error {
	var one [1]byte
	switch _, err := io.ReadFull(r, one[:]); {
	case err == nil:
		return Wrong(ErrLength, "more bytes", decimal(uint64(offset)))
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// readBytes appends n bytes of r to b.
func readBytes(r io.Reader, b []byte, n int64) ([]byte, error) {
	chunks := [][]byte{b}
	for left := n; left > 0; {
		chunk := make([]byte, min(left, chunkBytes))
		if _, err := io.ReadFull(r, chunk); err != nil {
			return nil, noEOF(err)
		}
		chunks = append(chunks, chunk)
		left -= int64(len(chunk))
	}
	if n == 0 {
		return b, nil
	}
	all := make([]byte, 0, int64(len(b))+n)
	for i, chunk := range chunks {
		all, chunks[i] = append(all, chunk...), nil
	}
	return all, nil
}

// readWords reads n words and calls check with the checksum of each piece. It allocates all memory
// at once if r is known to have as many bytes, and else as the bytes arrive.
func readWords(
	r io.Reader,
	n, known int64,
	check func(piece int64, sum uint32) error,
) ([]uint64, error) {
	const most = math.MaxInt/8 - lineWords // an int may have 32 bits
	if n > most {
		return nil, Wrong(ErrBounds, decimal(uint64(n))+" words",
			"at most "+decimal(most)+" in this host's memory")
	}
	var all []uint64
	var chunks [][]uint64
	if n <= known/8 {
		all = alignedWords(n)
	}
	buffer := make([]byte, min(8*n, chunkBytes))
	sum := uint32(0)
	for done := int64(0); done < n; {
		b := buffer[:min(8*(n-done), chunkBytes)]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, noEOF(err)
		}
		sum = crc32.Update(sum, castagnoli, b)
		var chunk []uint64
		if all != nil {
			chunk = all[done:][:len(b)/8]
		} else {
			chunk = make([]uint64, len(b)/8)
			chunks = append(chunks, chunk)
		}
		for i := range chunk {
			chunk[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		if done += int64(len(chunk)); done%pieceWords == 0 || done == n {
			if err := check((done-1)/pieceWords, sum); err != nil {
				return nil, err
			}
			sum = 0
		}
	}
	if all != nil {
		return all, nil
	}
	all = alignedWords(n)
	at := 0
	for i, chunk := range chunks {
		at += copy(all[at:], chunk)
		chunks[i] = nil
	}
	return all, nil
}

// lineWords is the number of words of a cache line, and of a block.
const lineWords = 8

// alignedWords returns n words that begin at a cache line, so that each block does.
func alignedWords(n int64) []uint64 {
	words := hugepage.Make(int(n + lineWords - 1)) // n is below most: see readWords
	gap := -uintptr(unsafe.Pointer(unsafe.SliceData(words))) / 8 % lineWords
	return words[gap : int64(gap)+n : int64(gap)+n]
}

// noEOF turns io.EOF in the middle of a file into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// checkSum returns an error unless a piece of a section has its checksum.
func (h *header) checkSum(section int, piece int64, found uint32) error {
	if expected := binary.LittleEndian.Uint32(h.sums[4*(h.layout[section].piece+piece):]); found !=
		expected {
		where := fmt.Sprintf("piece %d of section %s", piece, h.Sections[section].Name)
		return Wrong(ErrChecksum, fmt.Sprintf("%s with CRC-32C %08x", where, found),
			fmt.Sprintf("%08x", expected))
	}
	return nil
}
