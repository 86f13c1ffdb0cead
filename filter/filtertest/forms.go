package filtertest

import (
	"encoding/binary"

	"github.com/bloomlane/bloomlane/filter"
)

// What filter.Keyed, KeyedSet and KeyedDeleter have.
type (
	keyedQuerier interface {
		Hash(key []byte) uint64
		HashString(key string) uint64
		HashUint64(key uint64) uint64
		Query(key []byte) bool
		QueryString(key string) bool
		QueryUint64(key uint64) bool
		QueryBatch(keys [][]byte, present []uint64) int
		QueryStringBatch(keys []string, present []uint64) int
		QueryUint64Batch(keys, present []uint64) int
	}
	keyedSet interface {
		Insert(key []byte) (bool, error)
		InsertString(key string) (bool, error)
		InsertUint64(key uint64) (bool, error)
		InsertBatch(keys [][]byte, present []uint64) (int, error)
		InsertStringBatch(keys []string, present []uint64) (int, error)
		InsertUint64Batch(keys, present []uint64) (int, error)
	}
	keyedDeleter interface {
		Delete(key []byte) filter.Status
		DeleteString(key string) filter.Status
		DeleteUint64(key uint64) filter.Status
		DeleteBatch(keys [][]byte, status []filter.Status) int
		DeleteStringBatch(keys []string, status []filter.Status) int
		DeleteUint64Batch(keys []uint64, status []filter.Status) int
	}
)

// form is one of the forms of the operations. All are on the key of a number: its 8 bytes.
type form struct {
	name        string
	query       func(f filter.Stored, n uint64) bool
	queryBatch  func(f filter.Stored, n, present []uint64) int
	insert      func(f filter.Stored, n uint64) (bool, error)
	insertBatch func(f filter.Stored, n, present []uint64) (int, error)
	delete      func(f filter.Stored, n uint64) filter.Status
	deleteBatch func(f filter.Stored, n []uint64, status []filter.Status) int
}

func bytesOf(n uint64) []byte                    { return binary.LittleEndian.AppendUint64(nil, n) }
func stringOf(n uint64) string                   { return string(bytesOf(n)) }
func hash(f filter.Stored, n uint64) uint64      { return f.Key().HashUint64(n) }
func all(f filter.Stored, n []uint64) []uint64   { return hashesOf(f.Key(), n) }
func asQuerier(f filter.Stored) keyedQuerier     { return f.(keyedQuerier) }
func asSet(f filter.Stored) keyedSet             { return f.(keyedSet) }
func asDeleter(f filter.Stored) keyedDeleter     { return f.(keyedDeleter) }
func hashSet(f filter.Stored) filter.Set         { return f.(filter.Set) }
func hashDeleter(f filter.Stored) filter.Deleter { return f.(filter.Deleter) }

func each[K any](n []uint64, key func(uint64) K) []K {
	keys := make([]K, len(n))
	for i := range n {
		keys[i] = key(n[i])
	}
	return keys
}

var forms = []form{
	{
		"hash",
		func(f filter.Stored, n uint64) bool { return f.QueryHash(hash(f, n)) },
		func(f filter.Stored, n, present []uint64) int { return f.QueryHashBatch(all(f, n), present) },
		func(f filter.Stored, n uint64) (bool, error) { return hashSet(f).InsertHash(hash(f, n)) },
		func(f filter.Stored, n, present []uint64) (int, error) {
			return hashSet(f).InsertHashBatch(all(f, n), present)
		},
		func(f filter.Stored, n uint64) filter.Status { return hashDeleter(f).DeleteHash(hash(f, n)) },
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return hashDeleter(f).DeleteHashBatch(all(f, n), status)
		},
	},
	{
		"bytes",
		func(f filter.Stored, n uint64) bool { return asQuerier(f).Query(bytesOf(n)) },
		func(f filter.Stored, n, present []uint64) int {
			return asQuerier(f).QueryBatch(each(n, bytesOf), present)
		},
		func(f filter.Stored, n uint64) (bool, error) { return asSet(f).Insert(bytesOf(n)) },
		func(f filter.Stored, n, present []uint64) (int, error) {
			return asSet(f).InsertBatch(each(n, bytesOf), present)
		},
		func(f filter.Stored, n uint64) filter.Status { return asDeleter(f).Delete(bytesOf(n)) },
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return asDeleter(f).DeleteBatch(each(n, bytesOf), status)
		},
	},
	{
		"string",
		func(f filter.Stored, n uint64) bool { return asQuerier(f).QueryString(stringOf(n)) },
		func(f filter.Stored, n, present []uint64) int {
			return asQuerier(f).QueryStringBatch(each(n, stringOf), present)
		},
		func(f filter.Stored, n uint64) (bool, error) { return asSet(f).InsertString(stringOf(n)) },
		func(f filter.Stored, n, present []uint64) (int, error) {
			return asSet(f).InsertStringBatch(each(n, stringOf), present)
		},
		func(f filter.Stored, n uint64) filter.Status { return asDeleter(f).DeleteString(stringOf(n)) },
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return asDeleter(f).DeleteStringBatch(each(n, stringOf), status)
		},
	},
	{
		"uint64",
		func(f filter.Stored, n uint64) bool { return asQuerier(f).QueryUint64(n) },
		func(f filter.Stored, n, present []uint64) int { return asQuerier(f).QueryUint64Batch(n, present) },
		func(f filter.Stored, n uint64) (bool, error) { return asSet(f).InsertUint64(n) },
		func(f filter.Stored, n, present []uint64) (int, error) { return asSet(f).InsertUint64Batch(n, present) },
		func(f filter.Stored, n uint64) filter.Status { return asDeleter(f).DeleteUint64(n) },
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return asDeleter(f).DeleteUint64Batch(n, status)
		},
	},
}
