package kernel

import (
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// No call allocates, also not for a block or an array of hashes on the caller's stack.
func TestAllocations(t *testing.T) {
	law{"none", lawAllocations[uint64], lawAllocations[uint32]}.run(t)
	t.Run("methods on the stack", func(t *testing.T) {
		table, other := NewTable512(8), NewTable512(8)
		if n := testing.AllocsPerRun(10, func() {
			var hashes [100]uint64
			var present [2]uint64
			var status [100]Status
			var positions [100]uint32
			var masks [100]Block512
			header, mask := Mask512(1), Mask512(2)
			table.Insert(3)
			table.Query(3)
			table.Delete(3)
			table.QueryInsertBatch(hashes[:], present[:])
			table.QueryBatch(hashes[:], present[:])
			table.SelectBatch(hashes[:], positions[:])
			table.DeleteBatch(hashes[:], status[:])
			table.Merge(other)
			table.Intersect(other)
			table[:len(table)/2].Fold(table[:len(table)/2*2])
			low, _ := table.Interval(2, 4)
			other[:2].InsertPart(2, 8, []uint64{low, low + 1})
			table.Replace(2, other[:2])
			table.Count()
			header.Insert(&mask)
			header.Query(&mask)
			header.Delete(&mask)
			header.Merge(&mask)
			header.MatchBatch(masks[:], present[:])
			table.Reset()
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func lawAllocations[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](30)
	table, other := randomTable[T](rng, 1<<15, true), randomTable[T](rng, 1<<15, true)
	hashes, masks := workload.Hashes(rng, 1000), randomTable[T](rng, 1000, true)
	present, status := make([]uint64, 16), make([]Status, 1000)
	positions := make([]uint32, 1000)
	for name, call := range map[string]func(){
		"query":       func() { s.query(table, 1) },
		"insert":      func() { s.insert(table, 1) },
		"delete":      func() { s.delete(table, 1) },
		"queryBatch":  func() { s.queryBatch(table, hashes, present) },
		"selectBatch": func() { s.selectBatch(table, hashes, positions) },
		"insertBatch": func() { s.insertBatch(table, hashes, present) },
		"deleteBatch": func() { s.deleteBatch(table, hashes, status) },
		"merge":       func() { s.merge(table, other) },
		"insertPart":  func() { s.insertPart(table, 0, len(table), hashes) },
		"replace":     func() { s.replace(table, 0, other) },
		"matchBatch":  func() { s.matchBatch(&table[0], masks, present) },
	} {
		if n := testing.AllocsPerRun(5, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
