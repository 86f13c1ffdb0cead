package xdp

import (
	"math/bits"
	"net/netip"
	"slices"
	"sync/atomic"
	"unsafe"
)

// What program/ranges.h says of the memory of ranges.
const (
	chunks     = 1 << 16
	shortWords = 6  // of a short fragment, at most
	longForm   = 15 // of a long fragment
	everything = 16 // the descriptor of a chunk that has all of its addresses
	formBits   = 4

	pageWords  = 1 << 15 // those of fragments
	pageStride = pageWords + 8
	pageBytes  = pageStride * 8
	mostPages  = 1 << (32 - formBits - 15)
	chunkBits  = 16 // of a prefix that is a chunk
)

// ranges are prefixes of IPv4, and their union in memory that the program reads. A change writes a
// new fragment for each chunk that changes, and then the descriptors, each by one store.
type ranges struct {
	// The members, by chunk: the lengths of those that have all of it, a bit each; and those that
	// have less, in order: the low half of the first address, above the length.
	wide   [chunks]uint32
	narrow [chunks][]uint32

	memory []uint64
	next   uint32           // the first word that no fragment has had
	free   map[int][]uint32 // fragments that no packet reads, by their words
	gone   []fragment       // fragments that packets may still read
}

// fragment is a place of words, which are none where a chunk has nothing or everything.
type fragment struct {
	at    uint32
	words int
}

// descriptor is what a chunk is to have.
type descriptor struct {
	chunk    int
	value    uint32
	fragment fragment
}

// standing returns the chunk of a prefix, the first one where it has several, and how it stands
// there where it has less than one.
func standing(p netip.Prefix) (chunk int, member uint32) {
	a := p.Masked().Addr().As4()
	return int(a[0])<<8 | int(a[1]), uint32(a[2])<<16 | uint32(a[3])<<8 | uint32(p.Bits())
}

// has reports whether a prefix is a member.
func (r *ranges) has(p netip.Prefix) bool {
	chunk, member := standing(p)
	if p.Bits() <= chunkBits {
		return r.wide[chunk]>>p.Bits()&1 == 1
	}
	_, there := slices.BinarySearch(r.narrow[chunk], member)
	return there
}

// change makes a prefix a member or, if it is one, no member. It appends the chunks that change.
func (r *ranges) change(p netip.Prefix, changed []int) []int {
	chunk, member := standing(p)
	if p.Bits() <= chunkBits {
		for c := chunk; c < chunk+1<<(chunkBits-p.Bits()); c++ {
			r.wide[c] ^= 1 << p.Bits()
			changed = append(changed, c)
		}
		return changed
	}
	at, there := slices.BinarySearch(r.narrow[chunk], member)
	if there {
		r.narrow[chunk] = slices.Delete(r.narrow[chunk], at, at+1)
	} else {
		r.narrow[chunk] = slices.Insert(r.narrow[chunk], at, member)
	}
	return append(changed, chunk)
}

// encoded returns the form of a chunk, or the descriptor of one that has nothing or everything, and
// appends the words of its fragment.
func (r *ranges) encoded(chunk int, words []uint64) (form uint32, _ []uint64) {
	if r.wide[chunk] != 0 {
		return everything, words
	}
	type run struct{ first, last uint32 }
	var runs []run // of addresses that follow each other
	addresses := uint32(0)
	for _, member := range r.narrow[chunk] {
		first := member >> 8
		one := run{first, first + 1<<(32-member&0xff) - 1}
		if n := len(runs) - 1; n < 0 || first > runs[n].last+1 {
			runs = append(runs, one)
			addresses += one.last - first + 1
		} else if one.last > runs[n].last {
			addresses += one.last - runs[n].last
			runs[n].last = one.last
		}
	}
	var halves []uint16
	switch {
	case addresses == 0:
		return 0, words
	case addresses == 1<<chunkBits:
		return everything, words
	case addresses <= 4*shortWords:
		for _, one := range runs {
			for low := one.first; low <= one.last; low++ {
				halves = append(halves, uint16(low))
			}
		}
		for len(halves)%4 > 0 {
			halves = append(halves, halves[len(halves)-1])
		}
		form = uint32(len(halves) / 4)
	default:
		var goOn []uint16
		halves = append(halves, 0) // the number of entries
		entry := func(low uint32, goesOn bool) {
			n := len(halves) - 1
			if n%16 == 0 {
				goOn = append(goOn, 0)
			}
			if goesOn {
				goOn[n/16] |= 1 << (n % 16)
			}
			halves = append(halves, uint16(low))
		}
		for _, one := range runs {
			entry(one.first, one.last > one.first)
			if one.last > one.first {
				entry(one.last, false)
			}
		}
		halves[0] = uint16(len(halves) - 1)
		halves = append(halves, goOn...)
		halves = append(halves, make([]uint16, 4*rounded((len(halves)+3)/4)-len(halves))...)
		form = longForm
	}
	return form, append(words, unsafe.Slice((*uint64)(unsafe.Pointer(&halves[0])), len(halves)/4)...)
}

// placed returns where a fragment can begin behind others: it lies in one page.
func placed(next uint32, words int) uint32 {
	if room := pageWords - next%pageWords; uint32(words) > room {
		return next + room
	}
	return next
}

// position returns where the memory has a word.
func position(at uint32) int { return int(at/pageWords*pageStride + at%pageWords) }

// descriptors are those of all chunks.
func descriptors(memory []uint64) *[chunks]uint32 {
	return (*[chunks]uint32)(unsafe.Pointer(unsafe.SliceData(memory)))
}

// rounded returns the words that a fragment takes: those of the long ones have few sizes, so that
// others take their place.
func rounded(words int) int {
	unit := 1 << max(0, bits.Len(uint(words-1))-4)
	return (words + unit - 1) &^ (unit - 1)
}

// allocate returns the place of a fragment, unless there is no room.
func (r *ranges) allocate(words int) (at uint32, ok bool) {
	if free := r.free[words]; len(free) > 0 {
		r.free[words] = free[:len(free)-1]
		return free[len(free)-1], true
	}
	at = placed(r.next, words)
	if position(at)+words > len(r.memory) {
		return 0, false
	}
	r.next = at + uint32(words)
	return at, true
}

// prepare writes fragments of chunks, which no packet reads yet. If there is no room, nothing is
// changed.
func (r *ranges) prepare(changed []int) (made []descriptor, ok bool) {
	if r.memory == nil {
		return nil, false
	}
	var words []uint64
	for _, chunk := range changed {
		d := descriptor{chunk: chunk}
		d.value, words = r.encoded(chunk, words[:0])
		if len(words) > 0 {
			at, ok := r.allocate(len(words))
			if !ok {
				for _, d := range made {
					r.release(d.fragment)
				}
				return nil, false
			}
			copy(r.memory[position(at):], words)
			d.value |= at << formBits
			d.fragment = fragment{at, len(words)}
		}
		made = append(made, d)
	}
	return made, true
}

// commit puts descriptors in force.
func (r *ranges) commit(made []descriptor) {
	all := descriptors(r.memory)
	for _, d := range made {
		r.gone = append(r.gone, r.fragmentOf(all[d.chunk]))
		atomic.StoreUint32(&all[d.chunk], d.value)
	}
}

// fragmentOf returns the fragment of a descriptor.
func (r *ranges) fragmentOf(value uint32) fragment {
	f := fragment{value >> formBits, int(value % (1 << formBits))}
	if f.words == longForm {
		n := int(*(*uint16)(unsafe.Pointer(&r.memory[position(f.at)])))
		f.words = rounded((1 + n + (n+15)/16 + 3) / 4)
	}
	return f
}

// release makes fragments free, which no packet reads.
func (r *ranges) release(fragments ...fragment) {
	for _, f := range fragments {
		if f.words > 0 {
			r.free[f.words] = append(r.free[f.words], f.at)
		}
	}
}

// compiled returns memory with all members, and the first word that no fragment has.
func (r *ranges) compiled() (memory []uint64, next uint32) {
	memory = make([]uint64, pageStride)
	next = pageWords
	var words []uint64
	for chunk := range chunks {
		var value uint32
		if value, words = r.encoded(chunk, words[:0]); len(words) > 0 {
			next = placed(next, len(words))
			for position(next)+len(words) > len(memory) {
				memory = append(memory, make([]uint64, pageStride)...)
			}
			copy(memory[position(next):], words)
			value |= next << formBits
			next += uint32(len(words))
		}
		descriptors(memory)[chunk] = value
	}
	return memory, next
}

// moved takes memory into which what is compiled was copied.
func (r *ranges) moved(memory []uint64, next uint32) {
	r.memory, r.next, r.free, r.gone = memory, next, map[int][]uint32{}, nil
}
