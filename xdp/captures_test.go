package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// captures are those of "make run", in the gopacket module: industrial Ethernet, a download in
// segments of up to 64 KiB, and IPv6 on a loopback interface.
var captures = []string{"layers/testdata/cip.pcap", "pcapgo/tests/le/test301.pcapng",
	"pcap/test_loopback.pcap"}

// longest is the largest frame of the tests: what an interface takes that is not told otherwise.
const longest = 1514

// frames returns the packets of a capture as frames of Ethernet, cut where they are longer than the
// longest.
func frames(tb testing.TB, name string) [][]byte {
	tb.Helper()
	module := prepared("")
	if module == "" {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
			"github.com/gopacket/gopacket").Output()
		if err != nil {
			tb.Fatal(err)
		}
		module = strings.TrimSpace(string(out))
	}
	content, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(name)))
	if err != nil {
		tb.Fatal(err)
	}
	type reader interface {
		gopacket.PacketDataSource
		LinkType() layers.LinkType
	}
	var in reader
	if strings.HasSuffix(name, ".pcapng") {
		in, err = pcapgo.NewNgReader(bytes.NewReader(content), pcapgo.DefaultNgReaderOptions)
	} else {
		in, err = pcapgo.NewReader(bytes.NewReader(content))
	}
	if err != nil {
		tb.Fatal(err)
	}
	var all [][]byte
	for {
		frame, _, err := in.ReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			tb.Fatal(err)
		}
		if in.LinkType() == layers.LinkTypeNull { // 4 bytes before the packet, here of IPv6
			header := binary.BigEndian.AppendUint16(make([]byte, 12), 0x86dd)
			frame = append(header, frame[4:]...)
		}
		if len(frame) >= 14 {
			all = append(all, frame[:min(len(frame), longest)])
		}
	}
	if len(all) < 20 {
		tb.Fatalf("%s has %d frames, want more", name, len(all))
	}
	return all
}

// damaged returns a frame with something wrong: cut, with other bytes, more tags, another version,
// fragments, or extension headers of IPv6.
func damaged(rng *rand.Rand, frame []byte) []byte {
	frame = slices.Clone(frame)
	for range 1 + rng.IntN(3) {
		switch rng.IntN(7) {
		case 0:
			frame = frame[:rng.IntN(len(frame)+1)]
		case 1:
			if len(frame) > 0 {
				frame[rng.IntN(min(len(frame), 80))] = byte(rng.Uint32())
			}
		case 2:
			if len(frame) > 0 {
				frame[rng.IntN(min(len(frame), 80))] ^= 1 << rng.IntN(8)
			}
		case 3: // a tag
			for range 1 + rng.IntN(6) {
				if len(frame) >= 12 {
					kind := []uint16{0x8100, 0x88a8, 0x9100, 0x9200, 0x9300}[rng.IntN(5)]
					tag := binary.BigEndian.AppendUint16(nil, kind)
					frame = slices.Insert(frame, 12, append(tag, byte(rng.Uint32()),
						byte(rng.Uint32()))...)
				}
			}
		case 4: // flags and offset of a fragment of IPv4
			if len(frame) > 22 {
				frame[20], frame[21] = byte(rng.Uint32()), byte(rng.Uint32())&1
			}
		case 5: // the other version
			if len(frame) > 14 {
				kind := []uint16{0x0800, 0x86dd}[rng.IntN(2)]
				binary.BigEndian.PutUint16(frame[12:], kind)
				frame[14] = byte(rng.IntN(16)<<4 | rng.IntN(16))
			}
		case 6:
			frame = extended(rng)
		}
	}
	for len(frame) < 14 { // the kernel runs programs on no shorter frames
		frame = append(frame, byte(rng.Uint32()))
	}
	return frame[:min(len(frame), longest)]
}

// extended returns a packet of IPv6 with extension headers, most of them whole.
func extended(rng *rand.Rand) []byte {
	kinds := []byte{0, 43, 44, 51, 60, 135, 139, 140}
	n := rng.IntN(11)
	next := func(i int) byte {
		if i == n {
			return []byte{6, 17, 58, 59}[rng.IntN(4)]
		}
		return kinds[rng.IntN(len(kinds))]
	}
	frame := binary.BigEndian.AppendUint16(make([]byte, 12), 0x86dd)
	frame = append(frame, 0x60, 0, 0, 0, 0, 0, next(0), 64)
	for range 32 {
		frame = append(frame, byte(rng.Uint32()))
	}
	at := 20 // of the field of the next header
	for i := range n {
		kind := frame[at]
		at = len(frame)
		words := byte(rng.IntN(3))
		header := []byte{next(i + 1), words, 0, 0, 0, 0, 0, 0}
		switch kind {
		case 44:
			header[1] = byte(rng.Uint32())
			switch rng.IntN(16) {
			case 0:
				header[2], header[3] = byte(rng.Uint32()), byte(rng.Uint32())
			case 1: // more fragments, or a bit that is reserved
				header[3] = 1 << rng.IntN(4)
			}
		case 51:
			header = append(header, make([]byte, 4*int(words))...)
		default:
			header = append(header, make([]byte, 8*int(words))...)
		}
		frame = append(frame, header...)
	}
	frame = append(frame, make([]byte, rng.IntN(20))...)
	if rng.IntN(4) == 0 {
		frame = frame[:rng.IntN(len(frame))]
	}
	return frame
}
