// Package library is no API: it has the filters of other Go libraries, each in a file of its own.
//
// A library that takes hashes gets a key as it is, also where a hash
// function of one's own must be set for that; any other gets its 8 bytes, the least significant
// first, and hashes them. Each library is used through its quickest calls, and with the number of
// hash functions that its own constructor chooses for the bits per key asked for.
//
// A key of bytes, which has not 8 of them, goes to the library's own call for keys, and is hashed
// by its default; where there is none, to the hash that it uses or names, and by xxHash64 where it
// leaves that to its users.
//
// An adapter hides nothing: what a library refuses, loses or calls deleted is what it reports.
package library
