package library

import (
	"encoding/binary"
	"math"
)

const (
	boomModule = "github.com/tylertreat/BoomFilters"
	// boomMaxBytes is where its 32-bit offsets of bits end, in writing only: from there on members are
	// set in one place and looked for in another.
	boomMaxBytes = 512 << 20
)

func boomBytes(members int, bits float64) int64 { return int64(math.Ceil(float64(members) * bits / 8)) }

// bytesSum is a hash.Hash64 whose sum is the 8 bytes that were written.
type bytesSum struct{ sum uint64 }

func (h *bytesSum) Write(bytes []byte) (int, error) {
	h.sum = binary.LittleEndian.Uint64(bytes)
	return len(bytes), nil
}

func (h *bytesSum) Sum64() uint64       { return h.sum }
func (h *bytesSum) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.sum) }
func (h *bytesSum) Reset()              {}
func (h *bytesSum) Size() int           { return 8 }
func (h *bytesSum) BlockSize() int      { return 8 }
