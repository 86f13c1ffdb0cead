package library

import (
	"encoding/binary"
	"math"

	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/internal/expected"
)

const (
	pebbleTableFilter = 0 // the only type of filter; its name is internal to Pebble
	pebbleLineBits    = 512
	pebbleTrailer     = 5 // after the lines: the number of probes, and of lines
)

func pebbleTable() peer.Peer {
	takes := func(bits float64) float64 { return max(1, math.Round(bits)) }
	return peer.Peer{
		Name: "pebble", Module: "github.com/cockroachdb/pebble/v2",
		Note: "bloom.FilterPolicy, the filter of a table: blocks of 512 bits, k = 0.69 b " +
			"rounded down, of a hash of 32 bits, b whole; AddKey, and MayContain a key; " +
			"built once; its 32-bit positions end at 512 MiB; a key's probes are equally far " +
			"apart, which keeps the rate above 0.2 % at any bits, and far above near 2^i lines",
		Static: true, Hash: murmur,
		MaxBytes: 512<<20 + pebbleTrailer,
		Bits:     takes,
		Size: func(members int, bits float64) int64 {
			lines := int64(math.Ceil(float64(members) * takes(bits) / pebbleLineBits))
			return (lines|1)*pebbleLineBits/8 + pebbleTrailer
		},
		Extra: 4, // the hashes are kept until the end
		Begin: func(_ int, bits float64) peer.Builder {
			policy := bloom.FilterPolicy(takes(bits))
			writer := policy.NewWriter(pebbleTableFilter)
			insert := func(keys []uint64) {
				var bytes [8]byte
				for _, key := range keys {
					binary.LittleEndian.PutUint64(bytes[:], key)
					writer.AddKey(bytes[:])
				}
			}
			insertBytes := func(keys [][]byte) {
				for _, key := range keys {
					writer.AddKey(key)
				}
			}
			return builder{insert, insertBytes, func() (static, error) {
				filter := writer.Finish(nil)
				query := func(keys []uint64) (count int) {
					var bytes [8]byte
					for _, key := range keys {
						binary.LittleEndian.PutUint64(bytes[:], key)
						found := policy.MayContain(pebbleTableFilter, filter, bytes[:])
						count += peer.One(found)
					}
					return count
				}
				queryBytes := func(keys [][]byte) (count int) {
					for _, key := range keys {
						count += peer.One(policy.MayContain(pebbleTableFilter, filter, key))
					}
					return count
				}
				return static{query, len(filter), pebbleRate(filter),
					keyed{query: queryBytes}}, nil
			}}
		},
	}
}

// pebbleRate takes the probes for independent, which they are not, and counts that another member
// may have the same 32-bit hash. What is measured is 1.2 times that at 10 bits per key, 3.5 times
// at 16, and 6 times at 20: the probes of a key are equally far apart, modulo 512, so that one key
// of 512 has them all on one bit, one on two, and so on. It is 13 times at 16 bits per key of 2^20
// members: with 2^15+1 lines, the line and the first position determine most of that distance.
func pebbleRate(filter []byte) func(members int) float64 {
	lines := (len(filter) - pebbleTrailer) * 8 / pebbleLineBits
	probes := float64(filter[len(filter)-pebbleTrailer])
	return func(members int) float64 {
		absent := 1 - expected.Mean(members, lines, func(load int) float64 {
			fill := -math.Expm1(probes * float64(load) * math.Log1p(-1.0/pebbleLineBits))
			return math.Pow(fill, probes)
		})
		return 1 - absent*math.Exp(-float64(members)/(1<<32))
	}
}
