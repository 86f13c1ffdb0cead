package plain

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/bloom"
)

// table is the bits of a filter, 64 a word, the least significant first, and zeros behind them.
type table struct {
	bloom.Table
	members, inserts, hashes, bits uint64
	blocked                        bool
}

var _ base.Flat = (*table)(nil)

// newTable returns an empty table.
func newTable(s bloom.Shape, members int, blocked bool) *table {
	return &table{Table: bloom.Table{Shape: s, Words: base.New(s.Words())},
		members: uint64(members), hashes: uint64(s.Hashes), bits: s.Bits(), blocked: blocked}
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return []base.Number{
		base.Members(&t.members),
		base.Inserts(&t.inserts),
		{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
		{Name: "bits", Value: &t.bits, Low: 1, High: filter.MaxBits},
	}
}

// Fit implements [base.Table].
func (t *table) Fit(bits []uint64) error {
	size := bloom.Shape{Blocks: 1, Span: t.bits, Hashes: int(t.hashes)}
	if t.blocked {
		size.Blocks, size.Span = t.bits/BlockBits, BlockBits
	}
	if size.Bits() != t.bits || size.Words() != uint64(len(bits)) {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of %d bits", len(bits), t.bits),
			fmt.Sprintf("%d words", size.Words()))
	}
	if used := t.bits % 64; used != 0 && bits[len(bits)-1]>>used != 0 {
		return file.Wrong(file.ErrBounds, "bits behind the last", "zeros")
	}
	t.Table = bloom.Table{Shape: size, Words: bits}
	return nil
}

// Memory implements [base.Table].
func (t *table) Memory() []uint64 { return t.Words }

// State implements [base.Table]. It is what the number of inserts lets expect. Fill and Rate are
// too high after [Filter.ClearBits]; [Filter.Stats] counts the bits.
func (t *table) State() filter.State {
	n := int(t.inserts)
	return filter.State{Members: float64(n), Fill: t.Fill(n), Rate: t.Rate(n)}
}

// Scan implements [base.Table].
func (t *table) Scan() (fill, most float64) {
	ones, _ := t.Count()
	bits := float64(t.Bits())
	return float64(ones) / bits, float64(t.Hashes) / bits
}

func (t *table) count(inserts int) { t.inserts = base.Total(t.inserts, uint64(inserts)) }

func (t *table) merge(from *table) {
	for i, word := range from.Words {
		t.Words[i] |= word
	}
}
