package capture

import (
	"bytes"
	"encoding/binary"
	"math"
	"net"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// TestWords says what the source and the words of a packet are.
func TestWords(t *testing.T) {
	const (
		words = "\x01\x02\x03\x04\x05\x06\x07\x08"
		rest  = "\x09\x0a\x0b" // never a word
	)
	payload := gopacket.Payload(words + rest)
	mac := make(net.HardwareAddr, 6)
	ethernet := func(kind layers.EthernetType) *layers.Ethernet {
		return &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: kind}
	}
	v4 := func(protocol layers.IPProtocol) *layers.IPv4 {
		return &layers.IPv4{Version: 4, Protocol: protocol, SrcIP: net.IP{192, 0, 2, 1},
			DstIP: net.IP{192, 0, 2, 2}}
	}
	v6 := func(next layers.IPProtocol) *layers.IPv6 {
		return &layers.IPv6{Version: 6, NextHeader: next, SrcIP: net.ParseIP("2001:db8::1"),
			DstIP: net.ParseIP("2001:db8::2")}
	}
	mapped := v6(layers.IPProtocolUDP)
	mapped.SrcIP = net.ParseIP("::ffff:192.0.2.1").To16()
	udp, tcp := &layers.UDP{SrcPort: 9, DstPort: 9},
		&layers.TCP{Options: []layers.TCPOption{{OptionType: layers.TCPOptionKindNop}}}
	options := v4(layers.IPProtocolUDP)
	options.Options = []layers.IPv4Option{{OptionType: 1}}
	first, later := v4(layers.IPProtocolUDP), v4(layers.IPProtocolUDP)
	first.Flags, later.FragOffset = layers.IPv4MoreFragments, 100
	raw := func(stack ...gopacket.SerializableLayer) []byte { return serialize(t, stack...) }
	header := func(next layers.IPProtocol, bytes ...byte) gopacket.Payload {
		return append(gopacket.Payload{byte(next)}, bytes...)
	}
	hop := header(layers.IPProtocolUDP, 0, 1, 4, 0, 0, 0, 0)
	// chain is a number of extension headers, of all kinds that have their length in units of 8
	// bytes.
	chain := func(n int) gopacket.SerializableLayer {
		kinds := []layers.IPProtocol{135, layers.IPProtocolIPv6Routing, 139, 140,
			layers.IPProtocolIPv6Destination}
		var all gopacket.Payload
		for i := range n - 1 {
			all = append(all, header(kinds[i%len(kinds)], 0, 1, 4, 0, 0, 0, 0)...)
		}
		return append(all, hop...)
	}
	tag := &layers.Dot1Q{Type: layers.EthernetTypeIPv6}
	change := func(packet []byte, at int, value ...byte) []byte {
		packet = bytes.Clone(packet)
		copy(packet[at:], value)
		return packet
	}
	udp4, udp6 := raw(v4(layers.IPProtocolUDP), udp, payload),
		raw(v6(layers.IPProtocolUDP), udp, payload)
	tcp4 := raw(v4(layers.IPProtocolTCP), tcp, payload)

	const rawLink, ether = layers.LinkTypeRaw, layers.LinkTypeEthernet
	const none, four, six = "invalid IP", "192.0.2.1", "2001:db8::1"
	tests := []struct {
		name   string
		link   layers.LinkType
		frame  []byte
		source string
		words  string
	}{
		{"UDP", rawLink, udp4, four, words},
		{"TCP with options", rawLink, tcp4, four, words},
		{"UDP-Lite", rawLink,
			raw(v4(layers.IPProtocolUDPLite), gopacket.Payload("\x00\x09\x00\x09\x00\x08\x00\x00"),
				payload), four, words},
		{"SCTP without its common header", rawLink,
			raw(v4(layers.IPProtocolSCTP), gopacket.Payload("common hdr\x00\x00"), payload), four,
			words},
		{"ICMP", rawLink, raw(v4(layers.IPProtocolICMPv4), payload), four, ""},
		{"IP in IP: the outermost", rawLink,
			raw(v4(layers.IPProtocolIPv6), v6(layers.IPProtocolUDP), udp, payload), four, ""},
		{"IPv4 options", rawLink, raw(options, udp, payload), four, words},
		{"first IPv4 fragment", rawLink, raw(first, udp, payload), four, words},
		{"later IPv4 fragment", rawLink, raw(later, udp, payload), four, ""},
		{"IPv4 length of zero: segmentation offload", rawLink, change(udp4, 2, 0, 0), four, words},
		{"bytes behind the IPv4 packet", rawLink, append(bytes.Clone(udp4), "trailer"...), four,
			words},
		{"IPv4 packet cut in a word", rawLink, udp4[:len(udp4)-6], four, words[:4]},
		{"IPv4 length shorter than its header", rawLink, change(udp4, 2, 0, 19), four, ""},
		{"IPv4 header cut", rawLink, udp4[:19], none, ""},
		{"IPv4 header length below 20", rawLink, change(udp4, 0, 0x44), none, ""},
		{"IPv4 options cut", rawLink, raw(options, udp, payload)[:20], four, ""},
		{"UDP length shorter than the packet", rawLink, change(udp4, 24, 0, 8+5), four, words[:4]},
		{"UDP length of zero: a jumbogram", rawLink, change(udp4, 24, 0, 0), four, words},
		{"UDP header cut", rawLink, udp4[:27], four, ""},
		{"TCP offset below its header", rawLink, change(tcp4, 32, 0x40), four, ""},
		{"TCP offset behind the packet", rawLink, change(tcp4, 32, 0xf0), four, ""},
		{"TCP header cut", rawLink, tcp4[:39], four, ""},
		{"no version", rawLink, []byte{0x50, 0, 0, 0}, none, ""},
		{"nothing", rawLink, nil, none, ""},

		{"IPv6 UDP", rawLink, udp6, six, words},
		{"IPv4-mapped IPv6 source", rawLink, raw(mapped, udp, payload), "::ffff:192.0.2.1", words},
		{"bytes behind the IPv6 packet", rawLink, append(bytes.Clone(udp6), "trailer"...), six,
			words},
		{"IPv6 length of zero: segmentation offload", rawLink, change(udp6, 4, 0, 0), six, words},
		{"IPv6 header cut", rawLink, udp6[:39], none, ""},
		{"hop-by-hop header", rawLink, raw(v6(layers.IPProtocolIPv6HopByHop), hop, udp, payload),
			six, words},
		{"hop-by-hop header behind the packet", rawLink, raw(v6(layers.IPProtocolIPv6HopByHop),
			header(layers.IPProtocolUDP, 9, 1, 4, 0, 0, 0, 0), udp, payload), six, ""},
		{"first IPv6 fragment", rawLink, raw(v6(layers.IPProtocolIPv6Fragment),
			header(layers.IPProtocolUDP, 0, 0, 1, 0, 0, 0, 1), udp, payload), six, words},
		{"later IPv6 fragment", rawLink, raw(v6(layers.IPProtocolIPv6Fragment),
			header(layers.IPProtocolUDP, 0, 0, 8, 0, 0, 0, 1), udp, payload), six, ""},
		{"authentication header", rawLink,
			raw(v6(layers.IPProtocolAH), header(layers.IPProtocolUDP, 4, 0, 0),
				gopacket.Payload(make([]byte, 20)), udp, payload), six, words},
		{"as many extension headers as are walked", rawLink,
			raw(v6(layers.IPProtocolIPv6Destination), chain(16), udp, payload), six, words},
		{"more extension headers than are walked", rawLink,
			raw(v6(layers.IPProtocolIPv6Destination), chain(17), udp, payload), six, ""},
		{"first IPv6 fragment with a reserved byte", rawLink,
			raw(v6(layers.IPProtocolIPv6Fragment), header(layers.IPProtocolUDP, 9, 0, 1, 0, 0, 0,
				1), udp, payload), six, words},
		{"no next header", rawLink, raw(v6(layers.IPProtocolNoNextHeader), payload), six, ""},

		{"Ethernet", ether, raw(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolUDP), udp,
			payload), four, words},
		{"Ethernet padding is no payload", ether,
			append(raw(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolUDP), udp,
				gopacket.Payload("word")), make([]byte, 8)...), four, "word"},
		{"VLAN", ether, raw(ethernet(layers.EthernetTypeDot1Q),
			&layers.Dot1Q{Type: layers.EthernetTypeIPv6}, v6(layers.IPProtocolUDP), udp,
			payload), six, words},
		{"two VLANs", ether,
			raw(ethernet(layers.EthernetTypeQinQ), &layers.Dot1Q{Type: layers.EthernetTypeDot1Q},
				&layers.Dot1Q{Type: layers.EthernetTypeIPv4}, v4(layers.IPProtocolTCP), tcp,
				payload), four, words},
		{"MPLS", ether, raw(ethernet(layers.EthernetTypeMPLSUnicast),
			&layers.MPLS{StackBottom: true}, v4(layers.IPProtocolUDP), udp, payload), four, words},
		{"PPPoE with a hop-by-hop header", ether, raw(ethernet(layers.EthernetTypePPPoESession),
			&layers.PPPoE{Version: 1, Type: 1}, &layers.PPP{PPPType: layers.PPPTypeIPv6},
			v6(layers.IPProtocolIPv6HopByHop), hop, udp, payload), six, words},
		{"PPPoE cut", ether, raw(ethernet(layers.EthernetTypePPPoESession),
			&layers.PPPoE{Version: 1, Type: 1}, &layers.PPP{PPPType: layers.PPPTypeIPv4},
			v4(layers.IPProtocolUDP), udp, payload)[:14+8+20], four, ""},
		{"PPPoE cut in its header", ether, raw(ethernet(layers.EthernetTypePPPoESession),
			&layers.PPPoE{Version: 1, Type: 1}, gopacket.Payload{0}), none, ""},
		{"QinQ alone", ether, raw(ethernet(layers.EthernetTypeQinQ), tag, v6(layers.IPProtocolUDP),
			udp, payload), six, words},
		{"a tag of type 9100", ether, raw(ethernet(0x9100),
			&layers.Dot1Q{Type: layers.EthernetTypeDot1Q}, tag, v6(layers.IPProtocolUDP), udp,
			payload), six, words},
		{"a tag of type 9200", ether, raw(ethernet(0x9200), tag, v6(layers.IPProtocolUDP), udp,
			payload), six, words},
		{"PPPoE behind a tag of type 9100", ether, raw(ethernet(0x9100),
			&layers.Dot1Q{Type: layers.EthernetTypePPPoESession},
			&layers.PPPoE{Version: 1, Type: 1}, &layers.PPP{PPPType: layers.PPPTypeIPv6},
			v6(layers.IPProtocolUDP), udp, payload), six, words},
		{"VLAN cut", ether, raw(ethernet(layers.EthernetTypeDot1Q), tag)[:17], none, ""},
		{"VLAN and nothing else", ether, raw(ethernet(layers.EthernetTypeDot1Q), tag), none, ""},
		{"ARP", ether, raw(ethernet(layers.EthernetTypeARP), gopacket.Payload(make([]byte, 28))),
			none, ""},
		{"Ethernet cut", ether, make([]byte, 13), none, ""},

		{"loopback, IPv4", layers.LinkTypeNull, append([]byte{2, 0, 0, 0}, udp4...), four, words},
		{"loopback, IPv6 in the other order", layers.LinkTypeLoop,
			append([]byte{0, 0, 0, 30}, udp6...), six, words},
		{"loopback, IPv6 of NetBSD", layers.LinkTypeNull, append([]byte{24, 0, 0, 0}, udp6...), six,
			words},
		{"loopback, IPv6 of FreeBSD", layers.LinkTypeLoop, append([]byte{0, 0, 0, 28}, udp6...),
			six, words},
		{"loopback, IPv6 of Linux", layers.LinkTypeNull, append([]byte{10, 0, 0, 0}, udp6...), six,
			words},
		{"raw IP of OpenBSD", 14, udp4, four, words},
		{"raw IP of other BSDs", 12, udp6, six, words},
		{"loopback, another family", layers.LinkTypeNull, append([]byte{7, 0, 0, 0}, udp4...), none,
			""},
		{"loopback cut", layers.LinkTypeNull, []byte{2, 0, 0}, none, ""},
		{"link type IPv6", layers.LinkTypeIPv6, udp6, six, words},
		{"Linux cooked", layers.LinkTypeLinuxSLL, append(append(make([]byte, 14), 8, 0), udp4...),
			four, words},
		{"Linux cooked, behind a tag of type 9200", layers.LinkTypeLinuxSLL,
			append(append(make([]byte, 14), 0x92, 0, 0, 1, 8, 0), udp4...), four, words},
		{"PPP in frames of HDLC", layers.LinkTypePPP_HDLC,
			append([]byte{0xff, 3, 0, 0x21}, udp4...), four, words},
		{"PPPoE", layers.LinkTypePPPEthernet,
			raw(&layers.PPPoE{Version: 1, Type: 1}, &layers.PPP{PPPType: layers.PPPTypeIPv6},
				v6(layers.IPProtocolUDP), udp, payload), six, words},
		{"ATM", layers.LinkTypeATM_RFC1483,
			append([]byte{0xaa, 0xaa, 3, 0, 0, 0, 8, 0}, udp4...), four, words},
		{"MPLS", 219, append([]byte{0, 1, 1, 64}, udp4...), four, words},
		{"a link type without decoder", 999, udp4, none, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// The frame lies in a larger buffer, as those of a reader do.
			buffer := append(append(make([]byte, 0, len(test.frame)+64), test.frame...),
				"old packet, old packet"...)
			source, payload := sourceAndWords(network(test.link, buffer[:len(test.frame)]))
			if source.String() != test.source || string(payload) != test.words {
				t.Errorf("source %s, words %x; want %s, %x", source, payload,
					test.source, test.words)
			}
		})
	}
}

// Lengths in a packet cut what was captured. Each is tried with each other and with every cut, and
// held against the payload that all of them leave: from behind the last header to the first end.
func TestLengths(t *testing.T) {
	lengths := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 19, 20, 21, 27, 28, 29, 32, 35, 36, 40,
		44, 60, 65535}
	offsets := []int{0, 1, 2, 3, 4, 5, 6, 15}
	found := map[bool]int{}
	check := func(p lengthsPacket) {
		bytes, start, end := p.bytes()
		for cut := range len(bytes) + 1 {
			source, got := sourceAndWords(bytes[:cut])
			want := ""
			if last := min(cut, end); start < last {
				want = string(bytes[start : start+(last-start)/4*4])
			}
			known := p.header >= 5 && cut >= 20 && (p.version == 4 || cut >= 40)
			if string(got) != want || source.IsValid() != known {
				t.Fatalf("%+v, cut at %d: source %v, words %x; want %v, %x", p, cut, source,
					got, known, want)
			}
			found[want != ""]++
		}
	}
	for _, length := range lengths {
		for _, p := range []lengthsPacket{
			{4, 0, length, 17, 0}, {4, 1, length, 17, 0}, {4, 4, length, 17, 0},
			{4, 5, length, 17, 0},
			{4, 6, length, 17, 0}, {4, 15, length, 17, 0}, {6, 10, length, 17, 0},
		} {
			for _, p.field = range lengths {
				check(p)
			}
			p.protocol = 6
			for _, p.field = range offsets {
				check(p)
			}
		}
	}
	if found[true] < 4000 || found[false] < 4000 {
		t.Errorf("%v packets with words: the test shows too little", found)
	}
}

// lengthsPacket is an IP packet whose lengths may be lies.
type lengthsPacket struct {
	version, header, length int   // of IP; the header in words of 4 bytes
	protocol                uint8 // UDP or TCP
	field                   int   // the UDP length, or the TCP data offset
}

// bytes returns the packet, and from where to where its lengths say that the payload is.
func (p lengthsPacket) bytes() (packet []byte, start, end int) {
	packet, end = make([]byte, max(20, 4*p.header)), math.MaxInt
	packet[0] = byte(p.version<<4 | p.header)
	if p.version == 4 {
		packet[9] = p.protocol
		binary.BigEndian.PutUint16(packet[2:], uint16(p.length))
	} else {
		packet[0], packet[6] = 0x60, p.protocol
		binary.BigEndian.PutUint16(packet[4:], uint16(p.length))
	}
	if p.length != 0 {
		end = p.length
		if p.version == 6 {
			end += len(packet)
		}
	}
	segment := make([]byte, 8)
	if p.protocol == 6 {
		segment = make([]byte, max(20, 4*p.field))
		segment[12] = byte(p.field << 4)
	} else {
		binary.BigEndian.PutUint16(segment[4:], uint16(p.field))
		if p.field != 0 {
			end = min(end, len(packet)+p.field)
		}
	}
	packet = append(packet, segment...)
	start = len(packet)
	if p.header < 5 || p.protocol == 6 && p.field < 5 {
		end = 0
	}
	return append(packet, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"...), start, end
}

func TestFrom(t *testing.T) {
	frame := append(make([]byte, 0, 64), "a frame of some bytes"...)
	for _, test := range []struct {
		name string
		part []byte
		want string
	}{
		{"all", frame, "a frame of some bytes"},
		{"a part", frame[2:7], "frame of some bytes"},
		{"bytes behind it", frame[len(frame):cap(frame)][:5], ""},
		{"a small copy", []byte("frame"), ""},
		{"a copy as large", append(make([]byte, 0, 62), "frame"...), ""},
		{"a larger copy", append(make([]byte, 0, 128), "frame"...), ""},
	} {
		if got := string(from(frame, test.part)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestNextAllocates reads packets of the usual framings: none allocates.
func TestNextAllocates(t *testing.T) {
	data := frame(t)
	frames := make([][]byte, 2000)
	for i := range frames {
		frames[i] = data
	}
	r := Open(bytes.NewReader(pcapFile(t, frames...)))
	next := func() {
		if source, _, err := r.Next(); err != nil ||
			source != (netip.AddrFrom4([4]byte{10, 0, 0, 1})) {
			t.Fatalf("source %s, error %v", source, err)
		}
	}
	next() // the first one makes the buffer
	if n := testing.AllocsPerRun(1000, next); n != 0 {
		t.Errorf("%v allocations a packet, want 0", n)
	}
}

// What is not Ethernet gets an Ethernet header, where it has an IP header.
func TestEthernet(t *testing.T) {
	four, six := append([]byte{0x45}, make([]byte, 19)...),
		append([]byte{0x60}, make([]byte, 39)...)
	arp := append(append(make([]byte, 12), 8, 6), make([]byte, 28)...)
	for _, test := range []struct {
		name  string
		link  layers.LinkType
		frame []byte
		want  []byte
	}{
		{"Ethernet stays", layers.LinkTypeEthernet, arp, arp},
		{"a header alone", layers.LinkTypeEthernet, arp[:14], arp[:14]},
		{"Ethernet cut", layers.LinkTypeEthernet, arp[:13], nil},
		{"IPv4", layers.LinkTypeIPv4, four, append(append(make([]byte, 12), 8, 0), four...)},
		{"loopback, IPv6", layers.LinkTypeNull, append([]byte{30, 0, 0, 0}, six...),
			append(append(make([]byte, 12), 0x86, 0xdd), six...)},
		{"no IP", layers.LinkTypeRaw, []byte{0}, nil},
		{"nothing", layers.LinkTypeRaw, nil, nil},
	} {
		if got := ethernet(test.link, test.frame); !bytes.Equal(got, test.want) ||
			(got == nil) != (test.want == nil) {
			t.Errorf("%s: %x, want %x", test.name, got, test.want)
		}
	}
}
