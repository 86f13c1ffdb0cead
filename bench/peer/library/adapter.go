package library

import (
	"encoding/binary"
	"errors"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
)

// The adapters hold functions over many keys, each a loop over the library's own calls with a count
// of its own, as a program has it: what a call of such a function costs is shared by the keys, and
// the compiler sees the library's methods.

// static is a filter of members that it was built of.
type static struct {
	query func(keys []uint64) (count int)
	bytes int
	rate  func(members int) float64 // to expect
	keyed keyed
}

// keyed is what a library does with keys of bytes: its own calls, or where it takes hashes, loops
// that hash a key and use it before the next, as programs do that have one key at a time. Only the
// calls of a library that take many hashes get those of a chunk of keys, by xxhashes.
type keyed struct {
	query   func(keys [][]byte) (count int)
	strings func(keys []string) (count int)
	insert  func(keys [][]byte) (taken int)
	remove  func(keys [][]byte) (deleted int)
}

// chunk is the number of keys that are hashed at a time: their hashes stay in the first-level
// cache.
const chunk = 512

// hashed calls do with the hashes of keys, some at a time, until it has taken less of them, and
// returns how many it took.
func hashed(keys [][]byte, do func(hashes []uint64) (taken int)) (taken int) {
	hashes := make([]uint64, min(chunk, len(keys)))
	for start := 0; start < len(keys); start += chunk {
		hashes := hashes[:min(chunk, len(keys)-start)]
		xxhashes(keys[start:start+len(hashes)], hashes)
		n := do(hashes)
		if taken += n; n < len(hashes) {
			break
		}
	}
	return taken
}

func (f static) QueryBatch(keys [][]byte, present []uint64) int {
	return peer.Answer(f.keyed.query, keys, present)
}

func (f static) Strings() func(keys []string) int { return f.keyed.strings }
func (f static) QueryHashBatch(keys, present []uint64) int {
	return peer.Answer(f.query, keys, present)
}
func (f static) State() filter.State                      { return filter.State{Bytes: f.bytes} }
func (f static) ExpectedRate(members int) (share float64) { return f.rate(members) }

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
	query func(keys []uint64) (count int),
	insert func(keys []uint64),
	bytes int,
	bits N,
	k K,
	of keyed,
) growing {
	return growing{static{query, bytes, textbookRate(float64(bits), float64(k)), of},
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
	return refused(hashed(keys, f.insert), len(keys))
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
	query := func(keys []uint64) (count int) {
		for _, key := range keys {
			binary.LittleEndian.PutUint64(key8[:], key)
			count += peer.One(f.Lookup(key8[:]))
		}
		return count
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
		query: func(keys [][]byte) (count int) {
			for _, key := range keys {
				count += peer.One(f.Lookup(key))
			}
			return count
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
	return growing{static{query, bytes, rate, ofBytes}, insert}
}

// ofKeyDeleter is ofKeys of a filter that gives keys up.
func ofKeyDeleter(f keyDeleter, bytes int, rate, deletable func(members int) float64) deleting {
	g := ofKeys(f, bytes, rate)
	var key8 [8]byte
	remove := func(keys []uint64) (deleted int) {
		for _, key := range keys {
			binary.LittleEndian.PutUint64(key8[:], key)
			deleted += peer.One(f.Delete(key8[:]))
		}
		return deleted
	}
	g.keyed.remove = func(keys [][]byte) (deleted int) {
		for _, key := range keys {
			deleted += peer.One(f.Delete(key))
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
