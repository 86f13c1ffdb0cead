package xdp

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/cilium/ebpf"
)

// The faults of packets, as packet.h has them.
const (
	whole uint32 = iota
	fragment
	malformed
)

// parsed is what a frame says: the rules of packet.h, written once more. The addresses are the zero
// Addr if no header says them.
type parsed struct {
	source, destination netip.Addr
	fault               uint32
}

func parse(frame []byte) parsed {
	none := parsed{fault: malformed}
	if len(frame) < 14 {
		return none
	}
	kind, rest := binary.BigEndian.Uint16(frame[12:]), frame[14:]
	for tags := 0; kind == 0x8100 || kind == 0x88a8; tags++ {
		if tags == 4 || len(rest) < 4 {
			return none
		}
		kind, rest = binary.BigEndian.Uint16(rest[2:]), rest[4:]
	}
	switch kind {
	case 0x0800:
		if len(rest) < 20 || rest[0] < 0x45 || rest[0] > 0x4f {
			return none
		}
		p := parsed{netip.AddrFrom4([4]byte(rest[12:])), netip.AddrFrom4([4]byte(rest[16:])), whole}
		const more, offset = 0x2000, 0x1fff
		if binary.BigEndian.Uint16(rest[6:])&(more|offset) != 0 {
			p.fault = fragment
		}
		return p
	case 0x86dd:
		if len(rest) < 40 || rest[0]>>4 != 6 {
			return none
		}
		return parsed{netip.AddrFrom16([16]byte(rest[8:])), netip.AddrFrom16([16]byte(rest[24:])),
			faultOf(rest[6], rest[40:])}
	}
	return parsed{}
}

// faultOf walks over extension headers.
func faultOf(next byte, rest []byte) uint32 {
	for count := 0; ; count++ {
		unit := 8
		switch next {
		case 0, 43, 60, 135, 139, 140:
		case 44:
			unit = 0
		case 51:
			unit = 4
		default:
			return whole
		}
		if count == 8 || len(rest) < 8 {
			return malformed
		}
		if next == 44 && (binary.BigEndian.Uint16(rest[2:])>>3 != 0 || rest[3]&1 != 0) {
			return fragment
		}
		length := 8 + unit*int(rest[1])
		if len(rest) < length {
			return malformed
		}
		next, rest = rest[0], rest[length:]
	}
}

// The program reads of each packet what the rules in Go read: of captured frames, and of frames
// with all kinds of damage.
func TestParse(t *testing.T) {
	collection := operations(t, 1)
	variable := collection.Variables["parsed"]
	rng := rand.New(rand.NewPCG(35, 3))
	seen := map[uint32]int{}
	check := func(frame []byte) {
		t.Helper()
		run := ebpf.RunOptions{Data: frame}
		if _, err := collection.Programs["parse"].Run(&run); err != nil {
			t.Fatalf("%x: %v", frame, err)
		}
		var got struct {
			Source, Destination [16]byte
			Version, Fault      uint32
		}
		if err := variable.Get(&got); err != nil {
			t.Fatal(err)
		}
		found := parsed{fault: got.Fault}
		switch got.Version {
		case 4:
			found.source = netip.AddrFrom4([4]byte(got.Source[:]))
			found.destination = netip.AddrFrom4([4]byte(got.Destination[:]))
			seen[4]++
		case 6:
			found.source = netip.AddrFrom16(got.Source)
			found.destination = netip.AddrFrom16(got.Destination)
			seen[6]++
		default:
			seen[0]++
		}
		seen[100+got.Version*10+got.Fault]++
		if want := parse(frame); found != want {
			t.Fatalf("%x: the program reads %+v, want %+v", frame, found, want)
		}
	}
	for _, name := range captures {
		all := frames(t, name)
		for i := range 4000 {
			frame := all[i%len(all)]
			check(frame)
			check(damaged(rng, frame))
			check(damaged(rng, extended(rng)))
		}
	}
	for _, kind := range []uint32{100 + whole, 100 + malformed, 140 + whole, 140 + fragment,
		160 + whole, 160 + fragment, 160 + malformed} {
		if seen[kind] < 100 {
			t.Errorf("%d packets of kind %d, want more: %v", seen[kind], kind, seen)
		}
	}
}
