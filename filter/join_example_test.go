package filter_test

import (
	"fmt"
	"log"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// candidates calls do for the rows that may have a partner: those whose key is in the filter, and a
// few more. It asks for 1,024 keys at a time, which is several times as fast as one by one.
func candidates(f *plain.Filter, keys []uint64, do func(row int)) {
	const batch = 1024
	var hashes [batch]uint64
	var present [batch / 64]uint64
	k := f.Key()
	for start := 0; start < len(keys); start += batch {
		part := keys[start:min(start+batch, len(keys))]
		k.HashUint64Batch(part, hashes[:len(part)])
		f.QueryHashBatch(hashes[:len(part)], present[:])
		for i, word := range present[:filter.Words(len(part))] {
			for ; word != 0; word &= word - 1 {
				do(start + 64*i + bits.TrailingZeros64(word))
			}
		}
	}
}

// A join of a small table with a large one: the filter of the small table's keys leaves out nearly
// all rows of the large one, before they are sent, sorted or looked up.
func Example_join() {
	const customers, orders = 1000, 1_000_000
	f, err := plain.New(plain.Config{Members: customers, Rate: 0.001, Blocked: true})
	if err != nil {
		log.Fatal(err)
	}
	names := map[uint64]string{}
	for i := range uint64(customers) {
		names[i*1000] = fmt.Sprint("customer ", i)
		f.InsertUint64(i * 1000)
	}
	large := make([]uint64, orders) // the customer of each order
	for i := range large {
		large[i] = uint64(i)
	}
	asked, joined := 0, 0
	candidates(f, large, func(row int) {
		asked++
		if _, ok := names[large[row]]; ok {
			joined++
		}
	})
	fmt.Println(joined, "rows joined; fewer than 1 % were looked up:", asked < orders/100)
	// Output: 1000 rows joined; fewer than 1 % were looked up: true
}
