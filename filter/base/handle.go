package base

import (
	"sync/atomic"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/internal/interrupt"
)

// Handle holds the table of a filter until the filter is closed. A call that runs at that moment
// goes on with the table that it loaded: the table stays in memory, or mapped, as long as a call
// keeps it alive. No call waits or takes a lock.
type Handle[T any] struct{ pointer atomic.Pointer[T] }

// Set stores t as the table.
func (h *Handle[T]) Set(t *T) { h.pointer.Store(t) }

// Swap replaces the table t by other, unless the filter has been closed since t was loaded.
func (h *Handle[T]) Swap(t, other *T) { h.pointer.CompareAndSwap(t, other) }

// Load returns the table, or nil if the filter is closed or is a zero value.
func (h *Handle[T]) Load() *T {
	if fallback.Race {
		defer h.loaded()
	}
	return h.pointer.Load()
}

// loaded lets a test close the filter now, under the race detector.
func (h *Handle[T]) loaded() { interrupt.AfterLoad(uintptr(unsafe.Pointer(h))) }

// Closed reports whether there is no table.
func (h *Handle[T]) Closed() bool {
	if fallback.Race {
		defer h.loaded()
	}
	return h.pointer.Load() == nil
}

// Table returns the table. It panics with [filter.ErrClosed] if there is none.
func (h *Handle[T]) Table() *T {
	t := h.pointer.Load()
	if fallback.Race {
		h.loaded()
	}
	if t == nil {
		panicClosed()
	}
	return t
}

// Close removes the table. It returns [filter.ErrClosed] if there is none.
func (h *Handle[T]) Close() error {
	if h.pointer.Swap(nil) == nil {
		return filter.ErrClosed
	}
	return nil
}

// panicClosed is a function of its own so that Table is small enough to be inlined.
func panicClosed() { panic(filter.ErrClosed) }

// RecoverClosed makes an error of a panic with [filter.ErrClosed]. A function that returns an error
// defers it, if it calls methods that panic, of a filter that may be closed meanwhile.
func RecoverClosed(err *error) {
	if found := recover(); found == filter.ErrClosed {
		*err = filter.ErrClosed
	} else if found != nil {
		panic(found)
	}
}
