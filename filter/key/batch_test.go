package key

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// A key has the same hash in every form, on hosts of both byte orders.
func TestBatchesAreTheirKeys(t *testing.T) {
	each(t, batchesAreTheirKeys)
}

func batchesAreTheirKeys(t *testing.T, a Algorithm) {
	rng := rand.New(rand.NewPCG(16, 1))
	for _, n := range []int{0, 1, 7, 8, 100, 2000} {
		k := a.New()
		keys, strings, offsets := make([][]byte, n), make([]string, n), make([]int64, n+1)
		numbers, fixed := make([]uint64, n), []byte{}
		var data []byte
		for i := range n {
			key := make([]byte, rng.IntN(100))
			for j := range key {
				key[j] = byte(rng.Uint32())
			}
			keys[i], strings[i], numbers[i] = key, string(key), rng.Uint64()
			data = append(data, key...)
			offsets[i+1] = int64(len(data))
			fixed = binary.LittleEndian.AppendUint64(fixed, numbers[i])
		}
		collect := func(hash func(i int) uint64) []uint64 {
			want := make([]uint64, n)
			for i := range want {
				want[i] = hash(i)
			}
			return want
		}
		hashes := make([]uint64, n)
		for form, test := range map[string]struct {
			call func()
			want []uint64
		}{
			"HashBatch": {func() { k.HashBatch(keys, hashes) },
				collect(func(i int) uint64 { return k.Hash(keys[i]) })},
			"HashStringBatch": {func() { k.HashStringBatch(strings, hashes) },
				collect(func(i int) uint64 { return k.Hash(keys[i]) })},
			"HashOffsetsBatch": {func() { HashOffsetsBatch(k, data, offsets, hashes) },
				collect(func(i int) uint64 { return k.Hash(keys[i]) })},
			"HashUint64Batch": {func() { k.HashUint64Batch(numbers, hashes) },
				collect(func(i int) uint64 { return k.HashUint64(numbers[i]) })},
			"HashFixedBatch": {func() { k.HashFixedBatch(fixed, 8, hashes) },
				collect(func(i int) uint64 { return k.HashUint64(numbers[i]) })},
		} {
			clear(hashes)
			test.call()
			if !slices.Equal(hashes, test.want) {
				t.Errorf("%s of %d keys: %x, want %x", form, n, hashes, test.want)
			}
		}
	}
}
