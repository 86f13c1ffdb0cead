package inpacket

import "github.com/bloomlane/bloomlane/fallback"

// Op is an operation of the in-line engine, in its side-band word and at its port program_op.
type Op uint8

// The operations. In the Verilog they are BLOOMLANE_QUERY, BLOOMLANE_INSERT, BLOOMLANE_DELETE and
// BLOOMLANE_PASS.
const (
	OpQuery  Op = 0
	OpInsert Op = 1
	OpDelete Op = 2
	OpPass   Op = 3
)

// TUserProgrammed is what [TUser] returns, for a packet for which the in-line engine uses the
// element and the operation that it was programmed with.
const TUserProgrammed = 1 << 2

// TUser returns what stands in s_axis_tuser of a packet for the in-line engine, above the stream's
// own bits: {positions, programmed = 0, op}. It has 38 bits for headers of 256 bits, and 45 for
// headers of 512 bits. positions is one of [Element.Positions].
func TUser(op Op, positions uint64) uint64 { return positions<<3 | uint64(op&3) }

// PositionBits returns the width of the positions of an element, 35 or 42 bits. It is the width of
// write_key of a match engine with POSITIONS = 1.
func PositionBits[B Block]() int {
	if laneBits[B]() == 32 {
		return fallback.K * int(fallback.PositionBits[uint32]())
	}
	return fallback.K * int(fallback.PositionBits[uint64]())
}

// Words returns a mask or a block as words of 32 bits, in the order of the flat vector of the
// Verilog: word i is bits [32*i +: 32]. Lane 0 comes first, and the low half of a lane of 64 bits.
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

// PortWrite is one write to a match engine, which is a clock cycle with write = 1. The table is
// write_table of an engine that has several.
type PortWrite[B Block] struct {
	Port   int  // write_port
	Enable bool // write_enable; false clears the port
	// Positions is write_key if POSITIONS = 1. It is 0 for elements of plain headers.
	Positions uint64
	Mask      B // write_key if POSITIONS = 0
}

// PortWrites returns the writes that program a match engine with one element per port, in the given
// table, and clear the other ports. It panics if there are more elements than ports.
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
