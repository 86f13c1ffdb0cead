package flows

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
)

const timeout = 15 * time.Second

// file returns the source of one of the real captures.
func file(t *testing.T, name string) Source {
	t.Helper()
	path := capturetest.Path(t, name)
	return func() (capture.Headers, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = f.Close() })
		return capture.Open(f), nil
	}
}

// TestTheRealCapture holds what is counted of flows against what is counted of packets and keys.
func TestTheRealCapture(t *testing.T) {
	got := mustLook(t, file(t, capturetest.CIP), timeout, 1<<20)
	e := got.Endings
	if got.Packets.All != 26068 || got.Packets.NoIP+got.Packets.Fragment+got.Packets.Cut != 0 {
		t.Errorf("packets %+v", got.Packets)
	}
	if sum := e[idle] + e[closed] + e[reset] + e[evicted] + e[cut]; got.Flows != sum ||
		sum != len(got.patterns) || got.Flows < 3017 {
		t.Errorf("%d flows, %+v and %d patterns: want the same, and as many as there are keys, "+
			"3017, at least", got.Flows, e, len(got.patterns))
	}
	packets, area := got.Packets.Late, 0.0
	for i := range got.patterns {
		packets += got.patterns[i].packets
		area += got.patterns[i].lifetime(timeout).Seconds()
	}
	if packets != got.Packets.All {
		t.Errorf("%d packets in flows or late, want all %d", packets, got.Packets.All)
	}
	// Little's law, but for what the end cuts off.
	if mean := area / got.Seconds; mean < got.Mean ||
		mean > got.Mean+float64(e[cut])*timeout.Seconds()/got.Seconds {
		t.Errorf("lifetimes make %.1f live flows in the mean, counted %.1f", mean, got.Mean)
	}
}

// distance returns Kolmogorov's and Smirnov's of two samples: how far apart their distribution
// functions are.
func distance(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	most, i, j := 0.0, 0, 0
	for i < len(a) && j < len(b) {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return most
}

// TestWaves: in waves the density goes from 1 up and back, and the live flows with it.
func TestWaves(t *testing.T) {
	real := mustLook(t, file(t, capturetest.CIP), timeout, 1<<20)
	gap, square := 0.0, 0.0
	for _, p := range real.patterns {
		gap += p.gap.Seconds() / float64(len(real.patterns))
		square += p.gap.Seconds() * p.gap.Seconds() / float64(len(real.patterns))
	}
	const flows, density, waves = 100_000, 9, 4
	s, err := newSynthetic(real.patterns, Synthesis{Flows: flows, Density: density, Waves: waves,
		Seed: 4}, 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The density is 5 in the mean, and at the phases of a wave 1, 5, 9 and 5.
	if want := gap * flows / 5 / waves; math.Abs(s.wave.Seconds()/want-1) > 1e-6 {
		t.Errorf("a wave is %g s long, want %g", s.wave.Seconds(), want)
	}
	const phases = 8
	var begun [phases]int
	for s.begun < flows {
		phase := s.next % s.wave * phases / s.wave
		before := s.begun
		if _, err := s.NextHeader(); err != nil {
			t.Fatal(err)
		}
		begun[phase] += s.begun - before
	}
	spent := s.wave.Seconds() * waves / phases
	for phase, n := range begun {
		want := 1 + (density-1)*(1-math.Cos(2*math.Pi*(float64(phase)+0.5)/phases))/2
		sigma := math.Sqrt((square/gap/gap - 1) / (want * spent / gap))
		if got := float64(n) / spent * gap; math.Abs(got/want-1) > 4*sigma || sigma > 0.15 {
			t.Errorf("in part %d of a wave flows begin %.2f times as often, want %.2f, within "+
				"%.2f of it", phase, got, want, 4*sigma)
		}
	}
	if end := s.next.Seconds() / s.wave.Seconds(); math.Abs(end-waves) > 0.1 {
		t.Errorf("%g waves, want %d", end, waves)
	}
	short, err := newSynthetic([]pattern{{gap: 1}},
		Synthesis{Flows: 1, Density: 1e6, Waves: math.MaxInt}, 1, nil)
	if err != nil || short.wave != 1 || short.gap() < 0 {
		t.Errorf("of less than a nanosecond: %v, %v", short.wave, err)
	}
}

// TestSynthesisedTrafficIsLikeTheReal compares sizes, lifetimes and the times between beginnings,
// of flows as the tracker sees them.
func TestSynthesisedTrafficIsLikeTheReal(t *testing.T) {
	real := mustLook(t, file(t, capturetest.CIP), timeout, 1<<20)
	for _, density := range []float64{1, 20} {
		const flows = 30_000
		open := func() (capture.Headers, error) {
			return newSynthetic(real.patterns, Synthesis{Flows: flows, Density: density, Seed: 4},
				1<<20, nil)
		}
		made := mustLook(t, open, timeout, 1<<20)
		if made.Flows != flows ||
			made.Packets.Late+made.Packets.Backward+made.Endings[evicted] != 0 {
			t.Errorf("%+v: want %d flows, and no packet late or backward", made, flows)
		}
		for name, value := range map[string]func(p *pattern) float64{
			"packets":  func(p *pattern) float64 { return float64(p.packets) },
			"lifetime": func(p *pattern) float64 { return p.lifetime(timeout).Seconds() },
			"SYN": func(p *pattern) float64 {
				if p.syn {
					return 1
				}
				return 0
			},
			"protocol": func(p *pattern) float64 { return float64(p.protocol) },
		} {
			var a, b []float64
			for i := range real.patterns {
				a = append(a, value(&real.patterns[i]))
			}
			for i := range made.patterns {
				b = append(b, value(&made.patterns[i]))
			}
			// 1.95 sqrt(1/n) is exceeded once in a thousand times, where nothing is cut off by the
			// end of the trace.
			limit := 1.95/math.Sqrt(flows) + float64(made.Endings[cut])/flows
			if d := distance(a, b); d > limit {
				t.Errorf("density %g, %s: the distributions are %.4f apart, want %.4f at most",
					density, name, d, limit)
			}
		}
		// Between beginnings: the mean, of which the standard error is known.
		var mean, square float64
		for _, p := range real.patterns {
			mean += p.gap.Seconds() / float64(len(real.patterns))
			square += p.gap.Seconds() * p.gap.Seconds() / float64(len(real.patterns))
		}
		if want, sigma := mean/density,
			math.Sqrt((square-mean*mean)/flows)/density; math.Abs(made.Seconds/flows-want) >
			4*sigma {
			t.Errorf("density %g: a flow every %g s, want %g ± %g", density,
				made.Seconds/flows, want, sigma)
		}
		// And Little's law: as many live flows at a time.
		if want := density * float64(len(real.patterns)) / real.Seconds *
			real.MeanSeconds; math.Abs(made.Mean/want-1) > 0.1 {
			t.Errorf("density %g: %.1f live flows, want %.1f", density, made.Mean, want)
		}
	}
}

// TestSynthesisEndings: flows end as the real ones that they are made of, and times never go back.
func TestSynthesisEndings(t *testing.T) {
	patterns := []pattern{
		{gap: time.Second, duration: 3 * time.Second, packets: 4, protocol: 6, syn: true,
			closed: true},
		{gap: time.Second, duration: 0, packets: 1, protocol: 6, reset: true},
		{gap: time.Second, duration: 14 * time.Second, packets: 2, protocol: 17},
	}
	for i, p := range patterns {
		trace, err := newSynthetic([]pattern{p}, Synthesis{Flows: 1000, Density: 2, Seed: 1}, 1<<20,
			nil)
		if err != nil {
			t.Fatal(err)
		}
		made := mustLook(t, func() (capture.Headers, error) { return trace, nil }, timeout, 1<<20)
		ended := made.Endings[[]end{closed, reset, idle}[i]]
		if ended < 900 || ended+made.Endings[cut] != 1000 || len(trace.active) > 40 {
			t.Errorf("%+v: %+v, and %d under way at the end", p, made.Endings, len(trace.active))
		}
	}
}

func TestSynthesisLimits(t *testing.T) {
	// Durations as long as there can be end no later than the last time that there is.
	trace, err := newSynthetic([]pattern{{gap: math.MaxInt64, duration: math.MaxInt64, packets: 3,
		protocol: 17}}, Synthesis{Flows: 5, Density: 1}, 1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	if gap := trace.gap(); gap != math.MaxInt64 {
		t.Errorf("a gap of %d, want the longest", gap)
	}
	// Every flow has a key of its own.
	keys := map[tuple]int{}
	for _, number := range []int64{0, 1, 1 << 8, 1 << 16, 1 << 24, 1 << 32, 1 << 39,
		maxSynthesised - 1} {
		n := int(number)
		if int64(n) != number {
			continue // where an int has 32 bits there is no such flow
		}
		h := (&performance{pattern: &trace.patterns[0], number: n}).header()
		k, _ := keyOf(&h)
		if other, seen := keys[k]; seen {
			t.Errorf("flows %d and %d have one key", other, n)
		}
		keys[k] = n
	}
	made := mustLook(t, func() (capture.Headers, error) { return trace, nil }, timeout, 10)
	if made.Packets.Backward != 0 {
		t.Errorf("%+v", made)
	}
}

// TestUnderWay: the flows under way are bounded by those that are followed at a time, and the error
// says what to do.
func TestUnderWay(t *testing.T) {
	long := []pattern{{gap: 1, duration: time.Hour, packets: 2, protocol: 17}}
	trace, err := newSynthetic(long, Synthesis{Flows: 1 << 30, Density: 1e6, Seed: 1}, 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = trace.NextHeader()
	for err == nil {
		_, err = trace.NextHeader()
	}
	var full *UnderWayError
	if !errors.As(err, &full) || full.Begun != 1000 || full.Limit != 1000 ||
		len(trace.active) != 1000 {
		t.Errorf("error %v with %d under way, want one at 1000", err, len(trace.active))
	}

	c := usual
	c.Limit, c.Synthesis = 100, &Synthesis{Flows: 10_000, Density: 1000, Seed: 1}
	if r, _, err := Run(c, file(t, capturetest.CIP)); !errors.As(err, &full) || r != nil {
		t.Errorf("report %v, error %v", r, err)
	}
}
