package filter

import "iter"

// Infallible returns keys as a source that yields no error.
func Infallible[K any](keys iter.Seq[K]) iter.Seq2[K, error] {
	return func(yield func(K, error) bool) {
		for key := range keys {
			if !yield(key, nil) {
				return
			}
		}
	}
}

// Hashes returns the hashes of keys, by a filter's Hash or its siblings. An error comes with no
// key.
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
