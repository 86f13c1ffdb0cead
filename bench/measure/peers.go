package measure

import (
	"fmt"
	bits64 "math/bits"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

const (
	peerStream = 1 << 19 // the keys that a contender is asked for in a round, or members if those are fewer
	peerSlice  = 128 << 10
	peerWarm   = 128 << 10 // the keys at most that bring a table back into the cache

	// maxPeerBytes is the size of the largest tables of peers: the slowest of them take minutes to fill.
	maxPeerBytes = 512 << 20
	// maxEqualRateBytes is the same where the rate is equal, which builds every filter again.
	maxEqualRateBytes = 16 << 20
)

// field is filters of the same members.
type field struct {
	group   result.Group // what they have in common
	filters []entrant
	stream  []uint64 // members; no one twice
	others  []uint64 // strangers
	mixed   []uint64
	hits    []uint64
	floor   table
	slice   int // keys of a slice
	warm    []uint64
}

// entrant is a filter of a field.
type entrant struct {
	name   string
	kind   result.Kind
	filter peer.Filter
	held   float64 // bytes a key
	rate   float64
	lost   int64
	// refused counts inserts that the filter refused while they were timed.
	refused int
}

// member and stranger are keys that are not stored: two halves of a bijection.
func member(i uint64) uint64   { return workload.Mix(i) }
func stranger(i uint64) uint64 { return workload.Mix(i | 1<<63) }

// Peers measures ours against the others: at 16 bits a key, and at the bits a key, by name, at which each
// has the same false-positive rate.
func (p Plan) Peers(r *result.Run, others []peer.Peer, atRate map[string]float64) {
	defer quiet()()
	builds := p.Rounds
	if !p.once {
		p.Rounds = 8 // fewer do not decide a comparison
		p.once = p.Quick
	}
	for _, other := range others {
		r.Libraries = append(r.Libraries, result.Library{
			Name: other.Name, Module: other.Module, Version: other.Version, Use: other.Note, Hashes: !other.Prehashed,
		})
	}
	for _, size := range p.Sizes {
		if size > maxPeerBytes || p.Quick && size > middleBytes {
			r.Note("peers of %s, which take minutes to fill, were not measured", result.FormatSize(size))
			continue
		}
		p.field(r, others, builds, result.AtEqualBits, size, func(string) (float64, bool) { return bitsAKey, true })
		if size > maxEqualRateBytes || p.Quick {
			r.Note("peers at an equal rate of %s, which would be built again, were not measured", result.FormatSize(size))
			continue
		}
		p.field(r, others, builds, result.AtEqualRate, size, func(name string) (float64, bool) {
			bits, ok := atRate[name]
			return bits, ok
		})
	}
}

// field measures the filters for which bits says how many a key they may take, at the members that a
// table of ours of the given size has.
func (p Plan) field(r *result.Run, others []peer.Peer, builds int, against string, size int64, bits func(name string) (float64, bool)) {
	members := int(size * 8 / bitsAKey)
	f := &field{group: result.Group{
		Form: result.FormBatch, Against: against, Lane: 64, Pages: pagesHeap, Bytes: size, Members: int64(members), Cores: 1, Unit: "key",
	}}
	defer debug.FreeOSMemory() // of all the filters, before others are built
	p.build(r, others, builds, f, members, bits)
	keys := min(peerStream, members)
	f.stream, f.others, f.mixed = make([]uint64, keys), make([]uint64, keys), make([]uint64, keys)
	f.slice = min(peerSlice, keys/2)
	f.hits = make([]uint64, (f.slice+63)/64)
	if size <= maxEqualRateBytes {
		f.warm = make([]uint64, min(peerWarm, 2*int(size)/64))
		for i := range f.warm {
			f.warm[i] = stranger(uint64(i) << 32)
		}
	}
	if len(assembly()) > 0 {
		f.floor = newTable512(kernel.NewTable512(int(size / 64)))
		for i := range f.floor.nblocks() {
			f.floor.(table512).lanes[i][1] = 1 // or all pages would be one of zeros
		}
	}
	log2 := bits64.Len(uint(keys)) - 1
	draw := func(pass int) {
		if pass*keys%peerStream < keys {
			runtime.GC() // of what libraries allocate for answers, so that they need not get new memory
		}
		for i := range f.stream {
			// Where all members are asked for in each pass, it is in another order: a branch predictor
			// would learn one.
			at := pass*keys + i
			if keys == members {
				at = int(shuffled((uint64(i)+workload.Mix(uint64(pass)))&(1<<log2-1), log2))
			}
			f.stream[i] = member(uint64(at % members))
			f.others[i] = stranger(uint64(pass*keys + i))
			f.mixed[i] = f.stream[i]
			if workload.Mix(f.stream[i]^uint64(pass))>>63 == 0 {
				f.mixed[i] = f.others[i]
			}
		}
	}
	turn := max(1, min(keys, members/2)/f.slice)
	for _, c := range f.contests() {
		if len(c.contenders) > 0 {
			p.compete(r, c, schedule{slices: keys / f.slice, turn: turn, draw: draw, between: func() {
				if len(f.warm) == 0 {
					evict()
				}
			}}, keys)
		}
	}
	for i := range f.filters {
		if e := &f.filters[i]; e.refused > 0 {
			r.Note("%s at %s, %s, refused %d keys that it had just given up", e.name, result.FormatSize(size), against, e.refused)
		}
		f.filters[i].judge(members) // after all the deletes
	}
	for i := range r.Timings {
		t := &r.Timings[i]
		for _, e := range f.filters {
			if t.Against == against && t.Bytes == size && t.Kind == e.kind && t.Name == e.name {
				t.Held, t.Rate, t.Lost = e.held, e.rate, e.lost
			}
		}
	}
}

// build builds the filters and takes the time of that: of small ones as often as others are measured.
func (p Plan) build(r *result.Run, others []peer.Peer, times int, f *field, members int, bits func(name string) (float64, bool)) {
	if f.group.Bytes > middleBytes {
		times = 1
	}
	group := f.group
	group.Operation = "build"
	all := append(peer.Ours(), others...)
	bar := startProgress(p.Stderr, fmt.Sprintf("build, %s", result.FormatSize(f.group.Bytes)), len(all))
	defer bar.done()
	for i, kind := range all {
		bar.add(1)
		bits, ok := bits(kind.Name)
		if !ok {
			r.Note("%s has no size with the rate that the others were given", kind.Name)
			continue
		}
		if !fits(r, fmt.Sprintf("%s of %s skipped: building it", kind.Name, result.FormatSize(f.group.Bytes)), kind.BuildBytes(members, bits)) {
			continue
		}
		e := entrant{name: kind.Name, kind: result.Peer}
		if i < len(peer.Ours()) {
			e.kind = result.Kernel
		}
		t := result.Timing{Group: group, Kind: e.kind, Name: e.name}
		for range times {
			runtime.GC()
			filter, took, refused, err := fill(&kind, members, bits)
			if err != nil {
				r.Note("%s at %s: %v", kind.Name, result.FormatSize(f.group.Bytes), err)
				break
			}
			if refused > 0 && e.filter == nil {
				r.Note("%s at %s, %s, refused %d of %d members", kind.Name, result.FormatSize(f.group.Bytes), f.group.Against, refused, members)
			}
			e.filter = filter
			t.Samples = append(t.Samples, float64(took.Nanoseconds())/float64(members))
		}
		if e.filter == nil {
			continue
		}
		t.Least, t.Median, t.Spread = result.Summarize(t.Samples)
		r.Timings = append(r.Timings, t)
		f.filters = append(f.filters, e)
	}
}

// fill builds one filter.
func fill(kind *peer.Peer, members int, bits float64) (filter peer.Filter, took time.Duration, refused int, err error) {
	keys := make([]uint64, min(peerSlice, members))
	begin := time.Now()
	builder, err := kind.New(members, bits)
	if err != nil {
		return nil, 0, 0, err
	}
	took += time.Since(begin)
	for i := 0; i < members; i += len(keys) {
		keys = keys[:min(len(keys), members-i)]
		for j := range keys {
			keys[j] = member(uint64(i + j))
		}
		begin = time.Now()
		refused += builder.Insert(keys)
		took += time.Since(begin)
	}
	begin = time.Now()
	filter, err = builder.Finish()
	return filter, took + time.Since(begin), refused, err
}

// judge counts the filter's wrong answers: of a million strangers, and of as many members.
func (e *entrant) judge(members int) {
	const asked = 1 << 20
	e.held = float64(e.filter.State().Bytes) / float64(members)
	keys := make([]uint64, peerSlice)
	for i := 0; i < asked; i += len(keys) {
		for j := range keys {
			keys[j] = stranger(uint64(i+j) | 1<<40)
		}
		e.rate += float64(e.filter.QueryHashBatch(keys, nil)) / asked
	}
	for i := 0; i < min(asked, members); i += len(keys) {
		keys = keys[:min(len(keys), members-i)]
		for j := range keys {
			keys[j] = member(uint64(i + j))
		}
		e.lost += int64(len(keys) - e.filter.QueryHashBatch(keys, nil))
	}
}

func (f *field) at(stream []uint64, i int) []uint64 { return stream[i*f.slice : (i+1)*f.slice] }

// contests returns those of the field: queries by what is asked for; inserts; and deletes, by those that
// can. An insert is of keys that are members, or that a delete has just removed.
func (f *field) contests() (all []contest) {
	group := func(operation, asked string) result.Group {
		g := f.group
		g.Operation, g.Asked = operation, asked
		return g
	}
	for _, kind := range asked {
		hashes := map[string][]uint64{"hit": f.stream, "miss": f.others, "mixed": f.mixed}[kind]
		c := contest{groups: []result.Group{group("query", kind)}}
		c.contenders = f.floors(hashes, func(o operations) []stream { return []stream{o.query} })
		for _, e := range f.filters {
			c.contenders = append(c.contenders, f.contender(e, func(i int) int { return e.filter.QueryHashBatch(f.at(hashes, i), f.hits) }))
		}
		all = append(all, c)
	}
	updates := contest{groups: []result.Group{group("delete", ""), group("insert", "")}}
	updates.contenders = f.floors(f.stream, func(o operations) []stream { return []stream{o.remove, o.insert} })
	for i := range f.filters {
		e := &f.filters[i]
		var remove func(int) int
		if filter, ok := e.filter.(peer.Deleter); ok {
			remove = func(i int) int { return filter.DeleteHashBatch(f.at(f.stream, i), nil) }
		}
		if filter, ok := e.filter.(peer.Inserter); ok {
			updates.contenders = append(updates.contenders, f.contender(*e, remove, func(i int) int {
				e.refused += peer.Insert(filter, f.at(f.stream, i))
				return 0
			}))
		}
	}
	return append(all, updates)
}

func (f *field) contender(e entrant, phases ...func(int) int) contender {
	return contender{kind: e.kind, name: e.name, pages: pagesHeap, phases: phases, prepare: func(int) {
		if len(f.warm) > 0 {
			e.filter.QueryHashBatch(f.warm, nil)
		}
	}}
}

// floors returns the contenders that the ratios of the field are to.
func (f *field) floors(hashes []uint64, phases func(operations) []stream) (all []contender) {
	for _, set := range assembly() {
		for _, d := range []int{0, distance} {
			o := f.floor.floors(&set, d)
			c := contender{kind: result.Floor, name: fmt.Sprintf("%s, distance %d", set.name, d), pages: pagesHeap,
				prepare: func(int) {
					if len(f.warm) > 0 {
						o.query(f.warm)
					}
				}}
			for _, run := range phases(o) {
				c.phases = append(c.phases, func(i int) int { return run(f.at(hashes, i)) })
			}
			all = append(all, c)
		}
	}
	return all
}
