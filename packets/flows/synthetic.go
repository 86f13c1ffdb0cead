package flows

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/gopacket/gopacket/layers"

	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Synthesis says how a trace is made from the flows of real traffic.
type Synthesis struct {
	Flows   int     `json:"flows"`
	Density float64 `json:"density"` // how many times as often as in the real traffic a flow begins
	Waves   int     `json:"waves"`   // if any, the density goes up from 1 and back so often
	Seed    uint64  `json:"seed"`
}

// maxSynthesised is the number of different keys of a synthesised trace.
const maxSynthesised = 1 << 40

func (s *Synthesis) check() error {
	if s.Flows < 1 || int64(s.Flows) > maxSynthesised {
		return fmt.Errorf("--synthesise is %d, expected 1 to %d", s.Flows, int64(maxSynthesised))
	}
	if !(s.Density >= 1 && s.Density <= 1e6) { // so written, NaN fails it too
		return fmt.Errorf("--density is %g, expected 1 to 1000000", s.Density)
	}
	if s.Waves < 0 {
		return fmt.Errorf("--waves is %d, expected at least 0", s.Waves)
	}
	if s.Waves > 0 && s.Density == 1 {
		return errors.New("--density is 1, expected more with --waves")
	}
	return nil
}

// often says how often flows begin.
func (s *Synthesis) often() string {
	if s.Waves == 0 {
		return fmt.Sprintf("%g times as often", s.Density)
	}
	return fmt.Sprintf("1 to %g times as often in %s", s.Density, quantity.Of(s.Waves, "wave"))
}

// synthetic is a trace that was never captured. Each of its flows has the number of packets,
// duration, protocol and kind of ending of a random flow of the real traffic; the packets are
// evenly spaced, so that no gap is longer than the longest of the flow that was drawn. The time
// between two beginnings is drawn from those of the real traffic, and divided by the density, which
// is the same at any time or goes up and down in waves. Every flow has a key of its own. The trace
// ends, as a capture does, while flows are under way: when one more would begin. Beginnings are
// drawn one by one, so that bursts are smoothed, and a flow that the end of the real traffic cut is
// taken for complete. It keeps in memory the flows that are under way, up to a limit.
type synthetic struct {
	patterns []pattern
	plan     Synthesis
	random   *rand.Rand
	next     time.Duration // when the next flow begins
	wave     time.Duration // how long one is in the mean, or 0
	begun    int           // flows
	active   underWay
	limit    int             // of flows under way
	progress func(flows int) // or nil
}

// UnderWayError says that more flows of a synthesised trace are under way than may be followed.
type UnderWayError struct {
	Begun, Limit int // flows
	Density      float64
}

func (e *UnderWayError) Error() string {
	return fmt.Sprintf("flows: found more than %d synthesised flows under way after %d had "+
		"begun, at a density of %g: expected no more than are followed at a time; follow more, "+
		"or make them less dense",
		e.Limit, e.Begun, e.Density)
}

// newSynthetic returns a trace with no more flows under way than a limit.
func newSynthetic(
	patterns []pattern,
	plan Synthesis,
	limit int,
	progress func(flows int),
) (*synthetic, error) {
	if len(patterns) == 0 {
		return nil, errors.New("flows: found no flows, expected some to synthesise others from")
	}
	if !slices.ContainsFunc(patterns, func(p pattern) bool { return p.gap > 0 }) {
		return nil, errors.New("flows: found flows that all begin at the same time, expected " +
			"some time between them to synthesise others")
	}
	s := &synthetic{patterns: patterns, plan: plan, limit: limit, progress: progress,
		random: rand.New(rand.NewPCG(plan.Seed, 2))}
	if plan.Waves > 0 {
		gaps := 0.0 // of as many flows at a density of 1
		for i := range patterns {
			gaps += float64(patterns[i].gap) / float64(len(patterns)) * float64(plan.Flows)
		}
		s.wave = max(1, nanoseconds(gaps/((1+plan.Density)/2)/float64(plan.Waves)))
	}
	return s, nil
}

// performance is a flow under way.
type performance struct {
	pattern *pattern
	number  int // of the flow
	begun   time.Duration
	sent    int // packets
}

// due returns when the next packet is.
func (p *performance) due() time.Duration {
	if p.pattern.packets == 1 {
		return p.begun
	}
	return later(p.begun, portion(p.pattern.duration, p.sent, p.pattern.packets-1))
}

// underWay is a heap of flows by when their next packets are due.
type underWay []performance

func (u underWay) Len() int           { return len(u) }
func (u underWay) Less(i, j int) bool { return u[i].due() < u[j].due() }
func (u underWay) Swap(i, j int)      { u[i], u[j] = u[j], u[i] }
func (u *underWay) Push(p any)        { *u = append(*u, p.(performance)) }
func (u *underWay) Pop() any {
	last := len(*u) - 1
	p := (*u)[last]
	*u = (*u)[:last]
	return p
}

// NextHeader implements [capture.Headers].
func (s *synthetic) NextHeader() (capture.Header, error) {
	for s.begun < s.plan.Flows && (len(s.active) == 0 || s.next <= s.active[0].due()) {
		if len(s.active) == s.limit {
			return capture.Header{}, &UnderWayError{s.begun, s.limit, s.plan.Density}
		}
		heap.Push(&s.active, performance{pattern: s.draw(), number: s.begun, begun: s.next})
		if s.progress != nil && s.begun%1024 == 0 {
			s.progress(s.begun)
		}
		s.begun++
		s.next = later(s.next, s.gap())
	}
	if len(s.active) == 0 || s.begun == s.plan.Flows && s.active[0].due() > s.next {
		return capture.Header{}, io.EOF
	}
	p := &s.active[0]
	h := p.header()
	if p.sent++; p.sent == p.pattern.packets {
		heap.Pop(&s.active)
	} else {
		heap.Fix(&s.active, 0)
	}
	return h, nil
}

// gap draws the time between two beginnings.
func (s *synthetic) gap() time.Duration {
	density := s.plan.Density
	if s.plan.Waves > 0 {
		density = 1 + (density-1)*(1-math.Cos(2*math.Pi*float64(s.next)/float64(s.wave)))/2
	}
	return nanoseconds(float64(s.draw().gap) / density)
}

// nanoseconds returns a time in nanoseconds, or the last that there is.
func nanoseconds(n float64) time.Duration {
	if n >= math.MaxInt64 { // which is 2^63 in floating point
		return math.MaxInt64
	}
	return time.Duration(n)
}

func (s *synthetic) draw() *pattern { return &s.patterns[s.random.IntN(len(s.patterns))] }

// epoch is when synthesised traces begin: any time will do that is not the zero Time.
var epoch = time.Unix(0, 0)

// header returns the next packet: of a connection that closes, the last two packets are the FINs of
// both sides.
func (p *performance) header() capture.Header {
	n := uint64(p.number)
	h := capture.Header{
		Time:        epoch.Add(p.due()),
		Whole:       true,
		Protocol:    layers.IPProtocol(p.pattern.protocol),
		Source:      netip.AddrFrom4([4]byte{10, byte(n >> 32), byte(n >> 24), byte(n >> 16)}),
		SourcePort:  uint16(n),
		Destination: netip.AddrFrom4([4]byte{192, 0, 2, 1}), DestinationPort: 443,
	}
	left := p.pattern.packets - p.sent
	if p.pattern.closed && left == 1 {
		h.Source, h.Destination = h.Destination, h.Source
		h.SourcePort, h.DestinationPort = h.DestinationPort, h.SourcePort
	}
	switch {
	case h.Protocol != layers.IPProtocolTCP:
	case p.sent == 0 && p.pattern.syn:
		h.Flags = capture.SYN
	default:
		h.Flags = capture.ACK
	}
	switch {
	case p.pattern.closed && left <= 2:
		h.Flags |= capture.FIN
	case p.pattern.reset && left == 1:
		h.Flags |= capture.RST
	}
	return h
}
