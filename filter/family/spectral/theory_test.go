package spectral

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/probe"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// errors are those of the counts of all members.
type errorsOf struct {
	wrong, under float64 // parts of the members
	mean         float64 // of the errors, of right counts too
}

// drawn is the members of a stream, and how many times each is in.
func drawn(
	t testing.TB,
	keys int,
	skew float64,
	draws int,
	seed uint64,
) (stream []uint64, times map[uint64]uint64) {
	t.Helper()
	s, err := workload.Zipf(uint64(keys), skew, seed)
	if err != nil {
		t.Fatal(err)
	}
	times = map[uint64]uint64{}
	for range draws {
		hash := s.Hash(s.Next())
		stream = append(stream, hash)
		times[hash]++
	}
	return stream, times
}

func measure(f counter, times map[uint64]uint64) (e errorsOf) {
	n := float64(len(times))
	for hash, want := range times {
		got := f.CountHash(hash)
		switch {
		case got > want:
			e.wrong += 1 / n
		case got < want:
			e.wrong += 1 / n
			e.under += 1 / n
		}
		e.mean += math.Abs(float64(got)-float64(want)) / n
	}
	return e
}

// noise returns equation 2, the mean error of a key in m counters, and the mean of its square,
// among others; times has how many of these have each count. What the others add to a counter is a
// compound Poisson distribution, by Panjer's recursion.
func noise(times map[uint64]uint64, m, k float64) (mean, square float64) {
	sums := map[uint64]float64{}
	for _, n := range times {
		sums[n]++
	}
	load := (float64(len(times)) - 1) * k / m
	chance := []float64{math.Exp(-load)}
	left := 1 - chance[0] // of a counter that has this much or more
	for s := uint64(1); left > 1e-7; s++ {
		mean += math.Pow(left, k)
		square += float64(2*s-1) * math.Pow(left, k)
		p := 0.0
		for n, keys := range sums {
			if n <= s {
				p += float64(n) * keys / float64(len(times)) * chance[s-n]
			}
		}
		p *= load / float64(s)
		chance = append(chance, p)
		left -= p
	}
	return mean, square
}

// With minimum selection the part of the counts that are wrong is the rate of a Bloom filter at any
// skew, and their mean error is that of the theory. With minimal increase no count is higher than
// that, and fewer are wrong, the more so the more skewed the stream is. With a recurring minimum no
// count is higher than with minimum selection of as many counters. Only with a recurring minimum
// are some counts too low: at most as many as the marker has false positives.
func TestErrors(t *testing.T) {
	const keys = 4000
	filters := 8
	if testing.Short() {
		filters = 3
	}
	for _, test := range []struct {
		bits, skew float64
		hashes     int
	}{{30, 0, 3}, {30, 0.7, 3}, {30, 1.2, 3}, {40, 0, 5}, {40, 1, 5}, {24, 0.7, 4}} {
		var means [3]errorsOf
		var theory, theoryMean, theorySquare, markers float64
		for seed := range filters {
			stream, times := drawn(t, keys, test.skew, 8*keys, uint64(seed))
			c := Config{Members: keys, BitsPerKey: test.bits, Hashes: test.hashes, Times: 4}
			size, err := c.solve(selection)
			if err != nil {
				t.Fatal(err)
			}
			m := size.counters
			var all [3]counter
			for r := range all {
				s := shapeOf(rule(r), m, 0, test.hashes, keys, 4)
				all[r] = ofShape(s)
				if _, err := all[r].InsertHashBatch(stream, nil); err != nil {
					t.Fatal(err)
				}
				e := measure(all[r], times)
				n := float64(filters)
				means[r].wrong += e.wrong / n
				means[r].under += e.under / n
				means[r].mean += e.mean / n
			}
			for hash, want := range times {
				ms, mi, rm := all[0].CountHash(hash), all[1].CountHash(hash), all[2].CountHash(hash)
				if ms < want || mi < want || mi > ms || rm > ms {
					t.Fatalf("a key that is in %d times has the counts %d, %d and %d",
						want, ms, mi, rm)
				}
			}
			theory += expected.RateOfBits(float64(len(times)-1), float64(m), test.hashes) /
				float64(filters)
			mean, square := noise(times, float64(m), float64(test.hashes))
			theoryMean += mean / float64(filters)
			theorySquare += square / float64(filters)
			table := base.Open(&all[2].(*RecurringMinimum).Body)
			_, rate := table.marker.Count()
			markers += rate / float64(filters)
		}
		ms, mi, rm := means[0], means[1], means[2]
		t.Logf("%+v: wrong %.4f (theory %.4f), %.4f, %.4f; mean error %.4f (theory %.4f), "+
			"%.4f, %.4f; RM under %.5f, marker %.5f", test, ms.wrong, theory, mi.wrong, rm.wrong,
			ms.mean, theoryMean,
			mi.mean, rm.mean, rm.under, markers)
		deviation := math.Sqrt(theory*(1-theory)/keys) / math.Sqrt(float64(filters))
		if math.Abs(ms.wrong-theory) > 5*deviation+0.01*theory {
			t.Errorf("%+v: %.5f are wrong, want %.5f ± %.5f", test, ms.wrong, theory, 5*deviation)
		}
		within := 5*math.Sqrt((theorySquare-theoryMean*theoryMean)/keys/float64(filters)) +
			0.02*theoryMean
		if math.Abs(ms.mean-theoryMean) > within {
			t.Errorf("%+v: a mean error of %.5f, want %.5f ± %.5f", test, ms.mean,
				theoryMean, within)
		}
		if ms.under+mi.under > 0 || rm.under > markers+4*math.Sqrt(markers/keys/float64(filters)) {
			t.Errorf("%+v: under: %g, %g, %g; the marker's rate is %g", test, ms.under, mi.under,
				rm.under, markers)
		}
		if mi.wrong > (0.7-0.2*min(1, test.skew))*ms.wrong || mi.mean > ms.mean/2 {
			t.Errorf("%+v: with minimal increase %.4f are wrong by %.4f, with minimum selection "+
				"%.4f by %.4f",
				test, mi.wrong, mi.mean, ms.wrong, ms.mean)
		}
		if rm.wrong > 0.9*ms.wrong || rm.mean > 0.9*ms.mean {
			t.Errorf("%+v: with a recurring minimum %.4f are wrong by %.4f, with minimum "+
				"selection %.4f by %.4f",
				test, rm.wrong, rm.mean, ms.wrong, ms.mean)
		}
	}
}

// While members come and go, each more than once, no count of minimum selection is too low. With a
// recurring minimum a few are, because the marker never loses a key: at most as many as its rate
// says. Every member is present in both.
func TestTurnovers(t *testing.T) {
	const keys, turns = 4000, 6
	rng := rand.New(rand.NewPCG(11, 12))
	c := Config{Members: keys, BitsPerKey: 40, Hashes: 4, Times: 4}
	ms, rm := mustNew(t, c, selection).(*MinimumSelection),
		mustNew(t, c, recurring).(*RecurringMinimum)
	times := map[uint64]uint64{}
	var in []uint64
	insert := func(hash uint64) {
		in = append(in, hash)
		times[hash]++
		add(t, ms, hash, 1)
		add(t, rm, hash, 1)
	}
	for range turns * 4 * keys {
		if rng.IntN(4) > 0 && len(in) > 0 {
			insert(in[rng.IntN(len(in))])
		} else {
			insert(rng.Uint64())
		}
		if len(in) > 9*keys/4 {
			i := rng.IntN(len(in))
			hash := in[i]
			in[i] = in[len(in)-1]
			in = in[:len(in)-1]
			a, b := ms.DeleteHash(hash), rm.DeleteHash(hash)
			if a == filter.Absent || b == filter.Absent {
				t.Fatal("a member is absent")
			}
			if times[hash]--; times[hash] == 0 {
				delete(times, hash)
			}
		}
	}
	for hash := range times {
		if !ms.QueryHash(hash) || !rm.QueryHash(hash) || rm.CountHash(hash) == 0 {
			t.Fatal("a member is not present")
		}
	}
	_, rate := base.Open(&rm.Body).marker.Count()
	a, b := measure(ms, times), measure(rm, times)
	for what, pair := range map[string][2]float64{ // of the documentation
		"wrong of MS": {a.wrong, 0.014}, "wrong of RM": {b.wrong, 0.12}, "under": {b.under, 0.03},
		"marker": {rate, 0.37},
	} {
		if math.Abs(pair[0]/pair[1]-1) > 0.05 {
			t.Errorf("%s: %.4f, documented %g", what, pair[0], pair[1])
		}
	}
	t.Logf("%d members: wrong %.4f and %.4f, mean error %.4f and %.4f, under %.5f; the marker's "+
		"rate is %.5f",
		len(times), a.wrong, b.wrong, a.mean, b.mean, b.under, rate)
	if a.under > 0 || b.under > rate {
		t.Errorf("under: %g and %g, the marker's rate is %g", a.under, b.under, rate)
	}
}

// A key that the marker shows by accident, and that has no secondary counters, moves with all its
// count. So does a key that has left and comes again.
func TestKeysMoveWhole(t *testing.T) {
	f := mustNew(t, Config{Members: 100, Rate: 1e-6}, recurring).(*RecurringMinimum)
	const hash = 0x123456789abcdef
	add(t, f, hash, 5)
	base.Open(&f.Body).marker.Insert(hash)
	if got := f.CountHash(hash); got != 5 {
		t.Errorf("the count of a key that did not move is %d, want 5", got)
	}
	for _, step := range []struct{ times, want uint64 }{{1, 6}, {3, 9}} {
		add(t, f, hash, step.times)
		if got := base.Open(&f.Body).second.minimum(hash); got != step.want ||
			f.CountHash(hash) != step.want {
			t.Errorf("the counts are %d and %d, want %d", got, f.CountHash(hash), step.want)
		}
	}
	for range 9 {
		f.DeleteHash(hash)
	}
	if got := base.Open(&f.Body).second.minimum(hash); got != 0 || f.QueryHash(hash) {
		t.Errorf("a key that left is present %v, and %d times in secondary counters",
			f.QueryHash(hash), got)
	}
	if add(t, f, hash, 2); f.CountHash(hash) != 2 {
		t.Errorf("it came again, and its count is %d", f.CountHash(hash))
	}
}

// A delete lowers the secondary counters only of a key that the marker shows, and none of them if
// one is 0.
func TestDeletesOfWhatMoved(t *testing.T) {
	const unmarked, partly = 1 << 60, 3 << 60
	f := mustNew(t, Config{Members: 100, Rate: 1e-6}, recurring).(*RecurringMinimum)
	table := base.Open(&f.Body)
	add(t, f, unmarked, 2)
	add(t, f, partly, 2)
	table.second.raise(unmarked, 7)
	table.marker.Insert(partly)
	array := table.second.(*variable).array
	array.Set(array.At(probe.Next(partly)), 5)
	before := table.second.words()
	f.DeleteHash(unmarked)
	f.DeleteHash(partly)
	if !slices.Equal(table.second.words(), before) {
		t.Error("a delete lowered secondary counters that are not the key's")
	}
}

// A non-member may have one counter twice. If that is 1, a delete lowers it to 0 and no further.
func TestCountersThatComeTwice(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, width := range []int{0, 4} {
		s := sizeOf(10, width, 8).store(1)
		empty := slices.Clone(s.words())
		for range 100 {
			hash := rng.Uint64()
			s.raiseTo(hash, 1)
			if least := s.lower(hash); least > 1 || s.query(hash) {
				t.Fatalf("width %d: the least was %d, and the key is present %v", width, least,
					s.query(hash))
			}
			if !slices.Equal(s.words(), empty) {
				t.Fatalf("width %d: counters are left", width)
			}
		}
	}
}

// A raise returns the two least of a key's counters as they were.
func TestRaiseReturnsTheTwoLeast(t *testing.T) {
	const k = 4
	for _, width := range []int{0, 8} {
		s := sizeOf(20_000, width, k).store(8)
		var each store // of the same counters, of which a key has one
		switch s := s.(type) {
		case *fixed:
			one := *s
			one.Hashes = 1
			each = &one
		case *variable:
			each = &variable{s.array, 1}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			key := rng.Uint64()
			var values []uint64
			for x, i := key, 0; i < k; x, i = probe.Next(x), i+1 {
				each.raise(x, rng.Uint64N(5))
				values = append(values, each.minimum(x))
			}
			slices.Sort(values)
			if least, second := s.raise(key, 1); least != values[0] || second != values[1] {
				t.Errorf("width %d, counters %d: %d and %d", width, values, least, second)
			}
		}
	}
}

// The number of members stops at its highest value, and Equal compares it.
func TestMembers(t *testing.T) {
	f := mustNew(t, Config{Members: 100, BitsPerKey: 30}, selection).(*MinimumSelection)
	add(t, f, 1, 1)
	f.DeleteHash(1)
	if f.Equal(f.Fresh().(*MinimumSelection)) || f.Members() != 0 {
		t.Error("a filter with a history is as a new one")
	}
	for range 2 {
		if add(t, f, 2, math.MaxUint64); f.Members() != base.MaxCount-1 {
			t.Errorf("%d members", f.Members())
		}
	}
}

// A key whose counters are at the highest value is retained, also if that value is 1.
func TestWidthOfOne(t *testing.T) {
	f := mustNew(t, Config{Members: 100, BitsPerKey: 10, Width: 1}, selection).(*MinimumSelection)
	add(t, f, 7, 1)
	if got := f.DeleteHash(7); got != filter.Retained || f.CountHash(7) != math.MaxUint64 {
		t.Errorf("%v, and its count is %d", got, f.CountHash(7))
	}
}

// ofShape returns a filter of any sizes.
func ofShape(s shape) counter {
	k := keytest.Key(7)
	var f counter
	switch t := newTable(s); s.rule {
	case selection:
		f, _ = base.Make(selectionKind, t, k)
	case increase:
		f, _ = base.Make(increaseKind, t, k)
	default:
		f, _ = base.Make(recurringKind, t, k)
	}
	return f
}

// Sizes, some of which the package documentation has.
func TestDocumentedSizes(t *testing.T) {
	for _, row := range []struct {
		rule  rule
		width int
		bits  [4]float64
	}{
		{selection, 0, [4]float64{13.8, 27.6, 41.3, 55.1}},
		{increase, 0, [4]float64{13.8, 27.6, 41.3, 55.1}},
		{recurring, 0, [4]float64{22.1, 41.7, 62.5, 83.3}},
		{selection, 8, [4]float64{38.5, 76.7, 115.0, 153.4}},
	} {
		for i, rate := range []float64{0.1, 0.01, 0.001, 0.0001} {
			c := Config{Members: 1_000_000, Rate: rate, Width: row.width}
			s, err := c.solve(row.rule)
			k := [4]uint64{3, 7, 10, 13}[i]
			if got := 8e-6 * s.bytes(); err != nil || math.Abs(got-row.bits[i]) > 0.06 ||
				s.hashes != k {
				t.Errorf("%v, width %d, rate %g: %.2f bits per key, k = %d; want %g and %d (%v)",
					row.rule, row.width, rate, got, s.hashes, row.bits[i], k, err)
			}
		}
	}
}

// The errors of counts of docs/theory/spectral.md.
func TestDocumentedErrors(t *testing.T) {
	for i, skew := range []float64{0, 0.5, 1} {
		stream, times := drawn(t, 20_000, skew, 200_000, 5)
		for _, row := range []struct {
			rule        rule
			width       int
			wrong, mean [3]float64
		}{
			{selection, 0, [3]float64{9.7, 9.3, 9.4}, [3]float64{0.81, 0.57, 0.20}},
			{increase, 0, [3]float64{6.4, 5.2, 4.2}, [3]float64{0.17, 0.14, 0.07}},
			{recurring, 0, [3]float64{18, 18, 18}, [3]float64{1.6, 1.3, 0.56}},
			{selection, 16, [3]float64{40, 39, 39}, [3]float64{4.9, 4.9, 5.7}},
			{increase, 16, [3]float64{40, 39, 39}, [3]float64{4.9, 4.9, 5.7}},
		} {
			f := mustNew(t, Config{
				Members: len(times), BitsPerKey: 32, Width: row.width,
				Times: len(stream) / len(times),
			}, row.rule)
			if _, err := f.InsertHashBatch(stream, nil); err != nil {
				t.Fatal(err)
			}
			e := measure(f, times)
			bits := 8 * float64(f.State().Bytes) / float64(len(times))
			wrong, mean := math.Abs(100*e.wrong/row.wrong[i]-1), math.Abs(e.mean/row.mean[i]-1)
			if wrong > 0.03 || mean > 0.08 || bits > 32.1 || e.under > 1./200 {
				t.Errorf("skew %g, %v, width %d: %.3g %% are wrong, by %.3g in the mean, and "+
					"%.3g %% under; %.1f bits",
					skew, row.rule, row.width, 100*e.wrong, e.mean, 100*e.under, bits)
			}
		}
	}
}
