package measure

import (
	"fmt"
	bits64 "math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

const (
	peerStream = 1 << 19 // the keys that a subject is asked for in a round, or members if those are fewer
	peerSlice  = 128 << 10
	peerWarm   = 128 << 10 // the keys at most that bring a table back into the cache

	// maxPeerBytes is the size of the largest tables of peers: the slowest of them take minutes to fill.
	maxPeerBytes = 512 << 20
	// maxEqualRateBytes is the same where the rate is equal, which builds every filter again.
	maxEqualRateBytes = 16 << 20
)

// member and nonMember are keys that are not stored: two halves of a bijection.
func member(i uint64) uint64    { return workload.Mix(i) }
func nonMember(i uint64) uint64 { return workload.Mix(i | 1<<63) }

// Peers measures ours against the others: at 16 bits per key, and at the memory, by name, at which each has
// the same rate of false positives.
func (s Settings) Peers(r *result.Run, others []peer.Peer, atRate map[string]result.Memory) {
	defer quiet()()
	builds := s.Rounds
	if !s.once {
		s.Rounds = 8 // fewer do not decide a comparison
		s.once = s.Quick
	}
	for _, other := range others {
		r.Libraries = append(r.Libraries, result.Library{
			Name: other.Name, Module: other.Module, Version: other.Version, Use: other.Note, Hashes: !other.Prehashed,
		})
	}
	atBits := map[string]result.Memory{}
	for _, kind := range append(peer.Ours(), others...) {
		atBits[kind.Name] = result.Memory{Bits: bitsPerKey}
	}
	for _, size := range s.Sizes {
		if size > maxPeerBytes || s.Quick && size > middleBytes {
			r.Note("peers of %s, which take minutes to fill, were not measured", quantity.Bytes(size))
			continue
		}
		s.beside(r, others, builds, size, result.AtEqualBits, atBits)
		if size > maxEqualRateBytes || s.Quick {
			r.Note("peers at an equal rate of %s, which would be built again, were not measured", quantity.Bytes(size))
			continue
		}
		s.beside(r, others, builds, size, result.AtEqualRate, atRate)
	}
}

// beside measures the filters for which memory has, by name, what they may take, at the members that a table
// of ours of the given size has.
func (s Settings) beside(
	r *result.Run, others []peer.Peer, builds int, size int64, against string, memory map[string]result.Memory,
) {
	members := int(size * 8 / bitsPerKey)
	conditions := result.Conditions{
		Form: result.FormBatch, Against: against, Pages: pagesHeap,
		Bytes: size, Members: int64(members), Cores: 1, Unit: "key",
	}
	defer debug.FreeOSMemory() // of all the filters, before others are built
	if size > middleBytes {
		builds = 1
	}
	first := len(r.Groups)
	filters := s.build(r, others, builds, conditions, memory)

	n := min(peerStream, members)
	k := newKeys(n)
	g := group{Conditions: conditions, slice: min(peerSlice, n/2)}
	g.units, g.turn = g.slice, max(1, min(n, members/2)/g.slice)
	var warming []uint64
	if size <= maxEqualRateBytes {
		warming = make([]uint64, min(peerWarm, 2*int(size)/64))
		for i := range warming {
			warming[i] = nonMember(uint64(i) << 32)
		}
	}
	g.between = func() {
		if len(warming) == 0 {
			evict()
		}
	}
	log2 := bits64.Len(uint(n)) - 1
	g.draw = func(pass int) {
		if pass*n%peerStream < n {
			runtime.GC() // of what libraries allocate for answers, so that they need not get new memory
		}
		for i := range k.hit {
			// Where all members are asked for in each pass, it is in another order: a branch predictor
			// would learn one.
			at := pass*n + i
			if n == members {
				at = int(shuffled((uint64(i)+workload.Mix(uint64(pass)))&(1<<log2-1), log2))
			}
			k.hit[i] = member(uint64(at % members))
			k.miss[i] = nonMember(uint64(pass*n + i))
			k.mixed[i] = k.hit[i]
			if workload.Mix(k.hit[i]^uint64(pass))>>63 == 0 {
				k.mixed[i] = k.miss[i]
			}
		}
	}
	add := func(s subject) {
		s.warm = func([]uint64) {
			if len(warming) > 0 {
				s.do[query](warming)
			}
		}
		g.subjects = append(g.subjects, s)
	}
	if len(assembly()) > 0 {
		blocks := kernel.NewTable512(int(size / 64))
		for i := range blocks {
			blocks[i][1] = 1 // or all pages would be one of zeros
		}
		for _, s := range floors(newTable512(blocks)) {
			add(s)
		}
	}
	hits := make([]uint64, (max(g.slice, len(warming))+63)/64)
	for _, f := range filters {
		add(f.subject(hits))
	}
	for _, g := range k.groups(g, asked) {
		s.time(r, g)
	}
	for _, f := range filters {
		if f.refused > 0 {
			r.Note("%s at %s, %s, refused %d keys that it had just given up",
				f.Name, quantity.Bytes(size), against, f.refused)
		}
		bytesPerKey, rate, lost := judge(f.filter, members) // after all the deletes
		for _, g := range r.Groups[first:] {
			for i := range g.Subjects {
				if s := &g.Subjects[i]; s.Kind == f.Kind && s.Name == f.Name {
					s.BytesPerKey, s.Rate, s.Lost = bytesPerKey, rate, lost
				}
			}
		}
	}
}

// built is a filter that is built: what that took, and the filter.
type built struct {
	result.Subject
	filter  peer.Filter
	refused int // inserts, while they were timed
}

// subject is what the filter can do. An insert is of keys that are members, or that a delete has just
// removed.
func (f *built) subject(hits []uint64) subject {
	do := operations{query: func(keys []uint64) int { return f.filter.QueryHashBatch(keys, hits) }}
	if filter, ok := f.filter.(peer.Inserter); ok {
		do[insert] = func(keys []uint64) int {
			f.refused += peer.Insert(filter, keys)
			return 0
		}
	}
	if filter, ok := f.filter.(peer.Deleter); ok {
		do[remove] = func(keys []uint64) int { return filter.DeleteHashBatch(keys, nil) }
	}
	return subject{kind: f.Kind, name: f.Name, do: do}
}

// build builds the filters, each so many times, and adds the times.
func (s Settings) build(
	r *result.Run, others []peer.Peer, times int, c result.Conditions, memory map[string]result.Memory,
) (all []*built) {
	c.Operation = "build"
	group, size, members := result.Group{Conditions: c}, quantity.Bytes(c.Bytes), int(c.Members)
	ours := peer.Ours()
	kinds := append(ours, others...)
	bar := progress.Start(s.Stderr, "build, "+size, int64(len(kinds)), "")
	defer bar.Done()
	for i, kind := range kinds {
		bar.Add(1)
		memory, ok := memory[kind.Name]
		if !ok {
			r.Note("%s has no size with the rate that the others were given", kind.Name)
			continue
		}
		what := fmt.Sprintf("%s of %s skipped: building it", kind.Name, size)
		if !fits(r, what, kind.BuildBytes(members, memory.Bits)) {
			continue
		}
		b := &built{Subject: result.Subject{Kind: result.Peer, Name: kind.Name}}
		if i < len(ours) {
			b.Kind = result.Implementation
		}
		for range times {
			runtime.GC()
			filter, took, refused, err := fill(&kind, members, memory.Bits)
			if err != nil {
				r.Note("%s at %s: %v", kind.Name, size, err)
				break
			}
			if refused > 0 && b.filter == nil {
				r.Note("%s at %s, %s, refused %d of %d members", kind.Name, size, c.Against, refused, members)
			}
			b.filter = filter
			b.Samples = append(b.Samples, result.Round(float64(took.Nanoseconds())/float64(members)))
		}
		if b.filter == nil {
			continue
		}
		b.Least = slices.Min(b.Samples)
		group.Subjects = append(group.Subjects, b.Subject)
		all = append(all, b)
	}
	r.Groups = append(r.Groups, group)
	return all
}

// fill builds one filter.
func fill(kind *peer.Peer, members int, bits float64) (
	filter peer.Filter, took time.Duration, refused int, err error,
) {
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

// judge returns the filter's memory and counts its wrong answers: of a million non-members, and of as many
// members.
func judge(f peer.Filter, members int) (bytesPerKey, rate float64, lost int64) {
	const most = 1 << 20
	keys := make([]uint64, peerSlice)
	for i := 0; i < most; i += len(keys) {
		for j := range keys {
			keys[j] = nonMember(uint64(i+j) | 1<<40)
		}
		rate += float64(f.QueryHashBatch(keys, nil)) / most
	}
	for i := 0; i < min(most, members); i += len(keys) {
		keys = keys[:min(len(keys), members-i)]
		for j := range keys {
			keys[j] = member(uint64(i + j))
		}
		lost += int64(len(keys) - f.QueryHashBatch(keys, nil))
	}
	return float64(f.State().Bytes) / float64(members), rate, lost
}
