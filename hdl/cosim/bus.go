package cosim

import (
	"fmt"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// Bus is a [register.Bus] of a simulated top that is an AXI4-Lite slave with a clock of its own,
// s_axi_aclk, beside clk. Each request runs the simulation until its response: two records for a
// clock of AXI, so that clk is twice as fast. The other inputs are those of Record.
type Bus struct {
	Record []byte // an input record, in which the caller may set the ports that are not AXI's

	s                                *Simulation
	answers                          []byte
	clock, reset                     Port
	awAddress, awValid, wData, wKeep Port
	wValid, bReady                   Port
	arAddress, arValid, rReady       Port
	awReady, bValid, bStatus         Port
	arReady, rValid, rData, rStatus  Port
}

// slow is the most clocks that a response may take.
const slow = 1 << 12

// NewBus resets AXI and returns its master. It panics if the top has not these ports.
func NewBus(s *Simulation) (*Bus, error) {
	b := &Bus{s: s, Record: make([]byte, s.InBytes()), answers: make([]byte, s.OutBytes()),
		clock: s.In("s_axi_aclk"), reset: s.In("s_axi_aresetn"),
		awAddress: s.In("s_axi_awaddr"), awValid: s.In("s_axi_awvalid"),
		wData: s.In("s_axi_wdata"), wKeep: s.In("s_axi_wstrb"), wValid: s.In("s_axi_wvalid"),
		bReady: s.In("s_axi_bready"), arAddress: s.In("s_axi_araddr"),
		arValid: s.In("s_axi_arvalid"), rReady: s.In("s_axi_rready"),
		awReady: s.Out("s_axi_awready"), bValid: s.Out("s_axi_bvalid"),
		bStatus: s.Out("s_axi_bresp"), arReady: s.Out("s_axi_arready"),
		rValid: s.Out("s_axi_rvalid"), rData: s.Out("s_axi_rdata"), rStatus: s.Out("s_axi_rresp")}
	for range 4 {
		if err := b.Step(); err != nil {
			return nil, err
		}
	}
	b.reset.Set(b.Record, 1)
	b.bReady.Set(b.Record, 1)
	b.rReady.Set(b.Record, 1)
	return b, nil
}

// Step runs a clock of AXI. The outputs are then those ahead of its edge.
func (b *Bus) Step() error {
	records := append(append([]byte(nil), b.Record...), b.Record...)
	b.clock.Set(records, 0)
	b.clock.Set(records[len(b.Record):], 1)
	answers := make([]byte, 2*len(b.answers))
	if err := b.s.Run(records, answers); err != nil {
		return err
	}
	copy(b.answers, answers)
	return nil
}

// request holds valid high until ready, and steps until the response.
func (b *Bus) request(valids []Port, ready, done Port) error {
	for _, valid := range valids {
		valid.Set(b.Record, 1)
	}
	for range slow {
		if err := b.Step(); err != nil {
			return err
		}
		if ready.Get(b.answers) == 1 {
			for _, valid := range valids {
				valid.Set(b.Record, 0)
			}
		}
		if done.Get(b.answers) == 1 {
			return nil
		}
	}
	return fmt.Errorf("cosim: no response of AXI after %d clocks", slow)
}

// Read reads a register.
func (b *Bus) Read(address uint32) (uint32, error) {
	if address%4 != 0 || address >= 1<<16 {
		return 0, &register.AddressError{Address: address, Bytes: 1 << 16}
	}
	b.arAddress.Set(b.Record, uint64(address))
	if err := b.request([]Port{b.arValid}, b.arReady, b.rValid); err != nil {
		return 0, err
	}
	if b.rStatus.Get(b.answers) != 0 {
		return 0, &register.RefusedError{Address: address}
	}
	return uint32(b.rData.Get(b.answers)), nil
}

// Write writes a register.
func (b *Bus) Write(address, value uint32) error {
	if address%4 != 0 || address >= 1<<16 {
		return &register.AddressError{Address: address, Bytes: 1 << 16}
	}
	b.awAddress.Set(b.Record, uint64(address))
	b.wData.Set(b.Record, uint64(value))
	b.wKeep.Set(b.Record, 15)
	if err := b.request([]Port{b.awValid, b.wValid}, b.awReady, b.bValid); err != nil {
		return err
	}
	if b.bStatus.Get(b.answers) != 0 {
		return &register.RefusedError{Address: address, Write: true}
	}
	return nil
}
