package pmac

import (
	"crypto/aes"
	"crypto/cipher"
	"math/bits"

	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Size is the size of a key.
const Size = 16

const (
	blockBytes = aes.BlockSize
	rounds     = 10

	// pieceBits is the logarithm of the blocks that a call of assembly takes.
	pieceBits   = 12
	pieceBlocks = 1 << pieceBits
)

type block = [blockBytes]byte

// Key is a key of PMAC, and what it gives. The zero value is no key: its hashes are those of
// [Foreign]. A key is never written after [Key.Init].
type Key struct {
	state  state // first, so that the assembly can hand it back: see other
	secret [Size]byte
	cipher cipher.Block
}

// Foreign hashes where a pointer is to the zero Key, or to none, and [HandsBack]: package
// filter/key has other hashes behind such pointers, so that one call is all that it needs for every
// key.
var Foreign func(k *Key, data []byte) uint64

// state is what the assembly has in memory: the numbers of avogen/pmac.go are the places here. What
// is added to a block has round key 0 in it where the assembly expanded the key.
type state struct {
	keys    [rounds + 1]block     // round keys; zero without assembly
	last    [blockBytes + 1]block // by the length of a last block, what is added to it
	steps   [pieceBits + 1]block  // x^i * L
	between [4]block              // gray(i) * L
	near    [8]block              // the offsets of blocks 1 to 8
	shifts  [2 * blockBytes]byte  // 0 to 15, and 16 bytes of 255
	ours    bool                  // whether it is a key of PMAC
}

// New returns the key of these bytes.
func New(secret [Size]byte) *Key {
	k := new(Key)
	k.Init(secret)
	return k
}

// Init makes k the key of these bytes.
func (k *Key) Init(secret [Size]byte) {
	dispatch.Depend()
	c, err := aes.NewCipher(secret[:])
	if err != nil {
		panic(err) // for other sizes only
	}
	*k = Key{secret: secret, cipher: c}
	s := &k.state
	s.ours = true
	expand(k)
	l := new(block) // on the heap, where the interface has it anyway
	c.Encrypt(l[:], l[:])
	for i := range s.last {
		if i < blockBytes {
			s.last[i][i] = 0x80
		} else {
			s.last[i] = halved(*l)
		}
		xor(&s.last[i], &s.keys[0])
	}
	step := *l
	for i := range s.steps {
		s.steps[i] = step
		step = doubled(step)
	}
	s.between[1] = s.steps[0]
	s.between[2] = s.steps[0]
	xor(&s.between[2], &s.steps[1])
	s.between[3] = s.steps[1]
	offset := s.keys[0]
	for i := range s.near {
		xor(&offset, &s.steps[bits.TrailingZeros(uint(i+1))])
		s.near[i] = offset
	}
	for i := range s.shifts {
		s.shifts[i] = 255
		if i < blockBytes {
			s.shifts[i] = byte(i)
		}
	}
}

// Bytes returns the bytes of the key itself.
func (k *Key) Bytes() []byte { return k.secret[:] }

// Batch stores the hashes of keys.
func (k *Key) Batch(keys batch.Keys, hashes []uint64) { k.BatchOn(active, keys, hashes) }

// BatchOn is Batch on one form: for comparisons.
func (k *Key) BatchOn(f Form, keys batch.Keys, hashes []uint64) { f.batch(k, keys, hashes) }

// Sum64On is Sum64 on one form: for comparisons.
func (k *Key) Sum64On(f Form, data []byte) uint64 { return f.sum64(k, data) }

// Sum64Uint64 returns the hash of the 8 bytes of n, the least significant first.
func (k *Key) Sum64Uint64(n uint64) uint64 {
	data := [8]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), byte(n >> 32),
		byte(n >> 40), byte(n >> 48), byte(n >> 56)}
	return k.Sum64(data[:])
}

// doubled and halved return the products with x and 1/x in GF(2^128), of the polynomial x^128 +
// x^7 + x^2 + x + 1. Bit 127 is the first of a block. They take the same time for every block.
func doubled(b block) (r block) {
	carry := b[0] >> 7
	for i := range b[1:] {
		r[i] = b[i]<<1 | b[i+1]>>7
	}
	r[15] = b[15]<<1 ^ carry*0x87
	return r
}

func halved(b block) (r block) {
	odd := b[15] & 1
	for i := range b[1:] {
		r[i+1] = b[i+1]>>1 | b[i]<<7
	}
	r[0] = b[0]>>1 ^ odd*0x80
	r[15] ^= odd * 0x43
	return r
}

func xor(dst, x *block) {
	for i := range dst {
		dst[i] ^= x[i]
	}
}
