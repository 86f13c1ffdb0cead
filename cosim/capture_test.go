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
	for _, b := range []bench{inlineBench[uint32](64, ethernet), inlineBench[uint32](8, ethernet),
		inlineBench[uint64](64, ethernet)} {
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
	if testing.Short() {
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

// readCapture returns the packets of a capture in gopacket's test data that have an Ethernet
// header: a file in libpcap's first format.
func readCapture(t *testing.T, name string) [][]byte {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gopacket/gopacket")
	list.Dir = "../packets"
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
