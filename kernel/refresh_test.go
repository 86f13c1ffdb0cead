package kernel

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// refresh refreshes blocks of a table, and picks their members from those of the whole table.
func refresh[T fallback.Lane](s subject[T], table [][8]T, first, end int, members []uint64) {
	low, high := s.interval(table, first, end)
	var listed []uint64
	for _, h := range members {
		if low <= h && h <= high {
			listed = append(listed, h)
		}
	}
	part := guard(make([][8]T, end-first))
	before := [2][8]T{part.whole[0], part.whole[len(part.whole)-1]}
	s.insertPart(part.table, first, len(table), listed)
	if part.whole[0] != before[0] || part.whole[len(part.whole)-1] != before[1] {
		panic("a block beside the part was written")
	}
	s.replace(table, first, part.table)
}

// lawRefresh: a refresh makes blocks equal to those of a fresh table with the members, and does not
// change the other blocks.
func lawRefresh[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](40)
	for round := range 300 {
		nblocks := 1 + rng.IntN(200)
		first := rng.IntN(nblocks)
		end := first + 1 + rng.IntN(nblocks-first)
		members := workload.Hashes(rng, rng.IntN(40*nblocks))
		for range len(members) / 20 { // a member more than once
			members = append(members, members[rng.IntN(len(members))])
		}
		if round%2 == 0 {
			slices.Sort(members)
		}
		got, fresh := guard(randomTable[T](rng, nblocks, false)), make([][8]T, nblocks)
		want := slices.Clone(got.whole)
		fallback.InsertBatch(fresh, members, nil)
		copy(want[1+first:], fresh[first:end])
		input := slices.Clone(members)
		refresh(s, got.table, first, end, members)
		if i := difference(got.whole, want); i >= 0 {
			t.Fatalf("blocks %d to %d of %d, %d members: block %d differs", first, end, nblocks,
				len(members), i-1)
		}
		if i := difference(members, input); i >= 0 {
			t.Fatalf("hash %d was written", i)
		}
	}
}

// lawManyRefreshCalls: the same law for parts and lists that are cut into four calls.
func lawManyRefreshCalls[T fallback.Lane](t *testing.T, s subject[T]) {
	prefetchAndNot(t, func(t *testing.T) {
		rng := seeded[T](41)
		for _, n := range manyCalls(dispatch.CallKeys) {
			const nblocks, first = 1 << 20, 1 << 19
			for _, blocks := range []int{3, 300, n} {
				part := guard(randomTable[T](rng, blocks, false))
				want := slices.Clone(part.whole)
				low, high := fallback.Interval(first, uint64(first+blocks), nblocks)
				hashes := make([]uint64, n)
				for i := range hashes {
					h := low + rng.Uint64N(high-low+1)
					switch i {
					case 0:
						h = low
					case n - 1:
						h = high
					}
					hashes[i] = h
					mask := fallback.Mask[T](h)
					fallback.InsertMask(&want[1+fallback.Index(h, nblocks)-first], &mask)
				}
				s.insertPart(part.table, first, nblocks, hashes)
				if i := difference(part.whole, want); i >= 0 {
					t.Fatalf("%d hashes in %d blocks: block %d differs", n, blocks, i-1)
				}
			}
		}

		// Replace is cut into calls too.
		const blocks = 3*1024 + 77
		table, part := guard(randomTable[T](rng, blocks+9, false)),
			randomTable[T](rng, blocks, true)
		want := slices.Clone(table.whole)
		copy(want[1+5:], part)
		s.replace(table.table, 5, part)
		if i := difference(table.whole, want); i >= 0 {
			t.Fatalf("replace: block %d differs", i-1)
		}
	})
}

// A hash of another block, and blocks that the table does not have, panic before anything is
// written. The message has the numbers.
func TestRefreshPanics(t *testing.T) {
	law{"refresh", lawRefreshPanics[uint64], lawRefreshPanics[uint32]}.run(t)
}

func lawRefreshPanics[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](42)
	table, part := randomTable[T](rng, 8, true), randomTable[T](rng, 3, false)
	before, partBefore := slices.Clone(table), slices.Clone(part)
	low, high := s.interval(table, 2, 5)
	// the wrong hash is in the last call
	many := slices.Repeat([]uint64{low, high}, dispatch.CallKeys)
	for _, test := range []struct {
		message string
		call    func()
	}{
		{fmt.Sprintf("hash 2048 is %#x, blocks 2 to 4 of a table of 8 have %#x to %#x",
			low-1, low, high), func() { s.insertPart(part, 2, 8, append(many, low-1)) }},
		{fmt.Sprintf("hash 2048 is %#x,", high+1),
			func() { s.insertPart(part, 2, 8, append(many, high+1)) }},
		{"hash 0 is 0x0,", func() { s.insertPart(part, 2, 8, []uint64{0}) }},
		{"hash 0 is 0xffffffffffffffff,", func() { s.insertPart(part, 2, 8, []uint64{1<<64 - 1}) }},
		{"InsertPart: 3 blocks from block 6 on of a table of 8",
			func() { s.insertPart(part, 6, 8, many) }},
		{"3 blocks from block -1 on of a table of 8", func() { s.insertPart(part, -1, 8, nil) }},
		{"3 blocks from block 9 on of a table of 8", func() { s.insertPart(part, 9, 8, nil) }},
		{"3 blocks from block 0 on of a table of -1", func() { s.insertPart(part, 0, -1, nil) }},
		{"a table of 0 blocks cannot take 1 keys",
			func() { s.insertPart(nil, 2, 8, []uint64{low}) }},
		{"Interval: a table of 8 blocks has no blocks from 3 to 3",
			func() { s.interval(table, 3, 3) }},
		{"a table of 8 blocks has no blocks from -1 to 3", func() { s.interval(table, -1, 3) }},
		{"a table of 8 blocks has no blocks from 3 to 9", func() { s.interval(table, 3, 9) }},
		{"Replace: a table of 8 blocks has no blocks from 6 to 9",
			func() { s.replace(table, 6, part) }},
		{"a table of 8 blocks has no blocks from -1 to 2", func() { s.replace(table, -1, part) }},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.message) {
					t.Errorf("panic %q, want one with %q", got, test.message)
				}
			}()
			test.call()
		}()
		if !slices.Equal(table, before) || !slices.Equal(part, partBefore) {
			t.Errorf("%s: something was written before the panic", test.message)
		}
	}
	s.insertPart(nil, 8, 8, nil) // an empty part is allowed
	s.replace(table, 8, nil)
}

// Readers find every member while blocks are replaced, because a member is in the old blocks and in
// the new ones.
func TestReadersBesideReplace(t *testing.T) {
	law{"readers", lawReaders[uint64], lawReaders[uint32]}.run(t)
}

func lawReaders[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](43)
	const nblocks, stay = 64, 20 * 64
	members := workload.Hashes(rng, stay)
	table := make([][8]T, nblocks)
	s.insertBatch(table, members, nil)
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	var stop atomic.Bool
	var readers sync.WaitGroup
	readers.Go(func() {
		for !stop.Load() {
			for _, h := range members {
				if !fallback.Query(table, h) {
					t.Errorf("member %#x is not found", h)
					return
				}
			}
		}
	})
	readers.Go(func() {
		for !stop.Load() {
			if n := s.queryBatch(table, members, nil); n != len(members) {
				t.Errorf("%d of %d members are found", n, len(members))
				return
			}
		}
	})
	for range rounds {
		others := workload.Hashes(rng, 5*nblocks) // members for a short time
		refresh(s, table, 0, nblocks, append(others, members...))
		for first := 0; first < nblocks; first += 16 {
			refresh(s, table, first, first+16, members)
		}
	}
	stop.Store(true)
	readers.Wait()
}
