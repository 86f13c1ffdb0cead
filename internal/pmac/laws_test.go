package pmac

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/preemption"
	"github.com/bloomlane/bloomlane/internal/require"
)

// onForm is a key on one form.
type onForm struct {
	*Key
	Form
}

func newOn(f Form, secret []byte) onForm { return onForm{New([Size]byte(secret)), f} }

func (o onForm) Sum64(data []byte) uint64               { return o.Sum64On(o.Form, data) }
func (o onForm) Batch(keys batch.Keys, hashes []uint64) { o.BatchOn(o.Form, keys, hashes) }

func (o onForm) Sum64Uint64(n uint64) uint64 {
	return o.Sum64(binary.LittleEndian.AppendUint64(nil, n))
}

// full reports whether the long form of TestReference runs: BLOOMLANE_HASHES=full.
func full() bool { return os.Getenv("BLOOMLANE_HASHES") == "full" }

// TestMain fails where a test was to run on an implementation that cannot run.
func TestMain(m *testing.M) {
	if name, known := dispatch.Named(); !known {
		fmt.Fprintf(os.Stderr, "%s=%s, which this CPU cannot run\n", dispatch.Variable, name)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Each runs a test on every form that this CPU can run, also those that are not chosen. One that
// BLOOMLANE_REQUIRE names and that cannot run is a failure.
func Each(t *testing.T, test func(t *testing.T, f Form)) {
	for f := aesForm; f <= vaes512; f++ {
		if !slices.Contains(Forms(), f) && require.Names(f.String()) {
			t.Errorf("%s requires %v, which this CPU cannot run", require.Variable, f)
		}
	}
	for _, f := range Forms() {
		t.Run(f.String(), func(t *testing.T) { test(t, f) })
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
func EveryForm(k onForm, data []byte) map[string]uint64 {
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
func uint64s(k onForm, keys, hashes []uint64) {
	if bytes, ok := batch.Uint64s(keys, hashes); ok {
		k.Batch(bytes, hashes)
		return
	}
	for i, n := range keys {
		hashes[i] = k.Sum64Uint64(n)
	}
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

// subject is a key on a form, with random data.
type subject struct {
	onForm
	*testing.T
	bytes []byte
	rng   *rand.Rand
}

func each(t *testing.T, seed uint64, test func(s subject)) {
	Each(t, func(t *testing.T, f Form) {
		test(newSubject(t, f, rand.New(rand.NewPCG(seed, 16))))
	})
}

func newSubject(t *testing.T, f Form, rng *rand.Rand) subject {
	secret := Random(rng, Size)
	return subject{newOn(f, secret), t, secret, rng}
}

func (s subject) want(data []byte) uint64 { return reference(s.bytes, data) }

// TestReference: keys of every length from 0 to 1 KiB at every alignment have the hashes of the
// reference, alone and in batches of any number.
func TestReference(t *testing.T) {
	least := 20_000
	if full() {
		least = 4_000_000
	}
	if testing.Short() {
		least = 3000
	}
	Each(t, func(t *testing.T, f Form) {
		rng := rand.New(rand.NewPCG(1, 16))
		checked := 0
		for checked < least {
			s := newSubject(t, f, rng)
			s.lengths()
			checked += 1025
			longest := []int{15, 16, 64, 300}[rng.IntN(4)]
			n := []int{1, 9, 512, 700, 1600}[rng.IntN(5)]
			s.mixed(n, longest)
			checked += 4 * n
			s.fixed(n, []int{4, 8, 16, 20, 32, 40, rng.IntN(301)}[rng.IntN(7)])
			checked += n
			if t.Failed() {
				return
			}
		}
		t.Logf("%d hashes checked", checked)
	})
}

// lengths checks single keys of every length, at a random alignment each.
func (s subject) lengths() {
	data := Random(s.rng, 1100)
	for n := range 1025 {
		start := s.rng.IntN(64)
		key := data[start : start+n]
		want := s.want(key)
		if got := s.Sum64(key); got != want {
			s.Errorf("key %x, %d bytes at %d: %#x, want %#x", s.bytes, n, start, got, want)
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
func TestFixed(t *testing.T) {
	each(t, 2, func(s subject) {
		for _, n := range counts() {
			for _, width := range []int{0, 1, 4, 7, 8, 9, 15, 16, 20, 24, 32, 33, 40, 256, 257} {
				s.fixed(n, width)
			}
			keys, hashes := make([]uint64, n), make([]uint64, n)
			for i := range keys {
				keys[i] = s.rng.Uint64()
			}
			uint64s(s.onForm, keys, hashes)
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
func TestMixed(t *testing.T) {
	each(t, 3, func(s subject) {
		for _, n := range counts() {
			for _, longest := range []int{0, 7, 15, 32, 300} {
				s.mixed(n, longest)
			}
		}
	})
}

// TestLongKeys: keys of more blocks than one call takes, alone and in batches. Behind 8,192 blocks
// an offset has a power that the state has not.
func TestLongKeys(t *testing.T) {
	each(t, 4, func(s subject) {
		data := Random(s.rng, 1<<20)
		const call = pieceBlocks * blockBytes
		for _, size := range []int{call - 17, call - 16, call - 15, call - 1, call, call + 1,
			call + 15, call + 16, call + 17, 2*call - 1, 2 * call, 2*call + 16, 2*call + 17,
			3*call + 7*blockBytes - 1, 4*call + blockBytes, 4*call + 5*blockBytes + 3, 1 << 20} {
			if want := s.want(data[:size]); s.Sum64(data[:size]) != want {
				s.Errorf("%d bytes: %#x, want %#x", size, s.Sum64(data[:size]), want)
			}
			hashes, keys := make([]uint64, 10), make([][]byte, 10)
			for i := range keys {
				keys[i] = data[i : 5*i]
			}
			keys[4] = data[:size]
			s.Batch(batch.Of(keys, hashes), hashes)
			for i, key := range keys {
				if want := s.want(key); hashes[i] != want {
					s.Errorf("%d bytes among others: key %d: %#x, want %#x", size, i, hashes[i],
						want)
				}
			}
		}
	})
}

// TestChosen: what [Key.Sum64] runs is the hash.
func TestChosen(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 16))
	secret, data := Random(rng, Size), Random(rng, 200_000)
	k := New([Size]byte(secret))
	for _, n := range []int{0, 1, 8, 15, 16, 17, 112, 500, 65_536, 65_537, 200_000} {
		if got, want := k.Sum64(data[:n]), reference(secret, data[:n]); got != want {
			t.Errorf("%d bytes: %#x, want %#x", n, got, want)
		}
	}
	if got, want := k.Sum64Uint64(7), reference(secret, []byte{7, 7: 0}); got != want {
		t.Errorf("uint64: %#x, want %#x", got, want)
	}
	t.Log(Active())
}

// TestPreemption: eight million keys, and keys of 1 MiB, hold up no garbage collection, as they
// would if all were one call into assembly. (TestPreemption of package kernel is the same for
// tables.)
func TestPreemption(t *testing.T) {
	require.Once(t)
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
	Each(t, func(t *testing.T, f Form) {
		if f == portable {
			return // portable Go stops anywhere
		}
		k := newOn(f, Ascending(Size))
		for name, call := range map[string]func(){
			"one width": func() { k.Batch(batch.Fixed(data, 20, hashes), hashes) },
			"uint64s":   func() { uint64s(k, hashes, hashes) },
			"mixed":     func() { k.Batch(batch.Offsets(data, offsets, hashes), hashes) },
			"large": func() {
				k.Batch(batch.Of(large, hashes[:len(large)]), hashes[:len(large)])
			},
			"one": func() { k.Sum64(data) },
		} {
			t.Run(name, func(t *testing.T) { preemption.Check(t, call) })
		}
	})
}

// No call allocates, also where keys are on the caller's stack.
func TestAllocations(t *testing.T) {
	k := New([Size]byte{})
	single := map[string]func(){
		"Sum64":       func() { var data [100]byte; k.Sum64(data[:]) },
		"Sum64, few":  func() { var data [9]byte; k.Sum64(data[:]) },
		"Sum64, long": func() { var data [70_000]byte; k.Sum64(data[:]) },
		"Sum64Uint64": func() { k.Sum64Uint64(1) },
	}
	for name, call := range single {
		if n := testing.AllocsPerRun(20, call); n != 0 && !fallback.Race {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	Each(t, func(t *testing.T, f Form) {
		for name, call := range map[string]func(){
			"Fixed": func() {
				var data [8 * 19]byte
				var h [19]uint64
				k.BatchOn(f, batch.Fixed(data[:], 8, h[:]), h[:])
			},
			"Fixed, 24": func() {
				var data [24 * 19]byte
				var h [19]uint64
				k.BatchOn(f, batch.Fixed(data[:], 24, h[:]), h[:])
			},
			"Slices": func() {
				var data [300]byte
				var h [9]uint64
				keys := [][]byte{data[:], data[:9], data[:40], 8: nil}
				k.BatchOn(f, batch.Of(keys, h[:]), h[:])
			},
			"Strings": func() {
				var h [9]uint64
				keys := [...]string{"a", "bc", 8: ""}
				k.BatchOn(f, batch.Of(keys[:], h[:]), h[:])
			},
			"Offsets": func() {
				var data [9]byte
				var h [9]uint64
				offsets := [...]int32{0, 1, 1, 2, 3, 3, 3, 4, 8, 9}
				k.BatchOn(f, batch.Offsets(data[:], offsets[:], h[:]), h[:])
			},
		} {
			if n := testing.AllocsPerRun(20, call); n != 0 && !fallback.Race {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

// FuzzHashes hashes one key in every form, and data cut into keys whose lengths are read from cuts,
// and compares with the reference.
func FuzzHashes(f *testing.F) {
	f.Add([]byte("0123456789012345"), []byte("a key of some bytes"), []byte{0, 1, 7, 8})
	f.Fuzz(func(t *testing.T, secret, data, cuts []byte) {
		if len(data) > 1<<16 {
			return
		}
		key := make([]byte, Size)
		copy(key, secret)
		offsets, want := []uint32{0}, []uint64{}
		var keys [][]byte
		for _, cut := range cuts {
			start := int(offsets[len(offsets)-1])
			end := min(len(data), start+int(cut))
			offsets = append(offsets, uint32(end))
			keys = append(keys, data[start:end])
			want = append(want, reference(key, data[start:end]))
		}
		whole := reference(key, data)
		for _, f := range Forms() {
			k := newOn(f, key)
			for form, got := range EveryForm(k, data) {
				if got != whole {
					t.Fatalf("%v, %s of %x: %#x, want %#x", f, form, data, got, whole)
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
						t.Fatalf("%v, %s, key %d of %d, %x: %#x, want %#x", f, form, i, len(want),
							keys[i], hashes[i], want[i])
					}
				}
			}
		}
	})
}
