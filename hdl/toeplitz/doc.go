// Package toeplitz is the hash function of the hardware's table engine
// (hdl/rtl/bloomlane_toeplitz.v), bit for bit: the Toeplitz hash of receive-side scaling (RSS),
// extended to 64 bits. Use it to compute in software where a field lies in the table of the
// hardware.
//
//	k, err := toeplitz.New(key)  // 9 to 48 bytes
//	h := k.Hash(field)           // up to 8 bytes shorter than the key
//
// Bit n of the field, counted from the most significant bit of its first byte, selects the 64 bits
// of the key from bit n on. The hash is the XOR of the selected bits. Its upper 32 bits are the
// hash that RSS defines for the same key.
//
// # No protection against an adversary
//
// The hash is linear: Hash(a XOR b) = Hash(a) XOR Hash(b) for fields of one length. Someone who
// learns a few hashes, or who sees only outcomes that depend on them, such as which keys collide or
// which queries are false positives, can compute more hashes, and fields that collide, under any
// key. Use it only for fields that no adversary chooses. Otherwise use SipHash-1-3, which
// the table has too, and a key of key.SipHash13 of package filter/key.
//
// Sources: Hugo Krawczyk, "LFSR-based Hashing and Authentication", CRYPTO 1994; Microsoft, "RSS
// Hashing Functions" and "Verifying the RSS Hash Calculation", for the order of bits and the test
// suite.
package toeplitz
