package key_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/bloomlane/bloomlane/filter/key"
)

// A program makes a random key when it first starts, and keeps it in a file that others cannot read.
func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	start := func() key.Key {
		path := filepath.Join(folder, "f.key")
		k, err := key.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			k = key.New()
			err = key.WriteFile(path, k)
		}
		if err != nil {
			log.Fatal(err)
		}
		return k // for Config.Key
	}
	first, again := start(), start()
	fmt.Println(again.Equal(first), again.Hash([]byte("ada")) == first.Hash([]byte("ada")))
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
