package kernel

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/preemption"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A batch of 32 M keys or values, and a merge and a match of 256 MiB, do not delay a garbage
// collection. They would if each were one call into assembly. All operations that can be long are
// here: those of two slices.
func TestPreemption(t *testing.T) {
	require.Once(t)
	const keys, blocks = 32 << 20, 1 << 22
	table, hashes := NewTable512(1<<15), make([]uint64, keys)
	for i := range hashes {
		hashes[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	u, v := NewTable512(blocks), NewTable512(blocks)
	u.Merge(v) // so that its pages are resident
	header512, header256 := [8]uint64(Mask512(1)), [8]uint32(Mask256(1))
	table512, lanes512, other512 := dispatch.Lanes(table), dispatch.Lanes(u), dispatch.Lanes(v)
	table256 := dispatch.Lanes(halves(table))
	lanes256, other256 := dispatch.Lanes(halves(u)), dispatch.Lanes(halves(v))
	some := hashes[:keys/8] // in a large table: an insert takes longer than the check of its hash
	sample := make([]uint64, keys/64)
	values := unsafe.Slice((*uint32)(unsafe.Pointer(&v[0])), keys)

	all := dispatch.Implementations()
	all = all[:len(all)-1] // the last is portable Go, which can stop anywhere
	if testing.Short() {
		all = all[:min(1, len(all))] // what cuts their calls is the same code
	}
	for _, im := range all {
		calls := map[string]func(){
			"QueryBatch512":  func() { im.QueryBatch512(table512, hashes, nil) },
			"SelectBatch512": func() { im.SelectBatch512(table512, hashes, values) },
			"InsertBatch512": func() { im.InsertBatch512(table512, hashes, nil) },
			"InsertPart512":  func() { im.InsertPart512(lanes512, 0, len(lanes512), some) },
			"DeleteBatch512": func() { im.DeleteBatch512(table512, hashes, nil) },
			"Merge512":       func() { im.Merge512(lanes512, other512) },
			"MatchBatch512":  func() { im.MatchBatch512(&header512, lanes512, nil) },

			"QueryBatch256":  func() { im.QueryBatch256(table256, hashes, nil) },
			"SelectBatch256": func() { im.SelectBatch256(table256, hashes, values) },
			"InsertBatch256": func() { im.InsertBatch256(table256, hashes, nil) },
			"InsertPart256":  func() { im.InsertPart256(lanes256, 0, len(lanes256), some) },
			"DeleteBatch256": func() { im.DeleteBatch256(table256, hashes, nil) },
			"Merge256":       func() { im.Merge256(lanes256, other256) },
			"MatchBatch256":  func() { im.MatchBatch256(&header256, lanes256, nil) },

			"QueryBatchSplit":  func() { im.QueryBatchSplit(table256, hashes, nil) },
			"SelectBatchSplit": func() { im.SelectBatchSplit(table256, hashes, values) },
			"InsertBatchSplit": func() { im.InsertBatchSplit(table256, hashes, nil) },
			"AddBatchSplit":    func() { im.AddBatchSplit(table256, hashes) },
			"MergeSplit":       func() { im.MergeSplit(lanes256, other256) },

			"HashBatch32": func() { im.HashBatch32(values, hashes) },
			"HashBatch64": func() { im.HashBatch64(hashes, hashes) },
			"Sample":      func() { im.Sample(hashes, sample, 3, 1<<54) },
		}
		for method := range reflect.TypeOf(im).Methods() {
			slices := 0
			for parameter := range method.Type.Ins() {
				if parameter.Kind() == reflect.Slice {
					slices++
				}
			}
			if slices >= 2 && calls[method.Name] == nil {
				t.Errorf("%s is not tested", method.Name)
			}
		}
		for name, call := range calls {
			t.Run(im.String()+"/"+name, func(t *testing.T) { preemption.Check(t, call) })
		}
	}
}

// halves returns the memory of a table as blocks of half the size.
func halves(t Table512) Table256 {
	return unsafe.Slice((*Block256)(unsafe.Pointer(unsafe.SliceData(t))), 2*len(t))
}
