package xdp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// judge is the rules of the program in Go, on exact sets.
type judge struct {
	options Options
	lists   [lists]map[netip.Prefix]bool
	counts  Counts
}

func newJudge(options Options) *judge {
	j := &judge{options: options}
	for list := range j.lists {
		j.lists[list] = map[netip.Prefix]bool{}
	}
	return j
}

func (j *judge) has(list List, a netip.Addr) bool {
	for bits := range a.BitLen() + 1 {
		if j.lists[list][netip.PrefixFrom(a, bits).Masked()] {
			return true
		}
	}
	return false
}

// drops counts a frame, and reports whether it falls.
func (j *judge) drops(frame []byte) bool {
	p := Parse(frame)
	address, peer := p.Source, p.Destination
	if j.options.Side == Destination {
		address, peer = peer, address
	}
	count, falls := &j.counts.Passed, false
	switch {
	case address.IsValid() && j.has(Deny, address):
		count, falls = &j.counts.Denied, true
	case p.Fault == Fragment:
		count, falls = &j.counts.Fragments, j.options.DropFragments
	case p.Fault == Malformed:
		count, falls = &j.counts.Malformed, j.options.DropMalformed
	case !address.IsValid():
		count = &j.counts.Other
	}
	if address.IsValid() && count != &j.counts.Denied && j.options.Learn && j.has(Trap, peer) &&
		!j.has(NeverDeny, address) {
		j.counts.Learned++
	}
	if address.IsValid() && falls && j.has(NeverDeny, address) {
		count, falls = &j.counts.Spared, false
	}
	count.Packets++
	count.Bytes += uint64(len(frame))
	return falls && j.options.Mode != ReportOnly
}

// subject is a program beside a judge, with the same lists.
type subject struct {
	*Program
	*judge
}

// newSubject loads a program. Its lists have addresses of the frames, and prefixes of others.
func newSubject(tb testing.TB, options Options, rate float64, frames [][]byte) *subject {
	tb.Helper()
	rng := rand.New(rand.NewPCG(35, 4))
	p := load(tb, options)
	s := &subject{p, newJudge(p.Options())}
	addresses := map[netip.Addr]bool{}
	var ordered []netip.Addr
	for _, f := range frames {
		p := Parse(f)
		for _, a := range []netip.Addr{p.Source, p.Destination} {
			if a.IsValid() && !addresses[a] {
				addresses[a] = true
				ordered = append(ordered, a)
			}
		}
	}
	for list := range lists {
		members := s.lists[list]
		for _, a := range ordered {
			// One of the lengths that are looked up in filters, or any other.
			bits := 16 + rng.IntN(a.BitLen()-15)
			lengths := p.options.Lengths.IPv6
			if a.Is4() {
				lengths = p.options.Lengths.IPv4
			}
			if rng.IntN(2) == 0 {
				bits = lengths[rng.IntN(len(lengths))]
			}
			// A long prefix has the address alone. A short one would have all of them.
			if bits >= 16 && rng.IntN(4) == 0 {
				members[netip.PrefixFrom(a, bits).Masked()] = true
			}
		}
		for i := range uint32(300) { // and others, which are in no frame
			a := netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)})
			members[one(a)] = true
		}
		t, err := p.NewTable(deletable.Config{Members: len(members), Rate: rate,
			Key: keytest.Sip(35, byte(list))})
		if err != nil {
			tb.Fatal(err)
		}
		defer func() { // the program keeps it
			if err := t.Close(); err != nil {
				tb.Error(err)
			}
		}()
		for member := range members {
			if err := t.Insert(member); err != nil {
				tb.Fatal(err)
			}
		}
		if err := p.Replace(list, t); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// check compares the counters, and returns those of the program.
func (s *subject) check(tb testing.TB) Counts {
	tb.Helper()
	got, err := s.Counts()
	if err != nil {
		tb.Fatal(err)
	}
	cleared := got.Cleared
	got.Cleared = 0
	// nobody reads the ring
	got.Learned, got.Unlearned = got.Learned+got.Unlearned, 0
	if got != s.counts {
		tb.Errorf("the program has counted %+v, want %+v", got, s.counts)
	}
	got.Cleared = cleared
	return got
}

// variants are options of which each occurs, and prefix lengths that are in frames.
func variants() []Options {
	short := Lengths{IPv4: []int{32, 24, 16}, IPv6: []int{128, 64, 10}}
	return []Options{
		{},
		{Lengths: short, DropFragments: true, Learn: true},
		{Side: Destination, Lengths: short, DropMalformed: true, Learn: true},
		{Mode: ReportOnly, Lengths: short, DropFragments: true, DropMalformed: true},
		{Mode: Exact, Lengths: short, DropFragments: true, DropMalformed: true, Learn: true,
			FilterIPv4: true},
		{Mode: Exact, Side: Destination, Lengths: all, FilterIPv4: true},
		{Mode: Exact, Side: Destination, Learn: true},
		{Hook: Ingress, Lengths: short, DropFragments: true, DropMalformed: true, Learn: true},
		{Hook: Egress, Mode: Exact, Side: Destination, Lengths: short, DropFragments: true},
	}
}

// sample returns up to most frames of each capture, and after each that frame damaged, and a frame
// with extension headers, which is damaged too.
func sample(t *testing.T, rng *rand.Rand, most int) (sent [][]byte) {
	for _, name := range captures {
		all := frames(t, name)
		n := min(len(all), most)
		for i := range n {
			frame := all[i*len(all)/n]
			sent = append(sent, frame, damaged(rng, frame), damaged(rng, extended(rng)))
		}
	}
	return sent
}

// rateOf is the rate of filters in tests. In the mode Exact the set has to correct three in ten of
// their answers.
func rateOf(mode Mode) float64 {
	if mode == Exact {
		return 0.3
	}
	return 1e-6
}

// Of captured frames and of damaged ones each falls or passes as exact sets say, and is counted. In
// the mode Exact that holds beside filters of which every third answer is wrong.
func TestVerdicts(t *testing.T) {
	for i, options := range variants() {
		t.Run(fmt.Sprintf("%+v", options), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(35, uint64(i)))
			sent, rate := sample(t, rng, 400), rateOf(options.Mode)
			s := newSubject(t, options, rate, sent)
			for _, frame := range sent {
				const header = 54 // the kernel runs programs of traffic control on no cut header
				if options.Hook != XDP && len(frame) < header {
					frame = append(slices.Clone(frame), make([]byte, header-len(frame))...)
				}
				if got, want := s.run(t, frame), s.drops(frame); got != want {
					t.Fatalf("%x: dropped %v, want %v", frame, got, want)
				}
			}
			c := s.check(t)
			if min(c.Denied.Packets, c.Passed.Packets, c.Spared.Packets, c.Fragments.Packets,
				c.Malformed.Packets, c.Other.Packets) < 10 {
				t.Errorf("%+v: want more of each", c)
			}
			if (options.Mode == Exact && options.FilterIPv4) != (c.Cleared > 100) {
				t.Errorf("%d answers are corrected", c.Cleared)
			}
			if options.Learn != (c.Learned+c.Unlearned > 50) {
				t.Errorf("%d addresses are learned, and %d missed", c.Learned, c.Unlearned)
			}
		})
	}
}
