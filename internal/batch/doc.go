// Package batch is no API: it is what the hashes of many keys at once have in common. Packages
// internal/highway and internal/siphash stand on it.
//
// Keys come in several forms (keys.go): of one width, one behind another, as slices or strings, or
// between offsets. A batch of them is cut into calls of assembly, each of which takes some
// microseconds: [Groups] are those for keys of one width, and [Calls] those for keys of any
// lengths.
//
// # Mixed lengths
//
// A hash takes a key in parts: packets of 32 bytes, or words of 8. Keys are sorted by the number of
// their whole parts, 512 at a time, and hashed in this order. So the keys of one call take the same
// path, and few branches depend on the length of one key. The assembly reads whole parts, and some
// bytes before the end of a key: a key that is shorter than these is copied to a place where they
// can be read, so that nothing beside the key is read. Long keys are hashed one at a time.
//
// A hash has a loop over the calls of a batch, and makes them itself, because arguments of a call
// through a function variable escape to the heap.
package batch
