// Package bloom has the bits of a Bloom filter of any size and k, in one block or in many. Several
// kinds of filters share it.
package bloom
