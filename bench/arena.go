package main

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"github.com/bloomlane/bloomlane/kernel"
)

const (
	streamKeys = 2 << 20 // the hashes of a stream
	sliceKeys  = 4096    // of a slice of it

	blockBytes   = int(unsafe.Sizeof(kernel.Block512{}))
	blockMembers = 32 // 16 bits a key

	// warmBytes is the size up to which a table is in the cache when the time of a slice begins.
	warmBytes = 512 << 10
)

// members are a set of hashes that is not stored: member i is a random place in the i-th of count
// equal parts of the hash space, so that each block has the same number of them.
type members struct{ log2 int } // of their count

func membersOf(nblocks int) members { return members{bits.Len(uint(nblocks*blockMembers)) - 1} }

func (m members) count() int { return 1 << m.log2 }

func (m members) hash(i uint64) uint64 { return i<<(64-m.log2) | mix(i)>>m.log2 }

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// arena is equal tables, one on each kind of pages, and a stream of hashes for them.
type arena struct {
	bytes   int64
	tables  map[string]kernel.Table512 // by the kind of pages
	release []func() error
	members members
	order   []uint32 // in which the stream takes the groups that the members are cut into
	group   uint64   // members in a group
	stream  []uint64 // members; no one twice in a turn
	asked   []uint64 // the stream, where a random half of the members is replaced by strangers
	drawn   bool
	hits    []uint64
	status  []kernel.Status
}

// newArena makes and fills tables of the given size for streams of keys hashes, which is a power
// of two and no less than a slice.
func newArena(bytes int64, keys int) (*arena, error) {
	nblocks := int(bytes / int64(blockBytes))
	a := &arena{
		bytes:   bytes,
		tables:  map[string]kernel.Table512{},
		members: membersOf(nblocks),
		order:   make([]uint32, keys),
		stream:  make([]uint64, keys),
		asked:   make([]uint64, keys),
		hits:    make([]uint64, sliceKeys/64),
		status:  make([]kernel.Status, sliceKeys),
	}
	for i, pages := range pageKinds {
		table, release, err := newTable(nblocks, pages)
		if err != nil {
			return nil, errors.Join(err, a.close())
		}
		a.release = append(a.release, release)
		a.tables[pages] = table
		if i == 0 {
			a.fill(table)
		} else {
			copy(table, a.tables[pageKinds[0]])
		}
	}
	a.shuffle()
	return a, nil
}

func (a *arena) close() (err error) {
	for _, release := range a.release {
		err = errors.Join(err, release())
	}
	a.release, a.tables = nil, nil
	return err
}

func (a *arena) fill(table kernel.Table512) {
	for i := 0; i < a.members.count(); i += sliceKeys {
		for j := range sliceKeys {
			a.stream[j] = a.members.hash(uint64(i + j))
		}
		table.InsertBatch(a.stream[:sliceKeys], nil)
	}
}

// shuffle decides the order of the stream: all groups in a random order, and where the stream is
// longer than that, again in another.
func (a *arena) shuffle() {
	rng := rand.New(rand.NewPCG(1, uint64(a.bytes)))
	n := min(a.members.count(), len(a.order))
	a.group = uint64(a.members.count() / n)
	for start := 0; start < len(a.order); start += n {
		part := a.order[start : start+n]
		for i := range part {
			part[i] = uint32(i)
		}
		rng.Shuffle(n, func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
}

// draw makes the stream of a pass: of each group another member, in another block if it has more
// than one.
func (a *arena) draw(pass int) {
	if a.drawn && a.group == 1 {
		return
	}
	a.drawn = true
	for i, g := range a.order {
		within := (mix(uint64(i)) + uint64(pass)*(blockMembers+1)) % a.group
		h := a.members.hash(uint64(g)*a.group + within)
		a.stream[i], a.asked[i] = h, h
		if r := mix(h ^ uint64(pass)); r>>63 == 0 {
			a.asked[i] = mix(r)
		}
	}
}

func (a *arena) slices() int { return len(a.stream) / sliceKeys }

// turn is the number of slices that may be deleted before they are inserted again, so that half of
// the members stay at least, and no member is in a turn twice.
func (a *arena) turn() int { return min(a.slices(), a.members.count()/2/sliceKeys) }

func slice(stream []uint64, i int) []uint64 { return stream[i*sliceKeys : (i+1)*sliceKeys] }

// warm brings the hashes of a slice into the cache, and a small table. It returns what it found, so
// that the loads stay.
//
//go:noinline
func warm(table kernel.Table512, hashes []uint64) (sum uint64) {
	for i := 0; i < len(hashes); i += 8 {
		sum += hashes[i]
	}
	if len(table)*blockBytes <= warmBytes {
		for i := range table {
			sum += table[i][0]
		}
	}
	return sum
}
