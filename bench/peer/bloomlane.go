package peer

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/kernel"
)

const ours = "github.com/bloomlane/bloomlane"

// Ours returns the filters of package kernel, as the implementation that is active there runs them.
// They have no version: they are of the same commit as the benchmark.
func Ours() []Peer {
	return []Peer{
		block("bloomlane-512", "kernel.Table512: deletable blocks of 512 bits", 512/8,
			func(nblocks int) batches { return kernel.NewTable512(nblocks) }),
		block("bloomlane-256", "kernel.Table256: deletable blocks of 256 bits", 256/8,
			func(nblocks int) batches { return kernel.NewTable256(nblocks) }),
	}
}

// OursOfBytes returns filter/deletable, whose table is that of the first of Ours, with keys of
// bytes: in batches, one by one, and one by one under the hash of the process.
func OursOfBytes() []Peer {
	one := func(f *deletable.Filter) Inserter { return singly{f} }
	return []Peer{
		ofBytes("deletable", "QueryBatch, InsertBatch, DeleteBatch", OurHash,
			func(f *deletable.Filter) Inserter { return f }),
		ofBytes("deletable-single", "Query, Insert and Delete a key", OurHash, one),
	}
}

func ofBytes(
	name, calls string,
	hash key.Algorithm,
	as func(f *deletable.Filter) Inserter,
) Peer {
	size := BlockSize(deletable.BlockBytes)
	return Peer{
		Name: name, Module: ours,
		Note:      "deletable.Filter: kernel.Table512 under a secret key; " + calls,
		Prehashed: true, Deletes: true, Decays: true, Merges: true, Hash: hash.String(),
		Keyed: true, Table: Ours()[0].Name,
		Size: size.Bytes,
		Begin: func(members int, bits float64) Builder {
			f, err := deletable.New(deletable.Config{Members: members, BitsPerKey: bits,
				Key: hash.New()})
			if err != nil { // of a size that New has refused
				panic(fmt.Sprintf("peer: deletable: %v", err))
			}
			return Growing(as(f))
		},
	}
}

// OurHash is the function of the keys that filters draw by default.
const OurHash = key.AESPMAC

// singly is a filter whose keys of bytes go to it one at a time.
type singly struct{ *deletable.Filter }

func (f singly) QueryBatch(keys [][]byte, present []uint64) (count int) {
	for start := 0; start < len(keys); start += 64 {
		word := uint64(0)
		for i, key := range keys[start:min(start+64, len(keys))] {
			word |= One(f.Query(key)) << (i & 63)
		}
		count += bits.OnesCount64(word)
		if present != nil {
			present[start/64] = word
		}
	}
	return count
}

func (f singly) InsertBatch(keys [][]byte, _ []uint64) (n int, err error) {
	for i, key := range keys {
		if _, err := f.Insert(key); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

func (f singly) DeleteBatch(keys [][]byte, _ []filter.Status) (deleted int) {
	for _, key := range keys {
		if f.Delete(key) == deletable.Deleted {
			deleted++
		}
	}
	return deleted
}

func block(name, note string, size BlockSize, table func(nblocks int) batches) Peer {
	return Peer{
		Name: name, Module: ours,
		Note:      note + ", k = 7; QueryBatch, QueryInsertBatch, DeleteBatch",
		Prehashed: true, Deletes: true, Decays: true, Merges: true,
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
	QueryBatch(hashes, present []uint64) int
	QueryInsertBatch(hashes, present []uint64) int
	DeleteBatch(hashes []uint64, status []filter.Status) int
}

// kernelTable is a table as a filter.
type kernelTable struct {
	batches
	size    BlockSize
	nblocks int
}

func (t kernelTable) State() filter.State { return filter.State{Bytes: int(t.size) * t.nblocks} }

func (t kernelTable) QueryHashBatch(keys, present []uint64) int {
	return t.QueryBatch(keys, present)
}

func (t kernelTable) InsertHashBatch(keys, present []uint64) (n int, err error) {
	t.QueryInsertBatch(keys, present)
	return len(keys), nil
}

func (t kernelTable) DeleteHashBatch(keys []uint64, status []filter.Status) int {
	return t.DeleteBatch(keys, status)
}

func (t kernelTable) ExpectedRate(members int) float64 {
	return planning.FreshRate(8*int(t.size), members, t.nblocks)
}

func (t kernelTable) ExpectedDeletable(members int) float64 {
	return planning.FreshDeletability(8*int(t.size), members, t.nblocks)
}
