package deletable_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// A program that gets packets in bursts prefetches the sources of a whole burst first. When it
// queries the first source, the cache lines of all are being loaded.
func ExampleFilter_PrefetchHash() {
	blocked, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, source := range []string{"192.0.2.7", "198.51.100.4"} {
		if _, err := blocked.InsertString(source); err != nil {
			fmt.Println(err)
			return
		}
	}

	burst := []string{"203.0.113.1", "192.0.2.7", "203.0.113.2"}
	hashes := make([]uint64, len(burst))
	for i, source := range burst {
		hashes[i] = blocked.HashString(source)
		blocked.PrefetchHash(hashes[i])
	}
	for i, source := range burst {
		if blocked.QueryHash(hashes[i]) {
			fmt.Println("drop", source)
		}
	}
	// Output:
	// drop 192.0.2.7
}
