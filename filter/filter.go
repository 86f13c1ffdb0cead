// Package filter has what the filters of this project have in common.
//
// # Life cycle
//
// A filter is made by its package (New, Open and their like) and ends with its Close, if it has one. Of a
// filter that is closed, and of the zero value, which was never made, every method that returns an error
// returns one that wraps [ErrClosed], and every other method panics with it, but for the statistics,
// which are zero. No file is touched.
//
// # Sources of members
//
// A filter that is built again takes its members from an iter.Seq2 of keys and errors. An error ends the
// source: no filter comes of it, and the old one stays as it was. [Infallible] makes such a source of an
// iterator that cannot fail.
package filter

import (
	"iter"
	"os"
)

// ErrClosed is the error of a filter that is closed, or was never made. It wraps [os.ErrClosed].
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string { return "filter: closed, or never made" }
func (closedError) Unwrap() error { return os.ErrClosed } // whose text speaks of a file

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
