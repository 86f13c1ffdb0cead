package toeplitz_test

import (
	"encoding/hex"
	"fmt"
	"net/netip"

	"github.com/bloomlane/bloomlane/hdl/toeplitz"
)

// The first row of the RSS verification suite: from 66.9.149.187 to 161.142.100.80.
func Example() {
	key, _ := hex.DecodeString(
		"6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
	k, err := toeplitz.New(key)
	if err != nil {
		fmt.Println(err)
		return
	}
	source, destination := netip.MustParseAddr("66.9.149.187"),
		netip.MustParseAddr("161.142.100.80")
	field := append(source.AsSlice(), destination.AsSlice()...)
	h := k.Hash(field)
	fmt.Printf("%#016x, of which RSS has %#08x\n", h, h>>32)
	// Output: 0x323e8fc281b90fd5, of which RSS has 0x323e8fc2
}
