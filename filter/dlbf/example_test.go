package dlbf_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/dlbf"
)

func Example() {
	sessions, err := dlbf.New(dlbf.Config{Members: 1000, Rate: 0.001, Deletable: 0.9})
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

// Choose tries ten sets of hash functions, and takes the one that sets the fewest bits of a packet
// header.
func ExampleChoose() {
	links := []uint64{0x9d2c5680f1bbcdcb, 0x243f6a8885a308d3, 0x13198a2e03707344,
		0xa4093822299f31d0}
	header, choice, err := dlbf.Choose(dlbf.Shape{Bits: 240, Regions: 24, Hashes: 5}, 10, links,
		dlbf.LowestRate)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice, header.Count().Ones, header.Query(dlbf.Rehash(links[0], choice)))
	// Output: 3 18 true
}
