package letter

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// elements returns, for a trial, a function that draws new elements: each call appends the cells of
// another one, each below a number of cells.
type elements func(rng *rand.Rand, cells uint64, k int) draw

type draw func(own []uint64) []uint64

// hashed elements have random 64-bit hashes, and cells as a filter makes of these.
func hashed(rng *rand.Rand, cells uint64, k int) draw {
	return func(own []uint64) []uint64 { return probed(own, rng.Uint64(), cells, k) }
}

func probed(own []uint64, hash, cells uint64, k int) []uint64 {
	for range k {
		hash = probe.Next(hash)
		own = append(own, probe.Reduce(hash, cells))
	}
	return own
}

// perfect elements have independent random cells: no hash function is more random.
func perfect(rng *rand.Rand, cells uint64, k int) draw {
	return func(own []uint64) []uint64 {
		for range k {
			own = append(own, rng.Uint64N(cells))
		}
		return own
	}
}

// distinct elements have random cells of which no two coincide.
func distinct(rng *rand.Rand, cells uint64, k int) draw {
	return func(own []uint64) []uint64 {
		for from := len(own); len(own)-from < k; {
			if cell := rng.Uint64N(cells); !slices.Contains(own[from:], cell) {
				own = append(own, cell)
			}
		}
		return own
	}
}

// once is perfect, but that a cell which an element has twice is set once, and does not collide
// with itself.
func once(rng *rand.Rand, cells uint64, k int) draw {
	draw := perfect(rng, cells, k)
	return func(own []uint64) []uint64 {
		from := len(own)
		own = draw(own)
		slices.Sort(own[from:])
		return own[:from+len(slices.Compact(own[from:]))]
	}
}

// doubly hashed elements have cell (a + i b) mod m': two random numbers for k hash functions.
func doubly(rng *rand.Rand, cells uint64, k int) draw {
	return func(own []uint64) []uint64 {
		a, b := rng.Uint64N(cells), rng.Uint64N(cells)
		for i := range k {
			own = append(own, (a+uint64(i)*b)%cells)
		}
		return own
	}
}

// entries is how many words the letter's dictionary has.
const entries = 145_000

// weakly hashed elements are numbers in decimal below entries, hashed by FNV-1a of 32 bits behind
// one byte for each function, modulo m'.
func weakly(rng *rand.Rand, cells uint64, k int) draw {
	number := numbers(rng, entries)
	return func(own []uint64) []uint64 {
		text := strconv.Itoa(number())
		for i := range k {
			h := fnv.New32a()
			h.Write(append([]byte{byte(i)}, text...))
			own = append(own, uint64(h.Sum32())%cells)
		}
		return own
	}
}

// numbers returns a function that draws numbers below n, each once.
func numbers(rng *rand.Rand, n int) func() int {
	drawn := map[int]bool{}
	return func() int {
		for {
			if i := rng.IntN(n); !drawn[i] {
				drawn[i] = true
				return i
			}
		}
	}
}

// dictionary is the hashes of words under one key.
type dictionary []uint64

// elements draws words, each once.
func (d dictionary) elements(rng *rand.Rand, cells uint64, k int) draw {
	number := numbers(rng, len(d))
	return func(own []uint64) []uint64 { return probed(own, d[number()], cells, k) }
}

// least is how many words a dictionary must have, so that a trial draws some that it has not drawn
// yet.
const least = 2 * (queries + 100)

// readWords reads a word from each line of a file, and drops those that were there before.
func readWords(name string) (d dictionary, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	k, seen := keytest.Key(1), map[string]bool{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if word := lines.Text(); word != "" && !seen[word] {
			seen[word] = true
			d = append(d, k.Hash(lines.Bytes()))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--words %s: %w", name, err)
	}
	if len(d) < least {
		return nil, fmt.Errorf("--words %s: found %d words, expected %d or more", name,
			len(d), least)
	}
	return d, nil
}
