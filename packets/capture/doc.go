// Package capture is no API: it reads packets from captures (pcap and pcapng), from a text format,
// and from a seeded synthetic trace. Each gives the same stream: a packet's source address and its
// payload in whole 32-bit words. A capture also gives whole frames.
//
// Of a capture, only the link types, the lengths of records and their bytes are read: no times, no
// options. Link layers are those that gopacket decodes. VLAN tags have the types 8100, 88a8, 9100
// and 9200, and there may be any number of them.
//
// # Lengths in packets
//
// A packet's own length cuts what was captured. Nothing beyond the captured bytes is read:
//
//   - An IP length or a UDP length of zero is no length: segmentation offload writes it, and so
//     do jumbograms. Then all captured bytes count.
//   - A length that is shorter than its own header leaves no payload: an IP header length below 5
//     words, an IPv4 total length that ends in the header, a UDP length of 1 to 7, a TCP data
//     offset below 5. Receivers drop such a packet. Its source still counts, except with an IPv4
//     header below 5 words.
//   - A length beyond the captured bytes means that the packet was cut: the captured bytes count.
//
// Fragments after the first have no payload, and neither has what follows more than 16 IPv6
// extension headers.
//
// # Damage
//
// Captures are untrusted. A length in a file does not decide how much memory is allocated: records
// are limited to MaxPacket bytes, pcapng blocks to 1 MiB and interfaces to 4096 a section, each
// checked before anything is allocated for it. Damage is an [*Error] that says what was found and
// what was expected; the packets before it have been delivered.
package capture

import (
	"fmt"
	"net/netip"

	"github.com/bloomlane/bloomlane/internal/legible"
)

// Packets is a stream of packets, in order.
type Packets interface {
	// Next returns the next packet: its source address (the zero Addr if it has no IP header) and
	// its payload, a whole number of 32-bit big-endian words, valid until the next call. It returns
	// io.EOF after the last packet, and an *Error where the input is damaged.
	Next() (source netip.Addr, payload []byte, err error)
}

// wordBytes is the size of a word.
const wordBytes = 4

// Error says what is wrong with an input, and where.
type Error struct {
	Format   string // the format that was being read, such as "pcapng"
	Where    string // the place, such as "line 3" or "packet 27"
	Found    string
	Expected string
	Err      error // the cause, such as io.ErrUnexpectedEOF, or nil
}

// Error returns the format, the place, what was found and what was expected. A long text that was
// found is cut in its middle.
func (e *Error) Error() string {
	const most = 100
	return fmt.Sprintf("%s, %s: found %s, expected %s", e.Format, e.Where,
		legible.Cut(e.Found, most), e.Expected)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// NoPacketError says that an input has no packet that a command can use.
type NoPacketError struct {
	Input   string
	Packets int   // read, none of which can be used
	Err     error // what ended the input before its end, or nil
}

func (e *NoPacketError) Error() string {
	none := fmt.Sprintf("%s: none of %d packets can be sent over Ethernet, ", e.Input, e.Packets)
	switch {
	case e.Err != nil && e.Packets == 0:
		return fmt.Sprintf("%s: no packet can be read: %v", e.Input, e.Err)
	case e.Err != nil:
		return none + "and then: " + e.Err.Error()
	}
	return none + "expected at least one"
}

// Unwrap returns the damage of the input.
func (e *NoPacketError) Unwrap() error { return e.Err }
