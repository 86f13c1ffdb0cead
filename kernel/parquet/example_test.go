package parquet_test

import (
	"fmt"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/parquet"
)

// A writer makes the filters of a column of integers and of a column of strings. A reader queries
// them.
func Example() {
	ids, names := []int64{10, 20, 30}, []string{"whale", "ship", "harpoon"}

	byID, byName := kernel.NewSplitBlockTable(1), kernel.NewSplitBlockTable(1)
	parquet.Insert(byID, ids)
	parquet.InsertBytes(byName, names)
	bitset := byName.AppendBytes(nil) // for the file, after the filter's header

	present := make([]uint64, 1)
	found := parquet.Query(byID, []int64{20, 21}, present)
	fmt.Printf("%d of 2: %02b\n", found, present[0])

	read := kernel.SplitBlockTableOfBytes(bitset)
	fmt.Println(read.Query(parquet.HashBytes("ship")), read.Query(parquet.HashBytes("shore")))
	// Output:
	// 1 of 2: 01
	// true false
}
