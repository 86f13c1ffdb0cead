package spectral

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/filter/internal/counters"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// store is counters, of which each key has k. If the same counter comes twice among those of a key,
// it is raised twice and lowered twice. A counter that has reached the highest value stays there.
type store interface {
	query(hash uint64) bool              // is none of a key's 0
	queryGroup(hashes []uint64) uint64   // of up to 64 keys, bit i for hash i
	minimum(hash uint64) uint64          // the least of a key's
	raise(hash, by uint64) (a, b uint64) // the two least as they were
	raiseTo(hash, least uint64)          // those that are lower
	lower(hash uint64) uint64            // by one, unless they are 0; the least as it was
	touch(hashes []uint64) uint64        // has the cache fetch the counters of keys
	merge(from store)
	reserve(room float64) // in bits for each counter
	highest() uint64
	used() int // counters above 0
	bytes() int
	words() []uint64 // of a file
	clear()
}

// size is the size of a store. A width of 0 is counters of variable length.
type size struct {
	counters uint64
	width    int
	hashes   int
}

// sizeOf returns the smallest size of at least n counters.
func sizeOf(n uint64, width, hashes int) size {
	if width > 0 {
		per := cells.Shape{Width: width}.PerWord()
		return size{(n + per - 1) / per * per, width, hashes}
	}
	return size{counters.ShapeOf(n).Counters(), 0, hashes}
}

func (s size) cells() cells.Shape {
	shape := cells.Shape{Width: s.width, Hashes: s.hashes}
	shape.Words = s.counters / shape.PerWord()
	return shape
}

// bytes returns the memory of the counters. If they have a variable length, room is the bits that
// are reserved for each.
func (s size) bytes(room float64) float64 {
	if s.width > 0 {
		return 8 * float64(s.cells().Words)
	}
	return counters.ShapeOf(s.counters).Bytes(room)
}

func (s size) store(room float64) store {
	if s.width > 0 {
		return &fixed{cells.New(s.cells())}
	}
	return &variable{counters.New(counters.ShapeOf(s.counters), room), s.hashes}
}

// storeIn returns the store of the words of a section. Those of a fixed width are its memory. room
// returns the bits to reserve for each counter. The error is a *[file.Error].
func (s size) storeIn(section string, words []uint64, room func() float64) (store, error) {
	if found := sizeOf(s.counters, s.width, s.hashes); found != s {
		return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("%d %s", s.counters, section),
			fmt.Sprintf("%d in all words or pages", found.counters))
	}
	if s.width > 0 && uint64(len(words)) == s.cells().Words {
		return &fixed{cells.Of(s.cells(), words)}, nil
	}
	if s.width == 0 {
		if a, ok := counters.Of(counters.ShapeOf(s.counters), room(), words); ok {
			return &variable{a, s.hashes}, nil
		}
	}
	return nil, file.Wrong(file.ErrBounds, fmt.Sprintf("a section %s of other words", section),
		fmt.Sprintf("those of %d counters", s.counters))
}

// variable is counters of variable length.
type variable struct {
	array *counters.Array
	k     int
}

func (s *variable) query(hash uint64) bool { return s.queryFrom(hash, s.k) }

// queryFrom queries the last k counters of a key, after x.
func (s *variable) queryFrom(x uint64, k int) bool {
	for range k {
		x = probe.Next(x)
		if !s.array.Used(s.array.At(x)) {
			return false
		}
	}
	return true
}

// rounds is how many counters of a group's keys are looked at together, before each key that is
// left is queried by itself.
const rounds = 3

func (s *variable) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	copy(xs[:], hashes)
	present = ^uint64(0) >> (64 - len(hashes))
	together := min(rounds, s.k)
	for range together {
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			if !s.array.Used(s.array.At(xs[i])) {
				present &^= 1 << i
			}
		}
	}
	for rest := present; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % 64
		if !s.queryFrom(xs[i], s.k-together) {
			present &^= 1 << i
		}
	}
	return present
}

func (s *variable) minimum(hash uint64) (least uint64) {
	least = math.MaxUint64
	for range s.k {
		hash = probe.Next(hash)
		if least = min(least, s.array.Get(s.array.At(hash))); least == 0 {
			break
		}
	}
	return least
}

func (s *variable) raise(hash, n uint64) (least, second uint64) {
	least, second = math.MaxUint64, math.MaxUint64
	for range s.k {
		hash = probe.Next(hash)
		was := s.array.Raise(s.array.At(hash), n)
		second = min(second, max(least, was)) // in this form there is no branch to mispredict
		least = min(least, was)
	}
	return least, second
}

func (s *variable) raiseTo(hash, least uint64) {
	for range s.k {
		hash = probe.Next(hash)
		s.array.RaiseTo(s.array.At(hash), min(least, counters.Highest))
	}
}

func (s *variable) lower(hash uint64) (least uint64) {
	least = math.MaxUint64
	for range s.k {
		hash = probe.Next(hash)
		least = min(least, s.array.Lower(s.array.At(hash)))
	}
	return least
}

// touch is not inlined, so that the compiler does not remove its loads.
//
//go:noinline
func (s *variable) touch(hashes []uint64) (sum uint64) {
	for _, hash := range hashes {
		for range s.k {
			hash = probe.Next(hash)
			sum += s.array.Touch(s.array.At(hash))
		}
	}
	return sum
}

func (s *variable) merge(from store) {
	other := from.(*variable).array
	for i := range other.Counters() {
		if value := other.Get(other.Index(i)); value > 0 {
			s.array.Raise(s.array.Index(i), value)
		}
	}
}

func (s *variable) used() int {
	used, _ := s.array.Count()
	return used
}

func (s *variable) reserve(room float64) { s.array.Reserve(room) }
func (s *variable) highest() uint64      { return counters.Highest }
func (s *variable) bytes() int           { return s.array.Bytes() }
func (s *variable) words() []uint64      { return s.array.Words() }
func (s *variable) clear()               { s.array.Clear() }

// fixed is counters of a fixed width.
type fixed struct{ cells.Array }

func (s *fixed) query(hash uint64) bool            { return s.Query(hash) }
func (s *fixed) queryGroup(hashes []uint64) uint64 { return s.QueryGroup(hashes) }

func (s *fixed) minimum(hash uint64) (least uint64) {
	least = math.MaxUint64
	for range s.Hashes {
		hash = probe.Next(hash)
		word, shift := s.Cell(hash)
		least = min(least, *word>>shift&s.Highest)
	}
	return least
}

func (s *fixed) raise(hash, n uint64) (least, second uint64) {
	least, second = math.MaxUint64, math.MaxUint64
	for range s.Hashes {
		hash = probe.Next(hash)
		word, shift := s.Cell(hash)
		was := *word >> shift & s.Highest
		*word += min(n, s.Highest-was) << shift
		second = min(second, max(least, was)) // in this form there is no branch to mispredict
		least = min(least, was)
	}
	return least, second
}

func (s *fixed) raiseTo(hash, least uint64) {
	least = min(least, s.Highest)
	for range s.Hashes {
		hash = probe.Next(hash)
		word, shift := s.Cell(hash)
		was := *word >> shift & s.Highest
		*word += (max(was, least) - was) << shift
	}
}

func (s *fixed) lower(hash uint64) (least uint64) {
	least = math.MaxUint64
	for range s.Hashes {
		hash = probe.Next(hash)
		word, shift := s.Cell(hash)
		was := *word >> shift & s.Highest
		if was > 0 && was < s.Highest {
			*word -= 1 << shift
		}
		least = min(least, was)
	}
	return least
}

// touch does nothing. In the other methods no address depends on what was loaded, so their cache
// misses overlap.
func (s *fixed) touch([]uint64) uint64 { return 0 }

func (s *fixed) merge(from store) {
	for i, word := range from.(*fixed).Packed {
		sum := uint64(0)
		for shift := 0; shift+s.Width <= 64; shift += s.Width {
			sum |= min(s.Packed[i]>>shift&s.Highest+word>>shift&s.Highest, s.Highest) << shift
		}
		s.Packed[i] = sum
	}
}

func (s *fixed) used() int {
	used, _ := s.Count()
	return used
}

func (s *fixed) reserve(float64) {}
func (s *fixed) highest() uint64 { return s.Highest }
func (s *fixed) bytes() int      { return 8 * len(s.Packed) }
func (s *fixed) words() []uint64 { return s.Packed }
func (s *fixed) clear()          { clear(s.Packed) }
