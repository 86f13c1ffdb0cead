package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/bench/result"
)

// Text writes a run as tables for a terminal.
func Text(w io.Writer, run *result.Run) error {
	var b bytes.Buffer
	c := run.CacheBytes
	fmt.Fprintf(&b, "cpu     %s (%s), %s\n", run.CPU, run.Platform, plural(run.Cores, "core"))
	fmt.Fprintf(&b, "caches  L1 %s, L2 %s, L3 %s; last level %s\n", cache(c.L1), cache(c.L2), cache(c.L3), cache(c.Last))
	for _, note := range run.Notes {
		fmt.Fprintf(&b, "note    %s\n", note)
	}
	contests := run.Contests()
	section := func(title string, tables []table) {
		if len(tables) > 0 && title != "" {
			fmt.Fprintf(&b, "\n== %s ==\n", title)
		}
		for _, t := range tables {
			t.text(&b)
		}
	}
	section("", kernelTables(contests))
	section("several cores", scalingTables(contests))
	section("peers, each filter with as many bits a key", peerTables(contests, result.AtEqualBits))
	section("peers, each filter at the same rate of false positives", peerTables(contests, result.AtEqualRate))
	section("accuracy", accuracyTables(run))
	if t, ok := memoryTable(run); ok {
		t.text(&b)
	}
	section("latency", latencyTables(run))
	section("from which batch on a batch call is faster", callsTables(contests))
	for _, line := range crossingSummary(crossings(contests)) {
		fmt.Fprintf(&b, "\nA batch call takes less time a key than calls of one key each: %s\n", line)
	}
	if wrong := wrongAnswers(run); len(wrong) > 0 {
		fmt.Fprintf(&b, "\n== wrong answers ==\n\n")
		for _, line := range wrong {
			fmt.Fprintln(&b, line)
		}
	}
	_, err := b.WriteTo(w)
	return err
}
