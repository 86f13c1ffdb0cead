package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// The vendors' files, with how each calls a register.
var constraintFiles = []constraintFile{
	{"vivado.tcl", func(register string) string {
		name, bit, indexed := strings.Cut(register, "[")
		if name = "shell/axil/" + name + "_reg"; indexed {
			name += "[" + bit
		}
		return name
	}},
	{"quartus.sdc", func(register string) string { return "shell|axil|" + register }},
}

type constraintFile struct {
	file string
	name func(register string) string
}

// periods are of the two clocks of bloomlane_axil, by the clock's port. Either may be the longer.
var periods = map[string]string{"s_axi_aclk": "10", "clk": "4"}

// Every register at which something crosses between the clocks of bloomlane_axil has its line in
// the vendors' files, with the period of its own clock, and no line is without such a register.
// What crosses is two toggles into two registers each, and what these say is captured.
func TestCrossings(t *testing.T) {
	n, crossings, err := crossingsOf(t, readAxil(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, vendor := range constraintFiles {
		if err := n.compare(t, crossings, vendor, vendor.text(t)); err != nil {
			t.Error(err)
		}
	}
}

// What is wrong in the module, or in a vendor's file, is found.
func TestCrossingsFound(t *testing.T) {
	source := readAxil(t)
	for _, plant := range []struct{ what, old, new string }{
		{"one synchronizer register there", "there_reg <= {there_reg[0], sent_reg}",
			"there_reg <= {2{sent_reg}}"},
		{"one synchronizer register back", "back_reg <= {back_reg[0], ran_reg}",
			"back_reg <= {2{ran_reg}}"},
		{"the first synchronizer register is used", "arrives = there_reg[1] != ran_reg",
			"arrives = there_reg[0] != ran_reg"},
		{"no synchronizer there", "arrives = there_reg[1] != ran_reg",
			"arrives = sent_reg != ran_reg"},
		{"no synchronizer back", "request_reg && back_reg[1] == sent_reg",
			"request_reg && ran_reg == sent_reg"},
		{"data is not captured", "bus_data    = asked_reg[31:0]", "bus_data    = data_reg"},
		{"whether it writes is not captured", "bus_write   = asked_reg[46]",
			"bus_write   = write_reg"},
		{"a capture behind logic", "{write_reg, address_reg, data_reg}",
			"{write_reg, address_reg, data_reg & {32{write_reg}}}"},
		{"a capture at any time", "if (arrives)\n                    asked_reg",
			"asked_reg"},
		{"a path more", "valid_reg <= arrives ||", "valid_reg <= arrives && request_reg ||"},
		{"an answer that is not captured", "assign s_axi_rdata   = answer_reg",
			"assign s_axi_rdata   = answer"},
		{"another register's name", "ran_error_reg", "ran_refused_reg"},
		{"no attribute", `(* ASYNC_REG = "TRUE" *) reg [1:0] back_reg`, "reg [1:0] back_reg"},
	} {
		if n := strings.Count(source, plant.old); n == 0 {
			t.Fatalf("%s: bloomlane_axil has no %q", plant.what, plant.old)
		}
		n, crossings, err := crossingsOf(t, strings.ReplaceAll(source, plant.old, plant.new))
		for _, vendor := range constraintFiles {
			if err == nil {
				err = n.compare(t, crossings, vendor, vendor.text(t))
			}
		}
		if err == nil {
			t.Errorf("%s is not found", plant.what)
		}
		t.Logf("%s: %.200v", plant.what, err)
	}
	n, crossings, err := crossingsOf(t, source)
	if err != nil {
		t.Fatal(err)
	}
	for _, plant := range []struct{ what, old, new string }{
		{"no skew", "set_bus_skew -from", "list -from"}, {"no skew", "set_max_skew -from", "list -from"},
		{"no delay", "set_max_delay -datapath_only", "list"}, {"no delay", "set_net_delay", "list"},
		{"the address", "address_reg_reg", "asked_reg_reg"}, {"the address", "address_reg", "write_reg"},
		{"errors", "error_reg_reg $axil/answer_reg_reg", "answer_reg_reg $axil/answer_reg_reg"},
		{"errors", "${axil}error_reg ", ""},
		{"another clock's period", "$axil/$synchronizer/C", "$axil/$toggle/C"},
	} {
		planted := 0
		for _, vendor := range constraintFiles {
			text := vendor.text(t)
			if !strings.Contains(text, plant.old) {
				continue
			}
			planted++
			text = strings.ReplaceAll(text, plant.old, plant.new)
			if err := n.compare(t, crossings, vendor, text); err == nil {
				t.Errorf("%s: %s: %q for %q is not found", vendor.file, plant.what, plant.new, plant.old)
			}
		}
		if planted == 0 {
			t.Errorf("%s: no file has %q", plant.what, plant.old)
		}
	}
}

func readAxil(t *testing.T) string {
	t.Helper()
	for _, command := range []string{"yosys", "tclsh"} {
		if _, err := exec.LookPath(command); err != nil {
			require.Skip(t, command, command+" is not installed: apt-get install yosys tcl")
		}
	}
	source, err := os.ReadFile("../rtl/bloomlane_axil.v")
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

func (v constraintFile) text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../constraints/" + v.file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// crossingsOf synthesizes a source of bloomlane_axil, to registers and gates.
func crossingsOf(t *testing.T, source string) (*registers, map[crossing]bool, error) {
	t.Helper()
	folder := t.TempDir()
	verilog, list := filepath.Join(folder, "axil.v"), filepath.Join(folder, "axil.json")
	if err := os.WriteFile(verilog, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tool("yosys", "-q", "-p", "read_verilog "+verilog+"; chparam -set ASYNC 1 bloomlane_axil; "+
		"hierarchy -top bloomlane_axil; proc; opt; simplemap; opt; write_json "+list); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	n, err := readRegisters(content)
	if err != nil {
		return nil, nil, err
	}
	crossings, err := n.crossings()
	return n, crossings, err
}

// compare runs the text of a vendor's file on the registers, and compares what it says of them with
// the crossings.
func (n *registers) compare(t *testing.T, crossings map[crossing]bool, vendor constraintFile, text string) error {
	t.Helper()
	list, names := "", map[string]string{}
	for name, r := range n.registers {
		names[vendor.name(name)] = name
		list += fmt.Sprintf("{%s} %s ", vendor.name(name), periods[r.clock])
	}
	script := filepath.Join(t.TempDir(), vendor.file)
	text = fmt.Sprintf("set registers {%s}\nsource testdata/stubs.tcl\n%s", list, text)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := tool("tclsh", script)
	if err != nil {
		return fmt.Errorf("%s: %w", vendor.file, err)
	}
	for _, kind := range []string{"delay", "skew"} {
		if err := n.constrained(crossings, said, kind, names); err != nil {
			return fmt.Errorf("%s: %s: %w", vendor.file, kind, err)
		}
	}
	return nil
}

// crossing is from a register of one clock to one of another.
type crossing struct{ from, to string }

// constrained compares what a file said with the crossings. That it says more than one value, as
// Quartus' set_max_delay of 100 ns, is no difference.
func (n *registers) constrained(crossings map[crossing]bool, said, kind string, names map[string]string) error {
	left, idle := maps.Clone(crossings), map[string]bool{}
	for line := range strings.Lines(said) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if fields[0] != kind {
			continue
		}
		from, to := strings.Fields(fields[1]), strings.Fields(fields[2])
		for _, register := range slices.Concat(from, to) {
			idle[names[bare(register)]] = true
		}
		for c := range crossings {
			if slices.ContainsFunc(from, func(r string) bool { return names[bare(r)] == c.from }) &&
				slices.ContainsFunc(to, func(r string) bool { return names[bare(r)] == c.to }) {
				if fields[3] == periods[n.registers[c.to].clock] {
					delete(left, c)
				}
			}
		}
	}
	for c := range crossings {
		delete(idle, c.from)
		delete(idle, c.to)
	}
	if len(left) > 0 || len(idle) > 0 {
		return fmt.Errorf("without a constraint: %v; constraints at which nothing crosses: %v",
			slices.Collect(maps.Keys(left)), slices.Collect(maps.Keys(idle)))
	}
	return nil
}

// bare is a word of a list of Tcl, which may stand in braces.
func bare(word string) string { return strings.Trim(word, "{}") }

// registers is a netlist of gates with its registers by name, such as answer_reg[31].
type registers struct {
	registers map[string]flipFlop
	named     map[float64]string // by the net that a register drives
	driver    map[float64][]any  // the inputs of the gate that drives a net
	outputs   map[float64]string // the ports
	inputs    map[float64]string
}

type flipFlop struct {
	clock        string
	synchronizes bool // has the attribute ASYNC_REG
	pins         map[string]any
}

var registerName = regexp.MustCompile(`_reg$`)

func readRegisters(content []byte) (*registers, error) {
	var list struct {
		Modules map[string]struct {
			module
			Netnames map[string]struct {
				Bits       []any
				Attributes map[string]string
			}
		}
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, err
	}
	m := list.Modules["bloomlane_axil"]
	n := &registers{map[string]flipFlop{}, map[float64]string{}, map[float64][]any{}, map[float64]string{},
		map[float64]string{}}
	synchronizes := map[float64]bool{}
	for name, net := range m.Netnames {
		for i, bit := range net.Bits {
			at, ok := bit.(float64)
			if !ok || !registerName.MatchString(name) {
				continue
			}
			n.named[at] = name
			if len(net.Bits) > 1 {
				n.named[at] = fmt.Sprintf("%s[%d]", name, i)
			}
			synchronizes[at] = synchronizes[at] || net.Attributes["ASYNC_REG"] != ""
		}
	}
	for name, p := range m.Ports {
		for net := range nets(p.Bits) {
			if p.Direction == "output" {
				n.outputs[net] = name
			} else {
				n.inputs[net] = name
			}
		}
	}
	for cell, c := range m.Cells {
		if clock, ok := c.Connections["C"]; ok {
			q := c.Connections["Q"][0].(float64)
			name := n.named[q]
			if name == "" {
				return nil, fmt.Errorf("register %s has no name", cell)
			}
			f := flipFlop{n.inputs[clock[0].(float64)], synchronizes[q], map[string]any{}}
			for port, bits := range c.Connections {
				if port != "C" && port != "Q" {
					f.pins[port] = bits[0]
				}
			}
			n.registers[name] = f
			continue
		}
		for port, bits := range c.Connections {
			if c.Directions[port] == "output" {
				for in, from := range c.Connections {
					if c.Directions[in] == "input" {
						n.driver[bits[0].(float64)] = append(n.driver[bits[0].(float64)], from...)
					}
				}
			}
		}
	}
	return n, nil
}

// sources returns the registers and the input ports from which logic leads to a net.
func (n *registers) sources(bit any) []string {
	seen := map[float64]bool{}
	var all []string
	var follow func(bit any)
	follow = func(bit any) {
		net, ok := bit.(float64)
		if !ok || seen[net] {
			return
		}
		seen[net] = true
		name := n.named[net]
		if port, ok := n.inputs[net]; ok {
			all = append(all, port)
		} else if _, ok := n.registers[name]; ok {
			all = append(all, name)
		} else {
			for _, from := range n.driver[net] {
				follow(from)
			}
		}
	}
	follow(bit)
	return all
}

// clockOf is that of a register, or of a port.
func (n *registers) clockOf(name string) string {
	if r, ok := n.registers[name]; ok {
		return r.clock
	}
	if strings.HasPrefix(name, "s_axi_") {
		return "s_axi_aclk"
	}
	return "clk"
}

// crossings returns what crosses. It is an error unless each is a wire, to the first of two
// registers that synchronize, or to one that is enabled by the second of such alone.
func (n *registers) crossings() (map[crossing]bool, error) {
	all := map[crossing]bool{}
	for net, port := range n.outputs {
		for _, from := range n.sources(net) {
			if n.clockOf(from) != n.clockOf(port) {
				return nil, fmt.Errorf("%s reaches the port %s of another clock", from, port)
			}
		}
	}
	for to, r := range n.registers {
		for pin, bit := range r.pins {
			for _, from := range n.sources(bit) {
				if n.clockOf(from) == r.clock {
					continue
				}
				if net, _ := bit.(float64); pin != "D" || n.named[net] != from {
					return nil, fmt.Errorf("%s reaches %s of %s, and is no wire", from, pin, to)
				}
				all[crossing{from, to}] = true
			}
		}
	}
	synchronizers := 0
	for c := range all {
		r := n.registers[c.to]
		if !r.synchronizes {
			if !slices.ContainsFunc(n.sources(r.pins["E"]), func(s string) bool { return n.registers[s].synchronizes }) {
				return nil, fmt.Errorf("%s is captured in %s, and not when a synchronizer says so", c.from, c.to)
			}
			continue
		}
		synchronizers++
		var behind []string
		for to, next := range n.registers {
			for pin, bit := range next.pins {
				if slices.Contains(n.sources(bit), c.to) {
					behind = append(behind, to)
					net, _ := bit.(float64)
					if !next.synchronizes || pin != "D" || next.clock != r.clock || n.named[net] != c.to {
						return nil, fmt.Errorf("%s is the first register that synchronizes, and reaches %s of %s",
							c.to, pin, to)
					}
				}
			}
		}
		if len(behind) != 1 {
			return nil, fmt.Errorf("behind %s are the registers %v that synchronize, not one", c.to, behind)
		}
	}
	if synchronizers != 2 {
		return nil, fmt.Errorf("%d synchronizers, not one there and one back", synchronizers)
	}
	return all, nil
}
