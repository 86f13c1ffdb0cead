package capture

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture/capturetest"
)

func TestEthernet(t *testing.T) {
	four, six := append([]byte{0x45}, make([]byte, 19)...), append([]byte{0x60}, make([]byte, 39)...)
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
		{"loopback, IPv6", layers.LinkTypeNull, append([]byte{30, 0, 0, 0}, six...), append(append(make([]byte, 12), 0x86, 0xdd), six...)},
		{"no IP", layers.LinkTypeRaw, []byte{0}, nil},
		{"nothing", layers.LinkTypeRaw, nil, nil},
	} {
		if got := ethernet(test.link, test.frame); !bytes.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %x, want %x", test.name, got, test.want)
		}
	}
}

// Every packet of the real captures is a frame.
func TestNextFrame(t *testing.T) {
	for name, want := range map[string]int{capturetest.CIP: 26068, capturetest.Download: 276, capturetest.Loopback: 24} {
		data, err := os.ReadFile(capturetest.Path(t, name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			frame, err := r.NextFrame()
			if err == io.EOF {
				if n != want {
					t.Errorf("%s: %d frames, want %d", name, n, want)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if kind := layers.EthernetType(uint16(frame[12])<<8 | uint16(frame[13])); kind != layers.EthernetTypeIPv4 && kind != layers.EthernetTypeIPv6 {
				t.Fatalf("%s, frame %d: EtherType %v", name, n, kind)
			}
		}
	}
}
