package library

import (
	"encoding/binary"
	"math"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	boom "github.com/tylertreat/BoomFilters"
)

// boomRegion is the bits of data for which there is one of collisions, as in a block of ours.
const boomRegion = 7

func boomDeletable() peer.Peer {
	return peer.Peer{
		Name: "boom-deletable", Module: boomModule, Version: version(boomModule),
		Note: "boom.DeletableBloomFilter: one array of bits, an eighth of it for collisions, k = ceil(b ln 2); " +
			"Test, Add and TestAndRemove a key; the key is the hash, by SetHash; its 32-bit offsets end at 512 MiB",
		Prehashed: true, Deletes: true,
		MaxBytes: boomMaxBytes,
		Size:     boomBytes,
		Begin: func(members int, bits float64) peer.Builder {
			rate := optimalRate(bits)
			// It divides by the bits of data and of a region, which must be some.
			planned := uint(max(float64(members), math.Ceil(2*(boomRegion+1)/bits)))
			regions := boom.OptimalM(planned, rate) / (boomRegion + 1)
			filter := boom.NewDeletableBloomFilter(planned, regions, rate)
			f := &boomDeletableFilter{filter: filter, regions: regions}
			filter.SetHash(&f.hash)
			return peer.Growing{Inserter: f}
		},
	}
}

type boomDeletableFilter struct {
	filter  *boom.DeletableBloomFilter
	hash    bytesSum
	key     [8]byte // here, because it goes through an interface and would be allocated each time
	regions uint
}

func (f *boomDeletableFilter) query64(keys []uint64) (present uint64) {
	for i, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		present |= one(f.filter.Test(f.key[:])) << (i & 63)
	}
	return present
}

func (f *boomDeletableFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}

func (f *boomDeletableFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	for _, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		f.filter.Add(f.key[:])
	}
	return len(keys), nil
}

func (f *boomDeletableFilter) DeleteHashBatch(keys []uint64, _ []filter.Status) (deleted int) {
	for _, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		if f.filter.TestAndRemove(f.key[:]) {
			deleted++
		}
	}
	return deleted
}

func (f *boomDeletableFilter) State() filter.State {
	return filter.State{Bytes: int(f.filter.Capacity()+7)/8 + int(f.regions+1+7)/8}
}

func (f *boomDeletableFilter) ExpectedRate(members int) float64 {
	return plainRate(float64(f.filter.Capacity()), float64(f.filter.K()), members)
}

// ExpectedDeletable is that of a member with a bit that nobody else set, in a region where no other
// bit was set twice.
func (f *boomDeletableFilter) ExpectedDeletable(members int) float64 {
	k := float64(f.filter.K())
	often := k * float64(members-1) / float64(f.filter.Capacity()) // that a bit was set by others, in the mean
	clean := math.Exp(-often) * math.Pow((1+often)*math.Exp(-often), boomRegion-1)
	return -math.Expm1(k * math.Log1p(-clean))
}
