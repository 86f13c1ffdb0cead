package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The laws that hold for every implementation, at both widths.
func TestLaws(t *testing.T) {
	for _, l := range []law{
		{"every operation is the definition's", lawDefinition[uint64], lawDefinition[uint32]},
		{"a batch is a sequence", lawBatch[uint64], lawBatch[uint32]},
		{"match is query of every mask", lawMatch[uint64], lawMatch[uint32]},
		{"many calls of a batch are a sequence", lawManyBatchCalls[uint64],
			lawManyBatchCalls[uint32]},
		{"many calls of merge are one", lawManyMergeCalls[uint64], lawManyMergeCalls[uint32]},
		{"many calls of match are one", lawManyMatchCalls[uint64], lawManyMatchCalls[uint32]},
		{"no false negatives", lawNoFalseNegatives[uint64], lawNoFalseNegatives[uint32]},
		{"insert never skips a visible key", lawVisibleInsert[uint64], lawVisibleInsert[uint32]},
		{"delete spares collided bits", lawDeleteSpares[uint64], lawDeleteSpares[uint32]},
		{"a refresh is the inserts", lawRefresh[uint64], lawRefresh[uint32]},
		{"many calls of a refresh are the inserts", lawManyRefreshCalls[uint64],
			lawManyRefreshCalls[uint32]},
		{"arguments that overlap are all that is written", lawOverlap[uint64],
			lawOverlap[uint32]},
		{"query and match write nothing", lawReadOnly[uint64], lawReadOnly[uint32]},
		{"merge commutes", lawMergeCommutes[uint64], lawMergeCommutes[uint32]},
		{"merge associates", lawMergeAssociates[uint64], lawMergeAssociates[uint32]},
		{"merge equals the inserts", lawMergeInserts[uint64], lawMergeInserts[uint32]},
		{"merge keeps members after deletes", lawMergeKeeps[uint64], lawMergeKeeps[uint32]},
		{"a fold is the inserts", lawFoldInserts[uint64], lawFoldInserts[uint32]},
		{"a fold keeps members after deletes", lawFoldKeeps[uint64], lawFoldKeeps[uint32]},
		{"an intersection has what is in both", lawIntersect[uint64], lawIntersect[uint32]},
		{"a mask may be any pattern", lawAnyMask[uint64], lawAnyMask[uint32]},
		{"a table may be misaligned", lawMisaligned[uint64], lawMisaligned[uint32]},
	} {
		l.run(t)
	}
}

// lawDefinition: every operation gives the bits and the result of the definition, the forms of
// fallback on a mask, from any state of the table.
func lawDefinition[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](1)
	for round := range 2000 {
		nblocks := 1 + rng.IntN(9)
		got := randomTable[T](rng, nblocks, round%2 == 0)
		h := rng.Uint64()
		block, mask := fallback.Index(h, uint64(nblocks)), fallback.Mask[T](h)
		if round%3 == 0 { // else no key is ever present
			fallback.InsertMask(&got[block], &mask)
		}
		want := slices.Clone(got)
		var result, expected any
		switch round % 5 {
		case 0:
			result, expected = s.query(got, h), fallback.QueryMask(&want[block], &mask)
		case 1:
			result, expected = s.insert(got, h), fallback.InsertMask(&want[block], &mask)
		case 2:
			result, expected = s.delete(got, h), Status(fallback.DeleteMask(&want[block], &mask))
		case 3:
			other := randomTable[T](rng, nblocks, round%7 == 0)
			s.merge(got, other)
			for i := range want {
				fallback.MergeBlock(&want[i], &other[i])
			}
		case 4:
			other := randomBlock[T](rng, false)
			s.mergeBlock(&got[0], &other)
			fallback.MergeBlock(&want[0], &other)
		}
		if result != expected || !slices.Equal(got, want) {
			t.Fatalf("round %d, hash %#x of %d blocks: result %v, table %#x; want %v, %#x",
				round, h, nblocks, result, got, expected, want)
		}
	}
}

// lawBatch: a batch has the results of its operations one after another, in order, duplicates
// included, at every length and every tail, with and without an output. It writes only its part of
// the output.
func lawBatch[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](2)
	large := 1 + int(dispatch.FetchBytes/unsafe.Sizeof([8]T{})) // prefetched
	for length := range 131 {
		for _, nblocks := range []int{1, 3, 64, large} {
			n := length
			if nblocks == large {
				if n%13 != 0 {
					continue
				}
				n += dispatch.FetchDistance
			}
			start := make([][8]T, nblocks)
			hashes := workload.Hashes(rng, n)
			for i := range hashes { // members, non-members, and duplicates near and far
				switch rng.IntN(4) {
				case 0:
					fallback.Insert(start, hashes[i])
				case 1:
					hashes[i] = hashes[rng.IntN(i+1)]
				case 2:
					hashes[i] = hashes[max(i-1, 0)]
				}
			}
			checkBatches(t, s, start, hashes)
		}
	}
}

// checkBatches compares the batches of hashes on a table with their operations one after another:
// the bits of the table, every word of the output, the count, and the same without an output. It
// also checks that nothing around the table, behind the output or in the input is written.
func checkBatches[T fallback.Lane](t *testing.T, s subject[T], start [][8]T, hashes []uint64) {
	t.Helper()
	const untouched, untouched32 = 0xA5A5A5A5A5A5A5A5, 0xA5A5A5A5
	n, words, input := len(hashes), (len(hashes)+63)/64, slices.Clone(hashes)
	check := func(name string, got, want *guarded[T], count, expected int) {
		t.Helper()
		if count != expected {
			t.Fatalf("%s of %d keys in %d blocks: count %d, want %d", name, n, len(start),
				count, expected)
		}
		if i := difference(got.whole, want.whole); i >= 0 {
			t.Fatalf("%s of %d keys in %d blocks: block %d differs", name, n, len(start), i-1)
		}
		if i := difference(hashes, input); i >= 0 {
			t.Fatalf("%s of %d keys in %d blocks wrote to key %d", name, n, len(start), i)
		}
	}

	for _, op := range []struct {
		name   string
		batch  func([][8]T, []uint64, []uint64) int
		single func([][8]T, uint64) bool
	}{
		{"query", s.queryBatch, fallback.Query[T]},
		{"insert", s.insertBatch, fallback.Insert[T]},
	} {
		want, count, expected := guard(start), 0, slices.Repeat([]uint64{untouched}, words+2)
		clear(expected[:words])
		for i, h := range hashes {
			if op.single(want.table, h) {
				expected[i/64] |= 1 << (i % 64)
				count++
			}
		}
		got, present := guard(start), slices.Repeat([]uint64{untouched}, words+2)
		check(op.name, got, want, op.batch(got.table, hashes, present), count)
		if i := difference(present, expected); i >= 0 {
			t.Fatalf("%s of %d keys in %d blocks: word %d of answers is %#x, want %#x",
				op.name, n, len(start), i, present[i], expected[i])
		}
		got = guard(start)
		check(op.name+", present nil,", got, want, op.batch(got.table, hashes, nil), count)
	}

	var selected []uint32
	for i, h := range hashes {
		if fallback.Query(start, h) {
			selected = append(selected, uint32(i))
		}
	}
	before, positions := guard(start), slices.Repeat([]uint32{untouched32}, n+2)
	count := s.selectBatch(before.table, hashes, positions)
	check("select", before, guard(start), count, len(selected))
	if i := difference(positions, selected); i >= 0 {
		t.Fatalf("select of %d keys in %d blocks: position %d is %d, want %d", n, len(start), i,
			positions[i], selected[i])
	}
	if positions[n] != untouched32 || positions[n+1] != untouched32 {
		t.Fatalf("select of %d keys in %d blocks wrote behind the positions", n, len(start))
	}

	want, count, expected := guard(start), 0, slices.Repeat([]Status{99}, n+2)
	for i, h := range hashes {
		expected[i] = Status(fallback.Delete(want.table, h))
		if expected[i] == Deleted {
			count++
		}
	}
	got, status := guard(start), slices.Repeat([]Status{99}, n+2)
	check("delete", got, want, s.deleteBatch(got.table, hashes, status), count)
	if i := difference(status, expected); i >= 0 {
		t.Fatalf("delete of %d keys in %d blocks: status %d is %v, want %v",
			n, len(start), i, status[i], expected[i])
	}
	got = guard(start)
	check("delete, status nil,", got, want, s.deleteBatch(got.table, hashes, nil), count)
}

// lawMatch: match is query of each mask against one header, at every length and every tail.
func lawMatch[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](3)
	for n := range 131 {
		checkMatch(t, s, rng, n)
	}
}

// checkMatch compares a match of a random header and n masks with the query of each mask.
func checkMatch[T fallback.Lane](t *testing.T, s subject[T], rng *rand.Rand, n int) {
	t.Helper()
	const untouched = 0x5A5A5A5A5A5A5A5A
	header, masks := randomBlock[T](rng, true), make([][8]T, n)
	for i := range masks {
		masks[i] = fallback.Mask[T](rng.Uint64())
		switch rng.IntN(4) {
		case 0: // a part of the header matches
			masks[i] = randomBlock[T](rng, false)
			for lane := range masks[i] {
				masks[i][lane] &= header[lane]
			}
		case 1: // the header with one more bit, in any lane, does not match
			masks[i] = header
			masks[i][rng.IntN(8)] |= 1 << rng.Uint64N(uint64(fallback.LaneBits[T]()))
		case 2:
			masks[i] = [8]T{}
		}
	}
	words, count := (n+63)/64, 0
	expected := slices.Repeat([]uint64{untouched}, words+2)
	clear(expected[:words])
	for i := range masks {
		if fallback.QueryMask(&header, &masks[i]) {
			expected[i/64] |= 1 << (i % 64)
			count++
		}
	}
	present, headerBefore, masksBefore := slices.Repeat([]uint64{untouched}, words+2), header,
		slices.Clone(masks)
	if c := s.matchBatch(&header, masks, present); c != count {
		t.Fatalf("%d masks: count %d, want %d", n, c, count)
	}
	if i := difference(present, expected); i >= 0 {
		t.Fatalf("%d masks: word %d of answers is %#x, want %#x", n, i, present[i], expected[i])
	}
	if c := s.matchBatch(&header, masks, nil); c != count {
		t.Fatalf("%d masks, present nil: count %d, want %d", n, c, count)
	}
	if header != headerBefore || !slices.Equal(masks, masksBefore) {
		t.Fatalf("%d masks: the header or a mask was written", n)
	}
}

// manyCalls returns lengths that are cut into four calls of assembly. The last call is a part of
// one, or a whole one. Only such lengths show what the second and later calls read and write.
func manyCalls(call int) []int { return []int{3*call + 77, 4 * call} }

// prefetchAndNot runs test twice: every table counts as large enough to be prefetched, or none
// does.
func prefetchAndNot(t *testing.T, test func(t *testing.T)) {
	defer func(before uintptr) { dispatch.FetchBytes = before }(dispatch.FetchBytes)
	dispatch.FetchBytes = 0
	t.Run("prefetched", test)
	dispatch.FetchBytes = math.MaxUint
	t.Run("not prefetched", test)
}

// lawManyBatchCalls: a batch of many calls is its operations one after another. Every result occurs
// in every call, and duplicates lie in different calls.
func lawManyBatchCalls[T fallback.Lane](t *testing.T, s subject[T]) {
	prefetchAndNot(t, func(t *testing.T) {
		rng := seeded[T](12)
		for _, n := range manyCalls(dispatch.CallKeys) {
			start, hashes := randomTable[T](rng, 300, false), workload.Hashes(rng, n)
			for i, h := range hashes {
				switch rng.IntN(4) { // in the other cases it is a non-member, with few exceptions
				case 0:
					fallback.Insert(start, h)
				case 1: // twice, so that a delete retains it
					fallback.Insert(start, h)
					fallback.Insert(start, h)
				case 2:
					hashes[i] = hashes[rng.IntN(i+1)]
				}
			}
			inserted, deleted := slices.Clone(start), slices.Clone(start)
			var absent, present [4]int
			var seen [4][3]int
			for i, h := range hashes {
				seen[i/dispatch.CallKeys][fallback.Delete(deleted, h)]++
				if fallback.Insert(inserted, h) {
					present[i/dispatch.CallKeys]++
				} else {
					absent[i/dispatch.CallKeys]++
				}
			}
			if slices.Min(absent[:]) == 0 || slices.Min(present[:]) == 0 ||
				slices.ContainsFunc(seen[:],
					func(call [3]int) bool { return slices.Min(call[:]) == 0 }) {
				t.Fatalf("%d keys: a call lacks a result: inserts %v absent and %v present, "+
					"deletes %v",
					n, absent, present, seen)
			}
			checkBatches(t, s, start, hashes)
		}
	})
}

// lawManyMergeCalls: a merge of many calls is the merge of each block.
func lawManyMergeCalls[T fallback.Lane](t *testing.T, s subject[T]) {
	prefetchAndNot(t, func(t *testing.T) {
		rng := seeded[T](13)
		for _, n := range manyCalls(dispatch.CallBlocks) {
			got, other := guard(randomTable[T](rng, n, false)), guard(randomTable[T](rng, n, true))
			want, otherBefore := slices.Clone(got.whole), slices.Clone(other.whole)
			for i := range n {
				fallback.MergeBlock(&want[1+i], &otherBefore[1+i])
			}
			s.merge(got.table, other.table)
			if i := difference(got.whole, want); i >= 0 {
				t.Fatalf("%d blocks: block %d differs", n, i-1)
			}
			if i := difference(other.whole, otherBefore); i >= 0 {
				t.Fatalf("%d blocks: block %d of the argument was written", n, i-1)
			}
		}
	})
}

// lawManyMatchCalls: a match of many calls is query of every mask.
func lawManyMatchCalls[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](14)
	for _, n := range manyCalls(dispatch.CallBlocks) {
		checkMatch(t, s, rng, n)
	}
}

// churn inserts and deletes members at random, under the contract of deletion. It returns the
// members that are left.
func churn[T fallback.Lane](s subject[T], table [][8]T, seed uint64, steps, limit int) []uint64 {
	rng := seeded[T](seed)
	var members []uint64
	for range steps {
		if len(members) < limit && (len(members) == 0 || rng.IntN(2) == 0) {
			h := rng.Uint64()
			if len(members) > 0 && rng.IntN(8) == 0 {
				h = members[0] // twice a member: one delete leaves it a member
			}
			s.insert(table, h)
			members = append(members, h)
			continue
		}
		i := rng.IntN(len(members))
		s.delete(table, members[i])
		members[i] = members[len(members)-1]
		members = members[:len(members)-1]
	}
	return members
}

// lawNoFalseNegatives: a member is found after any inserts and deletes of other members, by single
// calls and by batches.
func lawNoFalseNegatives[T fallback.Lane](t *testing.T, s subject[T]) {
	for seed := range uint64(20) {
		table := make([][8]T, 1+seed)
		members := churn(s, table, seed, 3000, 40*len(table))
		for _, h := range members {
			if !s.query(table, h) {
				t.Fatalf("seed %d: member %#x of %d blocks is not found", seed, h, len(table))
			}
		}
		if n := s.queryBatch(table, members, nil); n != len(members) {
			t.Fatalf("seed %d: %d of %d members are found", seed, n, len(members))
		}
	}
}

// lawVisibleInsert: an insert of a key that is present before still marks its collisions. So after
// a delete of one of two equal members the other is found.
func lawVisibleInsert[T fallback.Lane](t *testing.T, s subject[T]) {
	table := make([][8]T, 1)
	const h = 0x0123456789abcdef
	if s.insert(table, h) {
		t.Fatal("the key was present in an empty table")
	}
	if !s.insert(table, h) {
		t.Fatal("the key was not present at its second insert")
	}
	if got := s.delete(table, h); got != Retained {
		t.Fatalf("delete of a key inserted twice: %v, want retained", got)
	}
	if !s.query(table, h) {
		t.Fatal("the key's twin is not found")
	}
}

// lawDeleteSpares: delete clears bits of the key in collision-free regions and changes nothing
// else: no collided bit, no bit of lane 0, and nothing at all if the key is absent.
func lawDeleteSpares[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](5)
	var seen [3]int
	for round := range 3000 {
		table := randomTable[T](rng, 1, round%2 == 0)
		h := rng.Uint64()
		mask := fallback.Mask[T](h)
		if round%3 > 0 {
			for lane := range mask {
				table[0][lane] |= mask[lane]
			}
		}
		if round%3 == 2 { // all of its bits have collided: random states seldom reach this
			for _, bits := range mask {
				table[0][0] |= bits
			}
		}
		before := table[0]
		status := s.delete(table, h)
		seen[status]++
		want := before
		if status != Absent {
			for lane := fallback.CollisionLanes; lane < fallback.Lanes; lane++ {
				want[lane] &^= mask[lane] &^ before[0]
			}
		}
		if table[0] != want {
			t.Fatalf("round %d: delete (%v) of %#x made %#x of %#x, want %#x", round, status, mask,
				table[0], before, want)
		}
		if status == Deleted == (want == before) {
			t.Fatalf("round %d: status %v, but the block changed: %v", round, status,
				want != before)
		}
	}
	if slices.Min(seen[:]) == 0 {
		t.Fatalf("absent, retained, deleted occurred %v times: the law was not tried for all", seen)
	}
}

// lawReadOnly: query and match, single and batch, change neither the table nor their input.
func lawReadOnly[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](6)
	table := randomTable[T](rng, 50, true)
	hashes := workload.Hashes(rng, 300)
	header, masks := table[0], randomTable[T](rng, 300, false)
	beforeTable, beforeHashes, beforeHeader, beforeMasks :=
		slices.Clone(table), slices.Clone(hashes), header, slices.Clone(masks)
	present := make([]uint64, 5)
	s.queryBatch(table, hashes, present)
	s.selectBatch(table, hashes, make([]uint32, len(hashes)))
	s.matchBatch(&header, masks, present)
	for i, h := range hashes {
		s.query(table, h)
		s.queryMask(&header, &masks[i])
	}
	if !slices.Equal(table, beforeTable) || !slices.Equal(hashes, beforeHashes) ||
		header != beforeHeader || !slices.Equal(masks, beforeMasks) {
		t.Fatal("a query or a match wrote")
	}
}

func lawMergeCommutes[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](7)
	for nblocks := range 70 {
		a, b := randomTable[T](rng, nblocks, false), randomTable[T](rng, nblocks, nblocks%2 == 0)
		ab, ba, b0 := slices.Clone(a), slices.Clone(b), slices.Clone(b)
		s.merge(ab, b)
		s.merge(ba, a)
		if !slices.Equal(ab, ba) {
			t.Fatalf("%d blocks: a+b is not b+a", nblocks)
		}
		if !slices.Equal(b, b0) {
			t.Fatalf("%d blocks: merge wrote to its argument", nblocks)
		}
	}
}

func lawMergeAssociates[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](8)
	for range 50 {
		a, b, c := randomTable[T](rng, 9, false), randomTable[T](rng, 9, false),
			randomTable[T](rng, 9, false)
		left, bc := slices.Clone(a), slices.Clone(b)
		s.merge(left, b)
		s.merge(left, c)
		s.merge(bc, c)
		right := slices.Clone(a)
		s.merge(right, bc)
		if !slices.Equal(left, right) {
			t.Fatal("(a+b)+c is not a+(b+c)")
		}
	}
}

// lawMergeInserts: if nothing was deleted, the merge is the table of the inserts into both.
func lawMergeInserts[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](9)
	for nblocks := 1; nblocks < 40; nblocks++ {
		first, second := workload.Hashes(rng, 20*nblocks), workload.Hashes(rng, 15*nblocks)
		second = append(second, first[:nblocks]...) // members of both
		a, b, both := make([][8]T, nblocks), make([][8]T, nblocks), make([][8]T, nblocks)
		s.insertBatch(a, first, nil)
		s.insertBatch(b, second, nil)
		s.insertBatch(both, append(first, second...), nil)
		s.merge(a, b)
		if !slices.Equal(a, both) {
			t.Fatalf("%d blocks: the merge is not the table of all the inserts", nblocks)
		}
	}
}

// lawMergeKeeps: after deletes on either side, the merge has every member of both, and keeps those
// that are not deleted from it later.
func lawMergeKeeps[T fallback.Lane](t *testing.T, s subject[T]) {
	for seed := range uint64(20) {
		a, b := make([][8]T, 6), make([][8]T, 6)
		left := churn(s, a, 100+seed, 800, 150)
		right := churn(s, b, 200+seed, 800, 150)
		s.merge(a, b)
		members := append(left, right...)
		for i, h := range members {
			for _, h := range members[i:] {
				if !s.query(a, h) {
					t.Fatalf("seed %d: member %#x is not found after the merge and %d deletes",
						seed, h, i)
				}
			}
			s.delete(a, h)
		}
	}
}

// lawAnyMask: the mask of a header may have any pattern. A query compares its lane 0 too, an insert
// sets the bits of its lane 0, and a delete ignores them. An empty mask is present, and a delete of
// it returns Retained.
func lawAnyMask[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](10)
	for round := range 3000 {
		block := randomBlock[T](rng, round%2 == 0)
		mask := randomBlock[T](rng, false)
		if round%3 == 0 {
			for lane := range mask {
				mask[lane] &= block[lane]
			}
		}
		if round%9 == 0 { // the mask has bits in lane 0 that the block has not
			mask[0] |= 1 << rng.Uint64N(uint64(fallback.LaneBits[T]()))
		}

		present, dataPresent := true, true
		var collided T
		inserted, deleted := block, block
		for lane := range block {
			if block[lane]&mask[lane] != mask[lane] {
				present = false
				dataPresent = dataPresent && lane < fallback.CollisionLanes
			}
			inserted[lane] |= mask[lane]
			if lane >= fallback.CollisionLanes {
				collided |= block[lane] & mask[lane]
				deleted[lane] &^= mask[lane] &^ block[0]
			}
		}
		inserted[0] |= collided
		status := Retained
		switch {
		case !dataPresent:
			status, deleted = Absent, block
		case deleted != block:
			status = Deleted
		}

		if got := s.queryMask(&block, &mask); got != present {
			t.Fatalf("query of %#x in %#x: %v", mask, block, got)
		}
		b := block
		if got := s.insertMask(&b, &mask); got != present || b != inserted {
			t.Fatalf("insert of %#x in %#x: %v, %#x; want %v, %#x", mask, block, got, b,
				present, inserted)
		}
		b = block
		if got := s.deleteMask(&b, &mask); got != status || b != deleted {
			t.Fatalf("delete of %#x in %#x: %v, %#x; want %v, %#x", mask, block, got, b,
				status, deleted)
		}
	}
	block, empty := randomBlock[T](rng, true), [8]T{}
	before := block
	if !s.queryMask(&block, &empty) || s.deleteMask(&block, &empty) != Retained || block != before {
		t.Fatal("an empty mask must be present, and retained by a delete that touches nothing")
	}
}

// lawMisaligned: a table may lie at any address at which its lanes may lie.
func lawMisaligned[T fallback.Lane](t *testing.T, s subject[T]) {
	rng := seeded[T](11)
	for offset := range 8 {
		table, want := misaligned[T](20, offset), make([][8]T, 20)
		hashes := workload.Hashes(rng, 200)
		s.insertBatch(table, hashes, nil)
		s.deleteBatch(table, hashes[:100], nil)
		for _, h := range hashes {
			fallback.Insert(want, h)
		}
		for _, h := range hashes[:100] {
			fallback.Delete(want, h)
		}
		if !slices.Equal(table, want) {
			t.Fatalf("lanes offset by %d: the table differs", offset)
		}
		positions, selected := make([]uint32, 200), make([]uint32, 200)
		n := s.selectBatch(table, hashes, positions)
		if m := fallback.SelectBatch(want, hashes, selected); n != m ||
			!slices.Equal(positions[:n], selected[:m]) {
			t.Fatalf("lanes offset by %d: %d are selected, want %d", offset, n, m)
		}
		other := misaligned[T](20, 7-offset)
		copy(other, randomTable[T](rng, 20, false))
		s.merge(table, other)
		fallback.Merge(want, other)
		if !slices.Equal(table, want) {
			t.Fatalf("lanes offset by %d: the merged table differs", offset)
		}
	}
}
