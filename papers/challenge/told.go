package challenge

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
)

// rateOf is the document's P of n elements in m bits with k hash functions.
func rateOf(m, k, n float64) float64 { return math.Pow(1-math.Pow(1-1/m, k*n), k) }

// perElement is the document's m for one element.
func perElement(p float64) float64 { return -math.Log(p) / (math.Ln2 * math.Ln2) }

// sized returns the document's m and k for n elements. It is rounded, as the document does not say
// how.
func sized(n int, p float64) (m, k int) {
	m = int(math.Ceil(float64(n) * perElement(p)))
	return m, hashesFor(float64(m), float64(n))
}

// hashesFor is the document's k.
func hashesFor(m, n float64) int { return max(1, int(math.Round(m/n*math.Ln2))) }

// murmur3 is MurmurHash3_x86_32 of the bytes of some words, each with its least significant byte
// first.
func murmur3(seed uint32, words []uint32) uint32 {
	h := seed
	for _, w := range words {
		h ^= mixed(w)
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	h ^= uint32(len(words) * 4)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// mixed is what murmur3 makes of a word before it meets the seed.
func mixed(w uint32) uint32 { return bits.RotateLeft32(w*0xcc9e2d51, 15) * 0x1b873593 }

// hashing is k hashes with seeds, modulo m.
type hashing struct {
	seeds []uint32
	m     uint64
	shift int // the bits of a hash that are cut off; 0 as the document has it
}

func newHashing(rng *rand.Rand, m uint64, k int) hashing {
	h := hashing{m: m}
	for range k {
		h.seeds = append(h.seeds, uint32(rng.Int32())) // the document's are 0 to 2147483647
	}
	return h
}

func (h *hashing) place(i int, key []uint32) uint64 {
	return uint64(murmur3(h.seeds[i], key)>>h.shift) % h.m
}

// array is m bits.
type array []uint64

func newArray(m uint64) array        { return make(array, (m+63)/64) }
func (a array) at(place uint64) bool { return a[place/64]>>(place%64)&1 != 0 }
func (a array) set(place uint64)     { a[place/64] |= 1 << (place % 64) }
func (a array) clear(place uint64)   { a[place/64] &^= 1 << (place % 64) }
func (a array) all(h *hashing, key []uint32) bool {
	for i := range h.seeds {
		if !a.at(h.place(i, key)) {
			return false
		}
	}
	return true
}

// plain is the document's basic filter, of keys of some words.
type plain struct {
	hashing
	ones array
}

func newPlain(rng *rand.Rand, m uint64, k int) *plain {
	return &plain{newHashing(rng, m, k), newArray(m)}
}

func (f *plain) has(words []uint32) bool { return f.ones.all(&f.hashing, words) }

func (f *plain) add(words []uint32) {
	for i := range f.seeds {
		f.ones.set(f.place(i, words))
	}
}

func (f *plain) insert(source uint32)        { f.add([]uint32{source}) }
func (f *plain) contains(source uint32) bool { return f.has([]uint32{source}) }
func (f *plain) bits() float64               { return float64(f.m) }

// collisions is the document's filter with a collision flag for each bit.
type collisions struct {
	*plain
	flags array

	// ofOthers says that a flag is for bits of different elements, and not for each bit that is one
	// already.
	ofOthers bool
}

func newCollisions(rng *rand.Rand, m, k int, ofOthers bool) *collisions {
	return &collisions{newPlain(rng, uint64(m), k), newArray(uint64(m)), ofOthers}
}

func (f *collisions) bits() float64 { return 2 * f.plain.bits() }

func (f *collisions) insert(source uint32) {
	key := [...]uint32{source}
	var own [32]uint64 // places that this insert has set
	placed := own[:0]
	for i := range f.seeds {
		place := f.place(i, key[:])
		switch {
		case !f.ones.at(place):
			f.ones.set(place)
			placed = append(placed, place)
		case !f.ofOthers || !has(placed, place):
			f.flags.set(place)
		}
	}
}

func has(places []uint64, place uint64) bool {
	for _, p := range places {
		if p == place {
			return true
		}
	}
	return false
}

func (f *collisions) delete(source uint32) {
	for i := range f.seeds {
		if place := f.place(i, []uint32{source}); !f.flags.at(place) {
			f.ones.clear(place)
		}
	}
}

// counters is the document's filter of 4-bit counters. One that has reached 15 stays, which it does
// not say.
type counters struct {
	hashing
	counts []uint8
}

const (
	counterBits = 4
	highest     = 1<<counterBits - 1
)

func newCounters(rng *rand.Rand, m, k int) *counters {
	return &counters{newHashing(rng, uint64(m), k), make([]uint8, m)}
}

func (f *counters) bits() float64 { return counterBits * float64(f.m) }

func (f *counters) insert(source uint32) {
	for i := range f.seeds {
		if c := &f.counts[f.place(i, []uint32{source})]; *c < highest {
			*c++
		}
	}
}

func (f *counters) contains(source uint32) bool {
	for i := range f.seeds {
		if f.counts[f.place(i, []uint32{source})] == 0 {
			return false
		}
	}
	return true
}

func (f *counters) delete(source uint32) {
	for i := range f.seeds {
		if c := &f.counts[f.place(i, []uint32{source})]; *c > 0 && *c < highest {
			*c--
		}
	}
}

// second is the document's filter with a second one, of the deleted elements, which has priority.
type second struct{ inserted, deleted *plain }

func newSecond(rng *rand.Rand, m, k int) *second {
	return &second{newPlain(rng, uint64(m), k), newPlain(rng, uint64(m), k)}
}

func (f *second) bits() float64        { return f.inserted.bits() + f.deleted.bits() }
func (f *second) insert(source uint32) { f.inserted.insert(source) }
func (f *second) delete(source uint32) { f.deleted.insert(source) }
func (f *second) contains(source uint32) bool {
	return f.inserted.contains(source) && !f.deleted.contains(source)
}

// keyOf is the 32 bytes of a key of random numbers.
func keyOf(rng *rand.Rand) (bytes [32]byte) {
	for i := range len(bytes) / 8 {
		binary.LittleEndian.PutUint64(bytes[8*i:], rng.Uint64())
	}
	return bytes
}
