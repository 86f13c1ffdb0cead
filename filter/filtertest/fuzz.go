package filtertest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Fuzz fuzzes the decoders of kinds with files that are forged with right checksums. What the law
// of forgeries says of some of them holds for any: no file causes a panic, or more memory than its
// length, and a filter that is decoded works and is written back as the same file. seeds are files
// of the kinds. The fuzzer changes their bytes, and their numbers and words.
func Fuzz(f *testing.F, kinds []base.Kind, seeds ...[]byte) {
	read := func(forged []byte) (*file.Contents, *subject) {
		c, err := file.Read(bytes.NewReader(forged))
		if err != nil {
			return nil, nil // the fuzzer of package file is for these
		}
		i := slices.IndexFunc(kinds, func(kind base.Kind) bool { return kind.Name == c.Kind })
		if i < 0 {
			return nil, nil
		}
		k := fixed
		switch c.Key.Algorithm {
		case key.SipHash13:
			k = fixedSip
		case key.HighwayHash64:
			k = fixedOther
		}
		c.Key = k.Identity()
		return c, &subject{kind: kinds[i], key: k}
	}
	for _, seed := range seeds {
		f.Add(seed, []byte{})
		for change := range byte(changes) {
			f.Add(seed, []byte{change, 1, 1, 0, 0, 0, 0, 0, 0, 0})
		}
		c, s := read(seal(bytes.Clone(seed)))
		if s == nil {
			f.Fatalf("a seed of %d bytes is refused", len(seed))
		}
		if _, err := s.kind.Decode(c, s.key); err != nil {
			f.Fatalf("a seed is refused: %v", err)
		}
	}
	f.Fuzz(func(t *testing.T, forged, edits []byte) {
		forged = seal(bytes.Clone(forged))
		c, s := read(forged)
		if s == nil {
			return
		}
		edit(c, edits)
		if forged, err := c.Append(nil); err == nil {
			s.survives(t, c.Kind, forged)
		}
	})
}

// changes is the number of changes that edit knows.
const changes = 6

// edit changes numbers and words of a file: each change is 10 bytes.
func edit(c *file.Contents, edits []byte) {
	const size = 10
	for ; len(edits) >= size && len(c.Attributes) > 0 && len(c.Sections) > 0; edits = edits[size:] {
		value := binary.LittleEndian.Uint64(edits[2:])
		i, j := int(edits[1])%len(c.Attributes), int(value%uint64(len(c.Attributes)))
		a, section := &c.Attributes[i], &c.Sections[int(edits[1])%len(c.Sections)]
		switch n := uint64(len(section.Words)); edits[0] % changes {
		case 0:
			a.Value = value
		case 1:
			a.Value += value
		case 2:
			a.Value, c.Attributes[j].Value = c.Attributes[j].Value, a.Value
		case 3:
			c.Attributes = slices.Delete(c.Attributes, i, i+1)
		case 4:
			if n > 0 {
				section.Words[value>>6%n] ^= 1 << (value % 64)
			}
		case 5:
			const most = 1 << 10
			words := make([]uint64, value%most)
			copy(words, section.Words)
			section.Words = words
		}
	}
}

// seal makes the checksums of a forged file right, and the fingerprint of a key of HighwayHash-64.
// docs/format.md has their places.
func seal(content []byte) []byte {
	headerBytes := 0
	if len(content) >= 64 {
		headerBytes = int(binary.LittleEndian.Uint32(content[12:]))
	}
	if headerBytes < 128 || headerBytes > min(len(content), 1<<16) {
		return content
	}
	put32, put64 := binary.LittleEndian.PutUint32, binary.LittleEndian.PutUint64
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	put64(content[24:], fixed.Fingerprint())
	attributes, sections := int(content[56])%65, int(content[60])%65
	offset := 64 + 24*attributes
	sums := offset + 32*sections
	for ; offset < 64+24*attributes+32*sections && offset+32 <= len(content); offset += 32 {
		words, offset := binary.LittleEndian.Uint64(content[offset+16:]),
			binary.LittleEndian.Uint64(content[offset+24:])
		if words == 0 || offset > uint64(len(content)) ||
			words > (uint64(len(content))-offset)/8 || sums > headerBytes-8 {
			continue
		}
		put32(content[sums:], sum(content[offset:offset+8*words]))
		sums += 4
	}
	put32(content[headerBytes-4:], sum(content[:headerBytes-4]))
	return content
}
