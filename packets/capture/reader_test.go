package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
)

// packet is what a stream gives for a packet.
type packet struct {
	source  netip.Addr
	payload string
}

// drain reads a stream to its end.
func drain(packets Packets) ([]packet, error) {
	var all []packet
	for {
		source, payload, err := packets.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, packet{source, string(payload)})
	}
}

// read reads a capture to its end.
func read(data []byte) ([]packet, error) {
	return drain(Open(bytes.NewReader(data)))
}

// TestRealCaptures reads the real captures as packets and as frames.
func TestRealCaptures(t *testing.T) {
	for _, test := range []struct {
		name                    string
		packets, words, sources int
	}{
		{capturetest.CIP, 26068, 378138, 12},
		{capturetest.Download, 276, 218983, 2},
		{capturetest.Loopback, 24, 14080, 1},
	} {
		t.Run(filepath.Base(test.name), func(t *testing.T) {
			data, err := os.ReadFile(capturetest.Path(t, test.name))
			if err != nil {
				t.Fatal(err)
			}
			all, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			words, sources := 0, map[netip.Addr]bool{}
			for _, p := range all {
				words += len(p.payload) / wordBytes
				sources[p.source] = true
			}
			frames := Open(bytes.NewReader(data))
			for n := range test.packets {
				frame, err := frames.NextFrame()
				if err != nil {
					t.Fatalf("frame %d: %v", n+1, err)
				}
				kind := layers.EthernetType(binary.BigEndian.Uint16(frame[12:]))
				if kind != layers.EthernetTypeIPv4 && kind != layers.EthernetTypeIPv6 {
					t.Fatalf("frame %d: EtherType %v", n+1, kind)
				}
			}
			if _, err := frames.NextFrame(); err != io.EOF {
				t.Errorf("after the last packet: error %v, want %v", err, io.EOF)
			}
			if len(all) != test.packets || words != test.words || len(sources) != test.sources {
				t.Errorf("%d packets, %d words, %d sources; want %+v", len(all), words,
					len(sources), test)
			}
		})
	}
}

// TestAgainstDecoders reads every capture of the gopacket module and holds what comes out against
// gopacket's own decoders of all layers.
func TestAgainstDecoders(t *testing.T) {
	files, compared := 0, 0
	err := filepath.WalkDir(capturetest.Dir(t), func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".pcap" && ext != ".pcapng" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := read(data)
		if err != nil {
			t.Logf("%s: after %d packets: %v", filepath.Base(path), len(found), err)
		}
		for i, want := range decodeAll(t, data, len(found)) {
			if found[i] != want {
				t.Errorf("%s: packet %d is %s with %d bytes, want %s with %d",
					path, i+1, found[i].source, len(found[i].payload), want.source,
					len(want.payload))
			}
			compared++
		}
		files++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 30 || compared < 26000 {
		t.Errorf("compared %d packets in %d files, want the captures of gopacket's tests",
			compared, files)
	}
}

// decodeAll decodes the first n packets of a capture with gopacket alone.
func decodeAll(t *testing.T, data []byte, n int) []packet {
	t.Helper()
	var next func() ([]byte, layers.LinkType)
	if r, err := pcapgo.NewReader(bytes.NewReader(data)); err == nil {
		next = func() ([]byte, layers.LinkType) {
			data, _, _ := r.ReadPacketData()
			return data,
				r.LinkType()
		}
	} else if r, err := pcapgo.NewNgReader(bytes.NewReader(data),
		pcapgo.NgReaderOptions{WantMixedLinkType: true}); err == nil {
		next = func() ([]byte, layers.LinkType) {
			data, ci, _ := r.ReadPacketData()
			return data, ci.AncillaryData[0].(layers.LinkType)
		}
	}
	var all []packet
	for range n {
		data, link := next()
		var p packet
		for _, layer := range gopacket.NewPacket(data, link, gopacket.DecodeOptions{}).Layers() {
			if ip, ok := layer.(*layers.IPv4); ok && !p.source.IsValid() {
				p.source, _ = netip.AddrFromSlice(ip.SrcIP)
				continue
			}
			if ip, ok := layer.(*layers.IPv6); ok && !p.source.IsValid() {
				p.source, _ = netip.AddrFromSlice(ip.SrcIP)
				continue
			}
			if transport, ok := layer.(gopacket.TransportLayer); ok && p.source.IsValid() {
				p.payload = string(transport.LayerPayload())
				break
			}
		}
		p.payload = p.payload[:len(p.payload)&^3]
		all = append(all, p)
	}
	return all
}

// frame is a packet of 10.0.0.1 by UDP with two words and two bytes more.
func frame(t testing.TB) []byte {
	t.Helper()
	ip := &layers.IPv4{Version: 4, Protocol: layers.IPProtocolUDP, SrcIP: []byte{10, 0, 0, 1},
		DstIP: []byte{10, 0, 0, 2}}
	return serialize(t,
		&layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6),
			EthernetType: layers.EthernetTypeIPv4}, ip, &layers.UDP{SrcPort: 1, DstPort: 2},
		gopacket.Payload("\x00\x00\x00\x01\xde\xad\xbe\xef\x12\x34"))
}

func serialize(t testing.TB, stack ...gopacket.SerializableLayer) []byte {
	t.Helper()
	buffer := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buffer, gopacket.SerializeOptions{FixLengths: true},
		stack...); err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(buffer.Bytes())
}

var framed = packet{netip.MustParseAddr("10.0.0.1"), "\x00\x00\x00\x01\xde\xad\xbe\xef"}

// pcapFile makes a pcap file of Ethernet frames.
func pcapFile(t testing.TB, frames ...[]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for _, frame := range frames {
		ci := gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(frame),
			Length: len(frame)}
		if err := w.WritePacket(ci, frame); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// ng makes a pcapng file of blocks in a byte order; the first is a section header.
func ng(order binary.AppendByteOrder, blocks ...[]byte) []byte {
	section := order.AppendUint32(nil, 0x1a2b3c4d)
	section = order.AppendUint32(order.AppendUint16(order.AppendUint16(section, 1), 0), 0xffffffff)
	file := block(order, sectionHeader, order.AppendUint32(section, 0xffffffff))
	for _, block := range blocks {
		file = append(file, block...)
	}
	return file
}

// block makes a block of a body.
func block(order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	length := uint32(len(body) + 12)
	data := order.AppendUint32(order.AppendUint32(nil, kind), length)
	return order.AppendUint32(append(data, body...), length)
}

// iface makes an interface block.
func iface(
	order binary.AppendByteOrder,
	link layers.LinkType,
	snap uint32,
	options ...byte,
) []byte {
	body := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, uint16(link)), 0), snap)
	return block(order, interfaceBlock, append(body, options...))
}

// enhanced makes an enhanced packet block, whose captured length may be a lie.
func enhanced(
	order binary.AppendByteOrder,
	iface, length uint32,
	data []byte,
	options ...byte,
) []byte {
	body := order.AppendUint32(nil, iface)
	for _, word := range []uint32{0, 0, length, length} {
		body = order.AppendUint32(body, word)
	}
	body = append(body, data...)
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	return block(order, enhancedPacket, append(body, options...))
}

func TestPcapng(t *testing.T) {
	data := frame(t)
	n := uint32(len(data))
	long := append(bytes.Clone(data), make([]byte, MaxPacket-len(data))...) // behind the IP packet
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		ethernet, raw := iface(order, layers.LinkTypeEthernet, 0),
			iface(order, layers.LinkTypeRaw, 0)
		simple := block(order, simplePacket, append(order.AppendUint32(nil, n), data...))
		old := order.AppendUint16(order.AppendUint16(nil, 0), 0)
		for _, word := range []uint32{0, 0, n, n} {
			old = order.AppendUint32(old, word)
		}
		name := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, 1), 8), 0x01020304)
		comment := append(order.AppendUint16(order.AppendUint16(nil, 1), 5), "hello\x00\x00\x00"...)
		resolution := order.AppendUint16(order.AppendUint16(nil, 9), 1)
		second, finest := append(resolution[:4:4], 0, 0, 0, 0), append(resolution, 0xff, 0, 0, 0)
		tests := []struct {
			name  string
			file  []byte
			found int
		}{
			{"a section alone", ng(order), 0},
			{"enhanced", ng(order, ethernet, enhanced(order, 0, n, data)), 1},
			{"the longest packet", ng(order, ethernet, enhanced(order, 0, MaxPacket, long)), 1},
			{"the longest block",
				ng(order, iface(order, layers.LinkTypeEthernet, 0, make([]byte, maxBlock-20)...),
					enhanced(order, 0, n, data)), 1},
			{"simple, below the snap length",
				ng(order, iface(order, layers.LinkTypeEthernet, 1000), simple), 1},
			{"two link types", ng(order, ethernet, raw, enhanced(order, 1, n-14, data[14:]),
				enhanced(order, 0, n, data)), 2},
			{"simple", ng(order, ethernet, simple), 1},
			{"simple, cut to the snap length", ng(order, iface(order, layers.LinkTypeEthernet, 52),
				block(order, simplePacket, append(order.AppendUint32(nil, n), data[:52]...))), 1},
			{"the obsolete packet block",
				ng(order, ethernet, block(order, packetBlock, append(old, data...))), 1},
			{"options", ng(order, iface(order, layers.LinkTypeEthernet, 0, comment...),
				enhanced(order, 0, n, data, comment...)), 1},
			{"options that say how fine times are",
				ng(order, iface(order, layers.LinkTypeEthernet, 0, second...),
					iface(order, layers.LinkTypeEthernet, 0, finest...),
					enhanced(order, 0, n, data), enhanced(order, 1, n, data)), 2},
			{"options that are longer than their block", ng(order,
				iface(order, layers.LinkTypeEthernet, 0, comment[:8]...),
				enhanced(order, 0, n, data, comment[:8]...)), 1},
			{"version 1.2", append(order.AppendUint16(ng(order)[:14:14], 2),
				ng(order, ethernet, enhanced(order, 0, n, data))[16:]...), 1},
			{"other blocks", ng(order, block(order, 4, name), ethernet,
				block(order, 10, make([]byte, 2<<20)), enhanced(order, 0, n, data)), 1},
			{"two sections", append(ng(order, ethernet, enhanced(order, 0, n, data)),
				ng(binary.BigEndian, iface(binary.BigEndian, layers.LinkTypeRaw, 0),
					enhanced(binary.BigEndian, 0, n-14, data[14:]))...), 2},
		}
		for _, test := range tests {
			t.Run(order.String()+"/"+test.name, func(t *testing.T) {
				found, err := read(test.file)
				if err != nil || len(found) != test.found {
					t.Fatalf("%d packets, error %v; want %d", len(found), err, test.found)
				}
				for i, p := range found {
					if p != framed {
						t.Errorf("packet %d is %+v, want %+v", i+1, p, framed)
					}
				}
			})
		}
	}
}

// Packets of link layers of which nothing is decoded are counted, by their number.
func TestUndecoded(t *testing.T) {
	le, data := binary.LittleEndian, frame(t)
	const hdlc, nflog, none = 104, 239, 999
	var blocks [][]byte
	for _, link := range []layers.LinkType{hdlc, layers.LinkTypeEthernet, nflog, 228, none, 12} {
		blocks = append(blocks, iface(le, link, 0))
	}
	for _, i := range []uint32{0, 1, 2, 3, 4, 5, 0} {
		blocks = append(blocks, enhanced(le, i, uint32(len(data)), data))
	}
	for _, next := range []func(*Reader) error{
		func(r *Reader) error { _, _, err := r.Next(); return err },
		func(r *Reader) error { _, err := r.NextFrame(); return err },
	} {
		r := Open(bytes.NewReader(ng(le, blocks...)))
		for range 7 {
			if err := next(r); err != nil {
				t.Fatal(err)
			}
		}
		want := map[int]int{hdlc: 2, nflog: 1, none: 1}
		if err := next(r); err != io.EOF || !maps.Equal(r.Undecoded, want) {
			t.Errorf("%v, want %v: %v", r.Undecoded, want, err)
		}
	}
}

// TestPcap reads both byte orders and both resolutions of time, also of records that say that their
// packets were shorter, and where the link type has the length of checksums with it.
func TestPcap(t *testing.T) {
	data := frame(t)
	n := uint32(len(data))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		units := map[uint32]time.Duration{0xa1b2c3d4: time.Microsecond, 0xa1b23c4d: time.Nanosecond}
		for magic, unit := range units {
			file := order.AppendUint16(order.AppendUint16(order.AppendUint32(nil, magic), 2), 4)
			const ethernet = uint32(layers.LinkTypeEthernet) | 1<<26 | 4<<28 // checksums of 4 bytes
			for _, word := range []uint32{0, 0, 65535, ethernet} {
				file = order.AppendUint32(file, word)
			}
			half := uint32(time.Second / 2 / unit)
			for i := range uint32(3) {
				for _, word := range []uint32{7 + i/2, half * ((1 + i) % 2), n, n >> i} {
					file = order.AppendUint32(file, word)
				}
				file = append(file, data...)
			}
			found, err := read(file)
			if err != nil || !reflect.DeepEqual(found, []packet{framed, framed, framed}) {
				t.Errorf("%v, magic %x: %+v, error %v", order, magic, found, err)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	le := binary.LittleEndian
	data := frame(t)
	n := uint32(len(data))
	ethernet, good := iface(le, layers.LinkTypeEthernet, 0), enhanced(le, 0, n, data)
	change := func(file []byte, at int, value uint32) []byte {
		file = bytes.Clone(file)
		le.PutUint32(file[at:], value)
		return file
	}
	pcap := pcapFile(t, data, data)
	second := 24 + 16 + len(data)
	interfaces := make([][]byte, maxInterfaces+1)
	for i := range interfaces {
		interfaces[i] = ethernet
	}
	const section, firstPacket = 28, 28 + 20
	one := ng(le, ethernet, good)
	old := make([]byte, 24) // an obsolete packet of 9 bytes in a block with room for 4
	old[12] = 9

	tests := []struct {
		name  string
		file  []byte
		found int
		says  string
	}{
		{"nothing", nil, 0, "capture, byte 0: found 0 bytes, expected a pcap or pcapng file"},
		{"a text", []byte("hello, world"), 0, "magic number 68656c6c"},
		{"gzip", []byte{0x1f, 0x8b, 8, 0, 0}, 0, "a gzip file"},

		{"pcap: another version", change(pcap, 4, 9), 0,
			"pcap, file header: found version 9.0, expected 2.4"},
		{"pcap: half a header", pcap[:20], 0, "pcap, file header: found the end of the file"},
		{"pcap: a record of 1 GiB", change(change(pcap, second+8, 1<<30), second+12, 1<<30),
			1, "packet 2"},
		{"pcap: that with a snap length of 4 GiB",
			change(change(change(pcap, second+8, 1<<30), second+12, 1<<30), 16, 1<<32-1),
			1, "packet 2"},
		{"pcap: a record of the snap length, longer than any",
			change(pcapFile(t, data, make([]byte, MaxPacket+1)), 16, 1<<30), 1, "packet 2"},
		{"pcap: half a record header", pcap[:second+7], 1,
			"pcap, packet 2: found the end of the file"},
		{"pcap: a record header without its data", pcap[:second+16], 1,
			"pcap, packet 2: found the end of the file"},
		{"pcap: half a record", pcap[:len(pcap)-1], 1, "pcap, packet 2: found the end of the file"},

		{"pcapng: byte order", change(one, 8, 7), 0,
			"block 1 at byte 0: found byte-order magic 07000000"},
		{"pcapng: another version", change(one, 12, 2), 0,
			"block 1 at byte 0: found version 2.0, expected 1.0 or 1.2"},
		{"pcapng: another minor version", change(one, 12, 3<<16|1), 0, "found version 1.3"},
		{"pcapng: no section", append(bytes.Clone(one[:4]), one[section:]...), 0, "pcapng"},
		{"pcapng: a block shorter than its head", change(one, section+4, 8), 0,
			"found type 1, 8 bytes long, expected a multiple of 4, at least 20"},
		{"pcapng: a block of odd length", change(one, firstPacket+4, 91), 0,
			"found type 6, 91 bytes long"},
		{"pcapng: a block of 1 GiB", change(one, firstPacket+4, 1<<30), 0,
			"expected at most 1048576"},
		{"pcapng: a skipped block of 1 GiB", change(ng(le, ethernet, good, block(le, 99, nil)),
			firstPacket+len(good)+4, 1<<30), 1, "the end of the file"},
		{"pcapng: damage behind a skipped block", ng(le, block(le, 99, make([]byte, 8)), good), 0,
			"block 3 at byte 48: found interface 0"},
		{"pcapng: a packet longer than its block, and than the snap length",
			ng(le, iface(le, layers.LinkTypeEthernet, 4), enhanced(le, 0, n+100, data)), 0,
			fmt.Sprintf("found a packet of %d bytes", n+100)},
		{"pcapng: an obsolete packet longer than its block",
			ng(le, ethernet, block(le, packetBlock, old)), 0,
			"found a packet of 9 bytes, expected at most 4"},
		{"pcapng: a block longer than any",
			ng(le, iface(le, layers.LinkTypeEthernet, 0, make([]byte, maxBlock-16)...)), 0,
			"found type 1, 1048580 bytes long, expected at most 1048576"},
		{"pcapng: a short section", block(le, sectionHeader, make([]byte, 12)), 0,
			"byte-order magic"},
		{"pcapng: a short interface", ng(le, block(le, interfaceBlock, make([]byte, 4))), 0,
			"16 bytes long, expected a multiple of 4, at least 20"},
		{"pcapng: a short obsolete packet",
			ng(le, ethernet, block(le, packetBlock, make([]byte, 16))), 0,
			"28 bytes long, expected a multiple of 4, at least 32"},
		{"pcapng: a short simple packet", ng(le, ethernet, block(le, simplePacket, nil)), 0,
			"12 bytes long, expected a multiple of 4, at least 16"},
		{"pcapng: a short enhanced packet",
			ng(le, ethernet, block(le, enhancedPacket, make([]byte, 16))), 0,
			"28 bytes long, expected a multiple of 4, at least 32"},
		{"pcapng: a skipped block with another end", change(ng(le, block(le, 99, nil)), section+8,
			16), 0, "found length 16 at the end of the block, expected 12"},
		{"pcapng: another length at the end", change(one, len(one)-4, 7), 0,
			"found length 7 at the end of the block"},
		{"pcapng: a packet longer than its block",
			ng(le, ethernet, good, enhanced(le, 0, n+4, data)), 1,
			"block 4 at byte 140: found a packet of 64 bytes, expected at most 60"},
		{"pcapng: a packet of 4 GiB", ng(le, ethernet, enhanced(le, 0, 1<<32-1, data)), 0,
			"found a packet of 4294967295 bytes"},
		{"pcapng: a packet longer than any",
			ng(le, ethernet, enhanced(le, 0, MaxPacket+1, make([]byte, MaxPacket+1))), 0,
			"expected at most 262144"},
		{"pcapng: a simple packet longer than its block",
			ng(le, ethernet, block(le, simplePacket, le.AppendUint32(nil, 9))), 0,
			"found a packet of 9 bytes"},
		{"pcapng: a packet before an interface", ng(le, good), 0,
			"found interface 0, expected one of the section's 0"},
		{"pcapng: an interface of the last section", append(bytes.Clone(one), ng(le, good)...), 1,
			"found interface 0"},
		{"pcapng: interfaces without end", ng(le, interfaces...), 0, "expected at most 4096"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var found []packet
			var err error
			allocated := allocations(func() { found, err = read(test.file) })
			var damage *Error
			if !errors.As(err, &damage) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if len(found) != test.found || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%d packets, error %q; want %d, %q", len(found), err,
					test.found, test.says)
			}
			if limit := uint64(4 << 20); allocated > limit {
				t.Errorf("allocated %d bytes, want at most %d", allocated, limit)
			}
		})
	}
}

// TestCuts ends captures everywhere: only between records is it no damage, and an error of the file
// itself is taken neither for damage nor for the end.
func TestCuts(t *testing.T) {
	le, broken := binary.LittleEndian, errors.New("broken disk")
	data := frame(t)
	pcap := pcapFile(t, data, data)
	head, record := ng(le, iface(le, layers.LinkTypeEthernet, 0)),
		enhanced(le, 0, uint32(len(data)), data)
	for _, test := range []struct {
		name         string
		file         []byte
		head, record int
		alone        int // what is whole, too: a section
	}{
		{"pcap", pcap, 24, 16 + len(data), 24},
		{"pcapng", slices.Concat(head, record, record), len(head), len(record), 28},
	} {
		for end := range len(test.file) + 1 {
			found, err := read(test.file[:end])
			want, rest := max(0, (end-test.head)/test.record), (end-test.head)%test.record
			whole := end >= test.head && rest == 0 || end == test.alone
			if len(found) != want || (err == nil) != whole || !whole &&
				!errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s cut at byte %d: %d packets, error %v; want %d packets, whole %v",
					test.name, end, len(found), err, want, whole)
			}
			if _, err = drain(Open(io.MultiReader(bytes.NewReader(test.file[:end]),
				&failing{broken}))); !errors.Is(err, broken) {
				t.Errorf("%s, broken at byte %d: error %v, want the disk's", test.name, end, err)
			}
		}
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// allocations returns the bytes that a function allocates.
func allocations(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
