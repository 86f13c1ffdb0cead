package main

import (
	"fmt"
	"strings"
)

// markdown is README.md.
func (r report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!-- Written by go run ./hdl/synth from results.json. -->
# Synthesis

Sizes after synthesis, and speed after place and route, of the modules of ../rtl. `+"`make synth`"+` writes this
page; `+"`make synth-check`"+`, a part of `+"`make test-all`"+`, fails when the core, the pipeline, the in-line
engine or the queue of packets has grown by more than a tenth, or its paths have become longer or wider.

- **xcup**: UltraScale+, `+"`synth_xilinx -nowidelut -nosrl`"+`: shift registers that this Yosys makes ignore their enable, so
  there are flip-flops instead. LUT is the number of LUT cells, and of inverters, which a vendor's tool may merge into others;
  memory the LUT6 sites that are a RAM, by AMD's UG574; sites all of them: memory, and what yosys estimates for the LUTs when
  small ones share a site. No vendor's tool has seen the design, so there is no frequency.
- **ecp5**: Lattice ECP5. A RAM of 16 words of 4 bits is 6 LUT4 sites, 3 slices, and a carry cell, which is not in LUT, 2.
- **ice40**: Lattice iCE40 (LUT4). It has no LUT memories: queues are in block RAMs.
- The flow fails at a type of cell that it does not know how to count.
- Rows that no iCE40 holds are synthesised for xcup only: their mapping to LUT4 takes minutes.
- **depth**: the most LUTs and reads of LUT memories in a row between registers or ports, without carry chains.
- **steers**: of the nets that reach an enable, a reset or an address on xcup, the loads of the one with the most, and the
  LUTs ahead of it. **end points**: how many registers, memories and outputs a handshake and the reset reach within a clock.
  Rows without an entry were not traced. A
  test holds the in-line engine to 3 LUTs in a row, its widest net to a register ahead of it, and `+"`m_axis_tready`"+` to
  the pointer of the ring at the output: three bits, which Yosys keeps twice.
- **HX8K**: MHz on an iCE40 by nextpnr, best and median of %d seeds; out of context: the ports are shift registers, so that
  every path begins and ends at a flip-flop. A part that has too few LUTs or block memories for a row is too small; a row
  without a word was not placed. Where the flow finds nextpnr-ecp5, it does the same for an ECP5, the
  **LFE5U-25F** of speed grades 6 and 8, and elsewhere keeps the figures that it has. Debian 12 lacks nextpnr-ecp5: it was built
  from its sources with prjtrellis 1.4, whose database was of September 2023, and is no part of CI. It has placed some of the
  rows that fit the part.

`, seeds)
	fmt.Fprintf(&b, "Yosys %s", r.Tools["yosys"])
	heads, placed := "", []part{}
	for _, p := range parts {
		if v, ok := r.Tools[p.nextpnr]; ok {
			if tool := ", " + p.nextpnr + " " + v; !strings.Contains(b.String(), tool) {
				b.WriteString(tool)
			}
			heads += " " + p.name + " best / median |"
			placed = append(placed, p)
		} else {
			fmt.Fprintf(&b, ". No %s, which Debian 12 lacks: no clock of an %s yet",
				p.nextpnr, p.name)
		}
	}
	b.WriteString(".\n\n| design | xcup LUT / memory / sites / FF / BRAM | depth " +
		"| steers | end points | ecp5 LUT / memory / sites / FF / BRAM | depth " +
		"| ice40 LUT / FF / BRAM | depth |" + heads +
		" beside |\n|" + strings.Repeat(" --- |", 10+len(placed)) + "\n")
	for _, w := range rows {
		d := r.find(w)
		fmt.Fprintf(&b, "| %s<br>`%s %s` |", w.name, w.top, w.parameters)
		note := w.note
		for _, f := range families {
			n := d.Families[f.name]
			switch {
			case w.large && !f.large:
				b.WriteString(" | |")
			case f.name == "ice40":
				fmt.Fprintf(&b, " %d / %d / %d | %d |", n.LUT, n.FF, n.BRAM, n.Depth)
			default:
				fmt.Fprintf(&b, " %d / %d / %d / %d / %d | %d |",
					n.LUT, n.Memory, n.Sites, n.FF, n.BRAM, n.Depth)
			}
			if f.name == traced {
				fmt.Fprintf(&b, " %v |", d.Paths)
			}
			if n.URAM > 0 {
				note += fmt.Sprintf("; %d UltraRAMs on %s", n.URAM, f.name)
			}
			if n.DSP > 0 {
				note += fmt.Sprintf("; %d DSP on %s", n.DSP, f.name)
				note = strings.TrimPrefix(note, "; ")
			}
		}
		for _, p := range placed {
			if f, ok := d.Clocks[p.name]; ok {
				fmt.Fprintf(&b, " %.0f / %.0f", f.Best, f.Median)
			} else if p.tooSmall(w, d) {
				b.WriteString(" too small")
			}
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %s |\n", note)
	}
	b.WriteString(`
"Study" are the figures of a feasibility study that came before this design, for LUT6 devices and
without hashing. It counts LUT6 cells and flip-flops; whether LUT memories are in its figure of the in-line engine is not
recorded, so that lies between LUT and LUT with memory here. Rows of ports include bloomlane_fill, whose own size is a row above them.

A published design to hold this against: the Bloom filter extern for P4 takes k + 3 cycles an operation, which is 20 million
packets a second at k = 7 and 200 MHz, and cannot delete. That counts cycles and packets: it says nothing of LUTs, so no size here is
held against it, and its 200 MHz are not measured here. The pipeline here takes an operation every cycle, whichever it is.

## Rates

The in-line engine takes a beat a clock, packets of a single beat included, so that the bus and the clock say what it carries. A
frame of n bytes, with its FCS, takes n + 20 bytes of an Ethernet line, and as many clocks as it has beats. The worst of
the sizes from 64 to 1,518 bytes is often a byte more than whole beats.

`)
	r.rates(&b)
	b.WriteString(`
A bold clock is one that the fastest placed row of that bus has here, at its median. The others are not met here:

- 100G needs 512 bits and 294 MHz, or 1,024 and 168; 200G needs 1,024 bits and 336 MHz. Parts of that class are UltraScale+.
  AMD's CMAC has 512 bits at 322.266 MHz, which is enough. 250 MHz, the clock of many shells, cannot carry frames of 65 bytes
  at 100G, whatever stands on the bus: each is two beats, and there are 147 million of them a second.
- No vendor's tool has seen the design, so whether it reaches 322.266 MHz is open. In its favour are at most 3 LUTs in a row,
  and no enable behind a handshake. Whoever has Vivado can run [vivado.tcl](vivado.tcl), which nobody has run here, and fill in
  the row "a CMAC": the slack, the part and the version.
- 400G of frames of 64 bytes needs 595 MHz however wide the bus is, because no beat holds two packets. That takes several
  engines side by side, each with a part of the packets, which is not here.
- What is not bold at 10G and 25G is beyond the clock that nextpnr finds for these small parts, or a width of which no row was placed.
`)
	return b.String()
}
