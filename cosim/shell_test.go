package cosim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// A shell is a value of the parameter SHELL of hdl/shell/shell_stub.v.
type shell struct {
	name string
	// received packets wait
	waits bool
	// of tuser, the bits that leave as they came, and those that are always set, on the way to the
	// host and to the wire
	host, wire       uint64
	hostSet, wireSet uint64
}

var shells = []shell{
	{"opennic-250", true, 1<<32 - 1, 1<<32 - 1, 1 << 32, 1 << 38},
	{"opennic-322", false, 1, 1, 0, 0},
	{"corundum", true, 1<<64 - 1, 1<<48 - 1, 0, 0},
}

// The shells do with received packets what the programmed element says, and count them, with the
// ports that a box or a block has; what goes to the wire is as it came. The short form is of the
// shell whose packets cannot wait: each takes seconds to compile.
func TestShells(t *testing.T) {
	full := os.Getenv("BLOOMLANE_SHELLS") == "full"
	for i, shell := range shells {
		if shell.waits && !full {
			continue
		}
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			m := topIn("shell", "shell_stub", map[string]int{"SHELL": i})
			m.brief = true
			s := start(t, m)
			bus, err := NewBus(s)
			if err != nil {
				t.Fatal(err)
			}
			// A packet that begins in a reset is not let in, if it cannot wait, nor the rest of one
			// that a reset cuts: neither is noticed later on.
			for _, cuts := range []bool{false, true} {
				cut := beat{data: make([]byte, wide)}
				if cuts || !shell.waits {
					offer(s, "rx", bus.Record, cut)
					s.In("rx_tvalid").Set(bus.Record, 1)
				}
				if cuts {
					for _, runs := range []uint64{1, 0, 0, 0, 0, 0} {
						bus.reset.Set(bus.Record, runs)
						if err := bus.Step(); err != nil {
							t.Fatal(err)
						}
					}
					bus.reset.Set(bus.Record, 1)
				}
				for done := s.Out("done"); !cut.last; {
					cut.last = done.Get(bus.answers) == 1
					s.In("rx_tlast").Set(bus.Record, done.Get(bus.answers))
					if err := bus.Step(); err != nil {
						t.Fatal(err)
					}
				}
			}
			s.In("rx_tvalid").Set(bus.Record, 0)
			device, err := inpacket.NewDevice[kernel.Block256](bus)
			if err != nil {
				t.Fatal(err)
			}
			r := &receiver{Bus: bus, rng: random(), shell: shell}
			r.stimuli = stimuli[uint32]{Rand: r.rng, key: true}
			for op := range uint64(4) {
				el := element[uint32]{op: op, mask: fallback.Mask[uint32](r.rng.Uint64())}
				if err := device.SetElement(inpacket.Op(op), el.mask); err != nil {
					t.Fatal(err)
				}
				if err := device.SetLimits(boardLimit, 0); err != nil {
					t.Fatal(err)
				}
				if err := r.receive(el, 150); err != nil {
					t.Fatal(err)
				}
			}
			got, err := device.Counters()
			if err != nil {
				t.Fatal(err)
			}
			if got != r.counters {
				t.Errorf("the counters are %+v, want %+v", got, r.counters)
			}
			for what, n := range map[string]uint64{"short": got.Short, "overfull": got.Overfull,
				"absent": got.Absent, "present": got.Present, "retained": got.Retained,
				"deleted": got.Deleted} {
				if n == 0 {
					t.Errorf("no packet was %s", what)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// receiver sends packets from the wire to a shell, and compares what the host gets. Meanwhile
// anything goes from the host to the wire.
type receiver struct {
	*Bus
	rng      *rand.Rand
	stimuli  stimuli[uint32]
	shell    shell
	counters inpacket.Counters
}

// receive sends packets under an element, and waits until all are out.
func (r *receiver) receive(el element[uint32], packets int) error {
	var in, out []beat
	for range packets {
		packet := r.packet(el)
		for start := 0; start < len(packet[0]); start += wide {
			end := min(start+wide, len(packet[0]))
			b := beat{last: end == len(packet[0]), user: r.rng.Uint64() >> 1}
			b.data = packet[0][start:end]
			in = append(in, b)
			b.data, b.user = packet[1][start:end], b.user&r.shell.host|r.shell.hostSet
			out = append(out, b)
		}
	}
	s := r.s
	valid, ready := s.In("rx_tvalid"), s.Out("rx_tready")
	offered := false // and not taken
	for range 40 * packets {
		if len(out) == 0 {
			return nil
		}
		offered = len(in) > 0 && (offered || r.rng.IntN(4) > 0)
		valid.Set(r.Record, 0)
		if offered {
			offer(s, "rx", r.Record, in[0])
			valid.Set(r.Record, 1)
		}
		takes := !r.shell.waits || r.rng.IntN(4) > 0
		s.In("host_tready").Set(r.Record, 0)
		if takes {
			s.In("host_tready").Set(r.Record, 1)
		}
		tx := beat{data: make([]byte, r.rng.IntN(wide+1)), last: r.rng.IntN(2) == 0,
			user: r.rng.Uint64() >> 16}
		offer(s, "tx", r.Record, tx)
		pass := r.rng.Uint64N(4)
		s.In("tx_tvalid").Set(r.Record, pass&1)
		s.In("wire_tready").Set(r.Record, pass>>1)
		if err := r.Step(); err != nil {
			return err
		}
		tx.user = tx.user&r.shell.wire | r.shell.wireSet
		if err := errors.Join(
			differValue("wire_tvalid", s.Out("wire_tvalid").Get(r.answers), pass&1),
			differValue("tx_tready", s.Out("tx_tready").Get(r.answers), pass>>1),
			differBeat(s, "wire", r.answers, tx),
		); err != nil {
			return err
		}
		if offered && ready.Get(r.answers) == 1 {
			in, offered = in[1:], false
		}
		if takes && s.Out("host_tvalid").Get(r.answers) == 1 {
			if len(out) == 0 {
				return fmt.Errorf("a beat comes out, and none is in")
			}
			if err := differBeat(s, "host", r.answers, out[0]); err != nil {
				return err
			}
			out = out[1:]
		}
	}
	return fmt.Errorf("%d beats are not out", len(out))
}

// packet returns a packet as it comes in and as it leaves under an element, and counts it.
func (r *receiver) packet(el element[uint32]) (both [2][]byte) {
	block := r.stimuli.block()
	choice := r.rng.IntN(4)
	if choice > 0 {
		block = [fallback.Lanes]uint32{}
	}
	for lane := range block {
		if choice > 1 { // the element is in
			block[lane] |= el.mask[lane]
		}
		if choice > 2 { // and cannot be deleted
			block[0] |= el.mask[lane]
		}
	}
	r.stimuli.last = block
	end := fieldAt + len(fieldOf(&block))
	length := end + r.rng.IntN(150)
	if r.rng.IntN(8) == 0 {
		length = 1 + r.rng.IntN(end-1)
	}
	packet := make([]byte, max(end, length))
	for i := range packet {
		packet[i] = byte(r.rng.Uint32())
	}
	copy(packet[fieldAt:], fieldOf(&block))
	both[0] = packet[:length]
	both[1] = bytes.Clone(both[0])
	c := &r.counters
	c.Packets++
	c.Bytes += uint64(length)
	if length < end {
		c.Short++
		return both
	}
	field, user := apply(el, &block, boardLimit)
	copy(both[1][fieldAt:], field)
	switch {
	case user == 1<<3:
		c.Overfull++
	case user == 1<<2:
		c.Absent++
	case user == 1<<2|2:
		c.Deleted++
	case user != 0 && el.op == opDelete:
		c.Retained++
	case user != 0:
		c.Present++
	}
	return both
}

// offer puts a beat on the ports of a stream.
func offer(s *Simulation, stream string, record []byte, b beat) {
	s.In(stream+"_tdata").SetBytes(record, b.data)
	s.In(stream+"_tkeep").SetBytes(record, kept(len(b.data)))
	s.In(stream+"_tuser").SetBytes(record, binary.LittleEndian.AppendUint64(nil, b.user))
	last := s.In(stream + "_tlast")
	last.Set(record, 0)
	if b.last {
		last.Set(record, 1)
	}
}

// differBeat returns an error where the ports of a stream do not have a beat.
func differBeat(s *Simulation, stream string, answer []byte, want beat) error {
	last := uint64(0)
	if want.last {
		last = 1
	}
	data := s.Out(stream+"_tdata").Bytes(nil, answer)[:len(want.data)]
	if !bytes.Equal(data, want.data) {
		return fmt.Errorf("%s_tdata is %x, want %x (first byte first)", stream, data, want.data)
	}
	user := make([]byte, 8)
	copy(user, s.Out(stream+"_tuser").Bytes(nil, answer))
	return errors.Join(
		differValue(stream+"_tkeep", s.Out(stream+"_tkeep").Get(answer), 1<<len(want.data)-1),
		differValue(stream+"_tuser", binary.LittleEndian.Uint64(user), want.user),
		differValue(stream+"_tlast", s.Out(stream+"_tlast").Get(answer), last),
	)
}
