package filter_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
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
