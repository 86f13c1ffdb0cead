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
