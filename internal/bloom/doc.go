// Package bloom is the bits of a Bloom filter of any size and k, in one block or in many: what the
// kinds of filters that keep nothing else have in common.
package bloom
