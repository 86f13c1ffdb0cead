package capture

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket/layers"
)

// Flags are flags of a TCP header, as its fourteenth byte has them.
type Flags uint8

// The flags that begin and end connections.
const (
	FIN Flags = 1 << 0
	SYN Flags = 1 << 1
	RST Flags = 1 << 2
	ACK Flags = 1 << 4
)

// Header is what the headers of a packet say of its flow.
type Header struct {
	Time time.Time // when it was captured; the zero Time where the capture does not say

	// Of the outermost IP header; the zero Addr where there is none.
	Source, Destination netip.Addr

	// Whole says that the fields below are known. They are not in a fragment after the first, nor
	// where the packet was cut in a header.
	Whole    bool
	Fragment bool // a fragment after the first

	Protocol layers.IPProtocol // the transport's
	// of TCP, UDP, UDP-Lite, DCCP and SCTP, and otherwise 0
	SourcePort, DestinationPort uint16
	Flags                       Flags // of TCP
}

// Headers is a stream of packets' headers, in order.
type Headers interface {
	// NextHeader returns the headers of the next packet. It returns io.EOF after the last packet,
	// and an *Error where the input is damaged.
	NextHeader() (Header, error)
}

// NextHeader returns what the headers of the next packet say of its flow. Errors are those of Next.
func (r *Reader) NextHeader() (Header, error) {
	link, data, err := r.next()
	if err != nil {
		return Header{}, err
	}
	h := header(network(link, data))
	h.Time = r.latest
	return h, nil
}

// header reads the headers of an IP packet.
func header(packet []byte) Header {
	d := ip(packet)
	h := Header{Source: d.source, Destination: d.destination, Protocol: d.protocol,
		Fragment: d.fragment}
	least := 0 // bytes of the transport's header that are read
	switch d.protocol {
	case noNext:
		h.Protocol = 0
		return h
	case layers.IPProtocolTCP:
		least = 14
	case layers.IPProtocolUDP, layers.IPProtocolUDPLite, layers.IPProtocolSCTP, protocolDCCP:
		least = 4
	}
	if len(d.rest) < least {
		return h
	}
	h.Whole = true
	if least > 0 {
		h.SourcePort, h.DestinationPort = binary.BigEndian.Uint16(d.rest),
			binary.BigEndian.Uint16(d.rest[2:])
	}
	if d.protocol == layers.IPProtocolTCP {
		h.Flags = Flags(d.rest[13])
	}
	return h
}

const protocolDCCP layers.IPProtocol = 33 // gopacket has no name for it
