package parts

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The steps of docs/measurements/kinds.md: per key its hash and its place in a pack, the insert of a
// pack into a part of 64 MiB, and the merge of two tables of 64 MiB, per byte of one table.

func BenchmarkPack(b *testing.B) {
	for _, parts := range []int{16, 1024} {
		b.Run(fmt.Sprintf("parts=%d", parts), func(b *testing.B) {
			packer := NewPacker(Layout{Blocks: parts << 20, PartBlocks: 1 << 20})
			text := []byte("a key of 20 bytes 00")
			for i := 0; b.Loop(); i++ {
				text[18], text[19] = byte(i), byte(i>>8)
				packer.Add(testKey.Hash(text) ^ uint64(i)<<40) // other hashes than 65536
			}
		})
	}
}

func BenchmarkInsertPack(b *testing.B) {
	l := Layout{Blocks: 1 << 30, PartBlocks: 1 << 20}
	p := New(l.Range(0), testKey.Identity())
	p.fill()
	packer, rng := NewPacker(l), rand.New(rand.NewPCG(1, 2))
	var packs [][]byte
	for len(packs) < 1024 {
		if _, pack := packer.Add(rng.Uint64() >> 10); pack != nil {
			packs = append(packs, pack)
		}
	}
	for i := 0; b.Loop(); i++ {
		if err := p.InsertPack(packs[i%len(packs)]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(PackBytes/8), "ns/key")
}

func BenchmarkMerge(b *testing.B) {
	r := Layout{Blocks: 1 << 20, PartBlocks: 1 << 20}.Range(0)
	p, q := New(r, testKey.Identity()), New(r, testKey.Identity())
	p.fill()
	q.fill()
	for b.Loop() {
		if err := p.Merge(q); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(64<<20), "ns/byte")
}
