package fallback

import (
	"math/rand/v2"
	"testing"
)

// The forms on a hash are written out by hand; these tests hold them against the forms on a mask,
// which are the definition, over every load from empty to saturated.

func TestFormsAgree(t *testing.T) {
	t.Run("uint32", testFormsAgree[uint32])
	t.Run("uint64", testFormsAgree[uint64])
}

func testFormsAgree[T Lane](t *testing.T) {
	const nblocks = 5
	rng := rand.New(rand.NewPCG(1, uint64(LaneBits[T]())))
	byHash, byMask := make([][Lanes]T, nblocks), make([][Lanes]T, nblocks)
	var statuses [3]int
	var members []uint64
	for step := range 20_000 {
		h := rng.Uint64()
		if len(members) > 0 && rng.IntN(2) == 0 {
			h = members[rng.IntN(len(members))]
		}
		block, mask := &byMask[Index(h, nblocks)], Mask[T](h)
		var got, want any
		switch op := rng.IntN(5); {
		case op == 0 && len(members) < nblocks*int(LaneBits[T]()):
			got, want = Insert(byHash, h), InsertMask(block, &mask)
			members = append(members, h)
		case op <= 2:
			got, want = Query(byHash, h), QueryMask(block, &mask)
		case op == 3:
			status := DeleteMask(block, &mask)
			statuses[status]++
			got, want = Delete(byHash, h), status
		default:
			if step%1000 == 0 { // so that every load recurs
				clear(byHash)
				clear(byMask)
				members = members[:0]
			}
		}
		if got != want {
			t.Fatalf("step %d, hash %#x: on the hash %v, on the mask %v", step, h, got, want)
		}
		for i := range byHash {
			if byHash[i] != byMask[i] {
				t.Fatalf("step %d, hash %#x: block %d is %#x on the hash, %#x on the mask",
					step, h, i, byHash[i], byMask[i])
			}
		}
	}
	for status, n := range statuses {
		if n == 0 {
			t.Errorf("no delete had status %d: the test shows nothing of it", status)
		}
	}
}
