package measure

import (
	"errors"
	"math/rand/v2"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

const (
	streamKeys = 1 << 20   // the hashes of a stream at most
	quickKeys  = 256 << 10 // and at least, and in a quick run
	sliceKeys  = 4096      // of a slice of it

	// warmBytes is the size up to which a table is in the cache when the time of a slice begins.
	warmBytes = 512 << 10
)

// arena is equal tables, one on each kind of pages, and a stream of hashes for them.
type arena struct {
	lane      int
	bytes     int64
	tables    map[string]table // by the kind of pages
	release   []func() error
	members   members
	order     []uint32 // in which the stream takes the groups that the members are cut into
	group     uint64   // members in a group
	stream    []uint64 // members; no one twice in a turn
	strangers []uint64
	mixed     []uint64 // the stream, where a random half of the members is replaced by strangers
	drawn     bool
	out       *answers
}

// newArena makes and fills tables of the given size for streams of keys hashes, which is a power
// of two and no less than a slice.
func newArena(lane int, bytes int64, keys int) (*arena, error) {
	a := &arena{
		lane:      lane,
		bytes:     bytes,
		tables:    map[string]table{},
		members:   membersOf(bytes),
		order:     make([]uint32, keys),
		stream:    make([]uint64, keys),
		strangers: make([]uint64, keys),
		mixed:     make([]uint64, keys),
		out:       newAnswers(sliceKeys),
	}
	for i, pages := range pageKinds {
		table, release, err := newTable(lane, bytes, pages)
		if err != nil {
			return nil, errors.Join(err, a.close())
		}
		a.release = append(a.release, release)
		a.tables[pages] = table
		if i == 0 {
			a.fill(table)
		} else {
			copy(table.memory(), a.tables[pageKinds[0]].memory())
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

func (a *arena) fill(table table) {
	insert := table.batch(dispatch.Active(), a.out).insert
	for i := 0; i < a.members.count(); i += sliceKeys {
		for j := range sliceKeys {
			a.stream[j] = a.members.hash(uint64(i + j))
		}
		insert(a.stream[:sliceKeys])
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

// draw makes the streams of a pass: of each group another member, in another block if it has more
// than one, where the table has more lines than a stream has keys.
func (a *arena) draw(pass int) {
	if lines := a.bytes / 64; a.drawn && lines <= int64(len(a.order)) {
		return // a stream asks for about every line, and another would only cost the cache
	}
	a.drawn = true
	perBlock := uint64(a.members.count()) / uint64(a.tables[pageKinds[0]].nblocks())
	for i, g := range a.order {
		within := (workload.Mix(uint64(i)) + uint64(pass)*(perBlock+1)) % a.group
		h := a.members.hash(uint64(g)*a.group + within)
		r := workload.Mix(h ^ uint64(pass))
		a.stream[i], a.strangers[i], a.mixed[i] = h, workload.Mix(r), h
		if r>>63 == 0 {
			a.mixed[i] = workload.Mix(r)
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
func warm(table table, hashes []uint64) (sum uint64) {
	for i := 0; i < len(hashes); i += 8 {
		sum += hashes[i]
	}
	if table.bytes() <= warmBytes {
		memory := table.memory()
		for i := 0; i < len(memory); i += 64 {
			sum += uint64(memory[i])
		}
	}
	return sum
}

// evict has the cache lose a table that is larger than what is warm when a slice begins: what one phase
// has brought in would else be there for the next.
func (a *arena) evict() {
	if a.bytes > warmBytes {
		evict()
	}
}

// evict reads so much that nothing else is left in the last-level cache, as far as its size is known and
// memory allows. It returns what it found, so that the loads stay.
//
//go:noinline
func evict() (sum byte) {
	if evicting == nil {
		evicting = make([]byte, min(max(64<<20, 2*cpuid.CPU.Cache.L3), 512<<20))
		for i := 0; i < len(evicting); i += 4096 {
			evicting[i] = 1 // or all pages would be one of zeros
		}
	}
	for i := 0; i < len(evicting); i += 64 {
		sum += evicting[i]
	}
	return sum
}

var evicting []byte
