package retouched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
)

var fixed = key.FromBytes([key.Size]byte{7, 7, 7})

// all are the algorithms.
func all() []Algorithm {
	return []Algorithm{
		RandomSelection, MinimumFN, MaximumFP, Ratio, ImprovedMinimumFN, ImprovedMaximumFP, ImprovedRatio, Randomized,
	}
}

func source(hashes []uint64) func(yield func(uint64, error) bool) {
	return filter.Infallible(slices.Values(hashes))
}

func randomHashes(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	return hashes
}

// baseOf returns a filter of one of the kinds with members: bits are rounded to whole blocks where it has these.
func baseOf(t testing.TB, kind, bits, hashes int, members []uint64) Base {
	t.Helper()
	var f interface {
		Base
		filter.Set
	}
	var err error
	n := max(1, len(members))
	perKey := float64(bits) / float64(n)
	switch kind {
	case 0, 1:
		f, err = plain.New(plain.Config{Members: n, BitsPerKey: perKey, Hashes: hashes, Blocked: kind == 1, Key: fixed})
	case 2:
		f, err = deletable.New(deletable.Config{Members: n, BitsPerKey: perKey, Key: fixed})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.InsertHashBatch(members, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// instance is what is retouched.
type instance struct {
	kind, bits, hashes                      int
	members, troublesome, others, protected []uint64
	config                                  Config
}

// falsePositives returns n non-members that are present.
func falsePositives(rng *rand.Rand, f filter.Querier, n int) []uint64 {
	var found []uint64
	for tries := 0; len(found) < n && tries < 1_000_000; tries++ {
		if h := rng.Uint64(); f.QueryHash(h) {
			found = append(found, h)
		}
	}
	return found
}

// check holds an instance to the oracle: the same bits in the same order, the same keys.
func (in *instance) check(t testing.TB) *Report {
	t.Helper()
	f := baseOf(t, in.kind, in.bits, in.hashes, in.members)
	before, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	words := slices.Clone(before.Sections[0].Words)
	c := in.config
	c.Members, c.Troublesome = source(in.members), source(in.troublesome)
	c.Others, c.Protected = source(in.others), source(in.protected)
	g, report, err := New(f, c)
	if err != nil {
		t.Fatal(err)
	}
	shape, _ := shapeOf(f)
	o := &oracle{v: make([]bool, shape.bits), algorithm: c.algorithm(), config: c, random: rand.NewPCG(c.Seed, randomStream)}
	for i := range o.v {
		o.v[i] = words[i/64]>>(i%64)&1 != 0 && shape.data(uint64(i))
	}
	o.protected = make([]bool, len(o.v))
	positions := func(hashes []uint64) (all [][]uint64) {
		for _, h := range hashes {
			all = append(all, f.AppendPositions(nil, h))
		}
		return all
	}
	o.a, o.b, o.others = positions(in.members), positions(in.troublesome), positions(in.others)
	for i, p := range positions(in.protected) {
		if f.QueryHash(in.protected[i]) {
			for _, p := range p {
				o.protected[p] = true
			}
		}
	}
	var were []bool
	for _, b := range o.b {
		were = append(were, o.membershipTest(b))
	}
	o.run()
	if !slices.Equal(o.cleared, report.Cleared) {
		t.Fatalf("%v: %v cleared, want %v", o, report.Cleared, o.cleared)
	}
	var bought, remaining, lost []uint64
	absent, protected := 0, 0
	for i, h := range in.troublesome {
		switch {
		case !were[i]:
			absent++
		case o.membershipTest(o.b[i]):
			remaining = append(remaining, h)
			if !slices.ContainsFunc(o.b[i], func(p uint64) bool { return !o.protected[p] }) {
				protected++
			}
		default:
			bought = append(bought, h)
		}
		if g.QueryHash(h) != o.membershipTest(o.b[i]) {
			t.Fatalf("%v: present %v", o, g.QueryHash(h))
		}
	}
	for i, h := range in.members {
		if !o.membershipTest(o.a[i]) {
			lost = append(lost, h)
		}
		if g.QueryHash(h) != o.membershipTest(o.a[i]) {
			t.Fatalf("%v: a member is present: %v", o, g.QueryHash(h))
		}
	}
	if !slices.Equal(bought, report.BoughtOff) || !slices.Equal(remaining, report.Remaining) || absent != report.Absent ||
		protected != report.Protected || !slices.Equal(lost, report.Lost.Hashes) || report.Members != len(in.members) ||
		report.Lost.Members != float64(len(lost)) || report.Lost.Error != 0 || report.Algorithm != o.algorithm {
		t.Fatalf("%v: %+v; want bought off %v, remaining %v, %d absent, %d protected, lost %v", o, report, bought, remaining,
			absent, protected, lost)
	}
	others, gone := 0, 0
	for i, h := range in.others {
		if f.QueryHash(h) {
			if others++; !o.membershipTest(o.others[i]) {
				gone++
			}
		}
	}
	if others != report.Others || gone != report.OthersGone {
		t.Fatalf("%v: %d of %d others are gone, want %d of %d", o, report.OthersGone, report.Others, gone, others)
	}
	if g.Cleared() != len(o.cleared) || g.Lost() != len(lost) {
		t.Fatalf("%v: %d bits and %d members, want %d and %d", o, g.Cleared(), g.Lost(), len(o.cleared), len(lost))
	}
	for _, h := range in.protected {
		if f.QueryHash(h) && !g.QueryHash(h) {
			t.Fatalf("%v: a protected member is lost", o)
		}
	}
	after, err := f.Contents()
	if err != nil || !slices.Equal(after.Sections[0].Words, words) {
		t.Fatalf("%v: the filter itself changed (%v)", o, err)
	}
	return report
}

// random returns an instance.
func random(t testing.TB, rng *rand.Rand) *instance {
	t.Helper()
	in := &instance{kind: rng.IntN(3), hashes: 1 + rng.IntN(6), bits: 40 + rng.IntN(1200)}
	in.members = randomHashes(rng, 1+rng.IntN(1+in.bits/6))
	f := baseOf(t, in.kind, in.bits, in.hashes, in.members)
	in.troublesome = falsePositives(rng, f, rng.IntN(60))
	in.troublesome = append(in.troublesome, randomHashes(rng, rng.IntN(4))...)
	if rng.IntN(4) == 0 { // a member is troublesome, and a key is there twice
		in.troublesome = append(in.troublesome, in.members[0])
		in.troublesome = append(in.troublesome, in.troublesome[rng.IntN(len(in.troublesome))])
	}
	rng.Shuffle(len(in.troublesome), func(i, j int) {
		in.troublesome[i], in.troublesome[j] = in.troublesome[j], in.troublesome[i]
	})
	if rng.IntN(3) == 0 {
		in.others = append(falsePositives(rng, f, rng.IntN(100)), randomHashes(rng, 3)...)
	}
	if rng.IntN(2) == 0 {
		in.protected = in.members[:rng.IntN(len(in.members)/4+1)]
	}
	in.config = Config{Algorithm: Algorithm(rng.IntN(9)), Seed: rng.Uint64()}
	switch rng.IntN(4) {
	case 0:
		in.config.Budget = rng.IntN(20) - 1
	case 1:
		in.config.Target = 1 + rng.IntN(20)
	case 2:
		in.config.Bits = 1 + rng.IntN(20)
	}
	return in
}

// Every algorithm, over every kind of filter and with every limit, clears the bits that the paper's listings clear.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	instances := 3000
	if testing.Short() {
		instances = 600
	}
	seen := map[string]int{}
	for range instances {
		in := random(t, rng)
		if in.config.Algorithm == Randomized && len(in.troublesome) == 0 && in.config.Bits == 0 {
			continue
		}
		r := in.check(t)
		seen[r.Algorithm.String()]++
		for name, is := range map[string]bool{
			"cleared": len(r.Cleared) > 0, "remaining": len(r.Remaining) > 0, "protected": r.Protected > 0,
			"lost": len(r.Lost.Hashes) > 0, "absent": r.Absent > 0, "others": r.OthersGone > 0, "budget": in.config.Budget == len(r.Lost.Hashes) && len(r.Remaining) > 0,
			"target":         in.config.Target > 0 && len(r.BoughtOff) >= in.config.Target && len(r.Remaining) > 0,
			"bits":           in.config.Bits > 0 && len(r.Cleared) == in.config.Bits,
			"no loss at all": in.config.Budget == None && len(r.Cleared) > 0,
		} {
			if is {
				seen[name]++
			}
		}
	}
	t.Log(seen)
	for _, a := range all() {
		if seen[a.String()] < 20 {
			t.Errorf("%v: %d instances", a, seen[a.String()])
		}
	}
	if len(seen) != len(all())+9 && len(seen) != len(all())+10 {
		t.Errorf("some cases never came: %v", seen)
	}
}

// The paper's setting: 10,000 members in 100,000 bits, k = 5.
func TestPaperSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	members := randomHashes(rng, 10_000)
	f := baseOf(t, 0, 100_000, 5, members)
	troublesome := falsePositives(rng, f, 4700)
	for _, a := range all()[:7] {
		g, report, err := New(f, Config{Algorithm: a, Members: source(members), Troublesome: source(troublesome)})
		if err != nil {
			t.Fatal(err)
		}
		if n := g.QueryHashBatch(troublesome, nil); n != 0 || len(report.BoughtOff) != len(troublesome) {
			t.Errorf("%v: %d are present", a, n)
		}
		if n := g.QueryHashBatch(members, nil); n != len(members)-len(report.Lost.Hashes) {
			t.Errorf("%v: %d members are present, %d lost", a, n, len(report.Lost.Hashes))
		}
		t.Logf("%v: %d bits, %d lost, rate %.5f", a, len(report.Cleared), len(report.Lost.Hashes), g.State().Rate)
	}
}
