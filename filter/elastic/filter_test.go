package elastic

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

var (
	_ filter.Deleter    = (*Filter)(nil)
	_ filter.Grower     = (*Filter)(nil)
	_ filter.Rebuilder  = (*Filter)(nil)
	_ filter.Resetter   = (*Filter)(nil)
	_ filter.Prefetcher = (*Filter)(nil)
)

var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

// small returns a filter of a plan that no Config has, so that moves take as long as its pace says.
func small(p plan) *Filter {
	return filterOf(newTable(p.blocks, p.arena()), fixed, fixed.Identity(), p)
}

// check fails the test unless a filter is just that of its members: the lists have each of them
// once, the blocks have their bits and no others, in both tables of a move, and no chunk is lost.
func check(t testing.TB, f *Filter, members []uint64) {
	t.Helper()
	current := tableOf(f)
	want := slices.Sorted(slices.Values(members))
	if got := f.sorted(current); !slices.Equal(got, want) || f.members != len(want) {
		t.Fatalf("%v: the lists have %x, the counter says %d, want %x", f, got, f.members, want)
	}
	if limit := f.plan.limit(len(current.blocks)); f.members > limit {
		t.Fatalf("%v: %d members, above its limit of %d", f, f.members, limit)
	}
	fresh := func(nblocks int) kernel.SplitBlockTable {
		blocks := kernel.NewSplitBlockTable(nblocks)
		blocks.AddBatch(want)
		return blocks
	}
	if !slices.Equal(current.blocks, fresh(len(current.blocks))) {
		t.Fatalf("%v: the blocks are not those of its members", f)
	}
	all := []*table{current}
	if f.next != nil {
		all = append(all, f.next)
		blocks := fresh(len(f.next.blocks))
		clear(blocks[f.moved*len(blocks)/f.units(current):])
		if !slices.Equal(f.next.blocks, blocks) {
			t.Fatalf("%v: the blocks that %d units moved to are not those of their members", f,
				f.moved)
		}
		if f.moved >= f.units(current) {
			t.Fatalf("%v: the move of %d units is over, and is not", f, f.moved)
		}
	}
	used := map[*arena]map[uint32]bool{}
	count := func(a *arena, l link, fill, room int) {
		if used[a] == nil {
			used[a] = map[uint32]bool{}
		}
		if used[a][l.number()] || l.number() == 0 || fill < 1 || fill > room {
			t.Fatalf("%v: chunk %d has %d entries, or is in two lists", f, l.number(), fill)
		}
		used[a][l.number()] = true
	}
	for _, table := range all {
		for _, head := range table.heads {
			for link := head; link != 0; link = table.arena.chunk(link).next() {
				count(table.arena, link, link.fill(), table.room)
				if link != head && link.fill() != table.room {
					t.Fatalf("%v: a chunk behind the first has %d of %d entries", f,
						link.fill(), table.room)
				}
			}
		}
	}
	for a := range used {
		for at := a.free; at != 0; at = a.chunk(at).next() {
			count(a, at, 1, 1)
		}
		if last, _ := a.place(a.made); len(used[a]) != int(a.made) || len(a.segments) != last+1 {
			t.Fatalf("%v: %d chunks are in lists, %d were made in %d segments", f, len(used[a]),
				a.made, len(a.segments))
		}
	}
}

// The hashes of a block are those from its lowest to that of the next block. An entry is as wide as
// it must be.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 5, 64, 255, 256, 257, 1000, 1<<16 - 1, 1 << 16, 1<<16 + 1} {
		table := newTable(n, &arena{first: segmentChunks})
		most := uint64(0)
		check := func(hash uint64) {
			block, entry := table.place(hash)
			low, high := lowest(block, n), lowest(block+1, n)-1
			if hash < low || hash > high || entry != hash-low || entry > table.mask {
				t.Fatalf("%d blocks: %#x is entry %#x of block %d, from %#x to %#x", n, hash, entry,
					block, low, high)
			}
			single := kernel.NewSplitBlockTable(1)
			single.Add(entry)
			table.blocks.Reset()
			table.blocks.Add(hash)
			if table.blocks[block] != single[0] {
				t.Fatalf("%d blocks: the bits of %#x do not follow from its entry", n, hash)
			}
			most = max(most, entry)
		}
		for range 20 {
			block := rng.IntN(n)
			check(lowest(block, n))
			check(lowest(block+1, n) - 1)
			check(rng.Uint64())
		}
		check(lowest(1, n) - 1)
		if table.width < 8 && most>>(8*table.width-8) == 0 || table.room != 60/table.width ||
			table.room > 15 {
			t.Errorf("%d blocks: %d entries of %d bytes in a chunk, the largest is %#x", n,
				table.room, table.width, most)
		}
	}
}

// Lists of every width hold what was pushed, do not change their neighbours, and give their chunks
// back.
func TestLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for width := 4; width <= 8; width++ {
		const nblocks = 7
		l := lists{arena: &arena{first: segmentChunks}, heads: make([]link, nblocks), width: width,
			room: linkAt / width, mask: 1<<(8*width-1)<<1 - 1}
		want := make([][]uint64, nblocks)
		for range 20_000 {
			block := rng.IntN(nblocks)
			switch n := len(want[block]); {
			case rng.IntN(400) == 0:
				l.clear(block)
				want[block] = nil
			case rng.IntN(100) < 51 || n == 0:
				entry := rng.Uint64() & l.mask
				if rng.IntN(4) == 0 {
					entry = l.mask
				}
				l.push(block, entry)
				want[block] = append(want[block], entry)
			default:
				got := l.append(nil, block)
				i := rng.IntN(n)
				l.remove(block, i)
				at := slices.Index(want[block], got[i])
				want[block] = slices.Delete(want[block], at, at+1)
			}
			got, in := l.append([]uint64{77}, block), slices.Clone(want[block])
			slices.Sort(got[1:])
			slices.Sort(in)
			if got[0] != 77 || !slices.Equal(got[1:], in) {
				t.Fatalf("width %d: the list of block %d is %x, want %x", width, block, got[1:], in)
			}
		}
		made := l.arena.made
		for block := range nblocks {
			l.clear(block)
		}
		free := 0
		for at := l.arena.free; at != 0; at = l.arena.chunk(at).next() {
			free++
		}
		if free != int(made) || made < 2*nblocks {
			t.Errorf("width %d: %d of %d chunks come back", width, free, made)
		}
	}
}

// plans are small ones, whose moves take many inserts and deletes, and those of real filters.
func plans(t testing.TB) []plan {
	all := []plan{
		{blocks: 1, members: 4, most: 80, pace: 1}, {blocks: 3, members: 14, most: 300, pace: 1},
		{blocks: 16, members: 80, most: 2000, pace: 1},
		{blocks: 5, members: 10, most: 1000, pace: 2},
		{blocks: 64, members: 400, most: 3000, pace: 1},
	}
	for _, c := range []Config{
		{Members: 1, Rate: 0.01}, {Members: 1, BitsPerKey: 500}, {Members: 30, Rate: 0.001},
		{Members: 200, BitsPerKey: 9, MaxMembers: 2500},
	} {
		p, err := c.solve()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func tableOf(f *Filter) *table { return base.Require(&f.Life) }

// history is a filter and what it must be.
type history struct {
	t       testing.TB
	f       *Filter
	members []uint64

	grown, shrunk, refused, harmless int // false positives that were deleted, in vain
	sizes                            [2]int
}

func (h *history) insert(hash uint64) {
	h.t.Helper()
	was, blocks := h.f.QueryHash(hash), h.f.Stats().Blocks
	if len(h.members) >= h.f.Most() {
		h.refused++
		before := snapshot(h.t, h.f)
		var e *FullError
		if _, err := h.f.InsertHash(hash); !errors.As(err, &e) || !errors.Is(err, filter.ErrFull) ||
			*e != (FullError{len(h.members) + 1, h.f.Most()}) {
			h.t.Fatalf("%v: an insert too many: %v", h.f, err)
		}
		if snapshot(h.t, h.f) != before {
			h.t.Fatalf("%v: an insert that was refused changed it", h.f)
		}
		return
	}
	moving, due := h.f.next != nil, len(h.members)+1 >= h.f.plan.growsAt(blocks) &&
		h.f.plan.limit(blocks) < h.f.most
	present, err := h.f.InsertHash(hash)
	if err != nil || present != was {
		h.t.Fatalf("%v: insert: %v, present is %v, want %v", h.f, err, present, was)
	}
	h.members = append(h.members, hash)
	if h.changed(blocks); !moving && due != (h.f.next != nil || h.f.Stats().Blocks != blocks) {
		h.t.Fatalf("%v: with %d members it begins to grow %v, want %v", h.f,
			len(h.members), !due, due)
	}
}

// delete deletes a hash, which may be no member.
func (h *history) delete(hash uint64) {
	h.t.Helper()
	i, blocks := slices.Index(h.members, hash), h.f.Stats().Blocks
	if i < 0 {
		before := snapshot(h.t, h.f)
		if h.f.QueryHash(hash) {
			h.harmless++
		}
		if status := h.f.DeleteHash(hash); status != filter.Absent || snapshot(h.t, h.f) != before {
			h.t.Fatalf("%v: the delete of a hash that is no member is %v, or changed it", h.f,
				status)
		}
		return
	}
	if h.f.next != nil {
		i := 0
		if h.f.holderOf(tableOf(h.f), hash) == h.f.next {
			i = 1
		}
		h.sizes[i]++
	}
	status := h.f.DeleteHash(hash)
	h.members = slices.Delete(h.members, i, i+1)
	want := filter.Deleted
	if h.f.QueryHash(hash) {
		want = filter.Retained
	}
	if status != want {
		h.t.Fatalf("%v: the delete of a member is %v, want %v", h.f, status, want)
	}
	h.changed(blocks)
}

func (h *history) changed(blocks int) {
	switch now := h.f.Stats().Blocks; {
	case now > blocks:
		h.grown++
	case now < blocks:
		h.shrunk++
	}
}

// snapshot returns all that a file of a filter would have, as text.
func snapshot(t testing.TB, f *Filter) string {
	t.Helper()
	var b []byte
	c := contents(t, f)
	for _, a := range c.Attributes {
		b = binary.LittleEndian.AppendUint64(b, a.Value)
	}
	for _, s := range c.Sections {
		for _, word := range s.Words {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
	}
	return string(b)
}

func content(t testing.TB, f *Filter) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A filter equals that of its members, through waves that make it grow and shrink, and in the
// middle of a move. Deletes of non-members, also of false positives, change nothing.
func TestHistories(t *testing.T) {
	for i, p := range plans(t) {
		p.most = min(p.most, 1000)
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		h := &history{t: t, f: small(p)}
		waves := 8
		if testing.Short() {
			waves = 3
		}
		for wave := range waves {
			top := p.most + 2
			if wave%2 == 1 {
				top = 1 + rng.IntN(p.most)
			}
			for steps := 0; len(h.members) < min(top, p.most) || steps < top/8; steps++ {
				h.insert(h.key(rng))
				if rng.IntN(3) == 0 {
					h.delete(h.key(rng))
				}
				if steps%(1+len(h.members)/8) == 0 {
					check(t, h.f, h.members)
				}
			}
			if len(h.members) == p.most {
				h.insert(rng.Uint64())
			}
			bottom := rng.IntN(1 + len(h.members)/10)
			for steps := 0; len(h.members) > bottom; steps++ {
				h.delete(h.members[rng.IntN(len(h.members))])
				if rng.IntN(4) == 0 {
					h.insert(h.key(rng))
				}
				if steps%(1+len(h.members)/8) == 0 {
					check(t, h.f, h.members)
				}
			}
			check(t, h.f, h.members)
			if found := h.f.QueryHashBatch(h.members, nil); found != len(h.members) {
				t.Fatalf("%v: %d of %d members are present", h.f, found, len(h.members))
			}
		}
		if h.grown < 3 || h.shrunk < 3 || h.refused == 0 || p.pace == 1 && p.blocks > 1 &&
			(h.sizes[0] < 10 || h.sizes[1] < 10) {
			t.Errorf("%+v: grown %d times, shrunk %d, refused %d, deletes in a move %d", p, h.grown,
				h.shrunk, h.refused, h.sizes)
		}
		for _, hash := range slices.Clone(h.members) {
			h.delete(hash)
		}
		check(t, h.f, nil)
		if stats := h.f.Stats(); stats.Blocks > 4*p.blocks {
			t.Errorf("%+v: %+v with no members", p, stats)
		}
	}
}

// key returns a hash: a new one, the first or the last of a block, a member, or one whose bits are
// those of a member, in another block.
func (h *history) key(rng *rand.Rand) uint64 {
	hash := rng.Uint64()
	if n := h.f.Stats().Blocks; rng.IntN(4) == 0 {
		hash = lowest(rng.IntN(n+1), n) - uint64(rng.IntN(2))
	}
	if len(h.members) == 0 || rng.IntN(3) > 0 {
		return hash
	}
	member := h.members[rng.IntN(len(h.members))]
	switch rng.IntN(3) {
	case 0:
		return member
	case 1:
		return hash>>32<<32 | member&(1<<32-1)
	default:
		return member ^ 1<<(32+rng.IntN(20)) // often a false positive
	}
}

// Every state that a small filter can reach, by any inserts and deletes of some hashes, is right.
// All of them are visited, with moves in each stage.
func TestEveryState(t *testing.T) {
	require.Once(t)
	for _, test := range []struct {
		plan   plan
		hashes []uint64
	}{
		// One block that becomes two and four; hashes of each half, one of them with the bits of
		// another.
		{plan{blocks: 1, members: 2, most: 8, pace: 1},
			[]uint64{1, 0x4<<60 - 1, 0x8<<60 | 1, 1<<64 - 1}},
		{plan{blocks: 1, members: 4, most: 20, pace: 1}, []uint64{1, 0x8<<60 | 1, 0xc << 60}},
		{plan{blocks: 2, members: 8, most: 18, pace: 1},
			[]uint64{7, 0x6 << 60, 0xa<<60 | 7, 0xf << 60}},
		{plan{blocks: 3, members: 12, most: 25, pace: 1}, []uint64{0, 0x5 << 60, 0xe<<60 | 1<<40}},
		{plan{blocks: 3, members: 6, most: 25, pace: 2}, []uint64{0, 0x5 << 60, 0xe<<60 | 1<<40}},
	} {
		if testing.Short() && test.plan.members > 2 {
			test.plan.most, test.hashes = min(test.plan.most, 2*test.plan.members+1),
				test.hashes[:3]
		}
		start := small(test.plan)
		queue, seen := []*file.Contents{contents(t, start)},
			map[string]bool{snapshot(t, start): true}
		moves := map[string]int{}
		for len(queue) > 0 {
			from := queue[0]
			queue = queue[1:]
			for op := range 2 * len(test.hashes) {
				f, err := Decode(from, fixed)
				if err != nil {
					t.Fatal(err)
				}
				f.plan.pace = test.plan.pace
				h := &history{t: t, f: f, members: f.sorted(tableOf(f))}
				if hash := test.hashes[op/2]; op%2 == 0 {
					h.insert(hash)
				} else {
					h.delete(hash)
				}
				check(t, f, h.members)
				for _, hash := range h.members {
					if !f.QueryHash(hash) {
						t.Fatalf("%v: a member is not present", f)
					}
				}
				if to := snapshot(t, f); !seen[to] {
					seen[to] = true
					queue = append(queue, contents(t, f))
					if f.next != nil {
						moves[fmt.Sprintf("%d of %d to %d", f.moved, f.Stats().Blocks,
							len(f.next.blocks))]++
					}
				}
			}
		}
		t.Logf("%+v: %d states, moves %v", test.plan, len(seen), moves)
		if len(seen) < 20 || len(moves) < 2 {
			t.Errorf("%+v: %d states, moves %v", test.plan, len(seen), moves)
		}
	}
}

// FuzzHistory is the law of TestHistories for a program of bytes, three per operation: what, how
// often, and with which hash.
func FuzzHistory(f *testing.F) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 9))
		program := make([]byte, 600)
		for i := range program {
			program[i] = byte(rng.Uint64())
		}
		f.Add(uint8(seed), program)
	}
	all := plans(f)
	f.Fuzz(func(t *testing.T, which uint8, program []byte) {
		p := all[int(which)%len(all)]
		p.most = min(p.most, 250)
		h := &history{t: t, f: small(p)}
		for ; len(program) >= 3 && len(h.members) < 300; program = program[3:] {
			hash := uint64(program[2])<<56 | uint64(program[1]&3)<<32 | uint64(program[2]&7)
			for range 1 + program[1]>>6 {
				switch program[0] % 8 {
				case 0, 1, 2, 3:
					h.insert(hash)
					hash = hash*0x9E3779B97F4A7C15 + 1
				case 4, 5:
					h.delete(hash)
				case 6:
					if len(h.members) > 0 {
						h.delete(h.members[int(program[2])%len(h.members)])
					}
				default:
					g, err := Decode(contents(t, h.f), fixed)
					if err != nil {
						t.Fatal(err)
					}
					g.plan.pace = p.pace
					h.f = g
				}
			}
			if len(program)%8 == 0 {
				check(t, h.f, h.members)
			}
		}
		check(t, h.f, h.members)
		if found := h.f.QueryHashBatch(h.members, nil); found != len(h.members) {
			t.Fatalf("%d of %d members are present", found, len(h.members))
		}
	})
}

func contents(t testing.TB, f *Filter) *file.Contents {
	t.Helper()
	c, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Any number of goroutines query beside one that writes. Each member whose insert has returned is
// found, while the filter grows and shrinks, and others come and go in the same blocks.
func TestReadersBesideAWriter(t *testing.T) {
	f := newFilter(t, Config{Members: 100, BitsPerKey: 10})
	rng := rand.New(rand.NewPCG(5, 5))
	n := 20_000
	if testing.Short() {
		n = 4000
	}
	stay, come := workload.Hashes(rng, 500), workload.Hashes(rng, n)
	if _, err := f.InsertHashBatch(stay, nil); err != nil {
		t.Fatal(err)
	}
	const rounds = 1 << 20
	var in atomic.Int64 // of come, and the round times as many as that
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := 0; !stop.Load(); i++ {
				f.PrefetchHash(stay[i%len(stay)])
				f.QueryUint64(uint64(i))
				if !f.QueryHash(stay[i%len(stay)]) {
					t.Error("a member is not present")
					return
				}
			}
		})
		readers.Go(func() {
			for !stop.Load() {
				if found := f.QueryHashBatch(stay, nil); found != len(stay) {
					t.Errorf("%d of %d members are present", found, len(stay))
					return
				}
				before := in.Load()
				i := before % rounds
				if i > 0 && !f.QueryHash(come[i-1]) && in.Load()/rounds == before/rounds {
					t.Error("a key is not present, whose insert has returned")
					return
				}
			}
		})
	}
	grown, blocks := 0, f.Stats().Blocks
	for round := range 3 {
		for i, hash := range come {
			if _, err := f.InsertHash(hash); err != nil {
				t.Fatal(err)
			}
			in.Store(int64(round*rounds + i + 1))
		}
		grown += f.Stats().Blocks / blocks
		in.Store(int64(round+1) * rounds)
		if round == 1 {
			f.DeleteHashBatch(come, nil)
		} else {
			for _, hash := range come {
				f.DeleteHash(hash)
			}
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	readers.Wait()
	check(t, f, stay)
	if grown < 3*4 || f.Stats().Blocks > 8*blocks {
		t.Errorf("grown %d-fold in three rounds, and then %d blocks", grown, f.Stats().Blocks)
	}
}

// Goroutines query by keys beside one that makes the filter another one. This test is for the race
// detector.
func TestReadersBesideUnmarshalBinary(t *testing.T) {
	f := newFilter(t, Config{Members: 100, BitsPerKey: 10})
	b := content(t, f)
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for n := uint64(0); !stop.Load(); n++ {
				f.QueryUint64(n)
			}
		})
	}
	for range 3000 {
		if err := f.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	readers.Wait()
}

// A filter that is closed beside its writer stays closed, also if a move ends at that moment.
func TestClosedBesideAWriter(t *testing.T) {
	for round := range 200 {
		f := newFilter(t, Config{Members: 1, BitsPerKey: 16})
		var closer sync.WaitGroup
		closer.Go(func() {
			for range round {
				f.QueryHash(1)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
		rng := rand.New(rand.NewPCG(6, uint64(round)))
		for {
			if _, err := f.InsertHash(rng.Uint64()); err != nil {
				if !errors.Is(err, filter.ErrClosed) {
					t.Error(err)
				}
				break
			}
		}
		closer.Wait()
		if !f.Closed() {
			t.Fatal("a closed filter is open again")
		}
	}
}

// A clone is equal and goes on alike, also in the middle of a growth or a compression, and neither
// changes with the other.
func TestClones(t *testing.T) {
	p := plan{blocks: 8, members: 320, most: 8 * 40 * 8, pace: 1}
	f := small(p)
	rng := rand.New(rand.NewPCG(15, 15))
	var members []uint64
	shrinks := false
	step := func(filters ...*Filter) {
		hash := rng.Uint64()
		if len(members) == 0 {
			shrinks = false
		} else if len(members) > 40*8*4 {
			shrinks = true
		}
		if shrinks == (hash%4 != 0) && len(members) > 0 {
			for _, f := range filters {
				f.DeleteHash(members[0])
			}
			members = members[1:]
		} else {
			for _, f := range filters {
				if _, err := f.InsertHash(hash); err != nil {
					t.Fatal(err)
				}
			}
			members = append(members, hash)
		}
	}
	stages := [3]int{}
	for n := range 6000 {
		if step(f); n%29 != 0 && (f.next == nil || n%3 != 0) {
			continue
		}
		switch current := tableOf(f); {
		case f.next == nil:
			stages[0]++
		case f.next.arena == current.arena:
			stages[1]++
		default:
			stages[2]++
		}
		g, before, were := f.Clone(), snapshot(t, f), slices.Clone(members)
		if !g.Equal(f) || !f.Equal(g) || snapshot(t, g) != before {
			t.Fatalf("%v: another clone", f)
		}
		step(g)
		if g.Equal(f) || f.Equal(g) || snapshot(t, f) != before {
			t.Fatalf("%v: changed with its clone, or equal", f)
		}
		check(t, f, were)
		check(t, g, members)
		g = f.Clone() // with the same members, but two units further in its move
		if _, err := g.InsertHash(5); err != nil || g.DeleteHash(5) == filter.Absent {
			t.Fatal(err)
		}
		if f.next != nil && g.next != nil && g.Equal(f) {
			t.Fatalf("%v: equal to one whose move is further", f)
		}
		g, members = f.Clone(), were
		for range 40 {
			step(f, g)
		}
		if !g.Equal(f) || snapshot(t, g) != snapshot(t, f) {
			t.Fatalf("%v: its clone does not go on alike", f)
		}
		check(t, g, members)
	}
	if slices.Min(stages[:]) < 5 {
		t.Errorf("clones of %d filters, %d that grow and %d that shrink", stages[0], stages[1],
			stages[2])
	}
	for name, other := range map[string]*Filter{
		"another key":  must(New(Config{Members: 100, BitsPerKey: 10})),
		"another plan": newFilter(t, Config{Members: 101, BitsPerKey: 10}),
	} {
		if other.Equal(newFilter(t, Config{Members: 100, BitsPerKey: 10})) {
			t.Errorf("%s: equal", name)
		}
	}
}

// A filter that is read back from a file, a stream or its bytes goes on as before.
func TestFiles(t *testing.T) {
	f := newFilter(t, Config{Members: 100, BitsPerKey: 10})
	for n := range uint64(300) {
		if _, err := f.InsertUint64(n); err != nil {
			t.Fatal(err)
		}
	}
	filtertest.Files(t, f, newFilter(t, Config{Members: 1, BitsPerKey: 10}),
		filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
}

// In the middle of a move a filter reports the memory of both tables and the limit to come. It can
// be emptied, and can become another filter.
func TestInAMove(t *testing.T) {
	p := plan{blocks: 8, members: 320, most: 8 * 40 * 8, pace: 1}
	f := small(p)
	rng := rand.New(rand.NewPCG(14, 14))
	var members []uint64
	for f.Stats().Blocks < 32 || f.next == nil {
		members = append(members, rng.Uint64())
		if _, err := f.InsertHash(members[len(members)-1]); err != nil {
			t.Fatal(err)
		}
	}
	a := tableOf(f).arena
	if s := f.Stats(); s != (Stats{32, 32 * (32 + 64), 4*(32+64) + a.bytes(), true}) ||
		f.Limit() != 64*40 {
		t.Errorf("%+v, limit %d in a growth from 32 blocks to 64, with %d bytes of chunks", s,
			f.Limit(), a.bytes())
	}
	other := newFilter(t, Config{Members: 5, Rate: 0.1})
	if err := other.UnmarshalBinary(content(t, f)); err != nil ||
		snapshot(t, other) != snapshot(t, f) {
		t.Errorf("another filter is not what it was made: %v", err)
	}
	check(t, other, members)
	for other.Stats().Blocks == 32 {
		members = append(members, rng.Uint64())
		if _, err := other.InsertHash(members[len(members)-1]); err != nil {
			t.Fatal(err)
		}
	}
	check(t, other, members)
	f.Reset()
	if want := small(p); snapshot(t, f) != snapshot(t, want) || f.Stats() != want.Stats() ||
		f.Limit() != p.members {
		t.Errorf("after a reset %+v, want %+v", f.Stats(), want.Stats())
	}
	f = small(p)
	if _, err := f.InsertHashBatch(members, nil); err != nil {
		t.Fatal(err)
	}
	for f.next == nil || len(f.next.blocks) > 32 {
		f.DeleteHash(members[0])
		members = members[1:]
	}
	a, b := tableOf(f).arena, f.next.arena
	if s := f.Stats(); s != (Stats{64, 32 * (32 + 64), 4*(32+64) + a.bytes() + b.bytes(), true}) ||
		f.Limit() != 32*40 {
		t.Errorf("%+v, limit %d in a compression from 64 blocks to 32, with %d and %d bytes "+
			"of chunks", s, f.Limit(), a.bytes(), b.bytes())
	}
	check(t, f, members)
}

// The planned members may come and go without limit, and the filter keeps its size.
func TestPlannedMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for _, c := range []Config{{Members: 1, Rate: 0.01}, {Members: 3, BitsPerKey: 100},
		{Members: 1000, Rate: 0.001}, {Members: 5000, BitsPerKey: 16}} {
		f := newFilter(t, c)
		before, in := f.Stats().Blocks, workload.Hashes(rng, c.Members)
		if _, err := f.InsertHashBatch(in, nil); err != nil {
			t.Fatal(err)
		}
		for range 3 * c.Members {
			f.DeleteHash(in[0])
			in = append(in[1:], rng.Uint64())
			if _, err := f.InsertHash(in[len(in)-1]); err != nil {
				t.Fatal(err)
			}
		}
		if s := f.Stats(); s.Blocks != before || s.Moving {
			t.Errorf("%+v: %d blocks, and then %+v", c, before, s)
		}
		check(t, f, in)
	}
}

// The counts of members are exact, also if others have the same bits.
func TestCount(t *testing.T) {
	f := newFilter(t, Config{Members: 10, BitsPerKey: 16})
	rng := rand.New(rand.NewPCG(7, 7))
	want := map[uint64]uint64{}
	for _, hash := range workload.Hashes(rng, 300) {
		for range rng.IntN(4) {
			if _, err := f.InsertHash(hash); err != nil {
				t.Fatal(err)
			}
			want[hash]++
		}
		want[hash^1<<40] += 0 // none, and often a false positive
	}
	positives := 0
	for hash, times := range want {
		if got := f.CountHash(hash); got != times {
			t.Fatalf("%#x is a member %d times, want %d", hash, got, times)
		}
		if times == 0 && f.QueryHash(hash) {
			positives++
		}
	}
	if positives < 20 {
		t.Errorf("%d false positives: too few to tell", positives)
	}
}

// A merge is the filter of the inserts of both, bit for bit, however far the two have grown, also
// in the middle of a move. An intersection has each key as often as the filter that has it less
// often.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range [][2]int{{0, 0}, {0, 50}, {50, 0}, {30, 900}, {900, 30}, {1000, 1005},
		{333, 2000}} {
		a, b, both := newFilter(t, Config{Members: 40, Rate: 0.01}),
			newFilter(t, Config{Members: 40, Rate: 0.01}),
			newFilter(t, Config{Members: 40, Rate: 0.01})
		common := workload.Hashes(rng, 20)
		ours, theirs := slices.Concat(common, workload.Hashes(rng, n[0]), common[:5]),
			slices.Concat(workload.Hashes(rng, n[1]), common, common[3:10])
		for f, all := range map[*Filter][]uint64{a: ours, b: theirs} {
			if _, err := f.InsertHashBatch(all, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := both.InsertHashBatch(slices.Concat(ours, theirs), nil); err != nil {
			t.Fatal(err)
		}
		before := content(t, b)
		c := must(Read(bytes.NewReader(content(t, a)), fixed))
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content(t, a), content(t, both)) || !bytes.Equal(content(t, b), before) {
			t.Errorf("%d members: the merge is not the filter of all inserts, or changed the other",
				n)
		}
		if err := c.Intersect(b); err != nil || !bytes.Equal(content(t, b), before) {
			t.Errorf("%d members: intersection: %v", n, err)
		}
		check(t, c, slices.Concat(common, common[3:5]))
		if err := a.Intersect(a); !errors.Is(err, filter.ErrSelf) {
			t.Errorf("an intersection with itself: %v", err)
		}
	}
	full, other := newFilter(t, Config{Members: 10, BitsPerKey: 16, MaxMembers: 15}),
		newFilter(t, Config{Members: 10, BitsPerKey: 16, MaxMembers: 300})
	members := workload.Hashes(rng, 10)
	for _, f := range []*Filter{full, other} {
		if _, err := f.InsertHashBatch(members, nil); err != nil {
			t.Fatal(err)
		}
	}
	var e *FullError
	if err := full.Merge(other); !errors.As(err, &e) || *e != (FullError{20, 15}) {
		t.Errorf("a merge that does not fit: %v", err)
	}
	check(t, full, members)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// A file of a filter in the middle of a move gives that filter in the same stage. Nothing else is
// accepted as such a file.
func TestFilesOfMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	p := plan{blocks: 64, members: 64 * 40, most: 64 * 400}
	p.setPace()
	f := small(p)
	var members []uint64
	stages := [2]int{}
	for step := range 12_000 {
		if step < 6000 {
			members = append(members, rng.Uint64())
			if _, err := f.InsertHash(members[step]); err != nil {
				t.Fatal(err)
			}
		} else {
			f.DeleteHash(members[0])
			members = members[1:]
		}
		if f.next == nil || step%7 != 0 {
			continue
		}
		stage := 0
		if f.next.arena != tableOf(f).arena {
			stage = 1
		}
		stages[stage]++
		g := must(Decode(contents(t, f), fixed))
		if !g.Equal(f) {
			t.Fatalf("%v: %d units moved of %+v, want %d of %+v", g, g.moved, g.plan,
				f.moved, f.plan)
		}
		check(t, g, members)
		for name, forge := range map[string]func(c *file.Contents){
			"no move": func(c *file.Contents) { c.Set(attributeNext, 0) },
			"a large move": func(c *file.Contents) {
				c.Set(attributeNext,
					uint64(4*f.Stats().Blocks))
			},
			"to the same": func(c *file.Contents) {
				c.Set(attributeNext,
					uint64(f.Stats().Blocks))
			},
			"too small": func(c *file.Contents) {
				c.Set(attributeNext,
					32)
				c.Set(attributeMoved, 1)
			},
			"all moved": func(c *file.Contents) {
				c.Set(attributeMoved,
					uint64(f.units(tableOf(f))))
			},
			"no room":      func(c *file.Contents) { c.Set(attributeMost, uint64(f.Members()-1)) },
			"another base": func(c *file.Contents) { c.Set(attributeBase, 48) },
			"a heavy load": func(c *file.Contents) { c.Set(attributeMembers, 64*256+1) },
			"a light load": func(c *file.Contents) { c.Set(attributeMembers, 2) },
			"another order": func(c *file.Contents) {
				h := c.Sections[1].Words
				h[0], h[1] = h[1],
					h[0]
			},
			"a member more": func(c *file.Contents) {
				h := c.Sections[1].Words
				c.Sections[1].Words = append(h, h[len(h)-1]+1)
			},
			"a member less": func(c *file.Contents) {
				c.Sections[1].Words = c.Sections[1].Words[1:]
			},
			"a bit more": func(c *file.Contents) { c.Sections[0].Words[5] = ^uint64(0) },
			"growth past most": func(c *file.Contents) {
				c.Set(attributeMost, uint64([]int{p.limit(f.Stats().Blocks), 1}[stage]))
			},
		} {
			c := contents(t, f)
			forge(c)
			var e *file.Error
			if g, err := Decode(c, fixed); g != nil && err == nil || !errors.As(err, &e) {
				if name == "no move" && f.moved == 0 {
					continue
				}
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if stages[0] < 5 || stages[1] < 5 {
		t.Errorf("files of %d growths and %d shrinkings", stages[0], stages[1])
	}
}
