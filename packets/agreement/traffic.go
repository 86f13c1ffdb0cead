package agreement

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net/netip"
	"slices"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// The sizes of frames: the kernel runs programs on none that are shorter, and an interface takes
// none that are longer.
const (
	shortest = 14
	longest  = 1514
)

// Types of Ethernet.
const (
	ipv4    = 0x0800
	arp     = 0x0806
	vlan    = 0x8100
	service = 0x88a8
	early   = 0x9100 // a service tag before there was that
	other   = 0x9200
	ipv6    = 0x86dd
)

// form is a kind of synthesised frames.
type form struct {
	name string
	kind uint16
	tags []uint16                               // some of them, if any is set
	any  bool                                   // one of the tags to all of them
	harm func(rng *rand.Rand, ip []byte) []byte // changes what is behind the tags
}

var forms = []form{
	{name: "IPv4 behind a VLAN tag", kind: ipv4, tags: []uint16{vlan}},
	{name: "IPv4 in QinQ", kind: ipv4, tags: []uint16{service, vlan}},
	{name: "IPv4 behind four tags", kind: ipv4, tags: []uint16{early, other, service, vlan}},
	{name: "IPv4 behind five tags, one too many", kind: ipv4,
		tags: []uint16{service, service, vlan, vlan, vlan}},
	{name: "IPv6", kind: ipv6},
	{name: "IPv6 behind one to four tags", kind: ipv6,
		tags: []uint16{early, vlan, service, vlan}, any: true},
	{name: "fragments of IPv4", kind: ipv4, harm: func(rng *rand.Rand, ip []byte) []byte {
		binary.BigEndian.PutUint16(ip[6:], 0x2000|uint16(rng.UintN(8)))
		return ip
	}},
	{name: "IPv4 with a header that is none", kind: ipv4, harm: first(0x44, 0x65, 0x40, 0xf5)},
	{name: "IPv6 with another version", kind: ipv6, harm: first(0x45, 0x70, 0x20)},
	{name: "IPv4, cut in its header", kind: ipv4, tags: []uint16{vlan, vlan}, any: true,
		harm: func(rng *rand.Rand, ip []byte) []byte { return ip[:17+rng.IntN(4)] }},
	{name: "IPv6, cut in its header", kind: ipv6, any: true,
		tags: []uint16{service, vlan, vlan, vlan},
		harm: func(rng *rand.Rand, ip []byte) []byte { return ip[:37+rng.IntN(4)] }},
	{name: "no IP", kind: arp, tags: []uint16{vlan, vlan}, any: true},
}

// first returns what gives a header one of these first bytes.
func first(bytes ...byte) func(rng *rand.Rand, ip []byte) []byte {
	return func(rng *rand.Rand, ip []byte) []byte {
		ip[0] = bytes[rng.IntN(len(bytes))]
		return ip
	}
}

// frame returns a frame of the form with a source.
func (f *form) frame(rng *rand.Rand, v4, v6 netip.Addr, payload []byte) []byte {
	ip := make([]byte, 20)
	source, offset := v4.AsSlice(), 12
	ip[0], ip[8], ip[9] = 0x45, 64, 17
	if f.kind == ipv6 {
		ip = make([]byte, 40)
		source, offset = v6.AsSlice(), 8
		ip[0], ip[6], ip[7] = 0x60, 59, 64
	}
	copy(ip[offset:], source)
	ip = append(ip, payload...)
	if f.harm != nil {
		ip = f.harm(rng, ip)
	}
	tags := f.tags
	if f.any {
		tags = tags[:rng.IntN(len(tags)+1)]
	}
	frame := make([]byte, 12, longest)
	for _, tag := range tags {
		frame = binary.BigEndian.AppendUint16(frame, tag)
		frame = binary.BigEndian.AppendUint16(frame, uint16(rng.UintN(4096)))
	}
	frame = append(binary.BigEndian.AppendUint16(frame, f.kind), ip...)
	return frame[:min(len(frame), longest)]
}

// traffic is the frames of a capture with synthesised ones between them.
type traffic struct {
	frames      [][]byte
	captured    int
	synthesised []int // by form
}

// share is how many captured frames there are for one that is synthesised.
const share = 3

// readTraffic reads at most a number of frames of a capture, or all if most is 0. What Ethernet
// cannot carry, or the kernel runs no program on, is left out, and long frames are cut.
func readTraffic(in *capture.Reader, rng *rand.Rand, most int) (*traffic, error) {
	t := &traffic{synthesised: make([]int, len(forms))}
	for most == 0 || t.captured < most {
		frame, err := in.NextFrame()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(frame) < shortest {
			continue
		}
		frame = slices.Clone(frame[:min(len(frame), longest)])
		t.frames = append(t.frames, frame)
		if t.captured++; t.captured%share == 0 {
			i := t.captured / share % len(forms)
			v4 := netip.AddrFrom4([4]byte{203, 0, byte(rng.UintN(8)), byte(rng.UintN(256))})
			v6 := netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 14: byte(rng.UintN(8)),
				15: byte(rng.UintN(256))})
			t.frames = append(t.frames, forms[i].frame(rng, v4, v6, frame[shortest:]))
			t.synthesised[i]++
		}
	}
	return t, nil
}
