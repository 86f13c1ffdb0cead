package register

import "fmt"

// Bus reads and writes registers of 32 bits, by their addresses, which are multiples of 4.
//
// Implementations report what they cannot reach by an error that wraps *[AddressError], and what
// the hardware refuses by one that wraps *[RefusedError].
type Bus interface {
	Read(address uint32) (uint32, error)
	Write(address, value uint32) error
}

// AddressError says that an address is no multiple of 4, or behind the last register.
type AddressError struct {
	Address uint32
	Bytes   int // of all registers
}

// Error names the address and what is expected.
func (e *AddressError) Error() string {
	return fmt.Sprintf("register: address %#x, expected a multiple of 4 below %#x", e.Address,
		e.Bytes)
}

// RefusedError says that the hardware refused a request: AXI's SLVERR.
type RefusedError struct {
	Address uint32
	Write   bool // or a read
}

// Error names the request. It has no value, which may be a word of a key.
func (e *RefusedError) Error() string {
	what := "read"
	if e.Write {
		what = "write"
	}
	return fmt.Sprintf("register: the hardware refused a %s of %#x", what, e.Address)
}
