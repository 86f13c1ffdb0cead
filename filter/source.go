package filter

import (
	"bufio"
	"errors"
	"io"
	"iter"
)

// ErrEmptySource is the error of an operation that would replace the members of a filter by those
// of a source, which yielded none: it is more likely that the source could not list them than that
// all have left. Nothing changes. Fresh, Reset, or Clear of a kind that has it, make an empty
// filter.
var ErrEmptySource = errors.New("source of members: found 0 keys, expected at least 1: an empty " +
	"filter is made by Fresh, Reset or Clear")

// Infallible returns a source of members that yields keys and no error.
func Infallible[K any](keys iter.Seq[K]) iter.Seq2[K, error] {
	return func(yield func(K, error) bool) {
		for key := range keys {
			if !yield(key, nil) {
				return
			}
		}
	}
}

// Lines returns the source of the lines of a list, each a key of bytes, without "\n" or "\r\n" at its
// end. Empty lines are left out. A line that comes twice is a member twice. The memory of a key is
// reused for the next. A line of more than 64 KiB is an error that wraps [bufio.ErrTooLong].
func Lines(list io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(list)
		for lines.Scan() {
			if key := lines.Bytes(); len(key) > 0 && !yield(key, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Hashes returns the source of the hashes of keys. hash is Hash, HashString or HashUint64 of a
// filter. Errors of keys are passed on, with the hash 0.
func Hashes[K any](keys iter.Seq2[K, error], hash func(K) uint64) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for key, err := range keys {
			var h uint64
			if err == nil {
				h = hash(key)
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// InsertSeq inserts the keys of an iterator as one batch, and returns how many it inserted: see
// [Set]. On an error the iterator may have yielded some 500 keys more. It may reuse the memory of a
// key for the next one.
func (s *KeyedSet) InsertSeq(keys iter.Seq[[]byte]) (n int, err error) {
	return insertSeq(s, keys, s.hash)
}

// InsertStringSeq is InsertSeq for strings.
func (s *KeyedSet) InsertStringSeq(keys iter.Seq[string]) (n int, err error) {
	return insertSeq(s, keys, s.hashString)
}

// InsertUint64Seq is InsertSeq for uint64s.
func (s *KeyedSet) InsertUint64Seq(keys iter.Seq[uint64]) (n int, err error) {
	return insertSeq(s, keys, s.hashUint64)
}

func insertSeq[K any](s *KeyedSet, keys iter.Seq[K], hash func(K) uint64) (n int, err error) {
	if s.set == nil {
		return 0, ErrClosed
	}
	if _, err := s.set.InsertHashBatch(nil, nil); err != nil { // before an iterator begins
		return 0, err
	}
	buffer := buffers.Get().(*[chunk]uint64)
	defer buffers.Put(buffer)
	hashes := buffer[:0]
	batch := Batch(0)
	flush := func() bool {
		var inserted int
		batch, inserted, err = insertPart(s.set, batch, hashes, nil)
		n, hashes = n+inserted, hashes[:0]
		return err == nil
	}
	for key := range keys {
		hashes = append(hashes, hash(key))
		if len(hashes) == chunk && !flush() {
			return n, err
		}
	}
	flush()
	return n, err
}
