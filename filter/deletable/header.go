package deletable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// A file is a header of headerBytes and then the lanes of the table, block by block, lane 0 first.
// Every number is little-endian. The header holds
//
//	offset  bytes
//	     0      8  the magic bytes 89 "BLM" 0d 0a 1a 0a
//	     8      4  the version of the format: it fixes all that follows and what a block is
//	    12      4  W, the lane width in bits, 64
//	    16      8  the number of blocks
//	    24      8  the planned members
//	    32      8  the inserts ever made
//	    40      8  the deletes that cleared bits
//	    48      8  the deletes that were retained
//	    56      8  the fingerprint of the hash key; the key itself is not in the file
//	    64      4  the CRC-32C of the lanes
//	    68   4024  zeros in version 1, which is that of filters without planned turnovers; in version 2
//	    72      8    the planned turnovers, an IEEE 754 double above 0
//	    80      8    the rate that is expected at their end, likewise, up to 1
//	    88     64    the name of the members' lifetime, and zeros
//	               and zeros around these
//	  4092      4  the CRC-32C of all the header before
//
// The lanes begin at a multiple of 4096 bytes, so that in a mapped file they begin a page and every
// block lies in one cache line. As in PNG, the magic bytes are no text, and break when a transfer
// converts line ends.
const (
	magic       = "\x89BLM\r\n\x1a\n"
	headerBytes = 4096
	checkAt     = headerBytes - 4

	// The versions, by whether turnovers are planned.
	versionWithout = 1
	versionWith    = 2

	planAt, lifetimeAt, planEnd = 72, 88, 88 + 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the header of a file.
type header struct {
	nblocks     int
	plan        plan
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
	put32(page[8:], h.plan.version())
	put32(page[12:], laneBits)
	put64(page[16:], uint64(h.nblocks))
	put64(page[24:], h.plan.members)
	put64(page[32:], h.counters.inserts)
	put64(page[40:], h.counters.deleted)
	put64(page[48:], h.counters.retained)
	put64(page[56:], h.fingerprint)
	put32(page[64:], h.check)
	if h.plan.version() == versionWith {
		put64(page[planAt:], math.Float64bits(h.plan.turnovers))
		put64(page[planAt+8:], math.Float64bits(h.plan.rate))
		copy(page[lifetimeAt:planEnd], h.plan.lifetimeName())
	}
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
	version := u32(page[8:])
	if version != versionWithout && version != versionWith { // before the checksum, whose place may change
		return nil, wrong(ErrVersion, version, fmt.Sprintf("%d or %d", versionWithout, versionWith))
	}
	if found, expected := crc32.Checksum(page[:checkAt], castagnoli), u32(page[checkAt:]); found != expected {
		return nil, wrong(ErrChecksum, checksum("a header", found), checksum("one", expected))
	}
	if width := u32(page[12:]); width != laneBits {
		return nil, wrong(ErrBounds, fmt.Sprintf("lanes of %d bits", width), laneBits)
	}
	zeros := 68
	if version == versionWith {
		if err := decodeZeros(page, 68, planAt); err != nil {
			return nil, err
		}
		zeros = planEnd
	}
	if err := decodeZeros(page, zeros, checkAt); err != nil {
		return nil, err
	}
	nblocks := u64(page[16:])
	if nblocks < 1 || nblocks > uint64(MaxBlocks) {
		return nil, wrong(ErrBounds, fmt.Sprintf("%d blocks", nblocks), fmt.Sprintf("1 to %d", MaxBlocks))
	}
	h := &header{
		nblocks:     int(nblocks),
		counters:    counters{u64(page[32:]), u64(page[40:]), u64(page[48:])},
		fingerprint: u64(page[56:]),
		check:       u32(page[64:]),
	}
	if expected := fileBytes(h.nblocks); length != expected {
		return nil, wrong(ErrLength, fmt.Sprintf("%d bytes", length), fmt.Sprintf("%d for %d blocks", expected, nblocks))
	}
	members := u64(page[24:])
	if members < 1 {
		return nil, wrong(ErrBounds, "0 planned members", "at least 1")
	}
	if most := max(members, h.counters.inserts, h.counters.deleted, h.counters.retained); most > maxCount {
		return nil, wrong(ErrBounds, fmt.Sprintf("a counter of %d", most), fmt.Sprintf("at most %d", maxCount))
	}
	if version == versionWithout {
		h.plan = newPlan(members, 0, ExpectedRate(int(members), h.nblocks), planning.Lifetime{})
		return h, nil
	}
	var err error
	h.plan, err = decodePlan(page, members)
	return h, err
}

// decodeZeros returns an error unless the header is zero from start to end.
func decodeZeros(page []byte, start, end int) error {
	for i, b := range page[start:end] {
		if b != 0 {
			return wrong(ErrBounds, fmt.Sprintf("byte %d of the header %#02x", start+i, b), 0)
		}
	}
	return nil
}

// version returns the version of the files of filters with such a plan.
func (p *plan) version() uint32 {
	if p.turnovers == 0 {
		return versionWithout
	}
	return versionWith
}

// decodePlan returns the plan for a number of members of a header of version 2.
func decodePlan(page []byte, members uint64) (plan, error) {
	turnovers := math.Float64frombits(binary.LittleEndian.Uint64(page[planAt:]))
	if !(turnovers > 0 && turnovers <= planning.MaxTurnovers) { // so written, NaN fails it too
		return plan{}, wrong(ErrBounds, fmt.Sprintf("%g planned turnovers", turnovers), fmt.Sprintf("above 0 and at most %d", planning.MaxTurnovers))
	}
	rate := math.Float64frombits(binary.LittleEndian.Uint64(page[planAt+8:]))
	if !(rate > 0 && rate <= 1) {
		return plan{}, wrong(ErrBounds, fmt.Sprintf("a planned rate of %g", rate), "above 0 and at most 1")
	}
	name := string(bytes.TrimRight(page[lifetimeAt:planEnd], "\x00"))
	lifetime, err := planning.ParseLifetime(name)
	if err != nil || lifetime.String() != name { // a lifetime has one spelling
		return plan{}, wrong(ErrBounds, fmt.Sprintf("a lifetime %q", name), "the name of one")
	}
	return newPlan(members, turnovers, rate, lifetime), nil
}

// lifetimeName returns the name of the lifetime, which fits the header: two numbers at most. One that was
// observed has none.
func (p *plan) lifetimeName() string {
	name := p.lifetime.String()
	if _, err := planning.ParseLifetime(name); err != nil {
		return planning.Oldest().String()
	}
	return name
}

func checksum(of string, crc uint32) string { return fmt.Sprintf("%s of CRC-32C %08x", of, crc) }
