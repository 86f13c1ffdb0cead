package main

import (
	"math/bits"
	"math/rand/v2"
)

// cuckoo16 is a cuckoo filter with fingerprints of 16 bits, four in a bucket (Fan, Andersen, Kaminsky and
// Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom", CoNEXT 2014, sections 3 and 4), because no library's
// could be had. It is the plain algorithm: what it says of rates and memory holds for any, its time for itself.
type cuckoo16 struct {
	buckets [][4]uint16 // 0 is no fingerprint
	kicks   rand.PCG    // says which fingerprint has to go
}

// maxKicks is when an insert gives up, as in the paper.
const maxKicks = 500

// newCuckoo16 returns the largest filter of at most so many bytes: the number of buckets is a power of two,
// so that a fingerprint's two buckets lead to each other.
func newCuckoo16(most int) *cuckoo16 {
	return &cuckoo16{buckets: make([][4]uint16, 1<<(bits.Len(uint(most/8))-1))}
}

// place returns the fingerprint of a hash and the first of its buckets.
func (f *cuckoo16) place(hash uint64) (fingerprint uint16, bucket uint64) {
	return max(1, uint16(hash>>48)), hash & uint64(len(f.buckets)-1)
}

// other returns the bucket besides this one in which a fingerprint may be (partial-key hashing, section 3.1).
func (f *cuckoo16) other(fingerprint uint16, bucket uint64) uint64 {
	const odd = 0x9E3779B97F4A7C15
	return (bucket ^ uint64(fingerprint)*odd>>32) & uint64(len(f.buckets)-1)
}

func (f *cuckoo16) Bytes() int64 { return int64(8 * len(f.buckets)) }

// swap puts a fingerprint where another is, and reports whether that is in the bucket.
func (f *cuckoo16) swap(bucket uint64, old, new uint16) bool {
	for i, found := range f.buckets[bucket] {
		if found == old {
			f.buckets[bucket][i] = new
			return true
		}
	}
	return false
}

func (f *cuckoo16) insert(hash uint64) bool {
	fingerprint, bucket := f.place(hash)
	if f.swap(bucket, 0, fingerprint) {
		return true
	}
	var path [maxKicks]struct {
		bucket uint64
		slot   int
	}
	for n := range path {
		bucket = f.other(fingerprint, bucket)
		if f.swap(bucket, 0, fingerprint) {
			return true
		}
		slot := int(f.kicks.Uint64() % 4)
		path[n].bucket, path[n].slot = bucket, slot
		fingerprint, f.buckets[bucket][slot] = f.buckets[bucket][slot], fingerprint
	}
	for n := maxKicks - 1; n >= 0; n-- { // what is refused must not cost a member its place
		at := &f.buckets[path[n].bucket][path[n].slot]
		fingerprint, *at = *at, fingerprint
	}
	return false
}

func (f *cuckoo16) Insert(keys []uint64) (refused int) {
	for _, hash := range keys {
		if !f.insert(hash) {
			refused++
		}
	}
	return refused
}

func (f *cuckoo16) Query(keys, hits []uint64) (present int) {
	clear(hits)
	for i, hash := range keys {
		fingerprint, bucket := f.place(hash)
		second := f.other(fingerprint, bucket)
		if a, b := &f.buckets[bucket], &f.buckets[second]; a[0] == fingerprint || a[1] == fingerprint || a[2] == fingerprint || a[3] == fingerprint ||
			b[0] == fingerprint || b[1] == fingerprint || b[2] == fingerprint || b[3] == fingerprint {
			present++
			if hits != nil {
				hits[i/64] |= 1 << (i % 64)
			}
		}
	}
	return present
}

func (f *cuckoo16) Delete(keys []uint64) (deleted int) {
	for _, hash := range keys {
		fingerprint, bucket := f.place(hash)
		if f.swap(bucket, fingerprint, 0) || f.swap(f.other(fingerprint, bucket), fingerprint, 0) {
			deleted++
		}
	}
	return deleted
}
