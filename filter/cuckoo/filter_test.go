package cuckoo

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// full asks for the large filters of some tests.
var full = os.Getenv("BLOOMLANE_LOADS") == "full"

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

// The other bucket of the other bucket is the bucket itself, for any number of buckets. Both are
// spread evenly.
func TestOtherIsAnInvolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, buckets := range []uint64{1, 2, 3, 5, 64, 1000, 1 << 20, 1<<33 - 9} {
		for _, bits := range []int{MinFingerprint, 8, 12, 16, MaxFingerprint} {
			s := shape{buckets, bits}
			var halves [2][2]int
			for range 2000 {
				fingerprint, bucket := s.place(rng.Uint64())
				other := s.other(fingerprint, bucket)
				if bucket >= buckets || other >= buckets || s.other(fingerprint, other) != bucket {
					t.Fatalf("%v: the buckets %d and %d of %d", s, bucket, other, fingerprint)
				}
				if fingerprint == 0 || fingerprint > s.values() {
					t.Fatalf("%v: fingerprint %d", s, fingerprint)
				}
				halves[2*bucket/buckets][2*other/buckets]++
			}
			for i, n := range slices.Concat(halves[0][:], halves[1][:]) {
				if buckets >= 64 && bits >= 8 && (n < 350 || n > 650) {
					t.Errorf("%v: %d of 2000 keys have buckets in the halves %b", s, n, i)
				}
			}
		}
	}
}

// A slot of any width holds what was put into it, and does not change its neighbours.
func TestSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for bits := MinFingerprint; bits <= MaxFingerprint; bits++ {
		table := newTable(shape{37, bits}, 1)
		want := make([]uint64, table.slots())
		for range 2000 {
			slot, fingerprint := rng.Uint64N(table.slots()), rng.Uint64N(table.values()+1)
			if rng.IntN(2) == 0 {
				fingerprint = rng.Uint64N(4)
			}
			if old := table.set(slot, fingerprint); old != want[slot] {
				t.Fatalf("%d bits: slot %d was %d, want %d", bits, slot, old, want[slot])
			}
			want[slot] = fingerprint
			bucket := rng.Uint64N(table.buckets)
			in := want[slots*bucket : slots*bucket+slots]
			for _, value := range []uint64{0, 1, 2, 3, fingerprint, in[3], table.values()} {
				place := slices.Index(in, value)
				if table.has(bucket, value) != (place >= 0) {
					t.Fatalf("%d bits: has %d in %v", bits, value, in)
				}
				if slot, found := table.find(bucket, value); found != (place >= 0) || found &&
					slot != slots*bucket+uint64(place) {
					t.Fatalf("%d bits: slot %d of %d in %v", bits, slot, value, in)
				}
			}
		}
	}
}

// Members are found through a random history at the edge of being full, with members that come more
// than once. A refused insert changes nothing.
func TestHistories(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, bits := range []int{4, 8, 12, 13, 16, 17, 32} {
		for _, members := range []int{1, 20, 500} {
			f := newFilter(t, Config{Members: members, Rate: 0.99, Fingerprint: bits})
			var in []uint64
			refused := 0
			for step := range 6 * f.Shape().Slots() {
				if rng.IntN(10) < 7 {
					hash := rng.Uint64()
					if len(in) > 0 && rng.IntN(10) == 0 {
						hash = in[rng.IntN(len(in))]
					}
					was, before := f.QueryHash(hash), f.Clone()
					present, err := f.InsertHash(hash)
					if present != was {
						t.Fatalf("%v: present %v, want %v", f, present, was)
					}
					if err == nil {
						in = append(in, hash)
					} else if refused++; !f.Equal(before) {
						t.Fatalf("%v: a refused insert changed it", f)
					}
				} else if len(in) > 0 {
					i := rng.IntN(len(in))
					if got := f.DeleteHash(in[i]); got != filter.Deleted {
						t.Fatalf("%v: a member is %v", f, got)
					}
					in = slices.Delete(in, i, i+1)
				}
				if step%20 == 0 && f.QueryHashBatch(in, nil) != len(in) || f.Members() != len(in) {
					t.Fatalf("%v: %d members, want %d, all to be found", f, f.Members(), len(in))
				}
			}
			if refused == 0 {
				t.Errorf("%v: it never was full", f)
			}
			if got := f.DeleteHashBatch(in, nil); got != len(in) || f.State().Fill != 0 ||
				slices.Max(base.Open(&f.Body).words) != 0 {
				t.Errorf("%v: %d of %d members are deleted, and %+v is left", f, got,
					len(in), f.State())
			}
		}
	}
}

// Filters with any number of buckets fill 95 % of their slots, for fingerprints of 8 bits and more.
func TestOccupancy(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, bits := range []int{8, 12, 16, 24} {
		for _, buckets := range []uint64{1000, 1024, 20_011} {
			table, n := newTable(shape{buckets, bits}, 1), 0
			for {
				if _, inserted := table.insert(rng.Uint64()); !inserted {
					break
				}
				n++
			}
			load := float64(n) / float64(table.slots())
			if load < 0.95 {
				t.Errorf("%v: full at a load of %.3f", table.shape, load)
			}
			t.Logf("%v: full at a load of %.4f", table.shape, load)
		}
	}
}

// The planned members fit into hundreds of filters of every size. Some tiny filters refuse a
// planned member, because too many keys share a bucket.
func TestPlannedMembersFit(t *testing.T) {
	require.Once(t)
	rng := rand.New(rand.NewPCG(5, 5))
	for _, test := range []struct{ members, trials, most int }{
		{1, 500, 0}, {4, 2000, 2}, {10, 2000, 8}, {30, 2000, 2}, {100, 1000, 0}, {300, 500, 0},
		{1000, 200, 0},
		{10_000, 20, 0}, {100_000, 1, 0},
	} {
		for _, rate := range []float64{0.4, 0.05, 1e-4} {
			f, refused := newFilter(t, Config{Members: test.members, Rate: rate}), 0
			for range test.trials {
				f.Reset()
				hashes := workload.Hashes(rng, test.members)
				if n, err := f.InsertHashBatch(hashes, nil); err != nil {
					var e *FullError
					if refused++; !errors.As(err, &e) || !errors.Is(err, filter.ErrFull) ||
						e.Members != n || e.Slots != f.Shape().Slots() {
						t.Fatalf("%v: %v after %d", f, err, n)
					}
				}
			}
			if refused > test.most {
				t.Errorf("%+v: %d are full before their planned members are in: %v", test, refused,
					f)
			}
		}
	}
}

// The planned members fit, too, with fingerprints so short that few buckets are the other one of a
// bucket. BLOOMLANE_LOADS=full tries large filters, whose inserts need some 500 MB and minutes.
func TestPlannedMembersFitWithShortFingerprints(t *testing.T) {
	require.Once(t)
	tests := []struct{ members, fingerprint, trials int }{
		{300_000, 4, 8}, {1_000_000, 4, 2}, {300_000, 5, 4}, {1_000_000, 6, 1},
	}
	if full {
		tests = []struct{ members, fingerprint, trials int }{
			{4_000_000, 4, 20}, {4_000_000, 5, 20}, {4_000_000, 6, 10}, {4_000_000, 8, 10},
			{60_000_000, 0, 2}, {60_000_000, 4, 2}, {60_000_000, 5, 2}, {60_000_000, 6, 2},
			{60_000_000, 8, 2}, {60_000_000, 12, 2},
		}
	}
	for _, test := range tests {
		f := newFilter(t, Config{Members: test.members, Rate: 0.4, Fingerprint: test.fingerprint})
		rng := rand.New(rand.NewPCG(uint64(test.members), uint64(test.fingerprint)))
		for range test.trials {
			f.Reset()
			fillTo(t, f, rng, test.members)
		}
	}
}

// Large tables, which only BLOOMLANE_LOADS=full fills, have the planned loads that it tried.
func TestPlannedLoads(t *testing.T) {
	for _, test := range []struct {
		bits          int
		members, load float64
	}{
		{4, 1e6, 0.7595}, {4, 60e6, 0.4553}, {5, 60e6, 0.9367}, {6, 60e6, 0.9430},
		{8, 60e6, 0.9458}, {12, 60e6, 0.9458}, {16, 1 << 32, 0.9396}, {8, 10_000, 0.9349},
	} {
		load := test.members / (slots * needed(test.members, test.bits))
		if math.Abs(load-test.load) > 1e-4 {
			t.Errorf("%g members of %d bits: a load of %.4f, want %.4f", test.members, test.bits,
				load, test.load)
		}
	}
}

// fillTo inserts a number of random hashes.
func fillTo(t *testing.T, f *Filter, rng *rand.Rand, members int) {
	t.Helper()
	for range members {
		if _, err := f.InsertHash(rng.Uint64()); err != nil {
			t.Errorf("%v: %d members are planned: %v", f, members, err)
			return
		}
	}
}

// The load at the first refusal falls by the number of slots and, below 7 bits, with the width of a
// fingerprint: by the median of some tables. The plan is below it by as much as 700 times the slots
// take.
func TestFirstRefusal(t *testing.T) {
	require.Once(t)
	sizes := []int{1 << 12, 1 << 16}
	if full {
		sizes = []int{1 << 16, 1 << 20, 1 << 24, 1 << 26}
	}
	for _, slotsOf := range sizes {
		for _, bits := range []int{4, 5, 6, 8, 16} {
			rng := rand.New(rand.NewPCG(uint64(slotsOf), uint64(bits)))
			refusals := make([]float64, max(3, min(41, 1<<22/slotsOf)|1))
			for i := range refusals {
				table, n := newTable(shape{uint64(slotsOf / slots), bits}, 1), 0
				for inserted := true; inserted; n++ {
					_, inserted = table.insert(rng.Uint64())
				}
				refusals[i] = float64(n-1) / float64(slotsOf)
			}
			slices.Sort(refusals)
			median := refusals[len(refusals)/2]
			planned := float64(slotsOf) * median // members that are planned for some more slots
			for needed(planned, bits)*slots > float64(slotsOf) {
				planned *= 0.999
			}
			load := planned / float64(slotsOf)
			if margin := median - load; margin < 0.005 {
				t.Errorf("%d slots of %d bits: the first refusal at a load of %.4f, planned %.4f",
					slotsOf, bits, median, load)
			}
			t.Logf("%d slots of %d bits: %d tables refused at a load of %.4f to %.4f, median "+
				"%.4f; planned %.4f", slotsOf, bits, len(refusals), refusals[0],
				refusals[len(refusals)-1], median, load)
		}
	}
}

// A key can be a member eight times: as often as its two buckets have slots.
func TestCopies(t *testing.T) {
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 20})
	const hash = 0x123456789abcdef
	for n := range 2 * slots {
		if present, err := f.InsertHash(hash); err != nil || present != (n > 0) {
			t.Fatalf("copy %d: present %v (%v)", n, present, err)
		}
	}
	before := f.Clone()
	if _, err := f.InsertHash(hash); !errors.Is(err, filter.ErrFull) || !f.Equal(before) {
		t.Errorf("the ninth copy: %v", err)
	}
	for n := range 2 * slots {
		if !f.QueryHash(hash) || f.DeleteHash(hash) != filter.Deleted {
			t.Fatalf("copy %d is gone", n)
		}
	}
	if f.QueryHash(hash) || f.DeleteHash(hash) != filter.Absent {
		t.Error("something is left")
	}
}

// The share of non-members that are present is that of the theory, at any fill.
func TestRateIsThatOfTheTheory(t *testing.T) {
	require.Once(t)
	rng := rand.New(rand.NewPCG(7, 7))
	for _, test := range []struct {
		bits    int
		fill    float64
		samples int
	}{{4, 0.9, 200_000}, {8, 0.5, 400_000}, {8, 0.95, 400_000}, {12, 0.95, 2_000_000},
		{16, 0.95, 4_000_000}} {
		f := newFilter(t, Config{Members: 20_000, Rate: 0.99, Fingerprint: test.bits})
		members := workload.Hashes(rng, int(test.fill*float64(f.Shape().Slots())))
		if _, err := f.InsertHashBatch(members, nil); err != nil {
			t.Fatal(err)
		}
		want, found := f.State().Rate, 0
		if got := f.Shape().Rate(len(members)); got != want || f.State().Scanned {
			t.Errorf("%v: the rate is %g by the state, %g is expected", f, want, got)
		}
		group := make([]uint64, 1<<10)
		test.samples &^= len(group) - 1
		for range test.samples / len(group) {
			for i := range group {
				group[i] = rng.Uint64()
			}
			found += f.QueryHashBatch(group, nil)
		}
		expected := want * float64(test.samples)
		if math.Abs(float64(found)-expected) > 4*math.Sqrt(expected*(1-want)) {
			t.Errorf("%v at %g: %d of %d are present, want %.0f", f, test.fill, found,
				test.samples, expected)
		}
		t.Logf("%v at %g: rate %.4g, theory %.4g", f, test.fill,
			float64(found)/float64(test.samples), want)
	}
}

// In a table of few buckets a bucket is often its own other bucket.
func TestRateOfTinyTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, size := range []shape{{1, 8}, {2, 8}, {3, 8}, {10, 8}} {
		const tables, samples = 3000, 200
		found, expected := 0.0, 0.0
		for range tables {
			table, members := newTable(size, 1), 0.0
			for range 2 * size.buckets {
				if _, inserted := table.insert(rng.Uint64()); inserted {
					members++
				}
			}
			expected += samples * size.rate(members)
			for range samples {
				if table.query(rng.Uint64()) {
					found++
				}
			}
		}
		// The samples of a table are not independent.
		if math.Abs(found/expected-1) > 0.06 {
			t.Errorf("%v: %.0f are present, want %.0f", size, found, expected)
		}
		t.Logf("%v: rate %.4g, theory %.4g", size, found/tables/samples, expected/tables/samples)
	}
}

// Inserts that kick allocate nothing.
func TestNoAllocations(t *testing.T) {
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 12})
	rng := rand.New(rand.NewPCG(8, 8))
	f.InsertHashBatch(workload.Hashes(rng, 900), nil)
	group := workload.Hashes(rng, 50)
	kicks := base.Open(&f.Body).kicks
	if n := testing.AllocsPerRun(20, func() {
		f.InsertHashBatch(group, nil)
		f.DeleteHashBatch(group, nil)
	}); n != 0 || base.Open(&f.Body).kicks == kicks {
		t.Errorf("%v allocations after %d kicks", n, base.Open(&f.Body).kicks)
	}
}

func TestSizing(t *testing.T) {
	for _, members := range []int{1, 100, 10_000} {
		for _, rate := range []float64{0.3, 0.01, 1e-4, 1e-7} {
			c := Config{Members: members, Rate: rate}
			size, err := c.Shape()
			if err != nil || size.Rate(members) > rate ||
				float64(size.Buckets) < needed(float64(members), size.FingerprintBits) {
				t.Errorf("%+v: %v of rate %g (%v)", c, size, size.Rate(members), err)
			}
			used := size.Slots() * size.FingerprintBits
			for bits := MinFingerprint; bits <= MaxFingerprint; bits++ {
				smaller := Shape{(used - 1) / (slots * bits), bits}
				if float64(smaller.Buckets) >= needed(float64(members), bits) &&
					smaller.Rate(members) <= rate*(1-1e-9) {
					t.Errorf("%+v: %v is smaller than %v", c, smaller, size)
				}
			}
			// The bits of that size buy it, or one that is as good.
			bits := float64(used) / float64(members)
			by, err := (&Config{Members: members, BitsPerKey: bits}).Shape()
			if err != nil || by.Rate(members) > rate*1.3 {
				t.Errorf("%+v: %v, and by bits %v (%v)", c, size, by, err)
			}
		}
	}
	for field, all := range map[string][]Config{
		"Members": {{Rate: 0.1}},
		"BitsPerKey": {
			{Members: 1}, {Members: 1 << 30, BitsPerKey: 1 << 12}, {Members: 1000, BitsPerKey: 4},
			{Members: 1000, BitsPerKey: 12, Fingerprint: 13},
		},
		"Rate": {{Members: 1, Rate: 1}, {Members: 1, Rate: 1e-300},
			{Members: planning.MaxMembers, Rate: 0.01}},
		"Turnovers": {{Members: 1, Rate: 0.1, Turnovers: -1}},
		"Fingerprint": {
			{Members: 1, Rate: 0.1, Fingerprint: 3}, {Members: 1, Rate: 0.1, Fingerprint: 33},
			{Members: 1, Rate: 0.1, Fingerprint: -1},
		},
	} {
		for _, c := range all {
			var sizing *filter.SizingError
			if _, err := New(c); !errors.As(err, &sizing) || sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
}

// The sizes of the package documentation.
func TestDocumentedSizes(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		config        Config
		bits, percent float64 // percent of 0: at most the rate
	}{
		{Config{BitsPerKey: 8}, 8, 5.36}, {Config{BitsPerKey: 10}, 10, 1.40},
		{Config{BitsPerKey: 12}, 12, 0.358}, {Config{BitsPerKey: 16}, 16, 0.0229},
		{Config{BitsPerKey: 20}, 20, 0.00270}, {Config{BitsPerKey: 24}, 24, 0.000170},
		{Config{BitsPerKey: 32}, 32, 7e-7},
		{Config{Rate: 0.01}, 10.5, 0}, {Config{Rate: 0.001}, 13.7, 0},
		{Config{Rate: 0.0001}, 17.9, 0}, {Config{Rate: 0.00001}, 21.1, 0},
	} {
		test.config.Members = members
		s, err := test.config.Shape()
		bits, percent := float64(s.Slots()*s.FingerprintBits)/members, 100*s.Rate(members)
		if err != nil || math.Abs(bits-test.bits) > 0.06 ||
			test.percent > 0 && math.Abs(percent/test.percent-1) > 0.05 ||
			test.percent == 0 && percent > 100*test.config.Rate {
			t.Errorf("%+v: %.2f bits per key, %.4g %%, want %+v (%v)", test.config, bits, percent,
				test, err)
		}
	}
}
