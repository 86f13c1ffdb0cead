package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kind is what a cell of a netlist is to the counts.
type kind int

const (
	lut kind = iota
	ff
	bram
	uram
	dsp
	carry
	wide   // a multiplexer behind LUTs
	memory // LUTs that are a memory
)

// cells are types of cells of one kind, with the LUT sites that each needs.
type cells struct {
	types *regexp.Regexp
	kind  kind
	sites int
}

func countOf(types string, kind kind, sites int) cells {
	return cells{regexp.MustCompile(`^(` + types + `)$`), kind, sites}
}

// family is a family of FPGAs as yosys knows it. Wide multiplexers are not used for Xilinx, which
// gives a plain count of LUTs; nor are shift registers, because those of yosys 0.23 ignore their
// enable; abc9 is not used, because abc gives fewer LUTs and levels here.
type family struct {
	name     string
	command  string
	estimate string  // a yosys command that says how many sites LUTs take that share one
	cells    []cells // a type that is not here is an error: nothing stays uncounted
	check    bool    // part of make synth-check
	large    bool    // its parts hold the large rows
}

var families = []family{
	{"xcup", "synth_xilinx -family xcup -flatten -nowidelut -nosrl -noiopad -noclkbuf",
		"chtype -set LUT1 t:INV; stat -tech xilinx", []cells{
			countOf(`LUT[1-6]|INV`, lut, 1),
			countOf(`FD[RSCP]E`, ff, 0),
			countOf(`RAMB(18|36)E2`, bram, 0),
			countOf(`URAM288`, uram, 0),
			countOf(`DSP48E2`, dsp, 0),
			countOf(`CARRY[48]`, carry, 0), // beside the slice's LUTs
			countOf(`MUXF[789]`, wide, 0),
			// LUTs per primitive: AMD UG574, distributed RAM of a SLICEM
			countOf(`RAM(32|64)X1S`, memory, 1),
			countOf(`RAM(32|64)X1D|RAM128X1S`, memory, 2),
			countOf(`RAM(32|64)M|RAM128X1D|RAM256X1S`, memory, 4),
			countOf(`RAM32M16|RAM64M8|RAM256X1D|RAM512X1S`, memory, 8),
		}, true, true},
	{"ecp5", "synth_ecp5 -nowidelut", "", []cells{
		countOf(`LUT4`, lut, 1),
		countOf(`TRELLIS_FF`, ff, 0),
		countOf(`DP16KD|PDPW16KD`, bram, 0),
		countOf(`MULT18X18D|ALU54B`, dsp, 0),
		countOf(`CCU2C`, carry, 2), // a slice, with both of its LUTs
		countOf(`PFUMX|L6MUX21`, wide, 0),
		countOf(`TRELLIS_DPR16X4`, memory, 6), // 3 slices: two hold the bits, one writes them
	}, false, false},
	{"ice40", "synth_ice40", "", []cells{
		countOf(`SB_LUT4`, lut, 1),
		countOf(`SB_DFFN?E?(S?[RS])?`, ff, 0),
		countOf(`SB_RAM40_4K(N[RW]|NRNW)?`, bram, 0),
		countOf(`SB_MAC16`, dsp, 0),
		countOf(`SB_CARRY`, carry, 0), // shares its LUT's site
	}, true, false},
}

// traced is the family whose netlists are followed for what steers them.
const traced = "xcup"

// figures are a design's on one family.
type figures struct {
	LUT, FF, BRAM int
	Memory        int `json:",omitempty"` // LUT sites that are memories
	Sites         int // LUT sites altogether, carry cells' that take one included
	URAM          int `json:",omitempty"` // UltraRAMs
	DSP           int `json:",omitempty"`
	Carry         int `json:",omitempty"` // carry cells
	// the longest chain of LUTs and of memories' reads between registers or ports, without carry
	// chains
	Depth int
}

// part is what rows are placed and routed on.
type part struct {
	name    string
	nextpnr string
	synth   string   // yosys' command
	options []string // nextpnr's: the part and its speed grade
	// nextpnr for it is not everywhere: a row keeps its figures where it is not found
	optional bool
	family   string
	has      figures // the LUT sites and block memories that there are
}

// tooSmall says whether a design is known to need more than the part has.
func (p part) tooSmall(r row, d design) bool {
	n := d.Families[p.family]
	return r.large && p.family == "ice40" || n.Sites > p.has.Sites || n.BRAM > p.has.BRAM
}

var parts = []part{
	{"HX8K", "nextpnr-ice40", "synth_ice40",
		[]string{"--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"}, false,
		"ice40", figures{Sites: 7680, BRAM: 32}},
	{"LFE5U-25F", "nextpnr-ecp5", "synth_ecp5",
		[]string{"--25k", "--package", "CABGA381", "--speed", "6", "--lpf-allow-unconstrained"},
		true, "ecp5", figures{Sites: 24288, BRAM: 56}},
	{"LFE5U-25F-8", "nextpnr-ecp5", "synth_ecp5",
		[]string{"--25k", "--package", "CABGA381", "--speed", "8", "--lpf-allow-unconstrained"},
		true, "ecp5", figures{Sites: 24288, BRAM: 56}},
}

// missing says whether a part's nextpnr is not found, and that it may be.
func (p part) missing() bool {
	_, err := exec.LookPath(p.nextpnr)
	return p.optional && err != nil
}

// frequency is what nextpnr finds for a part over some seeds, in MHz.
type frequency struct {
	Best, Median float64
	Seeds        int
}

func tool(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		tail := bytes.TrimSpace(out)
		return "", fmt.Errorf("%s: %w: %s", name, err, tail[max(0, len(tail)-400):])
	}
	return string(out), nil
}

// versions asks the tools for theirs; one that is missing, or of another part, keeps its committed
// version.
func versions(committed map[string]string, parts []part) (map[string]string, error) {
	v := map[string]string{}
	maps.Copy(v, committed)
	ask := map[string]string{"yosys": "-V"}
	for _, p := range parts {
		if !p.missing() {
			ask[p.nextpnr] = "--version"
		}
	}
	for name, flag := range ask {
		out, err := tool(name, flag)
		if err != nil {
			return nil, err
		}
		v[name] = strings.Trim(regexp.MustCompile(`\d+\.\d+(\.\d+)?(-\d+)?`).FindString(out), "-")
	}
	return v, nil
}

// elaborate is the part of a yosys script that reads the RTL and sets the row's parameters.
func elaborate(r row) string {
	s := fmt.Sprintf("read_verilog -I%s %s; hierarchy -check -top %s", rtl, r.sources(), r.top)
	for p := range strings.FieldsSeq(r.parameters) {
		name, value, _ := strings.Cut(p, "=")
		s += fmt.Sprintf(" -chparam %s %s", name, value)
	}
	return s + "; "
}

// netlist is as much of yosys' JSON as is needed here. A bit is a number, or a constant's string.
type netlist struct {
	Modules map[string]module
}

type module struct {
	Ports map[string]struct {
		Direction string
		Bits      []any
	}
	Cells map[string]struct {
		Type        string
		Directions  map[string]string `json:"port_directions"`
		Connections map[string][]any
	}
}

func readNetlist(path string) (n netlist, err error) {
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &n)
	}
	return n, err
}

// synthesise runs yosys. It returns the netlist and, where yosys estimates that, how many sites
// LUTs take when small ones share one.
func (f family) synthesise(work string, r row) (list netlist, shared int, err error) {
	path := filepath.Join(work, f.name+r.top+strings.ReplaceAll(r.parameters, " ", "_")+".json")
	command := f.command
	if r.ultra && f.name == "xcup" {
		command += " -uram"
	}
	out, err := tool("yosys", "-p", elaborate(r)+command+"; write_json "+path+"; "+f.estimate)
	if err != nil {
		return list, 0, err
	}
	if list, err = readNetlist(path); err != nil || f.estimate == "" {
		return list, 0, err
	}
	m := regexp.MustCompile(`Estimated number of LCs: +(\d+)`).FindAllStringSubmatch(out, -1)
	if m == nil {
		return list, 0, fmt.Errorf("yosys estimates no number of sites")
	}
	shared, err = strconv.Atoi(m[len(m)-1][1])
	return list, shared, err
}

// count counts the cells of a module.
func (f family) count(list netlist, module string) (figures, error) {
	var n figures
	top, ok := list.Modules[module]
	if !ok {
		return n, fmt.Errorf("%s: the netlist has no module %s", f.name, module)
	}
	for _, c := range top.Cells {
		place := slices.IndexFunc(f.cells,
			func(known cells) bool { return known.types.MatchString(c.Type) })
		if place < 0 {
			return n, fmt.Errorf("%s: what a cell of type %s takes is not known", f.name, c.Type)
		}
		is := f.cells[place]
		n.Sites += is.sites
		switch is.kind {
		case lut:
			n.LUT++
		case ff:
			n.FF++
		case bram:
			n.BRAM++
		case uram:
			n.URAM++
		case dsp:
			n.DSP++
		case carry:
			n.Carry++
		case memory:
			n.Memory += is.sites
		}
	}
	g := f.graph(top)
	for net := range g.driver {
		n.Depth = max(n.Depth, g.level(net))
	}
	return n, nil
}

// harness returns Verilog that shifts a row's inputs in and its outputs out through two pins, so
// that any design fits into a package, and every path begins and ends at a flip-flop.
func harness(work string, r row) (string, error) {
	path := filepath.Join(work, "ports"+r.top+strings.ReplaceAll(r.parameters, " ", "_")+".json")
	if _, err := tool("yosys", "-q", "-p", elaborate(r)+"proc; write_json "+path); err != nil {
		return "", err
	}
	list, err := readNetlist(path)
	if err != nil {
		return "", err
	}
	var in, out int
	var ports strings.Builder
	names := []string{}
	for name := range list.Modules[r.top].Ports {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := list.Modules[r.top].Ports[name]
		switch {
		case name == "clk" || strings.HasSuffix(name, "_aclk"):
			fmt.Fprintf(&ports, ", .%s(clk)", name)
		case p.Direction == "input":
			fmt.Fprintf(&ports, ", .%s(in[%d +: %d])", name, in, len(p.Bits))
			in += len(p.Bits)
		default:
			fmt.Fprintf(&ports, ", .%s(out[%d +: %d])", name, out, len(p.Bits))
			out += len(p.Bits)
		}
	}
	var set strings.Builder
	for p := range strings.FieldsSeq(r.parameters) {
		name, value, _ := strings.Cut(p, "=")
		fmt.Fprintf(&set, ", .%s(%s)", name, value)
	}
	return fmt.Sprintf(`module harness(input clk, input load, input serial_in, output serial_out);
    reg [%[1]d:0] in;
    wire [%[2]d:0] out;
    reg [%[2]d:0] sampled;
    reg load_reg;
    always @(posedge clk) begin
        in <= {in, serial_in};
        load_reg <= load;
        sampled <= load_reg ? out : {sampled, 1'b0};
    end
    assign serial_out = sampled[%[2]d];
    %[3]s #(%[4]s) dut (%[5]s);
endmodule
`, in-1, out-1, r.top, strings.TrimPrefix(set.String(), ", "),
		strings.TrimPrefix(ports.String(), ", ")), nil
}

// placeAndRoute runs nextpnr with several seeds.
func (p part) placeAndRoute(work string, r row) (frequency, error) {
	text, err := harness(work, r)
	if err != nil {
		return frequency{}, err
	}
	base := filepath.Join(work, p.name+r.top+strings.ReplaceAll(r.parameters, " ", "_"))
	if err := os.WriteFile(base+".v", []byte(text), 0o666); err != nil {
		return frequency{}, err
	}
	if _, err := tool("yosys", "-q", "-p",
		fmt.Sprintf("read_verilog -I%s %s %s.v; %s -top harness -json %s.json", rtl, r.sources(),
			base, p.synth, base)); err != nil {
		return frequency{}, err
	}
	found := regexp.MustCompile(`Max frequency for clock[^:]*: ([0-9.]+) MHz`)
	var mhz []float64
	for seed := range seeds {
		out, err := tool(p.nextpnr, append(slices.Clone(p.options), "--json", base+".json",
			"--seed", strconv.Itoa(seed+1), "--freq", "200", "--timing-allow-fail")...)
		if err != nil {
			return frequency{}, err
		}
		m := found.FindAllStringSubmatch(out, -1)
		if m == nil {
			return frequency{}, fmt.Errorf("%s names no frequency", p.nextpnr)
		}
		f, err := strconv.ParseFloat(m[len(m)-1][1], 64)
		if err != nil {
			return frequency{}, err
		}
		mhz = append(mhz, f)
	}
	slices.Sort(mhz)
	return frequency{Best: mhz[len(mhz)-1], Median: mhz[len(mhz)/2], Seeds: seeds}, nil
}
