package elastic_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/elastic"
)

// A filter that was made for 100 members takes 10,000, at the rate that it was made for.
func Example() {
	addresses, err := elastic.New(elastic.Config{Members: 100, Rate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for address := range uint64(10_000) {
		if _, err := addresses.InsertUint64(address); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(addresses.QueryUint64(42), addresses.State().Rate <= 0.01,
		addresses.Limit() >= 10_000)
	for address := range uint64(9_900) {
		addresses.DeleteUint64(address)
	}
	fmt.Println(addresses.Members(), addresses.Limit() < 1000)
	// Output:
	// true true true
	// 100 true
}
