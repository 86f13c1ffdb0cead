package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/bloomlane/bloomlane/filter/key"
)

// Versions 1 and 2 are files of deletable filters. This package reads them and does not write them.
// They have a header of one page, and then the blocks:
//
//	offset  bytes
//	     0      8  the magic bytes
//	     8      4  the version: 1 without planned turnovers, 2 with them
//	    12      4  W, the lane width in bits, 64
//	    16      8  the number of blocks, of 64 bytes
//	    24      8  the planned members
//	    32      8  the inserts ever made
//	    40      8  the deletes that cleared bits
//	    48      8  the deletes that were retained
//	    56      8  the fingerprint of the hash key
//	    64      4  the CRC-32C of the blocks
//	    68   4024  zeros in version 1; in version 2
//	    72      8    the planned turnovers, an IEEE 754 double
//	    80      8    the rate that is expected at their end, likewise
//	    88     64    the name of the members' lifetime, and zeros
//	               and zeros around these
//	  4092      4  the CRC-32C of all the header before
//
// A reader returns the contents that a file of version 3 has for the same filter: see Decode of
// package deletable.

func isLegacy(version uint32) bool { return version == 1 || version == 2 }

// legacyMaxBlocks bounds the number of blocks, so that the number of their bytes does not overflow.
const legacyMaxBlocks = 1 << 30

// decodeLegacy decodes the header page of a file of version 1 or 2, and returns its contents
// without the blocks, their number and their checksum.
func decodeLegacy(b []byte) (c *Contents, nblocks int64, sum uint32, err error) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if len(b) < page {
		return nil, 0, 0, Wrong(ErrLength, fmt.Sprintf("%d bytes", len(b)),
			fmt.Sprintf("a header of %d", page))
	}
	if found, expected := crc32.Checksum(b[:page-4], castagnoli),
		u32(b[page-4:]); found != expected {
		return nil, 0, 0, Wrong(ErrChecksum, fmt.Sprintf("a header of CRC-32C %08x", found),
			fmt.Sprintf("%08x", expected))
	}
	if width := u32(b[12:]); width != 64 {
		return nil, 0, 0, Wrong(ErrBounds, fmt.Sprintf("lanes of %d bits", width), "64")
	}
	count := u64(b[16:])
	if count < 1 || count > legacyMaxBlocks {
		return nil, 0, 0,
			Wrong(ErrBounds, decimal(count)+" blocks", "1 to "+decimal(legacyMaxBlocks))
	}
	c = &Contents{Kind: "deletable", legacy: int(u32(b[8:])),
		Key: key.Identity{Fingerprint: u64(b[56:])}}
	c.Set("members", u64(b[24:]))
	c.Set("inserts", u64(b[32:]))
	c.Set("deleted", u64(b[40:]))
	c.Set("retained", u64(b[48:]))
	c.Sections = []Section{{Name: "blocks"}}
	gap := int64(68)
	if c.legacy == 2 {
		if err := zeros("the header", 68, b[68:72]); err != nil {
			return nil, 0, 0, err
		}
		c.Set("turnovers", u64(b[72:]))
		c.Set("planned-rate", u64(b[80:]))
		c.Sections = append(c.Sections,
			Section{"lifetime", TextWords(string(bytes.TrimRight(b[88:152], "\x00")))})
		gap = 152
	}
	return c, int64(count), u32(b[64:]), zeros("the header", gap, b[gap:page-4])
}

func checkBlocks(found, expected uint32) error {
	if found != expected {
		return Wrong(ErrChecksum, fmt.Sprintf("blocks of CRC-32C %08x", found),
			fmt.Sprintf("%08x", expected))
	}
	return nil
}

// readLegacy reads the rest of a file of version 1 or 2, after its first page.
func readLegacy(first []byte, r io.Reader) (*Contents, error) {
	c, nblocks, sum, err := decodeLegacy(first)
	if err != nil {
		return nil, err
	}
	check := func(_ int64, found uint32) error { return checkBlocks(found, sum) }
	// all blocks have one checksum, so they are one piece
	if c.Sections[0].Words, err = readWords(r, 8*nblocks, 8*nblocks, 0, check); err != nil {
		return nil, err
	}
	if err := readEnd(r, page+64*nblocks); err != nil {
		return nil, err
	}
	return c, nil
}
