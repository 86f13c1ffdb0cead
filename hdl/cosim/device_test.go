//go:build unix

package cosim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// A device is programmed through a simulation as through a mapped file, to the same words, and the
// simulation then does what it was programmed to.
func TestDevice(t *testing.T) {
	s := simulate(t, bench{name: "device", model: rude(example("example_control",
		map[string]int{"DATA_BYTES": 2, "OFFSET": 0, "FIRST": -1}))})
	bus, err := NewBus(s)
	if err != nil {
		t.Fatal(err)
	}
	s.In("rst").Set(bus.Record, 1)
	if err := errors.Join(bus.Step(), bus.Step()); err != nil {
		t.Fatal(err)
	}
	s.In("rst").Set(bus.Record, 0)

	path := filepath.Join(t.TempDir(), "resource0")
	image := make([]byte, 4*register.WindowBytes)
	for i := range 4 { // what hardware has before it is programmed
		word, err := bus.Read(register.ID + uint32(4*i))
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(image[4*i:], word)
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := register.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	plane, err := inpacket.New[kernel.Block256](inpacket.Config{Key: keytest.Key(1)})
	if err != nil {
		t.Fatal(err)
	}
	links := [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("d")}
	plane.Add(links...)
	simulated, err := words(bus, plane, links)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := words(file, plane, links)
	if err != nil {
		t.Fatal(err)
	}
	if simulated != mapped {
		t.Errorf("simulation:\n%sfile:\n%s", simulated, mapped)
	}
	t.Log(simulated)

	// Headers of links 1 and 3.
	header := kernel.Block256{}
	for _, link := range []int{1, 3} {
		mask := plane.Element(links[link]).Masks[0]
		header.Insert(&mask)
	}
	device, err := inpacket.NewDevice[kernel.Block256](bus)
	if err != nil {
		t.Fatal(err)
	}
	setBlock(s.In("in_header"), bus.Record, (*[8]uint32)(&header))
	s.In("in_valid").Set(bus.Record, 1)
	ports := s.Out("out_ports")
	var got uint64
	for range 8 {
		if err := bus.Step(); err != nil {
			t.Fatal(err)
		}
		got = ports.Get(bus.answers)
	}
	s.In("in_valid").Set(bus.Record, 0)
	if want := uint64(1<<1 | 1<<3); got != want {
		t.Errorf("ports %b, want %b", got, want)
	}
	for port := range device.Ports() {
		n, err := device.PortHeaders(port)
		want := uint64(1<<48 - 1) // what the counter began with
		if got>>port&1 == 1 {
			want = 15 // and 16 clocks of headers
		}
		if err != nil || n != want {
			t.Errorf("port %d was named by %d headers, want %d (%v)", port, n, want, err)
		}
	}
	if bits.OnesCount64(got) != 2 {
		t.Errorf("%d ports", bits.OnesCount64(got))
	}
	// Packets of the programmed element at the programmed place, and headers, under a fill limit.
	const limit = 40
	if err := device.SetLimits(limit, 1); err != nil {
		t.Fatal(err)
	}
	full := kernel.Block256{}
	for lane := range full {
		full[lane] = 1<<(limit/8+1) - 1
	}
	mine := plane.Element(links[2]).Masks[0]
	deleted := kernel.Block256{}
	deleted.Insert(&mine)
	for _, field := range []kernel.Block256{full, deleted, {}, deleted} {
		packet := append(make([]byte, 4), fieldOf((*[8]uint32)(&field))...)
		if err := send(bus, packet); err != nil {
			t.Fatal(err)
		}
	}
	if err := send(bus, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	counters, err := device.Counters()
	if want := (inpacket.Counters{Packets: 4, Bytes: 4*36 + 10 - 1, Absent: 0, Retained: 1<<48 - 1,
		Present: 1<<48 - 1, Deleted: 1}); err != nil || counters != want {
		t.Errorf("counters %+v, want %+v (%v)", counters, want, err)
	}
	setBlock(s.In("in_header"), bus.Record, (*[8]uint32)(&full))
	s.In("in_valid").Set(bus.Record, 1)
	for range 8 {
		if err := bus.Step(); err != nil {
			t.Fatal(err)
		}
	}
	s.In("in_valid").Set(bus.Record, 0)
	if got, over := ports.Get(bus.answers), s.Out("out_overfull").Get(bus.answers); got != 0 || over != 1 {
		t.Errorf("a full header names the ports %b, and is overfull: %d", got, over)
	}

	// A hole refuses a write, and the next request is none the worse.
	var refused *register.RefusedError
	if err := bus.Write(0xfffc, 1); !errors.As(err, &refused) || refused.Address != 0xfffc {
		t.Errorf("write of a hole: %v", err)
	}
	var wrong *register.AddressError
	if err := bus.Write(6, 1); !errors.As(err, &wrong) {
		t.Errorf("write of half a word: %v", err)
	}
	if id, err := bus.Read(register.ID); err != nil || id != register.IDValue {
		t.Errorf("identification %#x (%v)", id, err)
	}
}

// send sends a packet of beats of two bytes, in clocks in which AXI stands still.
func send(b *Bus, packet []byte) error {
	record, answer := append([]byte(nil), b.Record...), make([]byte, b.s.OutBytes())
	b.clock.Set(record, 0)
	b.s.In("m_axis_tready").Set(record, 1)
	for at := 0; at < len(packet)+64; at += 2 { // all has left behind 32 clocks
		b.s.In(StreamIn).Set(record, StreamOffer)
		if at < len(packet) {
			b.s.In(StreamIn).Set(record, StreamOffer|StreamPush)
			b.s.In("s_axis_tdata").SetBytes(record, packet[at:at+2])
			b.s.In("s_axis_tkeep").Set(record, 3)
			b.s.In("s_axis_tlast").Set(record, bit(at+2 == len(packet)))
		}
		if err := b.s.Run(record, answer); err != nil {
			return err
		}
	}
	return nil
}

// A process that does not answer is killed, and the error says what it was waited for.
func TestSilence(t *testing.T) {
	s := start(t, echo(good))
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.patience = time.Millisecond
	err := s.Run(make([]byte, 3*s.InBytes()), make([]byte, 3*s.OutBytes()))
	if err == nil || !strings.Contains(err.Error(), "no answer to 3 records within 1ms") {
		t.Errorf("%v, want one that says that there is no answer to 3 records", err)
	}
}

// words programs a device, and returns what its registers then have.
func words(
	bus register.Bus,
	plane *inpacket.Plane[kernel.Block256],
	links [][]byte,
) (string, error) {
	device, err := inpacket.NewDevice[kernel.Block256](bus)
	if err != nil {
		return "", err
	}
	var elements []inpacket.Element[kernel.Block256]
	for _, link := range links {
		elements = append(elements, plane.Element(link))
	}
	err = errors.Join(
		device.SetPorts(elements),
		device.SetElement(inpacket.OpDelete, elements[2].Masks[0]),
		device.SetLimits(plane.FillLimit(), 1),
		device.SetKey([]uint32{1, 2, 3, 4}),
	)
	if err != nil {
		return "", err
	}
	text := ""
	for _, address := range []uint32{register.ID, register.Version, register.Shape, register.Form,
		register.FillLimit, register.Place, register.OP, register.Element, register.Element + 4,
		register.Element + 28} {
		value, err := bus.Read(address)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%#06x %08x\n", address, value)
	}
	return text, nil
}
