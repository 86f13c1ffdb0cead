package original

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

func newFilter(t testing.TB, c Config) *Filter {
	t.Helper()
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// check fails the test unless the filter is just that of its members, given by their numbers.
func check(t testing.TB, f *Filter, members [][]uint64) {
	t.Helper()
	want := slices.Concat(members...)
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(f.AppendNumbers(nil))); !slices.Equal(got, want) {
		t.Fatalf("%+v: the fingerprints are those of %x, want %x", f.config, got, want)
	}
	if got := f.Cardinality(); got != float64(len(members)) {
		t.Fatalf("%+v: %g members, want %d", f.config, got, len(members))
	}
	set := map[int]bool{}
	for _, number := range want {
		set[f.index(number)] = true
	}
	ones := 0
	for i := range 1 << f.now.log {
		if f.bit(i) {
			ones++
		} else if set[i] {
			t.Fatalf("%+v: bit %d of 2^%d is clear, and its bucket has a fingerprint",
				f.config, i, f.now.log)
		}
		if f.bit(i) && !set[i] && f.old == nil {
			t.Fatalf("%+v: bit %d of 2^%d is set, and its bucket is empty", f.config, i, f.now.log)
		}
		if f.now.branches == 0 {
			continue
		}
		first, _, _ := f.now.slotsOf(i)
		here, room := len(f.now.append(nil, i)), 0
		for slot := first; slot < first+f.now.size; slot++ {
			if f.now.first.get(slot) == 0 {
				room++
			}
		}
		if room != max(0, f.now.size-here) {
			t.Fatalf("%+v: bucket %d has %d fingerprints, and %d slots free", f.config,
				i, here, room)
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

// Fig. 1: m = 4 and w = 6. The hash number 011110 has the index 10 and the fingerprint 0111.
func TestFig1(t *testing.T) {
	f := newFilter(t, Config{Log: 2, Hashes: 1, Width: 6, Bucket: 4, Threshold: 1})
	if err := f.insert([]uint64{0b011110}); err != nil {
		t.Fatal(err)
	}
	first, _, _ := f.now.slotsOf(0b10)
	if got := f.now.first.get(first); got != 1<<4|0b0111 {
		t.Errorf("bucket 10 has %b, want 0111 behind a bit that is set", got)
	}
	if f.words[0] != 1<<0b10 {
		t.Errorf("the bits are %b, want bit 10 alone", f.words[0])
	}
}

// Fig. 2: the fingerprint 0101 of bucket 0 goes to bucket 4, and 0111 of bucket 2 to bucket 6, each
// less its lowest bit; bit 2 becomes 0, bits 4 and 6 become 1. The delete of that key takes 011
// from bucket 110.
func TestFig2(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		f := newFilter(t, Config{Log: 2, Hashes: 1, Width: 6, Bucket: 4, Threshold: 1, Lazy: lazy})
		// fingerprints 0101 and 1000 of bucket 0, 0111 of 2
		members := [][]uint64{{0b010100}, {0b100000}, {0b011110}}
		for _, numbers := range members {
			if err := f.insert(numbers); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Expand(); err != nil {
			t.Fatal(err)
		}
		if lazy {
			if f.words[0] != 0b01010101 || f.left != 4 {
				t.Errorf("before any bucket is updated the bits are %08b, want two copies",
					f.words[0])
			}
			check(t, f, members)
			f.update([]uint64{0b010100, 0b011110, 1, 3})
		}
		if f.words[0] != 0b01010001 || f.Updating() || f.Log() != 3 {
			t.Errorf("the bits are %08b, want those of buckets 0, 4 and 6", f.words[0])
		}
		for bucket, fingerprint := range map[int]uint64{0: 0b100, 4: 0b010, 6: 0b011} {
			first, _, _ := f.now.slotsOf(bucket)
			if got := f.now.first.get(first); got != 1<<3|fingerprint {
				t.Errorf("bucket %03b has %04b, want %03b behind a bit that is set", bucket,
					got, fingerprint)
			}
		}
		check(t, f, members)
		if !f.delete(members[2]) || f.words[0] != 0b00010001 {
			t.Errorf("after the delete the bits are %08b, want those of buckets 0 and 4",
				f.words[0])
		}
		if !f.Compress() || f.words[0] != 0b0001 {
			t.Errorf("after the compression the bits are %04b, want that of bucket 0", f.words[0])
		}
		check(t, f, members[:2])
	}
}

// The paper skips the insert of a key whose fingerprints are all there (section 3.2.1). Where they
// are those of two others, one of which is deleted, the key is lost; that every insert stores its
// own costs a duplicate's k fingerprints.
func TestSkip(t *testing.T) {
	a, b, c := []uint64{3, 17}, []uint64{40, 58}, []uint64{3, 58}
	for _, skip := range []bool{false, true} {
		f := newFilter(t, Config{Log: 4, Hashes: 2, Width: 6, Bucket: 4, Threshold: 1, Skip: skip})
		for _, numbers := range [][]uint64{a, b, c} {
			if err := f.insert(numbers); err != nil {
				t.Fatal(err)
			}
		}
		if !f.queryAccurate(c) || !f.delete(a) {
			t.Fatal("a member is absent")
		}
		if f.query(c) == skip {
			t.Errorf("with skipped inserts %v: the third key is present %v", skip, !skip)
		}
		if !skip {
			check(t, f, [][]uint64{b, c})
		}
	}
}

// A delete of a key that is none, whose fingerprints are not all there, changes nothing: one is
// missing, or is there once where the key has it twice.
func TestDeleteOfNone(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		f := newFilter(t, Config{Log: 2, Hashes: 2, Width: 6, Bucket: 4, Threshold: 1, Lazy: lazy})
		members := [][]uint64{{3, 17}, {40, 58}}
		for _, numbers := range members {
			if err := f.insert(numbers); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Expand(); err != nil {
			t.Fatal(err)
		}
		for _, numbers := range [][]uint64{{3, 3}, {3, 19}, {1, 58}} {
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
	members [][]uint64

	expanded, compressed, refused, copies, updating int
}

func (h *history) insert(hash uint64) {
	h.t.Helper()
	log := h.f.Log()
	if err := h.f.Insert(hash); err != nil {
		var e *BitsError
		var copies *CopiesError
		switch {
		case errors.As(err, &e) && errors.Is(err, ErrBits) && e.Log == h.f.Log() &&
			e.Log == h.f.FarLog():
			h.refused++
		case errors.As(err, &copies) && errors.Is(err, ErrCopies) && copies.Copies > copies.Slots &&
			log == h.f.Log():
			h.copies++
		default:
			h.t.Fatalf("%+v: %v", h.f.config, err)
		}
	} else {
		h.hashes, h.members = append(h.hashes, hash), append(h.members, h.f.Numbers(hash))
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
		h := &history{t: t, f: newFilter(t, c)}
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
			h := &history{t: t, f: newFilter(t, c)}
			for op := sequence; op > 0; op /= 2 * len(keys) {
				key := keys[op/2%len(keys)]
				if op%2 == 0 {
					h.insert(key)
				} else if i := slices.Index(h.hashes, key); i >= 0 {
					h.delete(i)
				}
			}
			check(t, h.f, h.members)
			refused, expanded, compressed = refused+h.refused+h.copies, expanded+h.expanded,
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
		h := &history{t: t, f: newFilter(t, all[int(which)%len(all)])}
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
				if err := h.f.Expand(); err != nil {
					t.Fatal(err)
				}
			case op < 240: // a key that is none: what all members have of it stays
				if !h.f.QueryAccurate(hash) && h.f.Delete(hash) {
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

// A key can be a member as often as its buckets have slots, of both levels; once more is refused,
// and nothing expands.
func TestCopies(t *testing.T) {
	for branches, slots := range map[int]int{0: 8, 3: 16} {
		c := Default()
		c.Branches, c.Threshold, c.Most = branches, 1, 18
		h := &history{t: t, f: newFilter(t, c)}
		for range slots {
			h.insert(77)
		}
		check(t, h.f, h.members)
		if len(h.hashes) != slots {
			t.Fatalf("%d branches: a key %d times, want %d", branches, len(h.hashes), slots)
		}
		h.insert(77)
		check(t, h.f, h.members)
		if h.copies != 1 || h.f.Log() != c.Log {
			t.Errorf("%d branches: one more is refused %d times, and then there are 2^%d bits",
				branches, h.copies, h.f.Log())
		}
	}
}

// The rate of a filter that grows is Ω^k at most, and that of the accurate query far less.
func TestRate(t *testing.T) {
	c := Default()
	c.Log, c.Hashes = 10, 3
	f := newFilter(t, c)
	rng := rand.New(rand.NewPCG(3, 3))
	const probes = 200_000
	for n := range 20_000 {
		if err := f.Insert(rng.Uint64()); err != nil {
			t.Fatal(err)
		}
		if f.SetBits() > c.Threshold {
			t.Fatalf("%d members: %g of the bits are set", n+1, f.SetBits())
		}
		if n%5000 != 4999 {
			continue
		}
		found, accurate := 0, 0
		for range probes {
			hash := rng.Uint64()
			if f.Query(hash) {
				found++
			}
			if f.QueryAccurate(hash) {
				accurate++
			}
		}
		expected := probes * math.Pow(f.SetBits(), float64(c.Hashes))
		if math.Abs(float64(found)-expected) > 5*math.Sqrt(expected) || accurate > 0 {
			t.Errorf("%d members: %d of %d are present, want %.0f; %d by the accurate query", n+1,
				found, probes, expected, accurate)
		}
	}
}

// A union has all fingerprints of both, whatever their sizes, and an intersection those that both
// have.
func TestUnionAndIntersection(t *testing.T) {
	for _, c := range configs() {
		if c.Width < 12 {
			continue
		}
		a, b := &history{t: t, f: newFilter(t, c)}, &history{t: t, f: newFilter(t, c)}
		rng := rand.New(rand.NewPCG(4, 4))
		for i := range 40 {
			hash := rng.Uint64()
			if i%3 > 0 {
				a.insert(hash)
			}
			if i%3 < 2 && i < 20 {
				b.insert(hash)
			}
		}
		union, err := a.f.Union(b.f)
		if err != nil {
			t.Fatal(err)
		}
		check(t, union, slices.Concat(a.members, b.members))
		both, err := a.f.Intersection(b.f)
		if err != nil {
			t.Fatal(err)
		}
		common := 0
		for _, hash := range a.hashes {
			if slices.Contains(b.hashes, hash) {
				common++
				if !both.QueryAccurate(hash) {
					t.Fatalf("%+v: a member of both is not present", c)
				}
			}
		}
		if got := both.Cardinality(); got < float64(common) ||
			got > float64(common)+3 || common < 5 {
			t.Errorf("%+v: %g members of both, want %d", c, got, common)
		}
	}
}

func TestConfig(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Log": func(c *Config) { c.Log = 0 }, "Hashes": func(c *Config) { c.Hashes = 0 },
		"Width":     func(c *Config) { c.Width = 14 },
		"Bucket":    func(c *Config) { c.Bucket = 65 },
		"Branches":  func(c *Config) { c.Branches = -1 },
		"Most":      func(c *Config) { c.Most = 14 },
		"Threshold": func(c *Config) { c.Threshold = math.NaN() },
		"Scan":      func(c *Config) { c.Scan = -1 },
	} {
		c := Default()
		change(&c)
		var e *filter.SizingError
		if f, err := New(c); f != nil || !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Slots of every width hold what was put into them, beside their neighbours.
func TestPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for width := 1; width < 64; width++ {
		const n = 70
		p, want := newPacked(n, width), make([]uint64, n)
		for range 1000 {
			slot := rng.IntN(n)
			want[slot] = rng.Uint64() & (1<<width - 1)
			p.set(slot, want[slot])
			if at := rng.IntN(n); p.get(at) != want[at] {
				t.Fatalf("width %d: slot %d is %x, want %x", width, at, p.get(at), want[at])
			}
		}
	}
	if got := fmt.Sprint(branchBits(1), branchBits(2), branchBits(3),
		branchBits(8)); got != "0 1 2 3" {
		t.Errorf("bits for 1, 2, 3 and 8 branches: %s", got)
	}
}
