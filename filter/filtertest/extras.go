package filtertest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The filters of a kind can do what the kind promises, and their files list the promises.
func promises(t *testing.T, s *subject) {
	f := s.sample(t)
	_, deletes := f.(filter.Deleter)
	_, counts := f.(filter.Counter)
	_, grows := f.(filter.Grower)
	for _, p := range []struct {
		promise base.Promise
		can     bool
	}{{base.Deletes, deletes}, {base.Counts, counts || !s.promises(base.Counts)},
		{base.Grows, grows}} {
		if s.promises(p.promise) != p.can && p.promise != base.Counts || !p.can &&
			s.promises(p.promise) {
			t.Errorf("%v: promised %v, there are methods for it: %v", p.promise,
				s.promises(p.promise), p.can)
		}
	}
	for p := base.Promise(1); p <= base.KeepsRate; p <<= 1 {
		if said := strings.Contains(s.kind.Promises.String(), p.String()); said != s.promises(p) {
			t.Errorf("%v: promised %v, in words: %v", p, s.promises(p), s.kind.Promises)
		}
	}
	if s.promises(base.MergesExactly) && s.merge == nil {
		t.Error("merges exactly, and has no Merge")
	}
	c, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != s.kind.Name || c.Promises != uint64(s.kind.Promises) ||
		c.Key != s.key.Identity() {
		t.Errorf("the file is of a %s filter with promises %#x and a %v", c.Kind,
			c.Promises, c.Key)
	}
	if s.kind.Name == "" || s.kind.Source == "" {
		t.Error("no name, or no source")
	}
	if !f.Key().Equal(s.key) || f.Closed() {
		t.Error("a filter has another key than was asked for, or is closed")
	}
	if _, ok := f.(keyedQuerier); !ok {
		t.Fatal("no queries of keys: embed filter.Keyed")
	}
	_, set := f.(filter.Set)
	if _, keyed := f.(keyedSet); keyed != set {
		t.Errorf("inserts of keys: %v, of hashes: %v", keyed, set)
	}
	if _, keyed := f.(keyedCounter); keyed != counts {
		t.Errorf("adds and counts of keys: %v, of hashes: %v", keyed, counts)
	}
	if _, keyed := f.(keyedDeleter); keyed != deletes {
		t.Errorf("deletes of keys: %v, of hashes: %v", keyed, deletes)
	}
}

// A sizing that makes no sense is an error, before memory is allocated.
func sizing(t *testing.T, s *subject) {
	nan, inf := math.NaN(), math.Inf(1)
	const many = "Members BitsPerKey Rate" // what is too much depends on the kind
	for _, bad := range []struct {
		field string // some of the fields
		filter.Sizing
	}{
		{"Members BitsPerKey", filter.Sizing{}}, {"Members", filter.Sizing{BitsPerKey: 16}},
		{"Members", filter.Sizing{Members: -1, BitsPerKey: 16}},
		{"Members", filter.Sizing{Members: math.MinInt, BitsPerKey: 16}},
		{"Members", filter.Sizing{Rate: 0.01}},
		{"BitsPerKey Rate", filter.Sizing{Members: 100}},
		{"BitsPerKey", filter.Sizing{Members: 100, BitsPerKey: 16, Rate: 0.01}},
		{"BitsPerKey", filter.Sizing{Members: 100, BitsPerKey: nan}},
		{"BitsPerKey", filter.Sizing{Members: 100, BitsPerKey: -1}},
		{"BitsPerKey", filter.Sizing{Members: 100, BitsPerKey: inf}},
		{"BitsPerKey", filter.Sizing{Members: 100, BitsPerKey: -inf}},
		{"BitsPerKey", filter.Sizing{Members: 100, BitsPerKey: 1e300}},
		{many, filter.Sizing{Members: math.MaxInt, BitsPerKey: 16}},
		{many, filter.Sizing{Members: min(1<<40, math.MaxInt), BitsPerKey: 1 << 20}},
		{"Rate", filter.Sizing{Members: 100, Rate: nan}},
		{"Rate", filter.Sizing{Members: 100, Rate: -0.01}},
		{"Rate", filter.Sizing{Members: 100, Rate: 1}},
		{"Rate", filter.Sizing{Members: 100, Rate: 2}},
		{"Rate", filter.Sizing{Members: 100, Rate: inf}},
		{many, filter.Sizing{Members: math.MaxInt, Rate: 0.01}},
		{"BitsPerKey", filter.Sizing{Members: 100, Rate: 0.01, BitsPerKey: nan}},
		{"Key", filter.Sizing{Members: 100, BitsPerKey: 16, Key: key.Unknown()}},
		{"Turnovers", filter.Sizing{Members: 100, BitsPerKey: 16, Turnovers: -1}},
		{"Turnovers", filter.Sizing{Members: 100, BitsPerKey: 16, Turnovers: nan}},
		{"Turnovers", filter.Sizing{Members: 100, BitsPerKey: 16, Turnovers: inf}},
		{"Turnovers", filter.Sizing{Members: 100, Rate: 0.01, Turnovers: nan}},
	} {
		f, err := s.kind.New(bad.Sizing)
		var e *filter.SizingError
		if f != nil || !errors.As(err, &e) || e.Kind != s.kind.Name ||
			!slices.Contains(strings.Fields(bad.field), e.Field) || e.Expected == "" ||
			!strings.HasPrefix(err.Error(), s.kind.Name+" filter: "+e.Field+" is ") {
			t.Errorf("%+v: %v (%v), want no filter and a *SizingError of %s", bad.Sizing, f, err,
				bad.field)
		}
	}
	if s.promises(base.KeepsRate) {
		s.possible(t)
	}
	cryptotest.SetGlobalRandom(t, 1)
	want := key.New()
	cryptotest.SetGlobalRandom(t, 1)
	if f := s.empty(t, filter.Sizing{Members: 100, BitsPerKey: 24}); !f.Key().Equal(want) {
		t.Error("without a key in the sizing, the key is not a new one")
	}
	const members = 10_000
	for _, bits := range []float64{8, 16, 32, 64} {
		f, err := s.kind.New(filter.Sizing{Members: members, BitsPerKey: bits, Key: s.key})
		if err != nil {
			continue
		}
		// BitsPerKey counts the whole table, which is rounded up to a power of two at most.
		if got := float64(8*f.State().Bytes) / members; got > 2*bits+8 || got < bits/2-1 {
			t.Errorf("%g bits per key asked for: %g", bits, got)
		}
	}
}

// possible: a plan by a rate that no filter keeps is an error that says what is possible. So is one
// that needs far more memory than a list of the members, which a low rate takes of some kinds.
func (s *subject) possible(t *testing.T) {
	huge := filter.Sizing{Members: min(1e12, math.MaxInt), Rate: 0.01, Key: s.key}
	_, err := s.kind.New(huge)
	var e *filter.SizingError
	if !errors.As(err, &e) {
		t.Fatalf("%+v: %v, want a *SizingError", huge, err)
	}
	fewer, least := 0, 0.0
	if _, text, ok := strings.Cut(e.Expected, "such as "); ok {
		_, _ = fmt.Sscan(text, &fewer)
	} else if e.Field == "Members" {
		_, _ = fmt.Sscanf(e.Expected, "at most %d", &fewer)
	}
	if fewer < 1 || fewer >= huge.Members {
		t.Errorf("%v: want a number of members that the kind takes", err)
	}
	if _, _ = fmt.Sscanf(e.Expected, "at least %g", &least); least >= 1 {
		t.Errorf("%v: want a rate below 1, or none", err)
	}
	for _, rate := range []float64{1e-9, 1e-12, 1e-15} {
		const members, most = 1000, 4096 // bits per member, and 1 MiB at least
		f, err := s.kind.New(filter.Sizing{Members: members, Rate: rate, Key: s.key})
		// The largest table, and the memory that is worth it, each has a lowest rate.
		for tried := 0; tried < 2 && errors.As(err, &e); tried++ {
			if _, _ = fmt.Sscanf(e.Expected, "at least %g", &least); least <= rate || least >= 1 {
				t.Errorf("%v: want a rate that is possible", err)
			}
			rate = least
			f, err = s.kind.New(filter.Sizing{Members: members, Rate: rate, Key: s.key})
		}
		if err != nil {
			t.Errorf("%d members at %g: %v", members, rate, err)
		} else if bytes := f.State().Bytes; bytes > 2*max(most*members/8, 1<<20) { // lists too
			t.Errorf("%d members at %g: %d bytes", members, rate, bytes)
		}
	}
}

// The same calls under the same key make the same filter.
func reproducible(t *testing.T, s *subject) { same(t, "the same calls", s.sample(t), s.sample(t)) }

// longAgo is after how many inserts, in multiples of the planned members, everything that was
// inserted before is forgotten.
const longAgo = 16

// In a filter that forgets, most of the latest members are present, up to the planned number, and a
// key that is inserted again becomes the latest. After many more inserts, a member is present only
// at the rate of a non-member.
func forgets(t *testing.T, s *subject) {
	members := short(2000)
	planned := 0.02
	f := s.empty(t, filter.Sizing{Members: members, Rate: planned, Key: s.key})
	set := hashSet(f)
	rng := rand.New(rand.NewPCG(63, 64))
	latest, repeated := workload.Hashes(rng, members), workload.Hashes(rng, 50)
	insert := func(hashes []uint64) {
		if n, err := set.InsertHashBatch(hashes, nil); n != len(hashes) || err != nil {
			t.Fatalf("%d of %d are in: %v", n, len(hashes), err)
		}
	}
	for round := range longAgo {
		insert(repeated)
		insert(latest)
		if found := f.QueryHashBatch(latest, nil); found < members*3/4 {
			t.Errorf("round %d: %d of %d of the latest are present", round, found, members)
		}
		if found := f.QueryHashBatch(repeated, nil); found < 25 {
			t.Errorf("round %d: %d of %d that came again are present", round, found, len(repeated))
		}
		if round < longAgo-1 {
			latest = workload.Hashes(rng, members)
		}
	}
	for range longAgo {
		insert(workload.Hashes(rng, members))
	}
	old := append(repeated, latest...)
	found, most := f.QueryHashBatch(old, nil), planned*float64(len(old))
	if float64(found) > 1.3*most+5*math.Sqrt(most) {
		t.Errorf("%d of %d of long ago are present, want %.0f", found, len(old), most)
	}
}

// A filter that grows accepts any number of members, and keeps its rate.
func grows(t *testing.T, s *subject) {
	members := short(2000)
	planned := 0.02
	f := s.empty(t, filter.Sizing{Members: members, Rate: planned, Key: s.key})
	grower := f.(filter.Grower)
	if limit := grower.Limit(); limit < 1 {
		t.Errorf("%d members until it grows", limit)
	}
	rng := rand.New(rand.NewPCG(61, 62))
	var in []uint64
	for range 8 {
		hashes := workload.Hashes(rng, members)
		in = append(in, hashes...)
		if n, err := grower.InsertHashBatch(hashes, nil); n != members || err != nil {
			t.Fatalf("after %d members: %d of %d are in: %v", len(in), n, members, err)
		}
		if limit := grower.Limit(); limit < 1 {
			t.Errorf("after %d members: %d until it grows", len(in), limit)
		}
		if found := f.QueryHashBatch(in, nil); found != len(in) {
			t.Fatalf("%d of %d members are present", found, len(in))
		}
		const probes = 100_000
		got := float64(f.QueryHashBatch(workload.Hashes(rng, probes), nil)) / probes
		if got > 1.3*planned+5*math.Sqrt(planned/probes) && s.promises(base.Grows) {
			t.Errorf("after %d members: rate %g, planned %g", len(in), got, planned)
		}
	}
}

// If the bits at the positions of a hash are cleared, the hash is not present.
func clears(t *testing.T, s *subject) {
	for _, hash := range hashesOf(s.key, sampleKeys()) {
		f := s.sample(t)
		clearer := f.(filter.Clearer)
		prefix := []uint64{1, 2, 3}
		p := clearer.AppendPositions(slices.Clone(prefix), hash)
		if len(p) == 3 || !slices.Equal(p[:3], prefix) ||
			!slices.Equal(p[3:], clearer.AppendPositions(nil, hash)) {
			t.Fatalf("positions %v appended to %v", p, prefix)
		}
		clearer.ClearBits(p[3:])
		if f.QueryHash(hash) {
			t.Fatal("a key is present without its bits")
		}
		cleared := content(t, f)
		if clearer.ClearBits(p[3:]); f.State().Fill < 0 {
			t.Error("a fill below 0")
		}
		unchanged(t, "bits that are cleared twice", f, cleared)
		clearer.ClearBits(nil)
		unchanged(t, "no bits", f, cleared)
	}
}

// With the planned members in the filter, the rate is the planned one, as a mean over hash keys,
// and State returns it.
func rate(t *testing.T, s *subject) {
	const keys, probes = 8, 40_000
	members := short(8000)
	for _, sizing := range []filter.Sizing{{Rate: 0.05}, {Rate: 0.01}, {Rate: 0.002},
		{Rate: 0.02, Turnovers: 0.5}} {
		var found, states [keys]float64
		for k := range keys {
			sizing.Members, sizing.Key = members, keytest.Key(byte(k), 77)
			f, err := s.kind.New(sizing)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(k), 71))
			if err := fill(s.kind, f, sizing, rng); err != nil {
				t.Fatalf("%+v: %v", sizing, err)
			}
			found[k] = float64(f.QueryHashBatch(workload.Hashes(rng, probes), nil)) / probes
			states[k] = f.State().Rate
		}
		mean, deviation := spread(found[:])
		error := 4 * max(deviation, math.Sqrt(sizing.Rate/probes)) / math.Sqrt(keys)
		name := fmt.Sprintf("rate %g, %g turnovers", sizing.Rate, sizing.Turnovers)
		if mean > 1.05*sizing.Rate+error {
			t.Errorf("%s: %g ± %g, planned at most %g", name, mean, error, sizing.Rate)
		}
		if mean < sizing.Rate/4-error {
			t.Errorf("%s: %g ± %g, which takes a table much larger than planned", name, mean, error)
		}
		if said, _ := spread(states[:]); math.Abs(said-mean) > 0.1*mean+error {
			t.Errorf("%s: the state says %g, it is %g ± %g", name, said, mean, error)
		}
	}
}

// fill inserts the planned members, and then replaces the oldest ones as planned. If the kind
// cannot delete, they stay. If it forgets, many more are inserted.
func fill(kind base.Kind, f filter.Stored, s filter.Sizing, rng *rand.Rand) error {
	hashes := workload.Hashes(rng, s.Members)
	replaced := int(s.Turnovers * float64(s.Members))
	if kind.Promises.Has(base.Forgets) {
		replaced += longAgo * s.Members
	}
	if _, err := hashSet(f).InsertHashBatch(hashes, nil); err != nil {
		return err
	}
	deleter, ok := f.(filter.Deleter)
	if !ok {
		_, err := hashSet(f).InsertHashBatch(workload.Hashes(rng, replaced), nil)
		return err
	}
	for i := range replaced {
		deleter.DeleteHash(hashes[i%len(hashes)])
		if _, err := deleter.InsertHash(rng.Uint64()); err != nil {
			return err
		}
	}
	return nil
}

// spread returns the mean and the standard deviation of a sample.
func spread(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(deviation)
}
