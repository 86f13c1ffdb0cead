package deletable

import (
	"fmt"
	"math"
)

// MaxBlocks is the largest number of blocks of a filter: 64 GiB of them. Where an int has 32 bits it
// is 256 MiB, so that the number of a table's bits fits one.
const MaxBlocks = min(1<<30, math.MaxInt/(8*BlockBytes)+1)

// Config says what a filter is for.
type Config struct {
	// Members is the number of members to plan for, at least 1. The filter takes more, with more
	// false positives. Where members come and go, mind that the rate grows with every insert ever
	// made: see the package documentation.
	Members int

	// BitsPerKey sizes the filter by memory: bits for each of the Members, collision bits
	// included. 16 gives 0.21 % false positives. Exactly one of BitsPerKey and Rate is above 0.
	BitsPerKey float64

	// Rate sizes the filter by its false-positive rate when the Members are in: the smallest
	// filter whose [ExpectedRate] is no higher. It lies between 0 and 1.
	Rate float64

	// Key is the hash key; nil means a new random one. A given key makes filters reproducible,
	// and mergeable.
	Key *Key
}

// ConfigError is the error of [New]: a field of a [Config] that no filter can have.
type ConfigError struct {
	Field    string // of Config
	Found    any    // its value
	Expected string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("filter config: %s is %v, expected %s", e.Field, e.Found, e.Expected)
}

// Blocks returns the number of blocks of the filter that [New] makes for c: 1 to [MaxBlocks], of
// [BlockBytes] each. Its error is a *[ConfigError].
func (c *Config) Blocks() (int, error) {
	if c.Members < 1 {
		return 0, &ConfigError{"Members", c.Members, "at least 1"}
	}
	switch {
	case c.BitsPerKey == 0 && c.Rate == 0:
		return 0, &ConfigError{"BitsPerKey", 0, "either it or Rate above 0"}
	case c.BitsPerKey != 0 && c.Rate != 0:
		return 0, &ConfigError{"BitsPerKey", c.BitsPerKey, fmt.Sprintf("0, because Rate is %g", c.Rate)}
	case c.Rate != 0:
		return blocksForRate(c.Members, c.Rate)
	}
	return blocksForBits(c.Members, c.BitsPerKey)
}

func blocksForBits(members int, bitsPerKey float64) (int, error) {
	if !(bitsPerKey > 0) { // so written, NaN fails it too
		return 0, &ConfigError{"BitsPerKey", bitsPerKey, "a number above 0"}
	}
	nblocks := math.Ceil(float64(members) * bitsPerKey / float64(8*BlockBytes))
	if nblocks > float64(MaxBlocks) {
		most := float64(MaxBlocks) * float64(8*BlockBytes) / float64(members)
		return 0, &ConfigError{"BitsPerKey", bitsPerKey,
			fmt.Sprintf("at most %.6g: %d members in %d blocks", most, members, MaxBlocks)}
	}
	return max(1, int(nblocks)), nil
}
