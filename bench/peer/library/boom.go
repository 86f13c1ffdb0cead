package library

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"math"

	boom "github.com/tylertreat/BoomFilters"

	"github.com/bloomlane/bloomlane/bench/peer"
)

func boomCounting() peer.Peer {
	const counterBits = 4 // as its constructor has it by default
	p := boomPeer(func(members int, bits float64) boomSized {
		f := boom.NewDefaultCountingBloomFilter(uint(members), optimalRate(bits/counterBits))
		// The members that the others do not make present.
		deletable := func(members int) float64 {
			return 1 - textbookRate(float64(f.Capacity()), float64(f.K()))(members-1)
		}
		return boomSized{f, int(f.Capacity()*counterBits+7) / 8, deletable}
	})
	p.Name = "boom-counting"
	p.Note = "boom.CountingBloomFilter: counters of 4 bits, b/4 a key, k = ceil(b/4 ln 2); " + p.Note
	return p
}

func boomDeletable() peer.Peer {
	const region = 7 // bits of data for which there is one of collisions, as in a block of ours
	p := boomPeer(func(members int, bits float64) boomSized {
		rate := optimalRate(bits)
		// It divides by the bits of data and of a region, which must be some.
		planned := uint(max(float64(members), math.Ceil(2*(region+1)/bits)))
		regions := boom.OptimalM(planned, rate) / (region + 1)
		f := boom.NewDeletableBloomFilter(planned, regions, rate)
		// The members with a bit that nobody else set, in a region where no other bit was set twice.
		deletable := func(members int) float64 {
			k := float64(f.K())
			often := k * float64(members-1) / float64(f.Capacity()) // that a bit was set by others, in the mean
			clean := math.Exp(-often) * math.Pow((1+often)*math.Exp(-often), region-1)
			return -math.Expm1(k * math.Log1p(-clean))
		}
		return boomSized{f, int(f.Capacity()+7)/8 + int(regions+1+7)/8, deletable}
	})
	p.Name = "boom-deletable"
	p.Note = "boom.DeletableBloomFilter: one array of bits, an eighth of it for collisions, " +
		"k = ceil(b ln 2); " + p.Note
	return p
}

// boomSized is a filter of the library, its bytes, and the share of members that can be deleted.
type boomSized struct {
	boomFilter
	bytes     int
	deletable func(members int) float64
}

type boomFilter interface {
	boom.Filter
	TestAndRemove(key []byte) bool
	SetHash(h hash.Hash64)
	Capacity() uint
	K() uint
}

// boomPeer is what the library's filters have in common.
func boomPeer(make func(members int, bits float64) boomSized) peer.Peer {
	return peer.Peer{
		Module: "github.com/tylertreat/BoomFilters",
		Note: "Test, Add and TestAndRemove a key; the key is the hash, by SetHash; " +
			"its 32-bit offsets end at 512 MiB",
		Prehashed: true, Deletes: true, Hash: "FNV-1",
		// Where the offsets end, in writing only: from there on members are set in one place and looked for in
		// another.
		MaxBytes: 512 << 20,
		Size:     func(members int, bits float64) int64 { return int64(math.Ceil(float64(members) * bits / 8)) },
		Begin: func(members int, bits float64) peer.Builder {
			f := make(members, bits)
			f.SetHash(&bytesSum{fnv: fnv.New64()})
			var bytes [8]byte // here, because it goes through an interface and would be allocated each time
			query := func(keys []uint64) (present uint64) {
				for i, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					present |= one(f.Test(bytes[:])) << (i & 63)
				}
				return present
			}
			insert := func(keys []uint64) {
				for _, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					f.Add(bytes[:])
				}
			}
			remove := func(keys []uint64) (deleted int) {
				for _, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					deleted += int(one(f.TestAndRemove(bytes[:])))
				}
				return deleted
			}
			ofBytes := keyed{
				query: func(keys [][]byte) (present uint64) {
					for i, key := range keys {
						present |= one(f.Test(key)) << (i & 63)
					}
					return present
				},
				insert: takingAll(func(keys [][]byte) {
					for _, key := range keys {
						f.Add(key)
					}
				}),
				remove: func(keys [][]byte) (deleted int) {
					for _, key := range keys {
						deleted += int(one(f.TestAndRemove(key)))
					}
					return deleted
				},
			}
			of := textbook(query, insert, f.bytes, f.Capacity(), f.K(), ofBytes)
			return peer.Growing(deleting{of, remove, f.deletable})
		},
	}
}

// bytesSum is a hash.Hash64 whose sum is the 8 bytes that were written, and of a key of another length what the
// library hashes with by default.
type bytesSum struct {
	sum uint64
	fnv hash.Hash64
}

func (h *bytesSum) Write(bytes []byte) (int, error) {
	if len(bytes) == 8 {
		h.sum = binary.LittleEndian.Uint64(bytes)
		return 8, nil
	}
	h.fnv.Reset()
	n, err := h.fnv.Write(bytes)
	h.sum = h.fnv.Sum64()
	return n, err
}

func (h *bytesSum) Sum64() uint64       { return h.sum }
func (h *bytesSum) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.sum) }
func (h *bytesSum) Reset()              {}
func (h *bytesSum) Size() int           { return 8 }
func (h *bytesSum) BlockSize() int      { return 8 }
