package filter_test

import (
	"fmt"
	"log"
	"net/netip"

	"github.com/bloomlane/bloomlane/filter/plain"
)

// Addresses and prefixes are keys of their bytes, which takes no allocation. As16 gives an IPv4
// address one key, with and without the prefix ::ffff:0:0/96. Prefixes of more than one length need
// a query for each length.
func Example_addresses() {
	f, err := plain.New(plain.Config{Members: 1000, Rate: 1e-6})
	if err != nil {
		log.Fatal(err)
	}
	address := netip.MustParseAddr("192.0.2.1").As16()
	f.Insert(address[:])
	var memory [17]byte
	prefix, _ := netip.MustParsePrefix("198.51.100.0/24").Masked().AppendBinary(memory[:0])
	f.Insert(prefix)

	mapped := netip.MustParseAddr("::ffff:192.0.2.1").As16()
	around, _ := netip.MustParseAddr("198.51.100.77").Prefix(24)
	prefix, _ = around.AppendBinary(memory[:0])
	fmt.Println(f.Query(mapped[:]), f.Query(prefix))
	// Output: true true
}
