package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel/vectors"
)

// written returns a shell with vector files with a number of records each.
func written(t *testing.T, records int) *shell {
	t.Helper()
	s := newShell(t)
	for _, bits := range []int{256, 512} {
		var text strings.Builder
		config := vectors.Config{BlockBits: bits, Records: records, NBlocks: 25, Seed: 1}
		if _, err := vectors.Make(&text, config); err != nil {
			t.Fatal(err)
		}
		s.Write(fmt.Sprintf("vectors%d.jsonl", bits), text.String())
	}
	return s
}

// The Verilog agrees, with its own statuses and in both forms, and a difference is shown as that of
// any other implementation.
func TestVectorsRTL(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	s := written(t, 1000)
	for _, name := range []string{"vectors256.jsonl", "vectors512.jsonl"} {
		s.Line(exitYes, "", "vectors check --impl rtl @"+name)
		s.Says(fmt.Sprintf("%[1]s: rtl agrees on 1000 records\n%[1]s: rtl in batches agrees on "+
			"1000 records\n", s.Path(name)))
		s.Write(name, strings.ReplaceAll(s.Read(name), `"result":"retained"`, `"result":"deleted"`))
		s.Line(exitNo, "", "vectors check --impl rtl @"+name)
		if !strings.Contains(s.Stdout, "the file has deleted, rtl in batches has retained") {
			t.Errorf("stdout %q, want the difference", s.Stdout)
		}
	}
}

// Without Verilator the answer says how to get it.
func TestVectorsWithoutVerilator(t *testing.T) {
	s := written(t, 10)
	t.Setenv("PATH", s.Folder)
	s.Line(exitBad, "", "vectors check --impl rtl @vectors256.jsonl")
	s.Complains("verilator is not installed: " + cosim.Install)
	s.Line(exitBad, "", "vectors check --impl go @vectors256.jsonl")
	s.Complains(`--impl is "go", expected rtl`)
}
