package key_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/bloomlane/bloomlane/filter/key"
)

// A program makes a random key once, keeps it in a file that others cannot read, and parses it when
// it starts again.
func Example() {
	k := key.New()
	text := k.Secret() // this is the secret

	parsed, err := key.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(parsed.Equal(k), parsed.Hash([]byte("ada")) == k.Hash([]byte("ada")))
	// Output: true true
}

// IPv4 flows are keys of 16 bytes. They lie one behind another in one slice.
func ExampleKey_HashFixedBatch() {
	const width = 16
	flows := []struct {
		from, to netip.AddrPort
		protocol uint8
	}{
		{netip.MustParseAddrPort("192.0.2.1:40000"), netip.MustParseAddrPort("198.51.100.2:443"),
			6},
		{netip.MustParseAddrPort("192.0.2.7:5353"), netip.MustParseAddrPort("224.0.0.251:5353"),
			17},
	}
	data := make([]byte, len(flows)*width)
	for i, f := range flows {
		packed := data[i*width:][:width]
		copy(packed, f.from.Addr().AsSlice())
		copy(packed[4:], f.to.Addr().AsSlice())
		binary.BigEndian.PutUint16(packed[8:], f.from.Port())
		binary.BigEndian.PutUint16(packed[10:], f.to.Port())
		packed[12] = f.protocol
	}
	secret, err := key.Parse("pmac:000102030405060708090a0b0c0d0e0f")
	if err != nil {
		fmt.Println(err)
		return
	}
	hashes := make([]uint64, len(flows))
	secret.HashFixedBatch(data, width, hashes)
	for i, h := range hashes {
		fmt.Printf("%016x %v\n", h, h == secret.Hash(data[i*width:][:width]))
	}
	// Output:
	// 460d153933b7e25b true
	// 8cbc3f4c7937c7a2 true
}
