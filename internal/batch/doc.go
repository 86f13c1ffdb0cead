// Package batch is no API: it has the keys of a batch for package internal/pmac.
//
// Keys come in several forms (keys.go): of one width, one behind another, as slices or strings, or
// between offsets. Assembly takes keys of one width as they lie, and the others by their headers
// (headers.go), which say where a key begins and how long it is.
package batch
