package library

import (
	"hash/maphash"
	"runtime"
	"runtime/debug"

	"github.com/cespare/xxhash/v2"
	"github.com/minio/highwayhash"
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
	secret, seed := make([]byte, highwayhash.Size), maphash.MakeSeed()
	for i := range secret {
		secret[i] = byte(i)
	}
	all := []peer.Hash{
		{
			Name: "minio", Module: "github.com/minio/highwayhash",
			Algorithm: "HighwayHash-64", Keyed: true,
			Sum: func(keys [][]byte, hashes []uint64) {
				for i, key := range keys {
					hashes[i] = highwayhash.Sum64(key, secret)
				}
			},
		},
		{
			Name: "maphash", Module: "hash/maphash", Version: runtime.Version(),
			Algorithm: "the runtime's", Keyed: true,
			Sum: func(keys [][]byte, hashes []uint64) {
				for i, key := range keys {
					hashes[i] = maphash.Bytes(seed, key)
				}
			},
		},
		{Name: "xxhash", Module: "github.com/cespare/xxhash/v2", Algorithm: xxHash64,
			Sum: xxhashes},
		{
			Name: "xxh3", Module: "github.com/zeebo/xxh3", Algorithm: "XXH3",
			Sum: func(keys [][]byte, hashes []uint64) {
				for i, key := range keys {
					hashes[i] = xxh3.Hash(key)
				}
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
