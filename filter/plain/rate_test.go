package plain

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// A size by a rate is the smallest that keeps it. A size by bits has exactly these bits.
func TestSizing(t *testing.T) {
	for _, members := range []int{1, 10, 1000, 1_000_000} {
		for _, rate := range []float64{0.5, 0.01, 1e-5, 1e-9} {
			for _, blocked := range []bool{false, true} {
				for _, turnovers := range []float64{0, 1.5} {
					c := Config{Members: members, Rate: rate, Blocked: blocked,
						Turnovers: turnovers}
					size, err := c.Shape()
					if err != nil {
						t.Errorf("%+v: %v", c, err)
						continue
					}
					inserts := int(math.Round(float64(members) * (1 + turnovers)))
					if got := size.Rate(inserts); got > rate {
						t.Errorf("%+v: rate %g of %v", c, got, size)
					}
					smaller := size
					if blocked {
						smaller.Bits -= BlockBits
					} else {
						smaller.Bits--
					}
					for k := range MaxHashes {
						smaller.Hashes = k + 1
						if smaller.Bits > 0 && smaller.Rate(inserts) < rate*(1-1e-9) {
							t.Errorf("%+v: %v is smaller than %v and keeps the rate", c,
								smaller, size)
						}
						if size.Hashes = k + 1; size.Rate(inserts) <= rate {
							break
						}
					}
				}
			}
		}
	}
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 9.9999})
	if f.Shape().Bits != 10_000 || f.Shape().Hashes != 7 || f.State().Bytes != 1256 {
		t.Errorf("%v of %d bytes", f, f.State().Bytes)
	}
	f = newFilter(t, Config{Members: 49, BitsPerKey: 512.0 / 49, Blocked: true})
	if f.Shape().Bits != 512 {
		t.Errorf("%v, want one block", f)
	}
}

func TestSizingErrors(t *testing.T) {
	most := filter.MaxBits // an int of 32 bits has no larger number: the sum below is negative there
	for field, all := range map[string][]Config{
		"Members": {{Rate: 0.1}, {Members: -1, Rate: 0.1}, {Bits: 512}, {Rate: 0.1, Hashes: 3},
			{Members: -1, Bits: 512, Hashes: 3}},
		"BitsPerKey": {
			{Members: 1}, {Members: 1, BitsPerKey: 1, Rate: 0.1},
			{Members: 1, BitsPerKey: math.NaN()}, {Members: 1, BitsPerKey: -1},
			{Members: 1 << 30, BitsPerKey: 1 << 12},
			{Members: 1, BitsPerKey: math.Inf(1)},
		},
		"Rate": {
			{Members: 1, Rate: 1}, {Members: 1, Rate: -0.1}, {Members: 1, Rate: math.NaN()},
			{Members: 1 << 30, Rate: 1e-300},
		},
		"Bits": {
			{Members: 1, Bits: -1}, {Members: 1, Bits: 512, Rate: 0.1},
			{Members: 1, Bits: 512, BitsPerKey: 1}, {Members: 1, Bits: most + 512},
		},
		"Turnovers": {{Members: 1, Rate: 0.1, Turnovers: -1},
			{Members: 1, Rate: 0.1, Turnovers: math.NaN()}},
		"Hashes": {{Members: 1, Rate: 0.1, Hashes: -1},
			{Members: 1, Rate: 0.1, Hashes: MaxHashes + 1}},
	} {
		for _, c := range all {
			for _, c.Blocked = range []bool{false, true} {
				_, err := New(c)
				var sizing *filter.SizingError
				if !errors.As(err, &sizing) || sizing.Field != field {
					t.Errorf("%+v: %v, want an error of %s", c, err, field)
				}
			}
		}
	}
}

// A size of Bits has these bits. Without Members it is planned for those that set about half.
func TestBits(t *testing.T) {
	for _, bits := range []int{1, 1000, 1 << 20, 9_585_059, filter.MaxBits / 512 * 512} {
		for _, c := range []Config{{Bits: bits, Hashes: 7}, {Bits: bits, Members: 77_777_777},
			{Bits: bits, Hashes: 5, Members: 3, Turnovers: 0.7},
			{Bits: (bits + 511) / 512 * 512, Hashes: 5, Blocked: true}} {
			s, err := c.Shape()
			if err != nil || s.Bits != c.Bits || c.Hashes != 0 && s.Hashes != c.Hashes {
				t.Errorf("%+v: %v (%v)", c, s, err)
			}
		}
	}
	f := newFilter(t, Config{Bits: 70_000, Hashes: 7})
	for n := range uint64(6931) { // 70,000 ln(2)/7
		f.InsertUint64(n)
	}
	c, err := f.Contents()
	members, _ := c.Uint("members", 0, math.MaxUint64)
	if fill := f.Stats().Fill; err != nil || members != 6931 || math.Abs(fill-0.5) > 0.01 {
		t.Errorf("planned for %d members (%v), which fill %.3f of it", members, err, fill)
	}
	var sizing *filter.SizingError
	if _, err := New(Config{Bits: 1000, Hashes: 3, Blocked: true}); !errors.As(err, &sizing) ||
		sizing.Field != "Bits" {
		t.Errorf("1000 bits in blocks: %v", err)
	}
}

// An insert of a key that is absent has the bits of an insert, and a repeat counts once. The answer
// is that of the query before.
func TestInsertIfAbsent(t *testing.T) {
	for _, c := range configs() {
		f, want := newFilter(t, c), newFilter(t, c)
		absent := 0
		for n := range uint64(600) {
			n %= 400
			before, all := f.QueryUint64(n), binary.LittleEndian.AppendUint64(nil, n)
			ways := []func() (bool, error){
				func() (bool, error) { return f.InsertIfAbsent(all) },
				func() (bool, error) { return f.InsertStringIfAbsent(string(all)) },
				func() (bool, error) { return f.InsertUint64IfAbsent(n) },
				func() (bool, error) { return f.InsertHashIfAbsent(f.HashUint64(n)) },
			}
			if present, err := ways[n%4](); present != before || err != nil {
				t.Fatalf("%+v: %d present %v (%v), want %v", c, n, present, err, before)
			}
			if !before {
				absent++
			}
			if _, err := want.InsertUint64(n); err != nil {
				t.Fatal(err)
			}
		}
		if f.Inserts() != absent || f.Stats().Ones != want.Stats().Ones || absent > 400 {
			t.Errorf("%+v: %d inserts and %d ones, want %d and %d", c, f.Inserts(),
				f.Stats().Ones, absent, want.Stats().Ones)
		}
	}
}

// The state by the counter agrees with a scan of the bits. For a closed filter both are zero.
func TestStatsAndState(t *testing.T) {
	for _, blocked := range []bool{false, true} {
		f, err := New(Config{Members: 20_000, BitsPerKey: 10, Blocked: blocked, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(20_000) {
			f.InsertUint64(n)
		}
		stats, state := f.Stats(), f.State()
		if math.Abs(stats.Fill/state.Fill-1) > 0.01 || math.Abs(stats.Rate/state.Rate-1) > 0.05 ||
			state.Scanned {
			t.Errorf("blocked %v: %+v by the bits, %+v by the counter", blocked, stats, state)
		}
		if stats.Inserts != 20_000 || state.Members != 20_000 ||
			stats.Ones != int(stats.Fill*float64(f.Shape().Bits)+0.5) {
			t.Errorf("blocked %v: %+v, %+v", blocked, stats, state)
		}
	}
	if s := new(Filter).Stats(); s != (Stats{}) {
		t.Errorf("%+v", s)
	}
}

// The sizes of the package documentation.
func TestDocumentedSizes(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct {
		blocked          bool
		bits, percent    []float64
		rates, ratesBits []float64
	}{
		{false, []float64{8, 10, 12, 16, 20, 24},
			[]float64{2.154, 0.819, 0.314, 0.0458, 0.0067, 0.00098},
			[]float64{0.01, 0.001, 0.0001, 0.00001}, []float64{9.59, 14.38, 19.17, 23.97}},
		{true, []float64{8, 10, 12, 16, 20, 24},
			[]float64{2.326, 0.964, 0.413, 0.0845, 0.0198, 0.0053},
			[]float64{0.01, 0.001, 0.0001, 0.00001}, []float64{9.92, 15.55, 22.03, 29.67}},
	} {
		for i, bits := range test.bits {
			c := Config{Members: members, BitsPerKey: bits, Blocked: test.blocked}
			s, err := c.Shape()
			got, want := 100*s.Rate(members), test.percent[i]
			if err != nil || math.Abs(got/want-1) > 0.006 {
				t.Errorf("%+v: %.4g %%, want %g (%v)", c, got, want, err)
			}
		}
		for i, rate := range test.rates {
			c := Config{Members: members, Rate: rate, Blocked: test.blocked}
			s, err := c.Shape()
			got, want := float64(s.Bits)/members, test.ratesBits[i]
			if err != nil || math.Abs(got-want) > 0.006 {
				t.Errorf("%+v: %.3f bits per key, want %g (%v)", c, got, want, err)
			}
		}
	}
}
