package library

import (
	"hash/maphash"
	"runtime"
	"runtime/debug"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"

	"github.com/bloomlane/bloomlane/bench/peer"
)

// The names of hashes.
const (
	xxHash64 = "xxHash64"
	murmur   = "murmur"
)

// Hashes returns the hashes of other libraries, by their calls for keys of bytes. None has one for
// many keys.
func Hashes() []peer.Hash {
	seed := maphash.MakeSeed()
	all := []peer.Hash{
		{
			Name: "maphash", Module: "hash/maphash", Version: runtime.Version(),
			Algorithm: "the runtime's", Keyed: true,
			Sum: func(keys [][]byte, hashes []uint64) {
				for i, key := range keys {
					hashes[i] = maphash.Bytes(seed, key)
				}
			},
			Chain: func(keys [][]byte) (hash uint64) {
				for i := range keys {
					hash = maphash.Bytes(seed, keys[peer.Next(i, hash)])
				}
				return hash
			},
		},
		{
			Name: "xxhash", Module: "github.com/cespare/xxhash/v2", Algorithm: xxHash64,
			Sum: xxhashes,
			Chain: func(keys [][]byte) (hash uint64) {
				for i := range keys {
					hash = xxhash.Sum64(keys[peer.Next(i, hash)])
				}
				return hash
			},
		},
		{
			Name: "xxh3", Module: "github.com/zeebo/xxh3", Algorithm: "XXH3",
			Sum: func(keys [][]byte, hashes []uint64) {
				for i, key := range keys {
					hashes[i] = xxh3.Hash(key)
				}
			},
			Chain: func(keys [][]byte) (hash uint64) {
				for i := range keys {
					hash = xxh3.Hash(keys[peer.Next(i, hash)])
				}
				return hash
			},
		},
	}
	for i := range all {
		if version := versions()[all[i].Module]; version != "" {
			all[i].Version = version
		}
	}
	return all
}

// xxhashes is also for the filters of libraries that leave the hash to their users.
func xxhashes(keys [][]byte, hashes []uint64) {
	for i, key := range keys {
		hashes[i] = xxhash.Sum64(key)
	}
}

// versions returns the version of each module, as the build recorded them.
func versions() map[string]string {
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			versions[module.Path] = module.Version
		}
	}
	return versions
}
