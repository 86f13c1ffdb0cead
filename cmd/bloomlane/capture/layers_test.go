package capture

import (
	"bytes"
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
		return &layers.IPv4{Version: 4, Protocol: protocol, SrcIP: net.IP{192, 0, 2, 1}, DstIP: net.IP{192, 0, 2, 2}}
	}
	v6 := func(next layers.IPProtocol) *layers.IPv6 {
		return &layers.IPv6{Version: 6, NextHeader: next, SrcIP: net.ParseIP("2001:db8::1"), DstIP: net.ParseIP("2001:db8::2")}
	}
	mapped := v6(layers.IPProtocolUDP)
	mapped.SrcIP = net.ParseIP("::ffff:192.0.2.1").To16()
	udp, tcp := &layers.UDP{SrcPort: 9, DstPort: 9}, &layers.TCP{Options: []layers.TCPOption{{OptionType: layers.TCPOptionKindNop}}}
	options := v4(layers.IPProtocolUDP)
	options.Options = []layers.IPv4Option{{OptionType: 1}}
	first, later := v4(layers.IPProtocolUDP), v4(layers.IPProtocolUDP)
	first.Flags, later.FragOffset = layers.IPv4MoreFragments, 100
	raw := func(stack ...gopacket.SerializableLayer) []byte { return serialize(t, stack...) }
	header := func(next layers.IPProtocol, bytes ...byte) gopacket.Payload {
		return append(gopacket.Payload{byte(next)}, bytes...)
	}
	hop := header(layers.IPProtocolUDP, 0, 1, 4, 0, 0, 0, 0)
	many := make(gopacket.Payload, 0, 8*(maxExtensions+1))
	for range maxExtensions {
		many = append(many, header(layers.IPProtocolIPv6Destination, 0, 1, 4, 0, 0, 0, 0)...)
	}
	many = append(many, hop...)
	change := func(packet []byte, at int, value ...byte) []byte {
		packet = bytes.Clone(packet)
		copy(packet[at:], value)
		return packet
	}
	udp4, udp6 := raw(v4(layers.IPProtocolUDP), udp, payload), raw(v6(layers.IPProtocolUDP), udp, payload)
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
		{"UDP-Lite", rawLink, raw(v4(layers.IPProtocolUDPLite), gopacket.Payload("\x00\x09\x00\x09\x00\x08\x00\x00"), payload), four, words},
		{"SCTP without its common header", rawLink, raw(v4(layers.IPProtocolSCTP), gopacket.Payload("common hdr\x00\x00"), payload), four, words},
		{"ICMP", rawLink, raw(v4(layers.IPProtocolICMPv4), payload), four, ""},
		{"IP in IP: the outermost", rawLink, raw(v4(layers.IPProtocolIPv6), v6(layers.IPProtocolUDP), udp, payload), four, ""},
		{"IPv4 options", rawLink, raw(options, udp, payload), four, words},
		{"first IPv4 fragment", rawLink, raw(first, udp, payload), four, words},
		{"later IPv4 fragment", rawLink, raw(later, udp, payload), four, ""},
		{"IPv4 length of zero: segmentation offload", rawLink, change(udp4, 2, 0, 0), four, words},
		{"bytes behind the IPv4 packet", rawLink, append(bytes.Clone(udp4), "trailer"...), four, words},
		{"IPv4 packet cut in a word", rawLink, udp4[:len(udp4)-6], four, words[:4]},
		{"IPv4 length shorter than its header", rawLink, change(udp4, 2, 0, 19), four, ""},
		{"IPv4 header cut", rawLink, udp4[:19], none, ""},
		{"IPv4 header length below 20", rawLink, change(udp4, 0, 0x44), none, ""},
		{"IPv4 options cut", rawLink, raw(options, udp, payload)[:20], four, ""},
		{"UDP length shorter than the packet", rawLink, change(udp4, 24, 0, 8+5), four, words[:4]},
		{"UDP length below its header", rawLink, change(udp4, 24, 0, 0), four, words},
		{"UDP header cut", rawLink, udp4[:27], four, ""},
		{"TCP offset below its header", rawLink, change(tcp4, 32, 0x40), four, ""},
		{"TCP offset behind the packet", rawLink, change(tcp4, 32, 0xf0), four, ""},
		{"TCP header cut", rawLink, tcp4[:39], four, ""},
		{"no version", rawLink, []byte{0x50, 0, 0, 0}, none, ""},
		{"nothing", rawLink, nil, none, ""},

		{"IPv6 UDP", rawLink, udp6, six, words},
		{"IPv4-mapped IPv6 source", rawLink, raw(mapped, udp, payload), "::ffff:192.0.2.1", words},
		{"bytes behind the IPv6 packet", rawLink, append(bytes.Clone(udp6), "trailer"...), six, words},
		{"IPv6 length of zero: segmentation offload", rawLink, change(udp6, 4, 0, 0), six, words},
		{"IPv6 header cut", rawLink, udp6[:39], none, ""},
		{"hop-by-hop header", rawLink, raw(v6(layers.IPProtocolIPv6HopByHop), hop, udp, payload), six, words},
		{"hop-by-hop header behind the packet", rawLink, raw(v6(layers.IPProtocolIPv6HopByHop), header(layers.IPProtocolUDP, 9, 1, 4, 0, 0, 0, 0), udp, payload), six, ""},
		{"first IPv6 fragment", rawLink, raw(v6(layers.IPProtocolIPv6Fragment), header(layers.IPProtocolUDP, 0, 0, 1, 0, 0, 0, 1), udp, payload), six, words},
		{"later IPv6 fragment", rawLink, raw(v6(layers.IPProtocolIPv6Fragment), header(layers.IPProtocolUDP, 0, 0, 8, 0, 0, 0, 1), udp, payload), six, ""},
		{"authentication header", rawLink, raw(v6(layers.IPProtocolAH), header(layers.IPProtocolUDP, 4, 0, 0), gopacket.Payload(make([]byte, 20)), udp, payload), six, words},
		{"more extension headers than are walked", rawLink, raw(v6(layers.IPProtocolIPv6Destination), many, udp, payload), six, ""},
		{"no next header", rawLink, raw(v6(layers.IPProtocolNoNextHeader), payload), six, ""},

		{"Ethernet", ether, raw(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolUDP), udp, payload), four, words},
		{"Ethernet padding is no payload", ether, append(raw(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolUDP), udp, gopacket.Payload("word")), make([]byte, 8)...), four, "word"},
		{"VLAN", ether, raw(ethernet(layers.EthernetTypeDot1Q), &layers.Dot1Q{Type: layers.EthernetTypeIPv6}, v6(layers.IPProtocolUDP), udp, payload), six, words},
		{"two VLANs", ether, raw(ethernet(layers.EthernetTypeQinQ), &layers.Dot1Q{Type: layers.EthernetTypeDot1Q},
			&layers.Dot1Q{Type: layers.EthernetTypeIPv4}, v4(layers.IPProtocolTCP), tcp, payload), four, words},
		{"MPLS", ether, raw(ethernet(layers.EthernetTypeMPLSUnicast), &layers.MPLS{StackBottom: true}, v4(layers.IPProtocolUDP), udp, payload), four, words},
		{"PPPoE with a hop-by-hop header", ether, raw(ethernet(layers.EthernetTypePPPoESession), &layers.PPPoE{Version: 1, Type: 1},
			&layers.PPP{PPPType: layers.PPPTypeIPv6}, v6(layers.IPProtocolIPv6HopByHop), hop, udp, payload), six, words},
		{"ARP", ether, raw(ethernet(layers.EthernetTypeARP), gopacket.Payload(make([]byte, 28))), none, ""},
		{"Ethernet cut", ether, make([]byte, 13), none, ""},

		{"loopback, IPv4", layers.LinkTypeNull, append([]byte{2, 0, 0, 0}, udp4...), four, words},
		{"loopback, IPv6 in the other order", layers.LinkTypeLoop, append([]byte{0, 0, 0, 30}, udp6...), six, words},
		{"loopback, another family", layers.LinkTypeNull, append([]byte{7, 0, 0, 0}, udp4...), none, ""},
		{"loopback cut", layers.LinkTypeNull, []byte{2, 0, 0}, none, ""},
		{"link type IPv6", layers.LinkTypeIPv6, udp6, six, words},
		{"Linux cooked", layers.LinkTypeLinuxSLL, append(append(make([]byte, 14), 8, 0), udp4...), four, words},
		{"a link type without decoder", 999, udp4, none, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// The frame lies in a larger buffer, as those of a reader do.
			buffer := append(append(make([]byte, 0, len(test.frame)+64), test.frame...), "old packet, old packet"...)
			source, payload := sourceAndWords(network(test.link, buffer[:len(test.frame)]))
			if source.String() != test.source || string(payload) != test.words {
				t.Errorf("source %s, words %x; want %s, %x", source, payload, test.source, test.words)
			}
		})
	}
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
	r, err := Open(bytes.NewReader(pcapFile(t, frames...)))
	if err != nil {
		t.Fatal(err)
	}
	next := func() {
		if source, _, err := r.Next(); err != nil || source != (netip.AddrFrom4([4]byte{10, 0, 0, 1})) {
			t.Fatalf("source %s, error %v", source, err)
		}
	}
	next() // the first one makes the buffer
	if n := testing.AllocsPerRun(1000, next); n != 0 {
		t.Errorf("%v allocations a packet, want 0", n)
	}
}
