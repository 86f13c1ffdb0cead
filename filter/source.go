package filter

import "iter"

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
