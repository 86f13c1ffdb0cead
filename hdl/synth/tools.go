package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// family is a family of FPGAs as yosys knows it. Wide multiplexers are not used for Xilinx, which
// gives a plain count of LUTs; abc9 is not used, because abc gives fewer LUTs and levels here.
type family struct {
	name    string
	command string
	lut     *regexp.Regexp // cells that are a LUT,
	ff      *regexp.Regexp // a flip-flop,
	bram    *regexp.Regexp // a block RAM
	check   bool           // part of make synth-check
	large   bool           // its parts hold the large rows
}

var families = []family{
	{"xcup", "synth_xilinx -family xcup -flatten -nowidelut -noiopad -noclkbuf",
		regexp.MustCompile(`^LUT[1-6]$`), regexp.MustCompile(`^FD[RSCP]E$`), regexp.MustCompile(`^RAMB`), true, true},
	{"ecp5", "synth_ecp5 -nowidelut",
		regexp.MustCompile(`^LUT4$`), regexp.MustCompile(`^TRELLIS_FF$`), regexp.MustCompile(`^(DP16KD|PDPW16KD)$`), false, false},
	{"ice40", "synth_ice40",
		regexp.MustCompile(`^SB_LUT4$`), regexp.MustCompile(`^SB_DFF`), regexp.MustCompile(`^SB_RAM40`), true, false},
}

// figures are a design's on one family. Depth is the longest chain of LUTs between registers or
// ports; carry chains are not in it.
type figures struct {
	LUT, FF, BRAM, Depth int
	Carry                int `json:",omitempty"` // carry cells
	LC                   int `json:",omitempty"` // Xilinx: LUT6 sites, small LUTs paired, as yosys estimates
}

// frequency is what nextpnr finds for an HX8K over some seeds, in MHz.
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

// versions asks the tools for theirs.
func versions() (map[string]string, error) {
	v := map[string]string{}
	for name, flag := range map[string]string{"yosys": "-V", "nextpnr-ice40": "--version"} {
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
	s := fmt.Sprintf("read_verilog -I%s %s; hierarchy -check -top %s", rtl, sources(), r.top)
	for p := range strings.FieldsSeq(r.parameters) {
		name, value, _ := strings.Cut(p, "=")
		s += fmt.Sprintf(" -chparam %s %s", name, value)
	}
	return s + "; "
}

// netlist is as much of yosys' JSON as is needed here. A bit is a number, or a constant's string.
type netlist struct {
	Modules map[string]struct {
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
}

func readNetlist(path string) (n netlist, err error) {
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &n)
	}
	return n, err
}

// synthesise runs yosys and counts.
func (f family) synthesise(work string, r row) (figures, error) {
	var n figures
	path := filepath.Join(work, f.name+r.top+strings.ReplaceAll(r.parameters, " ", "_")+".json")
	stat := "stat"
	if f.name == "xcup" {
		stat = "stat -tech xilinx"
	}
	out, err := tool("yosys", "-p", elaborate(r)+f.command+"; write_json "+path+"; "+stat)
	if err != nil {
		return n, err
	}
	if m := regexp.MustCompile(`Estimated number of LCs: +(\d+)`).FindAllStringSubmatch(out, -1); m != nil {
		n.LC, _ = strconv.Atoi(m[len(m)-1][1])
	}
	list, err := readNetlist(path)
	if err != nil {
		return n, err
	}
	top := list.Modules[r.top]
	driver := map[float64]string{} // of a net, where a LUT or a carry cell drives it
	for name, c := range top.Cells {
		passes := false
		switch {
		case f.lut.MatchString(c.Type):
			n.LUT++
			passes = true
		case f.ff.MatchString(c.Type):
			n.FF++
		case f.bram.MatchString(c.Type):
			n.BRAM++
		case strings.Contains(c.Type, "CARRY") || strings.Contains(c.Type, "CCU2"):
			n.Carry++
			passes = true
		default:
			passes = strings.HasPrefix(c.Type, "MUXF") || c.Type == "INV" || c.Type == "PFUMX" || c.Type == "L6MUX21"
		}
		for port, bits := range c.Connections {
			if passes && c.Directions[port] == "output" {
				for _, bit := range bits {
					if net, ok := bit.(float64); ok {
						driver[net] = name
					}
				}
			}
		}
	}
	depths := map[string]int{}
	var depth func(name string) int
	depth = func(name string) int {
		if d, ok := depths[name]; ok {
			return d
		}
		d := 0
		c := top.Cells[name]
		depths[name] = 0
		for port, bits := range c.Connections {
			if c.Directions[port] != "input" {
				continue
			}
			for _, bit := range bits {
				if net, ok := bit.(float64); ok {
					if from, ok := driver[net]; ok {
						d = max(d, depth(from))
					}
				}
			}
		}
		if f.lut.MatchString(c.Type) {
			d++
		}
		depths[name] = d
		return d
	}
	for _, name := range driver {
		n.Depth = max(n.Depth, depth(name))
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
		case name == "clk":
			fmt.Fprintf(&ports, ", .clk(clk)")
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
`, in-1, out-1, r.top, strings.TrimPrefix(set.String(), ", "), strings.TrimPrefix(ports.String(), ", ")), nil
}

// placeAndRoute runs nextpnr for an HX8K with several seeds.
func placeAndRoute(work string, r row) (frequency, error) {
	text, err := harness(work, r)
	if err != nil {
		return frequency{}, err
	}
	base := filepath.Join(work, "hx8k"+r.top+strings.ReplaceAll(r.parameters, " ", "_"))
	if err := os.WriteFile(base+".v", []byte(text), 0o666); err != nil {
		return frequency{}, err
	}
	if _, err := tool("yosys", "-q", "-p", fmt.Sprintf("read_verilog -I%s %s %s.v; synth_ice40 -top harness -json %s.json", rtl, sources(), base, base)); err != nil {
		return frequency{}, err
	}
	found := regexp.MustCompile(`Max frequency for clock[^:]*: ([0-9.]+) MHz`)
	var mhz []float64
	for seed := range seeds {
		out, err := tool("nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", base+".json", "--seed", strconv.Itoa(seed+1),
			"--freq", "200", "--timing-allow-fail", "--pcf-allow-unconstrained")
		if err != nil {
			return frequency{}, err
		}
		m := found.FindAllStringSubmatch(out, -1)
		if m == nil {
			return frequency{}, fmt.Errorf("nextpnr-ice40 names no frequency")
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
