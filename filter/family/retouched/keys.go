package retouched

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
)

// AbsentError says that the filter does not find some members of a source. They are no members, or
// their hashes were made with another key.
type AbsentError struct {
	Source      string
	Absent, All int
}

func (e *AbsentError) Error() string {
	return fmt.Sprintf("filter: retouch: found %d of %d %s absent, expected none", e.Absent,
		e.All, e.Source)
}

// TooManyError says that there are more bits of keys than New can number.
type TooManyError struct{ Most int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("filter: retouch: found more bits of keys than expected: %d", e.Most)
}

// most is the largest number of bits of keys: they are numbered in 32 bits.
const most = math.MaxUint32

// index numbers the bits that may be cleared, in ascending order, so that memory is needed only for
// these bits.
type index struct {
	marks []uint64 // the bits
	ranks []uint32 // of the first bit of each word
	count int
	most  uint64 // of keys
}

func (x *index) mark(position uint64) { x.marks[position/64] |= 1 << (position % 64) }

// number numbers the bits that are marked.
func (x *index) number() error {
	x.ranks = make([]uint32, len(x.marks))
	sum := uint64(0)
	for i, word := range x.marks {
		x.ranks[i] = uint32(sum)
		if sum += uint64(bits.OnesCount64(word)); sum > x.most {
			return &TooManyError{int(min(x.most, math.MaxInt))}
		}
	}
	x.count = int(sum)
	return nil
}

// id returns the number of a bit.
func (x *index) id(position uint64) (id uint32, marked bool) {
	word, bit := x.marks[position/64], uint64(1)<<(position%64)
	return x.ranks[position/64] + uint32(bits.OnesCount64(word&(bit-1))), word&bit != 0
}

// positions returns the bits by their numbers.
func (x *index) positions() []uint64 {
	all := make([]uint64, 0, x.count)
	for i, word := range x.marks {
		for ; word != 0; word &= word - 1 {
			all = append(all, uint64(64*i+bits.TrailingZeros64(word)))
		}
	}
	return all
}

// keys are the members that can be lost, or the troublesome keys. It has the paper's vector
// ElementList: for each bit the keys that have it.
type keys struct {
	hashes []uint64
	ends   []uint32 // of a key's part of ids
	ids    []uint32 // the numbers of their bits, in the order of their hash functions
	starts []uint32 // of a bit's part of lists
	lists  []uint32 // keys; a key that has a bit twice is there twice, side by side
	// for each bit, how many keys have it: all, or only those that are not gone (see clear)
	counts []uint32
	gone   []bool
}

// add adds a key, if it has a marked bit.
func (k *keys) add(hash uint64, positions []uint64, x *index) error {
	before := len(k.ids)
	if before+len(positions) > cap(k.ids) { // append would copy long lists more often
		k.ids = slices.Grow(k.ids, before+len(positions))
		k.hashes, k.ends = slices.Grow(k.hashes, len(k.hashes)), slices.Grow(k.ends, len(k.ends))
	}
	for _, position := range positions {
		if id, marked := x.id(position); marked {
			k.ids = append(k.ids, id)
		}
	}
	if len(k.ids) == before {
		return nil
	}
	if uint64(len(k.ids)) > x.most {
		return &TooManyError{int(min(x.most, math.MaxInt))}
	}
	k.hashes, k.ends = append(k.hashes, hash), append(k.ends, uint32(len(k.ids)))
	return nil
}

// list makes the lists, after all keys were added.
func (k *keys) list(count int) {
	k.counts, k.starts = make([]uint32, count), make([]uint32, count+1)
	for _, id := range k.ids {
		k.counts[id]++
	}
	for id, n := range k.counts {
		k.starts[id+1] = k.starts[id] + n
	}
	k.lists = make([]uint32, len(k.ids))
	next := append([]uint32(nil), k.starts[:count]...)
	for i := range k.hashes {
		for _, id := range k.bitsOf(i) {
			k.lists[next[id]] = uint32(i)
			next[id]++
		}
	}
	k.gone = make([]bool, len(k.hashes))
}

// bitsOf returns the numbers of the bits of a key.
func (k *keys) bitsOf(i int) []uint32 {
	start := uint32(0)
	if i > 0 {
		start = k.ends[i-1]
	}
	return k.ids[start:k.ends[i]]
}

// users returns the keys that have a bit.
func (k *keys) users(id uint32) []uint32 { return k.lists[k.starts[id]:k.starts[id+1]] }

// clear removes the keys that have a bit, and returns how many of the first keys are among them. If
// follow is true, the counts no longer have them.
func (k *keys) clear(id uint32, first int, follow bool) (n int) {
	for _, i := range k.users(id) {
		if k.gone[i] {
			continue
		}
		k.gone[i] = true
		if int(i) < first {
			n++
		}
		if follow {
			for _, other := range k.bitsOf(int(i)) {
				k.counts[other]--
			}
		}
	}
	return n
}

// cost returns how many keys the clearing of a bit would remove.
func (k *keys) cost(id uint32) (n int) {
	list := k.users(id)
	for j, i := range list {
		if !k.gone[i] && (j == 0 || list[j-1] != i) {
			n++
		}
	}
	return n
}

// chunk is the number of hashes that are read from a source before the filter is queried for them.
const chunk = 4096

// present calls take with the hashes of a source that are present in a filter, and returns how many
// are present and how many are not.
func present(
	q filter.Querier,
	name string,
	source iter.Seq2[uint64, error],
	take func(hash uint64) error,
) (found, absent int, err error) {
	if source == nil {
		return 0, 0, nil
	}
	hashes, answers := make([]uint64, 0, chunk), make([]uint64, chunk/64)
	ask := func() error {
		n := q.QueryHashBatch(hashes, answers)
		found, absent = found+n, absent+len(hashes)-n
		for i, hash := range hashes {
			if filter.At(answers, i) {
				if err := take(hash); err != nil {
					return err
				}
			}
		}
		hashes = hashes[:0]
		return nil
	}
	for hash, err := range source {
		if err != nil {
			return 0, 0, fmt.Errorf("filter: retouch: source of %s: %w", name, err)
		}
		if hashes = append(hashes, hash); len(hashes) == chunk {
			if err := ask(); err != nil {
				return 0, 0, err
			}
		}
	}
	err = ask()
	return found, absent, err
}

// members is present for a source of members, all of which must be present.
func members(
	q filter.Querier,
	name string,
	source iter.Seq2[uint64, error],
	take func(hash uint64) error,
) (all int, err error) {
	found, absent, err := present(q, name, source, take)
	if err == nil && absent > 0 {
		err = &AbsentError{name, absent, found + absent}
	}
	return found, err
}
