package letter

import "github.com/bloomlane/bloomlane/filter/family/dlbf"

// multiplier is odd and random, and differs from those of the hash functions of a filter.
const multiplier = 0xd1342543de82ef95

// rehash returns the hash of an element under another set of hash functions. choice is the number
// of the set; set 0 is the hash itself.
func rehash(hash uint64, choice int) uint64 {
	for range choice {
		hash *= multiplier
	}
	return hash
}

// goal rates an array that has the given elements: the higher, the better. The hashes are those
// under the array's choice.
type goal func(a *dlbf.Array, hashes []uint64) float64

// lowestRate is the goal of the lowest false-positive rate: the fewest set cells.
func lowestRate(a *dlbf.Array, _ []uint64) float64 { return -float64(a.Count().Ones) }

// mostDeletable is the goal of the most deletable elements.
func mostDeletable(a *dlbf.Array, hashes []uint64) float64 {
	count := 0.0
	for _, hash := range hashes {
		if a.Deletable(hash) {
			count++
		}
	}
	return count
}

// firstDeletable returns the goal of the most deletable elements among the first n.
func firstDeletable(n int) goal {
	return func(a *dlbf.Array, hashes []uint64) float64 { return mostDeletable(a, hashes[:n]) }
}

// choose makes arrays of the same elements under d sets of hash functions, and returns the best one
// by a goal, with its choice. If several are best, it returns the first. The letter calls this the
// power of choices. A program that queries the array must know the choice, and query rehash(hash,
// choice).
func choose(s dlbf.Shape, d int, hashes []uint64, aim goal) (best *dlbf.Array, choice int) {
	best, other := array(s), array(s)
	highest, rehashed := 0.0, make([]uint64, len(hashes))
	for candidate := range d {
		other.Reset()
		for i, hash := range hashes {
			rehashed[i] = rehash(hash, candidate)
			other.Insert(rehashed[i])
		}
		if value := aim(other, rehashed); candidate == 0 || value > highest {
			best, other = other, best
			highest, choice = value, candidate
		}
	}
	return best, choice
}
