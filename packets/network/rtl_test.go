package network

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel"
)

// The in-line engine's RTL does what the engine in Go does, hop by hop, headers over the fill limit
// included; and takes a packet's beats, back to back, in as many cycles.
func TestRTL(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	t.Run("256 bits, beats of 64 bytes",
		func(t *testing.T) { testRTL[kernel.Block256](t, 64, 114) })
	t.Run("512 bits, beats of 8 bytes", func(t *testing.T) { testRTL[kernel.Block512](t, 8, 123) })
}

func testRTL[B inpacket.Block](t *testing.T, dataBytes, limit int) {
	rtl, err := NewRTL[B](t.Context(), dataBytes, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rtl.Close(); err != nil {
			t.Error(err)
		}
	}()
	beats := &counter[B]{dataBytes: dataBytes}
	checked := &Checked[B]{First: beats, Second: rtl}
	beats.Model.FillLimit = limit
	config := crowded
	config.FillLimit, config.VirtualLinks, config.Controls = limit, 8, 1
	r := simulated(t, config, 100, Engine[B](checked))
	r.RTL = &RTLReport{dataBytes, checked.Differences, checked.Difference, rtl.Cycles}
	if r.Failure() != nil || checked.Hops != r.Hops || r.Hops == 0 {
		t.Errorf("%d hops of %d: %v", checked.Hops, r.Hops, r.Failure())
	}
	if any := r.Chains[AnyTable]; any.Overfull == 0 || any.Overfull == any.Hops ||
		any.Deleted == 0 {
		t.Errorf("%+v: the test shows too little", any)
	}
	// What is more than the beats is latency: once for every call.
	if most := beats.beats + 64*beats.calls; rtl.Cycles < beats.beats || rtl.Cycles > most {
		t.Errorf("%d cycles for %d beats, want %d at most", rtl.Cycles, beats.beats, most)
	}
}

// The latency is what the documentation says: the clocks from a packet of one beat in to it out.
func TestLatency(t *testing.T) {
	if err := cosim.Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
	rtl, err := NewRTL[kernel.Block256](t.Context(), 64, 114) // as in TestRTL
	if err != nil {
		t.Fatal(err)
	}
	defer rtl.Close()
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{})
	if err != nil {
		t.Fatal(err)
	}
	element := plane.Element([]byte("x"))
	hops := []Hop[kernel.Block256]{{Frame: encapsulate(nil, make([]byte, 20), inpacket.Header256{}),
		Element: &element}}
	latency := 0
	for range 2 { // the first packet waits for the reset
		before := rtl.Cycles
		if err := rtl.Handle(hops); err != nil {
			t.Fatal(err)
		}
		latency = rtl.Cycles - before - 1
	}
	for file, pattern := range map[string]string{
		"README.md":              `\(rtl/bloomlane_inline\.v\) \|[^|]*\| (\d+)`,
		"doc/timing.svg":         `>(\d+) clocks: from the field`,
		"rtl/bloomlane_inline.v": `// Latency: .* (\d+) clocks`,
	} {
		text, err := os.ReadFile(filepath.Join("../../hdl", file))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(pattern).FindSubmatch(text); found == nil ||
			string(found[1]) != strconv.Itoa(latency) {
			t.Errorf("%s says %q, the RTL takes %d clocks", file, found, latency)
		}
	}
}

// counter is the engine in Go, and counts beats.
type counter[B inpacket.Block] struct {
	Model[B]
	dataBytes, beats, calls int
}

func (c *counter[B]) Handle(hops []Hop[B]) error {
	c.calls++
	for _, hop := range hops {
		c.beats += (len(hop.Frame) + c.dataBytes - 1) / c.dataBytes
	}
	return c.Model.Handle(hops)
}
