package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/filter/key"
)

const (
	// Magic is the first 8 bytes of a file of any version.
	Magic = "\x89BLM\r\n\x1a\n"

	// Version is the version of the files that this package writes, and SmallVersion that of files
	// whose sections have less than 64 KiB together, with less padding. A small file of Version is
	// read too.
	Version      = 3
	SmallVersion = 4

	smallBytes     = 64 << 10
	line           = 64   // what SmallVersion pads to
	page           = 4096 // and Version
	fixedBytes     = 64
	nameBytes      = 16
	attributeBytes = nameBytes + 8
	sectionBytes   = nameBytes + 16
	maxHeader      = 1 << 30
	maxAttributes  = 64
	maxSections    = 256

	pieceBytes = 1 << 20
	pieceWords = pieceBytes / 8

	// chunkBytes is how much is read, checked or written at a time. A reader allocates it before it
	// knows that there are as many bytes. A piece is a whole number of chunks.
	chunkBytes = 64 << 10
	chunkWords = chunkBytes / 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is a header that was read or will be written.
type header struct {
	Contents
	size    int64 // the bytes of the header
	length  int64 // the bytes of the file
	layout  []extent
	sums    []byte // the checksums of the pieces of all sections, as in the header
	encoded []byte
}

// extent says where a section lies.
type extent struct {
	offset int64 // the first word, in bytes from the start of the file
	words  int64
	piece  int64 // the index of the checksum of its first piece
}

func (e *extent) bytes() int64  { return 8 * e.words }
func (e *extent) pieces() int64 { return (e.bytes() + pieceBytes - 1) / pieceBytes }

// versionOf returns the version of a file with sections of words[i] words each.
func versionOf(words []int64) uint32 {
	all := int64(0)
	for _, n := range words {
		all += n
	}
	if 8*all < smallBytes {
		return SmallVersion
	}
	return Version
}

// padding returns what the header and the offsets of a version are multiples of.
func padding(version uint32) int64 {
	if version == SmallVersion {
		return line
	}
	return page
}

// lay lays out sections of words[i] words each in a file of a version. It returns their extents, the
// size of the header, the length of the file and the number of pieces. All numbers have 64 bits,
// because a forged header may claim more than an int of 32 bits holds.
func lay(
	version uint32,
	attributes int,
	words []int64,
) (layout []extent, size, length, pieces int64) {
	up := func(n int64) int64 { return (n + padding(version) - 1) / padding(version) * padding(version) }
	layout = make([]extent, len(words))
	for i := range words {
		layout[i] = extent{words: words[i], piece: pieces}
		pieces += layout[i].pieces()
	}
	size = up(fixedBytes + int64(attributes)*attributeBytes +
		int64(len(words))*sectionBytes + 4*pieces + 4)
	length = size
	for i := range layout {
		layout[i].offset = up(length)
		length = layout[i].offset + layout[i].bytes()
	}
	return layout, size, length, pieces
}

// words returns the numbers of words of the sections.
func (c *Contents) words() []int64 {
	words := make([]int64, len(c.Sections))
	for i := range c.Sections {
		words[i] = int64(len(c.Sections[i].Words))
	}
	return words
}

// buffer returns an empty buffer for the words of a chunk.
func (c *Contents) buffer() []byte {
	most := 0
	for i := range c.Sections {
		most = max(most, len(c.Sections[i].Words))
	}
	return make([]byte, 0, 8*min(most, chunkWords))
}

// encode encodes the header of c in a file of a version, with the checksums of its words. It panics
// if a reader would refuse the result: the kinds choose the names and their number, so that is a
// mistake in the program.
func encode(c *Contents, version uint32) *header {
	if c.Has(algorithm) {
		panic("file: to write: an attribute " + algorithm + ", expected it in Key")
	}
	h := &header{Contents: *c}
	h.Attributes = c.stored()
	if err := h.check(); err != nil {
		panic("file: to write: " + err.Error())
	}
	h.layout, h.size, h.length, _ = lay(version, len(h.Attributes), c.words())
	b := make([]byte, 0, h.size)
	u32, u64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	b = append(b, Magic...)
	b = u32(b, version)
	b = u32(b, uint32(h.size))
	b = u64(b, uint64(h.length))
	b = u64(b, c.Key.Fingerprint)
	b = appendName(b, c.Kind)
	b = u64(b, c.Promises)
	b = u32(b, uint32(len(h.Attributes)))
	b = u32(b, uint32(len(c.Sections)))
	for _, a := range h.Attributes {
		b = u64(appendName(b, a.Name), a.Value)
	}
	for i, s := range c.Sections {
		b = u64(u64(appendName(b, s.Name), uint64(len(s.Words))), uint64(h.layout[i].offset))
	}
	buffer := c.buffer()
	for i := range c.Sections {
		for piece := range slices.Chunk(c.Sections[i].Words, pieceWords) {
			sum := uint32(0)
			for chunk := range slices.Chunk(piece, chunkWords) {
				sum = crc32.Update(sum, castagnoli, appendWords(buffer, chunk))
			}
			b = u32(b, sum)
		}
	}
	b = b[:h.size-4]
	h.encoded = u32(b, crc32.Checksum(b, castagnoli))
	return h
}

// algorithm is the attribute with the number of the hash function, in the files of filters whose
// key is not one of HighwayHash-64. A reader that does not know the number refuses the file.
const algorithm = "hash"

// stored returns the attributes as they stand in a file.
func (c *Contents) stored() []Attribute {
	if c.Key.Algorithm == key.HighwayHash64 {
		return c.Attributes
	}
	all := Contents{Attributes: slices.Clone(c.Attributes)}
	all.Set(algorithm, uint64(c.Key.Algorithm))
	return all.Attributes
}

// takeAlgorithm takes the hash function out of the attributes that stand in a file, whose names
// ascend.
func (h *header) takeAlgorithm() error {
	i, found := slices.BinarySearchFunc(h.Attributes, algorithm, byName)
	if !found {
		return nil
	}
	value := h.Attributes[i].Value
	for _, a := range key.Algorithms() {
		if value == uint64(a) && a != key.HighwayHash64 {
			h.Key.Algorithm, h.Attributes = a, slices.Delete(h.Attributes, i, i+1)
			return nil
		}
	}
	return Wrong(ErrBounds, algorithm+" "+decimal(value), fmt.Sprintf("%d, which is %v, or %d, "+
		"which is %v", key.SipHash13, key.SipHash13, key.AESPMAC, key.AESPMAC))
}

// appendName appends a name and zeros.
func appendName(b []byte, name string) []byte {
	return append(append(b, name...), make([]byte, nameBytes-len(name))...)
}

// check returns an error unless the names, and their number, are allowed in a file.
func (c *Contents) check() error {
	if len(c.Attributes) > maxAttributes || len(c.Sections) > maxSections {
		return Wrong(ErrBounds, fmt.Sprintf("%d attributes and %d sections", len(c.Attributes),
			len(c.Sections)), fmt.Sprintf("at most %d and %d", maxAttributes, maxSections))
	}
	if err := checkName(c.Kind); err != nil {
		return err
	}
	for i := range c.Attributes {
		if err := checkName(c.Attributes[i].Name); err != nil {
			return err
		}
		if i > 0 && c.Attributes[i-1].Name >= c.Attributes[i].Name {
			return Wrong(ErrBounds,
				"attribute "+c.Attributes[i].Name+" after "+c.Attributes[i-1].Name,
				"ascending names")
		}
	}
	for i := range c.Sections {
		if err := checkName(c.Sections[i].Name); err != nil {
			return err
		}
		if slices.ContainsFunc(c.Sections[:i],
			func(s Section) bool { return s.Name == c.Sections[i].Name }) {
			return Wrong(ErrBounds, "two sections "+c.Sections[i].Name, "one")
		}
	}
	return nil
}

func checkName(name string) error {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	if len(name) == 0 || len(name) > nameBytes || strings.Trim(name, letters) != "" {
		return Wrong(ErrBounds, fmt.Sprintf("the name %q", name),
			fmt.Sprintf("1 to %d of a-z, 0-9 and -", nameBytes))
	}
	return nil
}

// appendWords appends words in the form of a file.
func appendWords(b []byte, words []uint64) []byte {
	for _, word := range words {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// start returns the size of the header, which the first bytes of a file say.
func start(b []byte) (size int64, err error) {
	if len(b) < len(Magic) || string(b[:len(Magic)]) != Magic {
		return 0, Wrong(ErrNotFilter, fmt.Sprintf("a start of %q", b[:min(len(b), len(Magic))]),
			fmt.Sprintf("%q", Magic))
	}
	if len(b) < fixedBytes {
		return 0, Wrong(ErrLength, fmt.Sprintf("%d bytes", len(b)),
			fmt.Sprintf("a header of %d or more", line))
	}
	version := binary.LittleEndian.Uint32(b[8:])
	if version != Version && version != SmallVersion {
		return 0, Wrong(ErrVersion, decimal(uint64(version)), decimal(Version)+" or "+
			decimal(SmallVersion))
	}
	size = int64(binary.LittleEndian.Uint32(b[12:]))
	if unit := padding(version); size <= fixedBytes || size > maxHeader || size%unit != 0 {
		return 0, Wrong(ErrBounds, fmt.Sprintf("a header of %d bytes", size),
			fmt.Sprintf("a multiple of %d up to %d", unit, maxHeader))
	}
	return size, nil
}

// decode decodes a whole header, after start. The sections of its contents have no words yet.
func decode(b []byte) (*header, error) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	end := len(b) - 4
	if found, expected := crc32.Checksum(b[:end], castagnoli), u32(b[end:]); found != expected {
		return nil, Wrong(ErrChecksum, fmt.Sprintf("a header of CRC-32C %08x", found),
			fmt.Sprintf("%08x", expected))
	}
	h := &header{size: int64(len(b))}
	h.Key.Fingerprint, h.Promises = u64(b[24:]), u64(b[48:])
	attributes, sections := u32(b[56:]), u32(b[60:])
	if attributes > maxAttributes || sections > maxSections {
		return nil,
			Wrong(ErrBounds, fmt.Sprintf("%d attributes and %d sections", attributes, sections),
				fmt.Sprintf("at most %d and %d", maxAttributes, maxSections))
	}
	name := func(i int) string { return string(bytes.TrimRight(b[i:i+nameBytes], "\x00")) }
	position := fixedBytes
	if need := int64(position) + int64(attributes)*attributeBytes + int64(sections)*sectionBytes +
		4; need > h.size {
		return nil, Wrong(ErrBounds, fmt.Sprintf("a header of %d bytes", h.size),
			fmt.Sprintf("%d or more", need))
	}
	h.Kind = name(32)
	for range attributes {
		h.Attributes = append(h.Attributes, Attribute{name(position), u64(b[position+nameBytes:])})
		position += attributeBytes
	}
	words, offsets := make([]int64, sections), make([]int64, sections)
	for i := range words {
		count, offset := u64(b[position+nameBytes:]), u64(b[position+nameBytes+8:])
		const most = math.MaxInt64 / 8 / maxSections / 2 // so that no sum overflows
		if count > most || offset > math.MaxInt64 {
			return nil, Wrong(ErrBounds, fmt.Sprintf("a section of %d words at %d", count, offset),
				fmt.Sprintf("at most %d words", int64(most)))
		}
		words[i], offsets[i] = int64(count), int64(offset)
		h.Sections = append(h.Sections, Section{Name: name(position)})
		position += sectionBytes
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if err := h.place(b, position, words, offsets); err != nil {
		return nil, err
	}
	return h, h.takeAlgorithm()
}

// place checks that everything lies where encode would have put it.
func (h *header) place(b []byte, offset int, words, offsets []int64) error {
	version := binary.LittleEndian.Uint32(b[8:])
	if version == SmallVersion && versionOf(words) != version {
		return Wrong(ErrBounds, fmt.Sprintf("sections of %d bytes or more", smallBytes),
			fmt.Sprintf("version %d", Version))
	}
	layout, size, length, pieces := lay(version, len(h.Attributes), words)
	if size != h.size {
		return Wrong(ErrBounds, fmt.Sprintf("a header of %d bytes", h.size), decimal(uint64(size)))
	}
	if found := binary.LittleEndian.Uint64(b[16:]); found != uint64(length) {
		return Wrong(ErrBounds, fmt.Sprintf("a file of %d bytes", found), decimal(uint64(length)))
	}
	for i := range layout {
		if layout[i].offset != offsets[i] {
			return Wrong(ErrBounds, fmt.Sprintf("a section at %d", offsets[i]),
				decimal(uint64(layout[i].offset)))
		}
	}
	h.layout, h.length, h.version = layout, length, version
	end := offset + 4*int(pieces) // this is within the header, whose size was checked
	h.sums = b[offset:end]
	return zeros("the header", int64(end), b[end:len(b)-4])
}

// zeros returns an error unless all bytes of b are zero. at is the offset of the first.
func zeros(what string, at int64, b []byte) error {
	for i, x := range b {
		if x != 0 {
			return Wrong(ErrBounds, fmt.Sprintf("byte %d of %s %#02x", at+int64(i), what, x),
				"0")
		}
	}
	return nil
}
