package inpacket

import "github.com/bloomlane/bloomlane/fallback"

// Op is an operation of the in-line engine, as its side-band word and its program_op port take it.
type Op uint8

// The operations, which the RTL's parameter header has as BLOOMLANE_QUERY and so on.
const (
	OpQuery  Op = 0
	OpInsert Op = 1
	OpDelete Op = 2
	OpPass   Op = 3
)

// TUserProgrammed is the s_axis_tuser of a packet that is to be handled with the element and the
// operation that were programmed.
const TUserProgrammed = 1 << 2

// TUser returns the s_axis_tuser of a packet for the in-line engine: {positions, programmed = 0,
// op}, of 38 bits for headers of 256 bits and 45 for those of 512. The positions are those of
// [Element.Positions].
func TUser(op Op, positions uint64) uint64 { return positions<<3 | uint64(op&3) }

// PositionBits returns the width of stored positions, that of a match engine's write_key in the
// form of positions: 35 or 42.
func PositionBits[B Block]() int {
	if laneBits[B]() == 32 {
		return fallback.K * int(fallback.PositionBits[uint32]())
	}
	return fallback.K * int(fallback.PositionBits[uint64]())
}

// Words returns a mask, or a block, as the RTL's flat vector in words of 32 bits: word i is bits
// [32*i +: 32], so that lane 0 comes first and, of a lane of 64 bits, the low half.
func Words[B Block](block B) []uint32 {
	words := make([]uint32, 0, FieldBytes[B]()/4)
	for i := range fallback.Lanes {
		words = append(words, uint32(lane(&block, i)))
		if laneBits[B]() == 64 {
			words = append(words, uint32(lane(&block, i)>>32))
		}
	}
	return words
}

// PortWrite is one write to a match engine: a cycle with write = 1.
type PortWrite[B Block] struct {
	Port   int  // write_port
	Enable bool // write_enable: false clears the port
	// write_key where POSITIONS = 1; 0 for elements of plain headers, which have none
	Positions uint64
	Mask      B // write_key where POSITIONS = 0
}

// PortWrites returns the writes that give a match engine an element a port, in one of the tables,
// and clear the other ports. It panics where there are more elements than ports.
func PortWrites[B Block](elements []Element[B], table, ports int) []PortWrite[B] {
	writes := make([]PortWrite[B], ports)
	for port := range writes {
		writes[port].Port = port
	}
	for port, e := range elements {
		w := &writes[port]
		w.Enable, w.Mask = true, e.Masks[table]
		if e.Positions != nil {
			w.Positions = e.Positions[table]
		}
	}
	return writes
}
