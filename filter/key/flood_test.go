package key_test

import (
	"fmt"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/kernel"
)

// Many programs hash integers by a public function, here SplitMix64. An attacker can compute keys
// with the same bits as a member. Under a secret key these keys are like any other keys.
func Example_flood() {
	const blocks, member, flood = 1024, 42, 1000

	// The attacker knows the hash function, which has an inverse. Two hashes select the same block
	// if their first 10 bits are equal. They have the same positions if the first 42 bits of their
	// products with the constant of the format are equal. So the attacker tries hashes whose
	// products differ by e.
	const spread, positions = 0x9E3779B97F4A7C15, 42
	h, table := mix(member), kernel.NewTable512(blocks)
	var twins []uint64
	for e := uint64(1); len(twins) < flood; e++ {
		twin := h + e*inverse(spread)
		index, _ := bits.Mul64(h, blocks)
		other, _ := bits.Mul64(twin, blocks)
		if index == other && h*spread>>(64-positions) == twin*spread>>(64-positions) {
			twins = append(twins, unmix(twin))
		}
	}

	table.Insert(mix(member))
	found := 0
	for _, key := range twins {
		if table.Query(mix(key)) {
			found++
		}
	}
	fmt.Printf("a known hash: %d of %d keys that were never inserted are present\n", found, flood)
	table.Delete(mix(twins[0]))
	fmt.Println("after the delete of one of them the member is present:", table.Query(mix(member)))

	filter, err := deletable.New(deletable.Config{Members: 10_000,
		BitsPerKey: 8 * 64 * blocks / 10_000.0})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = filter.InsertUint64(member) // an insert into this filter cannot fail
	found = filter.QueryUint64Batch(twins, nil)
	fmt.Printf("a secret key: %d of %d are present\n", found, flood)
	for _, key := range twins {
		filter.DeleteUint64(key)
	}
	fmt.Println("after the delete of all of them the member is present:",
		filter.QueryUint64(member))
	// Output:
	// a known hash: 1000 of 1000 keys that were never inserted are present
	// after the delete of one of them the member is present: false
	// a secret key: 0 of 1000 are present
	// after the delete of all of them the member is present: true
}

// mix is the finalizer of SplitMix64, and unmix its inverse.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func unmix(x uint64) uint64 {
	x = (x ^ x>>31 ^ x>>62) * inverse(0x94d049bb133111eb)
	x = (x ^ x>>27 ^ x>>54) * inverse(0xbf58476d1ce4e5b9)
	return x ^ x>>30 ^ x>>60
}

// inverse returns the inverse of an odd number modulo 2^64, by Newton's method.
func inverse(x uint64) uint64 {
	y := x
	for range 5 {
		y *= 2 - x*y
	}
	return y
}
