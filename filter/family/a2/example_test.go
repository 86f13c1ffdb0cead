package a2_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/family/a2"
)

// Duplicates in a stream of messages: an insert reports whether the window had the message.
func Example() {
	seen, err := a2.New(a2.Config{Members: 1000, Rate: 1e-9})
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := []string{"order 7", "order 8", "order 7"}
	for n := range 5000 {
		stream = append(stream, fmt.Sprint("order ", 100+n))
	}
	stream = append(stream, "order 4700", "order 7") // 399 others ago, and more than 5000
	for _, message := range stream {
		present, err := seen.InsertString(message)
		if err != nil {
			fmt.Println(err)
		}
		if present {
			fmt.Println("duplicate:", message)
		}
	}
	fmt.Println("now in the window:", seen.QueryString("order 7"))
	// Output:
	// duplicate: order 7
	// duplicate: order 4700
	// now in the window: true
}
