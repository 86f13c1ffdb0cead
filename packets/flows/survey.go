package flows

import (
	"io"
	"math/rand/v2"
	"time"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// Source opens a stream of packets, from its beginning each time.
type Source func() (capture.Headers, error)

// follow tells an observer of the flows of a stream of packets. What is wrong with its input is no
// error but the damage: then the packets before it were followed.
func follow(
	open Source,
	timeout time.Duration,
	limit int,
	o observer,
) (t *tracker, damage, err error) {
	if t, err = newTracker(timeout, limit, o); err != nil {
		return nil, nil, err
	}
	packets, err := open()
	if err != nil {
		return nil, nil, err
	}
	steady := clock{packets: packets, bound: timeout}
	var h capture.Header
	for h, damage = steady.NextHeader(); damage == nil; h, damage = steady.NextHeader() {
		t.packet(&h)
	}
	if damage == io.EOF {
		damage = nil
	}
	t.packets.Astray = steady.astray
	t.finish()
	return t, damage, nil
}

// Endings are numbers of flows by how they ended.
type Endings map[end]int

// Traffic is what a first pass over the packets finds.
type Traffic struct {
	Packets     Packets `json:"packets"`
	Flows       int     `json:"flows"`
	WithSYN     int     `json:"flows_from_syn"`
	Endings     Endings `json:"endings"`
	Seconds     float64 `json:"seconds"`
	Peak        int     `json:"members_peak"`
	Mean        float64 `json:"members_mean"` // over time
	MeanSeconds float64 `json:"mean_lifetime_seconds"`

	timeout  time.Duration
	duration time.Duration
	patterns []pattern
}

// turnovers returns how often a number of inserts replace the mean live flows. The first inserts,
// which fill the filter, are no turnover.
func (t *Traffic) turnovers(inserts float64) float64 { return max(0, inserts/max(1, t.Mean)-1) }

// maxPatterns is the number of flows that a survey remembers: a sample, where there are more.
const maxPatterns = 1 << 18

// pattern is what is remembered of a flow, for lifetimes, and as a model for flows that are
// synthesised.
type pattern struct {
	gap           time.Duration // since the flow before it began
	duration      time.Duration // from the first packet to the last
	packets       int
	protocol      uint8
	syn           bool
	closed, reset bool // how it ended, if not by the idle timeout
}

// lifetime returns how long the flow is a member. One that was cut or evicted counts as if no more
// of it had come.
func (p *pattern) lifetime(timeout time.Duration) time.Duration {
	if p.closed || p.reset {
		return p.duration
	}
	return later(p.duration, timeout)
}

// survey is an observer that takes stock of the flows.
type survey struct {
	Traffic
	random *rand.Rand
	live   int
	area   float64       // of live flows over time, in seconds
	now    time.Duration // up to where
	over   int
	total  float64 // of lifetimes, in seconds
}

func newSurvey(timeout time.Duration, seed uint64) *survey {
	endings := Endings{idle: 0, closed: 0, reset: 0, evicted: 0, cut: 0}
	return &survey{Traffic: Traffic{timeout: timeout, Endings: endings},
		random: rand.New(rand.NewPCG(seed, 1))}
}

// look takes stock of a stream of packets, up to its damage, if there is any.
func look(
	open Source,
	timeout time.Duration,
	limit int,
	seed uint64,
) (traffic *Traffic, damage, err error) {
	s := newSurvey(timeout, seed)
	t, damage, err := follow(open, timeout, limit, s)
	if err != nil {
		return nil, nil, err
	}
	s.Packets, s.duration, s.Seconds, s.Mean = t.packets, t.now, t.now.Seconds(), float64(s.Peak)
	if s.duration > 0 {
		s.Mean = s.area / s.Seconds
	}
	if s.Flows > 0 {
		s.MeanSeconds = s.total / float64(s.Flows)
	}
	return &s.Traffic, damage, nil
}

// pass counts the live flows up to a time.
func (s *survey) pass(at time.Duration) {
	s.area += float64(s.live) * (at - s.now).Seconds()
	s.now = at
}

func (s *survey) began(f *flow) {
	s.pass(f.first)
	s.live++
	s.Flows++
	s.Peak = max(s.Peak, s.live)
}

func (s *survey) ended(f *flow, at time.Duration, why end) {
	s.pass(at)
	s.live--
	if f.syn {
		s.WithSYN++
	}
	s.Endings[why]++
	p := pattern{
		gap: f.gap, duration: f.last - f.first,
		packets: f.packets, protocol: f.key.protocol, syn: f.syn, closed: why == closed,
		reset: why == reset,
	}
	s.total += p.lifetime(s.timeout).Seconds()
	s.over++
	if len(s.patterns) < maxPatterns {
		s.patterns = append(s.patterns, p)
	} else if i := s.random.IntN(s.over); i < maxPatterns {
		s.patterns[i] = p
	}
}
