package peer

import (
	"cmp"
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
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

// OursOfBytes returns the kinds of filters with keys of bytes, each under the key that it draws by
// default: one key at a time, and the fastest also in batches. The table of filter/deletable is
// that of the first of Ours.
func OursOfBytes() []Peer {
	const lists = 11 // bytes a member, beside the table
	table := Ours()[0].Name
	return []Peer{
		ofKind(deletable.Kind, Peer{Name: "deletable", Table: table, Decays: true}, inBatches),
		ofKind(deletable.Kind, Peer{Name: "deletable-single", Table: table, Decays: true},
			oneByOne),
		ofKind(plain.BlockedKind, Peer{Name: "blocked"}, inBatches),
		ofKind(plain.BlockedKind, Peer{Name: "blocked-single", Table: "blocked"}, oneByOne),
		ofKind(plain.Kind, Peer{Name: "plain"}, oneByOne),
		ofKind(counting.Kind, Peer{Name: "counting"}, oneByOne),
		ofKind(cuckoo.Kind, Peer{Name: "cuckoo", Refuses: true}, oneByOne),
		ofKind(elastic.Kind, Peer{Name: "elastic", Lists: true, Extra: lists}, oneByOne),
	}
}

func ofKind(kind base.Kind, p Peer, as func(f filter.StoredSet) Inserter) Peer {
	p.Module, p.Prehashed, p.Keyed = ours, true, true
	p.Hash, p.Table = key.New().Algorithm().String(), cmp.Or(p.Table, p.Name)
	p.Note = "filter/" + kind.Name + " under a secret key"
	p.Deletes, p.Merges = kind.Promises.Has(base.Deletes), kind.Name != cuckoo.Kind.Name
	p.Size = func(members int, bits float64) int64 {
		return int64(math.Ceil(float64(members) * bits / 8))
	}
	p.Begin = func(members int, bits float64) Builder {
		f, err := kind.New(filter.Sizing{Members: members, BitsPerKey: bits})
		if err != nil {
			panic(fmt.Sprintf("peer: %s: %v", p.Name, err))
		}
		return Growing(as(f))
	}
	return p
}

// keyed is a filter that takes a key of bytes at a time.
type keyed interface {
	BytesFilter
	InsertHashBatch(hashes, present []uint64) (n int, err error)
	Query(key []byte) bool
	QueryString(key string) bool
	Insert(key []byte) (present bool, err error)
}

type keyedDeleter interface {
	DeleteHashBatch(hashes []uint64, status []filter.Status) int
	Delete(key []byte) filter.Status
}

// inBatches is a filter by its own batches.
func inBatches(f filter.StoredSet) Inserter { return f }

// oneByOne is a filter whose keys of bytes go to it one at a time, in loops as programs have them.
func oneByOne(f filter.StoredSet) Inserter {
	s := singly{keyed: f.(keyed)}
	switch f := f.(type) { // of which the compiler inlines a query
	case *deletable.Filter:
		s.query = func(keys [][]byte) (count int) {
			for _, key := range keys {
				count += One(f.Query(key))
			}
			return count
		}
		s.strings = func(keys []string) (count int) {
			for _, key := range keys {
				count += One(f.QueryString(key))
			}
			return count
		}
	case *plain.Filter:
		s.query = func(keys [][]byte) (count int) {
			for _, key := range keys {
				count += One(f.Query(key))
			}
			return count
		}
		s.strings = func(keys []string) (count int) {
			for _, key := range keys {
				count += One(f.QueryString(key))
			}
			return count
		}
	default:
		s.query = func(keys [][]byte) (count int) {
			for _, key := range keys {
				count += One(s.Query(key))
			}
			return count
		}
		s.strings = func(keys []string) (count int) {
			for _, key := range keys {
				count += One(s.QueryString(key))
			}
			return count
		}
	}
	if d, ok := f.(keyedDeleter); ok {
		return singlyDeleting{s, d}
	}
	return s
}

// singly has its loops from where they are compiled once: where the compiler copies a closure, it
// inlines no call in the copy, and [One] has a jump.
type singly struct {
	keyed
	query   func(keys [][]byte) (count int)
	strings func(keys []string) (count int)
}

func (f singly) QueryBatch(keys [][]byte, present []uint64) (count int) {
	return Answer(f.query, keys, present)
}

func (f singly) Strings() func(keys []string) int { return f.strings }

func (f singly) InsertBatch(keys [][]byte, _ []uint64) (n int, err error) {
	for i, key := range keys {
		if _, err := f.Insert(key); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

type singlyDeleting struct {
	singly
	deleter keyedDeleter
}

func (f singlyDeleting) DeleteHashBatch(hashes []uint64, status []filter.Status) int {
	return f.deleter.DeleteHashBatch(hashes, status)
}

func (f singlyDeleting) DeleteBatch(keys [][]byte, _ []filter.Status) (deleted int) {
	for _, key := range keys {
		deleted += One(f.deleter.Delete(key) == filter.Deleted)
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
