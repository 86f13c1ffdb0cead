package network

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// traffic is frames of random bytes and lengths, of which some are none, and then an error.
type traffic struct {
	rng  *rand.Rand
	left int
	end  error
}

func (f *traffic) NextFrame() ([]byte, error) {
	if f.left == 0 {
		return nil, f.end
	}
	f.left--
	if f.left%100 == 99 {
		return nil, nil
	}
	frame := make([]byte, headerStart+f.rng.IntN(200))
	for i := range frame {
		frame[i] = byte(f.rng.Uint32())
	}
	return frame, nil
}

var crowded = Config{
	Seed: 1, Nodes: 30, Degree: 4, Receivers: 7, Services: 60, Path: 40, Chain: 18,
}

// simulated runs packets through an engine.
func simulated[B inpacket.Block](
	t *testing.T,
	config Config,
	packets int,
	engine Engine[B],
) *Report {
	t.Helper()
	run, err := New(config, engine)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Process(&traffic{rand.New(rand.NewPCG(1, 2)), packets, io.EOF}); err != nil {
		t.Fatal(err)
	}
	return run.Report("test")
}

// With the strict choice every element is delivered and nothing else is. Without it, on the same
// ways, there are false deliveries of both kinds, and services that are lost.
func TestPolicies(t *testing.T) {
	for _, tables := range []int{1, 8} {
		t.Run(fmt.Sprintf("%d tables", tables), func(t *testing.T) {
			config := crowded
			config.Tables = tables
			r := simulated(t, config, 1500,
				Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 256}))
			if r.Packets != 1500 || r.Framing != 15 || r.Failure() != nil {
				t.Errorf("%d packets, %d without frame, failure %v", r.Packets,
					r.Framing, r.Failure())
			}
			for _, tallies := range [][]Tally{r.Routes, r.Chains} {
				for policy, tally := range tallies {
					if tally.Sent+tally.Refused != 1485 ||
						tally.Delivered+tally.Lost != tally.Elements || tally.Damaged > 0 {
						t.Errorf("%+v", tally)
					}
					if strict := tallies[Strict]; Policy(policy) == Strict &&
						(strict.Wrong+strict.Lost+strict.False+strict.Matches > 0 ||
							strict.Sent == 0) {
						t.Errorf("strict: %+v", strict)
					}
				}
				// Among one candidate there is nothing to choose: what strict refuses is what
				// matches.
				if any, best, strict := tallies[AnyTable], tallies[BestTable],
					tallies[Strict]; any.False == 0 || any.Wrong == 0 || tables == 1 &&
					(best.Wrong != any.Wrong || strict.Refused < any.Wrong) || tables == 8 &&
					strict.Refused > 15 {
					t.Errorf("any %+v\nbest %+v\nstrict %+v", any, best, strict)
				}
			}
			if r.Chains[AnyTable].Lost == 0 || r.Chains[AnyTable].Retained == 0 {
				t.Errorf("chains: %+v: the test shows too little", r.Chains[AnyTable])
			}
			if hops := r.Chains[Strict].Hops; hops != r.Chains[Strict].Sent*crowded.Path {
				t.Errorf("%d hops of chains", hops)
			}
		})
	}
	wide := crowded
	wide.Chain = 36
	if r := simulated(t, wide, 300,
		Engine[kernel.Block512](Model[kernel.Block512]{FillLimit: 512})); r.Failure() != nil ||
		r.BlockBits != 512 || r.Chains[Strict].Sent == 0 {
		t.Errorf("512 bits: %+v", r)
	}
}

// A header over the fill limit is left alone by every engine, and not made by the strict choice.
func TestFillLimit(t *testing.T) {
	config := crowded
	config.FillLimit = 60
	r := simulated(t, config, 200, Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 60}))
	any, strict := r.Chains[AnyTable], r.Chains[Strict]
	if any.Overfull == 0 || any.Delivered != 0 || strict.Sent != 0 || strict.Refused != 198 ||
		r.Failure() != nil {
		t.Errorf("%+v\n%+v", any, strict)
	}
}

// The same seed tells the same story, another one another.
func TestSeeds(t *testing.T) {
	engine := Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 256})
	config := crowded
	config.Packets = 100
	first, second := simulated(t, config, 200, engine), simulated(t, config, 200, engine)
	config.Seed++
	other := simulated(t, config, 200, engine)
	if first.Packets != 100 || !slices.Equal(first.Routes, second.Routes) ||
		!slices.Equal(first.Chains, second.Chains) {
		t.Error("a second run differs")
	}
	if slices.Equal(first.Routes, other.Routes) {
		t.Error("another seed makes the same")
	}
}

// sabotaged is an engine that does one thing wrong.
type sabotaged struct {
	Engine[kernel.Block256]
	spoil func(hop *Hop[kernel.Block256])
	after int
}

func (s *sabotaged) Handle(hops []Hop[kernel.Block256]) error {
	err := s.Engine.Handle(hops)
	if s.after -= len(hops); s.after < 0 && s.after+len(hops) >= 0 && len(hops) > 0 {
		s.spoil(&hops[0])
	}
	return err
}

// The checks find an engine that is wrong once.
func TestSabotage(t *testing.T) {
	config := crowded
	config.Receivers = 1
	for _, test := range []struct {
		name, failure string
		spoil         func(hop *Hop[kernel.Block256])
	}{
		{"a byte outside the field", "a packet changed outside the header, as 1 hops show",
			func(hop *Hop[kernel.Block256]) { hop.Frame[FieldStart-5] ^= 1 }},
		{"a bit of the field", "", func(hop *Hop[kernel.Block256]) { hop.Frame[FieldStart] ^= 1 }},
		{"a status", "", func(hop *Hop[kernel.Block256]) { hop.Status = 2 - hop.Status }},
		{"overfull", "", func(hop *Hop[kernel.Block256]) { hop.Overfull = true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 256})
			checked := &Checked[kernel.Block256]{First: model,
				Second: &sabotaged{model, test.spoil, 4000}}
			r := simulated(t, config, 100, Engine[kernel.Block256](checked))
			if checked.Differences != 1 || checked.Difference == "" || checked.Hops != r.Hops {
				t.Errorf("%d differences in %d hops: %s", checked.Differences, checked.Hops,
					checked.Difference)
			}
			fails(t, r, test.failure)
			r.RTL = &RTLReport{Differences: 1, Difference: checked.Difference}
			fails(t, r, "the RTL differs from Go in 1 hops, first "+checked.Difference)
		})
	}
	wrong := &Report{Chains: make([]Tally, policies)}
	wrong.Chains[AnyTable].Wrong = 1 // without the strict choice
	fails(t, wrong, "")
	wrong.Chains[Strict].Wrong = 2
	fails(t, wrong, "2 packets with a clean header were delivered wrongly")
	wrong.Chains[AnyTable].Damaged = 3
	fails(t, wrong, "a packet changed outside the header, as 3 hops show")
}

// fails fails the test unless a report says this of what went wrong; "" is nothing.
func fails(t *testing.T, r *Report, want string) {
	t.Helper()
	got := ""
	if err := r.Failure(); err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("failure %q, want %q", got, want)
	}
}

// A damaged capture ends, and says why.
func TestDamage(t *testing.T) {
	run, err := New(crowded, Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 256}))
	if err != nil {
		t.Fatal(err)
	}
	damage := errors.New("torn")
	if err := run.Process(&traffic{rand.New(rand.NewPCG(1, 2)), 10, damage}); err != nil ||
		run.damage != damage {
		t.Errorf("%v, damage %v", err, run.damage)
	}
	if r := run.Report("x"); r.Damage != "torn" || r.Packets != 10 {
		t.Errorf("%+v", r)
	}
}

// A random network is connected, its links come in pairs, and a tree is one.
func TestNetwork(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := newNetwork(rng, 2+rng.IntN(50), 2+rng.IntN(5))
		for i, l := range n.links {
			if back := n.links[i^1]; back.from != l.to || back.to != l.from || l.from == l.to {
				t.Fatalf("link %d is %v, its pair %v", i, l, back)
			}
		}
		receivers := rng.Perm(len(n.leave))
		links, nodes := n.tree(receivers[0], receivers[1:])
		if len(nodes) != len(n.leave) || len(links) != len(nodes)-1 {
			t.Fatalf("a tree to all of %d nodes reaches %d over %d links", len(n.leave),
				len(nodes), len(links))
		}
		arrivals := make(map[int]int)
		for _, l := range links {
			arrivals[n.links[l].to]++
		}
		if len(arrivals) != len(links) || arrivals[receivers[0]] != 0 {
			t.Fatalf("arrivals %v", arrivals)
		}
	}
}
