package network

import (
	"context"
	"fmt"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// RTL is the in-line engine of package hdl, bloomlane_inline, in Verilator. One engine handles the
// hops of all elements: what tells it the element is the side-band word of each packet, as the
// look-up of a link or a service would in front of it. Packets come back to back, and leave as they
// come.
type RTL[B inpacket.Block] struct {
	// Cycles counts clock cycles: for every call of Handle, from the first beat in to the last out.
	Cycles int

	sim       *cosim.Simulation
	dataBytes int
	limit     uint64

	rst, ready, data, keep, last, user, fillLimit, control cosim.Port // in
	outData, outKeep, outValid, outLast, outUser           cosim.Port // out

	records, answers []byte
	packet           []byte // that is coming out
}

// Of m_axis_tuser, above the bit of the stream itself: {short, overfull, applied, result}.
const (
	streamBits   = 1
	userResult   = 3
	userApplied  = 1 << 2
	userOverfull = 1 << 3
	userShort    = 1 << 4
)

const (
	runCycles   = 4096   // cycles that are simulated at once
	drainCycles = 16     // the same, when all beats are in
	maxDrain    = 10_000 // cycles without a packet after which the engine is stuck
)

// NewRTL builds the engine, with beats of a number of bytes, and starts it. The error of a missing
// tool is a *[cosim.NotInstalledError]. The caller must Close it.
func NewRTL[B inpacket.Block](ctx context.Context, dataBytes, fillLimit int) (*RTL[B], error) {
	w := inpacket.FieldBytes[B]()
	program, err := cosim.Build(ctx,
		cosim.Model{Top: "bloomlane_inline", Parameters: map[string]int{
			// a lane has as many bits as the field bytes
			"W": w, "DATA_BYTES": dataBytes, "OFFSET": FieldStart,
		}})
	if err != nil {
		return nil, err
	}
	sim, err := program.Start()
	if err != nil {
		return nil, err
	}
	e := &RTL[B]{
		sim: sim, dataBytes: dataBytes, limit: uint64(fillLimit),
		rst: sim.In("rst"), ready: sim.In("m_axis_tready"),
		data: sim.In("s_axis_tdata"), keep: sim.In("s_axis_tkeep"), last: sim.In("s_axis_tlast"),
		user:      sim.In("s_axis_tuser"),
		fillLimit: sim.In("fill_limit"), control: sim.In(cosim.StreamIn),
		outData: sim.Out("m_axis_tdata"), outKeep: sim.Out("m_axis_tkeep"),
		outValid: sim.Out("m_axis_tvalid"),
		outLast:  sim.Out("m_axis_tlast"), outUser: sim.Out("m_axis_tuser"),
	}
	for range 4 {
		e.rst.Set(e.cycle(), 1)
	}
	if _, err := e.run(nil); err != nil {
		_ = sim.Close()
		return nil, err
	}
	return e, nil
}

// Close ends the simulation.
func (e *RTL[B]) Close() error { return e.sim.Close() }

// cycle appends a cycle to those that run next, and returns its record.
func (e *RTL[B]) cycle() []byte {
	at := len(e.records)
	e.records = append(e.records, make([]byte, e.sim.InBytes())...)
	record := e.records[at:]
	e.ready.Set(record, 1)
	e.fillLimit.Set(record, e.limit)
	e.control.Set(record, cosim.StreamOffer)
	return record
}

// Handle implements [Engine].
func (e *RTL[B]) Handle(hops []Hop[B]) error {
	left := hops // whose packets have not come out
	var err error
	for i := range hops {
		hop := &hops[i]
		table := hop.Frame[headerStart+1]
		user := inpacket.TUser(hop.Op, hop.Element.Positions[table])
		for rest := hop.Frame; len(rest) > 0; {
			beat := rest[:min(len(rest), e.dataBytes)]
			rest = rest[len(beat):]
			record := e.cycle()
			e.control.Set(record, cosim.StreamPush|cosim.StreamOffer)
			e.data.SetBytes(record, beat)
			e.keep.Set(record, 1<<len(beat)-1)
			e.user.Set(record, user<<streamBits)
			if len(rest) == 0 {
				e.last.Set(record, 1)
			}
		}
		if len(e.records) >= runCycles*e.sim.InBytes() {
			if left, err = e.run(left); err != nil {
				return err
			}
		}
	}
	for idle := 0; len(left) > 0; idle += drainCycles {
		before := len(left)
		for range drainCycles {
			e.cycle()
		}
		if left, err = e.run(left); err != nil {
			return err
		}
		if len(left) < before {
			idle = 0
		}
		if idle > maxDrain {
			return fmt.Errorf("inpacket: rtl: no packet came out in %d cycles, expected %d more",
				idle, len(left))
		}
	}
	return nil
}

// run simulates the cycles, gives the packets that come out to the hops that are left, and returns
// those that are then.
func (e *RTL[B]) run(left []Hop[B]) ([]Hop[B], error) {
	size := e.sim.OutBytes()
	cycles := len(e.records) / e.sim.InBytes()
	if cap(e.answers) < cycles*size {
		e.answers = make([]byte, cycles*size)
	}
	e.answers = e.answers[:cycles*size]
	if err := e.sim.Run(e.records, e.answers); err != nil {
		return nil, err
	}
	e.records = e.records[:0]
	for i := range cycles {
		if len(left) == 0 {
			break // a reset, or idle after the last packet
		}
		e.Cycles++
		answer := e.answers[i*size : (i+1)*size]
		if e.outValid.Get(answer) == 0 {
			continue
		}
		n := len(e.packet)
		e.packet = e.outData.Bytes(e.packet, answer)
		keep := 0
		for mask := e.outKeep.Get(answer); mask&1 == 1; mask >>= 1 {
			keep++
		}
		e.packet = e.packet[:n+keep]
		if e.outLast.Get(answer) == 0 {
			continue
		}
		hop, user := &left[0], e.outUser.Get(answer)>>streamBits
		if user&userShort != 0 {
			return nil, fmt.Errorf("inpacket: rtl: a packet of %d bytes is short, expected its "+
				"field at byte %d", len(hop.Frame), FieldStart)
		}
		hop.Frame = append(hop.Frame[:0], e.packet...)
		hop.Status, hop.Overfull = kernel.Absent, user&userOverfull != 0
		if user&userApplied != 0 {
			hop.Status = kernel.Status(user & userResult)
		}
		e.packet = e.packet[:0]
		left = left[1:]
	}
	return left, nil
}
