package dlbf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// shapes are of every sort: the letter's, with a short last region, with a missing one, with both,
// with a bit of collisions for each cell, with one region, and of many words.
var shapes = []Shape{
	letter, {32, 4, 3}, {240, 7, 6}, {16, 6, 4}, {100, 30, 2}, {240, 120, 5}, {300, 1, 3},
	{2, 1, 1}, {1000, 300, 64},
	{1023, 64, 7}, {1025, 65, 7}, {129, 64, 3},
}

// model is the array as the letter's section III has it, without packing: the reference of this
// package.
type model struct {
	cells, collided []bool
	per             int
}

func modelOf(s Shape) *model {
	per := 1
	for s.Regions*per < s.Bits-s.Regions {
		per++
	}
	return &model{make([]bool, s.Bits-s.Regions), make([]bool, s.Regions), per}
}

func (m *model) insert(cells []uint64) (present bool) {
	present = m.query(cells)
	for _, c := range cells {
		if m.cells[c] {
			m.collided[int(c)/m.per] = true
		}
		m.cells[c] = true
	}
	return present
}

func (m *model) query(cells []uint64) bool {
	return !slices.ContainsFunc(cells, func(c uint64) bool { return !m.cells[c] })
}

func (m *model) deletable(cells []uint64) bool {
	return slices.ContainsFunc(cells, func(c uint64) bool { return !m.collided[int(c)/m.per] })
}

func (m *model) delete(cells []uint64) filter.Status {
	if !m.query(cells) {
		return filter.Absent
	}
	for _, c := range cells {
		if !m.collided[int(c)/m.per] {
			m.cells[c] = false
		}
	}
	if m.deletable(cells) {
		return filter.Deleted
	}
	return filter.Retained
}

func (m *model) count() (c Counts) {
	for i, set := range m.cells {
		if set {
			c.Ones++
		}
		if set && !m.collided[i/m.per] {
			c.Clearable++
		}
	}
	for _, collided := range m.collided {
		if collided {
			c.Collided++
		}
	}
	return c
}

// check fails the test unless an array has the bits of the model, the collision bitmap first.
func (m *model) check(t *testing.T, a *Array) {
	t.Helper()
	for i, want := range slices.Concat(m.collided, m.cells) {
		if got := a.words[i/64]>>(i%64)&1 != 0; got != want {
			t.Fatalf("%v: bit %d is %v, want %v", a.shape, i, got, want)
		}
	}
	if got, want := a.Count(), m.count(); got != want || a.used() != want.Ones {
		t.Fatalf("%v: %+v, want %+v", a.shape, got, want)
	}
}

// R2 of the letter: no false negatives upon element deletion. Through random histories in which
// only members are deleted, every member is present, and the array equals the model, in both forms.
func TestR2(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	seen := map[filter.Status]int{}
	for _, s := range shapes {
		a, err := NewArray(s)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			a.Reset()
			m := modelOf(s)
			var members []uint64
			for range 120 {
				if rng.IntN(max(2, s.Cells()/s.Hashes)) >= len(members) || rng.IntN(2) == 0 {
					hash := rng.Uint64()
					cells := a.AppendCells(nil, hash)
					want := m.insert(cells)
					got := false
					if rng.IntN(2) == 0 {
						got = a.Insert(hash)
					} else {
						got = a.InsertAt(cells)
					}
					if got != want {
						t.Fatalf("%v: present %v before an insert, want %v", s, got, want)
					}
					members = append(members, hash)
				} else {
					i := rng.IntN(len(members))
					hash := members[i]
					members = slices.Delete(members, i, i+1)
					cells := a.AppendCells(nil, hash)
					if got, want := a.Deletable(hash), m.deletable(cells); got != want ||
						a.DeletableAt(cells) != want {
						t.Fatalf("%v: deletable %v, want %v", s, got, want)
					}
					want, got := m.delete(cells), filter.Absent
					if rng.IntN(2) == 0 {
						got = a.Delete(hash)
					} else {
						got = a.DeleteAt(cells)
					}
					if got != want || got == filter.Absent {
						t.Fatalf("%v: delete of a member: %v, want %v", s, got, want)
					}
					seen[got]++
				}
				for _, hash := range members {
					if !a.Query(hash) || !a.QueryAt(a.AppendCells(nil, hash)) {
						t.Fatalf("%v: a member is not present", s)
					}
				}
				if hash := rng.Uint64(); a.Query(hash) != m.query(a.AppendCells(nil, hash)) {
					t.Fatalf("%v: another answer than the model's", s)
				} else if !a.Query(hash) {
					seen[a.Delete(hash)]++
					seen[a.DeleteAt(a.AppendCells(nil, hash))]++
				}
			}
			m.check(t, a)
		}
	}
	if seen[filter.Absent] == 0 || seen[filter.Retained] == 0 || seen[filter.Deleted] == 0 {
		t.Errorf("statuses %v", seen)
	}
}

// A shape has r regions of ⌈m'/r⌉ cells, except for the last ones, and they cover the cells.
func TestRegions(t *testing.T) {
	for _, test := range []struct {
		shape     Shape
		per, used int
	}{
		{letter, 9, 24}, {Shape{32, 4, 3}, 7, 4}, {Shape{240, 7, 6}, 34, 7}, {Shape{16, 6, 4}, 2, 5},
		{Shape{100, 30, 2}, 3, 24}, {Shape{240, 120, 5}, 1, 120}, {Shape{2, 1, 1}, 1, 1},
	} {
		s := test.shape
		if s.RegionCells() != test.per || s.UsedRegions() != test.used {
			t.Errorf("%v: regions of %d, %d used, want %+v", s, s.RegionCells(), s.UsedRegions(),
				test)
		}
		a, err := NewArray(s)
		if err != nil {
			t.Fatal(err)
		}
		for cell := range uint64(s.Cells()) {
			a.InsertAt([]uint64{cell, cell})
		}
		if c := a.Count(); c != (Counts{Ones: s.Cells(), Collided: s.UsedRegions()}) {
			t.Errorf("%v: %+v of an array that is full", s, c)
		}
	}
}

func TestShapesThatThereAreNot(t *testing.T) {
	for field, all := range map[string][]Shape{
		"Bits":    {{}, {1, 1, 1}, {-4, 1, 1}, {0, 0, 1}},
		"Regions": {{10, 0, 1}, {10, -1, 1}, {10, 6, 1}, {11, 6, 1}},
		"Hashes":  {{10, 5, 0}, {10, 5, -1}, {10, 5, MaxHashes + 1}},
	} {
		for _, s := range all {
			var sizing *filter.SizingError
			if a, err := NewArray(s); a != nil || !errors.As(err, &sizing) ||
				sizing.Field != field {
				t.Errorf("%+v: %v, want an error of %s", s, err, field)
			}
		}
	}
}

// The merge of two arrays is the array of the inserts of both, bit for bit.
func TestArraysMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, s := range shapes {
		for range 20 {
			a, b, both := newArray(s), newArray(s), newArray(s)
			for range 1 + s.Cells()/s.Hashes/2 {
				hash := rng.Uint64()
				if both.Insert(hash); rng.IntN(2) == 0 {
					a.Insert(hash)
				} else {
					b.Insert(hash)
				}
			}
			if a.merge(b); !slices.Equal(a.words, both.words) {
				t.Fatalf("%v: merged %x, inserted %x", s, a.words, both.words)
			}
		}
	}
}

// Division by multiplication is exact for every number that a cell can have.
func TestDivisor(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const end = uint64(1) << 39
	if filter.MaxBits > end {
		t.Errorf("%d bits, of which %d can be divided", uint64(filter.MaxBits), end)
	}
	divisors := []uint64{1, 2, 3, 5, 7, 9, 1<<25 - 1, 1 << 25, 1<<25 + 1, 1<<31 + 1,
		end/2 + 1, end - 1, end}
	for range 1000 {
		divisors = append(divisors, 1+rng.Uint64()>>(25+rng.IntN(38)))
	}
	for _, d := range divisors {
		divisor := divisorOf(d)
		for range 1000 {
			x := rng.Uint64() >> (25 + rng.IntN(38))
			for _, x := range []uint64{x, x / d * d, x/d*d + d - 1, x/d*d - 1, end - 1} {
				if got := divisor.divide(x); x < end && got != x/d {
					t.Fatalf("%d / %d is %d, got %d", x, d, x/d, got)
				}
			}
		}
	}
}
