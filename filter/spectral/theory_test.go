package spectral

import (
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/expected"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// errors are those of the counts of all members.
type errorsOf struct {
	wrong, under float64 // parts of the members
	mean         float64 // of the errors, of right counts too
}

// drawn is the members of a stream, and how many times each is in.
func drawn(t testing.TB, keys int, skew float64, draws int, seed uint64) (stream []uint64, times map[uint64]uint64) {
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

// noise returns equation 2, the mean error of a key in m counters, and the mean of its square, among others of which so
// many have each number of times. What the others add to a counter is a compound
// Poisson distribution, by Panjer's recursion.
func noise(times map[uint64]uint64, m, k float64) (mean, square float64) {
	of := map[uint64]float64{}
	for _, n := range times {
		of[n]++
	}
	load := (float64(len(times)) - 1) * k / m
	chance := []float64{math.Exp(-load)}
	left := 1 - chance[0] // of a counter that has this much or more
	for s := uint64(1); left > 1e-7; s++ {
		mean += math.Pow(left, k)
		square += float64(2*s-1) * math.Pow(left, k)
		p := 0.0
		for n, keys := range of {
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

// With minimum selection the part of the counts that are wrong is the rate of a Bloom filter, whatever the skew, and
// their mean error is that of the theory; with minimal increase no count is higher, and fewer are wrong, the more so
// the more skewed a stream is; with a recurring minimum none is higher than with minimum selection of as many
// counters. Only with a recurring minimum are some under, as few as the marker has false positives at most.
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
			m := size.first.counters
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
					t.Fatalf("a key that is in %d times has the counts %d, %d and %d", want, ms, mi, rm)
				}
			}
			theory += expected.RateOfBits(float64(len(times)-1), float64(m), test.hashes) / float64(filters)
			mean, square := noise(times, float64(m), float64(test.hashes))
			theoryMean += mean / float64(filters)
			theorySquare += square / float64(filters)
			table := all[2].(*RecurringMinimum).table.Table()
			_, rate := table.marker.Count()
			markers += rate / float64(filters)
		}
		ms, mi, rm := means[0], means[1], means[2]
		t.Logf("%+v: wrong %.4f (theory %.4f), %.4f, %.4f; mean error %.4f (theory %.4f), %.4f, %.4f; RM under %.5f, marker %.5f",
			test, ms.wrong, theory, mi.wrong, rm.wrong, ms.mean, theoryMean, mi.mean, rm.mean, rm.under, markers)
		deviation := math.Sqrt(theory*(1-theory)/keys) / math.Sqrt(float64(filters))
		if math.Abs(ms.wrong-theory) > 5*deviation+0.01*theory {
			t.Errorf("%+v: %.5f are wrong, want %.5f ± %.5f", test, ms.wrong, theory, 5*deviation)
		}
		within := 5*math.Sqrt((theorySquare-theoryMean*theoryMean)/keys/float64(filters)) + 0.02*theoryMean
		if math.Abs(ms.mean-theoryMean) > within {
			t.Errorf("%+v: a mean error of %.5f, want %.5f ± %.5f", test, ms.mean, theoryMean, within)
		}
		if ms.under+mi.under > 0 || rm.under > markers+4*math.Sqrt(markers/keys/float64(filters)) {
			t.Errorf("%+v: under: %g, %g, %g; the marker's rate is %g", test, ms.under, mi.under, rm.under, markers)
		}
		if mi.wrong > (0.7-0.2*min(1, test.skew))*ms.wrong || mi.mean > ms.mean/2 {
			t.Errorf("%+v: with minimal increase %.4f are wrong by %.4f, with minimum selection %.4f by %.4f",
				test, mi.wrong, mi.mean, ms.wrong, ms.mean)
		}
		if rm.wrong > 0.9*ms.wrong || rm.mean > 0.9*ms.mean {
			t.Errorf("%+v: with a recurring minimum %.4f are wrong by %.4f, with minimum selection %.4f by %.4f",
				test, rm.wrong, rm.mean, ms.wrong, ms.mean)
		}
	}
}

// ofShape returns a filter of any sizes.
func ofShape(s shape) counter {
	k := key.FromBytes([key.Size]byte{7})
	of := state{k, body{fingerprint: k.Fingerprint()}, newTable(s)}
	switch s.rule {
	case selection:
		return made[MinimumSelection](of)
	case increase:
		return made[MinimalIncrease](of)
	default:
		return made[RecurringMinimum](of)
	}
}
