package base

import (
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/filter/key"
)

// Life is the life of a filter of a T, and the identity of its key. A kind whose memory is more
// than one table of words embeds it where others embed a [Body].
type Life[T any] struct {
	table Handle[T]
	kind  string
	key   key.Identity // apart from the key because a file is looked at without it
}

// Begin makes t the table of a filter of a kind, by its name. A filter may begin again.
func Begin[T any](l *Life[T], kind string, t *T, k key.Identity) {
	l.kind, l.key = kind, k
	l.table.Set(t)
}

// Held returns the table of a filter, or nil if it is closed. Code that uses words of a file calls
// [runtime.KeepAlive] with the table after that.
func Held[T any](l *Life[T]) *T { return l.table.Load() }

// Require is [Held], but panics with [filter.ErrClosed] if the filter is closed.
func Require[T any](l *Life[T]) *T { return l.table.Table() }

// Replace replaces the table t by other, unless the filter has been closed since t was loaded.
func Replace[T any](l *Life[T], t, other *T) { l.table.Swap(t, other) }

// Identity returns that of the key of a filter.
func Identity[T any](l *Life[T]) key.Identity { return l.key }

// Close ends the filter. It does not wait: calls that already run finish on the table that they
// have. A later call returns [filter.ErrClosed], or panics with it where it returns no error. A
// second Close returns it too. Package filter lists the exceptions, under Life cycle.
func (l *Life[T]) Close() error { return l.table.Close() }

// Closed reports whether the filter is closed, or was never made.
func (l *Life[T]) Closed() bool { return l.table.Closed() }

// String returns the size of the filter and the identity of its key. It never prints the key or
// the table.
func (l *Life[T]) String() string {
	t := l.table.Load()
	if t == nil {
		return "filter, closed"
	}
	return fmt.Sprintf("%s filter of %v, %v", l.kind, t, l.key)
}

// Format prints String for every verb, so that a log gets one line and not the table.
func (l *Life[T]) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, l.String()) }
