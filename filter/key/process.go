package key

import (
	"encoding/binary"
	"hash/maphash"
)

// process is a key of [Process]. It stands behind a pointer of its own, which fmt does not follow.
type process struct{ seed maphash.Seed }

// Sum64 returns the hash of data.
func (p *process) Sum64(data []byte) uint64 { return maphash.Bytes(p.seed, data) }

// Sum64Uint64 returns the hash of the 8 bytes of n, the least significant first.
func (p *process) Sum64Uint64(n uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return maphash.Bytes(p.seed, b[:])
}
