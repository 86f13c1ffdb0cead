package dlbf_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
)

func Example() {
	sessions, err := dlbf.New(dlbf.Config{Members: 1000, Rate: 0.001, Deletability: 0.9})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := sessions.InsertString("alice"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(sessions.Shape(), sessions.QueryString("alice"))
	fmt.Println(sessions.DeleteString("alice"), sessions.QueryString("alice"))
	// Output:
	// 16778 bits, 2397 regions of 6, 10 hashes true
	// deleted false
}
