package library

import (
	"encoding/binary"
	"fmt"
	"testing"

	boom "github.com/tylertreat/BoomFilters"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/stable"
)

// BenchmarkStable has ns per key of filter/stable and of the library that has stable Bloom filters too, of
// equal m, d, K and P, in the cache and beyond it: see fastest. Both are stable; non-members are inserted and
// queried, and the latest are queried again. The library's are asked with each insert whether the key was
// present, as ours are.
func BenchmarkStable(b *testing.B) {
	const rate, n = 0.01, 1 << 16
	for _, width := range []int{1, 4} {
		for _, words := range []int{2560, 1 << 19} {
			cells := uint(words * 64 / width)
			theirs := boom.NewStableBloomFilter(cells, uint8(width), rate)
			theirs.SetHash(&bytesSum{})
			size := stable.Shape{Words: words, Width: width, Hashes: int(theirs.K()), Decrements: int(theirs.P())}
			ours, err := stable.NewShape(size, n, key.New())
			if err != nil {
				b.Fatal(err)
			}
			var bytes [8]byte
			each := func(hashes []uint64, call func([]byte) bool) {
				for _, hash := range hashes {
					binary.LittleEndian.PutUint64(bytes[:], hash)
					call(bytes[:])
				}
			}
			warm := randomKeys(0, 2*size.Highest()*size.Cells()/size.Decrements) // to the stable point, or near
			each(warm, func(key []byte) bool { theirs.Add(key); return true })
			if _, err := ours.InsertHashBatch(warm, nil); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%v", size), func(b *testing.B) {
				seed := uint64(0)
				fastest(b, n, func() []timed {
					seed += 2
					members, nonMembers := randomKeys(seed, n), randomKeys(seed+1, n)
					return []timed{
						{"stable-insert-ns", func() { _, _ = ours.InsertHashBatch(members, nil) }},
						{"stable-members-ns", func() { ours.QueryHashBatch(members, nil) }},
						{"stable-non-members-ns", func() { ours.QueryHashBatch(nonMembers, nil) }},
						{"boom-insert-ns", func() { each(members, theirs.TestAndAdd) }},
						{"boom-members-ns", func() { each(members, theirs.Test) }},
						{"boom-non-members-ns", func() { each(nonMembers, theirs.Test) }},
					}
				})
			})
		}
	}
}
