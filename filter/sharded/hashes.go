package sharded

import (
	"runtime"
	"sync"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// InsertHash inserts the key with this hash, and reports whether it was present before: see
// [filter.Set]. The error is [filter.ErrClosed].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Held(&f.Life)
	if t == nil {
		return false, filter.ErrClosed
	}
	present = t.insert(hash)
	runtime.KeepAlive(t)
	return present, nil
}

// QueryHash reports whether the key with this hash is present: see [filter.Querier].
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Require(&f.Life)
	present := t.blocks.Query(hash)
	runtime.KeepAlive(t)
	return present
}

// QueryHashBatch queries hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) int {
	base.RequirePresent("QueryHashBatch", len(hashes), present)
	t := base.Require(&f.Life)
	count := t.blocks.QueryBatch(hashes, present)
	runtime.KeepAlive(t)
	return count
}

// PrefetchHash starts to load the block of a hash into the caches: see [filter.Prefetcher].
func (f *Filter) PrefetchHash(hash uint64) {
	t := base.Require(&f.Life)
	t.blocks.Prefetch(hash)
	runtime.KeepAlive(t)
}

// DeleteHash deletes the key with this hash, which must be a member: see [filter.Deleter].
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	t := base.Require(&f.Life)
	status := t.delete(hash)
	runtime.KeepAlive(t)
	return status
}

const (
	chunk = 4096 // the keys of a batch that are grouped together
	group = 256  // the most keys of a section, so that others do not wait long
	alone = 256  // the most keys of a chunk that is not grouped, because most would be alone
)

// grouped has the hashes of a chunk by stripe, within a stripe in the order of the batch, and their
// answers.
type grouped struct {
	hashes  [chunk]uint64
	order   [chunk]uint16      // the index in the chunk of each grouped hash
	stripes [chunk]uint8       // the stripe of each hash of the chunk
	ends    [maxStripes]uint16 // in hashes
	present [group / 64]uint64
	status  [group]filter.Status
}

var buffers = sync.Pool{New: func() any { return new(grouped) }}

// group groups at most chunk hashes, by counting.
func (g *grouped) group(t *table, hashes []uint64) {
	ends := g.ends[:len(t.stripes)]
	clear(ends)
	for i, hash := range hashes {
		s := t.index(hash) >> t.shift
		g.stripes[i] = uint8(s)
		ends[s]++
	}
	start := uint16(0)
	for s, n := range ends {
		ends[s] = start
		start += n
	}
	for i, hash := range hashes {
		end := &ends[g.stripes[i]]
		g.hashes[*end], g.order[*end] = hash, uint16(i)
		*end++
	}
}

// ahead is how many hashes ahead the blocks are prefetched, in a table of announced blocks or more.
// Smaller tables are in the second-level cache.
const (
	ahead     = 16
	announced = 1 << 14
)

// prefetch prefetches the blocks of hashes.
func (t *table) prefetch(hashes []uint64) {
	if len(t.blocks) < announced {
		return
	}
	for _, hash := range hashes {
		t.blocks.Prefetch(hash)
	}
}

// run returns the stripe of the hash at start, which is s or a later one, and the end of its
// hashes.
func (g *grouped) run(s, start int) (of, end int) {
	for int(g.ends[s]) <= start {
		s++
	}
	return s, int(g.ends[s])
}

// begin begins the section of the hashes from start on, which are of one range: it locks their
// stripes, the first of which is s or a later one, in ascending order. It returns the first, and
// the end of the section. The caller unlocks the stripe of each run.
func (g *grouped) begin(t *table, s, start, n int) (first, end int) {
	first, end = g.run(s, start)
	if _, last := t.stripesOf(first >> t.rangeShift); int(g.ends[last-1]) > end {
		end = int(g.ends[last-1])
	}
	end = min(end, start+group)
	t.prefetch(g.hashes[min(start+ahead, n):min(end+ahead, n)])
	for s, next := first, start; next < end; {
		s, next = g.run(s, next)
		t.stripes[s].lock.Lock()
	}
	return first, end
}

// InsertHashBatch inserts hashes: see [filter.Set]. The order of different hashes is not that of
// the batch. The error is [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := base.Held(&f.Life)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	g := buffers.Get().(*grouped)
	defer buffers.Put(g)
	for start := 0; start < len(hashes); start += chunk {
		part := hashes[start:min(start+chunk, len(hashes))]
		var answers []uint64
		if present != nil {
			answers = present[start/64:][:filter.Words(len(part))]
			clear(answers)
		}
		if len(part) > alone {
			g.insert(t, part, answers)
			continue
		}
		t.prefetch(part)
		base.InsertEach(t, part, answers, (*table).insert)
	}
	runtime.KeepAlive(t)
	return len(hashes), nil
}

func (g *grouped) insert(t *table, hashes, present []uint64) {
	g.group(t, hashes)
	for first, start, end := 0, 0, 0; start < len(hashes); start = end {
		first, end = g.begin(t, first, start, len(hashes))
		found := g.present[:filter.Words(end-start)]
		t.insertAll(g.hashes[start:end], found)
		for s, from, to := first, start, 0; from < end; from = to {
			s, to = g.run(s, from)
			stripe := &t.stripes[s]
			stripe.history.Inserts += uint64(min(to, end) - from)
			if stripe.watched() {
				for _, hash := range g.hashes[from:min(to, end)] {
					t.inserted(stripe, hash)
				}
			}
			stripe.lock.Unlock()
		}
		if present == nil {
			continue
		}
		for i, at := range g.order[start:end] {
			present[at/64] |= found[i/64] >> (i % 64) & 1 << (at % 64)
		}
	}
}

// DeleteHashBatch deletes hashes, which must be members, and returns how many have the status
// Deleted: see [filter.Deleter]. The order of different hashes is not that of the batch.
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	base.RequireStatus("DeleteHashBatch", len(hashes), status)
	t := base.Require(&f.Life)
	g := buffers.Get().(*grouped)
	defer buffers.Put(g)
	for start := 0; start < len(hashes); start += chunk {
		part := hashes[start:min(start+chunk, len(hashes))]
		var answers []filter.Status
		if status != nil {
			answers = status[start:]
		}
		if len(part) > alone {
			deleted += g.delete(t, part, answers)
			continue
		}
		t.prefetch(part)
		deleted += base.DeleteEach(t, part, answers, (*table).delete)
	}
	runtime.KeepAlive(t)
	return deleted
}

func (g *grouped) delete(t *table, hashes []uint64, status []filter.Status) (deleted int) {
	g.group(t, hashes)
	for first, start, end := 0, 0, 0; start < len(hashes); start = end {
		first, end = g.begin(t, first, start, len(hashes))
		found := g.status[:end-start]
		deleted += t.deleteAll(g.hashes[start:end], found)
		for s, from, to := first, start, 0; from < end; from = to {
			s, to = g.run(s, from)
			stripe := &t.stripes[s]
			var counts [filter.Deleted + 1]uint64
			for i := from; i < min(to, end); i++ {
				counts[found[i-start]]++
				if stripe.watched() {
					t.deleted(stripe, g.hashes[i], found[i-start])
				}
			}
			stripe.history.Deleted += counts[filter.Deleted]
			stripe.history.Retained += counts[filter.Retained]
			stripe.absent += counts[filter.Absent]
			stripe.lock.Unlock()
		}
		if status == nil {
			continue
		}
		for i, at := range g.order[start:end] {
			status[at] = found[i]
		}
	}
	return deleted
}
