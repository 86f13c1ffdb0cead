package inpacket

import (
	"encoding/binary"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// A header on the wire, in network order:
//
//	byte 0      version 1 in the high half; the kind in the low half: 0 a deletable filter of 256
//	            bits, 1 one of 512 bits, 2 a plain one of 256 bits
//	byte 1      the table
//	bytes 2, 3  the EtherType of what follows the header
//	bytes 4 …   the field: lanes 0 to 7, each big-endian

// FieldOffset is the offset in bytes of the field in a header on the wire. OFFSET of the in-line
// engine is the offset of the field in the packet.
const FieldOffset = 4

const version = 1

const (
	kind256 = iota
	kind512
	kindPlain
)

// FieldBytes returns the length of the field, which is the eight lanes: 32 or 64 bytes.
func FieldBytes[B Block]() int { return int(unsafe.Sizeof(*new(B))) }

// HeaderBytes returns the length of a header on the wire: 36 or 68 bytes.
func HeaderBytes[B Block]() int { return FieldOffset + FieldBytes[B]() }

// kind returns the kind of a header.
func (h *Header[B]) kind() int {
	switch {
	case laneBits[B]() == 64:
		return kind512
	case h.Plain:
		return kindPlain
	}
	return kind256
}

// AppendBinary appends the header in the form of the wire to b. The error is always nil.
func (h *Header[B]) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, version<<4|byte(h.kind()), h.Table)
	b = binary.BigEndian.AppendUint16(b, h.Next)
	for i := range fallback.Lanes {
		if laneBits[B]() == 32 {
			b = binary.BigEndian.AppendUint32(b, uint32(lane(&h.Block, i)))
		} else {
			b = binary.BigEndian.AppendUint64(b, lane(&h.Block, i))
		}
	}
	return b, nil
}

// MarshalBinary returns the header in the form of the wire. The error is always nil.
func (h *Header[B]) MarshalBinary() ([]byte, error) {
	return h.AppendBinary(make([]byte, 0, HeaderBytes[B]()))
}

// UnmarshalBinary reads a header in the form of the wire, of [HeaderBytes] bytes. The error is a
// *[WireError], and h stays as it is.
func (h *Header[B]) UnmarshalBinary(data []byte) error {
	if len(data) != HeaderBytes[B]() {
		return &WireError{ErrLength, len(data), HeaderBytes[B]()}
	}
	if v := data[0] >> 4; v != version {
		return &WireError{ErrVersion, int(v), version}
	}
	read := Header[B]{Table: data[1], Next: binary.BigEndian.Uint16(data[2:])}
	kind := int(data[0] & 15)
	read.Plain = kind == kindPlain && laneBits[B]() == 32
	if kind != read.kind() {
		return &WireError{ErrKind, kind, (&Header[B]{}).kind()}
	}
	field := data[FieldOffset:]
	for i := range fallback.Lanes {
		if laneBits[B]() == 32 {
			setLane(&read.Block, i, uint64(binary.BigEndian.Uint32(field[4*i:])))
		} else {
			setLane(&read.Block, i, binary.BigEndian.Uint64(field[8*i:]))
		}
	}
	*h = read
	return nil
}
