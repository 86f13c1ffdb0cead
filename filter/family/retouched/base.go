package retouched

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// Base is a filter that can be retouched: a *[plain.Filter], blocked or not, or a
// *[deletable.Filter], from which members may have been deleted.
type Base interface {
	filter.Stored
	filter.Clearer
}

// layout says where the bits of keys are: in blocks, of whose bits the first are of no key.
type layout struct{ block, first uint64 }

// layoutOf returns the layout of a filter.
func layoutOf(b Base) (layout, error) {
	if b != nil && b.Closed() {
		return layout{}, filter.ErrClosed
	}
	switch b.(type) {
	case *plain.Filter:
		return layout{block: 1}, nil
	case *deletable.Filter:
		const block = uint64(8 * deletable.BlockBytes)
		return layout{block, block / fallback.Lanes * fallback.CollisionLanes}, nil
	}
	return layout{}, wrong("Base", fmt.Sprintf("%T", b), "a *plain.Filter or a *deletable.Filter")
}

// data reports whether a bit belongs to keys.
func (l layout) data(position uint64) bool { return position%l.block >= l.first }

// clone returns a copy of a filter, in memory of its own.
func clone(b Base) Base {
	if f, ok := b.(*plain.Filter); ok {
		return f.Clone()
	}
	return b.(*deletable.Filter).Clone()
}

// equal reports whether two filters are of one kind and equal.
func equal(of, other Base) bool {
	switch f := of.(type) {
	case *plain.Filter:
		g, ok := other.(*plain.Filter)
		return ok && f.Equal(g)
	case *deletable.Filter:
		g, ok := other.(*deletable.Filter)
		return ok && f.Equal(g)
	}
	return false
}

// wordsOf returns the words that the bits of a filter lie in, and the value that keeps them alive.
func wordsOf(of Base) ([]uint64, any, error) {
	c, err := of.Contents()
	if err != nil {
		return nil, nil, err
	}
	return c.Sections[0].Words, c, nil
}

// scan returns the part of the bits that are set, and the false-positive rate of these bits.
func scan(b Base) (fill, rate float64) {
	if f, ok := b.(*plain.Filter); ok {
		s := f.Stats()
		return s.Fill, s.Rate
	}
	s := b.(*deletable.Filter).Stats()
	return s.Fill, s.Rate
}
