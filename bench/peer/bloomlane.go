package peer

import (
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/kernel"
)

const ours = "github.com/bloomlane/bloomlane"

// Ours returns the filters of package kernel, as the implementation that is active there runs them. They
// have no version: they are of the same commit as the benchmark.
func Ours() []Peer {
	return []Peer{
		block("bloomlane-512", "kernel.Table512: deletable blocks of 512 bits", 512/8,
			func(nblocks int) batches { return kernel.NewTable512(nblocks) }),
		block("bloomlane-256", "kernel.Table256: deletable blocks of 256 bits", 256/8,
			func(nblocks int) batches { return kernel.NewTable256(nblocks) }),
	}
}

func block(name, note string, size BlockSize, table func(nblocks int) batches) Peer {
	return Peer{
		Name: name, Module: ours,
		Note:      note + ", k = 7; QueryBatch, InsertBatch, DeleteBatch",
		Prehashed: true, Deletes: true,
		Size: size.Bytes,
		Begin: func(members int, bits float64) Builder {
			nblocks := size.Blocks(members, bits)
			return Growing(kernelTable{table(nblocks), size, nblocks})
		},
	}
}

// BlockSize is the bytes of a block of a filter that has any number of them.
type BlockSize int64

// Blocks is the number of blocks of a filter.
func (s BlockSize) Blocks(members int, bits float64) int {
	return max(1, int(math.Ceil(float64(members)*bits/float64(8*s))))
}

// Bytes is their size.
func (s BlockSize) Bytes(members int, bits float64) int64 {
	return int64(s) * int64(s.Blocks(members, bits))
}

// batches are the methods of kernel.Table512 and Table256, which share the time of the call by this
// interface.
type batches interface {
	QueryBatch(hashes, hits []uint64) int
	InsertBatch(hashes, hits []uint64) int
	DeleteBatch(hashes []uint64, status []filter.Status) int
}

// kernelTable is a table as a filter.
type kernelTable struct {
	batches
	size    BlockSize
	nblocks int
}

func (t kernelTable) State() filter.State { return filter.State{Bytes: int(t.size) * t.nblocks} }

func (t kernelTable) QueryHashBatch(keys, hits []uint64) int { return t.QueryBatch(keys, hits) }

func (t kernelTable) InsertHashBatch(keys, present []uint64) (n int, err error) {
	t.InsertBatch(keys, present)
	return len(keys), nil
}

func (t kernelTable) DeleteHashBatch(keys []uint64, status []filter.Status) int {
	return t.DeleteBatch(keys, status)
}

func (t kernelTable) ExpectedRate(members int) float64 {
	return planning.FreshRate(8*int(t.size), members, t.nblocks)
}

func (t kernelTable) ExpectedDeletable(members int) float64 {
	return planning.FreshDeletable(8*int(t.size), members, t.nblocks)
}
