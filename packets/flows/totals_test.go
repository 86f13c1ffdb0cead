package flows

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/packets/capture"
)

// fake is a filter that does one thing wrong, or nothing, and whose rate is a thousandth of its
// inserts.
type fake struct {
	filter.Deleter // nil: a run uses no more of it
	wrong          string
	live           map[uint64]bool
	inserted       int
	looks          int // at its state
}

func (f *fake) InsertHash(hash uint64) (bool, error) {
	f.inserted++
	f.live[hash] = true
	if f.wrong == "refuses" {
		return false, errors.New("full")
	}
	return false, nil
}

func (f *fake) DeleteHash(hash uint64) filter.Status {
	delete(f.live, hash)
	return filter.Deleted
}

func (f *fake) QueryHash(hash uint64) bool {
	switch f.wrong {
	case "loses", "refuses":
		return false
	case "shows all":
		return true
	}
	return f.live[hash]
}

func (f *fake) State() filter.State {
	f.looks++
	return filter.State{Rate: float64(f.inserted) / 1000}
}

// planned returns a run that is planned for some traffic.
func planned(t *testing.T, c *Config, traffic *Traffic) *run {
	t.Helper()
	p, err := c.newPlan(traffic)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(c, traffic, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTotals counts what filters do wrong that are known to do so, and when their rates are looked
// at.
func TestTotals(t *testing.T) {
	happened := Endings{}
	for seed := range rounds(40) {
		random := rand.New(rand.NewPCG(seed, 11))
		var packets []capture.Header
		now := time.Duration(0)
		for range 400 {
			now += time.Duration(random.IntN(1000)) * time.Millisecond
			flags := capture.Flags(random.IntN(32))
			packets = append(packets,
				between(uint16(random.IntN(40)), uint16(random.IntN(40)), now, flags))
		}
		limit := 8 << (seed % 4)
		open := stream(io.EOF, packets...)
		c := usual
		c.Samples, c.NonMembers, c.Members, c.Rate = 7, 1, 32*11, 0.0503
		traffic := mustLook(t, open, c.Idle, limit)
		for why, n := range traffic.Endings {
			happened[why] += n
		}
		r := planned(t, &c, traffic)
		kinds := []string{"nothing", "loses", "shows all", "refuses", "nothing"}
		for i, kind := range kinds {
			r.filters[i] = newSubject(kind, &fake{wrong: kind, live: map[uint64]bool{}}, 1)
		}
		mustFollow(t, open, c.Idle, limit, r)
		r.finish()

		ended, sampled := traffic.Flows-traffic.Endings[cut], 0
		for _, s := range r.samples {
			sampled += s.Members
		}
		for i, kind := range kinds {
			want := map[string]Totals{
				"loses":     {FalseNegatives: ended + sampled},
				"shows all": {Known: traffic.Flows, Kept: ended},
				"refuses":   {Refused: traffic.Flows},
			}[kind]
			got := r.filters[i].Totals
			if got.FalseNegatives != want.FalseNegatives || got.Known != want.Known ||
				got.Kept != want.Kept || got.Refused != want.Refused {
				t.Fatalf("seed %d: a filter that does wrong: %s: %+v, want %+v", seed,
					kind, got, want)
			}
			// It is looked at with every eleventh flow, and where the live flows are the most.
			last := traffic.Flows / 11 * 11
			high := got.Worst
			if looked := int(1000*high.Rate + 0.5); looked < last || looked > traffic.Flows {
				t.Fatalf("seed %d: last looked at after %d inserts of %d", seed, looked,
					traffic.Flows)
			}
			looks := r.filters[i].Set.(*fake).looks - c.Samples
			// the peak, if it is not one of the others
			if looks < traffic.Flows/11 || looks > traffic.Flows/11+1 {
				t.Fatalf("seed %d: looked %d times at %d flows", seed, looks, traffic.Flows)
			}
			// The first look above the rate, of 50 inserts and a part: with the 55th, or at the
			// peak before it.
			if first, late := traffic.turnovers(51), traffic.turnovers(55); high.Until < first ||
				high.Until > late {
				t.Fatalf("seed %d: above the rate after %g turnovers, want %g to %g", seed,
					high.Until, first, late)
			}
		}
		if got := r.samples[6].Members; got != traffic.Endings[cut] || r.live.Len() != got {
			t.Fatalf("seed %d: %d live at the end, want the %d that it cuts", seed, got,
				traffic.Endings[cut])
		}
	}
	if min(happened[evicted], happened[idle], happened[cut]) < 20 {
		t.Errorf("%+v: the test shows too little", happened)
	}
}

// TestLooks: rates are looked at where the live flows are the most, and before a table is
// rebuilt, also where no multiple of the members has been inserted.
func TestLooks(t *testing.T) {
	c := usual
	var packets []capture.Header
	for i := range 3000 {
		h := between(uint16(i), 1<<15, time.Duration(i)*100*time.Millisecond, capture.SYN)
		packets = append(packets, h)
	}
	open := stream(io.EOF, packets...)
	traffic := mustLook(t, open, c.Idle, c.Limit)
	for _, peak := range []int{-1, traffic.Peak} {
		with := *traffic
		r := planned(t, &c, &with)
		with.Peak, r.often, c.Samples = peak, min(1<<40, math.MaxInt), 0
		mustFollow(t, open, c.Idle, c.Limit, r)
		for _, f := range r.filters {
			renewed := f.Filter == rebuild || f.Filter == rollingIs
			if looked := f.Worst.Rate > 0; looked != (renewed || peak > 0) {
				t.Errorf("peak of %d: %s was looked at: %v", peak, f.Filter, looked)
			}
		}
	}
}

// TestRunOfDamage: the damage of an input is told, in the report and apart, also where its times
// are wrong.
func TestRunOfDamage(t *testing.T) {
	broken := errors.New("broken")
	report, damage, err := Run(usual, stream(broken, copies(5)...))
	if err != nil || !errors.Is(damage, broken) || report.Damage != "broken" ||
		report.Traffic.Packets.All != 5 {
		t.Errorf("%+v, damage %v, error %v", report, damage, err)
	}
	if _, _, err := Run(usual, func() (capture.Headers, error) { return nil, broken }); !errors.Is(
		err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	var packets []capture.Header
	for i := range 10 {
		packets = append(packets, between(1, 2, time.Duration(i%2)*time.Hour, 0))
	}
	_, damage, err = Run(usual, stream(broken, packets...))
	var untrue *ClockError
	if err != nil || !errors.Is(damage, broken) || !errors.As(damage, &untrue) {
		t.Errorf("damage %v, error %v, want both the broken input and its times", damage, err)
	}
}

// TestProgress tells how many flows were synthesised, from 0 on in two passes.
func TestProgress(t *testing.T) {
	c := usual
	c.Samples, c.NonMembers, c.Synthesis = 1, 1, &Synthesis{Flows: 3000, Density: 1, Seed: 1}
	var reported []int
	c.Progress = func(flows int) { reported = append(reported, flows) }
	var packets []capture.Header
	for i := range 100 {
		packets = append(packets,
			between(uint16(i), 1<<15, time.Duration(i)*time.Second, capture.SYN))
	}
	mustRun(t, c, stream(io.EOF, packets...))
	want := []int{0, 1024, 2048, 0, 1024, 2048}
	if !slices.Equal(reported, want) {
		t.Errorf("told of %v flows, want %v", reported, want)
	}
}
