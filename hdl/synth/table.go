package main

// row is one design of the table: a top module of hdl/rtl with its parameters.
type row struct {
	name       string // what it is, in the README
	top        string
	parameters string   // "W=32 DEPTH=2"
	clocks     []string // the parts that it is placed and routed on
	check      bool     // make synth-check holds it against the committed figures
	large      bool     // for xcup only: no iCE40 holds it, and mapping it to LUT4 takes minutes
	note       string   // an anchor, in the README
}

var (
	hx8k = []string{"HX8K"}
	ecp5 = []string{"LFE5U-25F"} // an HX8K does not hold it
	both = []string{"HX8K", "LFE5U-25F"}
)

// rows are what make synth reports. A new module is a new row.
var rows = []row{
	{name: "query, stored positions, 256 bits", top: "bloomlane_lookup", parameters: "W=32",
		note: "study: 94 LUT6"},
	{name: "query, stored positions, 512 bits", top: "bloomlane_lookup", parameters: "W=64",
		note: "study: 209 LUT6"},
	{name: "query, mask, 256 bits", top: "bloomlane_query", parameters: "W=32"},
	{name: "query, mask, 512 bits", top: "bloomlane_query", parameters: "W=64"},
	{name: "merge, 256 bits", top: "bloomlane_merge", parameters: "W=32"},
	{name: "merge, 512 bits", top: "bloomlane_merge", parameters: "W=64"},
	{name: "core, 256 bits", top: "bloomlane_core", parameters: "W=32", check: true,
		note: "study: 1,287 LUT6"},
	{name: "core, 512 bits", top: "bloomlane_core", parameters: "W=64", check: true,
		note: "study: 2,025 LUT6"},
	{name: "the letter's form: 240 bits, five cells of 216, 24 regions", top: "letter_core",
		parameters: "M=240 K=5 R=24"},
	{name: "pipeline of 1, positions, 256 bits", top: "bloomlane_pipe",
		parameters: "W=32 DEPTH=1 POSITIONS=1"},
	{name: "pipeline of 2, positions, 256 bits", top: "bloomlane_pipe",
		parameters: "W=32 DEPTH=2 POSITIONS=1", clocks: hx8k, check: true,
		note: "study: 1,041 LUT6, 742 FF"},
	{name: "pipeline of 2, mask, 256 bits", top: "bloomlane_pipe",
		parameters: "W=32 DEPTH=2 POSITIONS=0", clocks: hx8k},
	{name: "pipeline of 3, positions, 256 bits", top: "bloomlane_pipe",
		parameters: "W=32 DEPTH=3 POSITIONS=1", clocks: hx8k},
	{name: "pipeline of 4, positions, 256 bits", top: "bloomlane_pipe",
		parameters: "W=32 DEPTH=4 POSITIONS=1", clocks: both, check: true,
		note: "goal: 150 MHz on the HX8K"},
	{name: "pipeline of 4, mask, 256 bits", top: "bloomlane_pipe",
		parameters: "W=32 DEPTH=4 POSITIONS=0", clocks: hx8k},
	{name: "pipeline of 4, positions, 512 bits", top: "bloomlane_pipe",
		parameters: "W=64 DEPTH=4 POSITIONS=1", clocks: ecp5},
	{name: "fill limit, 256 bits", top: "bloomlane_fill", parameters: "BITS=256 LATENCY=2",
		clocks: hx8k},
	{name: "fill limit, 256 bits, 4 clocks", top: "bloomlane_fill",
		parameters: "BITS=256 LATENCY=4", clocks: hx8k},
	{name: "16 ports, positions, 256 bits, with the fill limit", top: "bloomlane_match",
		parameters: "W=32 PORTS=16 COUNT=3 POSITIONS=1", clocks: hx8k,
		note: "study: 1,554 LUT6, 802 FF"},
	{name: "the same, a clock less", top: "bloomlane_match",
		parameters: "W=32 PORTS=16 COUNT=2 POSITIONS=1"},
	{name: "64 ports, positions, 256 bits, with the fill limit", top: "bloomlane_match",
		parameters: "W=32 PORTS=64 COUNT=3 POSITIONS=1", large: true,
		note: "study: 6,210 LUT6, 2,530 FF"},
	{name: "16 ports, masks, 256 bits, with the fill limit", top: "bloomlane_match",
		parameters: "W=32 PORTS=16 COUNT=3 POSITIONS=0", note: "study: 3,233 LUT6, 4,370 FF"},
	{name: "64 ports, masks, 256 bits, with the fill limit", top: "bloomlane_match",
		parameters: "W=32 PORTS=64 COUNT=3 POSITIONS=0", large: true,
		note: "study: 12,958 LUT6, 16,706 FF"},
	{name: "16 ports in 8 tables, positions, 256 bits, with the fill limit", top: "bloomlane_match",
		parameters: "W=32 PORTS=16 COUNT=3 POSITIONS=1 LOG2_TABLES=3"},
	{name: "in-line engine, beats of 64 bits, 256 bits", top: "bloomlane_inline",
		parameters: "DATA_BYTES=8 W=32 OFFSET=0", clocks: ecp5, check: true,
		note: "study: 87 MHz on the HX8K; goal: 110 MHz"},
	{name: "in-line engine, beats of 64 bits, 256 bits, straddling", top: "bloomlane_inline",
		parameters: "DATA_BYTES=8 W=32 OFFSET=18"},
	{name: "in-line engine, beats of 128 bits, 256 bits", top: "bloomlane_inline",
		parameters: "DATA_BYTES=16 W=32 OFFSET=0", clocks: ecp5},
	{name: "in-line engine, beats of 256 bits, 256 bits", top: "bloomlane_inline",
		parameters: "DATA_BYTES=32 W=32 OFFSET=0", clocks: ecp5},
	{name: "in-line engine, beats of 512 bits, 256 bits", top: "bloomlane_inline",
		parameters: "DATA_BYTES=64 W=32 OFFSET=0", clocks: ecp5,
		note: "study: 2,212 LUT6, 1,970 FF"},
	{name: "in-line engine, beats of 512 bits, 512 bits, straddling", top: "bloomlane_inline",
		parameters: "DATA_BYTES=64 W=64 OFFSET=14", large: true},
	{name: "queue of packets, 512 beats of 64 bits", top: "bloomlane_packet_fifo",
		parameters: "WIDTH=72 LOG2_DEPTH=9 DROP_FULL=1 OUTPUT=1", clocks: hx8k, check: true},
	{name: "queue of packets, 256 beats of 512 bits", top: "bloomlane_packet_fifo",
		parameters: "WIDTH=576 LOG2_DEPTH=8 DROP_FULL=1 OUTPUT=1"},
	{name: "table of 256 blocks without the hash, 256 bits", top: "bloomlane_table_core",
		parameters: "W=32 LOG2_BLOCKS=8", clocks: both, note: "goal: 100 MHz on the HX8K"},
	{name: "table of 512 blocks without the hash, 256 bits", top: "bloomlane_table_core",
		parameters: "W=32 LOG2_BLOCKS=9", note: "study: 1,704 LUT6, 4 RAMB36"},
	{name: "Toeplitz hash of 4 bytes", top: "bloomlane_toeplitz", parameters: "FIELD_BYTES=4",
		clocks: hx8k},
	{name: "Toeplitz hash of 13 bytes", top: "bloomlane_toeplitz", parameters: "FIELD_BYTES=13"},
	{name: "Toeplitz hash of 40 bytes", top: "bloomlane_toeplitz",
		parameters: "FIELD_BYTES=40", large: true},
	{name: "SipHash-1-3 of 4 bytes", top: "bloomlane_siphash", parameters: "FIELD_BYTES=4"},
	{name: "SipHash-1-3 of 13 bytes", top: "bloomlane_siphash", parameters: "FIELD_BYTES=13"},
	{name: "SipHash-1-3 of 40 bytes", top: "bloomlane_siphash", parameters: "FIELD_BYTES=40",
		large: true},
	{name: "g of a hash", top: "bloomlane_spread", parameters: "DSP=0", clocks: hx8k},
	{name: "g of a hash, in multipliers", top: "bloomlane_spread", parameters: "DSP=1"},
	{name: "table of 512 blocks with the hash of 13 bytes, 512 bits", top: "bloomlane_table",
		parameters: "W=64 LOG2_BLOCKS=9 FIELD_BYTES=13", large: true},
	{name: "the same, with SipHash-1-3", top: "bloomlane_table",
		parameters: "W=64 LOG2_BLOCKS=9 FIELD_BYTES=13 HASH=1", large: true},
}
