package library

import (
	"fmt"
	"math"

	"github.com/FastFilter/xorfilter"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
)

func binaryFuse8() peer.Peer {
	const module = "github.com/FastFilter/xorfilter"
	return peer.Peer{
		Name: "BinaryFuse8", Module: module, Version: version(module),
		Note: "xorfilter.BinaryFuse8: fingerprints of 8 bits, about 9 bits per key; Contains a key; " +
			"built once, of all members, with about 33 bytes of memory per key",
		Prehashed: true, Static: true, Fixed: true,
		MaxBytes: 1 << 32, // its indices have 32 bits
		Size: func(members int, _ float64) int64 {
			n := float64(max(2, members))
			factor := max(1.125, 0.875+0.25*math.Log(1e6)/math.Log(n))
			return int64(math.Ceil(n * factor)) // it rounds up to a segment
		},
		Extra: 8 + 9 + 15, // the keys, an order of them, and counts and sums a fingerprint
		Begin: func(members int, _ float64) peer.Builder {
			return &fuseBuilder{make([]uint64, 0, members)}
		},
	}
}

type fuseBuilder struct{ keys []uint64 }

func (b *fuseBuilder) Insert(keys []uint64) (refused int) {
	b.keys = append(b.keys, keys...)
	return 0
}

func (b *fuseBuilder) Finish() (peer.Filter, error) {
	filter, err := xorfilter.PopulateBinaryFuse8(b.keys)
	if err != nil {
		return nil, fmt.Errorf("BinaryFuse8 of %d keys: %w", len(b.keys), err)
	}
	b.keys = nil
	return fuseFilter{filter}, nil
}

type fuseFilter struct{ filter *xorfilter.BinaryFuse8 }

func (f fuseFilter) query64(keys []uint64) (present uint64) {
	for i, key := range keys {
		present |= one(f.filter.Contains(key)) << (i & 63)
	}
	return present
}

func (f fuseFilter) QueryHashBatch(keys, hits []uint64) int { return peer.Scan(keys, hits, f.query64) }
func (f fuseFilter) State() filter.State                    { return filter.State{Bytes: len(f.filter.Fingerprints)} }
func (f fuseFilter) ExpectedRate(int) float64               { return 1.0 / 256 }
