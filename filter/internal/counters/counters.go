package counters

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/internal/probe"
)

const (
	// PageCounters is the largest number of counters of a page.
	PageCounters = groups * groupCounters

	// Highest is the highest value of a counter.
	Highest = 4_467_874_402_903

	groups        = 8
	groupCounters = 64
	header        = groups / perWord // words
	perWord       = 4                // ends of groups
	endBits       = 64 / perWord
	everyEnd      = 0x0001_0001_0001_0001

	levels = 14
	grain  = 4 // words that a page grows by
)

// widths are the bits of the value that each level adds; before are those below it, and base is the
// first value that ends at it.
var (
	widths = [levels]uint64{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}
	before = sums(func(level int) uint64 { return widths[level] })
	base   = sums(func(level int) uint64 { return 1 << (before[level] + widths[level]) })
)

func sums(of func(level int) uint64) (all [levels]uint64) {
	for i := 1; i < levels; i++ {
		all[i] = all[i-1] + of(i-1)
	}
	return all
}

// Shape is the geometry of an array.
type Shape struct{ Pages, PerPage uint64 }

// ShapeOf returns the smallest shape that has a number of counters, at least 1.
func ShapeOf(counters uint64) Shape {
	pages := (counters + PageCounters - 1) / PageCounters
	return Shape{pages, (counters + pages - 1) / pages}
}

// Counters returns m, the number of counters.
func (s Shape) Counters() uint64 { return s.Pages * s.PerPage }

// least returns the words of an empty page.
func (s Shape) least() uint64 { return header + (s.PerPage+63)/64 }

// words returns the words that a page takes for a number of bits, with some to spare.
func (s Shape) words(bits uint64) int {
	words := int(bits+63) / 64
	unit := grain
	if words > 16*grain {
		unit = 4 * grain
	}
	return (words + unit - 1) / unit * unit
}

// Bytes returns the memory of an array whose pages have room for a number of bits per counter.
func (s Shape) Bytes(bitsPerCounter float64) float64 {
	return float64(s.Pages) * (slice + float64(8*float64(s.room(bitsPerCounter))))
}

func (s Shape) room(bitsPerCounter float64) int {
	return s.words(header*64 + uint64(float64(s.PerPage)*max(1, bitsPerCounter)))
}

const slice = 24 // bytes

// Array is counters.
type Array struct {
	Shape
	pages [][]uint64
	room  int // words that a page has at least
	code  code
}

// New returns counters that are 0, in pages with room for a number of bits per counter.
func New(s Shape, bitsPerCounter float64) *Array {
	a := unmade(s, bitsPerCounter)
	for i := range a.pages {
		a.pages[i] = make([]uint64, a.room)
	}
	a.Clear()
	return a
}

// unmade returns an array without its pages, where there is memory for these.
func unmade(s Shape, bitsPerCounter float64) *Array {
	hugepage.Require(int64(s.Bytes(bitsPerCounter)))
	return &Array{Shape: s, pages: make([][]uint64, s.Pages), room: s.room(bitsPerCounter)}
}

// Clear sets all counters to 0.
func (a *Array) Clear() {
	for i, page := range a.pages {
		clear(page)
		page = page[:a.room]
		for g := range uint64(groups) {
			setEnd(page, g, header*64+min(a.PerPage, (g+1)*groupCounters))
		}
		a.pages[i] = page
	}
}

// Place is where a counter is.
type Place struct {
	page    uint32
	counter uint16
}

// At returns the place of a uniform x: the upper half of a product is the page, and its lower half
// chooses the counter, so there is no division.
func (a *Array) At(x uint64) Place {
	page, rest := bits.Mul64(x, a.Pages)
	return Place{uint32(page), uint16(probe.Reduce(rest, a.PerPage))}
}

// Index returns the place of counter i.
func (a *Array) Index(i uint64) Place {
	return Place{uint32(i / a.PerPage), uint16(i % a.PerPage)}
}

// Touch reads the word that a read of the counter needs first, without a jump, so that it is in the
// cache soon.
func (a *Array) Touch(p Place) uint64 {
	page := a.pages[p.page]
	return page[start(page, uint64(p.counter)/groupCounters)/64]
}

// start returns where a group starts.
func start(page []uint64, group uint64) uint64 {
	start := end(page, (group-1)%groups)
	if group == 0 {
		start = header * 64
	}
	return start
}

func end(page []uint64, group uint64) uint64 {
	return page[group/perWord] >> (group % perWord * endBits) & (1<<endBits - 1)
}

func setEnd(page []uint64, group, end uint64) {
	page[group/perWord] += end << (group % perWord * endBits)
}

// moveEnds adds n, which may be below 0, to the ends from a group on.
func moveEnds(page []uint64, group, n uint64) {
	page[group/perWord] += n * (everyEnd << (group % perWord * endBits))
	for i := group/perWord + 1; i < header; i++ {
		page[i] += n * everyEnd
	}
}

// level is a counter in one level of its group: the level begins at a bit of the page with the bits
// of n counters, of which this is the rank-th.
type level struct{ start, n, rank uint64 }

// first returns level 0 of a counter.
func (a *Array) first(page []uint64, p Place) (l level, group uint64) {
	group, l.rank = uint64(p.counter)/groupCounters, uint64(p.counter)%groupCounters
	l.start = start(page, group)
	l.n = min(groupCounters, a.PerPage-group*groupCounters)
	return l, group
}

// next returns the level after the j-th, as a counter that goes on to it has it.
func (l level) next(page []uint64, j int) level {
	ones := load(page, l.start, l.n)
	below := ones & (1<<l.rank - 1)
	return level{
		l.start + l.n + l.n*widths[j],
		uint64(bits.OnesCount64(ones)), uint64(bits.OnesCount64(below)),
	}
}

func (l level) more(page []uint64) bool {
	return page[(l.start+l.rank)/64]>>((l.start+l.rank)%64)&1 != 0
}

// payload returns where the bits of the value are.
func (l level) payload(j int) uint64 { return l.start + l.n + l.rank*widths[j] }

// Get returns a counter.
func (a *Array) Get(p Place) uint64 {
	page := a.pages[p.page]
	l, _ := a.first(page, p)
	if !l.more(page) {
		return 0
	}
	value := uint64(0)
	for j := 1; ; j++ {
		l = l.next(page, j-1)
		if widths[j] > 0 {
			value |= load(page, l.payload(j), widths[j]) << before[j]
		}
		if !l.more(page) {
			return base[j] + value
		}
	}
}

// Used reports whether a counter is above 0.
func (a *Array) Used(p Place) bool {
	page := a.pages[p.page]
	at := start(page, uint64(p.counter)/groupCounters) + uint64(p.counter)%groupCounters
	return page[at/64]>>(at%64)&1 != 0
}

// Set sets a counter to a value, up to Highest.
func (a *Array) Set(p Place, value uint64) {
	a.read(p)
	a.write(value)
}

// Raise adds a number to a counter, which stays at Highest, and returns what it was.
func (a *Array) Raise(p Place, by uint64) (was uint64) {
	was = a.read(p)
	a.write(was + min(by, Highest-was))
	return was
}

// RaiseTo makes a counter a value, up to Highest, if it is lower.
func (a *Array) RaiseTo(p Place, value uint64) {
	if a.read(p) < value {
		a.write(value)
	}
}

// Lower takes one from a counter, unless it is 0 or Highest, and returns what it was.
func (a *Array) Lower(p Place) (was uint64) {
	if was = a.read(p); was > 0 && was < Highest {
		a.write(was - 1)
	}
	return was
}

// code is the code in its page of the counter that is written.
type code struct {
	page   uint32
	group  uint64
	top    int // the level that it ends at
	levels [levels]level
}

// read finds the code of a counter that is to be written, and returns its value.
func (a *Array) read(p Place) (value uint64) {
	c, page := &a.code, a.pages[p.page]
	c.page, c.top = p.page, 0
	l, group := a.first(page, p)
	c.group = group
	c.levels[0] = l
	for l.more(page) {
		l = l.next(page, c.top)
		c.top++
		c.levels[c.top] = l
		if widths[c.top] > 0 {
			value |= load(page, l.payload(c.top), widths[c.top]) << before[c.top]
		}
	}
	return base[c.top] + value
}

// write writes the counter that was read.
func (a *Array) write(value uint64) {
	c, to := &a.code, levelOf(value)
	rest := value - base[to]
	if to > c.top {
		a.lengthen(to)
	} else if to < c.top {
		a.shorten(to)
	}
	page := a.pages[c.page]
	for j := 2; j <= to; j++ {
		store(page, c.levels[j].payload(j), widths[j], rest>>before[j])
	}
}

// levelOf returns the level that a value ends at.
func levelOf(value uint64) int {
	for j := 1; j < levels; j++ {
		if value < base[j] {
			return j - 1
		}
	}
	if value > Highest {
		panic(fmt.Sprintf("counters: %d is above %d", value, uint64(Highest)))
	}
	return levels - 1
}

// Length returns the bits of the code of a value, up to Highest.
func Length(value uint64) uint64 {
	level := levelOf(value)
	return uint64(level) + 1 + before[level] + widths[level]
}

// lengthen makes the counter that was read one that ends at a higher level, to.
func (a *Array) lengthen(to int) {
	c := &a.code
	// as Length has it
	longer := uint64(to-c.top) + before[to] + widths[to] - before[c.top] - widths[c.top]
	page := a.pages[c.page]
	last := end(page, groups-1)
	if last+longer > uint64(64*len(page)) {
		page = a.grow(c.page, last+longer)
	}
	moveEnds(page, c.group, longer)
	for l := c.levels[c.top]; c.top < to; {
		next := l.next(page, c.top)
		c.top++
		page[(l.start+l.rank)/64] |= 1 << ((l.start + l.rank) % 64)
		next.n++
		widen(page, next.start+next.rank, 1, last)
		last++
		if width := widths[c.top]; width > 0 {
			widen(page, next.payload(c.top), width, last)
			last += width
		}
		c.levels[c.top] = next
		l = next
	}
}

// shorten makes the counter that was read one that ends at a lower level, to.
func (a *Array) shorten(to int) {
	c := &a.code
	page := a.pages[c.page]
	last, longer := end(page, groups-1), uint64(0)
	for ; c.top > to; c.top-- {
		l, width := c.levels[c.top], widths[c.top]
		if width > 0 {
			narrow(page, l.payload(c.top), width, last-longer)
			longer += width
		}
		narrow(page, l.start+l.rank, 1, last-longer)
		longer++
	}
	l := c.levels[to]
	page[(l.start+l.rank)/64] &^= 1 << ((l.start + l.rank) % 64)
	moveEnds(page, c.group, -longer)
	a.pages[c.page] = page[:max(a.room, a.words(last-longer))]
}

// grow gives a page room for a number of bits.
func (a *Array) grow(counter uint32, bits uint64) []uint64 {
	page, words := a.pages[counter], a.words(bits)
	if words > cap(page) {
		page = append(make([]uint64, 0, words), page...)
	}
	a.pages[counter] = page[:words]
	return a.pages[counter]
}

// Reserve makes the room of pages another number of bits per counter.
func (a *Array) Reserve(bitsPerCounter float64) {
	a.room = a.Shape.room(bitsPerCounter)
	for i, page := range a.pages {
		a.grow(uint32(i), max(end(page, groups-1), uint64(64*a.room)))
	}
}

// Count returns how many counters are above 0, and the bits of all codes and of the pages' indices.
func (a *Array) Count() (used int, size uint64) {
	for _, page := range a.pages {
		start := uint64(header * 64)
		for g := range uint64(groups) {
			stop := end(page, g)
			if stop > start {
				used += bits.OnesCount64(load(page, start,
					min(groupCounters, a.PerPage-g*groupCounters)))
			}
			start = stop
		}
		size += start
	}
	return used, size
}

// Bytes returns the memory of the pages, and of the slices that lead to them. It leaves out memory
// that pages keep after they shrank.
func (a *Array) Bytes() int {
	words := 0
	for _, page := range a.pages {
		words += len(page)
	}
	return slice*len(a.pages) + 8*words
}

// Equal reports whether two arrays have the same counters.
func (a *Array) Equal(b *Array) bool {
	return a.Shape == b.Shape && slices.EqualFunc(a.pages, b.pages, func(p, q []uint64) bool {
		return slices.Equal(trim(p), trim(q))
	})
}

// trim returns the words of a page that are in use.
func trim(page []uint64) []uint64 { return page[:(end(page, groups-1)+63)/64] }

// Words returns the pages one after another, each without its spare words.
func (a *Array) Words() []uint64 {
	n := 0
	for _, page := range a.pages {
		n += len(trim(page))
	}
	hugepage.Require(8 * int64(n))
	words := make([]uint64, 0, n)
	for _, page := range a.pages {
		words = append(words, trim(page)...)
	}
	return words
}

// Of returns the counters of Words, in memory of their own. It returns false if the words are not
// those of an array of the shape. It allocates at most twelve times the memory of the words, and
// that of the pages' room.
func Of(s Shape, bitsPerCounter float64, words []uint64) (*Array, bool) {
	if s.Pages > uint64(len(words))/s.least() {
		return nil, false
	}
	a := unmade(s, bitsPerCounter)
	for i := range a.pages {
		if uint64(len(words)) < s.least() {
			return nil, false
		}
		last := end(words, groups-1)
		n := (last + 63) / 64
		if n < header || n > uint64(len(words)) || !a.valid(words[:n]) {
			return nil, false
		}
		a.pages[i] = make([]uint64, max(a.room, a.words(last)))
		copy(a.pages[i], words[:n])
		words = words[n:]
	}
	return a, len(words) == 0
}

// valid reports whether words are those of a page.
func (a *Array) valid(page []uint64) bool {
	last := uint64(header * 64)
	for g := range uint64(groups) {
		stop := end(page, g)
		start, n := last, min(a.PerPage, (g+1)*groupCounters)-min(a.PerPage, g*groupCounters)
		for j := 0; n > 0; j++ {
			size := n + n*widths[min(j, levels-1)]
			if j == levels || start+size > stop || stop > uint64(64*len(page)) {
				return false
			}
			ones := load(page, start, n)
			start, n = start+size, uint64(bits.OnesCount64(ones))
		}
		if start != stop {
			return false
		}
		last = stop
	}
	return last%64 == 0 || page[len(page)-1]>>(last%64) == 0
}
