// Package key has the secret keys under which filters hash their keys, and their hash functions:
// AES-PMAC, SipHash-1-3 and HighwayHash-64. Use it to choose the hash key of a filter, to keep it
// in a file of its own, or to hash keys for the operations that take hashes.
//
//	k := key.New()                // a random key, of AES-PMAC
//	k := key.SipHash13.New()      // for packet programs, FPGAs and CPUs without AES instructions
//	h := k.Hash(data)             // for InsertHash, QueryHash and DeleteHash of a filter
//	err := key.WriteFile(path, k) // keep this secret: the file of a filter does not hold its key
//	k, err := key.ReadFile(path)
//
// Under a secret key, other people cannot compute keys that collide, so the filter has its planned
// rate for fresh keys that they choose. They can replay false positives that they found by asking:
// docs/keyed-hashing.md has the attacks, and what holds. Filters that are merged need the same
// [Key], and so does a filter that is opened from its file.
//
// docs/decisions/hash.md compares the functions and has what is known of them. Do not use a hash to
// authenticate a message, nor a key for anything else than hashes.
//
// A [Key] may be copied, and any number of goroutines may use it at the same time.
//
// # Batches
//
// Under AES-PMAC a batch hashes several keys at once, which is faster than one call per key. The
// operations of filters on batches of keys do it by themselves. Keys of 8 and 16 bytes are the
// fastest, in [Key.HashUint64Batch] and [Key.HashFixedBatch]. A key has the same hash in every
// form, alone or in a batch.
//
// Batches do not allocate, except that a buffer may be allocated again after a garbage collection.
// They do not delay garbage collections, however long they are. The hashes must not be stored in
// the memory of the keys: results are undefined then.
//
// # Packing a flow's 5-tuple
//
// The addresses, the ports and the protocol of a flow make a key of 16 or 40 bytes, with the fields
// in network order, as they are in the packet:
//
//	IPv4, 16 bytes   source 0-3, destination 4-7, source port 8-9, destination port 10-11, protocol 12, zeros 13-15
//	IPv6, 40 bytes   source 0-15, destination 16-31, source port 32-33, destination port 34-35, protocol 36, zeros 37-39
//
// In a batch a key of 13 bytes, without the zeros, would take longer. One filter can have keys of
// both forms, since keys of different lengths are different keys.
package key
