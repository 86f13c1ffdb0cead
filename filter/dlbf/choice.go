package dlbf

import "fmt"

// multiplier is odd and random, and differs from those of package probe.
const multiplier = 0xd1342543de82ef95

// Rehash returns the hash of an element under another set of hash functions. choice is the number
// of the set; set 0 is the hash itself.
func Rehash(hash uint64, choice int) uint64 {
	for range choice {
		hash *= multiplier
	}
	return hash
}

// Goal rates an array that has the given elements: the higher, the better. The hashes are those
// under the array's choice.
type Goal func(a *Array, hashes []uint64) float64

// LowestRate is the goal of the lowest false-positive rate: the fewest set cells.
func LowestRate(a *Array, _ []uint64) float64 { return -float64(a.used()) }

// MostDeletable is the goal of the most deletable elements.
func MostDeletable(a *Array, hashes []uint64) float64 {
	count := 0.0
	for _, hash := range hashes {
		if a.Deletable(hash) {
			count++
		}
	}
	return count
}

// FirstDeletable returns the goal of the most deletable elements among the first n. It panics if n
// is negative. The goal panics if there are fewer than n elements.
func FirstDeletable(n int) Goal {
	if n < 0 {
		panic(fmt.Sprintf("dlbf: FirstDeletable of %d elements, expected at least 0", n))
	}
	return func(a *Array, hashes []uint64) float64 {
		if len(hashes) < n {
			panic(fmt.Sprintf("dlbf: FirstDeletable(%d) of %d elements, expected at least %d", n,
				len(hashes), n))
		}
		return MostDeletable(a, hashes[:n])
	}
}

// Choose makes arrays of the same elements under d sets of hash functions, and returns the best one
// by a goal, with its choice. If several are best, it returns the first. The letter calls this the
// power of choices. A program that queries the array must know the choice, and query Rehash(hash,
// choice). The error is a *[filter.SizingError] for a bad shape and for d below 1.
func Choose(s Shape, d int, hashes []uint64, goal Goal) (best *Array, choice int, err error) {
	if err := s.Check(); err != nil {
		return nil, 0, err
	}
	if d < 1 {
		return nil, 0, wrong("d", d, "at least 1")
	}
	best, other := newArray(s), newArray(s)
	highest, rehashed := 0.0, make([]uint64, len(hashes))
	for candidate := range d {
		other.Reset()
		for i, hash := range hashes {
			rehashed[i] = Rehash(hash, candidate)
			other.Insert(rehashed[i])
		}
		if value := goal(other, rehashed); candidate == 0 || value > highest {
			best, other = other, best
			highest, choice = value, candidate
		}
	}
	return best, choice, nil
}
