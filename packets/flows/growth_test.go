package flows

import (
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// weigher is a run that weighs its filter that grows itself, after each call, and compares.
type weigher struct {
	*run
	t            *testing.T
	filter       *elastic.Filter
	last         elastic.Stats
	now          time.Duration
	bytes, lists float64
	want         Growth
}

func (w *weigher) began(f *flow) {
	w.run.began(f)
	w.weigh(f.first)
}

func (w *weigher) ended(f *flow, at time.Duration, why end) {
	w.run.ended(f, at, why)
	if why != cut {
		w.weigh(at)
	}
}

func (w *weigher) weigh(now time.Duration) {
	w.t.Helper()
	seconds := (now - w.now).Seconds()
	w.bytes += float64(w.last.FastBytes+w.last.SlowBytes) * seconds
	w.lists += float64(w.last.SlowBytes) * seconds
	stats := w.filter.Stats()
	if stats.Blocks > w.last.Blocks {
		w.want.Grew++
	} else if stats.Blocks < w.last.Blocks {
		w.want.Shrank++
	}
	w.last, w.now = stats, now
	if bytes := stats.FastBytes + stats.SlowBytes; bytes > w.want.Peak.Bytes {
		w.want.Peak = Memory{bytes, stats.SlowBytes}
	}
	got := *w.filters[len(w.filters)-1].Growth
	mean := got.Mean
	if got.Mean = (Memory{}); got != w.want {
		w.t.Fatalf("after %v: %+v, want %+v", now, got, w.want)
	}
	far := func(got int, sum float64) bool { return math.Abs(float64(got)-sum/now.Seconds()) > 1 }
	if now > 0 && (far(mean.Bytes, w.bytes) || far(mean.Lists, w.lists)) {
		w.t.Fatalf("after %v: %+v in the mean, want %.0f bytes, %.0f in lists", now, mean,
			w.bytes/now.Seconds(), w.lists/now.Seconds())
	}
}

// TestScales holds the mean, the peak and the steps of the filter that grows to sums over all its
// states, after each insert and each delete of the real capture.
func TestScales(t *testing.T) {
	c := usual
	c.Samples, c.NonMembers = 1, 1
	open := file(t, capturetest.CIP)
	traffic := mustLook(t, open, c.Idle, c.Limit)
	w := &weigher{run: planned(t, &c, traffic), t: t}
	growing := w.filters[len(w.filters)-1]
	w.filter = growing.contents().(*elastic.Filter)
	w.last = w.filter.Stats()
	start := Memory{w.last.FastBytes + w.last.SlowBytes, w.last.SlowBytes}
	w.want = Growth{Made: 926 / 64, Start: start, Peak: start}
	mustFollow(t, open, c.Idle, c.Limit, w)
	w.finish()
	if w.now == traffic.duration {
		t.Errorf("the last change is at the end, %v: the test shows too little", w.now)
	}
	w.weigh(traffic.duration)
	if growing.Bytes != w.want.Peak.Bytes || w.want.Grew < 6 || w.want.Shrank < 4 {
		t.Errorf("%+v, of %d bytes", w.want, growing.Bytes)
	}
}

// TestScalesAtTheEnd: the time after the last change counts.
func TestScalesAtTheEnd(t *testing.T) {
	fragment := between(1, 2, 10*time.Second, 0)
	fragment.Fragment = true
	c := usual
	c.Samples, c.NonMembers = 1, 1
	g := mustRun(t, c, stream(io.EOF, between(1, 2, 0, 0), fragment)).Totals[len(Names)-1].Growth
	if g.Mean != g.Peak || g.Peak.Bytes < 2*g.Start.Bytes {
		t.Errorf("%+v: want the mean that was there all the time", g)
	}
}

// TestElasticStartsTooSmall: the filter that grows is made for a 64th of the members. Its blocks
// have no more bits per key than the others, up to a whole block, and fewer where they are enough
// for half the rate.
func TestElasticStartsTooSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 15))
	fewer := 0
	for range rounds(300) {
		members, bits := 1+random.IntN(100_000), 1+60*random.Float64()
		bytes, err := memory(members, bits)
		if err != nil {
			t.Fatal(err)
		}
		p := &plan{Members: members, Bytes: bytes, rate: math.Exp(-10 * random.Float64()),
			lifetime: planning.Random()}
		f, err := newElastic(p, keytest.Key(1))
		if err != nil {
			t.Fatal(err)
		}
		made := max(1, members/64)
		size := max(2*float64(made), float64(8*bytes)/float64(members)*float64(made))
		got, limit := float64(8*f.Stats().FastBytes), f.Limit()
		if p.start() != made || limit < made || limit > 2*made+256 || got > size+256 {
			t.Fatalf("made for %d of %d members at %g bits: takes %d in %g bits, where %g are "+
				"asked for", made, members, bits, limit, got, size)
		}
		if got < size-1e-6 {
			fewer++
			want, err := (&elastic.Config{Members: made, Rate: p.rate / 2}).Shape()
			if err != nil || got != float64(8*want.Bytes()) ||
				want.Rate(want.Members) > p.rate/2 {
				t.Fatalf("%d members in %g bits, at %g: want them for half the rate, %+v, %v", made,
					got, p.rate, want, err)
			}
		}
	}
	if fewer < int(rounds(300)/4) {
		t.Errorf("%d have fewer bits: the test shows too little", fewer)
	}
}

// TestGrowth: on the real capture and on one with waves the filter grows and shrinks many times
// with the live flows, keeps the rate, and the report says what memory that takes.
func TestGrowth(t *testing.T) {
	last := len(Names) - 1
	for _, synthesis := range []*Synthesis{nil, {Flows: 30_000, Density: 10, Waves: 3, Seed: 2}} {
		c := usual
		c.Samples, c.NonMembers, c.BitsPerKey, c.Synthesis = 100, 500, 32, synthesis
		r := mustRun(t, c, file(t, capturetest.CIP))
		total := r.Totals[last]
		g := total.Growth
		if g.Made != r.Plan.Members/64 || g.Grew < 6 || g.Shrank < 4 || !total.Worst.Keeps ||
			total.Bytes != g.Peak.Bytes {
			t.Errorf("%+v of %+v: want many steps, and the rate kept", g, total)
		}
		// It is made for half the rate, of which single tables have up to some half more.
		if total.Worst.Rate < 0.3*c.Rate || total.Worst.Rate > 0.75*c.Rate {
			t.Errorf("%g at worst, where %g is to be kept", total.Worst.Rate, c.Rate)
		}
		sum, most, down := 0.0, 0, false
		for i, s := range r.Samples {
			a := s.Answers[last]
			sum += float64(a.Bytes) / float64(len(r.Samples))
			most = max(most, a.Bytes)
			down = down || i > 0 && a.Bytes < r.Samples[i-1].Answers[last].Bytes/2
			if perKey := float64(a.blocks()) / float64(max(s.Members, g.Made)); perKey > 12 ||
				a.Lists < 8*s.Members {
				t.Errorf("%d live: %+v", s.Members, a)
			}
			for k, other := range s.Answers[:last] {
				if other.Bytes != r.Plan.Bytes || other.Lists != 0 || r.Totals[k].Growth != nil {
					t.Errorf("%s: %+v, %+v", Names[k], other, r.Totals[k].Growth)
				}
			}
		}
		if most > g.Peak.Bytes || !down || g.Peak.Bytes < 10*g.Start.Bytes ||
			math.Abs(sum-float64(g.Mean.Bytes)) > 0.05*sum {
			t.Errorf("%+v; of samples %.0f in the mean, %d at most, shrinks: %v", g,
				sum, most, down)
		}
		if memory := r.Chart().Panels[2]; memory.Y.Label.Text != "memory (bytes)" ||
			memory.Y.Max < float64(g.Peak.Bytes) {
			t.Errorf("%s up to %g", memory.Y.Label.Text, memory.Y.Max)
		}
		for _, text := range []string{
			"elastic, made for " + quantity.Of(g.Made, "member") + ": " + g.Mean.text() +
				" in the mean; " + g.Peak.text() + " at the peak; it grew " + times(g.Grew) +
				" and shrank " + times(g.Shrank) + "\n",
			"elastic up to " + quantity.Count(g.Peak.Bytes),
			"   " + quantity.Count(r.Samples[len(r.Samples)-1].Answers[last].Bytes) + "   ",
		} {
			if !strings.Contains(r.String()+r.title(), text) {
				t.Errorf("the report lacks %q:\n%s", text, r)
			}
		}
		if waves := strings.Contains(r.String(),
			"begun 1 to 10 times as often in 3 waves (seed 2)"); waves != (synthesis != nil) {
			t.Errorf("the report says waves: %v", waves)
		}
	}
	if got := (Memory{3000, 1000}).text(); got != "3,000 bytes (blocks 2,000, lists 1,000)" {
		t.Error(got)
	}
}
