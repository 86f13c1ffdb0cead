package library

import (
	"encoding/binary"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	boom "github.com/tylertreat/BoomFilters"
)

// boomCountBits is the size of a counter, as its constructor has it by default.
const boomCountBits = 4

func boomCounting() peer.Peer {
	return peer.Peer{
		Name: "boom-counting", Module: boomModule, Version: version(boomModule),
		Note: "boom.CountingBloomFilter: counters of 4 bits, b/4 a key, k = ceil(b/4 ln 2); " +
			"Test, Add and TestAndRemove a key; the key is the hash, by SetHash; its 32-bit offsets end at 512 MiB",
		Prehashed: true, Deletes: true,
		MaxBytes: boomMaxBytes,
		Size:     boomBytes,
		Begin: func(members int, bits float64) peer.Builder {
			filter := boom.NewDefaultCountingBloomFilter(uint(members), optimalRate(bits/boomCountBits))
			f := &boomCountingFilter{filter: filter}
			filter.SetHash(&f.hash)
			return peer.Growing{Inserter: f}
		},
	}
}

type boomCountingFilter struct {
	filter *boom.CountingBloomFilter
	hash   bytesSum
	key    [8]byte // here, because it goes through an interface and would be allocated each time
}

func (f *boomCountingFilter) query64(keys []uint64) (present uint64) {
	for i, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		present |= one(f.filter.Test(f.key[:])) << (i & 63)
	}
	return present
}

func (f *boomCountingFilter) QueryHashBatch(keys, hits []uint64) int {
	return peer.Scan(keys, hits, f.query64)
}

func (f *boomCountingFilter) InsertHashBatch(keys, _ []uint64) (n int, err error) {
	for _, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		f.filter.Add(f.key[:])
	}
	return len(keys), nil
}

func (f *boomCountingFilter) DeleteHashBatch(keys []uint64, _ []filter.Status) (deleted int) {
	for _, key := range keys {
		binary.LittleEndian.PutUint64(f.key[:], key)
		if f.filter.TestAndRemove(f.key[:]) {
			deleted++
		}
	}
	return deleted
}

func (f *boomCountingFilter) State() filter.State {
	return filter.State{Bytes: int(f.filter.Capacity()*boomCountBits+7) / 8}
}

func (f *boomCountingFilter) ExpectedRate(members int) float64 {
	return plainRate(float64(f.filter.Capacity()), float64(f.filter.K()), members)
}

// ExpectedDeletable is the share of members that the others do not make present.
func (f *boomCountingFilter) ExpectedDeletable(members int) float64 {
	return 1 - f.ExpectedRate(members-1)
}
