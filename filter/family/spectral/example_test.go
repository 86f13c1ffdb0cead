package spectral_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/family/spectral"
)

func Example() {
	requests, err := spectral.NewIncrease(spectral.Config{Members: 10_000, Rate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		if _, err := requests.InsertString("192.0.2.7"); err != nil {
			fmt.Println(err)
		}
	}
	if err := requests.AddString("198.51.100.1", 250); err != nil {
		fmt.Println(err)
	}
	for _, address := range []string{"192.0.2.7", "198.51.100.1", "203.0.113.9"} {
		fmt.Println(address, requests.CountString(address))
	}
	// Output:
	// 192.0.2.7 3
	// 198.51.100.1 250
	// 203.0.113.9 0
}
