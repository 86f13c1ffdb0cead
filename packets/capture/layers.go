package capture

import (
	"encoding/binary"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// What is added to the tables of gopacket's decoders, which has all that these need.
func init() {
	// tags of switches from before 802.1ad had a number for its own
	for _, tag := range []layers.EthernetType{0x9100, 0x9200} {
		layers.EthernetTypeMetadata[tag] = layers.EthernetTypeMetadata[layers.EthernetTypeQinQ]
	}
	for link, decoder := range map[layers.LinkType]gopacket.Decoder{
		12:                         layers.LinkTypeRaw, // DLT_RAW of BSDs
		14:                         layers.LinkTypeRaw,
		layers.LinkTypeIPv4:        layers.LinkTypeRaw,
		layers.LinkTypeIPv6:        layers.LinkTypeRaw,
		layers.LinkTypePPP_HDLC:    layers.EthernetTypePPP,
		layers.LinkTypePPPEthernet: layers.EthernetTypePPPoESession,
		layers.LinkTypeATM_RFC1483: layers.EthernetTypeLLC,
		219:                        layers.EthernetTypeMPLSUnicast,
	} {
		layers.LinkTypeMetadata[link].DecodeWith = decoder
	}
}

// decodes reports whether anything of the packets of a link layer is decoded.
func decodes(link layers.LinkType) bool {
	return link < layers.LinkTypeMax && layers.LinkTypeMetadata[link].DecodeWith != nil
}

// network returns the packet from its outermost IP header on, and nil if it has none. The framings
// that nearly every capture has are read here, without allocating; gopacket's decoders know the
// rest.
func network(link layers.LinkType, frame []byte) []byte {
	switch link {
	case layers.LinkTypeEthernet:
		offset := 12
		for len(frame) >= offset+2 {
			kind := layers.EthernetType(binary.BigEndian.Uint16(frame[offset:]))
			switch kind {
			case layers.EthernetTypeIPv4, layers.EthernetTypeIPv6:
				return frame[offset+2:]
			case layers.EthernetTypeDot1Q, layers.EthernetTypeQinQ, 0x9100, 0x9200:
				offset += 4
				continue
			case layers.EthernetTypePPPoESession: // of which gopacket reads none that is cut
				const header = 2 + 6
				if len(frame) < offset+header+2 {
					return nil
				}
				switch layers.PPPType(binary.BigEndian.Uint16(frame[offset+header:])) {
				case layers.PPPTypeIPv4, layers.PPPTypeIPv6:
					return frame[offset+header+2:]
				}
			}
			return decoded(link, frame)
		}
		return nil
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		// A 32-bit address family in the byte order of the capturing machine; it is below 256.
		if len(frame) < 4 {
			return nil
		}
		switch max(frame[0], frame[3]) {
		case 2, 10, 24, 28, 30: // IPv4 everywhere; IPv6 on Linux, NetBSD, FreeBSD, macOS
			return frame[4:]
		}
		return nil
	case layers.LinkTypeRaw, layers.LinkTypeIPv4, layers.LinkTypeIPv6, 12, 14:
		return frame
	}
	return decoded(link, frame)
}

// ethernetHeader is the length of an Ethernet header without tags.
const ethernetHeader = 14

// ethernet returns a packet as an Ethernet frame, or nil: see [Reader.NextFrame].
func ethernet(link layers.LinkType, frame []byte) []byte {
	if link == layers.LinkTypeEthernet {
		if len(frame) < ethernetHeader {
			return nil
		}
		return frame
	}
	packet := network(link, frame)
	if len(packet) == 0 {
		return nil
	}
	kind := layers.EthernetTypeIPv4
	switch packet[0] >> 4 {
	case 4:
	case 6:
		kind = layers.EthernetTypeIPv6
	default:
		return nil
	}
	framed := binary.BigEndian.AppendUint16(make([]byte, ethernetHeader-2,
		ethernetHeader+len(packet)), uint16(kind))
	return append(framed, packet...)
}

// decoded finds the outermost IP header with gopacket's decoders, which stop there.
func decoded(link layers.LinkType, frame []byte) []byte {
	packet := gopacket.NewPacket(frame, link, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
	layer := packet.LayerClass(layers.LayerClassIPNetwork)
	if layer == nil || len(layer.LayerContents()) == 0 {
		return nil
	}
	// The layer's contents are the header alone, and gopacket takes an IPv6 hop-by-hop header out
	// of its payload; the bytes as captured start where the contents do.
	return from(frame, layer.LayerContents())
}

// from returns the rest of a frame from where a part of it starts, and nil where the part is a
// copy.
func from(frame, part []byte) []byte {
	offset := cap(frame) - cap(part)
	if offset < 0 || offset >= len(frame) || &frame[offset] != &part[0] {
		return nil
	}
	return frame[offset:]
}

// maxExtensions is the largest number of IPv6 extension headers that are walked over.
const maxExtensions = 16

// sourceAndWords returns the source address of an IP packet and the whole words of its transport
// payload. The source is the zero Addr if the IP header is malformed or was not captured whole.
func sourceAndWords(packet []byte) (source netip.Addr, payload []byte) {
	d := ip(packet)
	payload = transport(d.protocol, d.rest)
	return d.source, payload[:len(payload)/wordBytes*wordBytes]
}

// noNext says that no transport header follows: also in fragments after the first.
const noNext = layers.IPProtocolNoNextHeader

// datagram is what an IP header says. The source is the zero Addr if it is malformed or was not
// captured whole.
type datagram struct {
	source   netip.Addr
	protocol layers.IPProtocol // or noNext
	rest     []byte            // the bytes behind the header
}

// ip reads the IP header. What the link layer padded is left out: the header says how long the
// packet is, where it does (segmentation offload writes zero).
func ip(packet []byte) datagram {
	if len(packet) > 0 {
		switch packet[0] >> 4 {
		case 4:
			return ipv4(packet)
		case 6:
			return ipv6(packet)
		}
	}
	return datagram{protocol: noNext}
}

func ipv4(packet []byte) datagram {
	d := datagram{protocol: noNext}
	if len(packet) < 20 {
		return d
	}
	header := int(packet[0]&15) * 4
	if header < 20 {
		return d
	}
	d.source = netip.AddrFrom4([4]byte(packet[12:16]))
	later := binary.BigEndian.Uint16(packet[6:])&0x1fff != 0 // a fragment after the first
	protocol := layers.IPProtocol(packet[9])
	if total := int(binary.BigEndian.Uint16(packet[2:])); total != 0 {
		packet = packet[:min(total, len(packet))]
	}
	if len(packet) >= header && !later {
		d.protocol, d.rest = protocol, packet[header:]
	}
	return d
}

func ipv6(packet []byte) datagram {
	d := datagram{protocol: noNext}
	if len(packet) < 40 {
		return d
	}
	d.source = netip.AddrFrom16([16]byte(packet[8:24]))
	next, rest := layers.IPProtocol(packet[6]), packet[40:]
	if length := int(binary.BigEndian.Uint16(packet[4:])); length != 0 {
		rest = rest[:min(length, len(rest))]
	}
	for range maxExtensions + 1 {
		unit := 8 // of the header's length field
		switch next {
		case layers.IPProtocolIPv6HopByHop, layers.IPProtocolIPv6Routing,
			layers.IPProtocolIPv6Destination, 135, 139, 140: // mobility, host identity, shim6
		case layers.IPProtocolIPv6Fragment:
			unit = 0 // the field is reserved
		case layers.IPProtocolAH:
			unit = 4
		default:
			d.protocol, d.rest = next, rest
			return d
		}
		if len(rest) < 8 {
			break
		}
		if next == layers.IPProtocolIPv6Fragment && binary.BigEndian.Uint16(rest[2:])>>3 != 0 {
			break // one after the first
		}
		length := 8 + unit*int(rest[1])
		if len(rest) < length {
			break
		}
		next, rest = layers.IPProtocol(rest[0]), rest[length:]
	}
	return d
}

// transport returns what follows the transport header.
func transport(protocol layers.IPProtocol, segment []byte) []byte {
	header := 8
	switch protocol {
	case layers.IPProtocolTCP:
		if len(segment) < 20 {
			return nil
		}
		if header = int(segment[12]>>4) * 4; header < 20 {
			return nil
		}
	case layers.IPProtocolUDP:
		if len(segment) < header {
			return nil
		}
		// A length of zero says nothing, and one of 1 to 7 leaves no whole header, and so no
		// payload.
		if length := int(binary.BigEndian.Uint16(segment[4:])); length != 0 {
			segment = segment[:min(length, len(segment))]
		}
	case layers.IPProtocolUDPLite:
	case layers.IPProtocolSCTP:
		header = 12 // the common header; its chunks are the payload
	default:
		return nil
	}
	if len(segment) < header {
		return nil
	}
	return segment[header:]
}
