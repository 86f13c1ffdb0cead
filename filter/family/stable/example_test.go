package stable_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/family/stable"
)

// A click on an advertisement is charged once, if it comes again within the next 1000 clicks.
func Example() {
	clicks, err := stable.New(stable.Config{Members: 1000, Rate: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, click := range []string{"ann 17", "bob 3", "ann 17", "eve 9", "bob 3"} {
		duplicate, err := clicks.InsertString(click)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(click, duplicate)
	}
	for other := range uint64(10_000) { // no memory of all that came: the filter forgets
		if _, err := clicks.InsertUint64(other); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(clicks.QueryString("ann 17"))
	// Output:
	// ann 17 false
	// bob 3 false
	// ann 17 true
	// eve 9 false
	// bob 3 true
	// false
}

// What a window costs, and how sharp its end is: the part of the keys that are missed, by the
// number of other keys that came since.
func ExampleShape_Missed() {
	config := stable.Config{Members: 1_000_000, Rate: 0.01, Missed: 0.05}
	shape, err := config.Shape()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(shape)
	for _, gap := range []int{250_000, 500_000, 1_000_000, 2_000_000} {
		fmt.Printf("%7d others: %.2g missed\n", gap, shape.Missed(gap))
	}
	// Output:
	// 18702704 cells of 4 bits, 6 hashes, 142 decrements
	//  250000 others: 1.1e-08 missed
	//  500000 others: 5.7e-05 missed
	// 1000000 others: 0.05 missed
	// 2000000 others: 0.91 missed
}
