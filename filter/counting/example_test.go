package counting_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/counting"
)

func Example() {
	cached, err := counting.New(counting.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if _, err := cached.InsertString("/index.html"); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(cached.DeleteString("/index.html"), cached.QueryString("/index.html"))
	fmt.Println(cached.DeleteString("/index.html"), cached.QueryString("/index.html"))
	// Output:
	// retained true
	// deleted false
}
