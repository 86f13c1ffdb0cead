// Package batchtest is the laws of every hash of many keys at once, on every implementation.
package batchtest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/preemption"
	"github.com/bloomlane/bloomlane/internal/require"
)

// Key is a key of a hash, on one implementation.
type Key interface {
	Sum64(data []byte) uint64
	Sum64Uint64(n uint64) uint64
	Batch(keys batch.Keys, hashes []uint64)
}

// Hash is what is tested.
type Hash struct {
	Size int // of a key
	New  func(im dispatch.Implementation, key []byte) Key

	// Definition is the hash in portable Go, and Reference what it has to be, by other authors
	// if there is such.
	Definition, Reference func(key, data []byte) uint64

	// Widths are those that have assembly of their own, Part the bytes that a call takes at once,
	// and Call the parts of a long key that one call takes, if it is in assembly.
	Widths     []int
	Part, Call int
}

// full reports whether the long form of TestReference runs: BLOOMLANE_HASHES=full.
func full() bool { return os.Getenv("BLOOMLANE_HASHES") == "full" }

// Main runs the tests of a package. A test that was to run on an implementation that cannot run has
// failed.
func Main(m *testing.M) {
	if name, known := dispatch.Named(); !known {
		fmt.Fprintf(os.Stderr, "%s=%s, which this CPU cannot run\n", dispatch.Variable, name)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Each runs a test on every implementation that this CPU can run. One that BLOOMLANE_REQUIRE names
// and that cannot run is a failure.
func Each(t *testing.T, test func(t *testing.T, im dispatch.Implementation)) {
	all := dispatch.Implementations()
	for _, name := range []string{"avx2", "avx512", "neon"} {
		can := slices.ContainsFunc(all,
			func(im dispatch.Implementation) bool { return im.String() == name })
		if !can && require.Names(name) {
			t.Errorf("%s requires %s, which this CPU cannot run", require.Variable, name)
		}
	}
	for _, im := range all {
		t.Run(im.String(), func(t *testing.T) { test(t, im) })
	}
}

// Random returns n bytes.
func Random(rng *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

// Ascending returns the bytes 00 01 …
func Ascending(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i)
	}
	return data
}

// EveryForm returns the hash of data by every form: alone, and as the last key of a batch.
func EveryForm(k Key, data []byte) map[string]uint64 {
	const last = 10
	var hashes [last + 1]uint64
	slices, texts := make([][]byte, last+1), make([]string, last+1)
	offsets := make([]uint32, last+2)
	for i := range last {
		slices[i] = []byte(strings.Repeat("x", 9*i))
		texts[i] = string(slices[i])
		offsets[i+1] = uint32(7 * i)
	}
	slices[last], texts[last], offsets[last+1] = data, string(data), offsets[last]+uint32(len(data))
	forms := map[string]uint64{"Sum64": k.Sum64(data)}
	hash := func(form string, keys batch.Keys) {
		k.Batch(keys, hashes[:])
		forms[form] = hashes[last]
		clear(hashes[:])
	}
	hash("slices", batch.Of(slices, hashes[:]))
	hash("strings", batch.Of(texts, hashes[:]))
	all := append(make([]byte, last*len(data)), data...)
	hash("one width", batch.Fixed(all, len(data), hashes[:]))
	all = append(make([]byte, offsets[last]), data...)
	hash("offsets", batch.Offsets(all, offsets, hashes[:]))
	if len(data) == 8 {
		n := binary.LittleEndian.Uint64(data)
		forms["Sum64Uint64"] = k.Sum64Uint64(n)
		uint64s(k, []uint64{last: n}, hashes[:])
		forms["Uint64s"] = hashes[last]
	}
	return forms
}

// uint64s hashes the 8 bytes of each key, the least significant first, where hosts can without a
// copy.
func uint64s(k Key, keys, hashes []uint64) {
	if bytes, ok := batch.Uint64s(keys, hashes); ok {
		k.Batch(bytes, hashes)
		return
	}
	for i, n := range keys {
		hashes[i] = k.Sum64Uint64(n)
	}
}

// Vectors tests the hashes of no byte, 0, 0 1, 0 1 2, and so on, under the key 00 01 02 …, of every
// form and of the definition.
func (h Hash) Vectors(t *testing.T, published []uint64) {
	key := Ascending(h.Size)
	Each(t, func(t *testing.T, im dispatch.Implementation) {
		k := h.New(im, key)
		for n, want := range published {
			data := Ascending(n)
			for form, got := range EveryForm(k, data) {
				if got != want {
					t.Errorf("%s of %d bytes: %#x, want %#x", form, n, got, want)
				}
			}
			if got := h.Definition(key, data); got != want {
				t.Errorf("the definition's hash of %d bytes: %#x, want %#x", n, got, want)
			}
		}
	})
}

// counts are numbers of keys before, at and behind what ends a group, a chunk or a call, and some
// of them.
func counts() []int {
	all := []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 3100}
	if testing.Short() {
		return []int{0, 1, 7, 8, 9, 513, 1030, 3100}
	}
	return all
}

// subject is a key of a hash on an implementation, with random data.
type subject struct {
	Hash
	Key
	*testing.T
	bytes []byte
	rng   *rand.Rand
}

func (h Hash) each(t *testing.T, seed uint64, test func(s subject)) {
	Each(t, func(t *testing.T, im dispatch.Implementation) {
		rng := rand.New(rand.NewPCG(seed, 16))
		test(h.subject(t, im, rng))
	})
}

func (h Hash) subject(t *testing.T, im dispatch.Implementation, rng *rand.Rand) subject {
	bytes := Random(rng, h.Size)
	return subject{h, h.New(im, bytes), t, bytes, rng}
}

func (s subject) want(data []byte) uint64 { return s.Reference(s.bytes, data) }

// TestReference: keys of every length from 0 to 300 at every alignment have the hashes of the
// reference, alone and in batches of any number, and so do the definition's.
func (h Hash) TestReference(t *testing.T) {
	least := 20_000
	if full() {
		least = 40_000_000
	}
	if testing.Short() {
		least = 3000
	}
	Each(t, func(t *testing.T, im dispatch.Implementation) {
		rng := rand.New(rand.NewPCG(1, 16))
		checked := 0
		for checked < least {
			s := h.subject(t, im, rng)
			s.lengths()
			checked += 301 * 2
			longest := []int{15, 16, 64, 300}[rng.IntN(4)]
			n := []int{1, 9, 512, 700, 1600}[rng.IntN(5)]
			s.mixed(n, longest)
			checked += 4 * n
			s.fixed(n, append(h.Widths, rng.IntN(301))[rng.IntN(len(h.Widths)+1)])
			checked += n
			if t.Failed() {
				return
			}
		}
		t.Logf("%d hashes checked", checked)
	})
}

// lengths checks single keys of every length, at a random alignment each, and the definition.
func (s subject) lengths() {
	data := Random(s.rng, 400)
	for n := range 301 {
		start := s.rng.IntN(64)
		key := data[start : start+n]
		want := s.want(key)
		if got := s.Sum64(key); got != want {
			s.Errorf("key %x, %d bytes at %d: %#x, want %#x", s.bytes, n, start, got, want)
		}
		if got := s.Definition(s.bytes, key); got != want {
			s.Errorf("key %x, %d bytes by the definition: %#x, want %#x", s.bytes, n, got, want)
		}
	}
	n := s.rng.Uint64()
	want := s.want(binary.LittleEndian.AppendUint64(nil, n))
	if got := s.Sum64Uint64(n); got != want {
		s.Errorf("key %x, uint64 %#x: %#x, want %#x", s.bytes, n, got, want)
	}
}

// mixed checks n keys of random lengths in every form that takes such.
func (s subject) mixed(n, longest int) {
	data := Random(s.rng, 2000+n*longest)
	slices, strings, want := make([][]byte, n), make([]string, n), make([]uint64, n)
	offsets32, offsets64 := make([]int32, n+1), make([]uint64, n+1)
	inOffsets := make([]uint64, n)
	bit := s.rng.IntN(64)
	offsets32[0], offsets64[0] = int32(bit), uint64(bit)
	for i := range n {
		size, start := s.rng.IntN(longest+1), s.rng.IntN(1000)
		slices[i] = data[start : start+size]
		strings[i] = string(slices[i])
		want[i] = s.want(slices[i])
		inOffsets[i] = s.want(data[bit : bit+size])
		bit += size
		offsets32[i+1], offsets64[i+1] = int32(bit), uint64(bit)
	}
	hashes := make([]uint64, n)
	check := func(form string, keys batch.Keys, want []uint64) {
		s.Helper()
		s.Batch(keys, hashes)
		for i := range want {
			if hashes[i] != want[i] {
				s.Fatalf("%s, key %x, %d of %d, %d bytes: %#x, want %#x", form, s.bytes, i, n,
					len(slices[i]), hashes[i], want[i])
			}
		}
		clear(hashes)
	}
	check("slices", batch.Of(slices, hashes), want)
	check("strings", batch.Of(strings, hashes), want)
	check("offsets of 32 bits", batch.Offsets(data, offsets32, hashes), inOffsets)
	check("offsets of 64 bits", batch.Offsets(data, offsets64, hashes), inOffsets)
}

// fixed checks n keys of a width.
func (s subject) fixed(n, width int) {
	s.Helper()
	start := s.rng.IntN(64)
	data := Random(s.rng, start+n*width)[start:]
	hashes := make([]uint64, n+1)
	const untouched = 0xdead
	hashes[n] = untouched
	s.Batch(batch.Fixed(data, width, hashes[:n]), hashes[:n])
	for i := range n {
		if want := s.want(data[i*width : (i+1)*width]); hashes[i] != want {
			s.Fatalf("key %x, %d of %d of %d bytes: %#x, want %#x", s.bytes, i, n, width,
				hashes[i], want)
		}
	}
	if hashes[n] != untouched {
		s.Fatalf("%d keys of %d bytes: a hash too many was written", n, width)
	}
}

// TestFixed: every width in batches of every number of keys that a cut could be wrong for.
func (h Hash) TestFixed(t *testing.T) {
	h.each(t, 2, func(s subject) {
		for _, n := range counts() {
			for _, width := range []int{0, 1, 4, 7, 8, 9, 15, 16, 20, 24, 32, 33, 40, 256, 257} {
				s.fixed(n, width)
			}
			keys, hashes := make([]uint64, n), make([]uint64, n)
			for i := range keys {
				keys[i] = s.rng.Uint64()
			}
			uint64s(s.Key, keys, hashes)
			for i, key := range keys {
				if want := s.want(binary.LittleEndian.AppendUint64(nil, key)); hashes[i] != want {
					s.Fatalf("uint64 %d of %d: %#x, want %#x", i, n, hashes[i], want)
				}
			}
		}
	})
}

// TestMixed: mixed lengths in every number of keys that a cut could be wrong for, of each class
// alone and of all.
func (h Hash) TestMixed(t *testing.T) {
	h.each(t, 3, func(s subject) {
		for _, n := range counts() {
			for _, longest := range []int{0, 7, 15, 32, 300} {
				s.mixed(n, longest)
			}
		}
	})
}

// TestLongKeys: keys of more parts than one call takes, alone and in batches.
func (h Hash) TestLongKeys(t *testing.T) {
	h.each(t, 4, func(s subject) {
		data := Random(s.rng, 1<<20)
		call := h.Call * h.Part
		sizes := []int{64 << 10, 64<<10 + 1, 1 << 20}
		for _, size := range []int{call - 1, call, call + 1, call + h.Part, call + h.Part + 1,
			3*call + h.Part - 1, 4*call + h.Part} {
			if h.Call > 0 {
				sizes = append(sizes, size)
			}
		}
		for _, n := range sizes {
			if want := s.want(data[:n]); s.Sum64(data[:n]) != want {
				s.Errorf("%d bytes: %#x, want %#x", n, s.Sum64(data[:n]), want)
			}
			hashes, keys := make([]uint64, 10), make([][]byte, 10)
			for i := range keys {
				keys[i] = data[i : 5*i]
			}
			keys[4] = data[:n]
			s.Batch(batch.Of(keys, hashes), hashes)
			for i, key := range keys {
				if want := s.want(key); hashes[i] != want {
					s.Errorf("%d bytes among others: key %d: %#x, want %#x", n, i, hashes[i], want)
				}
			}
		}
	})
}

// TestPreemption: eight million keys, and keys of 1 MiB, hold up no garbage collection, as they
// would if all were one call into assembly. (TestPreemption of package kernel is the same for
// tables.)
func (h Hash) TestPreemption(t *testing.T) {
	const keys = 8 << 20
	data, hashes := make([]byte, 20*keys), make([]uint64, keys)
	offsets := make([]uint32, keys+1)
	for i := range keys {
		offsets[i+1] = offsets[i] + uint32(i%40)
	}
	large := make([][]byte, 1024)
	for i := range large {
		large[i] = data[i : i+1<<20]
	}
	Each(t, func(t *testing.T, im dispatch.Implementation) {
		if im.String() == "purego" {
			return // portable Go stops anywhere
		}
		k := h.New(im, Ascending(h.Size))
		calls := map[string]func(){
			"one width": func() { k.Batch(batch.Fixed(data, 20, hashes), hashes) },
			"uint64s":   func() { uint64s(k, hashes, hashes) },
			"mixed":     func() { k.Batch(batch.Offsets(data, offsets, hashes), hashes) },
		}
		if h.Call > 0 {
			calls["large"] = func() {
				k.Batch(batch.Of(large, hashes[:len(large)]), hashes[:len(large)])
			}
			calls["one"] = func() { k.Sum64(data) }
		}
		for name, call := range calls {
			t.Run(name, func(t *testing.T) { preemption.Check(t, call) })
		}
	})
}

// Fuzz hashes one key in every form, and data cut into keys whose lengths are read from cuts, and
// compares with the reference.
func (h Hash) Fuzz(t *testing.T, secret, data, cuts []byte) {
	if len(data) > 1<<16 {
		return
	}
	key := make([]byte, h.Size)
	copy(key, secret)
	offsets, want := []uint32{0}, []uint64{}
	var keys [][]byte
	for _, cut := range cuts {
		start := int(offsets[len(offsets)-1])
		end := min(len(data), start+int(cut))
		offsets = append(offsets, uint32(end))
		keys = append(keys, data[start:end])
		want = append(want, h.Reference(key, data[start:end]))
	}
	whole := h.Reference(key, data)
	if got := h.Definition(key, data); got != whole {
		t.Fatalf("the definition: %#x, want %#x", got, whole)
	}
	for _, im := range dispatch.Implementations() {
		k := h.New(im, key)
		for form, got := range EveryForm(k, data) {
			if got != whole {
				t.Fatalf("%v, %s of %x: %#x, want %#x", im, form, data, got, whole)
			}
		}
		hashes := make([]uint64, len(want))
		forms := map[string]batch.Keys{
			"offsets": batch.Offsets(data, offsets, hashes), "slices": batch.Of(keys, hashes)}
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			clear(hashes)
			k.Batch(forms[form], hashes)
			for i := range want {
				if hashes[i] != want[i] {
					t.Fatalf("%v, %s, key %d of %d, %x: %#x, want %#x", im, form, i, len(want),
						keys[i], hashes[i], want[i])
				}
			}
		}
	}
}
