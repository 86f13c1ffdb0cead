//go:build (amd64 || arm64) && !purego

package pmac

import (
	"math/bits"
	"unsafe"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/batch"
)

// This file cuts hashing into calls of assembly, which calls_amd64.go and calls_arm64.go make. As
// in package kernel, a function with Call in its name makes one of them and is not inlined: a
// goroutine stops for a garbage collection where it enters such a function.
const (
	// callKeys and callBytes are the number of keys of a call, and of their bytes.
	callKeys  = 1024
	callBytes = pieceBlocks * blockBytes
	// fixedGroup is the number of keys of 8 and 16 bytes of which the assembly takes a multiple.
	fixedGroup = 16
)

func init() {
	asm.NoVAES512, asm.NoVAES256, asm.NoAES = active < vaes512, active < vaes256, active < aesForm
	asm.PMACElse = other
}

// HandsBack says whether [Key.Sum64] hands what is no key to [Foreign].
const HandsBack = true

// Sum64 returns the hash of data.
func (k *Key) Sum64(data []byte) uint64 {
	return asm.PMACSumChosen(k.start(), unsafe.SliceData(data), len(data))
}

// start returns where the assembly finds the state.
func (k *Key) start() *byte { return (*byte)(unsafe.Pointer(k)) }

// other is what assembly jumps to for long keys, without AES instructions, and for other hashes.
func other(start, data *byte, n int) uint64 {
	k, bytes := (*Key)(unsafe.Pointer(start)), unsafe.Slice(data, n)
	if k == nil || !k.state.ours {
		return Foreign(k, bytes)
	}
	return active.sum64(k, bytes)
}

func (f Form) sum64(k *Key, data []byte) uint64 {
	switch {
	case f == portable:
		return k.portableSum64(data)
	case len(data) > callBytes:
		return f.long(k, data)
	}
	return f.sumCall(k.start(), unsafe.SliceData(data), len(data))
}

// carried is an offset and a sum: see asm.PMACPart.
type carried struct{ offset, sum block }

// long hashes a key in pieces. Each but the first begins with a block whose number is a multiple of
// pieceBlocks, of which the assembly knows the last bits only.
func (f Form) long(k *Key, data []byte) uint64 {
	s := &k.state
	c := carried{offset: s.near[0]}
	for i := 1; len(data) > blockBytes; {
		n := min((len(data)-1)/blockBytes, pieceBlocks-i%pieceBlocks)
		f.partCall(k.start(), &c.offset[0], &data[0], i%pieceBlocks, n)
		data, i = data[n*blockBytes:], i+n
		if i%pieceBlocks == 0 {
			step := s.power(bits.TrailingZeros(uint(i)))
			xor(&c.offset, &s.steps[pieceBits])
			xor(&c.offset, &step)
		}
	}
	for i, b := range data {
		c.sum[i] ^= b
	}
	xor(&c.sum, &s.last[len(data)])
	xor(&c.sum, &s.last[blockBytes]) // which the call adds again
	return f.sumCall(k.start(), &c.sum[0], blockBytes)
}

func (f Form) batch(k *Key, keys batch.Keys, hashes []uint64) {
	if f == portable {
		k.portableBatch(keys, hashes)
		return
	}
	if width, ok := keys.Width(); ok && (width == 8 || width == 16) {
		from := 0
		for whole := len(hashes) / fixedGroup * fixedGroup; from < whole; {
			n := min(whole-from, callKeys)
			f.fixedCall(k.start(), width, &keys.At(from)[0], n, &hashes[from])
			from += n
		}
		for ; from < len(hashes); from++ {
			hashes[from] = f.sum64(k, keys.At(from))
		}
		return
	}
	b := keys.Buffer()
	for h := keys.Headers(b, len(hashes)); h.Next(callKeys); {
		start, n := h.Keys()
		for done := 0; done < n; {
			headers, stride, data := h.From(done)
			m := f.keysCall(k.start(), data, headers, stride, n-done, &hashes[start+done])
			done += m
			if m == 0 { // too long for a call
				hashes[start+done] = f.sum64(k, keys.At(start+done))
				done++
			}
		}
	}
	b.Free()
}
