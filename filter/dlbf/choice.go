package dlbf

// multiplier is odd and random, and none of package probe's.
const multiplier = 0xd1342543de82ef95

// Rehash returns the hash of an element under another set of hash functions: the choice-th, of which 0 is the
// hash itself.
func Rehash(hash uint64, choice int) uint64 {
	for range choice {
		hash *= multiplier
	}
	return hash
}

// Goal says how good an array with these elements in it is, which are hashes under the array's choice: the
// more the better.
type Goal func(a *Array, hashes []uint64) float64

// LowestRate is the goal of the fewest false positives: of the fewest cells that are set.
func LowestRate(a *Array, _ []uint64) float64 { return -float64(a.used()) }

// MostDeletable is the goal of the most elements that are deletable.
func MostDeletable(a *Array, hashes []uint64) float64 {
	count := 0.0
	for _, hash := range hashes {
		if a.Deletable(hash) {
			count++
		}
	}
	return count
}

// FirstDeletable is the goal of the most elements that are deletable among the first n, which are chosen so.
func FirstDeletable(n int) Goal {
	return func(a *Array, hashes []uint64) float64 { return MostDeletable(a, hashes[:n]) }
}

// Choose makes the arrays of the same elements under d sets of hash functions, and returns that which is the
// best by a goal, the first of several, with its choice: what the letter calls the power of choices. Whoever
// asks the array for an element has to know the choice, and asks for Rehash(hash, choice). The error is a
// *[filter.SizingError] of the shape, or of d below 1.
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
