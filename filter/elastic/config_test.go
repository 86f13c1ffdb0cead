package elastic

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// A filter by its rate is the smallest that keeps it, with room for the members that come during a
// move. A filter by its bits has these bits. At every size its tables keep the rate up to their
// limits, and a move is over before the limit.
func TestSizing(t *testing.T) {
	for _, members := range []int{1, 2, 30, 247, 248, 255, 1000, 1_000_000} {
		for _, c := range []Config{
			{Rate: 0.9}, {Rate: 0.3}, {Rate: 0.01}, {Rate: 1e-4}, {Rate: 1e-9}, {BitsPerKey: 2},
			{BitsPerKey: 9.7}, {BitsPerKey: 64}, {BitsPerKey: 1000},
		} {
			c.Members = members
			p, err := c.solve()
			size, _ := c.Shape()
			if err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			planned := size.Rate(size.Members)
			top := planned
			if c.Rate != 0 {
				if top = c.Rate; planned > top {
					t.Errorf("%+v: planned %g", c, planned)
				}
				if need, less := uint64(members)*32/31+1, uint64(p.blocks-1); less > 0 &&
					rate(int((need*fine+less-1)/less)) <= c.Rate {
					t.Errorf("%+v: %d blocks would do", c, less)
				}
				if more, blocks := uint64(p.members+1),
					uint64(p.blocks); rate(int((more*fine+blocks-1)/blocks)) <= c.Rate {
					t.Errorf("%+v: %d blocks would take %d members", c, blocks, more)
				}
			} else if want := max(float64(members)*c.BitsPerKey/blockBits,
				float64(p.members)/blockBits); math.Abs(float64(p.blocks)-want) >= 1 {
				t.Errorf("%+v: %d blocks", c, p.blocks)
			}
			for n := p.blocks; n <= maxBlocks/2; n *= 2 {
				limit := p.limit(n)
				if rate := expected.Rate(limit, n, blockShape); rate > top*1.005 {
					t.Errorf("%+v: %d members in %d blocks have the rate %g, planned %g", c,
						limit, n, rate, top)
				}
				changes := limit + 1 - p.growsAt(n) + 1
				if changes*p.pace < n || (changes-1)*p.pace >= n ||
					p.growsAt(n) <= members*(n/p.blocks) && n == p.blocks ||
					changes > 1+limit/spread {
					t.Errorf("%+v: %d blocks grow from %d members on, with a limit of %d and a "+
						"pace of %d", c, n, p.growsAt(n), limit, p.pace)
				}
				if low := p.shrinksBelow(n); n == p.blocks != (low == 0) || 4*low > limit+3 {
					t.Errorf("%+v: %d blocks shrink below %d members", c, n, low)
				}
				if limit == MaxMembers {
					break
				}
			}
			if p.most < p.members || p.most > MaxMembers || p.most < MaxMembers/2 &&
				uint64(p.most) < uint64(maxBlocks)/2*uint64(p.members)/uint64(p.blocks) {
				t.Errorf("%+v: %d members at most", c, p.most)
			}
		}
	}
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 16, MaxMembers: 5000})
	if s := f.State(); f.Most() != 5000 || s.Most != 5000 || f.Limit() != 1033 ||
		s.Bytes != 62*36 || f.Stats() != (Stats{62, 62 * 32, 62 * 4, false}) {
		t.Errorf("at most %d members, limit %d, %+v, %+v", f.Most(), f.Limit(), s, f.Stats())
	}
	for hash := range uint64(5000) {
		if _, err := f.InsertHash(hash * 0x9E3779B97F4A7C15); err != nil {
			t.Fatal(err)
		}
	}
	if f.Limit() != 5000 || f.Members() != 5000 {
		t.Errorf("limit %d, %d members", f.Limit(), f.Members())
	}
}

func TestSizingErrors(t *testing.T) {
	for field, all := range map[string][]Config{
		"Members": {{Rate: 0.1}, {Members: -1, Rate: 0.1}, {Members: MaxMembers, Rate: 0.1}},
		"BitsPerKey": {
			{Members: 1}, {Members: 1, BitsPerKey: 1, Rate: 0.1}, {Members: 1, BitsPerKey: 1.99},
			{Members: 1, BitsPerKey: math.NaN()},
			{Members: 1 << 28, BitsPerKey: 100}, {Members: 1 << 20, BitsPerKey: 1 << 15},
		},
		"Rate": {{Members: 1, Rate: 1}, {Members: 1, Rate: 1e-19},
			{Members: 1 << 24, Rate: 1e-12}, {Members: 1, Rate: math.NaN()}},
		"Turnovers": {{Members: 1, Rate: 0.1, Turnovers: -1}},
		"MaxMembers": {{Members: 100, Rate: 0.1, MaxMembers: 99},
			{Members: 100, Rate: 0.1, MaxMembers: MaxMembers + 1},
			{Members: 1, Rate: 0.1, MaxMembers: -1}},
	} {
		for _, c := range all {
			f, err := New(c)
			size, shapeErr := c.Shape()
			var e *filter.SizingError
			if f != nil || !errors.As(err, &e) || e.Field != field || shapeErr == nil ||
				size != (Shape{}) {
				t.Errorf("%+v: %v, want an error of %s", c, err, field)
			}
		}
	}
}

// The sizes of the package documentation.
func TestDocumentedSizes(t *testing.T) {
	const members = 1_000_000
	for rate, want := range map[float64]float64{
		0.05: 7.5, 0.01: 10.9, 0.001: 17.4, 0.0001: 27.2, 0.00001: 42.3,
	} {
		c := Config{Members: members, Rate: rate}
		p, err := c.solve()
		if got := float64(p.blocks*blockBits) / members; err != nil || math.Abs(got-want) > 0.06 {
			t.Errorf("rate %g: %.2f bits per key, want %g (%v)", rate, got, want, err)
		}
	}
}
