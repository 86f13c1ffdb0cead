package cosim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// rated are the tops whose latency and throughput hdl/README.md has: their frames come by the
// stream in, with a field at byte 18.
var rated = []struct {
	name, in  string
	dataBytes int
	model     Model
}{
	{"64 bits", "s_axis", 8, Model{Top: "bloomlane_inline",
		Parameters: map[string]int{"DATA_BYTES": 8, "OFFSET": fieldAt}}},
	{"64 bits, `CUT_THROUGH`", "s_axis", 8, Model{Top: "bloomlane_inline",
		Parameters: map[string]int{"DATA_BYTES": 8, "OFFSET": fieldAt, "CUT_THROUGH": 1}}},
	{"512 bits", "s_axis", wide, Model{Top: "bloomlane_inline",
		Parameters: map[string]int{"DATA_BYTES": wide, "OFFSET": fieldAt}}},
	{"512 bits and a queue of packets", "rx_axis", wide, example("example_filter", nil)},
}

// rateBenches are of the mutants that only the clocks of many packets show.
var rateBenches = []bench{{
	name: "rate-w32-64b", model: rated[2].model, vectors: 100_000,
	check: func(s *Simulation, _ *rand.Rand, n int) error {
		const size = 100
		beats := (size + wide - 1) / wide
		packets := n / beats
		_, clocks, err := rate(s, rated[2].in, wide, size, packets)
		if err == nil && clocks != (packets-1)*beats {
			err = fmt.Errorf("%d packets leave in %d clocks behind the first, want %d", packets-1,
				clocks, (packets-1)*beats)
		}
		return err
	},
}}

// The manual has the latency of a packet of each size, and packets of one size that come back to
// back, more than 65,536 of the shortest, leave in as many clocks as they have beats.
func TestRates(t *testing.T) {
	needTools(t)
	sizes := []int{64, 65, 128, 256, 512, 1024, 1518, 9018}
	latencies := make([][]int, len(rated))
	t.Run("of", func(t *testing.T) {
		for i, r := range rated {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				for _, size := range sizes {
					beats := (size + r.dataBytes - 1) / r.dataBytes
					packets := 20_000/beats + 2
					if beats == 1 {
						packets = 70_000
					}
					s := start(t, r.model)
					latency, clocks, err := rate(s, r.in, r.dataBytes, size, packets)
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					switch {
					case err != nil:
						t.Errorf("%d bytes: %v", size, err)
					case clocks != (packets-1)*beats:
						t.Errorf("%d packets of %d bytes leave in %d clocks behind the first, "+
							"want %d", packets-1, size, clocks, (packets-1)*beats)
					}
					latencies[i] = append(latencies[i], latency)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	var table strings.Builder
	table.WriteString("| bytes of a packet |")
	for _, r := range rated {
		fmt.Fprintf(&table, " %s |", r.name)
	}
	table.WriteString("\n| ---:" + strings.Repeat(" | ---:", len(rated)) + " |\n")
	for i, size := range sizes {
		fmt.Fprintf(&table, "| %d |", size)
		for j, r := range rated {
			fmt.Fprintf(&table, " %d / %d |", (size+r.dataBytes-1)/r.dataBytes, latencies[j][i])
		}
		table.WriteByte('\n')
	}
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("hdl/README.md has not the table\n%s", table.String())
	}
}

// rate sends a packet alone, and then packets back to back, to a receiver that never waits. It
// returns the clocks from the first beat of the one to its first beat out, and those from the end
// of the first of the others to the end of the last.
func rate(
	s *Simulation,
	in string,
	dataBytes, size, packets int,
) (latency, clocks int, err error) {
	const begin, settle = 16, 200 // cycles until the engine is ready, and until all is out
	beats := (size + dataBytes - 1) / dataBytes
	many := begin + 2*beats + settle
	end := many + packets*beats
	last, keep := s.In(in+"_tlast"), s.In(in+"_tkeep")
	first, sent, left, leaving := -1, -1, 0, 0
	err = drive(s, end+beats+settle, func(i int, record []byte) {
		clear(record)
		if i < 4 {
			s.In("rst").Set(record, 1)
		}
		s.In("m_axis_tready").Set(record, 1)
		s.In("fill_limit").Set(record, 256)
		if i == begin-1 { // an empty element: it is in every header
			s.In("program_valid").Set(record, 1)
		}
		beat := i - begin
		if i >= many {
			beat = i - many
		}
		if beat < 0 || i < many && beat >= beats || i >= end {
			return
		}
		if in == "s_axis" {
			s.In(StreamIn).Set(record, StreamPush|StreamOffer)
		} else {
			s.In(in+"_tvalid").Set(record, 1)
		}
		bytes := dataBytes
		if beat%beats == beats-1 {
			last.Set(record, 1)
			bytes = size - (beats-1)*dataBytes
		}
		keep.SetBytes(record, kept(bytes))
	}, func(i int, _, answer []byte) error {
		if i < begin || s.Out("m_axis_tvalid").Get(answer) == 0 {
			return nil
		}
		switch {
		case sent < 0:
			sent = i
			latency = i - begin
		case i >= many:
			left++
			leaving = i
			if left == beats {
				first = i
			}
		}
		return nil
	})
	if err == nil && left != packets*beats {
		err = fmt.Errorf("%d beats leave, want %d", left, packets*beats)
	}
	return latency, leaving - first, err
}
