package agreement

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/hdl/cosim"
	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/hdl/table"
	"github.com/bloomlane/bloomlane/kernel"
)

// verilog is the guard in Verilator, with beats of 64 bytes.
type verilog struct {
	s     *cosim.Simulation
	table *table.Device[kernel.Block512]

	rst, ready, data, keep, last, control         cosim.Port
	outValid, outData, outKeep, outLast, status   cosim.Port
	request, requestWrite, requestAt, requestData cosim.Port
	answerValid, answerData, answerError          cosim.Port

	records, answers []byte
	pending          int      // requests without an answer
	answered         []uint32 // answers that were not read
	frame            []byte   // that is coming out
	frames           [][]byte // that came out
	clock            int      // of the simulation
	taken            [2]int   // the clocks of the first beat and the last that went in
	out              int      // the clock of the first beat that came out
}

// Of an operation of the guard's list.
const (
	opInsert = 1
	opDelete = 2
	opIPv6   = 4
)

const (
	beat     = 64
	chunk    = 2048    // clocks that are simulated at once
	pace     = 8       // the same, while something is awaited
	quiet    = 64      // steps of that in which nothing happens, when all is done
	patience = 1 << 15 // the same, when something is not
)

// verilogMachine is the guard, with files in the place of those of package hdl.
func verilogMachine(ctx context.Context, sources map[string]string) machine {
	return machine{"Verilog (bloomlane_guard)", func(s *scenario) (executor, error) {
		files := map[string]string{"guard_probe.v": cosim.GuardProbe}
		for name, text := range sources {
			files[name] = text
		}
		log2 := bits.Len(uint(len(s.table()))) - 1
		program, err := cosim.Build(ctx, cosim.Model{Top: "guard_probe",
			Parameters: map[string]int{"LOG2_BLOCKS": log2}, Sources: files})
		if err != nil {
			return nil, err
		}
		sim, err := program.Start()
		if err != nil {
			return nil, err
		}
		v := newVerilog(sim)
		if err := v.load(s); err != nil {
			return nil, errors.Join(err, v.close())
		}
		return v, nil
	}}
}

func newVerilog(s *cosim.Simulation) *verilog {
	return &verilog{
		s: s, rst: s.In("rst"), ready: s.In("m_axis_tready"), data: s.In("s_axis_tdata"),
		keep: s.In("s_axis_tkeep"), last: s.In("s_axis_tlast"), control: s.In(cosim.StreamIn),
		outValid: s.Out("m_axis_tvalid"), outData: s.Out("m_axis_tdata"),
		outKeep: s.Out("m_axis_tkeep"), outLast: s.Out("m_axis_tlast"),
		status:  s.Out(cosim.StreamOut),
		request: s.In("request"), requestWrite: s.In("request_write"),
		requestAt: s.In("request_address"), requestData: s.In("request_data"),
		answerValid: s.Out("answer_valid"), answerData: s.Out("answer"),
		answerError: s.Out("answer_error"),
	}
}

// load writes the blocks of the file, and then the key, with which the guard opens.
func (v *verilog) load(s *scenario) error {
	f, err := deletable.Read(bytes.NewReader(s.file), s.config.Key)
	if err != nil {
		return err
	}
	for range 4 {
		v.rst.Set(v.cycle(), 1)
	}
	if err := v.run(); err != nil {
		return err
	}
	v.frame, v.frames = nil, nil // what registers without a value gave
	if v.table, err = table.NewDevice[kernel.Block512](v); err != nil {
		return err
	}
	if err := v.table.Load(0, f.CloneTable()); err != nil {
		return err
	}
	secret := s.config.Key.Bytes()
	for i, secret := 0, secret[len(secret)-16:]; i < 4; i++ {
		v.access(1, register.ListKey+4*i, binary.BigEndian.Uint32(secret[4*i:]))
	}
	if isOpen, err := v.Read(register.ListStatus); err != nil || isOpen != 1 {
		return fmt.Errorf("the guard's list has the status %d, want 1 (%w)", isOpen, err)
	}
	return nil
}

// cycle appends a clock to those that run next, and returns its record.
func (v *verilog) cycle() []byte {
	at := len(v.records)
	v.records = append(v.records, make([]byte, v.s.InBytes())...)
	record := v.records[at:]
	v.ready.Set(record, 1)
	v.control.Set(record, cosim.StreamOffer)
	return record
}

// access asks for an access of a register.
func (v *verilog) access(write uint64, address int, data uint32) {
	record := v.cycle()
	v.request.Set(record, 1)
	v.requestWrite.Set(record, write)
	v.requestAt.Set(record, uint64(address))
	v.requestData.Set(record, uint64(data))
	v.pending++
}

// Read reads a register, behind all that was written.
func (v *verilog) Read(address uint32) (uint32, error) {
	v.access(0, int(address), 0)
	if err := v.settle(0); err != nil {
		return 0, err
	}
	return v.answered[len(v.answered)-1], nil
}

// Write writes a register, at once or later: what refuses it is an error of what comes next.
func (v *verilog) Write(address, value uint32) error {
	v.access(1, int(address), value)
	if v.pending < chunk {
		return nil
	}
	return v.settle(quiet)
}

// run simulates the clocks.
func (v *verilog) run() error {
	n, size := len(v.records)/v.s.InBytes(), v.s.OutBytes()
	if cap(v.answers) < n*size {
		v.answers = make([]byte, n*size)
	}
	answers := v.answers[:n*size]
	if err := v.s.Run(v.records, answers); err != nil {
		return err
	}
	v.records = v.records[:0]
	for ; len(answers) > 0; answers = answers[size:] {
		answer := answers[:size]
		v.clock++
		if v.status.Get(answer)&cosim.StreamTaken != 0 {
			v.taken[1] = v.clock
			if v.taken[0] == 0 {
				v.taken[0] = v.clock
			}
		}
		if v.answerValid.Get(answer) == 1 {
			if v.answerError.Get(answer) == 1 {
				return errors.New("agreement: the guard answers an access with an error")
			}
			v.pending--
			v.answered = append(v.answered, uint32(v.answerData.Get(answer)))
		}
		if v.outValid.Get(answer) == 0 {
			continue
		}
		if v.out == 0 {
			v.out = v.clock
		}
		n := len(v.frame) + bits.OnesCount64(v.outKeep.Get(answer))
		v.frame = v.outData.Bytes(v.frame, answer)[:n]
		if v.outLast.Get(answer) == 1 {
			v.frames = append(v.frames, v.frame)
			v.frame = nil
		}
	}
	return nil
}

// settle simulates until all requests are answered, and all frames that come out within some steps
// are out.
func (v *verilog) settle(steps int) error {
	if err := v.run(); err != nil {
		return err
	}
	waits := func() bool { return v.pending > 0 || v.frame != nil }
	for idle := 0; idle < steps || waits() && idle < patience; idle++ {
		before, pending := len(v.frames), v.pending
		for range pace {
			v.cycle()
		}
		if err := v.run(); err != nil {
			return err
		}
		if len(v.frames) > before || v.pending < pending {
			idle = -1
		}
	}
	if waits() {
		return fmt.Errorf("agreement: the guard stops with %d requests open", v.pending)
	}
	return nil
}

func (v *verilog) judge(frames [][]byte, dropped []bool) error {
	v.frames, v.taken, v.out = nil, [2]int{}, 0
	for _, frame := range frames {
		for rest := frame; len(rest) > 0; {
			part := rest[:min(len(rest), beat)]
			rest = rest[len(part):]
			record := v.cycle()
			v.control.Set(record, cosim.StreamPush|cosim.StreamOffer)
			v.data.SetBytes(record, part)
			v.keep.Set(record, 1<<len(part)-1)
			if len(rest) == 0 {
				v.last.Set(record, 1)
			}
		}
		if len(v.records) >= chunk*v.s.InBytes() {
			if err := v.run(); err != nil {
				return err
			}
		}
	}
	if err := v.settle(quiet); err != nil {
		return err
	}
	// Frames of the same bytes have the same verdict, so that it is no matter which of them left.
	left := v.frames
	for i, frame := range frames {
		dropped[i] = len(left) == 0 || !bytes.Equal(left[0], frame)
		if !dropped[i] {
			left = left[1:]
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("agreement: %d frames leave the guard that did not come in this order, "+
			"first %x", len(left), left[0])
	}
	return nil
}

func (v *verilog) change(insert bool, addresses []netip.Addr, results []uint8) error {
	v.answered = nil
	var isResult []bool // of each answer
	for _, a := range addresses {
		operation, bytes := uint32(opDelete), a.AsSlice()
		if insert {
			operation = opInsert
		}
		if a.Is6() {
			operation |= opIPv6
		}
		for i := 0; i < len(bytes); i += 4 {
			v.access(1, register.ListAddress+i, binary.BigEndian.Uint32(bytes[i:]))
			isResult = append(isResult, false)
		}
		v.access(1, register.ListOperation, operation)
		v.access(0, register.ListOperation, 0)
		isResult = append(isResult, false, true)
	}
	if err := v.settle(quiet); err != nil {
		return err
	}
	for i, is := range isResult {
		if is {
			results[0] = uint8(v.answered[i])
			results = results[1:]
		}
	}
	return nil
}

func (v *verilog) blocks(blocks kernel.Table512) error {
	dump, err := v.table.Dump(0)
	copy(blocks, dump)
	return err
}

func (v *verilog) cost(frames [][]byte) (Cost, error) {
	dropped := make([]bool, len(frames))
	if err := v.judge(frames, dropped); err != nil {
		return Cost{}, err
	}
	c := Cost{PerPacket: float64(v.taken[1]-v.taken[0]+1) / float64(len(frames)), Unit: "clocks",
		What: "packets back to back, in beats of 64 bytes"}
	alone := make([]byte, beat) // no IP: it passes
	if err := v.judge([][]byte{alone}, dropped[:1]); err != nil {
		return Cost{}, err
	}
	c.Latency = v.out - v.taken[0]
	return c, nil
}

func (v *verilog) close() error { return v.s.Close() }
