package capture

import (
	"net/netip"
	"testing"
)

// TestHeader says what the headers of a packet say of its flow.
func TestHeader(t *testing.T) {
	four := func(protocol byte, fragment byte, rest ...byte) []byte {
		return append([]byte{0x45, 0, 0, 0, 0, 0, 0, fragment, 64, protocol, 0, 0, 192, 0, 2, 1,
			192, 0, 2, 2}, rest...)
	}
	six := func(next byte, rest ...byte) []byte {
		packet := append([]byte{0x60, 0, 0, 0, 0, 0, next, 64},
			netip.MustParseAddr("2001:db8::1").AsSlice()...)
		return append(append(packet, netip.MustParseAddr("2001:db8::2").AsSlice()...), rest...)
	}
	tcp := []byte{0x12, 0x34, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, byte(SYN | ACK), 0,
		0, 0, 0, 0, 0}
	ports := []byte{0x12, 0x34, 0, 80, 0, 8, 0, 0}
	source, destination := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	source6, destination6 := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")

	udp := Header{Source: source, Destination: destination, Whole: true, Protocol: 17,
		SourcePort: 0x1234, DestinationPort: 80}
	lite, ping := udp, Header{Source: source, Destination: destination, Whole: true, Protocol: 1}
	lite.Protocol = 136

	for _, test := range []struct {
		name   string
		packet []byte
		want   Header
	}{
		{"TCP", four(6, 0, tcp...), Header{Source: source, Destination: destination, Whole: true,
			Protocol: 6, SourcePort: 0x1234, DestinationPort: 80, Flags: SYN | ACK}},
		{"TCP cut behind its flags", four(6, 0, tcp[:14]...),
			Header{Source: source, Destination: destination, Whole: true, Protocol: 6,
				SourcePort: 0x1234, DestinationPort: 80, Flags: SYN | ACK}},
		{"TCP cut before its flags", four(6, 0, tcp[:13]...),
			Header{Source: source, Destination: destination, Protocol: 6}},
		{"UDP", four(17, 0, ports...), Header{Source: source, Destination: destination, Whole: true,
			Protocol: 17, SourcePort: 0x1234, DestinationPort: 80}},
		{"UDP cut in its ports", four(17, 0, ports[:3]...),
			Header{Source: source, Destination: destination, Protocol: 17}},
		{"DCCP", four(33, 0, ports...), Header{Source: source, Destination: destination,
			Whole: true, Protocol: 33, SourcePort: 0x1234, DestinationPort: 80}},
		{"SCTP over IPv6", six(132, ports...), Header{Source: source6, Destination: destination6,
			Whole: true, Protocol: 132, SourcePort: 0x1234, DestinationPort: 80}},
		{"ICMP has no ports", four(1, 0, ports...), Header{Source: source, Destination: destination,
			Whole: true, Protocol: 1}},
		{"a later fragment", four(17, 9, ports...), Header{Source: source, Destination: destination,
			Fragment: true}},
		{"a later fragment of IPv6", six(44, 17, 0, 0, 8, 0, 0, 0, 0),
			Header{Source: source6, Destination: destination6, Fragment: true}},
		{"the first fragment of IPv6",
			six(44, append([]byte{17, 0, 0, 1, 0, 0, 0, 0}, ports...)...),
			Header{Source: source6, Destination: destination6, Whole: true, Protocol: 17,
				SourcePort: 0x1234, DestinationPort: 80}},
		{"UDP cut behind its ports", four(17, 0, ports[:4]...), udp},
		{"UDP-Lite", four(136, 0, ports...), lite},
		{"a UDP length below its header", four(17, 0, 0x12, 0x34, 0, 80, 0, 7, 0, 0), udp},
		{"no more than an IPv4 header", four(1, 0), ping},
		{"nothing behind an IPv6 header", six(59),
			Header{Source: source6, Destination: destination6}},
		{"an IPv4 header cut", four(6, 0)[:19], Header{}},
		{"nothing", nil, Header{}},
	} {
		if got := header(test.packet); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// A transport's header says the same over IPv4 and IPv6, wherever the packet is cut.
func TestHeaderOfBothVersions(t *testing.T) {
	segment := []byte{0x12, 0x34, 0, 80, 0, 20, 0, 0, 1, 2, 3, 4, 0x50, byte(SYN), 0, 0, 0, 0, 0,
		0, 1, 2, 3, 4}
	whole := 0
	for protocol := range 256 {
		switch protocol {
		case 0, 43, 44, 51, 60, 135, 139, 140: // extension headers of IPv6
			continue
		}
		for cut := range len(segment) + 1 {
			four := append([]byte{0x45, 9: byte(protocol), 19: 0}, segment[:cut]...)
			six := append([]byte{0x60, 6: byte(protocol), 39: 0}, segment[:cut]...)
			got, want := header(six), header(four)
			got.Source, got.Destination = want.Source, want.Destination
			if got != want {
				t.Errorf("protocol %d cut at %d: %+v over IPv6, %+v over IPv4", protocol,
					cut, got, want)
			}
			if got.Whole {
				whole++
			}
		}
	}
	if whole < 5000 {
		t.Errorf("%d whole headers: the test shows too little", whole)
	}
}
