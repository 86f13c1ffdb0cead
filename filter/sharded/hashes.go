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
	s := &t.stripes[t.index(hash)>>t.shift]
	s.begin()
	status := t.deleteOne(hash)
	s.note(status)
	if s.renewal != nil {
		s.renewal.delete(t.index(hash), hash, status)
	}
	s.end()
	runtime.KeepAlive(t)
	return status
}

const (
	chunk = 4096 // the keys of a batch that are grouped together
	group = 256  // the most keys of a section, so that others do not wait long
)

// grouped has the hashes of a chunk by stripe, within a stripe in the order of the batch, and their
// answers.
type grouped struct {
	hashes  [chunk]uint64
	order   [chunk]uint16 // the index in the chunk of each grouped hash
	stripes [chunk]uint8  // the stripe of each hash of the chunk
	ends    [maxStripes]uint16
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

// prefetch prefetches the blocks of the hashes that follow a section, in a chunk of n hashes.
func (g *grouped) prefetch(t *table, start, end, n int) {
	if len(t.blocks) < announced {
		return
	}
	for _, hash := range g.hashes[min(start+ahead, n):min(end+ahead, n)] {
		t.blocks.Prefetch(hash)
	}
}

// section returns the next section, which begins at start: its stripe, which is s or a later one,
// and its end.
func (g *grouped) section(s, start int) (of, end int) {
	for int(g.ends[s]) == start {
		s++
	}
	return s, min(int(g.ends[s]), start+group)
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
		g.insert(t, part, answers)
	}
	runtime.KeepAlive(t)
	return len(hashes), nil
}

func (g *grouped) insert(t *table, hashes, present []uint64) {
	g.group(t, hashes)
	for s, start, end := 0, 0, 0; start < len(hashes); start = end {
		s, end = g.section(s, start)
		found := g.present[:filter.Words(end-start)]
		g.prefetch(t, start, end, len(hashes))
		stripe := &t.stripes[s]
		stripe.begin()
		t.insertAll(g.hashes[start:end], found)
		stripe.written.Add(uint64(end - start))
		if stripe.renewal != nil {
			for _, hash := range g.hashes[start:end] {
				stripe.renewal.insert(t.index(hash), hash)
			}
		}
		stripe.end()
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
		deleted += g.delete(t, part, answers)
	}
	runtime.KeepAlive(t)
	return deleted
}

func (g *grouped) delete(t *table, hashes []uint64, status []filter.Status) (deleted int) {
	g.group(t, hashes)
	for s, start, end := 0, 0, 0; start < len(hashes); start = end {
		s, end = g.section(s, start)
		found := g.status[:end-start]
		var counts [filter.Deleted + 1]uint64
		g.prefetch(t, start, end, len(hashes))
		stripe := &t.stripes[s]
		stripe.begin()
		t.deleteAll(g.hashes[start:end], found)
		for _, status := range found {
			counts[status]++
		}
		stripe.deleted.Add(counts[filter.Deleted])
		stripe.retained.Add(counts[filter.Retained])
		if stripe.renewal != nil {
			for i, hash := range g.hashes[start:end] {
				stripe.renewal.delete(t.index(hash), hash, found[i])
			}
		}
		stripe.end()
		deleted += int(counts[filter.Deleted])
		if status == nil {
			continue
		}
		for i, at := range g.order[start:end] {
			status[at] = found[i]
		}
	}
	return deleted
}
