package highway

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/minio/highwayhash"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/require"
)

// full reports whether the long form of the test against minio's package runs:
// BLOOMLANE_HASHES=full.
func full() bool { return os.Getenv("BLOOMLANE_HASHES") == "full" }

// A test that was to run on an implementation that cannot run has failed.
func TestMain(m *testing.M) {
	if name, known := dispatch.Named(); !known {
		fmt.Fprintf(os.Stderr, "%s=%s, which this CPU cannot run\n", dispatch.Variable, name)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// each runs a test on every implementation that this CPU can run. One that BLOOMLANE_REQUIRE names
// and that cannot run is a failure.
func each(t *testing.T, test func(t *testing.T, im implementation)) {
	all := dispatch.Implementations()
	for _, name := range []string{"avx2", "avx512", "neon"} {
		if named(name) == none && require.Names(name) {
			t.Errorf("%s requires %s, which this CPU cannot run", require.Variable, name)
		}
	}
	for _, im := range all {
		t.Run(im.String(), func(t *testing.T) { test(t, implementation(im)) })
	}
}

// everyForm returns the hash of data by every form: alone, and as the last key of a batch.
func (im implementation) everyForm(k *Key, data []byte) map[string]uint64 {
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
	forms := map[string]uint64{"Sum64": im.sum64(k, data)}
	keysOn(im, k, slices, hashes[:])
	forms["Slices"] = hashes[last]
	keysOn(im, k, texts, hashes[:])
	forms["Strings"] = hashes[last]
	im.fixed(k, append(make([]byte, last*len(data)), data...), len(data), hashes[:])
	forms["Fixed"] = hashes[last]
	offsetsOn(im, k, append(make([]byte, offsets[last]), data...), offsets, hashes[:])
	forms["Offsets"] = hashes[last]
	if len(data) == 8 {
		n := binary.LittleEndian.Uint64(data)
		forms["Sum64Uint64"] = im.sum64Uint64(k, n)
		im.uint64s(k, []uint64{last: n}, hashes[:])
		forms["Uint64s"] = hashes[last]
	}
	return forms
}

func random(rng *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

func randomKey(rng *rand.Rand) [Size]byte { return [Size]byte(random(rng, Size)) }

// counts are numbers of keys before, at and behind what ends a group, a chunk or a call, and some
// of them.
func counts() []int {
	all := []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 3100}
	if testing.Short() {
		return []int{0, 1, 7, 8, 9, 513, 1030, 3100}
	}
	return all
}

// Keys of every length from 0 to 300 at every alignment have the hashes that minio's package gives
// them, alone and in batches of any number, and so do the definition's.
func TestAgainstMinio(t *testing.T) {
	least := 20_000
	if full() {
		least = 40_000_000
	}
	if testing.Short() {
		least = 3000
	}
	each(t, func(t *testing.T, im implementation) {
		rng := rand.New(rand.NewPCG(1, 16))
		checked := 0
		for checked < least {
			bytes := randomKey(rng)
			k := New(bytes)
			checkLengths(t, im, k, rng)
			checked += 301 * 2
			longest := []int{15, 16, 64, 300}[rng.IntN(4)]
			n := []int{1, 9, 512, 700, 1600}[rng.IntN(5)]
			checkMixed(t, im, k, rng, n, longest)
			checked += 4 * n
			width := []int{4, 8, 16, 20, 32, 40, rng.IntN(301)}[rng.IntN(7)]
			checkFixed(t, im, k, rng, n, width)
			checked += n
			if t.Failed() {
				return
			}
		}
		t.Logf("%d hashes checked", checked)
	})
}

// checkLengths checks single keys of every length, at a random alignment each, and the definition.
func checkLengths(t *testing.T, im implementation, k *Key, rng *rand.Rand) {
	data := random(rng, 400)
	for n := range 301 {
		start := rng.IntN(64)
		key := data[start : start+n]
		want := highwayhash.Sum64(key, k.Bytes())
		if got := im.sum64(k, key); got != want {
			t.Errorf("key %x, %d bytes at %d: %#x, want %#x", k.Bytes(), n, start, got, want)
		}
		if got := definition(k.initial, key); got != want {
			t.Errorf("key %x, %d bytes by the definition: %#x, want %#x", k.Bytes(), n, got, want)
		}
	}
	n := rng.Uint64()
	if got, want := im.sum64Uint64(k, n),
		highwayhash.Sum64(binary.LittleEndian.AppendUint64(nil, n), k.Bytes()); got != want {
		t.Errorf("key %x, uint64 %#x: %#x, want %#x", k.Bytes(), n, got, want)
	}
}

// checkMixed checks n keys of random lengths in every form that takes such.
func checkMixed(t *testing.T, im implementation, k *Key, rng *rand.Rand, n, longest int) {
	data := random(rng, 2000+n*longest)
	slices, strings, want := make([][]byte, n), make([]string, n), make([]uint64, n)
	offsets32, offsets64 := make([]int32, n+1), make([]uint64, n+1)
	inOffsets := make([]uint64, n)
	at := rng.IntN(64)
	offsets32[0], offsets64[0] = int32(at), uint64(at)
	for i := range n {
		size, start := rng.IntN(longest+1), rng.IntN(1000)
		slices[i] = data[start : start+size]
		strings[i] = string(slices[i])
		want[i] = highwayhash.Sum64(slices[i], k.Bytes())
		inOffsets[i] = highwayhash.Sum64(data[at:at+size], k.Bytes())
		at += size
		offsets32[i+1], offsets64[i+1] = int32(at), uint64(at)
	}
	hashes := make([]uint64, n)
	check := func(form string, want []uint64) {
		t.Helper()
		for i := range want {
			if hashes[i] != want[i] {
				t.Fatalf("%s, key %x, %d of %d, %d bytes: %#x, want %#x", form, k.Bytes(), i, n,
					len(slices[i]), hashes[i], want[i])
			}
		}
		clear(hashes)
	}
	keysOn(im, k, slices, hashes)
	check("slices", want)
	keysOn(im, k, strings, hashes)
	check("strings", want)
	offsetsOn(im, k, data, offsets32, hashes)
	check("offsets of 32 bits", inOffsets)
	offsetsOn(im, k, data, offsets64, hashes)
	check("offsets of 64 bits", inOffsets)
}

// checkFixed checks n keys of a width.
func checkFixed(t *testing.T, im implementation, k *Key, rng *rand.Rand, n, width int) {
	t.Helper()
	start := rng.IntN(64)
	data := random(rng, start+n*width)[start:]
	hashes := make([]uint64, n+1)
	const untouched = 0xdead
	hashes[n] = untouched
	im.fixed(k, data, width, hashes[:n])
	for i := range n {
		if want := highwayhash.Sum64(data[i*width:(i+1)*width], k.Bytes()); hashes[i] != want {
			t.Fatalf("key %x, %d of %d of %d bytes: %#x, want %#x", k.Bytes(), i, n, width,
				hashes[i], want)
		}
	}
	if hashes[n] != untouched {
		t.Fatalf("%d keys of %d bytes: a hash too many was written", n, width)
	}
}

// Every width in batches of every number of keys that a cut could be wrong for.
func TestFixed(t *testing.T) {
	each(t, func(t *testing.T, im implementation) {
		rng := rand.New(rand.NewPCG(2, 16))
		k := New(randomKey(rng))
		for _, n := range counts() {
			for _, width := range []int{0, 1, 4, 8, 15, 16, 20, 24, 32, 33, 40, 256, 257} {
				checkFixed(t, im, k, rng, n, width)
			}
			keys, hashes := make([]uint64, n), make([]uint64, n)
			for i := range keys {
				keys[i] = rng.Uint64()
			}
			im.uint64s(k, keys, hashes)
			for i, key := range keys {
				if want := highwayhash.Sum64(binary.LittleEndian.AppendUint64(nil, key),
					k.Bytes()); hashes[i] != want {
					t.Fatalf("uint64 %d of %d: %#x, want %#x", i, n, hashes[i], want)
				}
			}
		}
	})
}

// Mixed lengths in every number of keys that a cut could be wrong for, of each class alone and of
// all.
func TestMixed(t *testing.T) {
	each(t, func(t *testing.T, im implementation) {
		rng := rand.New(rand.NewPCG(3, 16))
		k := New(randomKey(rng))
		for _, n := range counts() {
			for _, longest := range []int{0, 7, 15, 32, 300} {
				checkMixed(t, im, k, rng, n, longest)
			}
		}
	})
}

// Keys of more packets than one call takes, alone and in batches.
func TestLongKeys(t *testing.T) {
	each(t, func(t *testing.T, im implementation) {
		rng := rand.New(rand.NewPCG(4, 16))
		k := New(randomKey(rng))
		data := random(rng, 1<<20)
		const call = 1024 * packetBytes
		for _, n := range []int{call - 1, call, call + 1, call + 32, call + 33, longest,
			longest + 1, 3*call + 31, 4*call + 32, 1 << 20} {
			if want := highwayhash.Sum64(data[:n], k.Bytes()); im.sum64(k, data[:n]) != want {
				t.Errorf("%d bytes: %#x, want %#x", n, im.sum64(k, data[:n]), want)
			}
			hashes, keys := make([]uint64, 10), make([][]byte, 10)
			for i := range keys {
				keys[i] = data[i : 5*i]
			}
			keys[4] = data[:n]
			keysOn(im, k, keys, hashes)
			for i, key := range keys {
				if want := highwayhash.Sum64(key, k.Bytes()); hashes[i] != want {
					t.Errorf("%d bytes among others: key %d: %#x, want %#x", n, i, hashes[i], want)
				}
			}
		}
	})
}

// What does not fit together panics, and writes nothing.
func TestPanics(t *testing.T) {
	each(t, func(t *testing.T, im implementation) {
		k := New(ascending())
		hashes := []uint64{7, 7, 7}
		data := make([]byte, 24)
		for name, call := range map[string]func(){
			"Fixed, a byte too many":   func() { im.fixed(k, append(data, 0), 8, hashes) },
			"Fixed, a byte too few":    func() { im.fixed(k, data[1:], 8, hashes) },
			"Fixed, a hash too few":    func() { im.fixed(k, data, 8, hashes[1:]) },
			"Fixed, a negative width":  func() { im.fixed(k, data, -8, hashes) },
			"Fixed, bytes of no width": func() { im.fixed(k, data, 0, hashes) },
			"Uint64s, a key too few":   func() { im.uint64s(k, make([]uint64, 2), hashes) },
			"Slices, a key too many":   func() { keysOn(im, k, make([][]byte, 4), hashes) },
			"Strings, a key too few":   func() { keysOn(im, k, make([]string, 2), hashes) },
			"Offsets, one too few": func() {
				offsetsOn(im, k, data,
					[]int32{0, 1, 2}, hashes)
			},
			"Offsets, none": func() { offsetsOn(im, k, data, []int32{}, nil) },
			"Offsets, falling": func() {
				offsetsOn(im, k, data,
					[]int64{0, 2, 1, 3}, hashes)
			},
			"Offsets, negative": func() {
				offsetsOn(im, k, data,
					[]int64{-1, 2, 2, 3}, hashes)
			},
			"Offsets, behind the data": func() {
				offsetsOn(im, k, data,
					[]uint32{0, 1, 2, 25}, hashes)
			},
			"Offsets, far behind it": func() {
				offsetsOn(im, k, data,
					[]uint64{0, 1, 2, 1 << 63}, hashes)
			},
			"Offsets, all behind it": func() {
				offsetsOn(im, k, nil,
					[]uint64{1, 1, 1, 1}, hashes)
			},
			"Offsets, one hash too many": func() {
				offsetsOn(im, k, data,
					[]uint32{0, 1, 2}, hashes)
			},
		} {
			t.Run(name, func(t *testing.T) {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "key: ") {
						t.Errorf("panic %q", got)
					}
					for i, h := range hashes {
						if h != 7 {
							t.Errorf("hash %d was written", i)
						}
					}
				}()
				call()
			})
		}
	})
}

// Hashes cannot be stored where offsets are: those of the first keys would say where later ones
// are. They can be beside them.
func TestHashesBesideOffsets(t *testing.T) {
	const n = 2 * 512
	each(t, func(t *testing.T, im implementation) {
		k := New(ascending())
		data := make([]byte, n)
		// of hashes, and offsets are from n on
		for _, start := range []int{0, 1, n, n + 1, 2 * n, 2*n + 1} {
			memory := make([]uint64, 4*n)
			offsets, hashes := memory[n:2*n+1], memory[start:start+n]
			for i := range offsets {
				offsets[i] = uint64(i)
			}
			before := slices.Clone(memory)
			allowed := start == 0 || start == 2*n+1
			func() {
				defer func() {
					panicked, stored := recover() != nil, !slices.Equal(memory, before)
					if panicked == allowed || stored != allowed {
						t.Errorf("hashes at %d: panicked %v, stored some %v", start,
							panicked, stored)
					}
				}()
				offsetsOn(im, k, data, offsets, hashes)
			}()
			want := slices.Repeat([]uint64{im.sum64(k, data[:1])}, n)
			if allowed && !slices.Equal(hashes, want) {
				t.Errorf("hashes at %d: not all are %#x", start, want[0])
			}
		}
	})
}

// No call allocates, also where keys are on the caller's stack.
func TestAllocations(t *testing.T) {
	each(t, func(t *testing.T, im implementation) {
		k := New(ascending())
		for name, call := range map[string]func(){
			"Sum64":       func() { var data [100]byte; im.sum64(k, data[:]) },
			"Sum64, few":  func() { var data [9]byte; im.sum64(k, data[:]) },
			"Sum64Uint64": func() { im.sum64Uint64(k, 1) },
			"Fixed": func() {
				var data [8 * 19]byte
				var h [19]uint64
				im.fixed(k,
					data[:], 8, h[:])
			},
			"Fixed, 24": func() {
				var data [24 * 19]byte
				var h [19]uint64
				im.fixed(k,
					data[:], 24, h[:])
			},
			"Uint64s": func() { var keys, h [19]uint64; im.uint64s(k, keys[:], h[:]) },
			"Slices": func() {
				var data [300]byte
				var h [9]uint64
				keysOn(im, k, [][]byte{data[:], data[:9], data[:40], 8: nil}, h[:])
			},
			"Strings": func() { var h [9]uint64; keysOn(im, k, []string{"a", "bc", 8: ""}, h[:]) },
			"Offsets": func() {
				var data [9]byte
				var h [9]uint64
				offsetsOn(im, k, data[:], []int32{0, 1, 1, 2, 3, 3, 3, 4, 8, 9}, h[:])
			},
		} {
			if n := testing.AllocsPerRun(20, call); n != 0 && !fallback.Race {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}
