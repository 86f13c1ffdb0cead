package bitwise

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/internal/cells"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// rounds is how many cells of each key of a group are looked at together, before each key that is
// left is queried by itself, as in package cells.
const rounds = 3

// most is above every count, and the sum of two such counts is a uint64.
const most = 1 << 62

// table is the levels of a filter, which lie one after another in words. The cells of a level are
// as many to a word as fit, the lowest first.
type table struct {
	levels []level
	words  []uint64

	sizes           []uint64 // of each level, from the first up: its words and its width
	planned, hashes uint64
	history         base.History
}

var _ base.Sectioned = (*table)(nil)

// level is the cells of a level. The value of a cell is its low bits and, above them, what it has
// carried to the next level. One that is not marked has carried nothing that it has not borrowed
// back.
type level struct {
	cells.Array
	width     int // of low
	low, mark uint64
}

// newTable returns an empty table of a shape that is checked.
func newTable(s Shape, members int) *table {
	t := &table{planned: uint64(members), hashes: uint64(s.Hashes)}
	for _, l := range s.Levels {
		t.sizes = append(t.sizes, uint64(l.Words), uint64(l.Width))
	}
	t.use(base.New(uint64(s.Words())))
	return t
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return append(t.history.Numbers(),
		base.Members(&t.planned),
		base.Number{Name: "hashes", Value: &t.hashes, Low: 1, High: MaxHashes},
	)
}

// Names implements [base.Sectioned].
func (t *table) Names() []string { return []string{"levels", "cells"} }

// FitSections implements [base.Sectioned].
func (t *table) FitSections(sections [][]uint64) error {
	sizes, cells := sections[0], sections[1]
	if len(sizes)%2 != 0 || len(sizes) > 2*MaxLevels {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of levels", len(sizes)),
			fmt.Sprintf("2 to %d, two a level", 2*MaxLevels))
	}
	t.sizes = sizes
	size := t.shape()
	if err := size.Check(); err != nil {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("levels of %v words and bits", t.sizes),
			err.Error())
	}
	if size.Words() != len(cells) {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of cells", len(cells)),
			fmt.Sprint(size.Words()))
	}
	t.use(cells)
	return nil
}

// use takes words as the memory.
func (t *table) use(words []uint64) {
	t.words, t.levels = words, nil
	size := t.shape()
	for _, l := range size.Levels {
		shape := cells.Shape{Words: uint64(l.Words), Width: l.bits(), Hashes: size.Hashes}
		a := cells.Of(shape, words[:l.Words:l.Words])
		low := a.Highest >> (l.bits() - l.Width)
		t.levels = append(t.levels, level{a, l.Width, low, a.Highest &^ low})
		words = words[l.Words:]
	}
}

// shape returns the shape that the numbers and the sizes say.
func (t *table) shape() Shape {
	s := Shape{Hashes: int(t.hashes)}
	for i := 0; i < len(t.sizes); i += 2 {
		// more is refused
		l := Level{int(min(t.sizes[i], filter.MaxBits)), int(min(t.sizes[i+1], lastWidth+1))}
		s.Levels = append(s.Levels, l)
	}
	return s
}

// Sections implements [base.Sectioned].
func (t *table) Sections() [][]uint64 { return [][]uint64{t.sizes, t.words} }

// Copies implements [base.Sectioned].
func (t *table) Copies() bool { return false }

// Clear implements [base.Sectioned].
func (t *table) Clear() { clear(t.words) }

// Renew implements [base.Sectioned].
func (t *table) Renew() { t.use(base.New(uint64(len(t.words)))) }

// String implements [base.Table].
func (t *table) String() string { return t.shape().String() }

// State implements [base.Table]. It scans the first level; of a large one it scans 2^14 words at
// equal distances.
func (t *table) State() filter.State {
	fill := t.scan()
	return filter.State{
		Bytes: 8 * len(t.words), Members: float64(t.history.Members()), Fill: fill,
		Rate: elementary.Pow(fill, float64(t.hashes)), Scanned: true,
	}
}

// Scan implements [base.Table]. Of a large filter it looks at 2^14 words at equal distances.
func (t *table) Scan() (fill, most float64) {
	// In each level a carry may be seen by a cell of the level before it.
	l := &t.levels[0]
	return t.scan(), float64(len(t.levels)*l.Hashes) / float64(l.Cells())
}

// admit counts inserts. If they are too many it returns an error and counts none.
func (t *table) admit(times uint64) error {
	if members := uint64(t.history.Members()); times > MaxCount || members > MaxCount-times {
		return &FullError{int(members), times}
	}
	t.history.Inserts = base.Total(t.history.Inserts, times)
	return nil
}

// admitAll returns an error if the members of another table are too many.
func (t *table) admitAll(from *table) error {
	ours, theirs := uint64(t.history.Members()), uint64(from.history.Members())
	if ours > MaxCount || theirs > MaxCount-ours {
		return &FullError{int(ours), theirs}
	}
	return nil
}

// next returns the cell of the next level that a cell carries to. A product alone is no hash of
// numbers that follow one another: its upper half would be evenly spread over them.
func (t *table) next(at int, word, cell uint64) (nextWord, nextCell uint64) {
	return t.levels[at+1].At(above(at, word, cell))
}

// above returns the hash of a cell.
func above(at int, word, cell uint64) uint64 {
	x := probe.Next(word<<9 | cell<<3 | uint64(at) + 1)
	x ^= x >> 32
	x = probe.Next(x)
	return x ^ x>>32
}

// add adds to the cells of a key.
func (t *table) add(hash, times uint64) {
	l := &t.levels[0]
	for range l.Hashes {
		hash = probe.Next(hash)
		word, cell := l.At(hash)
		shift := cell * uint64(l.Width) % 64
		if l.Packed[word]>>shift&l.low+times <= l.low {
			l.Packed[word] += times << shift
			continue
		}
		t.addAt(0, word, cell, times)
	}
}

// addAt adds to a cell. What its bits do not hold is carried to its cell in the next level.
func (t *table) addAt(level int, word, cell, times uint64) {
	for {
		l := &t.levels[level]
		shift := cell * uint64(l.Width) % 64
		code := l.Packed[word] >> shift
		sum := code&l.low + times
		if times = sum >> l.width; times > 0 {
			code |= l.mark
		}
		l.Packed[word] = l.Packed[word]&^(l.Highest<<shift) | (code&l.mark|sum&l.low)<<shift
		if times == 0 {
			return
		}
		word, cell = t.next(level, word, cell)
		level++
	}
}

// take takes one from the cells of a key, and reports whether one went to 0.
func (t *table) take(hash uint64) (gone bool) {
	l := &t.levels[0]
	for range l.Hashes {
		hash = probe.Next(hash)
		word, cell := l.At(hash)
		t.takeAt(0, word, cell)
		if l.Packed[word]>>(cell*uint64(l.Width)%64)&l.Highest == 0 {
			gone = true
		}
	}
	return gone
}

// takeAt takes one from a cell, which borrows from the next level where its bits are 0. A cell of 0
// stays 0: a key that is no member may have one twice. The mark goes where nothing seems to be left
// of what was carried.
func (t *table) takeAt(level int, word, cell uint64) {
	l := &t.levels[level]
	shift := cell * uint64(l.Width) % 64
	code := l.Packed[word] >> shift & l.Highest
	borrows := code&l.low == 0
	switch {
	case !borrows:
		code--
	case t.value(level, word, cell, 1) == 0:
		return
	default:
		code |= l.low
		nextWord, nextCell := t.next(level, word, cell)
		t.takeAt(level+1, nextWord, nextCell)
	}
	if code&l.mark != 0 && (borrows || code == l.mark) {
		nextWord, nextCell := t.next(level, word, cell)
		if t.value(level+1, nextWord, nextCell, 1) == 0 {
			code &^= l.mark
		}
	}
	l.Packed[word] = l.Packed[word]&^(l.Highest<<shift) | code<<shift
}

// value returns the value of a cell, with what it has carried, or enough where it is as much.
func (t *table) value(level int, word, cell, enough uint64) (value uint64) {
	for bits := 0; ; {
		l := &t.levels[level]
		code := l.Packed[word] >> (cell * uint64(l.Width) % 64) & l.Highest
		low := code & l.low
		if low > most>>bits { // only in a file that no filter wrote
			return enough
		}
		value += low << bits
		if value >= enough || code == low {
			return min(value, enough)
		}
		bits += l.width
		word, cell = t.next(level, word, cell)
		level++
	}
}

// query reports whether no cell of a key is 0.
func (t *table) query(hash uint64) bool { return t.queryFrom(hash, t.levels[0].Hashes) }

// queryFrom queries the last k cells of a key, after x.
func (t *table) queryFrom(x uint64, k int) bool {
	l := &t.levels[0]
	for range k {
		x = probe.Next(x)
		word, cell := l.At(x)
		code := l.Packed[word] >> (cell * uint64(l.Width) % 64) & l.Highest
		if code&l.low == 0 && (code == 0 || t.value(0, word, cell, 1) == 0) {
			return false
		}
	}
	return true
}

// count returns the least value of the cells of a key.
func (t *table) count(hash uint64) uint64 {
	l, least := &t.levels[0], uint64(most)
	for range l.Hashes {
		hash = probe.Next(hash)
		word, cell := l.At(hash)
		code := l.Packed[word] >> (cell * uint64(l.Width) % 64) & l.Highest
		low := code & l.low
		switch {
		case low >= least:
		case code == low:
			least = low
		default:
			least = t.value(0, word, cell, least)
		}
		if least == 0 {
			break
		}
	}
	return least
}

// queryGroup queries up to 64 hashes. A cell of all of them is looked at, then the next of those
// that are left, so that their cache misses overlap; of those that are left then each is queried by
// itself.
func (t *table) queryGroup(hashes []uint64) (present uint64) {
	var xs [64]uint64
	l := &t.levels[0]
	together := min(rounds, l.Hashes)
	copy(xs[:], hashes)
	present = ^uint64(0) >> (64 - len(hashes))
	for range together {
		empty, borrowed := uint64(0), uint64(0) // borrowed: only the next level knows
		for rest := present; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			xs[i] = probe.Next(xs[i])
			word, shift := l.Cell(xs[i])
			code := *word >> shift & l.Highest
			empty |= (code - 1) >> 63 << i
			borrowed |= (code&l.low - 1) >> 63 << i
		}
		present &^= empty
		for rest := borrowed &^ empty; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest) % 64
			if word, cell := l.At(xs[i]); t.value(0, word, cell, 1) == 0 {
				present &^= 1 << i
			}
		}
	}
	for rest := present; rest != 0 && together < l.Hashes; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) % 64
		if !t.queryFrom(xs[i], l.Hashes-together) {
			present &^= 1 << i
		}
	}
	return present
}

// countGroup writes the counts of up to 64 hashes.
func (t *table) countGroup(hashes, counts []uint64) {
	for i, hash := range hashes {
		counts[i] = t.count(hash)
	}
}

// insert reads all cells of a key, also if one is 0: so their cache misses overlap, and there is no
// branch to mispredict.
func (t *table) insert(hash uint64) (present bool) {
	l, x := &t.levels[0], hash
	empty, borrowed := uint64(0), uint64(0)
	for range l.Hashes {
		x = probe.Next(x)
		word, shift := l.Cell(x)
		code := *word >> shift & l.Highest
		empty |= code - 1
		borrowed |= code&l.low - 1
	}
	present = empty>>63 == 0 && (borrowed>>63 == 0 || t.query(hash))
	t.add(hash, 1)
	return present
}

func (t *table) delete(hash uint64) filter.Status {
	if !t.query(hash) {
		return filter.Absent
	}
	status := filter.Retained
	if t.take(hash) || !t.query(hash) {
		status = filter.Deleted
	}
	t.history.Note(status)
	return status
}

// merge adds the cells of another table. The value of a cell is its bits, and what its cells in the
// next level have for it; so it is enough to add the bits of every cell of every level, with their
// carries and marks.
func (t *table) merge(from *table) {
	for level := range from.levels {
		l := &from.levels[level]
		for word, packed := range l.Packed {
			for cell := range l.PerWord() {
				shift := cell * uint64(l.Width) % 64
				code := packed >> shift & l.Highest
				t.levels[level].Packed[word] |= code & l.mark << shift
				t.addAt(level, uint64(word), cell, code&l.low)
			}
		}
	}
}

// sampled is how many words of the first level a scan looks at, at most.
const sampled = 1 << 14

// scan returns the part of the cells of the first level that are above 0, as queries see them: of
// all cells, or of those of words at equal distances.
func (t *table) scan() (fill float64) {
	l := &t.levels[0]
	words, per, used := min(sampled, l.Words), l.PerWord(), uint64(0)
	for i := range words {
		for cell := range per {
			used += t.value(0, i*l.Words/words, cell, 1)
		}
	}
	return float64(used) / float64(words*per)
}
