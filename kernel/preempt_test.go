package kernel

import (
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/preemption"
)

// A batch of 32 M keys or values, and a merge and a match of 256 MiB, do not delay a garbage
// collection. They would if each were one call into assembly.
func TestPreemption(t *testing.T) {
	const keys, blocks = 32 << 20, 1 << 22
	table, hashes := NewTable512(1<<15), make([]uint64, keys)
	for i := range hashes {
		hashes[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	u, v := NewTable512(blocks), NewTable512(blocks)
	u.Merge(v) // so that its pages are resident
	header512, header256 := [8]uint64(Mask512(1)), [8]uint32(Mask256(1))
	tableLanes, lanes, other := dispatch.Lanes(table), dispatch.Lanes(u), dispatch.Lanes(v)
	split := dispatch.Lanes(halves(table))
	lanes256, other256 := dispatch.Lanes(halves(u)), dispatch.Lanes(halves(v))

	all := dispatch.Implementations()
	for _, im := range all[:len(all)-1] { // the last is portable Go, which can stop anywhere
		for name, call := range map[string]func(){
			"query":  func() { im.QueryBatch512(tableLanes, hashes, nil) },
			"insert": func() { im.InsertBatch512(tableLanes, hashes, nil) },
			"part":   func() { im.InsertPart512(tableLanes, 0, len(table), hashes) },
			"merge":  func() { im.Merge512(lanes, other) },
			"match":  func() { im.MatchBatch512(&header512, lanes, nil) },

			"merge 256": func() { im.Merge256(lanes256, other256) },
			"match 256": func() { im.MatchBatch256(&header256, lanes256, nil) },

			"query split": func() { im.QueryBatchSplit(split, hashes, nil) },
			"add split":   func() { im.AddBatchSplit(split, hashes) },
			"merge split": func() { im.MergeSplit(lanes256, other256) },
			"hash":        func() { im.HashBatch64(hashes, hashes) },
			"sample":      func() { im.Sample(hashes, make([]uint64, len(hashes)/64+1), 3, 1<<54) },
		} {
			t.Run(im.String()+"/"+name, func(t *testing.T) { preemption.Check(t, call) })
		}
	}
}

// halves returns the memory of a table as blocks of half the size.
func halves(t Table512) Table256 {
	return unsafe.Slice((*Block256)(unsafe.Pointer(unsafe.SliceData(t))), 2*len(t))
}
