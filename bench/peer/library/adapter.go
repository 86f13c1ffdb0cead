package library

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
)

// The adapters hold functions over many keys, each a loop over the library's own calls: what a call
// of such a function costs is shared by the keys, and the compiler sees the library's methods.

// static is a filter of members that it was built of.
type static struct {
	query func(keys, present []uint64) (count int)
	bytes int
	rate  func(members int) float64 // to expect
	keyed keyed
}

// keyed is what a library does with keys of bytes: its own calls, or where it takes hashes, loops
// that hash a key and use it before the next, as programs do that have one key at a time. Only the
// calls of a library that take many hashes get those of a chunk of keys, by sum.
type keyed struct {
	sum    func(keys [][]byte, hashes []uint64)
	query  func(keys [][]byte) (present uint64) // of 64 keys at most, as in scan
	insert func(keys [][]byte) (taken int)
	remove func(keys [][]byte) (deleted int)
}

// chunk is the number of keys that are hashed at a time: their hashes stay in the first-level
// cache.
const chunk = 512

// hashed calls do with the hashes of keys, some at a time, until it has taken less of them, and
// returns how many it took; start is a multiple of 64.
func (k keyed) hashed(keys [][]byte, do func(hashes []uint64, start int) (taken int)) (taken int) {
	hashes := make([]uint64, min(chunk, len(keys)))
	for start := 0; start < len(keys); start += chunk {
		hashes := hashes[:min(chunk, len(keys)-start)]
		k.sum(keys[start:start+len(hashes)], hashes)
		n := do(hashes, start)
		if taken += n; n < len(hashes) {
			break
		}
	}
	return taken
}

func (f static) QueryBatch(keys [][]byte, present []uint64) (count int) {
	if f.keyed.query != nil {
		return scan(f.keyed.query)(keys, present)
	}
	f.keyed.hashed(keys, func(hashes []uint64, start int) int {
		var part []uint64
		if present != nil {
			part = present[start/64:]
		}
		count += f.query(hashes, part)
		return len(hashes)
	})
	return count
}

func (f static) QueryHashBatch(keys, present []uint64) int { return f.query(keys, present) }
func (f static) State() filter.State                       { return filter.State{Bytes: f.bytes} }
func (f static) ExpectedRate(members int) (share float64)  { return f.rate(members) }

// growing is a filter that takes members at any time.
type growing struct {
	static
	insert func(keys []uint64) (taken int)
}

// takingAll is the insert of a library that refuses none.
func takingAll[K any](insert func(keys []K)) func(keys []K) int {
	return func(keys []K) int {
		insert(keys)
		return len(keys)
	}
}

// textbook is a Bloom filter of one array of bits, with k hash functions.
func textbook[N, K uint | uint64 | int](
	query64 func(keys []uint64) uint64,
	insert func(keys []uint64),
	bytes int,
	bits N,
	k K,
	of keyed,
) growing {
	return growing{static{scan(query64), bytes, textbookRate(float64(bits), float64(k)), of},
		takingAll(insert)}
}

var errRefused = errors.New("library: a key was refused")

func (f growing) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	return refused(f.insert(keys), len(keys))
}

func (f growing) InsertBatch(keys [][]byte, _ []uint64) (n int, err error) {
	if f.keyed.insert != nil {
		return refused(f.keyed.insert(keys), len(keys))
	}
	return refused(f.keyed.hashed(keys,
		func(hashes []uint64, _ int) int { return f.insert(hashes) }), len(keys))
}

// refused is the error of a filter that took n of the given number of keys.
func refused(n, keys int) (int, error) {
	if n < keys {
		return n, errRefused
	}
	return n, nil
}

// deleting is one that gives them up, too.
type deleting struct {
	growing
	remove    func(keys []uint64) (deleted int)
	deletable func(members int) float64 // the share of members to expect
}

func (f deleting) DeleteHashBatch(keys []uint64, _ []filter.Status) int { return f.remove(keys) }
func (f deleting) DeleteBatch(keys [][]byte, _ []filter.Status) int {
	return f.keyed.remove(keys)
}
func (f deleting) ExpectedDeletable(members int) (share float64) {
	return f.deletable(members)
}

// keyFilter is a library's filter of keys of bytes.
type keyFilter interface {
	Lookup(key []byte) bool
	Insert(key []byte) (taken bool)
}

// keyDeleter is one that gives them up, too.
type keyDeleter interface {
	keyFilter
	Delete(key []byte) bool
}

// ofKeys returns a library's filter of keys of bytes, which hashes are the keys of 8 bytes of.
func ofKeys(f keyFilter, bytes int, rate func(members int) float64) growing {
	var key8 [8]byte // here, because it goes through an interface and would be allocated each time
	query := func(keys []uint64) (present uint64) {
		for i, key := range keys {
			binary.LittleEndian.PutUint64(key8[:], key)
			present |= peer.One(f.Lookup(key8[:])) << (i & 63)
		}
		return present
	}
	insert := func(keys []uint64) int {
		for i, key := range keys {
			binary.LittleEndian.PutUint64(key8[:], key)
			if !f.Insert(key8[:]) {
				return i
			}
		}
		return len(keys)
	}
	ofBytes := keyed{
		query: func(keys [][]byte) (present uint64) {
			for i, key := range keys {
				present |= peer.One(f.Lookup(key)) << (i & 63)
			}
			return present
		},
		insert: func(keys [][]byte) int {
			for i, key := range keys {
				if !f.Insert(key) {
					return i
				}
			}
			return len(keys)
		},
	}
	return growing{static{scan(query), bytes, rate, ofBytes}, insert}
}

// ofKeyDeleter is ofKeys of a filter that gives keys up.
func ofKeyDeleter(f keyDeleter, bytes int, rate, deletable func(members int) float64) deleting {
	g := ofKeys(f, bytes, rate)
	var key8 [8]byte
	remove := func(keys []uint64) (deleted int) {
		for _, key := range keys {
			binary.LittleEndian.PutUint64(key8[:], key)
			deleted += int(peer.One(f.Delete(key8[:])))
		}
		return deleted
	}
	g.keyed.remove = func(keys [][]byte) (deleted int) {
		for _, key := range keys {
			deleted += int(peer.One(f.Delete(key)))
		}
		return deleted
	}
	return deleting{g, remove, deletable}
}

// builder makes a static filter.
type builder struct {
	insert      func(keys []uint64)
	insertBytes func(keys [][]byte)
	finish      func() (static, error)
}

func (b builder) Finish() (peer.Filter, error) { return b.finish() }
func (b builder) Insert(keys []uint64) (refused int) {
	b.insert(keys)
	return 0
}
func (b builder) InsertBytes(keys [][]byte) (refused int) {
	b.insertBytes(keys)
	return 0
}

// scan is the query of a library that answers key by key, given one of 64 keys at most, whose
// answers are the bits of a word.
func scan[K any](query64 func(keys []K) uint64) func(keys []K, present []uint64) int {
	return func(keys []K, present []uint64) (count int) {
		for i := 0; i < len(keys); i += 64 {
			word := query64(keys[i:min(i+64, len(keys))])
			count += bits.OnesCount64(word)
			if present != nil {
				present[i/64] = word
			}
		}
		return count
	}
}
