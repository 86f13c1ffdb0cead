package retouched

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// Base is a filter that can be retouched: a *[plain.Filter], blocked or not, or a *[deletable.Filter], whose
// members may have been deleted.
type Base interface {
	filter.Stored
	filter.Clearer
}

// shape is where the bits of a key are: in a block, slots of them in each lane of it from lane first on.
type shape struct {
	bits, block, lane uint64 // bits of each
	first             uint64
	slots             int
}

// shapeOf returns the shape of a filter.
func shapeOf(of Base) (shape, error) {
	if of != nil && of.Closed() {
		return shape{}, filter.ErrClosed
	}
	switch f := of.(type) {
	case *plain.Filter:
		bits := uint64(f.Bits())
		block := bits
		if f.Blocked() {
			block = plain.BlockBits
		}
		return shape{bits, block, block, 0, f.Hashes()}, nil
	case *deletable.Filter:
		const block = uint64(8 * deletable.BlockBytes)
		return shape{uint64(f.Blocks()) * block, block, block / fallback.Lanes, fallback.CollisionLanes, 1}, nil
	}
	return shape{}, wrong("Base", fmt.Sprintf("%T", of), "a *plain.Filter or a *deletable.Filter")
}

// hashes returns k, the number of bits of a key.
func (s shape) hashes() int { return s.slots * int(s.block/s.lane-s.first) }

// data reports whether a bit is one of keys.
func (s shape) data(position uint64) bool { return position%s.block >= s.first*s.lane }

// clone returns a filter like of, in memory of its own.
func clone(of Base) Base {
	if f, ok := of.(*plain.Filter); ok {
		return f.Clone()
	}
	return of.(*deletable.Filter).Clone()
}

// wordsOf returns the words that the bits of a filter lie in, and what keeps them alive.
func wordsOf(of Base) ([]uint64, any, error) {
	c, err := of.Contents()
	if err != nil {
		return nil, nil, err
	}
	return c.Sections[0].Words, c, nil
}

// scan returns the part of the bits that are set, and the false-positive rate of these bits.
func scan(of Base) (fill, rate float64) {
	if f, ok := of.(*plain.Filter); ok {
		s := f.Stats()
		return s.Fill, s.Rate
	}
	s := of.(*deletable.Filter).Stats()
	return s.Fill, s.Rate
}
