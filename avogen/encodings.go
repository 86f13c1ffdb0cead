package main

import "fmt"

// This file has the instructions of Advanced SIMD that Go's assembler for arm64 lacks. A test
// compares their numbers with GNU as.

// encoded is an instruction that is written as a number.
type encoded struct {
	word   uint32
	syntax string // as GNU as has it
}

func (e encoded) String() string { return fmt.Sprintf("WORD $0x%08x // %s", e.word, e.syntax) }

// arrangement is how a vector register is divided into lanes.
type arrangement struct {
	name string
	q    uint32 // all of the register, or its lower half
	size uint32 // log2 of the bytes of a lane
}

var (
	b8  = arrangement{"8b", 0, 0}
	b16 = arrangement{"16b", 1, 0}
	h4  = arrangement{"4h", 0, 1}
	h8  = arrangement{"8h", 1, 1}
	s2  = arrangement{"2s", 0, 2}
	s4  = arrangement{"4s", 1, 2}
	d2  = arrangement{"2d", 1, 3}
)

// threeSame encodes an instruction of the group "Advanced SIMD three same" of the Arm Architecture
// Reference Manual, C4.1: two sources and a destination of one arrangement.
func threeSame(mnemonic string, u, size, opcode uint32, a arrangement, d, n, m int) encoded {
	return encoded{
		0x0e200400 | a.q<<30 | u<<29 | size<<22 | field(m, 5)<<16 | opcode<<11 |
			field(n, 5)<<5 | field(d, 5),
		fmt.Sprintf("%[1]s v%[3]d.%[2]s, v%[4]d.%[2]s, v%[5]d.%[2]s", mnemonic, a.name, d, n, m),
	}
}

// ushl shifts each lane of n to the left by the lowest byte of that lane of m, which is signed.
func ushl(a arrangement, d, n, m int) encoded {
	return threeSame("ushl", 1, a.size, 0b01000, a, d, n, m)
}

// umaxp returns the maxima of neighbouring lanes, those of n below those of m. There is none of
// doublewords.
func umaxp(a arrangement, d, n, m int) encoded {
	if a == d2 {
		panic("avogen: umaxp has no arrangement " + a.name)
	}
	return threeSame("umaxp", 1, a.size, 0b10100, a, d, n, m)
}

// bic returns n &^ m.
func bic(a arrangement, d, n, m int) encoded {
	if a.size != 0 {
		panic("avogen: bic has no arrangement " + a.name)
	}
	return threeSame("bic", 0, 1, 0b00011, a, d, n, m)
}

// mul returns the lower halves of the products of n and m. There is none of doublewords.
func mul(a arrangement, d, n, m int) encoded {
	if a == d2 {
		panic("avogen: mul has no arrangement " + a.name)
	}
	return threeSame("mul", 0, a.size, 0b10011, a, d, n, m)
}

// shrn shifts each lane of n, which are twice as wide as a says, to the right, and keeps the lower
// half of it. Where the shift is by nothing, it is xtn.
func shrn(a arrangement, d, n, shift int) encoded {
	bits := 8 << a.size
	if a.q != 0 || shift < 0 || shift > bits {
		panic(fmt.Sprintf("avogen: shrn has no shift by %d to %s", shift, a.name))
	}
	wide := map[string]string{"8b": "8h", "4h": "4s", "2s": "2d"}[a.name]
	registers := field(n, 5)<<5 | field(d, 5)
	if shift == 0 {
		return encoded{0x0e212800 | a.size<<22 | registers,
			fmt.Sprintf("xtn v%d.%s, v%d.%s", d, a.name, n, wide)}
	}
	return encoded{
		0x0f008400 | uint32(2*bits-shift)<<16 | registers,
		fmt.Sprintf("shrn v%d.%s, v%d.%s, #%d", d, a.name, n, wide, shift),
	}
}

// field returns a value as a field of an instruction.
func field(value, width int) uint32 {
	if value < 0 || value >= 1<<width {
		panic(fmt.Sprintf("avogen: %d does not fit into %d bits of an instruction", value, width))
	}
	return uint32(value)
}
