package pmac

import (
	"crypto/aes"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"testing"
)

// authors are the test vectors of PMAC with AES-128 by Rogaway (in his reference code): the tag of
// 00 01 02 …, by its number of bytes, under the key 00 01 … 0f.
var authors = map[int]string{
	0:  "4399572cd6ea5341b8d35876a7098af7",
	3:  "256ba5193c1b991b4df0c51f388a9e27",
	16: "ebbd822fa458daf6dfdad7c27da76338",
	20: "0412ca150bbf79058d8c75a58c993f55",
	32: "e97ac04e9e5e3399ce5355cd7407bc75",
	34: "5cba7d5eb24f7c86ccc54604e53d5512",
}

// zeros1000 is that of a thousand zeros.
const zeros1000 = "c2c9fa1d9985f6f0d2aff915a0e8d910"

// ofTag returns the hash that is the first half of a tag.
func ofTag(t *testing.T, tag string) uint64 {
	b, err := hex.DecodeString(tag)
	if err != nil || len(b) != 16 {
		t.Fatal(tag, err)
	}
	return binary.LittleEndian.Uint64(b)
}

func TestVectors(t *testing.T) {
	key := Ascending(Size)
	Each(t, func(t *testing.T, f Form) {
		k := newOn(f, key)
		for n, tag := range authors {
			want := ofTag(t, tag)
			data := Ascending(n)
			for form, got := range EveryForm(k, data) {
				if got != want {
					t.Errorf("%s of %d bytes: %#x, want %#x", form, n, got, want)
				}
			}
			if got := reference(key, data); got != want {
				t.Errorf("the reference's hash of %d bytes: %#x, want %#x", n, got, want)
			}
		}
		if got, want := k.Sum64(make([]byte, 1000)), ofTag(t, zeros1000); got != want {
			t.Errorf("a thousand zeros: %#x, want %#x", got, want)
		}
	})
}

// The round keys are those of FIPS 197, appendix A.1, where the assembly expands the key.
func TestRoundKeys(t *testing.T) {
	if Forms()[0] == portable {
		return
	}
	k := New([Size]byte{0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88,
		0x09, 0xcf, 0x4f, 0x3c})
	for i, want := range map[int]uint64{0: 0xa6d2ae2816157e2b, 1: 0xb12c548817fefaa0,
		10: 0x8925eec9a8f914d0} {
		if got := binary.LittleEndian.Uint64(k.state.keys[i][:]); got != want {
			t.Errorf("round key %d begins with %#x, want %#x", i, got, want)
		}
	}
}

// reference is PMAC by the words of the paper, with products in GF(2^128) as polynomials.
func reference(secret, data []byte) uint64 {
	c, err := aes.NewCipher(secret)
	if err != nil {
		panic(err)
	}
	encrypt := func(x *big.Int) *big.Int {
		b := x.FillBytes(make([]byte, 16))
		c.Encrypt(b, b)
		return new(big.Int).SetBytes(b)
	}
	l, sum := encrypt(new(big.Int)), new(big.Int)
	product := new(big.Int) // gray(i) * L
	for i := 1; len(data) > 16; i++ {
		// gray(i) is i ^ i>>1, and differs from the one before in one bit.
		bit := (i ^ i>>1) ^ (i - 1 ^ (i-1)>>1)
		product.Xor(product, times(l, big.NewInt(int64(bit))))
		x := new(big.Int).SetBytes(data[:16])
		sum.Xor(sum, encrypt(x.Xor(x, product)))
		data = data[16:]
	}
	last := make([]byte, 16)
	copy(last, data)
	if len(data) < 16 {
		last[len(data)] = 0x80
	} else {
		// The inverse of x is x^127 + x^6 + x + 1.
		inverse := new(big.Int).SetBit(big.NewInt(0x43), 127, 1)
		sum.Xor(sum, times(l, inverse))
	}
	sum.Xor(sum, new(big.Int).SetBytes(last))
	return binary.LittleEndian.Uint64(encrypt(sum).FillBytes(make([]byte, 16)))
}

// times multiplies modulo x^128 + x^7 + x^2 + x + 1.
func times(x, y *big.Int) *big.Int {
	product := new(big.Int)
	for i := range y.BitLen() {
		if y.Bit(i) == 1 {
			product.Xor(product, new(big.Int).Lsh(x, uint(i)))
		}
	}
	modulus := new(big.Int).SetBit(big.NewInt(0x87), 128, 1)
	for i := product.BitLen() - 1; i >= 128; i-- {
		if product.Bit(i) == 1 {
			product.Xor(product, new(big.Int).Lsh(modulus, uint(i-128)))
		}
	}
	return product
}
