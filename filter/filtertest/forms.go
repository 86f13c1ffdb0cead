package filtertest

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
)

// The methods of filter.Keyed, KeyedSet, KeyedDeleter and KeyedCounter, as interfaces.
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
		InsertSeq(keys iter.Seq[[]byte]) (int, error)
		InsertStringSeq(keys iter.Seq[string]) (int, error)
		InsertUint64Seq(keys iter.Seq[uint64]) (int, error)
	}
	keyedDeleter interface {
		Delete(key []byte) filter.Status
		DeleteString(key string) filter.Status
		DeleteUint64(key uint64) filter.Status
		DeleteBatch(keys [][]byte, status []filter.Status) int
		DeleteStringBatch(keys []string, status []filter.Status) int
		DeleteUint64Batch(keys []uint64, status []filter.Status) int
	}
	keyedCounter interface {
		Add(key []byte, times uint64) error
		AddString(key string, times uint64) error
		AddUint64(key, times uint64) error
		AddBatch(keys [][]byte, times []uint64) (int, error)
		AddStringBatch(keys []string, times []uint64) (int, error)
		AddUint64Batch(keys, times []uint64) (int, error)
		Count(key []byte) uint64
		CountString(key string) uint64
		CountUint64(key uint64) uint64
		CountBatch(keys [][]byte, counts []uint64)
		CountStringBatch(keys []string, counts []uint64)
		CountUint64Batch(keys, counts []uint64)
	}
)

// form is one of the forms of the operations. All of them stand for the same key: the 8 bytes of a
// number.
type form struct {
	name        string
	query       func(f filter.Stored, n uint64) bool
	queryBatch  func(f filter.Stored, n, present []uint64) int
	insert      func(f filter.Stored, n uint64) (bool, error)
	insertBatch func(f filter.Stored, n, present []uint64) (int, error)
	delete      func(f filter.Stored, n uint64) filter.Status
	deleteBatch func(f filter.Stored, n []uint64, status []filter.Status) int
	add         func(f filter.Stored, n, times uint64) error
	addBatch    func(f filter.Stored, n, times []uint64) (int, error)
	count       func(f filter.Stored, n uint64) uint64
	countBatch  func(f filter.Stored, n, counts []uint64)
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
func asCounter(f filter.Stored) keyedCounter     { return f.(keyedCounter) }
func hashCounter(f filter.Stored) filter.Counter { return f.(filter.Counter) }

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
		func(f filter.Stored, n, present []uint64) int {
			return f.QueryHashBatch(all(f, n), present)
		},
		func(f filter.Stored, n uint64) (bool, error) { return hashSet(f).InsertHash(hash(f, n)) },
		func(f filter.Stored, n, present []uint64) (int, error) {
			return hashSet(f).InsertHashBatch(all(f, n), present)
		},
		func(f filter.Stored, n uint64) filter.Status {
			return hashDeleter(f).DeleteHash(hash(f, n))
		},
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return hashDeleter(f).DeleteHashBatch(all(f, n), status)
		},
		func(f filter.Stored, n, times uint64) error {
			return hashCounter(f).AddHash(hash(f, n), times)
		},
		func(f filter.Stored, n, times []uint64) (int, error) {
			return hashCounter(f).AddHashBatch(all(f, n), times)
		},
		func(f filter.Stored, n uint64) uint64 { return hashCounter(f).CountHash(hash(f, n)) },
		func(f filter.Stored, n, counts []uint64) {
			hashCounter(f).CountHashBatch(all(f, n), counts)
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
		func(f filter.Stored, n, times uint64) error { return asCounter(f).Add(bytesOf(n), times) },
		func(f filter.Stored, n, times []uint64) (int, error) {
			return asCounter(f).AddBatch(each(n, bytesOf), times)
		},
		func(f filter.Stored, n uint64) uint64 { return asCounter(f).Count(bytesOf(n)) },
		func(f filter.Stored, n, counts []uint64) {
			asCounter(f).CountBatch(each(n, bytesOf), counts)
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
		func(f filter.Stored, n uint64) filter.Status {
			return asDeleter(f).DeleteString(stringOf(n))
		},
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return asDeleter(f).DeleteStringBatch(each(n, stringOf), status)
		},
		func(f filter.Stored, n, times uint64) error {
			return asCounter(f).AddString(stringOf(n), times)
		},
		func(f filter.Stored, n, times []uint64) (int, error) {
			return asCounter(f).AddStringBatch(each(n, stringOf), times)
		},
		func(f filter.Stored, n uint64) uint64 { return asCounter(f).CountString(stringOf(n)) },
		func(f filter.Stored, n, counts []uint64) {
			asCounter(f).CountStringBatch(each(n, stringOf), counts)
		},
	},
	{
		"uint64",
		func(f filter.Stored, n uint64) bool { return asQuerier(f).QueryUint64(n) },
		func(f filter.Stored, n, present []uint64) int {
			return asQuerier(f).QueryUint64Batch(n, present)
		},
		func(f filter.Stored, n uint64) (bool, error) { return asSet(f).InsertUint64(n) },
		func(f filter.Stored, n, present []uint64) (int, error) {
			return asSet(f).InsertUint64Batch(n, present)
		},
		func(f filter.Stored, n uint64) filter.Status { return asDeleter(f).DeleteUint64(n) },
		func(f filter.Stored, n []uint64, status []filter.Status) int {
			return asDeleter(f).DeleteUint64Batch(n, status)
		},
		func(f filter.Stored, n, times uint64) error { return asCounter(f).AddUint64(n, times) },
		func(f filter.Stored, n, times []uint64) (int, error) {
			return asCounter(f).AddUint64Batch(n, times)
		},
		func(f filter.Stored, n uint64) uint64 { return asCounter(f).CountUint64(n) },
		func(f filter.Stored, n, counts []uint64) { asCounter(f).CountUint64Batch(n, counts) },
	},
}

// inserts are the ways to insert many keys by one call.
func inserts() map[string]func(f filter.Stored, n []uint64) (int, error) {
	ways := map[string]func(f filter.Stored, n []uint64) (int, error){
		"sequence of bytes": func(f filter.Stored, n []uint64) (int, error) {
			return asSet(f).InsertSeq(slices.Values(each(n, bytesOf)))
		},
		"sequence of strings": func(f filter.Stored, n []uint64) (int, error) {
			return asSet(f).InsertStringSeq(slices.Values(each(n, stringOf)))
		},
		"sequence of uint64s": func(f filter.Stored, n []uint64) (int, error) {
			return asSet(f).InsertUint64Seq(slices.Values(n))
		},
	}
	for i := range forms {
		insert := forms[i].insertBatch
		ways[forms[i].name] = func(f filter.Stored, n []uint64) (int, error) {
			return insert(f, n, nil)
		}
		ways[forms[i].name+" with answers"] = func(f filter.Stored, n []uint64) (int, error) {
			return insert(f, n, make([]uint64, filter.Words(len(n))))
		}
	}
	return ways
}
