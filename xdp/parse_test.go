package xdp

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"os"
	"testing"

	"github.com/cilium/ebpf"
)

// A tag has one of four types, wherever it stands. Behind another type there is no packet.
func TestTags(t *testing.T) {
	p := load(t, Options{})
	if err := p.table(t, Deny, 10).Insert(prefix("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	untagged := frame(addr("192.0.2.1"), addr("192.0.2.2"))
	for kind, tags := range map[uint16]bool{0x8100: true, 0x88a8: true, 0x9100: true, 0x9200: true,
		0x9300: false, 0x9000: false, 0x88a9: false} {
		for more := range 4 {
			tagged := binary.BigEndian.AppendUint16(untagged[:12:12], kind)
			for range more {
				tagged = append(tagged, 0, 1, 0x81, 0)
			}
			tagged = append(append(tagged, 0, 1), untagged[12:]...)
			dropped, read := p.run(t, tagged), Parse(tagged).Source.IsValid()
			if dropped != tags || read != tags {
				t.Errorf("%x and %d tags behind it: dropped %v", kind, more, dropped)
			}
		}
	}
}

// The program reads of each packet what the rules in Go read: of captured frames, and of frames
// with all kinds of damage.
func TestParse(t *testing.T) {
	collection := operations(t, 1)
	variable := collection.Variables["parsed"]
	rng := rand.New(rand.NewPCG(35, 3))
	seen := map[Fault]int{}
	check := func(frame []byte) {
		t.Helper()
		run := ebpf.RunOptions{Data: frame}
		if _, err := collection.Programs["parse"].Run(&run); err != nil {
			t.Fatalf("%x: %v", frame, err)
		}
		var got struct {
			Source, Destination [16]byte
			Version             uint32
			Fault               Fault
		}
		if err := variable.Get(&got); err != nil {
			t.Fatal(err)
		}
		found := Packet{Fault: got.Fault}
		switch got.Version {
		case 4:
			found.Source = netip.AddrFrom4([4]byte(got.Source[:]))
			found.Destination = netip.AddrFrom4([4]byte(got.Destination[:]))
			seen[4]++
		case 6:
			found.Source = netip.AddrFrom16(got.Source)
			found.Destination = netip.AddrFrom16(got.Destination)
			seen[6]++
		default:
			seen[0]++
		}
		seen[100+Fault(got.Version)*10+got.Fault]++
		if want := Parse(frame); found != want {
			t.Fatalf("%x: the program reads %+v, want %+v", frame, found, want)
		}
	}
	each := 4000
	if os.Getenv("BLOOMLANE_XDP") == "full" {
		each = 170_000 // with those that are generated, a million of these
	}
	for _, name := range captures {
		all := frames(t, name)
		for i := range each {
			frame := all[i%len(all)]
			check(frame)
			check(damaged(rng, frame))
			check(damaged(rng, extended(rng)))
		}
	}
	for _, kind := range []Fault{100 + Whole, 100 + Malformed, 140 + Whole, 140 + Fragment,
		160 + Whole, 160 + Fragment, 160 + Malformed} {
		if seen[kind] < 100 {
			t.Errorf("%d packets of kind %d, want more: %v", seen[kind], kind, seen)
		}
	}
}
