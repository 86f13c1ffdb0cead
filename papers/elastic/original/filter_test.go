package original

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// check fails the test unless the filter is just that of its members, given by their numbers.
func check(t testing.TB, f *Filter, members [][]uint32) {
	t.Helper()
	want := slices.Concat(members...)
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(f.AppendNumbers(nil))); !slices.Equal(got, want) {
		t.Fatalf("%+v: the fingerprints are those of %x, want %x", f.config, got, want)
	}
	if got := f.Cardinality(); got != float64(len(members)) {
		t.Fatalf("%+v: %g members, want %d", f.config, got, len(members))
	}
	ones := 0
	for i, bucket := range f.now.each {
		ones += min(1, len(f.holder(uint32(i))))
		first, end := f.sharers(i)
		beyond, most := 0, f.config.Bucket*min(1, f.config.Branches)
		for _, sharer := range f.now.each[first:end] {
			beyond += max(0, len(sharer)-f.config.Bucket)
		}
		if beyond > most {
			t.Fatalf("%+v: bucket %d has %d, and with those that share its bucket of level 2 %d "+
				"there, want %d at most", f.config, i, len(bucket), beyond, most)
		}
	}
	if ones != f.ones {
		t.Fatalf("%+v: %d bits are set, the counter says %d", f.config, ones, f.ones)
	}
	for _, numbers := range members {
		if !f.query(numbers) || !f.queryAccurate(numbers) {
			t.Fatalf("%+v: the member %x is not present in 2^%d bits", f.config, numbers, f.now.log)
		}
	}
}

// A delete of a key that is none, whose fingerprints are not all there, changes nothing: one is
// missing, or is there once where the key has it twice.
func TestDeleteOfNone(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		f := New(Config{Log: 2, Hashes: 2, Width: 6, Bucket: 4, Threshold: 1, Lazy: lazy})
		members := [][]uint32{{3, 17}, {40, 58}}
		for _, numbers := range members {
			f.insert(numbers)
		}
		f.Expand()
		for _, numbers := range [][]uint32{{3, 3}, {3, 19}, {1, 58}} {
			if f.delete(numbers) {
				t.Errorf("%d is deleted", numbers)
			}
			check(t, f, members)
		}
	}
}

// configs are small ones, so that buckets overflow, and the paper's.
func configs() []Config {
	var all []Config
	for _, lazy := range []bool{false, true} {
		all = append(all,
			Config{Log: 1, Hashes: 1, Width: 9, Bucket: 1, Branches: 2, Threshold: 0.4, Lazy: lazy},
			Config{Log: 2, Hashes: 2, Width: 10, Bucket: 2, Branches: 3, Threshold: 0.5,
				Lazy: lazy, Scan: 1},
			Config{Log: 3, Hashes: 3, Width: 12, Bucket: 2, Threshold: 0.5, Lazy: lazy, Scan: 1},
			Config{Log: 5, Hashes: 5, Width: 14, Bucket: 8, Branches: 3, Threshold: 0.2,
				Lazy: lazy, Scan: 2},
			Config{Log: 7, Hashes: 4, Width: 13, Bucket: 3, Branches: 8,
				Threshold: 0.9, Lazy: lazy},
		)
	}
	c := Default()
	c.Log, c.Most = 9, 14
	return append(all, c)
}

// history is a filter and its members.
type history struct {
	t       testing.TB
	f       *Filter
	hashes  []uint64
	members [][]uint32

	expanded, compressed, refused, updating int
}

func (h *history) insert(hash uint64) {
	h.t.Helper()
	log := h.f.Log()
	switch {
	case h.f.Insert(hash):
		h.hashes = append(h.hashes, hash)
		h.members = append(h.members, slices.Clone(h.f.Numbers(hash)))
	case h.f.Log() == h.f.config.Most:
		h.refused++
	default:
		h.t.Fatalf("%+v: an insert is refused", h.f.config)
	}
	h.count(log)
}

func (h *history) delete(i int) {
	h.t.Helper()
	log := h.f.Log()
	if !h.f.Delete(h.hashes[i]) {
		h.t.Fatalf("%+v: the delete of a member finds none", h.f.config)
	}
	h.hashes, h.members = slices.Delete(h.hashes, i, i+1), slices.Delete(h.members, i, i+1)
	h.count(log)
}

func (h *history) count(log int) {
	switch now := h.f.Log(); {
	case now > log:
		h.expanded++
	case now < log:
		h.compressed++
	}
	if h.f.Updating() {
		h.updating++
	}
}

// Whatever comes and goes, members more than once too, the filter is just that of its members, in
// the middle of a lazy expansion too; and it ends with an error where the fingerprints have no bit
// left.
func TestHistories(t *testing.T) {
	for i, c := range configs() {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		h := &history{t: t, f: New(c)}
		waves := 6
		if testing.Short() {
			waves = 2
		}
		for range waves {
			for before, steps := h.refused, 0; h.refused < before+5 && steps < 4000; steps++ {
				if n := len(h.hashes); n > 0 && rng.IntN(8) == 0 {
					h.insert(h.hashes[rng.IntN(n)])
				} else {
					h.insert(rng.Uint64())
				}
				if n := len(h.hashes); n > 0 && rng.IntN(4) == 0 {
					h.delete(rng.IntN(n))
				}
				if steps%(1+len(h.members)/2) == 0 {
					check(t, h.f, h.members)
				}
			}
			for steps := 0; len(h.hashes) > 0; steps++ {
				h.delete(rng.IntN(len(h.hashes)))
				if steps%(1+len(h.members)/2) == 0 {
					check(t, h.f, h.members)
				}
			}
			check(t, h.f, nil)
		}
		if h.expanded < 3 || h.compressed < 3 || h.refused == 0 && c.Width < 20 && !c.Lazy ||
			c.Lazy && c.Scan > 0 && h.updating == 0 {
			t.Errorf("%+v: %d expansions, %d compressions, %d refused, %d steps while it was "+
				"updated", c, h.expanded, h.compressed, h.refused, h.updating)
		}
	}
}

// Every sequence of a few inserts and deletes of some keys is right.
func TestEverySequence(t *testing.T) {
	depth := 6
	if testing.Short() {
		depth = 5
	}
	keys := []uint64{1, 0x9E3779B97F4A7C15, 1 << 60}
	for _, c := range []Config{
		{Log: 1, Hashes: 2, Width: 4, Bucket: 1, Branches: 2, Threshold: 1},
		{Log: 1, Hashes: 2, Width: 4, Bucket: 2, Branches: 2, Threshold: 0.6, Lazy: true},
		{Log: 2, Hashes: 2, Width: 5, Bucket: 1, Branches: 3, Threshold: 0.4, Lazy: true, Scan: 1},
		{Log: 1, Hashes: 1, Width: 3, Bucket: 1, Threshold: 0.5},
	} {
		refused, expanded, compressed := 0, 0, 0
		for sequence := range int(math.Pow(float64(2*len(keys)), float64(depth))) {
			h := &history{t: t, f: New(c)}
			for op := sequence; op > 0; op /= 2 * len(keys) {
				key := keys[op/2%len(keys)]
				if op%2 == 0 {
					h.insert(key)
				} else if i := slices.Index(h.hashes, key); i >= 0 {
					h.delete(i)
				}
			}
			check(t, h.f, h.members)
			refused, expanded, compressed = refused+h.refused, expanded+h.expanded,
				compressed+h.compressed
		}
		if refused == 0 || expanded == 0 || compressed == 0 {
			t.Errorf("%+v: %d refused, %d expansions, %d compressions", c, refused,
				expanded, compressed)
		}
	}
}

// FuzzHistory is the law of TestHistories for a program of bytes, two an operation.
func FuzzHistory(f *testing.F) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 2))
		program := make([]byte, 400)
		for i := range program {
			program[i] = byte(rng.Uint64())
		}
		f.Add(uint8(3*seed), program)
	}
	f.Fuzz(func(t *testing.T, which uint8, program []byte) {
		all := configs()
		h := &history{t: t, f: New(all[int(which)%len(all)])}
		for ; len(program) >= 2 && len(h.hashes) < 300; program = program[2:] {
			hash := uint64(program[1]) * 0x9E3779B97F4A7C15
			switch op := program[0]; {
			case op < 130:
				h.insert(hash)
			case op < 150 && len(h.hashes) > 0:
				h.delete(int(program[1]) % len(h.hashes))
			case op < 220:
				if i := slices.Index(h.hashes, hash); i >= 0 {
					h.delete(i)
				}
			case op < 230:
				h.f.Compress()
			case op < 234 && h.f.Log() < 8:
				h.f.Expand()
			case op < 240: // a key that is none: what all members have of it stays
				if !h.f.queryAccurate(h.f.Numbers(hash)) && h.f.Delete(hash) {
					t.Fatal("a key that is absent is deleted")
				}
			}
			if len(program)%32 == 0 {
				check(t, h.f, h.members)
			}
		}
		check(t, h.f, h.members)
	})
}
