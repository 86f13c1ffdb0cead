package kernel

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// FuzzOperations runs a program of operations on a small table, with every implementation and with
// the definition, and compares results and bits after each operation. The program is read from
// data. An operation is nine bytes: what to do, and a hash.
func FuzzOperations(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(uint8(seed), randomProgram(seed))
	}
	f.Fuzz(func(t *testing.T, nblocks uint8, program []byte) {
		if len(program) > 9*4096 {
			return
		}
		for _, im := range dispatch.Implementations() {
			fuzzOperations(t, implementation512(im), 1+int(nblocks)%16, program)
			fuzzOperations(t, implementation256(im), 1+int(nblocks)%16, program)
		}
	})
}

// randomProgram returns a program of mixed operations on so few hashes that they repeat.
func randomProgram(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	hashes := workload.Hashes(rng, 40)
	var program []byte
	for range 400 {
		program = append(program, byte(rng.Uint64()))
		program = binary.LittleEndian.AppendUint64(program, hashes[rng.IntN(len(hashes))])
	}
	return program
}

func fuzzOperations[T fallback.Lane](t *testing.T, s subject[T], nblocks int, program []byte) {
	got, want := make([][8]T, nblocks), make([][8]T, nblocks)
	other := make([][8]T, nblocks)
	var pending []uint64 // the hashes of a batch that grows until an operation runs it
	for step := 0; len(program) >= 9; step++ {
		op, h := program[0], binary.LittleEndian.Uint64(program[1:])
		program = program[9:]
		block, mask := &want[fallback.Index(h, uint64(nblocks))], fallback.Mask[T](h)
		var result, expected any
		switch op % 8 {
		case 0:
			result, expected = s.query(got, h), fallback.QueryMask(block, &mask)
		case 1:
			result, expected = s.insert(got, h), fallback.InsertMask(block, &mask)
		case 2:
			result, expected = s.delete(got, h), Status(fallback.DeleteMask(block, &mask))
		case 3:
			pending = append(pending, h, h+uint64(op), h)
			continue
		case 4:
			positions, selected := make([]uint32, len(pending)), make([]uint32, len(pending))
			positions = positions[:s.selectBatch(got, pending, positions)]
			selected = selected[:fallback.SelectBatch(want, pending, selected)]
			if !slices.Equal(positions, selected) {
				t.Fatalf("step %d: positions %d of %d, want %d", step, positions, len(pending),
					selected)
			}
			present := make([]uint64, (len(pending)+63)/64)
			n := s.insertBatch(got, pending, present)
			result, expected = n, 0
			for i, h := range pending {
				if fallback.Insert(want, h) != bitOf(present, i) {
					t.Fatalf("step %d: hit %d of %d differs", step, i, len(pending))
				}
				if bitOf(present, i) {
					expected = expected.(int) + 1
				}
			}
			pending = pending[:0]
		case 5:
			status := make([]Status, len(pending))
			n := s.deleteBatch(got, pending, status)
			result, expected = n, 0
			for i, h := range pending {
				if Status(fallback.Delete(want, h)) != status[i] {
					t.Fatalf("step %d: status %d of %d differs: %v", step, i,
						len(pending), status[i])
				}
				if status[i] == Deleted {
					expected = expected.(int) + 1
				}
			}
			pending = pending[:0]
		case 6:
			fallback.Insert(other, h)
			s.merge(got, other)
			for i := range want {
				fallback.MergeBlock(&want[i], &other[i])
			}
		case 7:
			masks := slices.Clone(other)
			masks = append(masks, mask)
			present := make([]uint64, 1)
			result, expected = s.matchBatch(block, masks, present), 0
			for i := range masks {
				match := fallback.QueryMask(block, &masks[i])
				if match != bitOf(present, i) {
					t.Fatalf("step %d: match %d differs", step, i)
				} else if match {
					expected = expected.(int) + 1
				}
			}
		}
		if result != expected || !slices.Equal(got, want) {
			t.Fatalf("step %d, operation %d of %#x: result %v, want %v; same table %v",
				step, op%8, h, result, expected, slices.Equal(got, want))
		}
	}
}

// FuzzRefresh refreshes blocks of a table from hashes, with every implementation. Then the blocks
// are those of a fresh table, and the others have not changed. The hashes are read from data. A
// mask clears bits of them, so that many belong to one block, and they are folded into the
// interval.
func FuzzRefresh(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 0))
	for _, n := range []int{0, 1, 64, 1025} {
		var data []byte
		for range n {
			data = binary.LittleEndian.AppendUint64(data, rng.Uint64())
		}
		f.Add(uint32(n*n+5), uint32(n), uint16(n/8), uint64(1<<63-1)<<(n%60), data)
	}
	f.Fuzz(func(t *testing.T, nblocks, first uint32, blocks uint16, mask uint64, data []byte) {
		if len(data) > 8*5000 {
			return
		}
		n := 1 + uint64(nblocks)>>2 // it fits an int of 32 bits
		start := uint64(first) % n
		end := start + 1 + uint64(blocks)%min(n-start, 2048)
		low, high := fallback.Interval(start, end, n)
		var hashes []uint64
		for ; len(data) >= 8; data = data[8:] {
			h := binary.LittleEndian.Uint64(data) & mask
			if high-low < 1<<64-1 {
				h = low + h%(high-low+1)
			}
			hashes = append(hashes, h)
		}
		for _, im := range dispatch.Implementations() {
			fuzzRefresh(t, implementation512(im), start, end, n, hashes)
			fuzzRefresh(t, implementation256(im), start, end, n, hashes)
		}
	})
}

func fuzzRefresh[T fallback.Lane](
	t *testing.T,
	s subject[T],
	first, end, nblocks uint64,
	hashes []uint64,
) {
	part, want := guard(make([][8]T, end-first)), guard(make([][8]T, end-first))
	for _, h := range hashes {
		mask := fallback.Mask[T](h)
		fallback.InsertMask(&want.table[fallback.Index(h, nblocks)-first], &mask)
	}
	s.insertPart(part.table, int(first), int(nblocks), hashes)
	if i := difference(part.whole, want.whole); i >= 0 {
		t.Fatalf("blocks %d to %d of %d, %d hashes: block %d differs", first, end, nblocks,
			len(hashes), i-1)
	}
}
