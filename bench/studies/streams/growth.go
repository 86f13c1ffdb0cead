package streams

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// grower is a filter whose members are few at first, then many, and few again.
type grower struct {
	name, note string
	filter     peer.Inserter
	// memory is that after a call, and the most bytes that the call took. It is asked after each
	// call: State may take long.
	memory func() (now memory, most int)

	stopped bool // before a step that takes too long
}

// growers returns the filters that are compared, without members.
func growers(c *growthConfig) ([]grower, error) {
	e, err := elastic.New(elastic.Config{Members: c.Least, Rate: c.Rate})
	if err != nil {
		return nil, err
	}
	rebuilds := &rebuilt{config: c}
	if err := rebuilds.rebuild(c.Least); err != nil {
		return nil, err
	}
	ring, err := rolling.New(rolling.Config{Members: c.Most, Rate: c.Rate})
	if err != nil {
		return nil, err
	}
	// weigh is the memory of a filter that has all in one.
	weigh := func(bytes func() int) func() (memory, int) {
		return func() (memory, int) { return memory{Filter: bytes()}, bytes() }
	}
	ringBytes := ring.State().Bytes
	all := []grower{{
		name: "elastic", note: "Made for the fewest members. Queries read its blocks; lists of " +
			"the members' hashes are beside them.",
		filter: e, memory: func() (memory, int) {
			s := e.Stats()
			return memory{Filter: s.FastBytes, Lists: s.SlowBytes}, s.FastBytes + s.SlowBytes
		},
	}, {
		name: "cuckoo, rebuilt", note: "Made for the fewest members. A full filter is built " +
			"again for twice as many, one that is less than a quarter full for half as many. So " +
			"its owner keeps the keys: here their hashes, in a list of 8 bytes for each member " +
			"that there is room for. Longer keys take more.",
		filter: rebuilds, memory: rebuilds.memory,
	}, {
		name: "rolling, of one size", note: "Does not grow: made for the most members. Deletes " +
			"go by the key alone.",
		filter: ring, memory: weigh(func() int { return ringBytes }),
	}}
	p := library.Scalable()
	for _, first := range []int{c.Series, c.Most} {
		f, err := p.Begin(first, -math.Log(c.Rate)/(math.Ln2*math.Ln2)).Finish()
		if err != nil {
			return nil, err
		}
		all = append(all, grower{
			name: fmt.Sprintf("%s, from %d", p.Name, first), filter: f.(peer.Inserter),
			memory: weigh(func() int { return f.State().Bytes }),
			note: fmt.Sprintf("Grows by one more filter for %d members each time, which has more "+
				"hashes than the last. Cannot delete.", first),
		})
	}
	return all, nil
}

// rebuilt is a cuckoo filter that is built again where it is full, or nearly empty. The oldest
// members go first.
type rebuilt struct {
	*cuckoo.Filter
	config   *growthConfig
	planned  int      // members
	keys     []uint64 // of the members, the oldest first
	bytes    int      // of the filter
	replaced int      // bytes of what the last call replaced
}

func (r *rebuilt) memory() (now memory, most int) {
	now = memory{Filter: r.bytes, Keys: 8 * r.planned}
	return now, now.sum() + r.replaced
}

func (r *rebuilt) rebuild(planned int) (err error) {
	if r.Filter != nil {
		now, _ := r.memory()
		r.replaced = now.sum()
	}
	r.keys, r.planned = append(make([]uint64, 0, planned), r.keys...), planned
	if r.Filter, err = cuckoo.New(cuckoo.Config{Members: planned, Rate: r.config.Rate}); err ==
		nil {
		r.bytes = r.State().Bytes
		_, err = r.Filter.InsertHashBatch(r.keys, nil)
	}
	return err
}

func (r *rebuilt) InsertHashBatch(hashes, _ []uint64) (n int, err error) {
	r.replaced = 0
	for n < len(hashes) && err == nil {
		if len(r.keys) == r.planned {
			err = r.rebuild(2 * r.planned)
			continue
		}
		var taken int
		taken, err = r.Filter.InsertHashBatch(hashes[n:min(len(hashes), n+r.planned-len(r.keys))],
			nil)
		r.keys = append(r.keys, hashes[n:n+taken]...)
		n += taken
	}
	return n, err
}

func (r *rebuilt) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	r.replaced = 0
	deleted = r.Filter.DeleteHashBatch(hashes, status)
	if r.keys = r.keys[len(hashes):]; len(r.keys) < r.planned/4 && r.planned > r.config.Least {
		if err := r.rebuild(r.planned / 2); err != nil { // which is less than half full
			panic(err)
		}
	}
	return deleted
}

// sizes returns the numbers of members at which filters are compared: the decades, up and then
// down.
func (c *growthConfig) sizes() (all []int) {
	for n := c.Least; n <= c.Most; n *= 10 {
		all = append(all, n)
	}
	for i := len(all) - 2; i >= 0; i-- {
		all = append(all, all[i])
	}
	return all
}

// span is the members: those that came, less those that went, which are the oldest.
type span struct{ out, in int }

func (s span) members() int { return s.in - s.out }

const (
	perCall  = 256  // keys of a call that grows or shrinks a filter
	perQuery = 4096 // and of a query
	queries  = 4    // in a round, the first of which is not timed
	// perOctave is how many points of a curve there are where members double, about.
	perOctave = 8
)

// samples are of a filter on its way from one number of members to another, and there.
type samples struct {
	calls            []int64 // ns, the least of all rounds
	updates, queries []float64
	seconds          float64 // that the step took
}

// measure has all filters grow and shrink in some rounds, side by side: each of them goes from one
// number of members to the next, and then the others do, in another order each round.
func (r *grown) measure(done func()) error {
	defer measure.Quiet(mostMemory)()
	var taken []samples
	for round := range r.Config.Rounds {
		all, err := growers(&r.Config)
		if err != nil {
			return err
		}
		from, next := span{}, 0
		for _, size := range r.Config.sizes() {
			debug.FreeOSMemory()
			to := span{in: max(from.in, size)}
			to.out = to.in - size
			first := next
			for i := range all {
				f := &all[(i+round)%len(all)]
				if _, deletes := f.filter.(peer.Deleter); !deletes && to.out > 0 {
					continue
				}
				if round == 0 {
					r.Steps = append(r.Steps, step{Subject: f.name, Note: f.note, Members: size,
						Shrinks: to.out > 0})
					taken = append(taken, samples{})
				}
				i := first + slices.IndexFunc(r.Steps[first:],
					func(s step) bool { return s.Subject == f.name })
				next++
				if f.stopped = f.stopped || round > 0 &&
					taken[i].seconds > r.Config.Patience; f.stopped {
					continue
				}
				begin := time.Now()
				if err := r.step(f, from, to, &r.Steps[i], &taken[i], round); err != nil {
					return fmt.Errorf("%s, %d members: %w", f.name, size, err)
				}
				taken[i].seconds = time.Since(begin).Seconds()
			}
			from = to
			done()
		}
	}
	for i, seen := range taken {
		s := &r.Steps[i]
		s.Rounds = len(seen.updates)
		s.Update, s.Query, s.Longest = medianOf(seen.updates), medianOf(seen.queries),
			slices.Max(seen.calls)
	}
	return nil
}

// step takes one filter from some members to others, and asks it there.
func (r *grown) step(f *grower, from, to span, s *step, taken *samples, round int) error {
	keys, took := make([]uint64, perQuery), int64(0)
	for position, call := from, 0; position != to; call++ {
		first := &position.in
		if position.out < to.out {
			first = &position.out
		}
		some := keys[:min(perCall, max(to.in-position.in, to.out-position.out))]
		for i := range some {
			some[i] = member(*first + i)
		}
		var err error
		begin := time.Now()
		if position.out < to.out {
			f.filter.(peer.Deleter).DeleteHashBatch(some, nil)
		} else {
			_, err = f.filter.InsertHashBatch(some, nil)
		}
		ns := int64(time.Since(begin))
		if err != nil {
			return err
		}
		*first += len(some)
		took += ns
		if round > 0 { // what else the machine does makes other calls long each time
			taken.calls[call] = min(taken.calls[call], ns)
			continue
		}
		taken.calls = append(taken.calls, ns)
		now, most := f.memory()
		s.Most = max(s.Most, most)
		r.draw(point{f.name, position.members(), s.Shrinks, now.sum()})
	}
	changed := to.in - from.in + to.out - from.out
	taken.updates = append(taken.updates, float64(took)/float64(changed))
	rng := rand.New(rand.NewPCG(7, uint64(round)))
	for i := range queries {
		for j := range keys {
			if keys[j] = rng.Uint64(); j%2 == 0 {
				keys[j] = member(to.out + rng.IntN(to.members()))
			}
		}
		begin := time.Now()
		f.filter.QueryHashBatch(keys, nil)
		if ns := time.Since(begin); i > 0 {
			taken.queries = append(taken.queries, float64(ns)/perQuery)
		}
	}
	if round > 0 {
		return nil
	}
	s.Memory, _ = f.memory()
	s.Rate = ask(f.filter, rng, r.Config.NonMembers)
	checked := min(to.members(), r.Config.NonMembers)
	for i := 0; i < checked; i += len(keys) {
		keys = keys[:min(len(keys), checked-i)]
		for j := range keys {
			keys[j] = member(to.out + (i+j)*(to.members()/checked))
		}
		s.Missed += len(keys) - f.filter.QueryHashBatch(keys, nil)
	}
	return nil
}

// draw adds a point to its curve, unless it is near the last one.
func (r *grown) draw(p point) {
	for _, last := range slices.Backward(r.Curves) {
		if last.Subject == p.Subject && last.Shrinks == p.Shrinks {
			if math.Abs(math.Log2(float64(p.Members)/float64(last.Members))) < 1./perOctave {
				return
			}
			break
		}
	}
	if p.Members >= r.Config.Least {
		r.Curves = append(r.Curves, p)
	}
}

// medianOf returns the least of some times, and their median.
func medianOf(samples []float64) spread {
	return spread{Least: result.Round(result.Quantile(samples, 0)),
		Median: result.Round(result.Median(samples))}
}
