package streams

import (
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/workload"
)

const (
	mostSlice = 1 << 13 // keys that a filter is timed with at once
	chunk     = 1 << 16 // keys of a batch while a filter is filled
	// evicting is how many times the bytes of a filter are read so that the caches lose all
	// filters: the last-level cache may be larger than one of them.
	evicting = 32
	// mostMemory is where garbage is collected all the same while filters are timed.
	mostMemory = 4 << 30
)

// member and nonMember are keys that are not stored: two halves of a bijection.
func member(i int) uint64    { return workload.Mix(uint64(i)) }
func nonMember(i int) uint64 { return workload.Mix(uint64(i) | 1<<63) }

// timer times filters of equal memory side by side: in each round all of them get the same keys,
// one after another, in another order.
type timer struct {
	members int
	slice   int
	warm    bool // the filter is in the cache before it is timed
	rounds  int

	keys   []uint64
	news   []uint64 // that no filter has
	mixed  []uint64 // half of them are members
	others []uint64 // that bring a filter back into the cache
	counts []uint64 // of the mixed ones
	memory []byte   // for what is evicted
}

// timing is the sizes of the filters that are timed, and how often they are.
type timing struct {
	Cache  int64 `json:"cache_bytes"`
	Memory int64 `json:"memory_bytes"`
	Rounds int   `json:"rounds"` // in the cache; half of them in memory
}

var (
	standardTiming = timing{Cache: 256 << 10, Memory: 16 << 20, Rounds: 16}
	quickTiming    = timing{Cache: 32 << 10, Memory: 1 << 20, Rounds: 2}
)

// each calls do with the timers of filters in the cache, and in memory.
func (c timing) each(bits int, do func(t *timer) error) error {
	err := do(newTimer(c.Cache, bits, c.Rounds, true))
	debug.FreeOSMemory()
	if err == nil {
		err = do(newTimer(c.Memory, bits, c.Rounds/2, false))
		debug.FreeOSMemory()
	}
	return err
}

// placed are the times of a filter in the cache and in memory.
type placed struct {
	Cache  *times `json:"cache,omitempty"`
	Memory *times `json:"memory,omitempty"`
}

func (p *placed) set(t *timer, found times) {
	if t.warm {
		p.Cache = &found
	} else {
		p.Memory = &found
	}
}

// newTimer returns a timer of filters of the given size in bytes, at bits per member.
func newTimer(bytes int64, bits, rounds int, warm bool) *timer {
	// Rounded up: a filter of a power of two of bytes is not to be a bit too large.
	members := int((bytes*8 + int64(bits) - 1) / int64(bits))
	// A 32nd of them in a round: a rolling filter has room for as many inserts as it has members.
	slice := min(mostSlice, members/32)
	t := &timer{members: members, slice: slice, warm: warm, rounds: rounds}
	t.keys, t.news, t.mixed = make([]uint64, slice), make([]uint64, slice),
		make([]uint64, min(mostSlice, members/4))
	t.counts = make([]uint64, len(t.mixed))
	if warm {
		t.others = make([]uint64, min(mostSlice, bytes/16)) // two or more for each line
		for i := range t.others {
			t.others[i] = nonMember(i | 1<<30)
		}
	} else {
		t.memory = make([]byte, evicting*bytes)
		for i := 0; i < len(t.memory); i += 4096 {
			t.memory[i] = 1 // or all pages would be one of zeros
		}
	}
	return t
}

// fill inserts all members, and returns how long that took, but for making the keys, in ns.
func (t *timer) fill(f peer.Inserter) (took float64) {
	keys := make([]uint64, 0, chunk)
	for i := 0; i < t.members; i += len(keys) {
		keys = keys[:min(chunk, t.members-i)]
		for j := range keys {
			keys[j] = member(i + j)
		}
		begin := time.Now()
		peer.Insert(f, keys)
		took += float64(time.Since(begin))
	}
	return took
}

// time returns the times of all subjects. An insert puts back what was just deleted; where nothing
// is deleted it is of members again, and of new keys where the filter forgets.
func (t *timer) time(all []subject) []times {
	defer measure.Quiet(mostMemory)()
	operations := []func(s *subject) (keys int){
		func(s *subject) int { s.filter.QueryHashBatch(t.mixed, nil); return len(t.mixed) },
		func(s *subject) int {
			c, counts := s.filter.(peer.Counter)
			if !counts {
				return 0
			}
			c.CountHashBatch(t.mixed, t.counts)
			return len(t.mixed)
		},
		func(s *subject) int {
			d, deletes := s.filter.(peer.Deleter)
			if !deletes || s.forgets {
				return 0
			}
			d.DeleteHashBatch(t.keys, nil)
			return len(t.keys)
		},
		func(s *subject) int {
			keys := t.keys
			if s.forgets {
				keys = t.news
			}
			peer.Insert(s.filter, keys)
			return len(keys)
		},
	}
	samples := make([][4][]float64, len(all))
	for i := range all {
		t.fill(all[i].filter)
	}
	for round := range t.rounds {
		runtime.GC()
		t.draw(round)
		for o, operation := range operations {
			t.evict()
			for i := range all {
				turn := (i + round) % len(all)
				if round%2 == 1 { // the other way round
					turn = len(all) - 1 - turn
				}
				if t.warm {
					all[turn].filter.QueryHashBatch(t.others, nil)
				}
				touch(t.keys)
				touch(t.news)
				touch(t.mixed)
				begin := time.Now()
				keys := operation(&all[turn])
				if took := float64(time.Since(begin)); keys > 0 {
					samples[turn][o] = append(samples[turn][o], took/float64(keys))
				}
			}
		}
	}
	found := make([]times, len(all))
	for i, s := range samples {
		found[i] = times{
			Query: spreadOf(s[0]), Count: spreadOf(s[1]), Delete: spreadOf(s[2]),
			Insert: spreadOf(s[3]),
		}
	}
	return found
}

// draw makes the keys of a round: a slice of members, and for queries another with as many
// non-members.
func (t *timer) draw(round int) {
	from := round * t.slice % (t.members - t.slice)
	for i := range t.keys {
		t.keys[i] = member(from + i)
		t.news[i] = nonMember((round*t.slice + i) | 1<<29)
	}
	for i := range t.mixed {
		t.mixed[i] = member((from + t.members/2 + i) % t.members)
		if workload.Mix(t.mixed[i])>>63 == 0 {
			t.mixed[i] = nonMember(round*len(t.mixed) + i)
		}
	}
}

// evict has the caches lose the filters.
func (t *timer) evict() { measure.Touch(t.memory, 64) }

func touch(keys []uint64) { measure.Touch(keys, 8) }

// spreadOf returns the least of the times of the rounds, and their lower quartile; 0 where there
// are none.
func spreadOf(samples []float64) spread {
	return spread{Least: result.Round(result.Quantile(samples, 0)),
		Quartile: result.Round(result.Quantile(samples, 0.25))}
}

// rebuild returns the times of a member's insert into a fresh filter, whose memory the runtime has
// to get.
func (t *timer) rebuild(fresh func() peer.Deleter) spread {
	const rounds = 3
	var samples []float64
	for range rounds {
		runtime.GC()
		samples = append(samples, t.fill(fresh())/float64(t.members))
	}
	return spreadOf(samples)
}

// refresh returns the times of a member's insert by a refresh of blocks, of which its owner has a
// list.
func (t *timer) refresh(f *deletable.Filter) (spread, error) {
	blocks := f.State().Bytes / deletable.BlockBytes
	step := min(blocks, 4*stepBlocks)
	var samples []float64
	for round := range t.rounds {
		var list []uint64
		first := round * step % (blocks - step + 1)
		_, err := refresh(f, first, first+step, func(low, high uint64) iter.Seq[uint64] {
			for i := range t.members {
				if hash := member(i); low <= hash && hash <= high {
					list = append(list, hash)
				}
			}
			return slices.Values(list)
		})
		if err != nil {
			return spread{}, err
		}
		t.evict()
		if t.warm {
			f.QueryHashBatch(t.others, nil)
		}
		touch(list)
		begin := time.Now()
		n, err := refresh(f, first, first+step, func(uint64, uint64) iter.Seq[uint64] {
			return slices.Values(list)
		})
		if err != nil {
			return spread{}, err
		}
		samples = append(samples, float64(time.Since(begin))/float64(n))
	}
	return spreadOf(samples), nil
}
