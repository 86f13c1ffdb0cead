package deletable

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// A file of version 1 is a header of headerBytes and then the lanes of the table, block by block,
// lane 0 first. Every number is little-endian. The header holds
//
//	offset  bytes
//	     0      8  the magic bytes 89 "BLM" 0d 0a 1a 0a
//	     8      4  the version of the format, 1: it fixes all that follows and what a block is
//	    12      4  W, the lane width in bits, 64
//	    16      8  the number of blocks
//	    24      8  the planned members
//	    32      8  the inserts ever made
//	    40      8  the deletes that cleared bits
//	    48      8  the deletes that were retained
//	    56      8  the fingerprint of the hash key; the key itself is not in the file
//	    64      4  the CRC-32C of the lanes
//	    68   4024  zeros
//	  4092      4  the CRC-32C of all the header before
//
// The lanes begin at a multiple of 4096 bytes, so that in a mapped file they begin a page and every
// block lies in one cache line. As in PNG, the magic bytes are no text, and break when a transfer
// converts line ends.
const (
	magic       = "\x89BLM\r\n\x1a\n"
	version     = 1
	headerBytes = 4096
	checkAt     = headerBytes - 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the header of a file.
type header struct {
	nblocks     int
	counters    counters
	fingerprint uint64 // of the hash key
	check       uint32 // of the lanes
}

// fileBytes returns the length of a file of so many blocks.
func fileBytes(nblocks int) int64 { return headerBytes + int64(nblocks)*int64(BlockBytes) }

func (h *header) encode() []byte {
	page := make([]byte, headerBytes)
	put32, put64 := binary.LittleEndian.PutUint32, binary.LittleEndian.PutUint64
	copy(page, magic)
	put32(page[8:], version)
	put32(page[12:], laneBits)
	put64(page[16:], uint64(h.nblocks))
	put64(page[24:], h.counters.planned)
	put64(page[32:], h.counters.inserts)
	put64(page[40:], h.counters.deleted)
	put64(page[48:], h.counters.retained)
	put64(page[56:], h.fingerprint)
	put32(page[64:], h.check)
	put32(page[checkAt:], crc32.Checksum(page[:checkAt], castagnoli))
	return page
}

// decodeHeader reads the header of a file of length bytes from page, its first headerBytes or, if
// it is shorter, all of it. What it returns is bounded: one block at least, MaxBlocks at most, and
// just as many as the file holds. Its error is a *FileError.
func decodeHeader(page []byte, length int64) (*header, error) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if len(page) < len(magic) || string(page[:len(magic)]) != magic {
		start := page[:min(len(page), len(magic))]
		return nil, wrong(ErrNotFilter, fmt.Sprintf("a start of %q", start), fmt.Sprintf("%q", magic))
	}
	if len(page) < headerBytes {
		return nil, wrong(ErrLength, fmt.Sprintf("%d bytes", len(page)), fmt.Sprintf("a header of %d", headerBytes))
	}
	if found := u32(page[8:]); found != version { // before the checksum, whose place may change
		return nil, wrong(ErrVersion, found, version)
	}
	if found, expected := crc32.Checksum(page[:checkAt], castagnoli), u32(page[checkAt:]); found != expected {
		return nil, wrong(ErrChecksum, checksum("a header", found), checksum("one", expected))
	}
	if width := u32(page[12:]); width != laneBits {
		return nil, wrong(ErrBounds, fmt.Sprintf("lanes of %d bits", width), laneBits)
	}
	for i, b := range page[68:checkAt] {
		if b != 0 {
			return nil, wrong(ErrBounds, fmt.Sprintf("byte %d of the header %#02x", 68+i, b), 0)
		}
	}
	nblocks := u64(page[16:])
	if nblocks < 1 || nblocks > uint64(MaxBlocks) {
		return nil, wrong(ErrBounds, fmt.Sprintf("%d blocks", nblocks), fmt.Sprintf("1 to %d", MaxBlocks))
	}
	h := &header{
		nblocks:     int(nblocks),
		counters:    counters{u64(page[24:]), u64(page[32:]), u64(page[40:]), u64(page[48:])},
		fingerprint: u64(page[56:]),
		check:       u32(page[64:]),
	}
	if expected := fileBytes(h.nblocks); length != expected {
		return nil, wrong(ErrLength, fmt.Sprintf("%d bytes", length), fmt.Sprintf("%d for %d blocks", expected, nblocks))
	}
	c := &h.counters
	if planned := c.planned; planned < 1 {
		return nil, wrong(ErrBounds, "0 planned members", "at least 1")
	}
	if most := max(c.planned, c.inserts, c.deleted, c.retained); most > math.MaxInt {
		return nil, wrong(ErrBounds, fmt.Sprintf("a counter of %d", most), fmt.Sprintf("at most %d", math.MaxInt))
	}
	return h, nil
}

func checksum(of string, crc uint32) string { return fmt.Sprintf("%s of CRC-32C %08x", of, crc) }
