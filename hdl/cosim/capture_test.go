package cosim

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/require"
)

// The packets of real captures carry filters through the in-line engine, behind their Ethernet
// headers: every byte of every packet that comes out is that of the model, and so are its flags,
// with backpressure, gaps and resets as for random packets.
func TestCapture(t *testing.T) {
	const ethernet = 14
	packets := slices.Concat(
		readCapture(t, "layers/testdata/cip.pcap"),
		readCapture(t, "pcap/test_ethernet.pcap"),
	)
	names := []string{"inline-w32-64b-14", "inline-w32-8b-14", "inline-w64-64b-14"}
	for _, b := range inlineBenches {
		if !slices.Contains(names, b.name) {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			if b.model.Parameters["W"] == 32 {
				carry[uint32](t, b, packets, ethernet)
			} else {
				carry[uint64](t, b, packets, ethernet)
			}
		})
	}
}

// carry sends every packet with a filter field in it.
func carry[T fallback.Lane](t *testing.T, b bench, packets [][]byte, offset int) {
	e := newEngine[T](simulate(t, b), random(), b.model.Parameters["DATA_BYTES"], offset)
	if !require.Names(long) {
		packets = packets[len(packets)-3000:]
	}
	beats, sent := 0, 0
	for _, packet := range packets {
		beats += (len(packet)+e.fieldBytes())/e.dataBytes + 1 // the last may have no byte
	}
	e.next = func() ([]byte, []uint64) {
		packet := packets[sent%len(packets)]
		sent++
		op, block, _, _, _ := e.stimuli.next()
		return slices.Concat(packet[:offset], fieldOf(&block), packet[offset:]),
			[]uint64{op | fallback.Positions[T](e.stimuli.h)<<3}
	}
	if err := e.run(beats); err != nil {
		t.Fatal(err)
	}
	if sent < len(packets) {
		t.Errorf("%d packets were sent, want all %d", sent, len(packets))
	}
	for user, what := range map[int]string{0: "passed", 4: "absent", 5: "present or retained",
		6: "deleted"} {
		if e.outcomes[user] < 5 {
			t.Errorf("%d packets were %s, want 5", e.outcomes[user], what)
		}
	}
	t.Logf("%d packets, %d beats, %d cut by resets", sent, beats, e.seen.cut)
}

// A capture's frames as "packets inpacket" makes them, with a tag, two, labels or IPv6 ahead of the
// header, have the verdicts and fields of the same frames without these: with four places the
// engine finds each, by the parser of their first beat. Frames whose headers end elsewhere pass,
// flagged as short.
func TestTaggedCapture(t *testing.T) {
	ipv6 := func(next byte) []byte {
		header := make([]byte, 42)
		header[0], header[1], header[2], header[8] = 0x86, 0xdd, 6<<4, next
		return header
	}
	// What stands between the addresses and the header's first byte.
	forms := [][]byte{
		{0x88, 0xb5},
		{0x81, 0, 0x20, 7, 0x88, 0xb5},
		{0x88, 0x47, 0, 0, 0x11, 64},
		{0x88, 0xa8, 0, 9, 0x81, 0, 0x20, 7, 0x88, 0xb5},
		{0x88, 0x47, 0, 0, 0x10, 64, 0, 0, 0x21, 64},
		{0x81, 0, 0x20, 7, 0x88, 0x47, 0, 0, 0x11, 64},
		slices.Concat(ipv6(60), []byte{253, 0, 1, 4, 0, 0, 0, 0}), // 253: for experiments
		ipv6(253),
	}
	planted := []mutant{
		{"a field is where a frame without a tag has it", "", "example_tags.v",
			"s_axis_tuser ({‹place›, s_axis_tuser})", "3'd0"},
		{"a frame whose headers end elsewhere has a field", "", "example_tags.v",
			"s_axis_tuser ({‹place›, s_axis_tuser})", "{1'b0, place[1:0]}"},
		{"the parser looks a byte too far", "", "example_tags.v",
			".data (‹s_axis_tdata›)", "s_axis_tdata >> 8"},
	}
	packets := readCapture(t, "layers/testdata/cip.pcap")
	if !require.Names(long) {
		packets = packets[len(packets)-500:]
	}
	// frames returns the capture's frames of a form, their operations, and as verdicts that they
	// pass. Operations and fields are the same for each form.
	frames := func(between []byte) (frames [][]byte, users []uint64, short []string) {
		stimuli := stimuli[uint32]{Rand: random(), key: true}
		for _, packet := range packets {
			op, block, _, _, _ := stimuli.next()
			frames = append(frames, slices.Concat(packet[:12], between, []byte{headerKind, 0},
				packet[12:14], fieldOf(&block), packet[14:]))
			users = append(users, op|fallback.Positions[uint32](stimuli.h)<<3)
			short = append(short, fmt.Sprintf("10000 %x", fieldOf(&block)))
		}
		return frames, users, short
	}
	var plain []string
	for _, ends := range [][]int{{14, 18, 22, 62}, {14, 18, 22, 54}} {
		model := example("example_tags", map[string]int{"END_3": ends[3]})
		var bugs []mutant
		if plain == nil { // in one of the two models
			bugs = planted
			var err error
			if model.Sources, err = plant(bugs); err != nil {
				t.Fatal(err)
			}
		}
		for n := range len(bugs) + 1 {
			s := start(t, model, fmt.Sprintf("+mutant=%d", n))
			wrong := []string{}
			for _, between := range forms {
				all, users, want := frames(between)
				got := verdicts(t, s, all, users, 12+len(between)+4)
				if plain == nil {
					plain = got
				}
				if slices.Contains(ends, 12+len(between)) {
					want = plain
				}
				if !slices.Equal(got, want) {
					wrong = append(wrong, fmt.Sprintf("%x", between))
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			switch {
			case n == 0 && len(wrong) > 0:
				t.Errorf("with END_3 %d, frames with %q have other verdicts", ends[3], wrong)
			case n > 0 && len(wrong) == 0:
				t.Errorf("%s survives", bugs[n-1].name)
			}
		}
	}
	seen := map[string]bool{}
	for _, verdict := range plain {
		seen[verdict[:5]] = true // flags
	}
	for _, flags := range []string{"00000", "00100", "00101", "00110"} {
		if !seen[flags] {
			t.Errorf("no frame has the flags %s", flags)
		}
	}
}

// verdicts sends frames back to back, and returns of each its flags and the field that it leaves
// with.
func verdicts(t *testing.T, s *Simulation, frames [][]byte, users []uint64, first int) []string {
	const begin, settle = 16, 200 // cycles until the engine is ready, and until all is out
	type sent struct {
		data []byte
		last bool
		user uint64
	}
	var beats []sent
	for i, frame := range frames {
		for rest := frame; len(rest) > 0; {
			data := rest[:min(wide, len(rest))]
			rest = rest[len(data):]
			beats = append(beats, sent{data, len(rest) == 0, users[i]})
		}
	}
	var found []string
	var frame []byte
	err := drive(s, begin+len(beats)+settle, func(i int, record []byte) {
		clear(record)
		if i < 4 {
			s.In("rst").Set(record, 1)
		}
		s.In("m_axis_tready").Set(record, 1)
		s.In("fill_limit").Set(record, 128)
		if i < begin || i >= begin+len(beats) {
			return
		}
		b := beats[i-begin]
		s.In(StreamIn).Set(record, StreamPush|StreamOffer)
		s.In("s_axis_tdata").SetBytes(record, slices.Concat(b.data, make([]byte, wide-len(b.data))))
		s.In("s_axis_tkeep").SetBytes(record, kept(len(b.data)))
		s.In("s_axis_tuser").Set(record, b.user<<1)
		if b.last {
			s.In("s_axis_tlast").Set(record, 1)
		}
	}, func(i int, _, answer []byte) error {
		if i < begin || s.Out("m_axis_tvalid").Get(answer) == 0 {
			return nil
		}
		frame = s.Out("m_axis_tdata").Bytes(frame, answer)
		if s.Out("m_axis_tlast").Get(answer) == 1 {
			found = append(found, fmt.Sprintf("%05b %x", s.Out("m_axis_tuser").Get(answer)>>1,
				frame[first:][:32]))
			frame = nil
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(frames) {
		t.Fatalf("%d frames leave, want %d", len(found), len(frames))
	}
	return found
}

// readCapture returns the packets of a capture in gopacket's test data that have an Ethernet
// header: a file in libpcap's first format.
func readCapture(t *testing.T, name string) [][]byte {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gopacket/gopacket")
	list.Dir = "../../packets"
	folder, err := list.Output()
	if err != nil {
		require.Skip(t, "captures",
			fmt.Sprintf("the gopacket module is not here: go list: %v", err))
	}
	file, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), name))
	if err != nil {
		t.Fatal(err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if len(file) >= 24 && order.Uint32(file) != 0xa1b2c3d4 {
		order = binary.BigEndian
	}
	if len(file) < 24 || order.Uint32(file) != 0xa1b2c3d4 || order.Uint32(file[20:]) != 1 {
		t.Fatalf("%s is no capture of an Ethernet", name)
	}
	var packets [][]byte
	for rest := file[24:]; len(rest) > 0; {
		if len(rest) < 16 || uint32(len(rest)-16) < order.Uint32(rest[8:]) {
			t.Fatalf("%s ends inside packet %d", name, len(packets)+1)
		}
		length := order.Uint32(rest[8:])
		if packet := rest[16:][:length]; length >= 14 {
			packets = append(packets, packet)
		}
		rest = rest[16+length:]
	}
	if len(packets) == 0 {
		t.Fatalf("%s has no packets", name)
	}
	return packets
}
