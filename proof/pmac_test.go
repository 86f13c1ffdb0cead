package proof

import (
	"crypto/aes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/internal/pmac"
	"github.com/bloomlane/bloomlane/internal/require"
)

// memoryOf is what a key of AES-PMAC has in memory.
func memoryOf(k *pmac.Key) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(k)), unsafe.Sizeof(*k)))
}

// stateOf returns a part of the state of a key, of which the memory is given.
func stateOf(memory []byte, name string) []byte {
	field := stateFields[name]
	return memory[field.Offset:][:field.Type.Size()]
}

// expands says whether this CPU expands keys.
func expands() bool { return pmac.Forms()[0].String() != portableForm().String() }

func portableForm() pmac.Form { return pmac.Forms()[len(pmac.Forms())-1] }

// portableQuestion is one that no machine code is asked about.
func portableQuestion() *cipherQuestion { return (&Program{}).askCipher(Ciphers[0], nil) }

// values computes bytes from the blocks that variables are.
func (q *cipherQuestion) values(of map[string][]byte, bytes []*term) (all []byte) {
	e := newEvaluation(q.pool, bytes)
	for _, t := range q.order {
		if b := of[t.name]; t.operator == variable && b != nil {
			e.values[t.number] = value{binary.LittleEndian.Uint64(b),
				binary.LittleEndian.Uint64(b[8:])}
		}
	}
	e.run()
	for _, t := range bytes {
		all = append(all, byte(e.lookup(t)[0]))
	}
	return all
}

// blocks names the blocks of a list.
func blocks(of map[string][]byte, name string, list []byte) {
	for i := range len(list) / cipherBlock {
		of[fmt.Sprint(name, i)] = list[cipherBlock*i:][:cipherBlock]
	}
}

// known returns the variables of a question for one key: the round keys as the statement expands
// it, and the products with L that Go made.
func (q *cipherQuestion) known(secret []byte) map[string][]byte {
	memory := memoryOf(pmac.New([pmac.Size]byte(secret)))
	of := map[string][]byte{"secret": secret}
	blocks(of, "key", q.values(of, q.expanded(q.block("secret"))))
	blocks(of, "step", stateOf(memory, "steps"))
	half := stateOf(memory, "last")[cipherBlock*cipherBlock:]
	for i, b := range stateOf(memory, "keys")[:cipherBlock] {
		half[i] ^= b
	}
	of["half"] = half
	return of
}

func randomBytes(r *rand.Rand, n int) []byte {
	all := make([]byte, n)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	return all
}

// The statement of the theorems is what portable Go computes, and AES that of crypto/aes. On a CPU
// with AES instructions what a key has in memory is what the theorems assume.
func TestStatementOfPMAC(t *testing.T) {
	needsSolver(t)
	random := rand.New(rand.NewPCG(5, 6))
	q := portableQuestion()
	state, block := q.state(), q.block("block")
	encrypted := q.encrypted(block)
	data := slices.Clone(block[:0])
	for i := range (slices.Max(Lengths) + cipherBlock - 1) / cipherBlock {
		data = append(data, q.block(fmt.Sprint("data", i))...)
	}
	for range 8 {
		secret := randomBytes(random, pmac.Size)
		k, of := pmac.New([pmac.Size]byte(secret)), q.known(secret)
		c, err := aes.NewCipher(secret)
		if err != nil {
			t.Fatal(err)
		}
		of["block"] = randomBytes(random, cipherBlock)
		want := make([]byte, cipherBlock)
		if c.Encrypt(want, of["block"]); !slices.Equal(q.values(of, encrypted), want) {
			t.Fatalf("the statement's cipher is not AES for %x under %x", of["block"], secret)
		}
		if c.Encrypt(want, make([]byte, cipherBlock)); !slices.Equal(of["step0"], want) {
			t.Fatalf("the state of %x has another L than crypto/aes", secret)
		}
		memory := memoryOf(k)
		for i, got := range q.values(of, slices.DeleteFunc(slices.Clone(state), isNil)) {
			if expands() && got != memory[i] {
				t.Fatalf("byte %d of the state of %x is %#x, the theorems assume %#x", i, secret,
					memory[i], got)
			}
		}
		n := Lengths[random.IntN(len(Lengths))]
		key := randomBytes(random, len(data))
		blocks(of, "data", key)
		got := binary.LittleEndian.Uint64(q.values(of, q.hash(data[:n])))
		if want := k.Sum64On(portableForm(), key[:n]); got != want {
			t.Fatalf("%x under %x: the statement has %#x, portable Go %#x", key[:n], secret, got,
				want)
		}
	}
}

func isNil(t *term) bool { return t == nil }

// The S-box, which theorems take for any function, is that of the CPU: the first word of round key
// 1 has it of the last word of a key.
func TestSubstitutionsAreTheCPUs(t *testing.T) {
	needsSolver(t)
	if !expands() {
		require.Skip(t, "avx2", "the CPU has no AES instructions")
	}
	for b := range 256 {
		var secret [pmac.Size]byte
		secret[13] = byte(b)
		got := stateOf(memoryOf(pmac.New(secret)), "keys")[cipherBlock] ^ 1
		if got != substitutions[b] {
			t.Errorf("S-box of %#x: the CPU has %#x, the model %#x", b, got, substitutions[b])
		}
	}
}
