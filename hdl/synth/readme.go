package main

import (
	"fmt"
	"strings"
)

// markdown is README.md.
func (r report) markdown() string {
	var b strings.Builder
	b.WriteString(`<!-- Written by go run ./hdl/synth from results.json. -->
# Synthesis

Sizes after synthesis, and speed after place and route, of the modules of ../rtl. ` + "`make synth`" + ` writes this
page; ` + "`make synth-check`" + `, a part of ` + "`make test`" + `, fails when the core or the pipeline has grown by more than a tenth.

- **xcup**: UltraScale+, ` + "`synth_xilinx -nowidelut`" + `. LUT is the number of LUT cells; LC the LUT6 sites that
  yosys estimates they take when small LUTs share one; a shift register that yosys puts into a LUT is neither. No vendor's tool has seen the design, so there is no frequency.
- **ecp5**: Lattice ECP5. **ice40**: Lattice iCE40 (LUT4).
- Rows that no iCE40 holds are synthesised for xcup only: their mapping to LUT4 takes minutes.
- **depth**: the most LUTs in a row between registers or ports, without carry chains.
- **HX8K**: MHz on an iCE40 HX8K by nextpnr, best and median of so many seeds; out of context: the ports are shift
  registers, so that every path begins and ends at a flip-flop.

`)
	fmt.Fprintf(&b, "Yosys %s, nextpnr-ice40 %s.\n\n", r.Tools["yosys"], r.Tools["nextpnr-ice40"])
	b.WriteString("| design | xcup LUT / LC / FF / BRAM | depth | ecp5 LUT / FF / BRAM | depth | ice40 LUT / FF / BRAM | depth | HX8K best / median | beside |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, w := range rows {
		d := r.find(w)
		if d.Families == nil {
			fmt.Fprintf(&b, "| %s<br>`%s %s` | not run yet | | | | | | | %s |\n", w.name, w.top, w.parameters, w.note)
			continue
		}
		x, e, i := d.Families["xcup"], d.Families["ecp5"], d.Families["ice40"]
		mhz := ""
		if d.HX8K != nil {
			mhz = fmt.Sprintf("%.0f / %.0f", d.HX8K.Best, d.HX8K.Median)
		}
		small := " |  |  | "
		if !w.large {
			small = fmt.Sprintf("%d / %d / %d | %d | %d / %d / %d | %d", e.LUT, e.FF, e.BRAM, e.Depth, i.LUT, i.FF, i.BRAM, i.Depth)
		}
		fmt.Fprintf(&b, "| %s<br>`%s %s` | %d / %d / %d / %d | %d | %s | %s | %s |\n", w.name, w.top, w.parameters,
			x.LUT, x.LC, x.FF, x.BRAM, x.Depth, small, mhz, w.note)
	}
	fmt.Fprintf(&b, `
Frequencies are over %d seeds. "Study" are the figures of a feasibility study that came before this design, for LUT6 devices and
without hashing. Rows of ports include bloomlane_fill, whose own size is a row above them.

A published design to hold this against: the Bloom filter extern for P4 takes k + 3 cycles an operation, which is 20 million
packets a second at k = 7 and 200 MHz, and cannot delete. The pipeline here takes an operation every cycle, whichever it is.
`, seeds)
	return b.String()
}
