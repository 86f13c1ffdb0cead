package plain_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/plain"
)

func Example() {
	words, err := plain.New(plain.Config{Members: 1000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := words.InsertString("bloom"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(words.QueryString("bloom"), words.Bits(), words.Hashes())
	// Output: true 14381 10
}
