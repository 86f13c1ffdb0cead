package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gopacket/gopacket/layers"
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

// blocks reads the packets of a pcapng file. Options, and blocks of other types, are left out:
// nothing that is read depends on them.
type blocks struct {
	in         *bufio.Reader
	order      binary.ByteOrder // of the current section
	block      []byte           // the current block, or its end if its type is another
	length     uint32           // of the current block
	offset     int64            // of the current block in the file
	number     int              // of the current block, from 1
	interfaces []origin         // of the section
}

// origin is an interface that packets come from.
type origin struct {
	link layers.LinkType
	snap uint32 // simple packets are cut to as many bytes, unless it is 0
}

// layout says what is where in a block, in bytes from its start.
type layout struct {
	least  uint32 // bytes of the block
	length int    // where that of a packet stands
	data   int    // of a packet
}

var layouts = map[uint32]layout{
	sectionHeader:  {least: 28},
	interfaceBlock: {least: 20},
	packetBlock:    {least: 32, length: 20, data: 28},
	simplePacket:   {least: 16, length: 8, data: 12},
	enhancedPacket: {least: 32, length: 20, data: 28},
}

// next returns the next packet and its link layer, or io.EOF after the last.
func (b *blocks) next() (layers.LinkType, []byte, error) {
	for {
		kind, err := b.read()
		if err != nil {
			return 0, nil, err
		}
		switch kind {
		case sectionHeader:
			b.interfaces = b.interfaces[:0]
			major, minor := b.order.Uint16(b.block[12:]), b.order.Uint16(b.block[14:])
			if major != 1 || minor != 0 && minor != 2 { // some writers say 1.2, and mean 1.0
				return 0, nil, b.damaged(fmt.Sprintf("version %d.%d", major, minor), "1.0 or 1.2")
			}
		case interfaceBlock:
			if len(b.interfaces) == maxInterfaces {
				return 0, nil, b.damaged("one more interface",
					fmt.Sprintf("at most %d a section", maxInterfaces))
			}
			b.interfaces = append(b.interfaces, origin{
				layers.LinkType(b.order.Uint16(b.block[8:])), b.order.Uint32(b.block[12:])})
		case packetBlock:
			return b.packet(kind, uint32(b.order.Uint16(b.block[8:])))
		case simplePacket:
			return b.packet(kind, 0)
		case enhancedPacket:
			return b.packet(kind, b.order.Uint32(b.block[8:]))
		}
	}
}

// packet returns the packet in the current block, of an interface.
func (b *blocks) packet(kind, id uint32) (layers.LinkType, []byte, error) {
	if id >= uint32(len(b.interfaces)) {
		return 0, nil, b.damaged(fmt.Sprintf("interface %d", id),
			fmt.Sprintf("one of the section's %d", len(b.interfaces)))
	}
	from, at := b.interfaces[id], layouts[kind]
	length, room := b.order.Uint32(b.block[at.length:]), uint32(len(b.block)-4-at.data)
	if kind == simplePacket && from.snap != 0 {
		length = min(length, from.snap)
	}
	if length > min(MaxPacket, room) {
		return 0, nil, b.damaged(fmt.Sprintf("a packet of %d bytes", length),
			fmt.Sprintf("at most %d", min(MaxPacket, room)))
	}
	return from.link, b.block[at.data:][:length], nil
}

// read reads the next block, and returns its type.
func (b *blocks) read() (kind uint32, err error) {
	b.offset += int64(b.length)
	b.number++
	head, err := b.in.Peek(12) // every block has as many
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return 0, io.EOF
	} else if err != nil {
		return 0, broken("pcapng", b.where(), err)
	}
	if binary.LittleEndian.Uint32(head) == sectionHeader { // a palindrome: the same in both orders
		switch magic := binary.BigEndian.Uint32(head[8:]); magic {
		case 0x1a2b3c4d:
			b.order = binary.BigEndian
		case 0x4d3c2b1a:
			b.order = binary.LittleEndian
		default:
			return 0, b.damaged(fmt.Sprintf("byte-order magic %08x", magic),
				"1a2b3c4d in either order")
		}
	}
	kind, b.length = b.order.Uint32(head), b.order.Uint32(head[4:])
	block, known := layouts[kind]
	length := func(expected string, n uint32) error {
		return b.damaged(fmt.Sprintf("type %d, %d bytes long", kind, b.length),
			fmt.Sprintf(expected, n))
	}
	if least := max(block.least, 12); b.length < least || b.length%4 != 0 {
		return 0, length("a multiple of 4, at least %d", least)
	} else if known && b.length > maxBlock {
		return 0, length("at most %d", maxBlock)
	}
	kept := uint32(4) // the bytes at the end of the block: all of them, where its type matters here
	if known {
		kept = b.length
	}
	b.block = slices.Grow(b.block[:0], int(kept))[:kept]
	if !known {
		_, err = io.CopyN(io.Discard, b.in, int64(b.length-kept))
	}
	if err == nil {
		_, err = io.ReadFull(b.in, b.block)
	}
	if err != nil {
		return 0, broken("pcapng", b.where(), err)
	}
	if again := b.order.Uint32(b.block[kept-4:]); again != b.length {
		return 0, b.damaged(fmt.Sprintf("length %d at the end of the block", again),
			fmt.Sprintf("%d as at its start", b.length))
	}
	return kind, nil
}

func (b *blocks) damaged(found, expected string) error {
	return &Error{"pcapng", b.where(), found, expected, nil}
}

func (b *blocks) where() string { return fmt.Sprintf("block %d at byte %d", b.number, b.offset) }
