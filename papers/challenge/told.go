package challenge

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
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

// mix returns what murmur3 makes of each word before it meets a seed: another one for each.
func mix(words ...uint32) (mixed [longest]uint32) {
	for i, w := range words {
		mixed[i] = bits.RotateLeft32(w*0xcc9e2d51, 15) * 0x1b873593
	}
	return mixed
}

// murmur3 is MurmurHash3_x86_32 of the bytes of some words, which are mixed, each with its least
// significant byte first.
func murmur3(seed uint32, mixed []uint32) uint32 {
	h := seed
	for _, w := range mixed {
		h = bits.RotateLeft32(h^w, 13)*5 + 0xe6546b64
	}
	h ^= uint32(len(mixed) * 4)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// hashing is k hashes with seeds, modulo m, which is less than 2^32.
type hashing struct {
	seeds   []uint32
	m       uint64
	inverse uint64 // of m: see [hashing.place]
	shift   int    // the bits of a hash that are cut off; 0 as the document has it
}

func newHashing(rng *rand.Rand, m uint64, k int) hashing {
	h := hashing{m: m, inverse: math.MaxUint64/m + 1}
	for range k {
		h.seeds = append(h.seeds, uint32(rng.Int32())) // the document's are 0 to 2147483647
	}
	return h
}

// place is a hash modulo m, without a division (Lemire, Kaser and Kurz, "Faster Remainder by Direct
// Computation", 2019).
func (h *hashing) place(i int, mixed []uint32) uint64 {
	fraction := h.inverse * uint64(murmur3(h.seeds[i], mixed)>>h.shift)
	place, _ := bits.Mul64(fraction, h.m)
	return place
}

// basic is the document's filter that does not delete.
type basic struct {
	hashing
	ones []uint64
}

func newBasic(rng *rand.Rand, m, k int) *basic {
	return &basic{newHashing(rng, uint64(m), k), make([]uint64, m/64+1)}
}

// has says whether an element of some words is in.
func (f *basic) has(words ...uint32) bool {
	mixed := mix(words...)
	for i := range f.seeds {
		if p := f.place(i, mixed[:len(words)]); f.ones[p/64]>>(p%64)&1 == 0 {
			return false
		}
	}
	return true
}

func (f *basic) add(words ...uint32) {
	mixed := mix(words...)
	for i := range f.seeds {
		p := f.place(i, mixed[:len(words)])
		f.ones[p/64] |= 1 << (p % 64)
	}
}

func (f *basic) bits() float64               { return float64(f.m) }
func (f *basic) insert(source uint32)        { f.add(source) }
func (f *basic) contains(source uint32) bool { return f.has(source) }

// cells are the document's filters that delete but for the second one: each of m cells counts how
// often it was set. One that has reached the highest count stays, which the document does not say
// of counters.
type cells struct {
	hashing
	form
	counts []form

	ofOthers bool // an element counts once in a cell
	own      []uint64
}

// form is the highest count of a cell.
type form uint8

const (
	collisions form = 2  // a bit, and a flag that says that it was set when it was one already
	counters   form = 15 // of 4 bits
)

// width is the bits of a cell.
func (f form) width() float64 { return float64(bits.Len8(uint8(f))) }

// in returns an empty filter of the form.
func (f form) in(rng *rand.Rand, m, k int) *cells {
	return &cells{hashing: newHashing(rng, uint64(m), k), form: f, counts: make([]form, m)}
}

// draw is the same for n elements, with some bits for each.
func (f form) draw(rng *rand.Rand, n int, each float64) *cells {
	m := int(each / f.width() * float64(n))
	return f.in(rng, m, hashesFor(float64(m), float64(n)))
}

func (c *cells) bits() float64 { return c.width() * float64(c.m) }

// places are those of an element.
func (c *cells) places(source uint32) []uint64 {
	mixed := mix(source)
	c.own = c.own[:0]
	for i := range c.seeds {
		place := c.place(i, mixed[:1])
		if !c.ofOthers || !slices.Contains(c.own, place) {
			c.own = append(c.own, place)
		}
	}
	return c.own
}

func (c *cells) insert(source uint32) {
	for _, place := range c.places(source) {
		if c.counts[place] < c.form {
			c.counts[place]++
		}
	}
}

func (c *cells) contains(source uint32) bool {
	mixed := mix(source)
	for i := range c.seeds {
		if c.counts[c.place(i, mixed[:1])] == 0 {
			return false
		}
	}
	return true
}

func (c *cells) delete(source uint32) {
	for _, place := range c.places(source) {
		if count := c.counts[place]; count > 0 && count < c.form {
			c.counts[place]--
		}
	}
}

// second is the document's filter with a second one, of the deleted elements, which has priority.
type second struct{ inserted, deleted *basic }

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
