package peer

import (
	"math"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/kernel"
)

const ours = "github.com/bloomlane/bloomlane"

// Ours returns the filters of package kernel, as the implementation that is active there runs them. They
// have no version: they are of the same commit as the benchmark.
func Ours() []Peer { return []Peer{block512(), block256()} }

func block512() Peer {
	size := BlockSize(unsafe.Sizeof(kernel.Block512{}))
	return Peer{
		Name: "bloomlane-512", Module: ours,
		Note:      "kernel.Table512: deletable blocks of 512 bits, k = 7; QueryBatch, InsertBatch, DeleteBatch",
		Prehashed: true, Deletes: true,
		Size: size.Bytes,
		Begin: func(members int, bits float64) Builder {
			return Growing{table512(kernel.NewTable512(size.Blocks(members, bits)))}
		},
	}
}

func block256() Peer {
	size := BlockSize(unsafe.Sizeof(kernel.Block256{}))
	return Peer{
		Name: "bloomlane-256", Module: ours,
		Note:      "kernel.Table256: deletable blocks of 256 bits, k = 7; QueryBatch, InsertBatch, DeleteBatch",
		Prehashed: true, Deletes: true,
		Size: size.Bytes,
		Begin: func(members int, bits float64) Builder {
			return Growing{table256(kernel.NewTable256(size.Blocks(members, bits)))}
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

type table512 kernel.Table512

func (t table512) QueryHashBatch(keys, hits []uint64) int {
	return kernel.Table512(t).QueryBatch(keys, hits)
}
func (t table512) State() filter.State { return filter.State{Bytes: len(t) * int(unsafe.Sizeof(t[0]))} }

func (t table512) InsertHashBatch(keys, present []uint64) (n int, err error) {
	kernel.Table512(t).InsertBatch(keys, present)
	return len(keys), nil
}

func (t table512) DeleteHashBatch(keys []uint64, status []filter.Status) int {
	return kernel.Table512(t).DeleteBatch(keys, status)
}

func (t table512) ExpectedRate(members int) float64 {
	return planning.FreshRate(512, members, len(t))
}

func (t table512) ExpectedDeletable(members int) float64 {
	return planning.FreshDeletable(512, members, len(t))
}

type table256 kernel.Table256

func (t table256) QueryHashBatch(keys, hits []uint64) int {
	return kernel.Table256(t).QueryBatch(keys, hits)
}
func (t table256) State() filter.State { return filter.State{Bytes: len(t) * int(unsafe.Sizeof(t[0]))} }

func (t table256) InsertHashBatch(keys, present []uint64) (n int, err error) {
	kernel.Table256(t).InsertBatch(keys, present)
	return len(keys), nil
}

func (t table256) DeleteHashBatch(keys []uint64, status []filter.Status) int {
	return kernel.Table256(t).DeleteBatch(keys, status)
}

func (t table256) ExpectedRate(members int) float64 {
	return planning.FreshRate(256, members, len(t))
}

func (t table256) ExpectedDeletable(members int) float64 {
	return planning.FreshDeletable(256, members, len(t))
}
