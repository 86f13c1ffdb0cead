package xdp

import (
	"embed"
	"encoding/binary"
	"net/netip"
)

// Headers has program/packet.h and program/kernel.h: how the program reads a frame, in C.
//
//go:embed program/packet.h program/kernel.h
var Headers embed.FS

// Fault is what is wrong with a packet.
type Fault uint32

// The faults. A fragment may be the first one of its packet. A malformed packet has a header that
// is cut, is none, or is one too many.
const (
	Whole Fault = iota
	Fragment
	Malformed
)

// Packet is what a frame says of what is looked up. The addresses are the zero Addr if no header
// says them.
type Packet struct {
	Source, Destination netip.Addr
	Fault               Fault
}

// isTag reports whether a VLAN tag follows: of 802.1Q, of 802.1ad, or of switches that are older
// than that.
func isTag(kind uint16) bool {
	return kind == 0x8100 || kind == 0x88a8 || kind == 0x9100 || kind == 0x9200
}

// Parse reads a frame of Ethernet as the program does.
func Parse(frame []byte) Packet {
	none := Packet{Fault: Malformed}
	if len(frame) < 14 {
		return none
	}
	kind, rest := binary.BigEndian.Uint16(frame[12:]), frame[14:]
	for tags := 0; isTag(kind); tags++ {
		if tags == 4 || len(rest) < 4 {
			return none
		}
		kind, rest = binary.BigEndian.Uint16(rest[2:]), rest[4:]
	}
	switch kind {
	case 0x0800:
		if len(rest) < 20 || rest[0] < 0x45 || rest[0] > 0x4f {
			return none
		}
		p := Packet{netip.AddrFrom4([4]byte(rest[12:])), netip.AddrFrom4([4]byte(rest[16:])), Whole}
		const more, offset = 0x2000, 0x1fff
		if binary.BigEndian.Uint16(rest[6:])&(more|offset) != 0 {
			p.Fault = Fragment
		}
		return p
	case 0x86dd:
		if len(rest) < 40 || rest[0]>>4 != 6 {
			return none
		}
		return Packet{netip.AddrFrom16([16]byte(rest[8:])), netip.AddrFrom16([16]byte(rest[24:])),
			faultOf(rest[6], rest[40:])}
	}
	return Packet{}
}

// faultOf walks over extension headers.
func faultOf(next byte, rest []byte) Fault {
	for count := 0; ; count++ {
		unit := 8
		switch next {
		case 0, 43, 60, 135, 139, 140:
		case 44:
			unit = 0
		case 51:
			unit = 4
		default:
			return Whole
		}
		if count == 8 || len(rest) < 8 {
			return Malformed
		}
		if next == 44 && (binary.BigEndian.Uint16(rest[2:])>>3 != 0 || rest[3]&1 != 0) {
			return Fragment
		}
		length := 8 + unit*int(rest[1])
		if len(rest) < length {
			return Malformed
		}
		next, rest = rest[0], rest[length:]
	}
}
