package library

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"math"

	boom "github.com/tylertreat/BoomFilters"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter/family/stable"
)

const (
	boomModule = "github.com/tylertreat/BoomFilters"
	boomNote   = "the key is the hash, by SetHash"
)

func boomCounting() peer.Peer {
	const counterBits = 4 // as its constructor has it by default
	p := boomPeer(func(members int, bits float64) deleting {
		f := boom.NewDefaultCountingBloomFilter(uint(members), optimalRate(bits/counterBits))
		f.SetHash(newBytesSum())
		rate := textbookRate(float64(f.Capacity()), float64(f.K()))
		// The members that the others do not make present.
		deletable := func(members int) float64 { return 1 - rate(members-1) }
		return ofKeyDeleter(boomCounters{f}, int(f.Capacity()*counterBits+7)/8, rate, deletable)
	})
	p.Name = "boom-counting"
	p.Note = "boom.CountingBloomFilter: counters of 4 bits, b/4 a key, k = ceil(b/4 ln 2); " +
		p.Note
	return p
}

type boomCounters struct{ *boom.CountingBloomFilter }

func (f boomCounters) Lookup(key []byte) bool { return f.Test(key) }
func (f boomCounters) Insert(key []byte) bool { f.Add(key); return true }
func (f boomCounters) Delete(key []byte) bool { return f.TestAndRemove(key) }

func boomDeletable() peer.Peer {
	const region = 7 // bits of data for which there is one of collisions, as in a block of ours
	p := boomPeer(func(members int, bits float64) deleting {
		rate := optimalRate(bits)
		// It divides by the bits of data and of a region, which must be some.
		planned := uint(max(float64(members), math.Ceil(2*(region+1)/bits)))
		regions := boom.OptimalM(planned, rate) / (region + 1)
		f := boom.NewDeletableBloomFilter(planned, regions, rate)
		f.SetHash(newBytesSum())
		// The members with a bit that no other member set, in a region where no other bit was set
		// twice.
		deletable := func(members int) float64 {
			k := float64(f.K())
			// that a bit was set by others, in the mean
			often := k * float64(members-1) / float64(f.Capacity())
			clean := math.Exp(-often) * math.Pow((1+often)*math.Exp(-often), region-1)
			return -math.Expm1(k * math.Log1p(-clean))
		}
		return ofKeyDeleter(boomRegions{f}, int(f.Capacity()+7)/8+int(regions+1+7)/8,
			textbookRate(float64(f.Capacity()), float64(f.K())), deletable)
	})
	p.Name, p.Decays = "boom-deletable", true
	p.Note = "boom.DeletableBloomFilter: one array of bits, an eighth of it for collisions, " +
		"k = ceil(b ln 2); " + p.Note
	return p
}

type boomRegions struct{ *boom.DeletableBloomFilter }

func (f boomRegions) Lookup(key []byte) bool { return f.Test(key) }
func (f boomRegions) Insert(key []byte) bool { f.Add(key); return true }
func (f boomRegions) Delete(key []byte) bool { return f.TestAndRemove(key) }

// boomPeer is what the library's filters that delete have in common.
func boomPeer(make func(members int, bits float64) deleting) peer.Peer {
	return peer.Peer{
		Module: boomModule,
		Note: "Test, Add and TestAndRemove a key; " + boomNote +
			"; its 32-bit offsets end at 512 MiB",
		Prehashed: true, Deletes: true, Hash: "FNV-1",
		// Where the offsets end, in writing only: from there on members are set in one place and
		// looked for in another.
		MaxBytes: 512 << 20,
		Size: func(members int, bits float64) int64 {
			return int64(math.Ceil(float64(members) * bits / 8))
		},
		Begin: func(members int, bits float64) peer.Builder {
			return peer.Growing(make(members, bits))
		},
	}
}

func boomStable() peer.Peer {
	const width = 4
	return peer.Peer{
		Name: "boom-stable", Module: boomModule,
		Note: "boom.StableBloomFilter: cells of 4 bits, with the rate of filter/family/stable; " +
			"Test and Add a key; " +
			boomNote,
		Prehashed: true, Hash: "FNV-1",
		Size: func(members int, bits float64) int64 {
			return int64(math.Ceil(float64(members) * bits / 8))
		},
		Begin: func(members int, bits float64) peer.Builder {
			c := stable.Config{Members: members, BitsPerKey: bits, Width: width}
			shape, err := c.Shape()
			if err != nil { // too few bits for any
				shape = stable.Shape{Words: 1, Width: width, Hashes: 1, Decrements: 1}
			}
			cells := uint(float64(members) * bits / width)
			f := boom.NewStableBloomFilter(cells, width, shape.StableRate())
			f.SetHash(newBytesSum())
			rate := func(int) float64 { return f.FalsePositiveRate() }
			return peer.Growing(ofKeys(boomCells{f}, int(f.Cells()*width+7)/8, rate))
		},
	}
}

type boomCells struct{ *boom.StableBloomFilter }

func (f boomCells) Lookup(key []byte) bool { return f.Test(key) }
func (f boomCells) Insert(key []byte) bool { f.Add(key); return true }

func boomCountMin() peer.Peer {
	const depth, counter = 4, 8 // rows, and the bytes of a counter, as the library has them
	width := func(members int, bits float64) float64 {
		return max(1, math.Floor(float64(members)*bits/(8*counter*depth)))
	}
	return peer.Peer{
		Name: "boom-count-min", Module: boomModule,
		Note: "boom.CountMinSketch: 4 rows of counters of 64 bits; Count and Add a key; " +
			boomNote,
		Prehashed: true, Hash: "FNV-1",
		Size: func(members int, bits float64) int64 {
			return counter * depth *
				int64(width(members, bits))
		},
		Begin: func(members int, bits float64) peer.Builder {
			w := width(members, bits)
			f := boom.NewCountMinSketch(math.E/(w-0.5), math.Exp(0.5-depth)) // which it rounds up
			f.SetHash(newBytesSum())
			rate := func(members int) float64 {
				return math.Pow(-math.Expm1(-float64(members)/w),
					depth)
			}
			return peer.Growing(sketch{ofKeys(boomRows{f}, counter*depth*int(w), rate), f})
		},
	}
}

type boomRows struct{ *boom.CountMinSketch }

func (f boomRows) Lookup(key []byte) bool { return f.Count(key) > 0 }
func (f boomRows) Insert(key []byte) bool { f.Add(key); return true }

// sketch tells how often a key was inserted.
type sketch struct {
	growing
	sketch *boom.CountMinSketch
}

func (f sketch) CountHashBatch(hashes, counts []uint64) {
	var key8 [8]byte
	for i, hash := range hashes {
		binary.LittleEndian.PutUint64(key8[:], hash)
		counts[i] = f.sketch.Count(key8[:])
	}
}

// bytesSum is a hash.Hash64 whose sum is the 8 bytes that were written, and of a key of another
// length what the library hashes with by default.
type bytesSum struct {
	sum uint64
	fnv hash.Hash64
}

func newBytesSum() *bytesSum { return &bytesSum{fnv: fnv.New64()} }

func (h *bytesSum) Write(bytes []byte) (int, error) {
	if len(bytes) == 8 {
		h.sum = binary.LittleEndian.Uint64(bytes)
		return 8, nil
	}
	h.fnv.Reset()
	n, err := h.fnv.Write(bytes)
	h.sum = h.fnv.Sum64()
	return n, err
}

func (h *bytesSum) Sum64() uint64       { return h.sum }
func (h *bytesSum) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.sum) }
func (h *bytesSum) Reset()              {}
func (h *bytesSum) Size() int           { return 8 }
func (h *bytesSum) BlockSize() int      { return 8 }
