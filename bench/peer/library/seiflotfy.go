package library

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	cuckoo "github.com/seiflotfy/cuckoofilter"
)

const (
	cuckooFingerprints = 255 // values of one; 0 is none
	cuckooSlots        = 2 * 4
	// cuckooLoad is how full buckets of 4 can be, by the literature. The library takes the capacity
	// asked for as the number of slots, rounded up to a power of two, and 2^20 members of as many slots
	// are too many: it says that it refuses 1.8 % of them, and has lost others in their place.
	cuckooLoad = 0.95
)

func init() {
	cuckoo.SetDefaultHasher(bytesAsHash{}) // which is for the whole process
}

func seiflotfy() peer.Peer {
	const module = "github.com/seiflotfy/cuckoofilter"
	takes := func(bits float64) float64 { return max(bits, 8/cuckooLoad) }
	capacity := func(members int, bits float64) int64 {
		return max(4, powerOfTwo(math.Floor(float64(members)*takes(bits)/8)))
	}
	return peer.Peer{
		Name: "seiflotfy-cuckoo", Module: module, Version: version(module),
		Note: "cuckoo.Filter: fingerprints of 8 bits in buckets of 4, a power of two of them, at most 95 % full; " +
			"Lookup, Insert and Delete a key; the key is the hash, by SetDefaultHasher",
		Prehashed: true, Deletes: true, Doubles: true,
		Bits: takes,
		Size: capacity,
		Begin: func(members int, bits float64) peer.Builder {
			slots := capacity(members, bits)
			return peer.Growing{Inserter: &cuckooFilter{filter: cuckoo.NewFilter(uint(slots)), slots: slots}}
		},
	}
}

var errFull = errors.New("cuckoofilter: full")

// bytesAsHash takes 8 bytes for the hash.
type bytesAsHash struct{}

func (bytesAsHash) Hash64(bytes []byte) uint64 { return binary.LittleEndian.Uint64(bytes) }

type cuckooFilter struct {
	filter *cuckoo.Filter
	slots  int64
	key    [8]byte // here, because it goes through an interface and would be allocated each time
}

func (f *cuckooFilter) query64(keys []uint64) (present uint64) {
	for i, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		present |= one(f.filter.Lookup(f.key[:])) << (i & 63)
	}
	return present
}

func (f *cuckooFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}
func (f *cuckooFilter) State() filter.State { return filter.State{Bytes: int(f.slots)} }

func (f *cuckooFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	for i, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		if !f.filter.Insert(f.key[:]) {
			return i, errFull
		}
	}
	return len(keys), nil
}

func (f *cuckooFilter) DeleteHashBatch(keys []uint64, _ []filter.Status) (deleted int) {
	for _, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		if f.filter.Delete(f.key[:]) {
			deleted++
		}
	}
	return deleted
}

// ExpectedRate is that of one fingerprint, for each that is in the two buckets of a non-member.
func (f *cuckooFilter) ExpectedRate(members int) float64 {
	compared := cuckooSlots * float64(members) / float64(f.slots)
	return -math.Expm1(compared * math.Log1p(-1.0/cuckooFingerprints))
}

// ExpectedDeletable is the share of members that are alone with their fingerprint in their buckets.
func (f *cuckooFilter) ExpectedDeletable(members int) float64 { return 1 - f.ExpectedRate(members-1) }
