//go:build go1.27

package filter_test

import (
	"fmt"
	"hash/maphash"
	"log"
	"net/netip"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/plain"
)

// hashed is a filter of the values of a hasher, for one goroutine and one process: the seed of
// package maphash is another one in each.
type hashed[T any, H maphash.Hasher[T]] struct {
	*plain.Filter
	hasher H
	state  maphash.Hash // a variable of the methods would be allocated in each call
}

func (f *hashed[T, H]) hash(v T) uint64 {
	f.state.Reset()
	f.hasher.Hash(&f.state, v)
	return f.state.Sum64()
}

func (f *hashed[T, H]) InsertValue(v T) (present bool, err error) { return f.InsertHash(f.hash(v)) }

func (f *hashed[T, H]) QueryValue(v T) (present bool) { return f.QueryHash(f.hash(v)) }

// hostNames have no case.
type hostNames struct{}

func (hostNames) Hash(h *maphash.Hash, name string) { h.WriteString(strings.ToLower(name)) }

func (hostNames) Equal(a, b string) bool { return strings.ToLower(a) == strings.ToLower(b) }

// From Go 1.27 on a [maphash.Hasher] says how values of a type are hashed: that of comparable
// types, or one of the program.
func Example_hasher() {
	newFilter := func() *plain.Filter {
		f, err := plain.New(plain.Config{Members: 1000, Rate: 1e-6})
		if err != nil {
			log.Fatal(err)
		}
		return f
	}
	flows := &hashed[flow, maphash.ComparableHasher[flow]]{Filter: newFilter()}
	web := flow{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.7"), 443}
	flows.InsertValue(web)
	fmt.Println(flows.QueryValue(web), flows.QueryValue(flow{port: 443}))

	hosts := &hashed[string, hostNames]{Filter: newFilter()}
	hosts.InsertValue("Example.COM")
	fmt.Println(hosts.QueryValue("example.com"), hosts.QueryValue("example.org"))
	fmt.Println(testing.AllocsPerRun(100, func() {
		flows.InsertValue(web)
		hosts.QueryValue("example.com")
	}), "allocations")
	// Output:
	// true false
	// true false
	// 0 allocations
}
