package measure

import (
	"fmt"
	"maps"
	bits64 "math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/progress"
	"github.com/bloomlane/bloomlane/report/quantity"
)

const (
	// the keys that a subject is asked for in a round, or members if those are fewer
	peerStream = 1 << 19
	peerSlice  = 128 << 10
	peerWarm   = 128 << 10 // the keys at most that bring a table back into the cache

	// maxPeerBytes is the size of the largest tables of peers: the slowest of them take minutes to
	// fill.
	maxPeerBytes = 512 << 20
	// sharedMembers is from how many members on filters are built once, for hashes and for keys of
	// bytes of all lengths.
	sharedMembers = 64 * peerStream
	// maxEqualRateBytes is the same where the rate is equal, which builds every filter again.
	maxEqualRateBytes = 16 << 20
)

// member and nonMember are keys that are not stored: two halves of a bijection.
func member(i uint64) uint64    { return workload.Mix(i) }
func nonMember(i uint64) uint64 { return workload.Mix(i | 1<<63) }

// Peers measures this project's filter beside the others: at 16 bits per key, and at the memory, by
// name, at which each has the same rate of false positives.
func (s Settings) Peers(r *result.Run, others []peer.Peer, atRate map[string]result.Memory) {
	defer Quiet(-1)()
	builds := s.Rounds
	if !s.once {
		s.Rounds = 8 // fewer do not decide a comparison
		s.once = s.Quick
	}
	r.Libraries = append(r.Libraries, Libraries(others)...)
	atBits := map[string]result.Memory{}
	for _, kind := range slices.Concat(peer.Ours(), peer.OursOfBytes(), others) {
		atBits[kind.Name] = result.Memory{Bits: bitsPerKey}
	}
	atRate = maps.Clone(atRate)
	for _, kind := range peer.OursOfBytes() {
		if memory, ok := atRate[kind.Table]; ok {
			atRate[kind.Name] = memory
		}
		if kind.Lists { // whose memory is not its size
			delete(atRate, kind.Name)
		}
	}
	for _, size := range s.Sizes {
		if size > maxPeerBytes || s.Quick && size > middleBytes {
			r.Note("peers of %s, which take minutes to fill, were not measured",
				quantity.Bytes(size))
			continue
		}
		s.compare(r, others, builds, size, result.AtEqualBits, atBits)
		if size > maxEqualRateBytes || s.Quick {
			r.Note("peers at an equal rate of %s, which would be built again, were not measured",
				quantity.Bytes(size))
			continue
		}
		s.compare(r, others, builds, size, result.AtEqualRate, atRate)
	}
}

// Libraries says where peers are from, and how they are used.
func Libraries(peers []peer.Peer) (all []result.Library) {
	for _, p := range peers {
		all = append(all, result.Library{
			Name: p.Name, Module: p.Module, Version: p.Version, Use: p.Note,
			Hashes: !p.Prehashed, Hash: p.Hash, Keyed: p.Keyed,
		})
	}
	return all
}

// held is the members of a filter: hashes, and after them a number of keys of bytes of each length.
type held struct {
	hashes, bytes int
	lengths       []lengths
}

func (h held) count() int { return h.hashes + h.bytes*len(h.lengths) }

// compare measures the filters whose names memory has, in that memory, at the members that this
// project's table of the given size has: with hashes, and with keys of bytes. Filters that take
// long to build are built once for both.
func (s Settings) compare(
	r *result.Run,
	others []peer.Peer,
	builds int,
	size int64,
	against string,
	memory map[string]result.Memory,
) {
	members := int(size * 8 / bitsPerKey)
	if members > sharedMembers {
		s.holding(r, others, builds, size, against, memory,
			held{members - len(peerLengths)*peerStream, peerStream, peerLengths})
		return
	}
	s.holding(r, others, builds, size, against, memory, held{hashes: members})
	for i := range peerLengths {
		s.holding(r, others, builds, size, against, memory,
			held{bytes: members, lengths: peerLengths[i : i+1]})
		if s.Quick || against == result.AtEqualRate {
			break
		}
	}
}

// holding measures filters with the given members.
func (s Settings) holding(
	r *result.Run,
	others []peer.Peer,
	builds int,
	size int64,
	against string,
	memory map[string]result.Memory,
	h held,
) {
	conditions := result.Conditions{
		Form: result.FormBatch, Against: against, Pages: pagesHeap,
		Bytes: size, Members: int64(h.count()), Cores: 1, Unit: "key",
	}
	defer debug.FreeOSMemory() // of all the filters, before others are built
	if size > middleBytes {
		builds = 1
	}
	first := len(r.Groups)
	filters := s.build(r, others, builds, conditions, memory, h)
	if h.hashes > 0 {
		s.besideOn(r, filters, conditions, h, 0, h.hashes, nil)
	}
	for i := range h.lengths {
		conditions.KeyBytes = h.lengths[i].String()
		s.besideOn(r, filters, conditions, h, h.hashes+i*h.bytes, h.bytes, &h.lengths[i])
	}
	for _, f := range filters {
		if f.refused > 0 {
			r.Note("%s at %s, %s, refused %d keys that it had just given up",
				f.Name, quantity.Bytes(size), against, f.refused)
		}
		bytesPerKey, rate, lost := judge(f.filter, f.held) // after all the deletes
		for _, g := range r.Groups[first:] {
			for i := range g.Subjects {
				if s := &g.Subjects[i]; s.Kind == f.Kind && s.Name == f.Name {
					s.BytesPerKey, s.Rate, s.Lost = bytesPerKey, rate, lost
				}
			}
		}
	}
}

// besideOn times the filters, of whose members those from the first on are asked for, on hashes,
// beside floors, or on keys of bytes.
func (s Settings) besideOn(
	r *result.Run,
	filters []*built,
	conditions result.Conditions,
	h held,
	first, members int,
	length *lengths,
) {
	n, size, bytes := min(peerStream, members), conditions.Bytes, length != nil
	k := newKeys(n)
	var texts *byteKeys
	asking := questions
	if bytes {
		texts, asking = newByteKeys(*length, n), []string{"mixed"}
		k = texts.keys
	}
	set := func(keys []uint64, i int, x uint64) {
		if bytes {
			texts.set(keys[i], x)
		} else {
			keys[i] = x
		}
	}
	g := group{Conditions: conditions, slice: min(peerSlice, n/2)}
	g.units, g.turn = g.slice, max(1, min(n, h.count()/2)/g.slice)
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
			// of what libraries allocate for answers, so that they need not get new memory
			runtime.GC()
		}
		for i := range n {
			// Where all members are asked for in each pass, it is in another order: a branch
			// predictor would learn one.
			key := pass*n + i
			if n == members {
				key = int(shuffled((uint64(i)+workload.Mix(uint64(pass)))&(1<<log2-1), log2))
			}
			hit, miss := member(uint64(first+key%members)), nonMember(uint64(pass*n+i))
			mixed := hit
			if workload.Mix(hit^uint64(pass))>>63 == 0 {
				mixed = miss
			}
			set(k.hit, i, hit)
			if !bytes {
				set(k.miss, i, miss)
			}
			set(k.mixed, i, mixed)
		}
	}
	if len(assembly()) > 0 && !bytes {
		blocks := kernel.NewTable512(int(size / 64))
		for i := range blocks {
			blocks[i][1] = 1 // or all pages would be one of zeros
		}
		for _, s := range floors(newTable512(blocks)) {
			s.warm = func([]uint64) { s.do[query](warming) }
			if len(warming) == 0 {
				s.warm = func([]uint64) {}
			}
			g.subjects = append(g.subjects, s)
		}
	}
	present := make([]uint64, (max(g.slice, len(warming))+63)/64)
	for _, f := range filters {
		var do operations
		if keyed, ok := f.filter.(peer.BytesFilter); bytes && ok {
			do = f.onBytes(keyed, texts, f.answers(present))
		} else if !bytes && !f.ofBytes {
			do = f.onHashes(f.answers(present))
		} else {
			continue
		}
		g.subjects = append(g.subjects,
			subject{kind: f.Kind, name: f.Name, do: do, warm: func(keys []uint64) {
				if bytes {
					texts.warm(keys)
				}
				if len(warming) > 0 {
					f.filter.QueryHashBatch(warming, f.answers(present))
				}
			}})
	}
	groups := k.groups(g, asking)
	if bytes && conditions.Against == result.AtEqualBits {
		groups = append(groups, k.groups(inStrings(g, filters, texts), asking)...)
		if *length == peerLengths[0] && size <= middleBytes {
			groups = append(groups, k.groups(keyCalls(g, filters, texts, present), asking)...)
		}
	}
	for _, g := range groups {
		s.time(r, g)
	}
}

// inStrings is a group of filters of keys of bytes with the same keys in strings.
func inStrings(g group, filters []*built, texts *byteKeys) group {
	all := make([]string, len(texts.all))
	for i, key := range texts.all {
		all[i] = unsafe.String(&key[0], len(key)) // which changes with the key, while nobody reads
	}
	g.KeyBytes += result.InStrings
	g.subjects = slices.DeleteFunc(slices.Clone(g.subjects), func(s subject) bool {
		return stringsOf(filters, s.name) == nil
	})
	for i := range g.subjects {
		count := stringsOf(filters, g.subjects[i].name)
		g.subjects[i].do = operations{
			query: func(keys []uint64) int { return count(all[keys[0]:][:len(keys)]) },
		}
	}
	return g
}

// stringsOf returns what the filter of a name counts strings by, nil where it has none.
func stringsOf(filters []*built, name string) func(keys []string) int {
	for _, f := range filters {
		if of, ok := f.filter.(peer.StringsFilter); ok && f.Name == name {
			return of.Strings()
		}
	}
	return nil
}

// keyCalls is a group of filter/deletable alone: queries of one key of bytes per call, and batches
// by the keys per call.
func keyCalls(g group, filters []*built, texts *byteKeys, present []uint64) group {
	g.Form, g.Against, g.Members = result.FormCalls, "", 0
	all := g.subjects
	g.subjects = nil
	for _, f := range filters {
		i := slices.IndexFunc(all, func(s subject) bool { return s.name == f.Name })
		if i < 0 {
			continue
		}
		s := all[i]
		switch f.Name {
		case "deletable-single":
			s.name, s.batch, s.do = result.Methods, 1, operations{query: s.do[query]}
			g.subjects = append(g.subjects, s)
		case "deletable":
			filter := f.filter.(peer.BytesFilter)
			for _, size := range callSizes[1:] {
				s.name, s.batch = result.BatchMethods, size
				s.do = operations{query: func(numbers []uint64) (yes int) {
					for keys := texts.slice(numbers); len(keys) >= size; keys = keys[size:] {
						yes += filter.QueryBatch(keys[:size], present)
					}
					return yes
				}}
				g.subjects = append(g.subjects, s)
			}
		}
	}
	return g
}

// built is a filter that is built: what that took, and the filter.
type built struct {
	result.Subject
	filter  peer.Filter
	held    held
	ofBytes bool // it is timed on keys of bytes only
	refused int  // inserts, while they were timed
}

// answers is where a batch stores its answers, nil where single calls are counted.
func (f *built) answers(present []uint64) []uint64 {
	if _, single := f.filter.(peer.StringsFilter); single {
		return nil
	}
	return present
}

// onHashes is what the filter can do. An insert is of keys that are members, or that a delete has
// just removed.
func (f *built) onHashes(present []uint64) operations {
	do := operations{
		query: func(keys []uint64) int { return f.filter.QueryHashBatch(keys, present) },
	}
	if filter, ok := f.filter.(peer.Inserter); ok {
		do[insert] = func(keys []uint64) int {
			f.refused += peer.Insert(filter, keys)
			return 0
		}
	}
	if filter, ok := f.filter.(peer.Deleter); ok {
		do[remove] = func(keys []uint64) int { return filter.DeleteHashBatch(keys, nil) }
	}
	return do
}

// onBytes is the same with keys of bytes.
func (f *built) onBytes(filter peer.BytesFilter, texts *byteKeys, present []uint64) operations {
	do := operations{
		query: func(keys []uint64) int { return filter.QueryBatch(texts.slice(keys), present) },
	}
	if filter, ok := filter.(peer.BytesInserter); ok {
		do[insert] = func(keys []uint64) int {
			f.refused += peer.InsertBytes(filter, texts.slice(keys))
			return 0
		}
	}
	if filter, ok := filter.(peer.BytesDeleter); ok {
		do[remove] = func(keys []uint64) int { return filter.DeleteBatch(texts.slice(keys), nil) }
	}
	return do
}

// build builds each filter the given number of times, and adds the times.
func (s Settings) build(
	r *result.Run,
	others []peer.Peer,
	times int,
	c result.Conditions,
	memory map[string]result.Memory,
	h held,
) (all []*built) {
	c.Operation = "build"
	var ours []peer.Peer
	if h.hashes > 0 {
		ours = peer.Ours()
	} else {
		c.KeyBytes = h.lengths[0].String()
	}
	if h.bytes > 0 {
		ours = append(ours, peer.OursOfBytes()...)
	}
	group, size, members := result.Group{Conditions: c}, quantity.Bytes(c.Bytes), h.count()
	kinds := slices.Concat(ours, others)
	bar := progress.Start(s.Stderr, "build, "+size, int64(len(kinds)), "")
	defer bar.Done()
	for i, kind := range kinds {
		bar.Add(1)
		memory, ok := memory[kind.Name]
		if !ok {
			r.Note("%s has no size with the rate that the others were given", kind.Name)
			continue
		}
		if kind.Table != "" && h.bytes == 0 {
			continue
		}
		h := h
		if kind.Hash == "" { // it takes hashes only
			if h = (held{hashes: members}); c.KeyBytes != "" {
				continue
			}
		}
		what := fmt.Sprintf("%s of %s skipped: building it", kind.Name, size)
		if !fits(r, what, kind.BuildBytes(members, memory.Bits)) {
			continue
		}
		b := &built{Subject: result.Subject{Kind: result.Peer, Name: kind.Name}, held: h,
			ofBytes: kind.Table != ""}
		if i < len(ours) {
			b.Kind = result.Implementation
		}
		for range times {
			runtime.GC()
			filter, took, refused, err := fill(&kind, h, memory.Bits)
			if err != nil {
				r.Note("%s at %s: %v", kind.Name, size, err)
				break
			}
			if refused > 0 && b.filter == nil {
				r.Note("%s at %s, %s, refused %d of %d members", kind.Name, size, c.Against,
					refused, members)
			}
			b.filter = filter
			b.Samples = append(b.Samples,
				result.Round(float64(took.Nanoseconds())/float64(members)))
		}
		if b.filter == nil {
			continue
		}
		b.Least = slices.Min(b.Samples)
		if b.ofBytes == (c.KeyBytes != "") || b.Kind == result.Peer {
			group.Subjects = append(group.Subjects, b.Subject)
		}
		all = append(all, b)
	}
	r.Groups = append(r.Groups, group)
	return all
}

// fill builds one filter.
func fill(
	kind *peer.Peer,
	h held,
	bits float64,
) (filter peer.Filter, took time.Duration, refused int, err error) {
	begin := time.Now()
	builder, err := kind.New(h.count(), bits)
	if err != nil {
		return nil, 0, 0, err
	}
	took += time.Since(begin)
	h.each(h.count(), func(hashes []uint64) {
		begin = time.Now()
		refused += builder.Insert(hashes)
		took += time.Since(begin)
	}, func(keys [][]byte) {
		begin = time.Now()
		refused += builder.InsertBytes(keys)
		took += time.Since(begin)
	})
	begin = time.Now()
	filter, err = builder.Finish()
	return filter, took + time.Since(begin), refused, err
}

// each calls back with the members: hashes first, then keys of bytes, most of each at most.
func (h held) each(most int, hashes func([]uint64), bytes func([][]byte)) {
	if n := min(most, h.hashes); n > 0 {
		keys := make([]uint64, min(peerSlice, n))
		for i := 0; i < n; i += len(keys) {
			keys = keys[:min(len(keys), n-i)]
			for j := range keys {
				keys[j] = member(uint64(i + j))
			}
			hashes(keys)
		}
	}
	for place, l := range h.lengths {
		n := min(most, h.bytes)
		keys := newByteKeys(l, min(peerSlice, n)).all
		for i := 0; i < n; i += len(keys) {
			keys = keys[:min(len(keys), n-i)]
			for j := range keys {
				writeKey(keys[j], member(uint64(h.hashes+place*h.bytes+i+j)))
			}
			bytes(keys)
		}
	}
}

// judge returns the filter's memory and counts its wrong answers: of a million non-members, and of
// as many members of each kind.
func judge(f peer.Filter, h held) (bytesPerKey, rate float64, lost int64) {
	const most = 1 << 20
	keys := make([]uint64, peerSlice)
	for i := 0; i < most; i += len(keys) {
		for j := range keys {
			keys[j] = nonMember(uint64(i+j) | 1<<40)
		}
		rate += float64(f.QueryHashBatch(keys, nil)) / most
	}
	h.each(most, func(hashes []uint64) {
		lost += int64(len(hashes) - f.QueryHashBatch(hashes, nil))
	}, func(keys [][]byte) {
		lost += int64(len(keys) - f.(peer.BytesFilter).QueryBatch(keys, nil))
	})
	return float64(f.State().Bytes) / float64(h.count()), rate, lost
}
