//go:build linux

package main

import (
	"fmt"
	"math"
	"os/exec"
	"testing"

	"github.com/bloomlane/bloomlane/packets/flows"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// The commands of docs/churn.md, some of which are those of the program for filters in files.
func TestPagesOfCommands(t *testing.T) {
	s := newShell(t)
	build := exec.Command("go", "build", "-o", s.Path("bloomlane"), "../cmd/bloomlane")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	s.Page("../docs/churn.md", "packets")
}

// The two tables of docs/packets.md: a row for each traffic.
func TestFlowsOfThePage(t *testing.T) {
	if testing.Short() {
		return
	}
	s := traces(t)
	for name, flags := range map[string]string{
		"captured": "", "synthesised": " --synthesise 100000 --density 10",
		"in waves": " --synthesise 100000 --density 10 --waves 3",
	} {
		r := reported[flows.Report](s, exitYes, "", "flows @cip.pcap"+flags)
		rates := fmt.Sprintf("| %s | %s | %s |", name, quantity.Count(r.Traffic.Flows),
			quantity.Count(int(math.Round(r.Traffic.Mean))))
		for _, f := range r.Totals {
			digits := 0 // two of them count
			for scale := 100 * f.Worst.Rate; scale < 9.95; scale *= 10 {
				digits++
			}
			rates += fmt.Sprintf(" %.*f |", digits, 100*f.Worst.Rate)
		}
		g := r.Totals[len(r.Totals)-1].Growth
		memory := fmt.Sprintf("| %s | %s | %s | %s, %s | %d, %d |", name,
			quantity.Count(r.Plan.Bytes), quantity.Count(g.Mean.Bytes),
			quantity.Count(g.Peak.Bytes-g.Peak.Lists), quantity.Count(g.Peak.Lists), g.Grew,
			g.Shrank)
		onPacketsPage(t, rates+"\n", memory+"\n")
		use := "refresh"
		if name == "captured" {
			use = "insert-only"
		}
		if r.Advice == nil || r.Advice.Use != use {
			t.Errorf("%s: the advice is %+v, and docs/packets.md says %s", name, r.Advice, use)
		}
		if name == "synthesised" {
			onPacketsPage(t, fmt.Sprintf("passes 1 %% after %.3g turnovers of the synthesised",
				r.Totals[1].Worst.Until))
		}
	}
}
