package measure

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/bench/result"
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

// arena is equal tables, one on each kind of pages, and a stream of keys for them.
type arena struct {
	width   int // bits of a block
	bytes   int64
	tables  map[string]table // by the kind of pages
	release []func() error
	members members
	order   []uint32 // in which the stream takes the parts that the members are cut into
	part    uint64   // members in a part
	keys             // hits are no one twice in a turn; of mixed ones a random half are non-members
	drawn   bool
	out     *answers
}

// newArena makes and fills tables of the given size for streams of n hashes, which is a power of
// two and no less than a slice.
func newArena(width int, bytes int64, n int) (*arena, error) {
	a := &arena{
		width:   width,
		bytes:   bytes,
		tables:  map[string]table{},
		members: membersOf(bytes),
		order:   make([]uint32, n),
		keys:    newKeys(n),
		out:     newAnswers(sliceKeys),
	}
	for i, pages := range pageKinds {
		table, release, err := newTable(width, bytes, pages)
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
	add := table.batch(dispatch.Active(), a.out)[insert]
	for i := 0; i < a.members.count(); i += sliceKeys {
		for j := range sliceKeys {
			a.hit[j] = a.members.hash(uint64(i + j))
		}
		add(a.hit[:sliceKeys])
	}
}

// shuffle decides the order of the stream: all parts in a random order, and where the stream is
// longer than that, again in another.
func (a *arena) shuffle() {
	rng := rand.New(rand.NewPCG(1, uint64(a.bytes)))
	n := min(a.members.count(), len(a.order))
	a.part = uint64(a.members.count() / n)
	for start := 0; start < len(a.order); start += n {
		once := a.order[start : start+n]
		for i := range once {
			once[i] = uint32(i)
		}
		rng.Shuffle(n, func(i, j int) { once[i], once[j] = once[j], once[i] })
	}
}

// draw makes the streams of a pass: of each part another member, in another block if it has more
// than one, where the table has more lines than a stream has keys.
func (a *arena) draw(pass int) {
	if lines := a.bytes / 64; a.drawn && lines <= int64(len(a.order)) {
		return // a stream asks for about every line, and another would only cost the cache
	}
	a.drawn = true
	perBlock := uint64(a.members.count()) / uint64(a.tables[pageKinds[0]].nblocks())
	for i, g := range a.order {
		within := (workload.Mix(uint64(i)) + uint64(pass)*(perBlock+1)) % a.part
		h := a.members.hash(uint64(g)*a.part + within)
		r := workload.Mix(h ^ uint64(pass))
		a.hit[i], a.miss[i], a.mixed[i] = h, workload.Mix(r), h
		if r>>63 == 0 {
			a.mixed[i] = workload.Mix(r)
		}
		a.tenth[i] = workload.Mix(r)
		if r%10 == 0 {
			a.tenth[i] = h
		}
	}
}

func (a *arena) slices() int { return len(a.hit) / sliceKeys }

// turn is the number of slices that may be deleted before they are inserted again, so that half of
// the members stay at least, and no member is in a turn twice.
func (a *arena) turn() int { return min(a.slices(), a.members.count()/2/sliceKeys) }

// callSizes are the keys per call of the batches that stand beside single calls.
var callSizes = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}

// groups returns what is timed on the tables: on each kind of pages apart, so that one table at a
// time is in use, batches and single keys; and where a run is not quick, on one kind, batches of
// few keys and several cores.
func (a *arena) groups(s Settings, cores int, note func(format string, args ...any)) (all []group) {
	common := group{
		Conditions: result.Conditions{BlockBits: a.width, Bytes: a.bytes, Cores: 1, Unit: "key"},
		slice:      sliceKeys, units: sliceKeys, turn: a.turn(), draw: a.draw, between: a.evict,
	}
	queries := questions
	if s.Quick {
		queries = []string{"mixed"}
	}
	add := func(form, pages string, queries []string, subjects []subject) {
		g := common
		g.Form, g.Pages, g.subjects = form, pages, subjects
		all = append(all, a.keys.groups(g, queries)...)
	}
	for _, pages := range pageKinds {
		add(result.FormBatch, pages, queries, batches(a.tables[pages], a.out))
	}
	for _, pages := range pageKinds {
		if a.bytes == s.Sizes[0] || a.bytes == singleBytes && !s.Quick {
			add(result.FormSingle, pages, []string{"mixed"}, singles(a.tables[pages]))
		}
	}
	if first := pageKinds[0]; (a.bytes == smallBytes || a.bytes == middleBytes) && !s.Quick {
		add(result.FormCalls, first, []string{"mixed"}, calls(a.tables[first], a.out))
	}
	if (a.bytes == smallBytes || a.bytes == middleBytes || a.bytes == singleBytes) && !s.Quick {
		all = append(all, a.selections(common, pageKinds[len(pageKinds)-1])...)
	}
	if a.bytes > middleBytes && !s.Quick { // smaller ones are in caches of a core's own
		all = append(all, a.onCores(s.keys, cores, note)...)
	}
	return all
}

// subjectOn returns a subject on a table.
func subjectOn(t table, kind result.Kind, name string, do operations) subject {
	return subject{kind: kind, name: name, do: do, warm: func(keys []uint64) { warm(t, keys) }}
}

// floors are the bare loops of assembly, with and without prefetching.
func floors(t table) (all []subject) {
	for _, set := range assembly() {
		for _, d := range []int{0, distance} {
			all = append(all, subjectOn(t, result.Floor,
				fmt.Sprintf("%s, distance %d", set.name, d), t.floors(&set, d)))
		}
	}
	return all
}

// batches are the floors and every implementation.
func batches(t table, out *answers) []subject {
	all := floors(t)
	for _, im := range dispatch.Implementations() {
		all = append(all, subjectOn(t, result.Implementation, im.String(), t.batch(im, out)))
	}
	return all
}

// singles are loops over one key at a time: a bare one, and the methods of the table.
func singles(t table) []subject {
	return []subject{
		subjectOn(t, result.Floor, "loop in Go", t.bare()),
		subjectOn(t, result.Implementation, result.Methods, t.methods()),
	}
}

// calls are the methods of single keys, and those of batches of few keys: from which size on a
// batch pays.
func calls(t table, out *answers) []subject {
	all := singles(t)
	all[1].batch = 1
	for _, size := range callSizes {
		do := operations{}
		for operation, run := range t.batchMethods(out) {
			do[operation] = func(keys []uint64) (yes int) {
				for ; len(keys) >= size; keys = keys[size:] {
					yes += run(keys[:size:size])
				}
				return yes
			}
		}
		s := subjectOn(t, result.Implementation, result.BatchMethods, do)
		s.batch = size
		all = append(all, s)
	}
	return all
}

// warm brings the hashes of a slice into the cache, and a small table. It returns what it found, so
// that the loads stay.
//
//go:noinline
func warm(table table, hashes []uint64) (sum uint64) {
	sum = Touch(hashes, 8)
	if table.bytes() <= warmBytes {
		sum += uint64(Touch(table.memory(), 64))
	}
	return sum
}

// Touch reads one in some bytes or words, so that they are in the cache. It returns what it found,
// so that the loads stay.
//
//go:noinline
func Touch[T byte | uint64](memory []T, step int) (sum T) {
	for i := 0; i < len(memory); i += step {
		sum += memory[i]
	}
	return sum
}

// evict has the cache lose a table that is larger than what is warm when a slice begins: what one
// phase has brought in would else be there for the next.
func (a *arena) evict() {
	if a.bytes > warmBytes {
		evict()
	}
}

// evict reads so much that nothing else is left in the last-level cache, as far as its size is
// known and memory allows.
func evict() {
	if evicting == nil {
		evicting = make([]byte, min(max(64<<20, 2*cpuid.CPU.Cache.L3), 512<<20))
		for i := 0; i < len(evicting); i += 4096 {
			evicting[i] = 1 // or all pages would be one of zeros
		}
	}
	Touch(evicting, 64)
}

var evicting []byte
