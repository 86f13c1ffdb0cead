package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func committedReport(t *testing.T) (committed report) {
	t.Helper()
	content, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &committed); err != nil {
		t.Fatal(err)
	}
	return committed
}

// The page is what the committed figures render to, and every row of the table has figures.
func TestReadme(t *testing.T) {
	committed := committedReport(t)
	for _, r := range rows {
		d := committed.find(r)
		for _, f := range families {
			if n := d.Families[f.name]; (n.Sites > 0) != (f.large || !r.large) {
				t.Errorf("results.json, %s %s: %d sites on %s; run make synth", r.top, r.parameters,
					n.Sites, f.name)
			}
		}
		for _, p := range parts {
			_, known := d.Clocks[p.name]
			if placed := slices.Contains(r.clocks, p.name); known && !placed || placed &&
				!known && !p.optional {
				t.Errorf("results.json, %s %s: a clock on %s: %t; run make synth", r.top,
					r.parameters, p.name, known)
			}
		}
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != committed.markdown() {
		t.Error("README.md is stale; run go run ./hdl/synth -render")
	}
}

// The rows of docs/hardware.md are those of the same figures.
func TestHardwarePage(t *testing.T) {
	committed := committedReport(t)
	page, err := os.ReadFile("../../docs/hardware.md")
	if err != nil {
		t.Fatal(err)
	}
	for text, cell := range map[string][2]string{
		"core: query, insert, delete":       {"bloomlane_core", "W=32"},
		"the same, pipelined over 4 clocks": {"bloomlane_pipe", "W=32 DEPTH=4 POSITIONS=1"},
		"16 ports, stored positions, fill limit": {"bloomlane_match",
			"W=32 PORTS=16 COUNT=3 POSITIONS=1"},
		"16 ports in 8 tables, stored positions, fill limit": {"bloomlane_match",
			"W=32 PORTS=16 COUNT=3 POSITIONS=1 LOG2_TABLES=3"},
		"in-line engine, beats of 64 bits": {"bloomlane_inline",
			"DATA_BYTES=8 W=32 OFFSET=0"},
		"in-line engine, beats of 512 bits": {"bloomlane_inline",
			"DATA_BYTES=64 W=32 OFFSET=0"},
		"table of 256 blocks, without its hash": {"bloomlane_table_core", "W=32 LOG2_BLOCKS=8"},
		"Toeplitz hash of 13 bytes":             {"bloomlane_toeplitz", "FIELD_BYTES=13"},
		"SipHash-1-3 of 13 bytes":               {"bloomlane_siphash", "FIELD_BYTES=13"},
	} {
		d := committed.find(row{top: cell[0], parameters: cell[1]})
		xcup, ice40 := d.Families["xcup"], d.Families["ice40"]
		clock := ""
		if f, ok := d.Clocks["HX8K"]; ok {
			clock = fmt.Sprintf("%.0f / %.0f ", f.Best, f.Median)
		} else if parts[0].tooSmall(row{}, d) {
			clock = "too small "
		}
		want := fmt.Sprintf("| %s | %s / %s / %s | %s / %s | %s|", text,
			thousands(xcup.LUT), thousands(xcup.Memory), thousands(xcup.FF), thousands(ice40.LUT),
			thousands(ice40.FF), clock)
		if xcup.LUT == 0 || !strings.Contains(string(page), want+"\n") {
			t.Errorf("docs/hardware.md has no line\n%s", want)
		}
	}
}

// So are those of the letter's form beside the lanes'.
func TestLanesPage(t *testing.T) {
	committed := committedReport(t)
	page, err := os.ReadFile("../../docs/hardware.md")
	if err != nil {
		t.Fatal(err)
	}
	for text, r := range map[string]row{
		"the letter's form, 240 bits, k = 5, r = 24 | 40": {top: "letter_core",
			parameters: "M=240 K=5 R=24"},
		"lanes, 256 bits | 35": {top: "bloomlane_pipe", parameters: "W=32 DEPTH=1 POSITIONS=1"},
	} {
		d := committed.find(r)
		xcup, ice40 := d.Families["xcup"], d.Families["ice40"]
		want := fmt.Sprintf("| %s | %s / %d | %s / %d |", text, thousands(xcup.LUT), xcup.Depth,
			thousands(ice40.LUT), ice40.Depth)
		if xcup.LUT == 0 || !strings.Contains(string(page), want+"\n") {
			t.Errorf("docs/hardware.md has no line\n%s", want)
		}
	}
}

// testCell is a cell of a netlist whose ports have a bit each: a net, or 0 for a constant.
type testCell struct {
	kind    string
	in, out map[string]int
}

func testNetlist(t *testing.T, list []testCell) (n netlist) {
	t.Helper()
	cells := map[string]any{}
	for i, c := range list {
		directions, connections := map[string]string{}, map[string][]any{}
		for direction, ports := range map[string]map[string]int{"input": c.in, "output": c.out} {
			for port, net := range ports {
				directions[port], connections[port] = direction, []any{net}
				if net == 0 {
					connections[port] = []any{"0"}
				}
			}
		}
		cells[fmt.Sprint("c", i)] = map[string]any{"type": c.kind, "port_directions": directions,
			"connections": connections}
	}
	text, err :=
		json.Marshal(
			map[string]any{"modules": map[string]any{"top": map[string]any{"cells": cells}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

type ports = map[string]int

// Every cell is counted by its kind, with the LUT sites that it takes.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		family string
		cells  []testCell
		want   figures
	}{
		{"xcup", []testCell{
			{"FDRE", ports{"D": 9}, ports{"Q": 1}},
			{"INV", ports{"I": 1}, ports{"O": 2}},
			{"RAM32M16", ports{"ADDRA": 2, "ADDRH": 5, "DIA": 6}, ports{"DOA": 3}},
			{"CARRY4", ports{"S": 3}, ports{"O": 4}},
			{"LUT6", ports{"I0": 4, "I1": 0}, ports{"O": 5}},
			{"LUT2", ports{"I0": 5}, ports{"O": 6}},
			{"RAM32X1S", ports{"D": 6, "A0": 0}, ports{"O": 9}},
			{"RAMB36E2", ports{"ADDRARDADDR": 6}, ports{"DOUTADOUT": 7}},
			{"RAMB18E2", ports{"ADDRARDADDR": 6}, ports{"DOUTADOUT": 8}},
			{"DSP48E2", ports{"A": 6}, ports{"P": 10}},
			{"LUT1", ports{"I0": 10}, ports{"O": 11}},
			{"MUXF7", ports{"I0": 11}, ports{"O": 12}},
		}, figures{LUT: 4, Memory: 9, Sites: 13, FF: 1, BRAM: 2, DSP: 1, Carry: 1, Depth: 4}},
		{"ecp5", []testCell{
			{"TRELLIS_FF", ports{"DI": 4}, ports{"Q": 1}},
			{"TRELLIS_DPR16X4", ports{"RAD": 1, "WAD": 4, "DI": 4}, ports{"DO": 2}},
			{"CCU2C", ports{"A0": 2}, ports{"S0": 3}},
			{"LUT4", ports{"A": 3}, ports{"Z": 4}},
			{"DP16KD", ports{"ADA0": 4}, ports{"DOA0": 5}},
			{"MULT18X18D", ports{"A0": 4}, ports{"P0": 6}},
		}, figures{LUT: 1, Memory: 6, Sites: 9, FF: 1, BRAM: 1, DSP: 1, Carry: 1, Depth: 2}},
		{"ice40", []testCell{
			{"SB_DFF", ports{"D": 3}, ports{"Q": 1}},
			{"SB_DFFESR", ports{"D": 3}, ports{"Q": 4}},
			{"SB_DFFNESS", ports{"D": 3}, ports{"Q": 5}},
			{"SB_CARRY", ports{"I0": 1}, ports{"CO": 2}},
			{"SB_LUT4", ports{"I3": 2}, ports{"O": 3}},
			{"SB_RAM40_4K", ports{"RADDR": 3}, ports{"RDATA": 6}},
		}, figures{LUT: 1, Sites: 1, FF: 3, BRAM: 1, Carry: 1, Depth: 1}},
	} {
		f := families[slices.IndexFunc(families, func(f family) bool { return f.name == c.family })]
		list := testNetlist(t, c.cells)
		if got, err := f.count(list, "top"); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.family, got, err, c.want)
		}
		for _, unknown := range []string{"LUTRAM", "XRAM32M", "RAM32M_", "$mem_v2",
			"bloomlane_fifo", "BUFG"} {
			list := testNetlist(t, append(c.cells, testCell{kind: unknown}))
			if _, err := f.count(list, "top"); err == nil ||
				!strings.Contains(err.Error(), unknown) {
				t.Errorf("%s: a cell of type %s is not counted, and that is no error: %v",
					c.family, unknown, err)
			}
		}
		if _, err := f.count(list, "other"); err == nil {
			t.Errorf("%s: a module that is not there has figures", c.family)
		}
	}
}

// The sites of each primitive of UG574.
func TestMemorySites(t *testing.T) {
	for primitive, want := range map[string]int{
		"RAM32X1S": 1, "RAM64X1S": 1, "RAM32X1D": 2, "RAM64X1D": 2,
		"RAM128X1S": 2, "RAM32M": 4,
		"RAM64M": 4, "RAM128X1D": 4, "RAM256X1S": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM256X1D": 8,
		"RAM512X1S": 8,
	} {
		got, err := families[0].count(testNetlist(t,
			[]testCell{{kind: primitive}, {kind: primitive}}), "top")
		if err != nil || got != (figures{Memory: 2 * want, Sites: 2 * want}) {
			t.Errorf("two %s: %+v, %v; want %d sites", primitive, got, err, 2*want)
		}
	}
}

func TestGrown(t *testing.T) {
	then := figures{LUT: 100, FF: 100, Memory: 10, Depth: 3}
	for _, c := range []struct {
		now  figures
		want bool
	}{
		{figures{LUT: 110, FF: 110, Memory: 11, Sites: 500, Depth: 3}, false},
		{figures{Depth: 4}, true},
		{figures{LUT: 111}, true},
		{figures{FF: 111}, true},
		{figures{Memory: 12}, true},
	} {
		if got := c.now.grown(then); got != c.want {
			t.Errorf("%+v grown from %+v: %t", c.now, then, got)
		}
	}
	if !(figures{Memory: 1}).grown(figures{}) {
		t.Error("the first memory is no growth")
	}
}

// What steers is followed through LUTs and the reads of LUT memories, to registers, memories and
// ports; a register is one end point, by whichever pins it is reached.
func TestTrace(t *testing.T) {
	list := testNetlist(t, []testCell{
		{"LUT2", ports{"I0": 1, "I1": 4}, ports{"O": 2}},
		{"FDRE", ports{"C": 9, "CE": 2, "D": 5, "R": 3}, ports{"Q": 4}},
		{"FDRE", ports{"C": 9, "CE": 2, "D": 2, "R": 3}, ports{"Q": 5}},
		{"RAM32M16", ports{"ADDRA": 4, "ADDRH": 5, "DIA": 2, "WE": 2}, ports{"DOA": 6}},
		{"LUT2", ports{"I0": 6, "I1": 0}, ports{"O": 7}},
		{"FDRE", ports{"C": 9, "CE": 7, "D": 6, "R": 3}, ports{"Q": 8}},
		{"LUT3", ports{"I0": 8, "I1": 1, "I2": 7}, ports{"O": 10}},
	})
	top := list.Modules["top"]
	if err := json.Unmarshal([]byte(`{"clk": {"direction": "input", "bits": [9]},
		"out_ready": {"direction": "input", "bits": [1]}, "rst": {"direction": "input", "bits": [3]},
		"data": {"direction": "input", "bits": [4]}, "in_valid": {"direction": "input", "bits": [6]},
		"out": {"direction": "output", "bits": [10, "0"]}}`), &top.Ports); err != nil {
		t.Fatal(err)
	}
	list.Modules["top"] = top
	got, err := families[0].trace(list, "top")
	want := paths{control{5, 1}, map[string]int{"out_ready": 4, "rst": 3, "in_valid": 2}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := families[0].trace(list, "other"); err == nil {
		t.Error("a module that is not there has paths")
	}
}

func TestWidened(t *testing.T) {
	then := paths{control{100, 1}, map[string]int{"rst": 50, "out_ready": 3}}
	for _, c := range []struct {
		now  paths
		want bool
	}{
		{then, false},
		{paths{control{110, 0}, map[string]int{"rst": 55}}, false},
		{paths{control{111, 1}, nil}, true},
		{paths{control{2, 2}, nil}, true},
		{paths{control{2, 0}, map[string]int{"out_ready": 4}}, true},
		{paths{control{2, 0}, map[string]int{"in_valid": 1}}, true},
	} {
		if err := c.now.widened(then); (err != nil) != c.want {
			t.Errorf("%+v widened from %+v: %v", c.now, then, err)
		}
	}
	if err := then.widened(paths{}); err != nil {
		t.Errorf("widened from a row that was not traced: %v", err)
	}
}

// No in-line engine has more LUTs in a row than the clocks of 100G leave time for, nor an enable of
// a beat behind a handshake.
func TestLimits(t *testing.T) {
	for _, r := range rows {
		if r.top != "bloomlane_inline" {
			continue
		}
		d := committedReport(t).find(r)
		if n := d.Families["xcup"].Depth; n > limits.depth || n == 0 {
			t.Errorf("%s: %d LUTs in a row, want at most %d", r.parameters, n, limits.depth)
		}
		if n := d.Paths.Control.Level; n > limits.level {
			t.Errorf("%s: %d LUTs ahead of what steers most, want at most %d", r.parameters, n,
				limits.level)
		}
		for port, most := range limits.ends {
			if n := d.Paths.Ends[port]; n > most || n == 0 {
				t.Errorf("%s: %s reaches %d end points, want 1 to %d", r.parameters, port, n, most)
			}
		}
	}
}

// A part whose nextpnr is missing keeps what is known of it; without the others there are no
// figures.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := row{top: "top", clocks: ecp5}
	known := design{Clocks: map[string]frequency{"LFE5U-25F": {Best: 2, Median: 1, Seeds: 5},
		"HX8K": {}}}
	d, err := measure(t.TempDir(), r, known, nil, parts)
	if err != nil || len(d.Clocks) != 1 || d.Clocks["LFE5U-25F"] != known.Clocks["LFE5U-25F"] {
		t.Errorf("%+v, %v; want the clock that is known", d, err)
	}
	if d, err := measure(t.TempDir(), r, design{}, nil, parts); err != nil || len(d.Clocks) != 0 {
		t.Errorf("%+v, %v; want no clock", d, err)
	}
	r.clocks = hx8k
	if _, err := measure(t.TempDir(), r, known, nil, parts); err == nil {
		t.Error("no error without nextpnr-ice40")
	}
}

// What the flow does with the tools' output, by tools that only print. The netlist has two LUTs, a
// memory and the ports of the harness.
func TestFlow(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	list := `{"modules": {"top": {"ports": {"clk": {"direction": "input", "bits": [2]}, "a": {"direction": "input", "bits": [3, 4]},
		"b": {"direction": "output", "bits": [5]}}, "cells": {"x": {"type": "LUT2"}, "y": {"type": "INV"}, "z": {"type": "RAM32M"}}}}}`
	for name, script := range map[string]string{
		"yosys": `[ "$1" = -V ] && echo "Yosys 0.99 (git sha1 7)" && exit
path=$(echo "$*" | sed -n 's/.*write_json \([^;]*\).*/\1/p')
[ -z "$path" ] || echo '` + list + `' >"$path"
echo "   Estimated number of LCs:          1"`,
		"nextpnr-ice40": `echo "Version 0.4-1)"`,
		"nextpnr-ecp5": `[ "$1" = --version ] && echo "Version nextpnr-0.7)" && exit
case "$*" in *"--25k --package CABGA381 --speed 6 "*"/LFE5U-25Ftop.json --seed "[1-5]" "*) ;; *) exit 1 ;; esac
seed=$(echo "$*" | sed 's/.*--seed \(.\).*/\1/')
echo "Info: Max frequency for clock 'clk': 1.00 MHz (FAIL at 200.00 MHz)"
echo "Info: Max frequency for clock 'clk': $((7 * seed % 5 + 90)).50 MHz (FAIL at 200.00 MHz)"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"),
			0o777); err != nil {
			t.Fatal(err)
		}
	}
	d, err := measure(t.TempDir(), row{top: "top", clocks: ecp5[:1]}, design{}, families[:1], parts)
	want := design{"top", "", map[string]figures{"xcup": {LUT: 2, Memory: 4, Sites: 5}},
		paths{Ends: map[string]int{}}, map[string]frequency{"LFE5U-25F": {94.5, 92.5, 5}}}
	if err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("%+v, %v; want %+v", d, err, want)
	}
	all := map[string]string{"yosys": "0.99", "nextpnr-ice40": "0.4-1", "nextpnr-ecp5": "0.7"}
	if v, err := versions(map[string]string{"nextpnr-ecp5": "0.1"}, parts); err != nil ||
		!maps.Equal(v, all) {
		t.Errorf("versions: %v, %v; want %v", v, err, all)
	}
	if err := os.Remove(filepath.Join(dir, "nextpnr-ecp5")); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("nextpnr-ecp5"); err == nil {
		return // a real one
	}
	all["nextpnr-ecp5"] = "0.1"
	if v, err := versions(map[string]string{"nextpnr-ecp5": "0.1"}, parts); err != nil ||
		!maps.Equal(v, all) {
		t.Errorf("versions without nextpnr-ecp5: %v, %v; want %v", v, err, all)
	}
}

// The frames of a full line, and the clocks that they need.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		gbps       float64
		beat       int
		short, any float64
	}{
		{100, 64, 148.8, 294.1}, // a frame of 65 bytes is two beats
		{400, 128, 595.2, 671.1},
		{10, 8, 119.0, 154.9},
		{100, 2048, 148.8, 148.8},    // the shortest is the worst
		{1000, 1, 95238.1, 123374.5}, // the longest
	} {
		if got := clock(c.gbps, c.beat, 64); math.Abs(got-c.short) > 0.05 {
			t.Errorf("%vG, %d bytes: %.2f MHz for frames of 64 bytes, want %v", c.gbps,
				c.beat, got, c.short)
		}
		if got := anyClock(c.gbps, c.beat); math.Abs(got-c.any) > 0.05 {
			t.Errorf("%vG, %d bytes: %.2f MHz for any frame, want %v", c.gbps, c.beat, got, c.any)
		}
	}
	if got := clock(100, 64, 1518); math.Abs(got-195.06) > 0.01 {
		t.Errorf("100G, 64 bytes: %.2f MHz for frames of 1,518 bytes", got)
	}
}

// thousands writes a number below a million with a comma.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// Nobody has run the script for Vivado: its files, its top and the top's parameters and ports are
// there at least.
func TestVivado(t *testing.T) {
	script, err := os.ReadFile("vivado.tcl")
	if err != nil {
		t.Fatal(err)
	}
	find := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindSubmatch(script)
		if found == nil {
			t.Fatalf("vivado.tcl has no %s", pattern)
		}
		return string(found[1])
	}
	if files, err := filepath.Glob("../../" + find(`read_verilog \[glob (\S+)\]`)); len(files) < 20 {
		t.Errorf("vivado.tcl reads %d files (%v)", len(files), err)
	}
	if _, err := os.Stat("../../" + find(`-include_dirs (\S+)`) + "/bloomlane_params.vh"); err != nil {
		t.Error(err)
	}
	top := find(`synth_design -top (\S+)`)
	source, err := os.ReadFile("../rtl/" + top + ".v")
	if err != nil {
		t.Fatal(err)
	}
	for _, generic := range strings.Fields(find(`set generics \{(.*)\}`)) {
		name, _, _ := strings.Cut(generic, "=")
		if !regexp.MustCompile(`parameter ` + name + ` +=`).Match(source) {
			t.Errorf("%s has no parameter %s", top, name)
		}
	}
	clock := find(`\[get_ports (\w+)\]`)
	if !regexp.MustCompile(`input +wire +` + clock + `,`).Match(source) {
		t.Errorf("%s has no input %s", top, clock)
	}
}
