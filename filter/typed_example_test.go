package filter_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"net/netip"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// typed is a filter of values of a type. Equal values have equal hashes.
type typed[T any] struct {
	*plain.Filter
	hash func(key.Key, T) uint64
}

func (f typed[T]) InsertValue(v T) (present bool, err error) {
	return f.InsertHash(f.hash(f.Key(), v))
}

func (f typed[T]) QueryValue(v T) (present bool) { return f.QueryHash(f.hash(f.Key(), v)) }

type flow struct {
	from, to netip.Addr
	port     uint16
}

type uuid [16]byte // as those of github.com/google/uuid

// A function for each type writes what makes two values equal into an array, and hashes that.

func hashAddr(k key.Key, a netip.Addr) uint64 {
	b := a.As16()
	return k.Hash(b[:])
}

func hashFlow(k key.Key, f flow) uint64 {
	var b [34]byte
	from, to := f.from.As16(), f.to.As16()
	copy(b[:16], from[:])
	copy(b[16:32], to[:])
	binary.BigEndian.PutUint16(b[32:], f.port)
	return k.Hash(b[:])
}

func hashUUID(k key.Key, u uuid) uint64 { return k.Hash(u[:]) }

// Keys of any type need a function that hashes them under the key of the filter. That allocates
// nothing, and the hashes are the same in every process, so the filter may be saved.
func Example_typed() {
	members, err := plain.New(plain.Config{Members: 1000, Rate: 1e-6})
	if err != nil {
		log.Fatal(err)
	}
	addresses := typed[netip.Addr]{members, hashAddr}
	flows := typed[flow]{members, hashFlow} // keys of another length are other keys
	address := netip.MustParseAddr("192.0.2.1")
	web := flow{address, netip.MustParseAddr("198.51.100.7"), 443}
	addresses.InsertValue(address)
	flows.InsertValue(web)

	mail := web
	mail.port = 25
	fmt.Println(addresses.QueryValue(address), flows.QueryValue(web), flows.QueryValue(mail))

	sessions, err := plain.New(plain.Config{Members: 1000, Rate: 1e-6})
	if err != nil {
		log.Fatal(err)
	}
	users := typed[uuid]{sessions, hashUUID}
	users.InsertValue(uuid{1, 2, 3})
	fmt.Println(users.QueryValue(uuid{1, 2, 3}), users.QueryValue(uuid{}))
	fmt.Println(testing.AllocsPerRun(100, func() {
		addresses.QueryValue(address)
		flows.InsertValue(web)
		users.InsertValue(uuid{4})
	}), "allocations")
	// Output:
	// true true false
	// true false
	// 0 allocations
}
