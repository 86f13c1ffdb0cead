package base_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
)

// bitmap is a kind with one bit a key, as small as a kind can be.
type bitmap struct {
	filter.KeyedSet
	base.Body[bitmap, table, *table]
}

type table struct {
	bits             []uint64
	members, inserts uint64
	newest           uint64 // hash: a state
	queries          uint64 // no number: a filter whose queries were counted is not whole
}

func (t *table) Numbers() []base.Number {
	return []base.Number{
		base.Members(&t.members), base.Inserts(&t.inserts),
		{Name: "newest", Value: &t.newest, High: math.MaxUint64, Empty: 1, Role: base.State},
	}
}

func (t *table) Fit(bits []uint64) error {
	t.bits = bits
	return nil
}

func (t *table) Memory() []uint64 { return t.bits }

func (t *table) String() string { return fmt.Sprintf("%d words", len(t.bits)) }

func (t *table) State() filter.State {
	fill, _ := t.Scan()
	return filter.State{Members: float64(t.inserts), Fill: fill, Rate: fill, Scanned: true}
}

func (t *table) Scan() (fill, most float64) {
	used, bits := 0, 64*float64(len(t.bits))
	for i := range 64 * len(t.bits) {
		if filter.At(t.bits, i) {
			used++
		}
	}
	return float64(used) / bits, 1 / bits
}

func (t *table) place(hash uint64) (word *uint64, bit uint64) {
	return &t.bits[hash>>32*uint64(len(t.bits))>>32], 1 << (hash % 64)
}

func (t *table) insert(hash uint64) (present bool) {
	word, bit := t.place(hash)
	present = *word&bit != 0
	*word |= bit
	t.newest = hash
	return present
}

func (t *table) count(inserts int) { t.inserts = base.Total(t.inserts, uint64(inserts)) }

func (t *table) query(hash uint64) bool {
	word, bit := t.place(hash)
	return *word&bit != 0
}

func (t *table) queryGroup(hashes []uint64) (present uint64) {
	for i, hash := range hashes {
		if t.query(hash) {
			present |= 1 << i
		}
	}
	return present
}

var kind = &base.Class[bitmap, table]{
	Name: "bitmap", Source: "nobody", Promises: base.NoFalseNegatives, Section: "bits",
	Bind: func(f *bitmap, k key.Key) { f.KeyedSet = filter.NewKeyedSet(k, f) },
}

func newBitmap(s filter.Sizing) (*bitmap, error) {
	if err := s.Check(kind.Name); err != nil {
		return nil, err
	}
	bits := float64(s.Bits())
	if s.Rate > 0 {
		bits = float64(s.Members) / s.Rate // which are set for as large a part
	}
	if bits > filter.MaxBits {
		return nil, &filter.SizingError{Kind: kind.Name, Field: "Rate", Found: s.Rate,
			Expected: "one that fewer bits keep"}
	}
	t := &table{members: uint64(s.Members), newest: 1, bits: base.New(uint64(bits)/64 + 1)}
	return base.Make(kind, t, s.Key)
}

func (f *bitmap) InsertHash(hash uint64) (present bool, err error) {
	t := base.Live(&f.Body)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.insert(hash)
	t.count(1)
	runtime.KeepAlive(t)
	return present, nil
}

func (f *bitmap) QueryHash(hash uint64) bool {
	t := base.Open(&f.Body)
	present := t.query(hash)
	runtime.KeepAlive(t)
	return present
}

func (f *bitmap) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	return base.InsertBatch(&f.Body, hashes, present, (*table).insert, (*table).count)
}

func (f *bitmap) QueryHashBatch(hashes, present []uint64) (count int) {
	return base.QueryBatch(&f.Body, hashes, present, (*table).queryGroup)
}

// A kind that is no more than a table and its operations keeps all laws.
func TestLaws(t *testing.T) { filtertest.Run(t, base.Describe(kind, newBitmap)) }

// A counter that Numbers forgets is found: nothing else says that files and copies lack it.
func TestCheckWhole(t *testing.T) {
	f, err := newBitmap(filter.Sizing{Members: 100, BitsPerKey: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.InsertHash(5); err != nil {
		t.Fatal(err)
	}
	if err := base.CheckWhole(f); err != nil {
		t.Error(err)
	}
	base.Open(&f.Body).queries++
	if err := base.CheckWhole(f); err == nil || !strings.Contains(err.Error(), "queries") {
		t.Errorf("a forgotten counter: %v", err)
	}
}
