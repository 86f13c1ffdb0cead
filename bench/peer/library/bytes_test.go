package library

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/bloomlane/bloomlane/bench/peer"
)

// everyOfBytes calls a test for each filter of keys of bytes, of this project and of others.
func everyOfBytes(t *testing.T, test func(t *testing.T, p peer.Peer, ours bool)) {
	for _, p := range peer.OursOfBytes() {
		t.Run(p.Name, func(t *testing.T) { test(t, p, true) })
	}
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) { test(t, p, false) })
	}
}

// randomBytes returns n different keys of 16 bytes.
func randomBytes(seed uint64, n int) [][]byte {
	words := randomKeys(seed, 2*n)
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil,
			words[2*i]), words[2*i+1])
	}
	return keys
}

// A filter of hashes and of keys of bytes finds both, as one of hashes does.
func TestBytes(t *testing.T) {
	hashes, members := randomKeys(1, testMembers/3), randomBytes(2, testMembers-testMembers/3)
	nonMembers := randomBytes(3, testNonMembers)
	everyOfBytes(t, func(t *testing.T, p peer.Peer, ours bool) {
		b, err := p.New(len(hashes)+len(members), 12)
		if err != nil {
			t.Fatal(err)
		}
		refused := b.Insert(hashes) + b.InsertBytes(members[:1000]) + b.InsertBytes(members[1000:])
		filter, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		f := filter.(peer.BytesFilter)
		lost := testMembers - f.QueryHashBatch(hashes, nil) - f.QueryBatch(members, nil)
		if ours && lost+refused > 0 || lost+refused > testMembers/100 {
			t.Errorf("%d of %d members are lost, and %d were refused", lost, testMembers, refused)
		}
		keys := slices.Concat(nonMembers[:700], members[:333]) // not of whole chunks, nor words
		present := make([]uint64, (len(keys)+63)/64+1)
		present[len(present)-1] = 99
		count, ones := f.QueryBatch(keys, present), 0
		for i, word := range present[:len(present)-1] {
			ones += bits.OnesCount64(word)
			for j, key := range keys[64*i : min(64*i+64, len(keys))] {
				if hit := word>>j&1 == 1; hit != (f.QueryBatch([][]byte{key}, nil) == 1) {
					t.Fatalf("key %d is %v in a batch, and not by itself", 64*i+j, hit)
				}
			}
		}
		if ones != count || count != f.QueryBatch(keys, nil) || present[len(present)-1] != 99 {
			t.Errorf("%d present, %d without answers, %d bits set, or a word behind was written",
				count, f.QueryBatch(keys, nil), ones)
		}
		// As wrong as with hashes, for which there is a formula.
		rate := float64(f.QueryBatch(nonMembers, nil)) / testNonMembers
		byHash := float64(f.QueryHashBatch(randomKeys(4, testNonMembers), nil)) / testNonMembers
		if noise := 6 * math.Sqrt(2*max(rate, byHash)/testNonMembers); math.Abs(rate-byHash) >
			noise+0.05*byHash {
			t.Errorf("%.3f %% false positives, and of hashes %.3f %%", 100*rate, 100*byHash)
		}

		d, deletes := filter.(peer.BytesDeleter)
		if _, inserts := filter.(peer.BytesInserter); deletes != p.Deletes || inserts == p.Static {
			t.Fatalf("a %T, and the peer says deletes %v, static %v", filter, p.Deletes, p.Static)
		}
		if !deletes {
			return
		}
		gone := members[:len(members)/2]
		if deleted := d.DeleteBatch(gone, nil); deleted < len(gone)/2 ||
			f.QueryBatch(gone, nil) > len(gone)/2 {
			t.Errorf("deleted %d of %d, of which %d are still visible", deleted, len(gone),
				f.QueryBatch(gone, nil))
		}
		peer.InsertBytes(d, gone)
		if found := f.QueryBatch(members, nil); ours && found != len(members) ||
			found < len(members)*98/100 {
			t.Errorf("%d of %d members are found after those deleted were inserted again",
				found, len(members))
		}
	})
}

// What is refused behind a chunk of hashes is told by its place.
func TestRefusedBytes(t *testing.T) {
	const last = chunk + 70
	taken := 0
	refused := []byte{1}
	f := growing{insert: func(hashes []uint64) int {
		for i, h := range hashes {
			if h == xxhash.Sum64(refused) {
				return i
			}
			taken++
		}
		return len(hashes)
	}}
	keys := slices.Repeat([][]byte{{0}}, 3*chunk)
	keys[last] = refused
	if n, err := f.InsertBatch(keys, nil); n != last || taken != last || err == nil {
		t.Errorf("%d taken, the filter has %d (%v), want %d and an error", n, taken, err, last)
	}
	if refused := peer.InsertBytes(f, keys); refused != 1 || taken != last+len(keys)-1 {
		t.Errorf("%d refused, %d taken", refused, taken)
	}
}

// A hash is that of the key alone, a chain hashes the keys that it says, and hashes under a secret
// differ from one to another.
func TestHashes(t *testing.T) {
	keys, other := randomBytes(1, 1000), Hashes()
	if peer.Next(4, 2) != 4 || peer.Next(4, 3) != 5 || peer.Next(5, 1) != 4 {
		t.Error("the next key of a chain is none of a pair, or whatever the hash is")
	}
	for n, h := range Hashes() {
		hashes, alone := make([]uint64, len(keys)), make([]uint64, len(keys))
		h.Sum(keys, hashes)
		chained := uint64(0)
		for i := range keys {
			h.Sum(keys[i:i+1], alone[i:])
			chained = hashes[peer.Next(i, chained)]
		}
		if !slices.Equal(hashes, alone) || h.Chain(keys) != chained ||
			len(slices.Compact(slices.Sorted(slices.Values(hashes)))) != len(keys) {
			t.Errorf("%s: a key has another hash in a batch or a chain, or two keys have one",
				h.Name)
		}
		other[n].Sum(keys, alone)
		if secret := !slices.Equal(hashes, alone); secret != h.Keyed {
			t.Errorf("%s has a secret: %v, want %v", h.Name, secret, h.Keyed)
		}
		if h.Module == "" || h.Algorithm == "" {
			t.Errorf("%s of module %q is %q", h.Name, h.Module, h.Algorithm)
		}
	}
}
