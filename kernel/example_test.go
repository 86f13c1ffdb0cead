package kernel_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/kernel"
)

// A table takes hashes in batches, answers a bit per hash, and gives members up.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint64, 1000) // a program takes them from a hash function: see filter/key
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}

	const bitsPerKey = 16
	table := kernel.NewTable512(len(hashes) * bitsPerKey / 512)
	table.QueryInsertBatch(hashes, nil)

	present := make([]uint64, (len(hashes)+63)/64)
	fmt.Println("present:", table.QueryBatch(hashes, present))
	i := 2
	fmt.Println("the third is:", present[i/64]>>(i%64)&1 != 0)

	fmt.Println(table.Delete(hashes[2]), table.Query(hashes[2]))
	// Output:
	// present: 1000
	// the third is: true
	// deleted false
}

// A selection has the rows of a table that may have a match in another one.
func ExampleTable512_SelectBatch() {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]uint64, 6) // the hashes of a column
	for i := range rows {
		rows[i] = rng.Uint64()
	}
	other := kernel.NewTable512(64)
	other.QueryInsertBatch([]uint64{rows[1], rows[2], rows[5]}, nil)

	positions := make([]uint32, len(rows))
	fmt.Println(positions[:other.SelectBatch(rows, positions)])
	// Output: [1 2 5]
}

// A refresh replaces some blocks by fresh ones, from a list of their members.
func ExampleTable512_Replace() {
	table := kernel.NewTable512(64)
	rng := rand.New(rand.NewPCG(1, 2))
	members := make([]uint64, 2000)
	for i := range members {
		members[i] = rng.Uint64()
	}
	table.QueryInsertBatch(members, nil)
	table.DeleteBatch(members[:1800], nil) // bits in collided regions stay
	members = members[1800:]
	before, _ := table.Count()

	const first, end = 0, 32
	low, high := table.Interval(first, end)
	var listed []uint64
	for _, h := range members {
		if low <= h && h <= high {
			listed = append(listed, h)
		}
	}
	part := kernel.NewTable512(end - first)
	part.InsertPart(first, len(table), listed)
	table.Replace(first, part)

	after, _ := table.Count()
	fmt.Println("fewer bits:", after < before)
	fmt.Println("every member is present:", table.QueryBatch(members, nil) == len(members))
	// Output:
	// fewer bits: true
	// every member is present: true
}
