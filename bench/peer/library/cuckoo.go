package library

import (
	"encoding/binary"
	"math"

	"github.com/dgryski/go-metro"
	linvoncuckoo "github.com/linvon/cuckoo-filter"
	panmaricuckoo "github.com/panmari/cuckoofilter"
	cuckoo "github.com/seiflotfy/cuckoofilter"

	"github.com/bloomlane/bloomlane/bench/peer"
)

const (
	metroSeed    = 1337
	cuckooBucket = 4
	// cuckooLoad is how full buckets of 4 can be, by the literature. Seiflotfy's takes the capacity
	// asked for as the number of slots, rounded up to a power of two, and 2^20 members of as many
	// slots are too many: it says that it refuses 1.8 % of them, and has lost others in their
	// place.
	cuckooLoad = 0.95
	// cuckooNote is what the three have in common.
	cuckooNote = "in buckets of 4, a power of two of them, at most 95 % full; " +
		"a lookup, an insert and a delete a key"
)

func init() {
	cuckoo.SetDefaultHasher(bytesAsHash{}) // which is for the whole process
}

func seiflotfy() peer.Peer {
	p := fixedCuckoo(8, 255, func(slots int) keyDeleter { return cuckoo.NewFilter(uint(slots)) })
	p.Name, p.Module = "seiflotfy-cuckoo", "github.com/seiflotfy/cuckoofilter"
	p.Note = "cuckoo.Filter: fingerprints of 8 bits " + cuckooNote +
		"; the key is the hash, by SetDefaultHasher"
	p.Prehashed, p.Hash = true, "MetroHash"
	return p
}

func panmari() peer.Peer {
	p := fixedCuckoo(16, 65534, func(slots int) keyDeleter {
		return panmaricuckoo.NewFilter(uint(cuckooLoad * float64(slots)))
	})
	p.Name, p.Module = "panmari-cuckoo", "github.com/panmari/cuckoofilter"
	p.Note = "cuckoo.Filter: fingerprints of 16 bits " + cuckooNote
	p.Hash = "MetroHash"
	return p
}

// fixedCuckoo is a library whose fingerprints have a fixed number of bits, and of values.
func fixedCuckoo(fingerprint int, values float64, make func(slots int) keyDeleter) peer.Peer {
	takes := func(bits float64) float64 { return max(bits, float64(fingerprint)/cuckooLoad) }
	slots := func(members int, bits float64) int64 {
		return max(cuckooBucket,
			powerOfTwo(math.Floor(float64(members)*takes(bits)/float64(fingerprint))))
	}
	return peer.Peer{
		Deletes: true, Refuses: true, Doubles: true,
		Bits: takes,
		Size: func(members int, bits float64) int64 {
			return slots(members, bits) *
				int64(fingerprint) / 8
		},
		Begin: func(members int, bits float64) peer.Builder {
			n := int(slots(members, bits))
			return ofCuckoo(make(n), n, n*fingerprint/8, values)
		},
	}
}

// linvon has fingerprints of as many bits as the memory allows.
func linvon() peer.Peer {
	const least, most = 4, 32
	slots := func(members int) int {
		return int(max(cuckooBucket, powerOfTwo(float64(members)/cuckooLoad)))
	}
	fingerprint := func(members int, bits float64) int {
		return int(min(max(least, math.Ceil(float64(members)*bits/float64(slots(members)))), most))
	}
	size := func(members int, bits float64) int64 {
		return int64(slots(members) / cuckooBucket * (cuckooBucket * fingerprint(members, bits)) /
			8)
	}
	return peer.Peer{
		Name: "linvon-cuckoo", Module: "github.com/linvon/cuckoo-filter",
		Note:    "cuckoo.Filter, TableTypeSingle: fingerprints of 4 to 32 bits " + cuckooNote,
		Deletes: true, Refuses: true, InsertAllocates: true, Hash: "MetroHash",
		Size: size,
		Begin: func(members int, bits float64) peer.Builder {
			n, f := slots(members), fingerprint(members, bits)
			filter := linvonFilter{linvoncuckoo.NewFilter(
				cuckooBucket, uint(f), uint(cuckooLoad*float64(n)), linvoncuckoo.TableTypeSingle)}
			return ofCuckoo(filter, n, int(filter.SizeInBytes()), math.Exp2(float64(f))-1)
		},
	}
}

type linvonFilter struct{ *linvoncuckoo.Filter }

func (f linvonFilter) Lookup(key []byte) bool { return f.Contain(key) }
func (f linvonFilter) Insert(key []byte) bool { return f.Add(key) }

// ofCuckoo returns the builder of a filter, of which the slots, the bytes and the values of a
// fingerprint are given.
func ofCuckoo(filter keyDeleter, slots, bytes int, values float64) peer.Builder {
	// One fingerprint's, for each that is in the two buckets of a non-member.
	rate := func(members int) float64 {
		compared := 2 * cuckooBucket * float64(members) / float64(slots)
		return -math.Expm1(compared * math.Log1p(-1/values))
	}
	// The members that are alone with their fingerprint in their buckets.
	deletable := func(members int) float64 { return 1 - rate(members-1) }
	return peer.Growing(ofKeyDeleter(filter, bytes, rate, deletable))
}

// bytesAsHash takes 8 bytes for the hash, and hashes a key of another length as the library does by
// default.
type bytesAsHash struct{}

func (bytesAsHash) Hash64(bytes []byte) uint64 {
	if len(bytes) == 8 {
		return binary.LittleEndian.Uint64(bytes)
	}
	return metro.Hash64(bytes, metroSeed)
}
