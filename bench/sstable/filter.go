package sstable

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// Writer makes the filter of a table.
type Writer struct {
	plain.Config
	hashes []uint64
}

// AddKey adds a key of the table. Equal keys follow each other.
func (w *Writer) AddKey(data []byte) { w.hashes = append(w.hashes, w.Key.Hash(data)) }

// Finish appends the filter: its blocks, and then the number of bits of a key.
func (w *Writer) Finish(dst []byte) []byte {
	w.hashes = slices.Compact(w.hashes)
	w.Members = max(1, len(w.hashes))
	f, err := plain.New(w.Config)
	if err != nil {
		panic(err) // of BitsPerKey
	}
	_, _ = f.InsertHashBatch(w.hashes, nil) // its only error is that f is closed
	w.hashes = w.hashes[:0]
	c, _ := f.Contents() // as here
	for _, word := range c.Sections[0].Words {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return append(dst, byte(f.Shape().Hashes))
}

// mayContain queries a filter in the memory of the engine, by the positions of docs/format.md.
func mayContain(k key.Key, filter, data []byte) bool {
	blocks, hashes := filter[:len(filter)-1], filter[len(filter)-1]
	x := k.Hash(data)
	block, _ := bits.Mul64(x, uint64(len(blocks)/64))
	line := (*[64]byte)(blocks[64*block:])
	for range hashes {
		x *= 0xf1357aea2e62a9c5
		if bit := x >> 55; line[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}
