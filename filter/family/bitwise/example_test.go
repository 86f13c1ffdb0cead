package bitwise_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/bitwise"
)

// The words of a text are counted, and one of them is deleted again.
func Example() {
	words, err := bitwise.New(bitwise.Config{Members: 1000, Rate: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range []string{"a", "rose", "is", "a", "rose", "is", "a", "rose"} {
		if _, err := words.InsertString(word); err != nil {
			fmt.Println(err)
		}
	}
	if err := words.AddString("the", 1_000_000); err != nil {
		fmt.Println(err)
	}
	fmt.Println(words.CountString("rose"), words.CountString("is"), words.CountString("the"),
		words.CountString("thorn"))
	for words.DeleteString("rose") == filter.Retained {
	}
	fmt.Println(words.CountString("rose"), words.CountString("is"))
	// Output:
	// 3 2 1000000 0
	// 0 2
}

// The levels for counts by Zipf's law, and how often the counts of members that come once, and of
// members that come a thousand times, are too high.
func ExampleShape_Over() {
	config := bitwise.Config{Members: 1_000_000, Rate: 0.01}
	shape, err := config.Shape()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(shape)
	for _, times := range []uint64{1, 1000} {
		fmt.Printf("%4d times: %.2g\n", times, shape.Over(times, 1_000_000, bitwise.Zipf(1)))
	}
	// Output:
	// 10522720 x 4 + 2661104 x 4 + 330984 x 8 + 2440 x 64 bits, 4 hashes
	//    1 times: 0.01
	// 1000 times: 0.086
}
