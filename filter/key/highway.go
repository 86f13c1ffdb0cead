package key

import (
	"fmt"

	"github.com/minio/highwayhash"
)

// highway is a key of [HighwayHash64].
type highway struct{ bytes [highwayhash.Size]byte }

func newHighway(b []byte) *highway { return &highway{[highwayhash.Size]byte(b)} }

// longest is the longest key that the library gets at once, in whose assembly a goroutine cannot
// stop: 64 KiB take some 10 µs.
const longest = 64 << 10

// Sum64 returns the hash of data.
func (h *highway) Sum64(data []byte) uint64 {
	if len(data) <= longest {
		return highwayhash.Sum64(data, h.bytes[:])
	}
	d, err := highwayhash.NewDigest64(h.bytes[:])
	if err != nil {
		panic(fmt.Sprintf("key: %v", err)) // for other sizes only
	}
	for len(data) > 0 {
		n := min(len(data), longest)
		_, _ = d.Write(data[:n]) // it returns no error
		data = data[n:]
	}
	return d.Sum64()
}
