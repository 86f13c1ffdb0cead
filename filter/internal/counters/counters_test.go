package counters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/hugepage"
)

// shapes have pages that are full, that end within a group and a word, and of one counter.
var shapes = []Shape{{1, 1}, {2, 3}, {3, 64}, {1, 65}, {2, 200}, {1, 511}, {3, 512}}

// check fails the test unless an array has the counters of a model, and is what its words are.
func check(t *testing.T, a *Array, model []uint64) {
	t.Helper()
	used, size := 0, uint64(0)
	for i, want := range model {
		if got := a.Get(a.Index(uint64(i))); got != want {
			t.Fatalf("counter %d of %v is %d, want %d", i, a.Shape, got, want)
		}
		if want > 0 {
			used++
		}
		size += length(want)
	}
	size += a.Pages * header * 64
	if gotUsed, gotSize := a.Count(); gotUsed != used || gotSize != size {
		t.Fatalf("%v: %d used in %d bits, want %d in %d", a.Shape, gotUsed, gotSize, used, size)
	}
	b, ok := Of(a.Shape, 1, a.Words())
	if !ok || !a.Equal(b) || !b.Equal(a) {
		t.Fatalf("%v: other counters of its words", a.Shape)
	}
}

// length is the bits of a value's code: as the documentation has it.
func length(value uint64) uint64 {
	n := uint64(1)
	for j := 1; j < levels && value >= base[j]; j++ {
		n += 1 + widths[j]
	}
	return n
}

// A counter has the value that its calls give it, whatever happens to the others: also far up and
// far down. Lower, Raise and RaiseTo alone write it, in between of Set.
func TestArrayIsItsCounters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		a, model := New(s, 2), make([]uint64, s.Counters())
		for step := range 6000 {
			i := rng.IntN(len(model))
			p, before := a.Index(uint64(i)), model[i]
			was, call := before, ""
			switch rng.IntN(9) {
			case 0:
				model[i] = min(rng.Uint64()>>(22+rng.IntN(42)), Highest)
				a.Set(p, model[i])
			case 1:
				model[i] = 0
				a.Set(p, 0)
			case 2: // at an end of a level
				model[i] = min(base[rng.IntN(levels)]-rng.Uint64N(2), Highest)
				a.Set(p, model[i])
			case 3, 4:
				was, call = a.Lower(p), "lowered"
				if before != Highest {
					model[i] = max(before, 1) - 1
				}
			case 5:
				to := min(before+3, Highest) - min(rng.Uint64N(6), before)
				a.RaiseTo(p, to)
				model[i], call = max(before, to), fmt.Sprintf("raised to %d", to)
			default:
				by := rng.Uint64() >> rng.IntN(64) >> rng.IntN(64)
				was, call = a.Raise(p, by), fmt.Sprintf("raised by %d", by)
				model[i] += min(by, Highest-before)
			}
			if got := a.Get(p); got != model[i] || was != before {
				t.Fatalf("%v: %d %s was %d and is %d, want %d", s, before, call, was, got, model[i])
			}
			if step%500 == 0 {
				check(t, a, model)
			}
		}
		check(t, a, model)
		b, _ := Of(s, 9, a.Words())
		a.Reserve(9)
		if check(t, a, model); a.Bytes() != b.Bytes() {
			t.Errorf("%v: %d bytes with the room of %d", s, a.Bytes(), b.Bytes())
		}
		a.Reserve(2)
		a.Set(a.Index(0), model[0]/2+1)
		a.Set(a.Index(0), model[0]^1)
		if a.Equal(b) {
			t.Errorf("%v: another counter, and equal", s)
		}
		for i := range model {
			model[i] = Highest
			a.Set(a.Index(uint64(i)), Highest)
		}
		check(t, a, model)
		for i := range model {
			model[i] = 0
			a.Set(a.Index(uint64(i)), 0)
		}
		check(t, a, model)
		if empty := New(s, 2); !a.Equal(empty) || a.Bytes() != empty.Bytes() {
			t.Errorf("%v: %d bytes when all counters are 0 again, empty %d", s, a.Bytes(),
				empty.Bytes())
		}
		b.Clear()
		check(t, b, model)
	}
}

// From either end a counter goes through every value near the ends of its levels, one by one. It
// stays at Highest for good, and does not go below 0. Its neighbours stay as they are.
func TestCountersSaturate(t *testing.T) {
	for _, s := range shapes {
		a, model := New(s, 1), make([]uint64, s.Counters())
		for i := range model {
			model[i] = base[i%levels]
			a.Set(a.Index(uint64(i)), model[i])
		}
		n := len(model) / 2
		p := a.Index(uint64(n))
		is := func(call string, was, wantWas, want uint64) {
			t.Helper()
			if got := a.Get(p); got != want || was != wantWas {
				t.Fatalf("%v: %s: was %d and is %d, want %d and %d", s, call, was, got, wantWas,
					want)
			}
			model[n] = want
		}
		for _, end := range append([]uint64{Highest + 1}, base[1:]...) {
			for value := end - min(end, 3); value < min(end+3, Highest); value++ {
				a.Set(p, value)
				is("raised by one", a.Raise(p, 1), value, value+1)
				check(t, a, model)
				if value+1 < Highest {
					is("lowered", a.Lower(p), value+1, value)
					check(t, a, model)
				}
				a.RaiseTo(p, value+1)
				is("raised to the next", 0, 0, value+1)
			}
		}
		for _, n := range []uint64{
			1, 2, Highest - 1, Highest, Highest + 1, 1 << 63, math.MaxUint64,
		} {
			start := Highest - min(n-1, Highest)
			a.Set(p, start)
			is("raised past the end", a.Raise(p, n), start, Highest)
			is("raised at the end", a.Raise(p, n), Highest, Highest)
			is("lowered at the end", a.Lower(p), Highest, Highest)
			a.RaiseTo(p, Highest-1)
			is("raised to less", 0, 0, Highest)
			check(t, a, model)
		}
		a.Set(p, 0)
		is("lowered at 0", a.Lower(p), 0, 0)
		is("raised by nothing", a.Raise(p, 0), 0, 0)
		check(t, a, model)
	}
}

// The lengths are those of the documentation, and no value has another's code.
func TestCodes(t *testing.T) {
	for _, row := range []struct{ first, last, bits uint64 }{
		{0, 0, 1}, {1, 1, 2}, {2, 3, 4}, {4, 7, 6}, {8, 23, 9}, {24, 87, 12}, {88, 599, 16},
		{600, 4695, 20},
		{4696, 70231, 25}, {70232, 1118807, 30}, {1118808, 34673239, 36}, {1 << 40, Highest, 56},
	} {
		for _, value := range []uint64{row.first, row.last, row.first + (row.last-row.first)/3} {
			a := New(Shape{1, 1}, 1)
			a.Set(Place{}, value)
			if _, size := a.Count(); size-header*64 != row.bits || a.Get(Place{}) != value {
				t.Errorf("%d takes %d bits, want %d, and is %d", value, size-header*64, row.bits,
					a.Get(Place{}))
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a value above Highest is taken")
		}
	}()
	New(Shape{1, 1}, 1).Set(Place{}, Highest+1)
}

// Every place is that of as many hashes.
func TestPlacesAreUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range shapes {
		a, counts := New(s, 1), make([]int, s.Counters())
		for range 400 * len(counts) {
			p := a.At(rng.Uint64())
			counts[uint64(p.page)*s.PerPage+uint64(p.counter)]++
		}
		chi := 0.0
		for _, count := range counts {
			chi += float64((count-400)*(count-400)) / 400
		}
		if n := float64(len(counts)); chi > n-1+6*math.Sqrt(2*n) {
			t.Errorf("%v: chi square %.0f of %.0f", s, chi, n-1)
		}
	}
	for m := uint64(1); m < 3000; m++ {
		if s := ShapeOf(m); s.Counters() < m || s.Counters() >= m+s.Pages ||
			s.PerPage > PageCounters {
			t.Errorf("%d counters in %v", m, s)
		}
	}
}

// A page grows by its own words only: an array whose counters are steady allocates nothing, and one
// that grows has at most a sixth more memory than its pages need.
func TestGrowth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := Shape{40, 512}
	a := New(s, 1)
	for range 20_000 {
		i := a.At(rng.Uint64())
		a.Set(i, a.Get(i)+1+rng.Uint64N(3)*rng.Uint64N(30))
	}
	_, size := a.Count()
	if need, got := float64(size)/8+slice*40, float64(a.Bytes()); got < need || got > need*7/6 {
		t.Errorf("%.0f bytes for %.0f", got, need)
	}
	if fallback.Race {
		return
	}
	steady := func() {
		for range 2000 { // as many at each height as before
			i, j := a.At(rng.Uint64()), a.At(rng.Uint64())
			x, y := a.Get(i), a.Get(j)
			a.Set(i, 0)
			a.Set(i, x)
			a.Set(j, y)
		}
	}
	if n := testing.AllocsPerRun(10, steady); n != 0 {
		t.Errorf("%v allocations of steady counters", n)
	}
}

// Words that are not of an array are refused, and what is accepted is an array that works and has
// just these.
func FuzzOf(f *testing.F) {
	a := New(Shape{2, 70}, 1)
	for i := range uint64(140) {
		a.Set(a.Index(i), i*i*i)
	}
	add := func(words []uint64) {
		var b []byte
		for _, word := range words {
			for range 8 {
				b = append(b, byte(word))
				word >>= 8
			}
		}
		f.Add(b, uint8(0), uint8(0))
		for i := range b {
			f.Add(b, uint8(i), uint8(1<<(i%8)))
		}
	}
	add(a.Words())
	add(New(Shape{2, 70}, 1).Words())
	f.Fuzz(func(t *testing.T, b []byte, at, flip uint8) {
		if int(at) < len(b) {
			b = slices.Clone(b)
			b[at] ^= flip
		}
		words := make([]uint64, len(b)/8)
		for i := range words {
			for j := range 8 {
				words[i] |= uint64(b[8*i+j]) << (8 * j)
			}
		}
		for _, s := range []Shape{{2, 70}, {1, 512}, {1 << 40, 1}} {
			a, ok := Of(s, 2, words)
			if !ok {
				continue
			}
			if !slices.Equal(a.Words(), words) {
				t.Fatal("other words")
			}
			model := make([]uint64, s.Counters())
			for i := range model {
				model[i] = min(a.Get(a.Index(uint64(i)))+uint64(i), Highest)
				a.Set(a.Index(uint64(i)), model[i])
			}
			check(t, a, model)
		}
	})
}

// Words that are cut or of another shape are refused.
func TestOfRefuses(t *testing.T) {
	s := Shape{3, 100}
	a := New(s, 1)
	for i := range uint64(300) {
		a.Set(a.Index(i), i%9)
	}
	words := a.Words()
	if _, ok := Of(s, 1, words); !ok {
		t.Fatal("its words are refused")
	}
	for _, other := range []Shape{{2, 100}, {4, 100}, {3, 99}, {3, 101}, {3, 512}, {1 << 60, 1}} {
		if _, ok := Of(other, 1, words); ok {
			t.Errorf("%v is accepted as %v", s, other)
		}
	}
	for n := range words {
		if _, ok := Of(s, 1, words[:n]); ok {
			t.Errorf("%d of %d words are accepted", n, len(words))
		}
	}
	if _, ok := Of(s, 1, append(slices.Clone(words), 0)); ok {
		t.Error("a word more is accepted")
	}
	accepted := 0
	for i := range 64 * len(words) { // most of these are other counters
		words[i/64] ^= 1 << (i % 64)
		if b, ok := Of(s, 1, words); ok {
			accepted++
			second := New(s, 1)
			for i := range s.Counters() {
				second.Set(second.Index(i), b.Get(b.Index(i)))
			}
			if !slices.Equal(b.Words(), words) || !second.Equal(b) {
				t.Fatalf(
					"with bit %d flipped: accepted, and other words than those of its counters", i)
			}
		}
		words[i/64] ^= 1 << (i % 64)
	}
	highest := Length(Highest)
	for _, last := range []uint64{highest, highest + 1 + widths[levels-1]} { // of a level too many
		end := (header*64 + last) * everyEnd
		if _, ok := Of(Shape{1, 1}, 1, []uint64{end, end, 1<<highest - 1}); ok {
			t.Errorf("a counter of %d bits that goes on forever is accepted", last)
		}
	}
	if accepted == 0 || accepted > 64*len(words)/2 {
		t.Errorf("%d of %d flipped bits are accepted", accepted, 64*len(words))
	}
}

// An array that is more than there is memory for is not made.
func TestArrayWithinMemory(t *testing.T) {
	shape := ShapeOf(1 << 23)
	words := New(shape, 1).Words()
	hugepage.Possible = func() (int64, string) { return 1 << 10, "the test" }
	defer func() { hugepage.Possible = nil }()
	for name, do := range map[string]func(){
		"New": func() { New(Shape{1 << 40, 512}, 1) },
		"Of":  func() { Of(shape, 100, words) },
	} {
		func() {
			defer func() {
				if _, is := recover().(*hugepage.MemoryError); !is {
					t.Errorf("%s makes an array beyond the memory", name)
				}
			}()
			do()
		}()
	}
}
