package flows

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture/capturetest"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// TestScales holds the mean, the peak and the steps of a filter that grows and shrinks to sums over all its states.
func TestScales(t *testing.T) {
	of, err := elastic.New(elastic.Config{Members: 10, BitsPerKey: 12, Key: key.FromBytes([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(14, 14))
	s := newScales(of, 10)
	start := of.Stats()
	var live []uint64
	var sum, lists, at, before float64
	peak, steps := start, map[bool]int{}
	for change := range 4000 {
		last := of.Stats()
		if grows := change/1000%2 == 0; len(live) == 0 || random.IntN(10) < 8 == grows {
			live = append(live, random.Uint64())
			if _, err := of.InsertHash(live[len(live)-1]); err != nil {
				t.Fatal(err)
			}
		} else {
			of.DeleteHash(live[0])
			live = live[1:]
		}
		at += float64(random.IntN(3))
		sum += float64(last.FastBytes+last.SlowBytes) * (at - before)
		lists += float64(last.SlowBytes) * (at - before)
		before = at
		s.weigh(time.Duration(at) * time.Second)
		now := of.Stats()
		if now.FastBytes+now.SlowBytes > peak.FastBytes+peak.SlowBytes {
			peak = now
		}
		if now.Blocks != last.Blocks {
			steps[now.Blocks > last.Blocks]++
		}
	}
	want := Growth{
		Made: 10, Start: Memory{start.FastBytes + start.SlowBytes, start.SlowBytes},
		Mean: Memory{int(math.Round(sum / at)), int(math.Round(lists / at))},
		Peak: Memory{peak.FastBytes + peak.SlowBytes, peak.SlowBytes}, Grew: steps[true], Shrank: steps[false],
	}
	if s.Growth != want || want.Grew < 8 || want.Shrank < 8 || want.Mean.Bytes < 2*want.Start.Bytes {
		t.Errorf("%+v, want %+v", s.Growth, want)
	}
}

// TestElasticStartsTooSmall: the filter that grows is made for a 64th of the members. Its blocks have no more bits per
// key than the others, up to a whole block, and fewer where they are enough for half the rate.
func TestElasticStartsTooSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 15))
	fewer := 0
	for range rounds(300) {
		members, bits := 1+random.IntN(100_000), 1+60*random.Float64()
		bytes, err := memory(members, bits)
		if err != nil {
			t.Fatal(err)
		}
		p := &plan{Members: members, Bytes: bytes, rate: math.Exp(-10 * random.Float64()), lifetime: planning.Random()}
		f, err := newElastic(p, key.FromBytes([32]byte{1}))
		if err != nil {
			t.Fatal(err)
		}
		made := max(1, members/64)
		most := max(2*float64(made), float64(8*bytes)/float64(members)*float64(made)) + 256
		got, limit := float64(8*f.Stats().FastBytes), f.Limit()
		if p.start() != made || limit < made || limit > 2*made+256 || got > most {
			t.Fatalf("made for %d of %d members at %g bits: takes %d in %g bits, want %g at most", made, members, bits, limit, got, most)
		}
		if got < most-512 {
			if fewer++; got < 256 {
				t.Fatalf("%g bits", got)
			}
			// Half the blocks would not do.
			if half, err := (&elastic.Config{Members: made, BitsPerKey: got / 2 / float64(made)}).Planned(); err == nil && got > 512 && half.Rate < p.rate/2 {
				t.Fatalf("%d members in %g bits: half of them have a rate of %g, where %g is to be kept", made, got, half.Rate, p.rate)
			}
		}
	}
	if fewer < int(rounds(300)/4) {
		t.Errorf("%d have fewer bits: the test shows too little", fewer)
	}
}

// TestGrowth: on the real capture and on one with waves the filter grows and shrinks many times with the live flows,
// keeps the rate, and the report says what memory that takes.
func TestGrowth(t *testing.T) {
	last := len(Names) - 1
	for _, synthesis := range []*Synthesis{nil, {Flows: 30_000, Density: 10, Waves: 3, Seed: 2}} {
		c := usual
		c.Samples, c.BitsPerKey, c.Synthesis = 100, 32, synthesis
		r := mustRun(t, c, file(t, capturetest.CIP))
		total := r.Totals[last]
		g := total.Growth
		if g.Made != r.Plan.Members/64 || g.Grew < 6 || g.Shrank < 4 || !total.Worst.Keeps || total.Bytes != g.Peak.Bytes {
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
			if perKey := float64(a.Bytes-a.Lists) / float64(max(s.Members, g.Made)); perKey > 12 || a.Lists < 8*s.Members {
				t.Errorf("%d live: %+v", s.Members, a)
			}
			for k, other := range s.Answers[:last] {
				if other.Bytes != r.Plan.Bytes || other.Lists != 0 || r.Totals[k].Growth != nil {
					t.Errorf("%s: %+v, %+v", Names[k], other, r.Totals[k].Growth)
				}
			}
		}
		if most > g.Peak.Bytes || !down || g.Peak.Bytes < 10*g.Start.Bytes || math.Abs(sum-float64(g.Mean.Bytes)) > 0.05*sum {
			t.Errorf("%+v; of samples %.0f in the mean, %d at most, shrinks: %v", g, sum, most, down)
		}
		for _, text := range []string{
			"elastic, made for " + quantity.Of(g.Made, "member") + ": " + g.Mean.text() + " in the mean; " + g.Peak.text() + " at the peak; it grew " +
				times(g.Grew) + " and shrank " + times(g.Shrank) + "\n",
			"elastic up to " + quantity.Count(g.Peak.Bytes),
			"   " + quantity.Count(r.Samples[len(r.Samples)-1].Answers[last].Bytes) + "   ",
		} {
			if !strings.Contains(r.String()+r.title(), text) {
				t.Errorf("the report lacks %q:\n%s", text, r)
			}
		}
		if waves := strings.Contains(r.String(), "begun 1 to 10 times as often in 3 waves (seed 2)"); waves != (synthesis != nil) {
			t.Errorf("the report says waves: %v", waves)
		}
	}
	if got := (Memory{3000, 1000}).text(); got != "3,000 bytes (blocks 2,000, lists 1,000)" {
		t.Error(got)
	}
}
