package flows

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// register is an observer that keeps all flows, with when and why they ended.
type register []registered

type registered struct {
	flow
	until time.Duration
	why   end
}

func (r *register) began(*flow) {}

func (r *register) ended(f *flow, at time.Duration, why end) {
	*r = append(*r, registered{*f, at, why})
}

// TestSurvey holds what a survey finds against sums over the list of all flows.
func TestSurvey(t *testing.T) {
	happened := map[end]int{}
	for seed := range rounds(80) {
		random := rand.New(rand.NewPCG(seed, 9))
		var packets []capture.Header
		now := time.Duration(0)
		for range 300 {
			if random.IntN(3) > 0 {
				now += time.Duration(random.IntN(3000)) * time.Millisecond
			}
			h := between(uint16(random.IntN(9)), uint16(random.IntN(9)), now,
				capture.Flags(random.IntN(32)))
			if random.IntN(3) == 0 {
				h.Protocol = layers.IPProtocolUDP
			}
			packets = append(packets, h)
		}
		limit := 1 + random.IntN(30)
		traffic := mustLook(t, stream(io.EOF, packets...), 10*time.Second, limit)
		var all register
		tr := mustFollow(t, stream(io.EOF, packets...), 10*time.Second, limit, &all)

		want := Traffic{Packets: tr.packets, Endings: newSurvey(0, 0).Endings, Flows: len(all),
			Seconds: tr.now.Seconds()}
		var patterns []pattern
		var begun []time.Duration
		for i := range all {
			f := &all[i]
			happened[f.why]++
			begun = append(begun, f.first)
			want.Endings[f.why]++
			if f.syn {
				want.WithSYN++
			}
			p := pattern{
				duration: f.last - f.first, packets: f.packets,
				protocol: f.key.protocol, syn: f.syn,
				closed: f.why == closed, reset: f.why == reset,
			}
			lives := p.duration
			if f.why != closed && f.why != reset {
				lives += 10 * time.Second
			}
			want.MeanSeconds += lives.Seconds() / float64(len(all))
			want.Mean += (f.until - f.first).Seconds() / tr.now.Seconds()
			patterns = append(patterns, p)
		}
		gaps := time.Duration(0)
		for i, p := range traffic.patterns {
			gaps += p.gap
			traffic.patterns[i].gap = 0
		}
		if last := slices.Max(begun); gaps != last || !slices.Equal(traffic.patterns, patterns) {
			t.Fatalf("seed %d: gaps of %v in all, want %v; patterns %+v, want %+v",
				seed, gaps, last, traffic.patterns, patterns)
		}
		if math.Abs(traffic.Mean-want.Mean) > 1e-9 ||
			math.Abs(traffic.MeanSeconds-want.MeanSeconds) > 1e-9 {
			t.Fatalf("seed %d: %g live in the mean for %g s, want %g for %g", seed, traffic.Mean,
				traffic.MeanSeconds, want.Mean, want.MeanSeconds)
		}
		// The peak is between what is live at a moment with all that end then, and without.
		least, most := 0, 0
		for _, begin := range begun {
			within, touching := 0, 0
			for i := range all {
				if all[i].first <= begin && begin < all[i].until {
					within++
				}
				if all[i].first <= begin && begin <= all[i].until {
					touching++
				}
			}
			least, most = max(least, within), max(most, touching)
		}
		got := *traffic
		if got.Peak < least || got.Peak > most {
			t.Fatalf("seed %d: %d live at the peak, want %d to %d", seed, got.Peak, least, most)
		}
		for _, x := range []*Traffic{&got, &want} {
			x.Peak, x.Mean, x.MeanSeconds, x.timeout, x.duration, x.patterns = 0, 0, 0, 0, 0, nil
		}
		if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
			t.Fatalf("seed %d: %s, want %s", seed, a, b)
		}
	}
	for _, why := range []end{idle, closed, reset, evicted, cut} {
		if happened[why] < 20 {
			t.Errorf("flows ended by %v: the test shows too little", happened)
		}
	}
}

// TestSampleOfPatterns: where more flows end than are remembered, each is remembered as likely as
// any other.
func TestSampleOfPatterns(t *testing.T) {
	const flows, parts = 4 * maxPatterns, 8
	s := newSurvey(timeout, 1)
	for i := range flows {
		s.ended(&flow{packets: i}, 0, idle)
	}
	var counts [parts]int
	for _, p := range s.patterns {
		counts[p.packets*parts/flows]++
	}
	for i, n := range counts { // 5 standard deviations
		if want := float64(maxPatterns) / parts; math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
			t.Errorf("%d patterns are of part %d of the flows, want %.0f", n, i, want)
		}
	}
	if len(s.patterns) != maxPatterns {
		t.Errorf("%d patterns, want %d", len(s.patterns), maxPatterns)
	}
}

// TestTurnovers: the first live flows are no turnover, and of less than one flow in the mean there
// are none.
func TestTurnovers(t *testing.T) {
	for _, test := range []struct{ mean, inserts, want float64 }{
		{10, 0, 0}, {10, 5, 0}, {10, 10, 0}, {10, 15, 0.5}, {10, 30, 2}, {0.25, 1, 0},
		{0.25, 3, 2}, {0, 0, 0},
	} {
		if got := (&Traffic{Mean: test.mean}).turnovers(test.inserts); got != test.want {
			t.Errorf("%g inserts of %g live: %g turnovers, want %g", test.inserts, test.mean,
				got, test.want)
		}
	}
	// Without time, the mean is the peak.
	packets := stream(io.EOF, between(1, 2, 0, 0), between(1, 3, 0, 0),
		between(1, 4, 0, capture.RST))
	if traffic := mustLook(t, packets, timeout, 10); traffic.Mean != 3 || traffic.Peak != 3 ||
		traffic.Seconds != 0 {
		t.Errorf("%+v: want 3 live flows", traffic)
	}
}
