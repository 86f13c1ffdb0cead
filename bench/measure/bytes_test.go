package measure

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/pmac"
)

// Keys lie one behind another, have all of their lengths, and differ.
func TestByteKeys(t *testing.T) {
	const n = 2000
	for _, l := range slices.Concat(hashLengths, stackLengths, peerLengths) {
		b := newByteKeys(l, n)
		numbers := slices.Concat(b.hit, b.miss, b.mixed)
		seen, lengths := map[string]bool{}, map[int]bool{}
		for at, number := range numbers {
			if number != uint64(at) {
				t.Fatalf("key %d has the number %d", at, number)
			}
			b.set(number, member(number))
		}
		if !bytes.Equal(slices.Concat(b.slice(numbers)...), b.data) {
			t.Errorf("%v: the keys are not the data", l)
		}
		for i, key := range b.slice(numbers) {
			seen[string(key)], lengths[len(key)] = true, true
			if zero := bytes.Count(key, []byte{0}); zero > 6+len(key)/32 {
				t.Fatalf("%v: key %x", l, key)
			}
			if b.words != nil && !bytes.Equal(key, leBytes(b.words[i])) {
				t.Errorf("key %x is the word %x", key, b.words[i])
			}
		}
		if len(seen) != 3*n || len(lengths) != l.most-l.least+1 || lengths[l.least] != true ||
			lengths[l.most] != true {
			t.Errorf("%v: %d different keys of %d, lengths %v", l, len(seen), 3*n, lengths)
		}
		if got := b.slice(numbers[5:9]); len(got) != 4 || &got[0][0] != &b.all[5][0] {
			t.Errorf("%v: a slice of the keys is another", l)
		}
	}
}

func leBytes(word uint64) (b []byte) {
	for range 8 {
		b, word = append(b, byte(word)), word>>8
	}
	return b
}

// Every subject of a group of hashes hashes just the keys of its slice, and batches of a function
// do what its calls of one key do.
func TestHashSubjects(t *testing.T) {
	var got [][]byte // that another's hash was given
	spy := peer.Hash{Name: "spy", Sum: func(keys [][]byte, _ []uint64) { got = keys },
		Chain: func(keys [][]byte) uint64 { got = keys; return 0 }}
	for _, l := range hashLengths {
		groups, out := hashes(l, []peer.Hash{spy})
		// each has a form for one key, and AES-PMAC has batches
		functions := len(key.Algorithms())
		for i, n := range []int{functions + len(pmac.Forms()) + 1, functions + 1} {
			if got := len(groups[i].subjects); got != n || groups[i].KeyBytes != l.String() {
				t.Fatalf("%v: %d subjects, want %d, %+v", l, got, n, groups[i].Conditions)
			}
		}
		g := groups[0]
		numbers := g.phases[0].keys[g.slice:][:g.slice]
		keys := newByteKeys(l, hashSlices*g.slice)
		for _, number := range numbers {
			keys.set(number, member(number))
		}
		byFunction := map[string][]uint64{}
		for _, s := range append(g.subjects, groups[1].subjects[functions]) {
			clear(out)
			got = nil
			s.warm(numbers)
			s.do[hashing](numbers)
			if s.kind == result.Peer {
				if !slices.EqualFunc(got, keys.slice(numbers), bytes.Equal) {
					t.Errorf("%v: another's hash was given %d keys, or others", l, len(got))
				}
				continue
			}
			_, function := result.Subject{Name: s.name}.HashFunction()
			if byFunction[function] == nil {
				byFunction[function] = slices.Clone(out)
			}
			if slices.Contains(out, 0) || !slices.Equal(out, byFunction[function]) {
				t.Errorf("%v: %s has other hashes", l, s.name)
			}
		}
		if len(byFunction) != functions {
			t.Errorf("%v: %d functions, want %d", l, len(byFunction), functions)
		}
	}
}

// The steps of a stack ask both tables for the same keys, the ready hashes are those of the keys,
// and another pass has other keys.
func TestStack(t *testing.T) {
	secret := key.New()
	filters := [2]*deletable.Filter{}
	for i := range filters {
		f, err := deletable.New(deletable.Config{Members: testKeys,
			BitsPerKey: bitsPerKey, Key: secret})
		if err != nil {
			t.Fatal(err)
		}
		filters[i] = f
	}
	for _, l := range stackLengths {
		small, large := filters[0], filters[1]
		small.Reset()
		large.Reset()
		g := stack(l, 2*sliceKeys, 1<<20, secret, small, large)
		numbers := g.phases[0].keys[sliceKeys:]
		g.draw(0)
		rng := rand.New(rand.NewPCG(1, uint64(l.most)))
		for _, number := range numbers {
			k := make([]byte, l.most)
			writeKey(k, nonMember(number))
			if rng.IntN(4) == 0 {
				if _, err := small.Insert(k); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := large.Insert(k); err != nil {
				t.Fatal(err)
			}
		}
		for pass, want := range [][2]float64{{0.25, 1}, {0, 0}} {
			g.draw(pass)
			// hash, index, ready hashes, keys
			for i, share := range []float64{0, want[0], want[1], want[1]} {
				s := g.subjects[i]
				s.warm(numbers)
				if got := float64(s.do[query](numbers)) / sliceKeys; got < share-0.05 ||
					got > share+0.05 {
					t.Errorf("keys of %v bytes, pass %d, %s: %v are present, want %v", l, pass,
						s.name, got, share)
				}
			}
		}
	}
}

// A run has hashes by all and of every length, also in chains, and stacks on the largest table.
func TestBytes(t *testing.T) {
	r := NewRun()
	other := peer.Hash{Name: "other", Module: "m", Algorithm: "a", Keyed: true,
		Sum: func(keys [][]byte, hashes []uint64) {
			for i, key := range keys {
				hashes[i] = uint64(key[0])
			}
		},
		Chain: func(keys [][]byte) (sum uint64) {
			for _, key := range keys {
				sum += uint64(key[0])
			}
			return sum
		}}
	s := testSettings(smallBytes, 2<<20)
	s.Hashes(r, []peer.Hash{other})
	if err := s.Bytes(r); err != nil {
		t.Fatal(err)
	}
	forms := map[string]int{}
	for _, g := range r.Groups {
		forms[g.Form]++
		if g.Form == result.FormStack && (g.Bytes != 2<<20 || len(g.Subjects) != 4) {
			t.Errorf("%+v", g)
		}
		for _, s := range g.Subjects {
			if !(s.Least > 0) || s.Yes > 0.01 {
				t.Errorf("%+v: %+v: no time, or members", g.Conditions, s)
			}
		}
	}
	if forms[result.FormBatch] != len(hashLengths) || forms[result.FormChain] != len(hashLengths) ||
		forms[result.FormStack] != len(stackLengths) {
		t.Errorf("groups by form: %v", forms)
	}
	want := result.Library{Name: "other", Module: "m", Use: "a key per call",
		Hash: "a", Keyed: true}
	if !slices.Contains(r.Libraries, want) {
		t.Errorf("libraries %+v, want %+v", r.Libraries, want)
	}
}

// Members are hashes and then keys of bytes of each length, each once, and those that are lost are
// counted of both.
func TestHeld(t *testing.T) {
	two := peerLengths[:2]
	h := held{3, 2, two}
	var got []uint64
	h.each(h.count(), func(hashes []uint64) { got = append(got, hashes...) }, func(keys [][]byte) {
		for _, key := range keys {
			for i := range uint64(9) {
				want := make([]byte, len(key))
				if writeKey(want, member(i)); bytes.Equal(key, want) {
					got = append(got, uint64(len(key))*100+i)
				}
			}
		}
	})
	if want := []uint64{member(0), member(1), member(2), 1603, 1604, 3205,
		3206}; !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
	f, _, _, err := fill(&peer.OursOfBytes()[0], held{1000, 500, two}, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		held
		lost int64
	}{
		{held{1000, 500, two}, 0}, {held{1000, 500, peerLengths}, 500}, {held{2300, 0, nil}, 1300},
	} {
		if _, _, lost := judge(f, test.held); lost < test.lost-10 || lost > test.lost {
			t.Errorf("%+v: %d are lost, want %d", test.held, lost, test.lost)
		}
	}
}
