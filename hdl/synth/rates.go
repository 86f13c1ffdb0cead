package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	shortest = 64   // bytes of the shortest Ethernet frame, with its FCS
	longest  = 1518 // of one with 1,500 bytes of payload
	between  = 20   // bytes of the line that a frame takes beyond its own: preamble and gap
)

// lines are Ethernet's, in Gb/s, and beats the widths of a bus, in bytes.
var (
	lines = []float64{10, 25, 100, 200, 400}
	beats = []int{8, 16, 32, 64, 128}
)

// clock returns the MHz that a bus needs for a line that is full of frames of one size, where no
// beat holds bytes of two frames.
func clock(gbps float64, beat, frame int) float64 {
	return 1000 * gbps / float64(8*(frame+between)) * float64((frame+beat-1)/beat)
}

// anyClock returns the MHz that are enough for frames of every size.
func anyClock(gbps float64, beat int) (mhz float64) {
	for frame := shortest; frame <= longest; frame++ {
		mhz = max(mhz, clock(gbps, beat, frame))
	}
	return mhz
}

// carries returns the cells of what a bus carries at a clock: all of it, the shortest frames and
// frames of any size.
func carries(mhz float64, beat int) string {
	return fmt.Sprintf("%.1f | %.1f | %.1f", mhz*float64(8*beat)/1000,
		mhz/float64((shortest+beat-1)/beat), mhz/anyClock(1, beat))
}

var dataBytes = regexp.MustCompile(`DATA_BYTES=(\d+)`)

// bus returns the bytes of a beat of an in-line engine, and 0 of another design.
func (r row) bus() int {
	m := dataBytes.FindStringSubmatch(r.parameters)
	if m == nil || r.top != "bloomlane_inline" {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// rates writes what the clocks of the in-line engines carry, and which clocks Ethernet's lines
// need.
func (r report) rates(b *strings.Builder) {
	b.WriteString("| in-line engine | part | MHz, median | bus, Gb/s | frames of 64 bytes, " +
		"million/s | Ethernet, Gb/s, frames of any size |\n")
	b.WriteString("| --- | --- | ---: | ---: | ---: | ---: |\n")
	fastest := map[int]float64{} // by bytes of a beat
	for _, w := range rows {
		beat := w.bus()
		if beat == 0 {
			continue
		}
		for _, p := range parts {
			f, ok := r.find(w).Clocks[p.name]
			if !ok {
				continue
			}
			fastest[beat] = max(fastest[beat], f.Median)
			fmt.Fprintf(b, "| `%s` | %s | %.0f | %s |\n", w.parameters, p.name, f.Median,
				carries(f.Median, beat))
		}
	}
	for _, c := range []struct {
		name string
		mhz  float64
	}{{"a shell of 512 bits", 250}, {"a CMAC, 512 bits", 322.266}} {
		fmt.Fprintf(b, "| %s | UltraScale+, not placed | %v | %s |\n", c.name, c.mhz,
			carries(c.mhz, 64))
	}
	b.WriteString("\n| MHz for frames of 64 bytes / 1,518 / any |")
	for _, gbps := range lines {
		fmt.Fprintf(b, " %.0fG |", gbps)
	}
	b.WriteString("\n| ---" + strings.Repeat(" | ---", len(lines)) +
		" |\n| frames of 64 bytes, million/s |")
	for _, gbps := range lines {
		fmt.Fprintf(b, " %.1f |", 1000*gbps/(8*(shortest+between)))
	}
	b.WriteByte('\n')
	for _, beat := range beats {
		fmt.Fprintf(b, "| bus of %d bits |", 8*beat)
		for _, gbps := range lines {
			for i, mhz := range []float64{clock(gbps, beat, shortest), clock(gbps, beat, longest),
				anyClock(gbps, beat)} {
				mark := ""
				if mhz <= fastest[beat] {
					mark = "**"
				}
				fmt.Fprintf(b, "%s %s%.0f%[2]s", []string{"", " /", " /"}[i], mark, mhz)
			}
			b.WriteString(" |")
		}
		b.WriteByte('\n')
	}
}
