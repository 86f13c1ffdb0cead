//go:build (amd64 || arm64) && !purego

package highway

import (
	"encoding/binary"

	"github.com/bloomlane/bloomlane/internal/batch"
)

// This file cuts hashing into calls of assembly, which calls_amd64.go and calls_arm64.go make. As
// in package kernel, a function with Call in its name makes one of them and is not inlined: a
// goroutine stops for a garbage collection where it enters such a function.
const (
	// callKeys and callPackets are the number of keys of one width, and of packets of one key, in a
	// call: a call takes less than 15 µs.
	callKeys    = 1024
	callPackets = 1024
)

// apart is the number of whole packets from which a call of their own is faster than the call for
// the last bytes.
const apart = 8

// wholePackets returns the number of packets before that of a key's last 1 to 32 bytes.
func wholePackets(size int) int { return (size - 1) / packetBytes }

func (im implementation) sum64(k *Key, data []byte) uint64 {
	switch n := len(data); {
	case !im.inAssembly():
		return portableSum64(k, data)
	case n == 0:
		return k.empty
	case n < 16:
		lane0, lane1, lane2 := short(data)
		return im.fewCall(k, lane0, lane1, lane2, n)
	}
	whole := wholePackets(len(data))
	if whole < apart {
		return im.sumCall(&k.initial, data, whole)
	}
	s := k.initial
	for whole > 1 { // one stays, so that there are 16 bytes before the end
		n := min(whole-1, callPackets)
		im.updateCall(&s, data[:n*packetBytes])
		data, whole = data[n*packetBytes:], whole-n
	}
	return im.sumCall(&s, data, whole)
}

// few returns the packet of 1 to 15 bytes, without a branch for each length. The last lane of the
// packet is empty.
func short(data []byte) (lane0, lane1, lane2 uint64) {
	n := len(data)
	if n < 4 {
		return 0, 0, uint64(data[0]) | uint64(data[n/2])<<8 | uint64(data[n-1])<<16
	}
	var odd uint64 // the bytes behind the last whole four
	if n < 8 {
		lane0 = uint64(binary.LittleEndian.Uint32(data))
		odd = uint64(binary.LittleEndian.Uint32(data[n-4:])) >> (8 * uint(8-n))
	} else {
		lane0 = binary.LittleEndian.Uint64(data)
		odd = binary.LittleEndian.Uint64(data[n-8:]) >> (8 * uint(16-n))
		four := uint(n & 4)
		lane1 = odd & (1<<(8*four) - 1)
		odd >>= 8 * four
	}
	left := uint(n & 3)
	lane2 = odd&0xff | odd>>(8*(left/2))&0xff<<8 | odd>>(8*(left-1))&0xff<<16 // of no bytes nothing
	return lane0, lane1, lane2
}

func (im implementation) sum64Uint64(k *Key, n uint64) uint64 {
	if !im.inAssembly() {
		return portableSum64Uint64(k, n)
	}
	return im.fewCall(k, n, 0, 0, 8)
}

// restOf returns, for each half of the packet after the whole ones, the 16 bytes that it is made
// of, and how. Data has 16 bytes at least.
func restOf(data []byte, whole int) (lower, upper, row *byte) {
	start, tail := whole*packetBytes, len(data)-16
	return &data[min(start, tail)], &data[tail], &packRows[len(data)-start].lower[0]
}

func (im implementation) batch(k *Key, keys batch.Keys, hashes []uint64) {
	if !im.inAssembly() || len(hashes) < batch.Group {
		im.singly(k, keys, hashes)
		return
	}
	b := batch.NewBuffer()
	defer b.Free()
	if width, ok := keys.Width(); ok && scheduled(width) {
		c := newSchedule(k.initial, width)
		for g := b.Groups(keys, hashes, batch.Group, callKeys); g.Next(); {
			im.fixedCall(&c, width, &g)
		}
		return
	}
	for c := b.Calls(lengths, keys, hashes); c.Next(); {
		if key, alone := c.Alone(); alone {
			c.Put(im.sum64(k, key))
		} else {
			im.mixedCall(k, &c)
		}
	}
}

// lengths are the classes of keys by their whole packets.
var lengths = batch.NewLengths(16, wholePackets)

// packRow says how the last packet is made of a key: see asm.HighwayMixedAVX2.
type packRow struct {
	lower, upper [16]uint8
	sizes        [4]uint32
	_            [16]byte
}

// packRows has a row for each length of what a key ends with.
var packRows = func() (rows [packetBytes + 1]packRow) {
	for n := 1; n <= packetBytes; n++ {
		// The result for the bytes 1, 2, 3, … says where they go.
		var numbers [packetBytes]byte
		for i := range n {
			numbers[i] = byte(i + 1)
		}
		last := load(numbers[:])
		if n < packetBytes {
			last = rest(numbers[:n])
		}
		for i := range 16 {
			number := func(lane int) int { return int(last[lane+i/8] >> (i % 8 * 8) & 0xff) }
			rows[n].lower[i] = packedByte(number(0), min(0, n-16))
			rows[n].upper[i] = packedByte(number(2), n-16)
		}
		for i := range rows[n].sizes {
			rows[n].sizes[i] = uint32(n % packetBytes)
		}
	}
	return rows
}()

// packedByte is where the byte of a number is in the 16 bytes that begin with that of index first;
// 0 is none.
func packedByte(number, first int) uint8 {
	if number == 0 {
		return 255
	}
	return uint8(number - 1 - first)
}
