package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Limits on what a pcapng file makes the reader allocate.
const (
	maxBlock      = 1 << 20 // bytes of a block that is kept; longer ones of other types are skipped
	maxInterfaces = 4096    // a section
)

// Block types (pcapng, sections 4.1 to 4.4 and the obsolete packet block of appendix A).
const (
	sectionHeader  = 0x0a0d0d0a
	interfaceBlock = 1
	packetBlock    = 2
	simplePacket   = 3
	enhancedPacket = 6
)

// blocks passes on the section, interface and packet blocks of a pcapng file, each read whole and
// checked first, and leaves out all others. pcapgo trusts the lengths inside a block: an option, a
// record or a block length below its minimum makes it read on through the blocks behind, and it
// keeps interfaces, names and secrets without limit. Behind this reader it sees neither.
type blocks struct {
	in      *bufio.Reader
	order   binary.ByteOrder // of the current section
	block   []byte           // the current block, whole
	pending []byte           // what of it was not passed on yet
	offset  int64            // of the next block in the file
	number  int              // of the current block, from 1
	snaps   []uint32         // snap lengths of the section's interfaces
	err     error
}

// Read implements io.Reader.
func (b *blocks) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.err = b.next()
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// next reads and checks a block. It returns io.EOF at the end of the file.
func (b *blocks) next() error {
	b.number++
	head, err := b.in.Peek(12) // every block has as many
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return io.EOF
	} else if err != nil {
		return b.truncated(err)
	}
	if binary.LittleEndian.Uint32(head) == sectionHeader { // a palindrome: the same in both orders
		switch magic := binary.BigEndian.Uint32(head[8:]); magic {
		case 0x1a2b3c4d:
			b.order = binary.BigEndian
		case 0x4d3c2b1a:
			b.order = binary.LittleEndian
		default:
			return b.damaged(fmt.Sprintf("byte-order magic %08x", magic),
				"1a2b3c4d in either order")
		}
	} else if b.order == nil {
		return b.damaged("another block", "a section header")
	}
	kind, total := b.order.Uint32(head), b.order.Uint32(head[4:])
	block, known := layouts[kind]
	length := func(expected string, n uint32) error {
		return b.damaged(fmt.Sprintf("type %d, %d bytes long", kind, total),
			fmt.Sprintf(expected, n))
	}
	if least := max(block.least, 12); total < least || total%4 != 0 {
		return length("a multiple of 4, at least %d", least)
	} else if known && total > maxBlock {
		return length("at most %d", maxBlock)
	}
	kept := uint32(4) // the bytes at the end of the block: all of them, where its type matters here
	if known {
		kept = total
	}
	b.block = slices.Grow(b.block[:0], int(kept))[:kept]
	if !known {
		_, err = io.CopyN(io.Discard, b.in, int64(total-kept))
	}
	if err == nil {
		_, err = io.ReadFull(b.in, b.block)
	}
	if err != nil {
		return b.truncated(err)
	}
	if again := b.order.Uint32(b.block[kept-4:]); again != total {
		return b.damaged(fmt.Sprintf("length %d at the end of the block", again),
			fmt.Sprintf("%d as at its start", total))
	}
	if known {
		if err := b.check(kind, &block); err != nil {
			return err
		}
		b.pending = b.block
	}
	b.offset += int64(total)
	return nil
}

// layout says what is where in a block, in bytes from its start.
type layout struct {
	least   uint32 // bytes of the block
	data    int    // of a packet; its length stands at length
	length  int
	options int // of a section or an interface, which has no data
}

var layouts = map[uint32]layout{
	sectionHeader:  {least: 28, options: 24},
	interfaceBlock: {least: 20, options: 16},
	packetBlock:    {least: 32, length: 20, data: 28},
	simplePacket:   {least: 16, length: 8, data: 12},
	enhancedPacket: {least: 32, length: 20, data: 28},
}

// check holds the lengths inside the current block against the block's own.
func (b *blocks) check(kind uint32, block *layout) error {
	word := func(at int) uint32 { return b.order.Uint32(b.block[at:]) }
	id := uint32(0)
	switch kind {
	case sectionHeader:
		b.snaps = b.snaps[:0]
		return b.checkOptions(block.options)
	case interfaceBlock:
		if len(b.snaps) == maxInterfaces {
			return b.damaged("one more interface",
				fmt.Sprintf("at most %d a section", maxInterfaces))
		}
		b.snaps = append(b.snaps, word(12))
		return b.checkOptions(block.options)
	case packetBlock:
		id = uint32(b.order.Uint16(b.block[8:]))
	case enhancedPacket:
		id = word(8)
	}
	if id >= uint32(len(b.snaps)) {
		return b.damaged(fmt.Sprintf("interface %d", id),
			fmt.Sprintf("one of the section's %d", len(b.snaps)))
	}
	length, room := word(block.length), len(b.block)-4-block.data
	if snap := b.snaps[0]; kind == simplePacket && snap != 0 {
		length = min(length, snap)
	}
	if length > MaxPacket || padded(length) > uint64(room) {
		return b.damaged(fmt.Sprintf("a packet of %d bytes", length),
			fmt.Sprintf("at most %d", min(MaxPacket, room)))
	}
	if kind == enhancedPacket {
		return b.checkOptions(block.data + int(padded(length)))
	}
	return nil
}

// checkOptions walks the options that fill the block from the byte given.
func (b *blocks) checkOptions(offset int) error {
	end := len(b.block) - 4
	for offset < end { // both are multiples of 4: an option's head is there
		code, length := b.order.Uint16(b.block[offset:]), b.order.Uint16(b.block[offset+2:])
		offset += 4
		if code == 0 && length != 0 {
			return b.damaged(fmt.Sprintf("an end of options of %d bytes", length), "0 bytes")
		}
		if code == 0 {
			return nil
		}
		if padded(uint32(length)) > uint64(end-offset) {
			return b.damaged(fmt.Sprintf("an option of %d bytes", length),
				fmt.Sprintf("at most %d", end-offset))
		}
		offset += int(padded(uint32(length)))
	}
	return nil
}

// padded rounds a length up to a whole number of 32-bit words.
func padded(length uint32) uint64 { return (uint64(length) + 3) &^ 3 }

func (b *blocks) damaged(found, expected string) error {
	return &Error{"pcapng", b.where(), found, expected, nil}
}

func (b *blocks) truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{"pcapng", b.where(), "the end of the file", "the rest of the block",
			io.ErrUnexpectedEOF}
	}
	return fmt.Errorf("pcapng, %s: %w", b.where(), err)
}

func (b *blocks) where() string { return fmt.Sprintf("block %d at byte %d", b.number, b.offset) }
