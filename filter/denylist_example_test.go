package filter_test

import (
	"context"
	"fmt"
	"iter"
	"net/netip"
	"os"
	"strings"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

// addresses reads a file that has an address on each line.
func addresses(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			a, err := netip.ParseAddr(strings.TrimSpace(line))
			if k := a.As16(); !yield(k[:], err) { // an IPv4 address has one key in all its forms
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A deny list: a server asks a filter that is reloaded from a file of addresses.
func Example_denyList() {
	path := fmt.Sprint(os.TempDir(), "/denied-", os.Getpid())
	defer os.Remove(path)
	denied, err := sharded.New(deletable.Config{Members: 100_000, Rate: 0.001})
	if err != nil {
		panic(err)
	}
	asks := func(address string) bool {
		k := netip.MustParseAddr(address).As16()
		return denied.Query(k[:])
	}
	kept := make(chan bool, 2)
	for _, list := range []string{"192.0.2.1\n2001:db8::7\n", "192.0.2.1\n198.51.100.5\n"} {
		_ = os.WriteFile(path, []byte(list), 0o644)
		if err := denied.Rebuild(context.Background(), addresses(path)); err != nil {
			fmt.Println(err) // the filter has the old list
		}
		go func() { // goes on during the next reload
			found := true
			for range 1000 {
				found = found && asks("::ffff:192.0.2.1")
			}
			kept <- found
		}()
	}
	fmt.Println(<-kept, <-kept, asks("192.0.2.1"), asks("198.51.100.5"), asks("2001:db8::7"))
	// Output: true true true true false
}
