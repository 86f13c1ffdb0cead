package workload

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// The keys of a stream are as frequent as Zipf's law says, by a chi-square test over ranks and, for
// the tail, groups of them.
func TestFrequencies(t *testing.T) {
	const draws = 400_000
	for _, keys := range []uint64{1, 2, 3, 10, 1000, 200_000} {
		for _, exponent := range []float64{0, 0.2, 0.8, 1, 1 + 1e-12, 1.001, 1.5, 3, 20} {
			s := must[*Stream](t)(Zipf(keys, exponent, 3))
			counts := make([]int, keys)
			for range draws {
				counts[s.Next()]++
			}
			weights, total := make([]float64, keys), 0.0
			for i := range weights {
				weights[i] = math.Pow(float64(i+1), -exponent)
				total += weights[i]
			}
			square, groups := 0.0, 0
			expected, found := 0.0, 0
			for i := range weights {
				expected += weights[i] / total * draws
				found += counts[i]
				if expected < 20 && i < len(weights)-1 {
					continue
				}
				if expected > 0 {
					square += (float64(found) - expected) * (float64(found) - expected) /
						max(expected, 1)
				}
				groups++
				expected, found = 0, 0
			}
			// The mean of chi-square is its degrees of freedom, and the variance twice that.
			freedom := float64(groups - 1)
			if off := square - freedom; off > 4.5*math.Sqrt(2*freedom)+8 {
				t.Errorf("%d keys, exponent %g: chi-square %.0f, of %.0f degrees of freedom", keys,
					exponent, square, freedom)
			}
		}
	}
}

// Where there is no list of all frequencies: the largest universe, and steep laws in it.
func TestLargeUniverses(t *testing.T) {
	for _, test := range []struct{ exponent, first, low, high float64 }{
		{0, 0, 0, 0}, {0.5, 0, 0, 0}, {1, 0.0439, 0.039, 0.049}, {2, 0.6079, 0.60, 0.62},
		{100, 1, 1, 1},
	} {
		s := must[*Stream](t)(Zipf(MaxKeys, test.exponent, 1))
		const draws = 20_000
		first, half := 0, 0
		for range draws {
			switch n := s.Next(); {
			case n >= MaxKeys:
				t.Fatalf("exponent %g: key %d", test.exponent, n)
			case n == 0:
				first++
			case n >= MaxKeys/2:
				half++
			}
		}
		if part := float64(first) / draws; part < test.low || part > test.high {
			t.Errorf("exponent %g: key 0 is %.4f of all, want %.4f", test.exponent,
				part, test.first)
		}
		want := 0.0 // of the upper half of the keys
		if test.exponent < 1 {
			want = 1 - math.Pow(0.5, 1-test.exponent)
		} else if test.exponent == 1 {
			want = math.Ln2 / (math.Log(MaxKeys) + 0.5772)
		}
		if part := float64(half) / draws; math.Abs(part-want) > 0.015 {
			t.Errorf("exponent %g: the upper half is %.4f of all, want %.4f",
				test.exponent, part, want)
		}
	}
}

// The same seed gives the same keys and hashes, another seed others; a key has one hash, and it is
// the key's own.
func TestStreamsAreRepeatable(t *testing.T) {
	for _, exponent := range []float64{0, 0.9, 2} {
		hashes := func(seed uint64) []uint64 {
			h := make([]uint64, 1000)
			must[*Stream](t)(Zipf(500, exponent, seed)).Fill(h)
			return h
		}
		first, s := hashes(7), must[*Stream](t)(Zipf(500, exponent, 7))
		if !slices.Equal(first, hashes(7)) {
			t.Errorf("exponent %g: the same seed gives other keys", exponent)
		}
		for i, hash := range first {
			if n := s.Next(); s.Hash(n) != hash {
				t.Fatalf("exponent %g, draw %d: the hash of key %d is %x, want %x", exponent, i, n,
					s.Hash(n), hash)
			}
		}
		for _, hash := range hashes(8) {
			if slices.Contains(first, hash) {
				t.Fatalf("exponent %g: streams of two seeds have a hash in common", exponent)
			}
		}
	}
	s := must[*Stream](t)(Zipf(1<<16, 0, 7))
	seen, ones := map[uint64]bool{}, 0
	for n := range s.Keys() {
		hash := s.Hash(n)
		seen[hash] = true
		ones += int(hash >> 63)
	}
	if len(seen) != 1<<16 || ones < 1<<15-600 || ones > 1<<15+600 {
		t.Errorf("%d hashes of %d keys, %d in the upper half", len(seen), 1<<16, ones)
	}
	filled := make([]uint64, 3)
	Fill(newRand(2), filled)
	if rng := newRand(2); filled[0] != rng.Uint64() || filled[1] != rng.Uint64() ||
		filled[2] != rng.Uint64() {
		t.Errorf("filled with %x, want the generator's numbers", filled)
	}
}

func TestStreamsRefuse(t *testing.T) {
	for _, test := range []struct {
		keys     uint64
		exponent float64
		field    string
	}{
		{0, 1, "Keys"}, {MaxKeys + 1, 1, "Keys"}, {5, -0.1, "Exponent"},
		{5, math.NaN(), "Exponent"}, {5, 101, "Exponent"},
		{5, math.Inf(1), "Exponent"},
	} {
		_, err := Zipf(test.keys, test.exponent, 1)
		var e *InputError
		if !errors.As(err, &e) || e.Field != test.field {
			t.Errorf("%+v: %v, want an *InputError of %s", test, err, test.field)
		}
	}
}

// Mix is SplitMix64: its first numbers from a seed of 0, as its authors' code gives them.
func TestMix(t *testing.T) {
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Mix(uint64(i) * Step); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}
