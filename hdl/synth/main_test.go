package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page is what the committed figures render to, and every row of the table has figures.
func TestReadme(t *testing.T) {
	var committed report
	content, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &committed); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		d := committed.find(r)
		want := len(families)
		if r.large {
			want = 1
		}
		if len(d.Families) != want || r.fmax != (d.HX8K != nil) {
			t.Errorf("results.json lacks figures of %s %s; run make synth", r.top, r.parameters)
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

// The rows of the page at the root of the project are those of the same figures.
func TestRootReadme(t *testing.T) {
	var committed report
	content, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &committed); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for text, of := range map[string][2]string{
		"core: query, insert, delete":            {"bloomlane_core", "W=32"},
		"the same, pipelined over 4 clocks":      {"bloomlane_pipe", "W=32 DEPTH=4 POSITIONS=1"},
		"16 ports, stored positions, fill limit": {"bloomlane_match", "W=32 PORTS=16 COUNT=3 POSITIONS=1"},
		"in-line engine, beats of 64 bits":       {"bloomlane_inline", "DATA_BYTES=8 W=32 OFFSET=0"},
		"in-line engine, beats of 512 bits":      {"bloomlane_inline", "DATA_BYTES=64 W=32 OFFSET=0"},
		"table of 256 blocks, without its hash":  {"bloomlane_table_core", "W=32 LOG2_BLOCKS=8"},
	} {
		d := committed.find(row{top: of[0], parameters: of[1]})
		xcup, ice40, clock := d.Families["xcup"], d.Families["ice40"], ""
		if d.HX8K != nil {
			clock = fmt.Sprintf("%.0f / %.0f ", d.HX8K.Best, d.HX8K.Median)
		}
		want := fmt.Sprintf("| %s | %s / %s | %s / %s | %s|", text,
			thousands(xcup.LUT), thousands(xcup.FF), thousands(ice40.LUT), thousands(ice40.FF), clock)
		if xcup.LUT == 0 || !strings.Contains(string(page), want+"\n") {
			t.Errorf("README.md has no line\n%s", want)
		}
	}
}

// thousands writes a number below a million with a comma.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
