package kernel

import (
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// foldInto returns the fold of a table into n blocks. It is made in the first part of a copy, or in
// another table that is not empty.
func foldInto[T fallback.Lane](s subject[T], table [][8]T, n int, inPlace bool) [][8]T {
	whole := slices.Clone(table)
	folded := whole[:n]
	if !inPlace {
		folded = slices.Clone(folded)
	}
	s.fold(folded, whole)
	return folded
}

// lawFoldInserts: if nothing was deleted from a table, its fold is the table of the same inserts in
// any number of blocks that divides its own.
func lawFoldInserts[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](30)
	for nblocks := 1; nblocks <= 48; nblocks++ {
		hashes := workload.Hashes(rng, 20*nblocks)
		hashes = append(hashes, hashes[:nblocks]...) // members twice
		got := make([][8]T, nblocks)
		s.insertBatch(got, hashes, nil)
		before := slices.Clone(got)
		for n := 1; n <= nblocks; n++ {
			if nblocks%n != 0 {
				continue
			}
			want := make([][8]T, n)
			s.insertBatch(want, hashes, nil)
			if !slices.Equal(foldInto(s, got, n, true), want) ||
				!slices.Equal(foldInto(s, got, n, false), want) {
				t.Fatalf("%d blocks folded into %d are not the table of the inserts", nblocks, n)
			}
			if !slices.Equal(got, before) {
				t.Fatalf("%d blocks: fold wrote to its argument", nblocks)
			}
		}
	}
}

// lawFoldKeeps: the fold of a table after deletes has the members of the table, and keeps those
// that are not deleted later.
func lawFoldKeeps[T fallback.Lane](t *testing.T, s subject[T]) {
	for seed := range uint64(20) {
		table := make([][8]T, 12)
		members := churn(s, table, 300+seed, 1500, 150)
		keeps(t, s, foldInto(s, table, 12/int(2+seed%3), seed%2 == 0), members)
	}
}

// lawIntersect: a hash is present in the intersection if and only if it is present in both tables.
// A hash that is a member i times in one table and j times in the other is a member min(i, j)
// times, and stays one while others are deleted.
func lawIntersect[T fallback.Lane](t *testing.T, s subject[T]) {
	for seed := range uint64(20) {
		rng := seeded[T](400 + seed)
		a, b := make([][8]T, 6), make([][8]T, 6)
		both := workload.Hashes(rng, 60)
		both = append(both, both[:20]...) // members twice
		for _, side := range []struct {
			table    [][8]T
			repeated []uint64 // a member twice in this table
			seed     uint64
		}{{a, both[20:30], 500}, {b, both[30:40], 600}} {
			s.insertBatch(side.table, both[:40], nil)
			churn(s, side.table, side.seed+seed, 1200, 240)
			s.insertBatch(side.table, both[40:], nil)
			s.insertBatch(side.table, side.repeated, nil)
		}
		got, before := slices.Clone(a), slices.Clone(b)
		s.intersect(got, b)
		if !slices.Equal(b, before) {
			t.Fatal("intersect wrote to its argument")
		}
		present := 0
		for _, h := range append(workload.Hashes(rng, 5000), both...) {
			want := s.query(a, h) && s.query(b, h)
			if s.query(got, h) != want {
				t.Fatalf("seed %d: hash %#x is present: %v, in both tables: %v", seed,
					h, !want, want)
			}
			if want {
				present++
			}
		}
		if present <= len(both) {
			t.Fatal("no false positive among the queries: the test shows less than it should")
		}
		keeps(t, s, got, both)
	}
}

// keeps deletes members one after another, and checks that the others are present.
func keeps[T fallback.Lane](t *testing.T, s subject[T], table [][8]T, members []uint64) {
	t.Helper()
	for i, h := range members {
		for _, h := range members[i:] {
			if !s.query(table, h) {
				t.Fatalf("member %#x is not found after %d deletes", h, i)
			}
		}
		s.delete(table, h)
	}
}

// The same laws for split blocks, which have no deletes.
func TestCombineSplitBlocks(t *testing.T) {
	rng := seeded[uint32](31)
	for nblocks := 1; nblocks <= 40; nblocks++ {
		first, second := workload.Hashes(rng, 10*nblocks), workload.Hashes(rng, 10*nblocks)
		a, b := make(SplitBlockTable, nblocks), make(SplitBlockTable, nblocks)
		a.AddBatch(first)
		b.AddBatch(second)
		for n := 1; n <= nblocks; n++ {
			if nblocks%n != 0 {
				continue
			}
			folded, want, whole := make(SplitBlockTable, n), make(SplitBlockTable, n),
				slices.Clone(a)
			want.AddBatch(first)
			if folded.Fold(a); !slices.Equal(folded, want) {
				t.Fatalf("%d blocks folded into %d are not the table of the inserts", nblocks, n)
			}
			if whole[:n].Fold(whole); !slices.Equal(whole[:n], want) {
				t.Fatalf("%d blocks folded into %d in place are not the table of the inserts",
					nblocks, n)
			}
		}
		got := slices.Clone(a)
		got.Intersect(b)
		for _, h := range slices.Concat(first, second, workload.Hashes(rng, 1000)) {
			if want := a.Query(h) && b.Query(h); got.Query(h) != want {
				t.Fatalf("hash %#x is present in the intersection: %v, in both tables: %v",
					h, !want, want)
			}
		}
	}
	table := make(SplitBlockTable, 4)
	panics(t, "kernel: Fold: a table of 4 blocks into one of 3, which does not divide that",
		func() { table[:3].Fold(table) })
	panics(t, "kernel: Intersect: a table of 4 blocks and one of 3",
		func() { table.Intersect(table[:3]) })
}
