// Package toeplitz is the Toeplitz hash of receive-side scaling (RSS) with a window of 64 bits: the
// hash of the hardware's table engine (hdl/rtl/bloomlane_toeplitz.v), bit for bit.
//
// Bit n of the field, counted from the most significant bit of its first byte, selects the 64 bits
// of the key from bit n on, and the hash is the XOR of what is selected. Its upper 32 bits are the
// hash that RSS defines for the same key.
//
// # No protection against an adversary
//
// The hash is linear: Hash(a XOR b) = Hash(a) XOR Hash(b) for fields of one length. Whoever learns
// a few hashes, or only sees outcomes that depend on them (which keys collide, which queries are
// false positives), can solve for more of them and make keys that collide, whatever the key is.
// Keep it to fields that nobody chooses against you, and where that matters use the keyed
// HighwayHash that package deletable has.
//
// # Sources
//
// Hugo Krawczyk, "LFSR-based Hashing and Authentication", CRYPTO 1994; Microsoft, "RSS Hashing
// Functions" and "Verifying the RSS Hash Calculation", for the order of the bits and the test
// suite.
package toeplitz
