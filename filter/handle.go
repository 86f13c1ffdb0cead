package filter

import "sync/atomic"

// Handle holds the table of a filter until that is closed. Calls that run then go on with the table
// that they have: it stays in memory, or mapped, as long as one of them keeps it alive, and no call
// waits or takes a lock.
type Handle[T any] struct{ pointer atomic.Pointer[T] }

// Set makes t the table.
func (h *Handle[T]) Set(t *T) { h.pointer.Store(t) }

// Swap makes another table the one in place of t, unless the filter was closed meanwhile.
func (h *Handle[T]) Swap(t, other *T) { h.pointer.CompareAndSwap(t, other) }

// Load returns the table, or nil where the filter is closed, or was never made.
func (h *Handle[T]) Load() *T { return h.pointer.Load() }

// Closed reports whether there is no table.
func (h *Handle[T]) Closed() bool { return h.pointer.Load() == nil }

// Table returns the table. It panics with [ErrClosed] where there is none.
func (h *Handle[T]) Table() *T {
	t := h.pointer.Load()
	if t == nil {
		panicClosed()
	}
	return t
}

// Close takes the table away. It returns [ErrClosed] where there is none.
func (h *Handle[T]) Close() error {
	if h.pointer.Swap(nil) == nil {
		return ErrClosed
	}
	return nil
}
