package measure

import (
	"encoding/binary"
	"math/bits"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/pmac"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// hashing is the operation of hashes alone.
const hashing = "hash"

// lengths are those of keys of bytes, both ends included.
type lengths struct{ least, most int }

func (l lengths) String() string {
	if l.least == l.most {
		return strconv.Itoa(l.least)
	}
	return strconv.Itoa(l.least) + "-" + strconv.Itoa(l.most)
}

var (
	// hashLengths are those of the keys that are hashed and no more, stackLengths of those of a
	// stack.
	hashLengths = []lengths{{4, 4}, {8, 8}, {12, 12}, {16, 16}, {17, 17}, {20, 20}, {24, 24},
		{31, 31}, {32, 32}, {40, 40}, {48, 48}, {64, 64}, {96, 96}, {112, 112}, {128, 128},
		{256, 256}, {1024, 1024}, {8, 64}}
	stackLengths = []lengths{{8, 8}, {16, 16}}

	// peerLengths are those of the keys of filters: the first is that of a flow of IPv4, as package
	// key packs it.
	peerLengths = []lengths{{16, 16}, {32, 32}, {8, 8}}
)

// byteKeys are keys of bytes, which lie one behind another in data. What groups have as keys is
// their numbers.
type byteKeys struct {
	keys
	data  []byte
	all   [][]byte
	words []uint64 // the same, where keys have 8 bytes
}

// newByteKeys returns keys of zeros, n for each of what is asked.
func newByteKeys(l lengths, n int) *byteKeys {
	b := &byteKeys{keys: newKeys(n)}
	starts := []int{0}
	for at, numbers := range [][]uint64{b.hit, b.miss, b.mixed} {
		for i := range numbers {
			numbers[i] = uint64(at*n + i)
			length := l.least + int(workload.Mix(numbers[i])%uint64(l.most-l.least+1))
			starts = append(starts, starts[len(starts)-1]+length)
		}
	}
	b.data = make([]byte, starts[3*n])
	for i := range 3 * n {
		b.all = append(b.all, b.data[starts[i]:starts[i+1]:starts[i+1]])
	}
	if l.most == 8 {
		b.words = make([]uint64, 3*n)
	}
	return b
}

// set makes a key of a number: different numbers give different keys of one length.
func (b *byteKeys) set(number, x uint64) {
	if b.words != nil {
		b.words[number] = x
	}
	writeKey(b.all[number], x)
}

// writeKey fills a key of 4 bytes, or of 8 or more.
func writeKey(key []byte, x uint64) {
	if len(key) < 8 {
		binary.LittleEndian.PutUint32(key, uint32(x))
		return
	}
	for i := 0; i < len(key); i += 8 {
		start := min(i, len(key)-8) // the last word may overlap the one before
		if i > 0 {
			x = workload.Mix(x)
		}
		binary.LittleEndian.PutUint64(key[start:], x)
	}
}

// slice returns the keys of numbers that follow one another.
func (b *byteKeys) slice(numbers []uint64) [][]byte { return b.all[numbers[0]:][:len(numbers)] }

// warm brings keys into the cache. It returns what it found, so that the loads stay.
//
//go:noinline
func (b *byteKeys) warm(numbers []uint64) (sum byte) {
	for _, key := range b.slice(numbers) {
		sum += key[0] + key[len(key)-1]
	}
	return sum
}

// Hashes measures hashes of keys of bytes, of this project and of others, and adds the results to
// the run.
func (s Settings) Hashes(r *result.Run, others []peer.Hash) {
	defer Quiet(-1)()
	for _, other := range others {
		r.Libraries = append(r.Libraries, result.Library{
			Name: other.Name, Module: other.Module, Version: other.Version, Use: "a key per call",
			Hash: other.Algorithm, Keyed: other.Keyed,
		})
	}
	for _, l := range hashLengths {
		groups, _ := hashes(l, others)
		for _, g := range groups {
			s.time(r, g)
		}
	}
}

// Bytes measures the stack of costs of a query on the largest table, and adds the results to the
// run.
func (s Settings) Bytes(r *result.Run) error {
	defer Quiet(-1)()
	size := slices.Max(s.Sizes)
	if s.Quick {
		size = min(size, quickBytes)
	}
	for _, size := range fitting(r, []int64{size}, 1) {
		groups, err := s.stacks(size)
		if err != nil {
			return err
		}
		for _, g := range groups {
			s.time(r, g)
		}
	}
	debug.FreeOSMemory()
	return nil
}

// ourHashes are keys of all algorithms, the default first.
func ourHashes() (all []key.Key) {
	for _, a := range key.Algorithms() {
		all = append(all, a.New())
	}
	return all
}

// hashSlices is the number of slices of keys that are hashed. A slice has sliceKeys keys, or fewer,
// so that its keys stay in the second-level cache.
const hashSlices = 8

// hashes returns the groups of hashes alone: independent ones, by our batches and by the calls of
// one key, ours and others'; and chains, in which each call waits for the one before. Batches of
// one length are of keys that lie one behind another. Independent hashes are stored in out.
func hashes(l lengths, others []peer.Hash) (groups []group, out []uint64) {
	slice := min(sliceKeys, 1<<bits.Len(uint(256<<10/l.most))/2)
	b := newByteKeys(l, hashSlices*slice)
	out = make([]uint64, slice)
	for i := range b.all {
		b.set(uint64(i), member(uint64(i)))
	}
	g := group{
		Conditions: result.Conditions{Form: result.FormBatch, KeyBytes: l.String(),
			Cores: 1, Unit: "key"},
		phases: []phase{{operation: hashing, keys: b.hit}},
		slice:  slice, units: slice, turn: hashSlices,
	}
	chains := g
	chains.Form = result.FormChain
	add := func(g *group, kind result.Kind, name string, sum func(numbers []uint64)) {
		g.subjects = append(g.subjects, subject{
			kind: kind, name: name, warm: func(numbers []uint64) { b.warm(numbers) },
			do: operations{hashing: func(numbers []uint64) int { sum(numbers); return 0 }},
		})
	}
	last := uint64(0) // of a chain, so that it is not left out
	for _, secret := range ourHashes() {
		behind := result.HashSeparator + secret.Algorithm().String()
		if secret.Algorithm() == key.AESPMAC {
			batches := pmac.New([pmac.Size]byte(secret.Bytes()[len("pmac:"):]))
			for _, form := range pmac.Forms() {
				add(&g, result.Implementation, form.String()+behind, func(numbers []uint64) {
					keys := batch.Of(b.slice(numbers), out)
					if l.least == l.most {
						data := b.data[int(numbers[0])*l.most:][:len(numbers)*l.most]
						keys = batch.Fixed(data, l.most, out)
					}
					batches.BatchOn(form, keys, out)
				})
			}
		}
		add(&g, result.Implementation, result.Methods+behind, func(numbers []uint64) {
			for i, key := range b.slice(numbers) {
				out[i] = secret.Hash(key)
			}
		})
		add(&chains, result.Implementation, result.Methods+behind, func(numbers []uint64) {
			keys, hash := b.slice(numbers), uint64(0)
			for i := range keys {
				hash = secret.Hash(keys[peer.Next(i, hash)])
			}
			last += hash
		})
	}
	for _, other := range others {
		add(&g, result.Peer, other.Name, func(numbers []uint64) {
			other.Sum(b.slice(numbers), out)
		})
		add(&chains, result.Peer, other.Name, func(numbers []uint64) {
			last += other.Chain(b.slice(numbers))
		})
	}
	return []group{g, chains}, out
}

// stacks returns what a query of keys of bytes is made of: the hash alone; hash and index, by a
// table that the first-level cache holds; a batch of ready hashes on a table of the given size; and
// the keys on that.
func (s Settings) stacks(size int64) (all []group, err error) {
	secret := key.New()
	tables := map[int64]*deletable.Filter{}
	for _, bytes := range []int64{smallBytes, size} {
		m := membersOf(bytes)
		f, err := deletable.New(deletable.Config{Members: m.count(),
			BitsPerKey: bitsPerKey, Key: secret})
		if err != nil {
			return nil, err
		}
		hashes := make([]uint64, sliceKeys)
		for i := 0; i < m.count(); i += sliceKeys {
			for j := range hashes {
				hashes[j] = m.hash(uint64(i + j))
			}
			if _, err := f.InsertHashBatch(hashes, nil); err != nil {
				return nil, err
			}
		}
		tables[bytes] = f
	}
	n := quickKeys
	if s.keys > 0 {
		n = s.keys
	}
	for _, l := range stackLengths {
		all = append(all, stack(l, n, size, secret, tables[smallBytes], tables[size]))
	}
	return all, nil
}

// stack returns the group of one length of keys.
func stack(l lengths, n int, size int64, secret key.Key, small, large *deletable.Filter) group {
	b, ready := newByteKeys(l, n), make([]uint64, n)
	out, present := make([]uint64, sliceKeys), make([]uint64, sliceKeys/64)
	hash := func(numbers, hashes []uint64) {
		if b.words != nil {
			secret.HashUint64Batch(b.words[numbers[0]:][:len(numbers)], hashes)
		} else {
			secret.HashBatch(b.slice(numbers), hashes)
		}
	}
	ask := func(f *deletable.Filter, numbers []uint64) int {
		if b.words != nil {
			return f.QueryUint64Batch(b.words[numbers[0]:][:len(numbers)], present)
		}
		return f.QueryBatch(b.slice(numbers), present)
	}
	g := group{
		Conditions: result.Conditions{
			KeyBytes: l.String(), Form: result.FormStack, BlockBits: 512, Pages: pagesHeap,
			Bytes: size, Cores: 1, Unit: "key",
		},
		phases: []phase{{query, "miss", b.hit}}, // the first of the keys, which are no members
		slice:  sliceKeys, units: sliceKeys, turn: n / sliceKeys,
		draw: func(pass int) { // of other lines, or a cache would hold them
			for i := range b.hit {
				b.set(uint64(i), nonMember(uint64(pass*n+i)))
			}
			hash(b.hit, ready)
		},
	}
	for _, step := range []struct {
		name string
		run  stream
	}{
		{result.StepHash, func(numbers []uint64) int { hash(numbers, out); return 0 }},
		{result.StepIndex, func(numbers []uint64) int { return ask(small, numbers) }},
		{result.StepReady, func(numbers []uint64) int {
			return large.QueryHashBatch(ready[numbers[0]:][:len(numbers)], present)
		}},
		{result.StepKeys, func(numbers []uint64) int { return ask(large, numbers) }},
	} {
		g.subjects = append(g.subjects, subject{
			kind: result.Implementation, name: step.name, do: operations{query: step.run},
			warm: func(numbers []uint64) {
				ask(small, numbers)
				small.QueryHashBatch(ready[numbers[0]:][:len(numbers)], present)
			},
		})
	}
	return g
}
