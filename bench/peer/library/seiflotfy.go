package library

import (
	"encoding/binary"
	"math"

	"github.com/dgryski/go-metro"
	cuckoo "github.com/seiflotfy/cuckoofilter"

	"github.com/bloomlane/bloomlane/bench/peer"
)

const (
	metroSeed          = 1337
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
	takes := func(bits float64) float64 { return max(bits, 8/cuckooLoad) }
	capacity := func(members int, bits float64) int64 {
		return max(4, powerOfTwo(math.Floor(float64(members)*takes(bits)/8)))
	}
	return peer.Peer{
		Name: "seiflotfy-cuckoo", Module: "github.com/seiflotfy/cuckoofilter",
		Note: "cuckoo.Filter: fingerprints of 8 bits in buckets of 4, a power of two of them, at most 95 % full; " +
			"Lookup, Insert and Delete a key; the key is the hash, by SetDefaultHasher",
		Prehashed: true, Deletes: true, Doubles: true, Hash: "MetroHash",
		Bits: takes,
		Size: capacity,
		Begin: func(members int, bits float64) peer.Builder {
			slots := int(capacity(members, bits))
			filter := cuckoo.NewFilter(uint(slots))
			var bytes [8]byte // here, because it goes through an interface and would be allocated each time
			query := func(keys []uint64) (present uint64) {
				for i, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					present |= one(filter.Lookup(bytes[:])) << (i & 63)
				}
				return present
			}
			insert := func(keys []uint64) int {
				for i, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					if !filter.Insert(bytes[:]) {
						return i
					}
				}
				return len(keys)
			}
			remove := func(keys []uint64) (deleted int) {
				for _, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					deleted += int(one(filter.Delete(bytes[:])))
				}
				return deleted
			}
			// One fingerprint's, for each that is in the two buckets of a non-member.
			rate := func(members int) float64 {
				compared := cuckooSlots * float64(members) / float64(slots)
				return -math.Expm1(compared * math.Log1p(-1.0/cuckooFingerprints))
			}
			// The members that are alone with their fingerprint in their buckets.
			deletable := func(members int) float64 { return 1 - rate(members-1) }
			ofBytes := keyed{
				query: func(keys [][]byte) (present uint64) {
					for i, key := range keys {
						present |= one(filter.Lookup(key)) << (i & 63)
					}
					return present
				},
				insert: func(keys [][]byte) int {
					for i, key := range keys {
						if !filter.Insert(key) {
							return i
						}
					}
					return len(keys)
				},
				remove: func(keys [][]byte) (deleted int) {
					for _, key := range keys {
						deleted += int(one(filter.Delete(key)))
					}
					return deleted
				},
			}
			of := growing{static{scan(query), slots, rate, ofBytes}, insert}
			return peer.Growing(deleting{of, remove, deletable})
		},
	}
}

// bytesAsHash takes 8 bytes for the hash, and hashes a key of another length as the library does by default.
type bytesAsHash struct{}

func (bytesAsHash) Hash64(bytes []byte) uint64 {
	if len(bytes) == 8 {
		return binary.LittleEndian.Uint64(bytes)
	}
	return metro.Hash64(bytes, metroSeed)
}
