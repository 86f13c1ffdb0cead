package filter_test

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
)

// A program takes a kind by its name, and finds out what its filters can do.
func Example() {
	kind, found := kinds.All().Of("deletable")
	if !found {
		return
	}
	f, err := kind.New(filter.Sizing{Members: 1_000_000, Rate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	set, deletes := f.(filter.Deleter)
	if !deletes {
		fmt.Println("filters of this kind do not delete")
		return
	}
	const hash = 0x0123456789abcdef // a uniform hash of a key
	if _, err := set.InsertHash(hash); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.QueryHash(hash), set.DeleteHash(hash), set.QueryHash(hash))
	fmt.Println(kind.Promises.Has(base.NoFalseNegatives))
	// Output:
	// true deleted false
	// true
}

// Nobody knows how many keys will come. The program looks at the state before each batch, and ends
// when the rate is no longer the one that it wants. State takes a key that comes again for another
// member: where many do, look at the fill by ScanFill.
func Example_full() {
	const rate = 0.01
	f, err := deletable.New(deletable.Config{Members: 1000, Rate: rate, Key: keytest.Key(9)})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := make([]uint64, 10_000)
	for i := range keys {
		keys[i] = uint64(i)
	}
	for batch := range slices.Chunk(keys, 16) {
		if s := f.State(); s.Rate >= rate {
			fmt.Printf("full after %.0f members: fill %.2f, rate %.4f\n", s.Members, s.Fill, s.Rate)
			break
		}
		if _, err := f.InsertUint64Batch(batch, nil); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output: full after 1040 members: fill 0.51, rate 0.0104
}
