// Package interrupt lets a test act in the middle of a call of a filter: after the call has loaded
// the table, say. It does so under the race detector only, so that other programs pay nothing.
package interrupt

// Loaded is what a test sets: it is called after each load of a filter's table, with the address of
// the handle in the filter. A test that sets it runs no other goroutine that uses a filter.
var Loaded func(handle uintptr)

// AfterLoad calls Loaded, unless it is nil. Call it only if the race detector is on.
func AfterLoad(handle uintptr) {
	if Loaded != nil {
		Loaded(handle)
	}
}
