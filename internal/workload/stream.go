package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Fill fills hashes with random ones. Each is the hash of a given other key with a probability of
// 2^-64.
func Fill(rng *rand.Rand, hashes []uint64) {
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
}

// Hashes returns n random hashes: see [Fill].
func Hashes(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	Fill(rng, hashes)
	return hashes
}

// Stream draws keys from a universe, with repetition. The keys are numbered from 0, the most
// frequent first.
type Stream struct {
	keys     uint64
	exponent float64
	rng      *rand.Rand
	seed     uint64
	zipf     zipf
}

// InputError says that there is no such stream.
type InputError struct {
	Field    string
	Found    any
	Expected string
}

func (e *InputError) Error() string {
	return fmt.Sprintf("workload: %s is %v, expected %s", e.Field, e.Found, e.Expected)
}

// MaxKeys is the size of the largest universe. With 2^53 keys and an exponent of 0.5 the upper half
// of the keys came in 25.3 % of the draws instead of 29.3 %, because a float64 cannot tell
// neighbouring ranks apart there.
const MaxKeys = 1 << 32

// Zipf returns a stream of a universe of a number of keys, 1 to MaxKeys, by Zipf's law: the
// frequency of key i is proportional to (i+1)^-exponent. The exponent is from 0 (all keys are
// equally frequent) to 100. Its error is an *[InputError].
//
// rand.Zipf of math/rand/v2 has exponents above 1 only. The literature on filters uses exponents
// below 1 too.
func Zipf(keys uint64, exponent float64, seed uint64) (*Stream, error) {
	if keys < 1 || keys > MaxKeys {
		return nil, &InputError{"Keys", keys, fmt.Sprintf("1 to %d", uint64(MaxKeys))}
	}
	const most = 100 // beyond which only key 0 is ever drawn
	if !(exponent >= 0 && exponent <= most) {
		return nil, &InputError{"Exponent", exponent, fmt.Sprintf("0 to %d", most)}
	}
	s := &Stream{keys: keys, exponent: exponent, rng: rand.New(rand.NewPCG(seed, 1)),
		seed: Mix(seed)}
	s.zipf = newZipf(float64(keys), exponent)
	return s, nil
}

// Keys returns the number of keys in the universe.
func (s *Stream) Keys() uint64 { return s.keys }

// Next draws a key and returns its number.
func (s *Stream) Next() (number uint64) {
	if s.exponent == 0 {
		return s.rng.Uint64N(s.keys)
	}
	return s.zipf.draw(s.rng)
}

// Hash returns the hash of the key with a number. Different keys have different hashes. Another
// seed gives other hashes.
func (s *Stream) Hash(number uint64) uint64 { return Mix(number ^ s.seed) }

// Fill fills hashes with those of the next keys.
func (s *Stream) Fill(hashes []uint64) {
	for i := range hashes {
		hashes[i] = s.Hash(s.Next())
	}
}

// zipf draws ranks 1 to keys with frequencies proportional to rank^-exponent, by
// rejection-inversion (Hörmann and Derflinger, ACM TOMACS 6(3), 1996): a point is drawn below the
// curve h(x) = x^-exponent over [1/2, keys+1/2], whose mass between k-1/2 and k+1/2 is at least
// that of rank k, because h is convex; the rest is drawn again.
type zipf struct {
	keys, exponent float64
	low, high      float64 // of the integral: what the points are drawn between
	// a point at most so far below its rank is accepted without a look at the curve
	sure float64
}

func newZipf(keys, exponent float64) zipf {
	z := zipf{keys: keys, exponent: exponent}
	z.low = z.integral(1.5) - 1 // the mass of rank 1 is cut to h(1)
	z.high = z.integral(keys + 0.5)
	z.sure = 2 - z.inverse(z.integral(2.5)-z.h(2))
	return z
}

// draw returns a random rank, less 1.
func (z *zipf) draw(rng *rand.Rand) uint64 {
	for {
		u := z.high + rng.Float64()*(z.low-z.high)
		x := z.inverse(u)
		rank := max(1, min(z.keys, math.Floor(x+0.5)))
		if rank-x <= z.sure || u >= z.integral(rank+0.5)-z.h(rank) {
			return uint64(rank) - 1
		}
	}
}

// h is x^-exponent.
func (z *zipf) h(x float64) float64 { return math.Exp(-z.exponent * math.Log(x)) }

// integral is the integral of h from 1 to x: (x^(1-exponent) - 1) / (1-exponent), or log x for an
// exponent of 1.
func (z *zipf) integral(x float64) float64 {
	log := math.Log(x)
	return log * ratio(math.Expm1, (1-z.exponent)*log)
}

// inverse is the inverse of integral.
func (z *zipf) inverse(y float64) float64 {
	t := max(-1, y*(1-z.exponent)) // below -1 by rounding only
	return math.Exp(y * ratio(math.Log1p, t))
}

// ratio returns f(t)/t, and its limit of 1 at t = 0.
func ratio(f func(float64) float64, t float64) float64 {
	if t == 0 {
		return 1
	}
	return f(t) / t
}
