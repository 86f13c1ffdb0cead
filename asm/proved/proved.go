// Package proved is no API: it knows the functions of asm whose machine code is proved to be the
// definition, by digests that the tests of package proof write, and says whether the program
// that runs has that code. It reads memory, so that a program without symbols can be asked too.
package proved

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
)

// Function is one whose machine code is proved.
type Function struct {
	Name       string
	Size       int
	Digest     string // SHA-256, in hexadecimal
	AsOf       string // the commit of the proof, where what is stated has changed since; else empty
	References []Reference
}

// Kind is how an instruction holds an address.
type Kind uint8

const (
	Relative Kind = iota // amd64: a distance of 32 bits from the next instruction
	Page                 // arm64: ADRP, and the low bits in the instruction behind it
	Branch               // arm64: a distance of 26 bits in instructions
)

// Reference is a part of the code that the linker fills in: the address of a constant, or of the
// symbol that has a name.
type Reference struct {
	Kind   Kind
	Offset int    // of what is filled in
	Next   int    // the offset that Relative counts from
	Symbol string // in package asm; empty for a constant
	Size   int    // of the constant, in bytes
}

// Image is the program that runs, or one in a file.
type Image interface {
	Bytes(address uint64, size int) ([]byte, error)
	Symbol(name string) uint64
}

// pageFields and branchField are the bits of the instructions of arm64 that the linker fills in.
const (
	pageField   = 3<<29 | 0x7ffff<<5
	lowField    = 0xfff << 10
	branchField = 1<<26 - 1
)

// Target returns the address that a reference in a function at that address has.
func (r Reference) Target(code []byte, address uint64) uint64 {
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(code[r.Offset+4*n:]) }
	switch r.Kind {
	case Page:
		distance := int64(word(0)>>5&0x7ffff<<2|word(0)>>29&3) << 43 >> 43
		page := (address + uint64(r.Offset)) &^ 0xfff
		return page + uint64(distance<<12) + uint64(word(1)&lowField>>10)
	case Branch:
		return address + uint64(r.Offset) + uint64(int64(word(0)&branchField)<<38>>38*4)
	}
	return address + uint64(r.Next) + uint64(int32(word(0)))
}

// clear clears what the linker fills in.
func (r Reference) clear(code []byte) {
	clearBits := func(n int, field uint32) {
		at := code[r.Offset+4*n:]
		binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)&^field)
	}
	switch r.Kind {
	case Page:
		clearBits(0, pageField)
		clearBits(1, lowField)
	case Branch:
		clearBits(0, branchField)
	default:
		clearBits(0, 1<<32-1)
	}
}

// ReferenceError is a reference that leads elsewhere than where the name says.
type ReferenceError struct {
	Symbol      string
	Found, Want uint64
}

func (e *ReferenceError) Error() string {
	return fmt.Sprintf("a reference to %#x, want that of %s, %#x", e.Found, e.Symbol, e.Want)
}

// Sum returns the digest of a function of an image: of its code without what the linker fills in,
// and of the constants that it refers to.
func (f Function) Sum(image Image, address uint64) (string, error) {
	code, err := image.Bytes(address, f.Size)
	if err != nil {
		return "", err
	}
	masked, constants := bytes.Clone(code), []byte(nil)
	for _, r := range f.References {
		r.clear(masked)
		target := r.Target(code, address)
		if r.Symbol != "" {
			if want := image.Symbol(r.Symbol); target != want {
				return "", &ReferenceError{r.Symbol, target, want}
			}
			continue
		}
		constant, err := image.Bytes(target, r.Size)
		if err != nil {
			return "", err
		}
		constants = append(constants, constant...)
	}
	sum := sha256.Sum256(slices.Concat(masked, constants))
	return hex.EncodeToString(sum[:]), nil
}

// Check returns the names of the functions that this program has as they are proved, and of those
// that it has otherwise. Both are empty in a program without assembly.
func Check() (same, other []string) {
	same, other = []string{}, []string{}
	for i, f := range Functions {
		sum, err := f.Sum(memory{}, addresses()[i])
		if err == nil && sum == f.Digest {
			same = append(same, f.Name)
		} else {
			other = append(other, f.Name)
		}
	}
	return same, other
}

// memory is the image of the program that runs.
type memory struct{}

// UnreadableError is memory that cannot be read.
type UnreadableError struct{ Address uint64 }

func (e *UnreadableError) Error() string { return fmt.Sprintf("no memory at %#x", e.Address) }

func (memory) Bytes(address uint64, size int) (read []byte, err error) {
	// Code that differs may refer to anything, and systems may have code that is not readable.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			read, err = nil, &UnreadableError{address}
		}
	}()
	return bytes.Clone(view(address, size)), nil
}

func (memory) Symbol(name string) uint64 {
	if i := slices.Index(symbols, name); i >= 0 {
		return addresses()[len(Functions)+i]
	}
	return 0
}
