package cuckoo_test

import (
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
)

func Example() {
	flows, err := cuckoo.New(cuckoo.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := flows.InsertUint64(42); errors.Is(err, filter.ErrFull) {
		fmt.Println("no place:", err)
	}
	fmt.Println(flows.QueryUint64(42), flows.DeleteUint64(42), flows.QueryUint64(42))
	// Output: true deleted false
}
