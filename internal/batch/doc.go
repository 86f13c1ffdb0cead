// Package batch is no API: it is the keys of a batch, in the forms in which callers have them: of
// one width and one behind another, as slices or strings, or between offsets. A hash takes them one
// at a time, or the [Headers] of many for a call of assembly. Packages internal/pmac and filter/key
// stand on it.
//
// A hash has a loop over the calls of a batch, and makes them itself, because arguments of a call
// through a function variable escape to the heap.
package batch
