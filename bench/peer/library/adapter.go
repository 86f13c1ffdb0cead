package library

import (
	"errors"
	"math/bits"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
)

// The adapters hold functions over many keys, each a loop over the library's own calls: what a call of such
// a function costs is shared by the keys, and the compiler sees the library's methods.

// static is a filter of members that it was built of.
type static struct {
	query func(keys, hits []uint64) (present int)
	bytes int
	rate  func(members int) float64 // to expect
}

func (f static) QueryHashBatch(keys, hits []uint64) int   { return f.query(keys, hits) }
func (f static) State() filter.State                      { return filter.State{Bytes: f.bytes} }
func (f static) ExpectedRate(members int) (share float64) { return f.rate(members) }

// growing is a filter that takes members at any time.
type growing struct {
	static
	insert func(keys []uint64) (taken int)
}

// takingAll is the insert of a library that refuses none.
func takingAll(insert func(keys []uint64)) func(keys []uint64) int {
	return func(keys []uint64) int {
		insert(keys)
		return len(keys)
	}
}

// textbook is a Bloom filter of one array of bits, with k hash functions.
func textbook[N, K uint | uint64 | int](
	query64 func(keys []uint64) uint64, insert func(keys []uint64), bytes int, bits N, k K,
) growing {
	return growing{static{scan(query64), bytes, textbookRate(float64(bits), float64(k))}, takingAll(insert)}
}

var errRefused = errors.New("library: a key was refused")

func (f growing) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	if n = f.insert(keys); n < len(keys) {
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
func (f deleting) ExpectedDeletable(members int) (share float64)        { return f.deletable(members) }

// builder makes a static filter.
type builder struct {
	insert func(keys []uint64)
	finish func() (static, error)
}

func (b builder) Finish() (peer.Filter, error) { return b.finish() }
func (b builder) Insert(keys []uint64) (refused int) {
	b.insert(keys)
	return 0
}

// scan is the query of a library that answers key by key, given one of 64 keys at most, whose answers are the
// bits of a word.
func scan(query64 func(keys []uint64) uint64) func(keys, hits []uint64) int {
	return func(keys, hits []uint64) (present int) {
		for i := 0; i < len(keys); i += 64 {
			word := query64(keys[i:min(i+64, len(keys))])
			present += bits.OnesCount64(word)
			if hits != nil {
				hits[i/64] = word
			}
		}
		return present
	}
}
