package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Lengths that do not fit panic, with the numbers, before anything is written.
func TestPanics(t *testing.T) {
	law{"lengths", lawLengths[uint64], lawLengths[uint32]}.run(t)
}

func lawLengths[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](20)
	table, hashes := randomTable[T](rng, 4, true), workload.Hashes(rng, 130)
	other := randomTable[T](rng, 3, true)
	masks, header := randomTable[T](rng, 130, true), table[0]
	for _, h := range hashes { // so that a delete would write if it began
		fallback.Insert(table, h)
	}
	present, status := make([]uint64, 2), make([]Status, 129)
	positions := make([]uint32, 129)
	tests := []struct {
		name, message string
		call          func()
	}{
		{"query present", "present has 2 words, 130 keys need 3",
			func() { s.queryBatch(table, hashes, present) }},
		{"insert present", "present has 2 words, 130 keys need 3",
			func() { s.insertBatch(table, hashes, present) }},
		{"match present", "present has 2 words, 130 keys need 3",
			func() { s.matchBatch(&header, masks, present) }},
		{"delete status", "status has 129 elements, 130 keys need 130",
			func() { s.deleteBatch(table, hashes, status) }},
		{"select positions", "SelectBatch: positions has 129 elements, 130 keys need 130",
			func() { s.selectBatch(table, hashes, positions) }},
		{"select without positions", "SelectBatch: positions has 0 elements, 1 keys need 1",
			func() { s.selectBatch(table, hashes[:1], nil) }},
		{"select, no blocks", "SelectBatch: a table of 0 blocks cannot take 1 keys",
			func() { s.selectBatch(nil, hashes[:1], positions) }},
		{"empty answers are not nil", "present has 0 words, 1 keys need 1",
			func() { s.queryBatch(table, hashes[:1], present[:0]) }},
		{"query, no blocks", "table of 0 blocks cannot take 1 keys",
			func() { s.queryBatch(nil, hashes[:1], present) }},
		{"insert, no blocks", "table of 0 blocks cannot take 1 keys",
			func() { s.insertBatch(nil, hashes[:1], present) }},
		{"delete, no blocks", "table of 0 blocks cannot take 1 keys",
			func() { s.deleteBatch(nil, hashes[:1], status) }},
		{"query one, no blocks", "[0] with length 0", func() { s.query(nil, 1) }},
		{"insert one, no blocks", "[0] with length 0", func() { s.insert(nil, 1) }},
		{"delete one, no blocks", "[0] with length 0", func() { s.delete(nil, 1) }},
		{"merge lengths", "table of 4 blocks and one of 3", func() { s.merge(table, other) }},
		{"merge with itself", "table of 4 blocks with itself", func() { s.merge(table, table) }},
		{"merge of no table", "table of 4 blocks and one of 0", func() { s.merge(table, nil) }},
		{"merge into no table", "table of 0 blocks and one of 4", func() { s.merge(nil, table) }},
		{"fold into a larger table", "table of 3 blocks into one of 4",
			func() { s.fold(table, other) }},
		{"fold of no table", "table of 0 blocks into one of 4", func() { s.fold(table, nil) }},
		{"fold into another size", "table of 4 blocks into one of 3",
			func() { s.fold(other, table) }},
		{"fold into no table", "table of 4 blocks into one of 0", func() { s.fold(nil, table) }},
		{"intersect lengths", "Intersect: a table of 4 blocks and one of 3",
			func() { s.intersect(table, other) }},
		{"merge of no block", "kernel: Merge: a block is nil",
			func() { s.mergeBlock(&header, nil) }},
		{"merge into no block", "kernel: Merge: a block is nil",
			func() { s.mergeBlock(nil, &header) }},
		{"match of no block", "kernel: MatchBatch: a block is nil",
			func() { s.matchBatch(nil, masks[:64], present) }},
		{"match of no block, no masks", "MatchBatch: a block is nil",
			func() { s.matchBatch(nil, nil, nil) }},
		{"query of no mask", "nil pointer", func() { s.queryMask(&header, nil) }},
		{"insert of no mask", "nil pointer", func() { s.insertMask(&header, nil) }},
		{"delete of no mask", "nil pointer", func() { s.deleteMask(&header, nil) }},
	}
	before, headerBefore := slices.Clone(table), header
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				message := fmt.Sprint(recover())
				if !strings.Contains(message, test.message) {
					t.Errorf("panic %q, want one with %q", message, test.message)
				}
				if !slices.Equal(table, before) || header != headerBefore ||
					slices.Max(present) != 0 || slices.Max(status) != 0 ||
					slices.Max(positions) != 0 {
					t.Error("something was written before the panic")
				}
			}()
			test.call()
		})
	}

	// An empty batch is no error on any table, and neither is a merge of empty tables.
	s.queryBatch(nil, nil, nil)
	s.selectBatch(nil, nil, nil)
	s.insertBatch(nil, nil, present[:0])
	s.deleteBatch(nil, nil, status[:0])
	s.matchBatch(&header, nil, nil)
	s.merge(nil, nil)
	s.fold(nil, nil)
	s.intersect(nil, nil)
}
