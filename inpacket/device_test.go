package inpacket

import (
	"errors"
	"maps"
	"testing"

	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/kernel"
)

// bank is a Bus whose registers keep what is written, and which records the commits.
type bank struct {
	words   map[uint32]uint32
	commits []map[uint32]uint32
	stored  map[uint32][2]uint32 // by the low bits of Port: Element as it was then
	fails   int                  // requests until one fails; 0: none
}

var errBus = errors.New("no bus")

func newBank(lane, log2, ports, form uint32) *bank {
	return &bank{stored: map[uint32][2]uint32{}, words: map[uint32]uint32{
		register.ID: register.IDValue, register.Version: register.VersionValue | 7,
		register.Shape: ports<<16 | log2<<8 | lane, register.Form: form}}
}

func (b *bank) request() error {
	if b.fails--; b.fails == 0 {
		return errBus
	}
	return nil
}

func (b *bank) Read(address uint32) (uint32, error) { return b.words[address], b.request() }

func (b *bank) Write(address, value uint32) error {
	b.words[address] = value
	switch address {
	case register.Commit:
		b.commits = append(b.commits, maps.Clone(b.words))
	case register.Port:
		b.stored[value] = [2]uint32{b.words[register.Element], b.words[register.Element+4]}
	}
	return b.request()
}

// Hardware that is not this, or has another width, is refused.
func TestNewDevice(t *testing.T) {
	good := newBank(32, 0, 0, 0)
	if d, err := NewDevice[kernel.Block256](good); err != nil || d.Ports() != 1<<16 ||
		d.Tables() != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	var wrong *DeviceError
	if _, err := NewDevice[kernel.Block512](good); !errors.As(err, &wrong) || wrong.Found != 32 ||
		wrong.Expected != 64 {
		t.Errorf("another width: %v", err)
	}
	for address, value := range map[uint32]uint32{register.ID: 1, register.Version: 2 << 16} {
		other := newBank(32, 0, 1, 0)
		other.words[address] = value
		if _, err := NewDevice[kernel.Block256](other); !errors.As(err, &wrong) {
			t.Errorf("register %#x is %#x: %v", address, value, err)
		}
	}
}

// What is written, and that each call commits its own part once, at its end.
func TestDevice(t *testing.T) {
	eachWidth(t, testDevice[kernel.Block256], testDevice[kernel.Block512])
}

func testDevice[B Block](t *testing.T) {
	plane, all := newPlane[B](t, Config{}, 6)
	var elements []Element[B]
	for _, identifier := range all {
		elements = append(elements, plane.Element(identifier))
	}
	for _, positions := range []uint32{0, 1} {
		b := newBank(uint32(laneBits[B]()), 1, 7, positions<<8|4)
		d, err := NewDevice[B](b)
		if err != nil {
			t.Fatal(err)
		}
		commit := func(what string, bit uint32, err error) {
			t.Helper()
			if err != nil || len(b.commits) != 1 || b.words[register.Commit] != bit {
				t.Errorf("%s: %d commits, the last of %#x: %v", what, len(b.commits),
					b.words[register.Commit], err)
			}
			b.commits = nil
		}
		mask := elements[0].Masks[3]
		commit("element", 1, d.SetElement(OpDelete, mask))
		for i, word := range Words(mask) {
			if got := b.words[register.Element+uint32(4*i)]; got != word {
				t.Errorf("word %d is %#x, want %#x", i, got, word)
			}
		}
		if got := b.words[register.OP]; got != uint32(OpDelete) {
			t.Errorf("operation %d", got)
		}
		commit("limits", 4, d.SetLimits(100, 2))
		if b.words[register.FillLimit] != 100 || b.words[register.Place] != 2 {
			t.Errorf("limits %v", b.words)
		}
		commit("ports", 2, d.SetPorts(elements))
		for table := range uint32(2) {
			for port := range uint32(7) {
				low := [2]uint32{Words(mask)[0], Words(mask)[1]}
				value := table<<16 | port
				if port < 6 {
					value |= 1 << 31
					words := Words(elements[port].Masks[table])
					low = [2]uint32{words[0], words[1]}
					if positions == 1 {
						p := elements[port].Positions[table]
						low = [2]uint32{uint32(p), uint32(p >> 32)}
					}
				}
				got, ok := b.stored[value]
				if !ok || port < 6 && got != low {
					t.Errorf("port %d of table %d has %#x, want %#x", port, table, got, low)
				}
			}
		}
		if err := d.SetKey([]uint32{1, 2, 3, 4}); err != nil || b.words[register.Key+12] != 4 {
			t.Errorf("key: %v", err)
		}
		b.words[register.Retained], b.words[register.Retained+4] = 5, 6
		if c, err := d.Counters(); err != nil || c != (Counters{Retained: 6<<32 | 5}) {
			t.Errorf("%+v, %v", c, err)
		}
		b.words[register.PortHeaders+8*6+4] = 1
		if n, err := d.PortHeaders(6); err != nil || n != 1<<32 {
			t.Errorf("%d headers, %v", n, err)
		}
		testDeviceErrors(t, d, b, elements, mask)
	}
}

// Nothing is written of what does not fit, and no error of the bus is lost.
func testDeviceErrors[B Block](t *testing.T, d *Device[B], b *bank, elements []Element[B], mask B) {
	b.commits = nil
	short := Element[B]{Masks: elements[0].Masks[:1], Positions: elements[0].Positions[:1]}
	plain := Element[B]{Masks: elements[0].Masks}
	calls := map[string]error{
		"ports":  d.SetPorts(append(elements[:6:6], elements[:2]...)),
		"tables": d.SetPorts([]Element[B]{short}),
		"key":    d.SetKey(make([]uint32, 5)),
	}
	_, calls["port"] = d.PortHeaders(7)
	if d.positions {
		calls["plain"] = d.SetPorts([]Element[B]{plain})
	}
	for what, err := range calls {
		var wrong *DeviceError
		if !errors.As(err, &wrong) || len(b.commits) != 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := 1; ; n++ {
		b.fails = n
		err := d.SetElement(OpQuery, mask)
		if b.fails > 0 {
			if n < 10 {
				t.Errorf("an element takes %d requests", n-1)
			}
			break
		}
		if !errors.Is(err, errBus) {
			t.Errorf("request %d fails: %v", n, err)
		}
	}
	b.fails = 2
	if _, err := d.Counters(); !errors.Is(err, errBus) {
		t.Errorf("counters: %v", err)
	}
	b.fails = 0
}
