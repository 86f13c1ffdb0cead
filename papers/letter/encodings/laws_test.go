package encodings

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// all is every encoding, the adaptive ones with the first, a common and the last change.
var all = []*Encoding{
	Lanes(1), Lanes(2), Lanes(3), Lanes(4), Lanes(7), Columns(2), Columns(4),
	Growing(1), Growing(8), Growing(64), Refining(1), Refining(8), Refining(32), Twice(),
}

// history is a table beside the exact set of its members. Both take the same legal operations:
// members are inserted once, and members alone are deleted.
type history struct {
	e        *Encoding
	blocks   []Block
	members  []uint64
	statuses [3]int
}

func (h *history) find(key uint64) *Block {
	return &h.blocks[fallback.Index(key, uint64(len(h.blocks)))]
}

func (h *history) insert(key uint64) error {
	b, g := h.find(key), fallback.Spread(key)
	want := h.e.Query(b, g)
	if got := h.e.Insert(b, g); got != want {
		return fmt.Errorf("insert of %#x says %v, the query before it %v", key, got, want)
	}
	h.members = append(h.members, key)
	return h.check(b)
}

// remove deletes the i-th member.
func (h *history) remove(i int) error {
	key := h.members[i]
	h.members[i] = h.members[len(h.members)-1]
	h.members = h.members[:len(h.members)-1]
	b, g := h.find(key), fallback.Spread(key)
	before := *b
	status := h.e.Delete(b, g)
	h.statuses[status]++
	switch visible := h.e.Query(b, g); {
	case status == fallback.Absent:
		return fmt.Errorf("member %#x is absent", key)
	case visible == (status == fallback.Deleted):
		return fmt.Errorf("delete of %#x has status %d, and the query after it says %v", key,
			status, visible)
	case (before == *b) != (status == fallback.Retained):
		return fmt.Errorf("delete of %#x has status %d: %x, then %x", key, status, before, *b)
	}
	return h.check(b)
}

// check looks for the members of a block.
func (h *history) check(b *Block) error {
	for _, key := range h.members {
		if h.find(key) == b && !h.e.Query(b, fallback.Spread(key)) {
			return fmt.Errorf("member %#x is not found in %x", key, *b)
		}
	}
	return nil
}

// Rule 1 of the format holds for every encoding, over loads from empty to far beyond saturation.
func TestNoFalseNegatives(t *testing.T) {
	const nblocks = 3
	for _, e := range all {
		t.Run(e.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			statuses := [3]int{}
			for run := range 60 {
				h := history{e: e, blocks: make([]Block, nblocks)}
				for step := range 40 * nblocks {
					var err error
					// The members are as many as the run has it, once they are in.
					if most := nblocks * (1 + run%24); len(h.members) < most || step%2 == 0 {
						err = h.insert(rng.Uint64())
					} else {
						err = h.remove(rng.IntN(len(h.members)))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				for i, n := range h.statuses {
					statuses[i] += n
				}
			}
			if statuses[fallback.Retained] == 0 || statuses[fallback.Deleted] == 0 {
				t.Errorf("%v deletes by status: the test shows nothing of one", statuses)
			}
		})
	}
}

// One lane is the format, bit for bit.
func TestOneLaneIsTheFormat(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const nblocks = 3
	want := make([]Block, nblocks)
	h := history{e: Lanes(1), blocks: make([]Block, nblocks)}
	for step := range 20_000 {
		key := rng.Uint64()
		if len(h.members) > 0 && rng.IntN(2) == 0 {
			key = h.members[rng.IntN(len(h.members))]
		}
		b, g := h.find(key), fallback.Spread(key)
		switch op := rng.IntN(3); {
		case op == 0 && len(h.members) < 60:
			if got, want := h.e.Insert(b, g), fallback.Insert(want, key); got != want {
				t.Fatalf("step %d: insert %v, want %v", step, got, want)
			}
			h.members = append(h.members, key)
		case op == 1:
			if got, want := h.e.Query(b, g), fallback.Query(want, key); got != want {
				t.Fatalf("step %d: query %v, want %v", step, got, want)
			}
		case op == 2:
			if got, want := h.e.Delete(b, g), fallback.Delete(want, key); got != want {
				t.Fatalf("step %d: delete %v, want %v", step, got, want)
			}
		}
		for i := range want {
			if h.blocks[i] != want[i] {
				t.Fatalf("step %d: block %d is %x, want %x", step, i, h.blocks[i], want[i])
			}
		}
		if step%500 == 499 {
			clear(h.blocks)
			clear(want)
			h.members = h.members[:0]
		}
	}
}

// A key that is inserted twice collides in each of its regions, and nowhere else: what the
// documentation of the package says of each encoding, by the bits.
func TestRegions(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 1000 {
		g := rng.Uint64()
		position := func(i int) uint64 { return g >> (58 - 6*i) & 63 }
		low := g & (1<<22 - 1) // what seven positions leave
		eighth := func(cells uint64) uint64 { return 64 - cells + low*cells>>22 }
		var want Block
		mark := func(lane int, column uint64) { want[lane] |= 1 << column }
		lanes := func(c, from, to int) { // of data
			for lane := from; lane < to; lane++ {
				mark(lane, position(lane-c))
			}
		}
		for _, test := range []struct {
			e       *Encoding
			regions func()
		}{
			{Lanes(2), func() {
				lanes(2, 2, 8)
				for lane := 2; lane < 8; lane++ {
					mark(lane%2, position(lane-2))
				}
			}},
			{Lanes(3), func() {
				lanes(3, 3, 8)
				for lane := 3; lane < 8; lane++ {
					mark(lane%3, position(lane-3))
				}
			}},
			{Columns(2), func() {
				lanes(1, 1, 8)
				for i := range 7 {
					mark(0, position(i)%32)
				}
				mark(0, eighth(32))
				mark(0, eighth(32)%32)
			}},
			{Columns(4), func() {
				lanes(1, 1, 8)
				for i := range 7 {
					mark(0, position(i)%16)
				}
				mark(0, eighth(48))
				mark(0, eighth(48)%16)
			}},
			{Twice(), func() {
				lanes(1, 1, 8)
				for i := range 7 {
					mark(0, position(i))
					other := fallback.Spread(g^g>>32) >> (58 - 6*i) & 63
					mark(1+i, other)
					mark(0, other)
				}
			}},
			{Growing(0), func() { // which has changed before anything collided
				lanes(1, 1, 7)
				for lane := 1; lane < 7; lane++ {
					mark(lane/4*7, position(lane-1))
				}
			}},
			{Refining(0), func() {
				lanes(1, 1, 8)
				for i := range 7 {
					mark(0, position(i))
				}
			}},
		} {
			want = Block{}
			test.regions()
			var got Block
			test.e.Insert(&got, g)
			test.e.Insert(&got, g)
			if got != want {
				t.Fatalf("%v: %#x twice gives %x, want %x", test.e, g, got, want)
			}
		}
	}
}
