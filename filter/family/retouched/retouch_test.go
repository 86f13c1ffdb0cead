package retouched

import (
	"cmp"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var errSource = errors.New("the source ended")

var fixed = keytest.Key(7, 7, 7)

// all are the algorithms.
func all() []Algorithm {
	return []Algorithm{
		RandomSelection, MinimumFN, MaximumFP, Ratio, ImprovedMinimumFN, ImprovedMaximumFP,
		ImprovedRatio, Randomized,
	}
}

func source(hashes []uint64) func(yield func(uint64, error) bool) {
	return filter.Infallible(slices.Values(hashes))
}

// baseOf returns a filter of one of the kinds with members: bits are rounded to whole blocks where
// it has these.
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
		f, err = plain.New(plain.Config{Members: n, BitsPerKey: perKey, Hashes: hashes,
			Blocked: kind == 1, Key: fixed})
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

// oracleOf returns the oracle of what New is given.
func oracleOf(
	t testing.TB,
	f Base,
	c Config,
	members, troublesome, others, protected []uint64,
) *oracle {
	t.Helper()
	size, err := layoutOf(f)
	if err != nil {
		t.Fatal(err)
	}
	words, alive, err := wordsOf(f)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.KeepAlive(alive)
	o := &oracle{
		v: make([]bool, 64*len(words)), protected: make([]bool, 64*len(words)),
		algorithm: cmp.Or(c.Algorithm, ImprovedRatio), config: c, random: rand.NewPCG(c.Seed, randomStream),
	}
	for i := range o.v {
		o.v[i] = words[i/64]>>(i%64)&1 != 0 && size.data(uint64(i))
	}
	positions := func(hashes []uint64) (all [][]uint64) {
		for _, h := range hashes {
			all = append(all, f.AppendPositions(nil, h))
		}
		return all
	}
	o.a, o.b, o.others = positions(members), positions(troublesome), positions(others)
	for _, all := range positions(protected) {
		for _, p := range all {
			o.protected[p] = true
		}
	}
	return o
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
	for tries := 0; len(found) < n && tries < 1000*n; tries++ {
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
	o := oracleOf(t, f, c, in.members, in.troublesome, in.others, in.protected)
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
	if !slices.Equal(bought, report.BoughtOff) || !slices.Equal(remaining, report.Remaining) ||
		absent != report.Absent || protected != report.Protected ||
		!slices.Equal(lost, report.Lost) || report.Members != len(in.members) ||
		report.Algorithm != o.algorithm {
		t.Fatalf("%v: %+v; want bought off %v, remaining %v, %d absent, %d protected, lost %v", o,
			report, bought, remaining, absent, protected, lost)
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
		t.Fatalf("%v: %d of %d others are gone, want %d of %d", o, report.OthersGone,
			report.Others, gone, others)
	}
	if g.Cleared() != len(o.cleared) || g.Lost() != len(lost) {
		t.Fatalf("%v: %d bits and %d members, want %d and %d", o, g.Cleared(), g.Lost(),
			len(o.cleared), len(lost))
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

// instanceOf returns the instance of numbers, each of which may be any.
func instanceOf(
	t testing.TB,
	seed uint64,
	kind, algorithm, hashes uint8,
	bits uint16,
	members, troublesome, others, protected uint8,
	budget int8,
	target, cleared uint8,
) *instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	in := &instance{kind: int(kind % 3), hashes: 1 + int(hashes%8), bits: 1 + int(bits%2048)}
	in.members = workload.Hashes(rng, int(members))
	f := baseOf(t, in.kind, in.bits, in.hashes, in.members)
	in.troublesome = append(falsePositives(rng, f, int(troublesome%64)),
		workload.Hashes(rng, int(troublesome%3))...)
	if seed%4 == 0 && members > 0 { // a member is troublesome, and a key is there twice
		in.troublesome = append(in.troublesome, in.members[0])
		in.troublesome = append(in.troublesome, in.troublesome[rng.IntN(len(in.troublesome))])
	}
	rng.Shuffle(len(in.troublesome), func(i, j int) {
		in.troublesome[i], in.troublesome[j] = in.troublesome[j], in.troublesome[i]
	})
	if others > 0 {
		in.others = append(falsePositives(rng, f, int(others%128)), workload.Hashes(rng, 3)...)
	}
	in.protected = in.members[:min(len(in.members), int(protected))]
	in.config = Config{
		Algorithm: Algorithm(algorithm % 9), Seed: seed, Budget: max(None, int(budget)),
		Target: int(target), Bits: int(cleared),
	}
	return in
}

// Every algorithm, over every kind of filter and with every limit, clears the bits that the paper's
// listings clear.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	instances := 3000
	if testing.Short() {
		instances = 600
	}
	seen := map[string]int{}
	sometimes := func(n int) uint8 {
		if rng.IntN(4) > 0 {
			return 0
		}
		return uint8(rng.IntN(n))
	}
	for range instances {
		bits := 40 + rng.IntN(1200)
		in := instanceOf(t, rng.Uint64(), uint8(rng.Uint32()), uint8(rng.Uint32()),
			uint8(rng.IntN(6)), uint16(bits), uint8(1+rng.IntN(bits/6)), uint8(rng.IntN(60)),
			sometimes(100), sometimes(40), []int8{0, 0, 0, None, int8(rng.IntN(20))}[rng.IntN(5)],
			sometimes(20), sometimes(20))
		r := in.check(t)
		seen[r.Algorithm.String()]++
		for name, is := range map[string]bool{
			"cleared": len(r.Cleared) > 0, "remaining": len(r.Remaining) > 0,
			"protected": r.Protected > 0,
			"lost":      len(r.Lost) > 0, "absent": r.Absent > 0, "others": r.OthersGone > 0,
			"budget": in.config.Budget > 0 && in.config.Budget == len(r.Lost) &&
				len(r.Remaining) > 0,
			"target": in.config.Target > 0 && len(r.BoughtOff) >= in.config.Target &&
				len(r.Remaining) > 0,
			"bits": in.config.Bits > 0 && len(r.Cleared) == in.config.Bits,
			"none": in.config.Budget == None && len(r.Remaining) > 0 && len(r.Lost) == 0,
		} {
			if is {
				seen[name]++
			}
		}
	}
	t.Log(seen)
	for _, name := range []string{"cleared", "remaining", "protected", "lost", "absent", "others",
		"budget", "target", "bits", "none"} {
		if seen[name] < 10 {
			t.Errorf("%s: %d instances", name, seen[name])
		}
	}
	for _, a := range all() {
		if seen[a.String()] < 20 {
			t.Errorf("%v: %d instances", a, seen[a.String()])
		}
	}
}

// FuzzRetouch holds instances of any numbers to the oracle.
func FuzzRetouch(f *testing.F) {
	f.Fuzz(func(
		t *testing.T,
		seed uint64,
		kind, algorithm, hashes uint8,
		bits uint16,
		members, troublesome, others, protected uint8,
		budget int8,
		target, cleared uint8,
	) {
		instanceOf(t, seed, kind, algorithm, hashes, bits, members, troublesome, others, protected,
			budget, target, cleared).check(t)
	})
}

// The paper's setting: 10,000 members in 100,000 bits, k = 5.
func TestPaperSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	members := workload.Hashes(rng, 10_000)
	f := baseOf(t, 0, 100_000, 5, members)
	troublesome := falsePositives(rng, f, 4700)
	for _, a := range all()[:7] {
		g, report, err := New(f, Config{Algorithm: a, Members: source(members),
			Troublesome: source(troublesome)})
		if err != nil {
			t.Fatal(err)
		}
		if n := g.QueryHashBatch(troublesome, nil); n != 0 ||
			len(report.BoughtOff) != len(troublesome) {
			t.Errorf("%v: %d are present", a, n)
		}
		if n := g.QueryHashBatch(members, nil); n != len(members)-len(report.Lost) {
			t.Errorf("%v: %d members are present, %d lost", a, n, len(report.Lost))
		}
		t.Logf("%v: %d bits, %d lost, rate %.5f", a, len(report.Cleared), len(report.Lost),
			g.State().Rate)
	}
}

// failing yields n hashes and then an error.
func failing(n int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for range n {
			if !yield(0, nil) {
				return
			}
		}
		yield(0, errSource)
	}
}

// If a source fails at its start, within a chunk, between two chunks or after many, there is no
// filter and no report, and the given filter does not change.
func TestSourcesFail(t *testing.T) {
	for kind := range 3 {
		f := baseOf(t, kind, 4000, 5, []uint64{0})
		before, err := f.Contents()
		if err != nil {
			t.Fatal(err)
		}
		words := slices.Clone(before.Sections[0].Words)
		for _, n := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3*chunk + 5} {
			for name, set := range map[string]func(*Config){
				"members":               func(c *Config) { c.Members = failing(n) },
				"troublesome keys":      func(c *Config) { c.Troublesome = failing(n) },
				"protected members":     func(c *Config) { c.Protected = failing(n) },
				"other false positives": func(c *Config) { c.Others = failing(n) },
			} {
				none := source(nil)
				c := Config{Members: none, Troublesome: source([]uint64{0}),
					Protected: none, Others: none}
				set(&c)
				g, r, err := New(f, c)
				if g != nil || r != nil || !errors.Is(err, errSource) ||
					!strings.Contains(err.Error(), name) {
					t.Errorf("%s, after %d: %v, %v (%v)", name, n, g, r, err)
				}
			}
		}
		if after, err := f.Contents(); err != nil || !slices.Equal(after.Sections[0].Words,
			words) || !f.QueryHash(0) {
			t.Errorf("kind %d: the filter changed (%v)", kind, err)
		}
	}
}

// An error of a source of keys comes with no key: there is nothing to hash.
func TestHashesOfASourceThatFails(t *testing.T) {
	keys := func(yield func([]byte, error) bool) { yield(nil, errSource) }
	for _, err := range filter.Hashes(keys, func([]byte) uint64 { panic("hashed") }) {
		if !errors.Is(err, errSource) {
			t.Error(err)
		}
	}
}

// Members without a bit of a troublesome key cannot be lost. They are counted, and need no memory.
func TestWhatIsKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	members := workload.Hashes(rng, 5000)
	f := baseOf(t, 0, 50_000, 5, members)
	w := &work{base: f, index: index{most: most}}
	w.config = Config{Members: source(members), Troublesome: source(falsePositives(rng, f, 10)),
		Others: source(members)}
	if err := w.read(); err != nil {
		t.Fatal(err)
	}
	touched := 0
	for _, hash := range members {
		if slices.ContainsFunc(f.AppendPositions(nil, hash),
			func(p uint64) bool { _, marked := w.index.id(p); return marked }) {
			touched++
		}
	}
	if w.all != 5000 || len(w.members.hashes) != touched ||
		len(w.troublesome.hashes) != 10+touched || w.index.count > 50 || touched == 0 {
		t.Errorf("%d members of %d are kept, of whom %d can be lost", len(w.members.hashes),
			w.all, touched)
	}
}

// Members that are not present are refused: a list for another filter would say that nothing is
// lost.
func TestAbsentMembers(t *testing.T) {
	members := workload.Hashes(rand.New(rand.NewPCG(11, 11)), 100)
	f := baseOf(t, 0, 5000, 5, members[:98])
	for name, c := range map[string]Config{
		"members":           {Members: source(members)},
		"protected members": {Members: source(members[:98]), Protected: source(members)},
	} {
		c.Troublesome = source(nil)
		var absent *AbsentError
		if g, r, err := New(f, c); g != nil || r != nil || !errors.As(err, &absent) ||
			*absent != (AbsentError{name, 2, 100}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	f := baseOf(t, 0, 1000, 5, nil)
	none := source(nil)
	for field, all := range map[string][]Config{
		"Algorithm": {{Algorithm: -1, Members: none, Troublesome: none},
			{Algorithm: 9, Members: none, Troublesome: none}},
		"Members": {{Troublesome: none}},
		"Budget":  {{Members: none, Troublesome: none, Budget: -2}},
		"Target":  {{Members: none, Troublesome: none, Target: -1}},
		"Bits":    {{Members: none, Troublesome: none, Bits: -1}},
		"Troublesome": {{Members: none}, {Members: none, Bits: 5},
			{Members: none, Algorithm: Randomized}},
	} {
		for _, c := range all {
			var wrong *filter.SizingError
			if g, r, err := New(f, c); g != nil || r != nil || !errors.As(err, &wrong) ||
				wrong.Field != field || wrong.Kind != kindName {
				t.Errorf("%s: %v", field, err)
			}
		}
	}
	good := Config{Members: none, Troublesome: none}
	counted, err := counting.New(counting.Config{Members: 10, BitsPerKey: 16})
	if err != nil {
		t.Fatal(err)
	}
	for name, base := range map[string]Base{"nil": nil, "another": notBase{counted}} {
		var wrong *filter.SizingError
		if _, _, err := New(base, good); !errors.As(err, &wrong) || wrong.Field != "Base" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := New(f, good); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("a closed filter: %v", err)
	}
}

// notBase is a filter that is not known here.
type notBase struct{ *counting.Filter }

func (notBase) AppendPositions(p []uint64, _ uint64) []uint64 { return p }
func (notBase) ClearBits([]uint64)                            {}

// Each algorithm has a name of its own, and the zero Algorithm is the best that the members allow.
func TestAlgorithms(t *testing.T) {
	names := map[string]bool{}
	for _, a := range append(all(), 0, 9) {
		names[a.String()] = true
	}
	if len(names) != 10 || Ratio != 4 || ImprovedRatio != 7 {
		t.Errorf("%d names", len(names))
	}
	_, r, err := New(baseOf(t, 0, 1000, 5, nil),
		Config{Members: source(nil), Troublesome: source(nil)})
	if err != nil || r.Algorithm != ImprovedRatio {
		t.Errorf("%v without a name (%v)", r, err)
	}
}

// Protected members take precedence: keys that only their bits could buy off remain and are
// counted, and neither a target nor a budget changes that.
func TestProtection(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for kind := range 3 {
		members := workload.Hashes(rng, 500)
		f := baseOf(t, kind, 2500, 4, members)
		for _, a := range all() {
			troublesome := append(falsePositives(rng, f, 100), members[:5]...)
			c := Config{
				Algorithm: a, Members: source(members), Troublesome: source(troublesome),
				Protected: source(members), Target: 50, Budget: 100, Bits: 100,
			}
			g, r, err := New(f, c)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Cleared) != 0 || r.Protected != 105 || len(r.Remaining) != 105 ||
				g.QueryHashBatch(members, nil) != 500 {
				t.Errorf("kind %d, %v: %+v", kind, a, r)
			}
			c.Protected, c.Target, c.Budget, c.Bits = source(members[:250]), 0, 0, 0
			if g, r, err = New(f, c); err != nil {
				t.Fatal(err)
			}
			if g.QueryHashBatch(members[:250], nil) != 250 || len(r.Remaining) != r.Protected ||
				r.Protected < 5 || len(r.BoughtOff) < 20 {
				t.Errorf("kind %d, %v: %d bought off, %d remain, %d of them protected", kind, a,
					len(r.BoughtOff), len(r.Remaining), r.Protected)
			}
		}
	}
}

// Two filters are retouched at the same time from one that does not change, and equal seeds give
// equal results: for the race detector.
func TestConcurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	members := workload.Hashes(rng, 2000)
	f := baseOf(t, 1, 20_000, 5, members)
	troublesome := falsePositives(rng, f, 200)
	var made [4]*Report
	var running sync.WaitGroup
	for i := range made {
		running.Go(func() {
			_, r, err := New(f, Config{
				Algorithm: RandomSelection, Members: source(members),
				Troublesome: source(troublesome), Seed: uint64(i % 2),
			})
			if err != nil {
				t.Error(err)
			}
			made[i] = r
		})
	}
	running.Wait()
	if !slices.Equal(made[0].Cleared, made[2].Cleared) ||
		slices.Equal(made[0].Cleared, made[1].Cleared) {
		t.Error("the seed does not say what is cleared")
	}
}

// A hundred times the paper's size.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	members, candidates := workload.Hashes(rng, 1_000_000), workload.Hashes(rng, 10_000_000)
	f := baseOf(t, 0, 10_000_000, 5, members)
	found := f.QueryHashBatch(candidates, nil)
	g, r, err := New(f, Config{Members: source(members), Troublesome: source(candidates),
		Protected: source(members[:1000])})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.BoughtOff)+len(r.Remaining) != found || r.Absent != len(candidates)-found ||
		len(r.Remaining) != r.Protected {
		t.Errorf("%d bought off and %d remaining of %d, %d protected", len(r.BoughtOff),
			len(r.Remaining), found, r.Protected)
	}
	if n := g.QueryHashBatch(candidates, nil); n != len(r.Remaining) {
		t.Errorf("%d candidates are present, want %d", n, len(r.Remaining))
	}
	if n := g.QueryHashBatch(members, nil); n != len(members)-len(r.Lost) ||
		g.QueryHashBatch(members[:1000], nil) != 1000 {
		t.Errorf("%d members are present, and %d were lost", n, len(r.Lost))
	}
}

// More bits of keys than can be numbered are refused: of the filter, of troublesome keys, of others
// and of members.
func TestTooMany(t *testing.T) {
	members := workload.Hashes(rand.New(rand.NewPCG(15, 15)), 100)
	f := baseOf(t, 0, 1000, 4, members)
	layout, err := layoutOf(f)
	if err != nil {
		t.Fatal(err)
	}
	short := source(members[:20])
	for _, test := range []struct {
		most      uint64
		algorithm Algorithm
		config    Config
	}{
		{79, RandomSelection, Config{Members: short, Troublesome: short}},
		{79, RandomSelection, Config{Members: source(nil), Troublesome: short}},
		{99, RandomSelection, Config{Members: source(members), Troublesome: short}},
		{99, RandomSelection, Config{Members: short, Troublesome: short, Others: short}},
		{300, Randomized, Config{Members: source(nil), Troublesome: source(nil)}},
	} {
		w := &work{base: f, layout: layout, algorithm: test.algorithm, config: test.config,
			index: index{most: test.most}}
		var many *TooManyError
		if err := w.read(); !errors.As(err, &many) || many.Most != int(test.most) {
			t.Errorf("%d: %v", test.most, err)
		}
		w = &work{base: f, layout: layout, algorithm: test.algorithm, config: test.config,
			index: index{most: 400}}
		if err := w.read(); err != nil {
			t.Errorf("400: %v", err)
		}
	}
}
