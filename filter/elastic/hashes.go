package elastic

import (
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
)

// QueryHash reports whether the key of a hash is present: true for every member and for each false
// positive. It reads one cache line.
func (f *Filter) QueryHash(hash uint64) bool { return base.Require(&f.Life).blocks.Query(hash) }

// QueryHashBatch queries the keys of hashes and returns how many are present: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	base.RequirePresent("QueryHashBatch", len(hashes), present)
	return base.Require(&f.Life).blocks.QueryBatch(hashes, present)
}

// PrefetchHash announces a hash: see [filter.Prefetcher].
func (f *Filter) PrefetchHash(hash uint64) { base.Require(&f.Life).blocks.Prefetch(hash) }

// CountHash returns how many times the key of a hash is a member, by the list of its block. It is
// exact, except for keys whose hashes are equal in all 64 bits.
func (f *Filter) CountHash(hash uint64) (times uint64) {
	t := f.holderOf(base.Require(&f.Life), hash)
	block, entry := t.place(hash)
	f.work.entries = t.append(f.work.entries[:0], block)
	for _, other := range f.work.entries {
		if other == entry {
			times++
		}
	}
	return times
}

// InsertHash inserts the key of a hash, and reports whether it was present before. The error is a
// *[FullError] or [filter.ErrClosed], and then nothing has changed.
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	t := base.Held(&f.Life)
	if t == nil {
		return false, filter.ErrClosed
	}
	_, present, err = f.insert(t, hash)
	return present, err
}

// insert is InsertHash into the table t. It returns the table that queries read then.
func (f *Filter) insert(t *table, hash uint64) (now *table, present bool, err error) {
	present = t.blocks.Query(hash)
	if f.members >= f.most {
		return t, present, &FullError{f.members + 1, f.most}
	}
	nblocks := len(t.blocks)
	if f.next == nil && f.members+1 >= f.plan.growsAt(nblocks) &&
		f.plan.limit(nblocks) < f.most {
		f.begin(t, 2*nblocks)
	}
	t = f.advance(t)
	f.members++
	of := f.holderOf(t, hash)
	of.push(of.place(hash))
	if of != t {
		of.blocks.Add(hash)
	}
	block := t.block(hash)
	f.work.one[0] = t.blocks[block]
	f.work.one.Add(hash)
	t.blocks.Replace(block, f.work.one)
	return t, present, nil
}

// DeleteHash deletes the key of a hash once. The status is Absent if the hash is in no list; then
// nothing changes, also if the key is a false positive. The status is Retained if the key is still
// present, because it is still a member or because others have its bits. Else it is Deleted.
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	_, status := f.delete(base.Require(&f.Life), hash)
	return status
}

// delete is DeleteHash from the table t. It returns the table that queries read then.
func (f *Filter) delete(t *table, hash uint64) (now *table, status filter.Status) {
	holder := f.holderOf(t, hash)
	block, entry := holder.place(hash)
	f.work.entries = holder.append(f.work.entries[:0], block)
	i := slices.Index(f.work.entries, entry)
	if i < 0 {
		return t, filter.Absent
	}
	holder.remove(block, i)
	f.work.entries = slices.Delete(f.work.entries, i, i+1)
	f.members--
	if !slices.Contains(f.work.entries, entry) {
		f.rebuild(t, holder, block, hash)
	}
	nblocks := len(t.blocks)
	if f.next == nil && f.members < f.plan.shrinksBelow(nblocks) {
		f.begin(t, nblocks/2)
	}
	t = f.advance(t)
	if t.blocks.Query(hash) {
		return t, filter.Retained
	}
	return t, filter.Deleted
}

// rebuild builds the block of a hash again from f.work.entries, which are its list. It does so in
// the table that has the lists and in the one that queries read.
func (f *Filter) rebuild(t, holder *table, block int, hash uint64) {
	entries := f.work.entries
	f.work.one.Reset()
	f.work.one.AddBatch(entries)
	if holder == t {
		t.blocks.Replace(block, f.work.one)
		return
	}
	holder.blocks[block] = f.work.one[0]
	home := t.block(hash)
	if n := len(holder.blocks); n > len(t.blocks) { // two blocks for one
		f.work.one.Merge(holder.blocks[block^1 : block^1+1])
	} else { // one for two: the members of one of these
		low, high := lowest(home, len(t.blocks)), lowest(home+1, len(t.blocks))-1
		from := lowest(block, n)
		f.work.entries = slices.DeleteFunc(entries,
			func(entry uint64) bool { return from+entry-low > high-low })
		f.work.one.Reset()
		f.work.one.AddBatch(f.work.entries)
	}
	t.blocks.Replace(home, f.work.one)
}

// ahead is the number of hashes of a batch whose memory is fetched at a time.
const ahead = 64

// fetch brings the blocks of hashes into the cache, and the first parts of their lists, or, to
// delete, two parts: first all heads, then all first chunks, then all second ones, because these do
// not wait for one another. It is not inlined, so that its result, which is not used, keeps the
// loads alive.
//
//go:noinline
func (f *Filter) fetch(t *table, hashes []uint64, parts int) (sum link) {
	var links [ahead]link
	for i, hash := range hashes {
		t.blocks.Prefetch(hash)
		of := f.holderOf(t, hash)
		links[i] = of.heads[of.block(hash)]
	}
	for range parts {
		for i, hash := range hashes {
			if links[i] != 0 {
				links[i] = f.holderOf(t, hash).arena.chunk(links[i]).next()
				sum |= links[i]
			}
		}
	}
	return sum
}

// InsertHashBatch inserts the keys of hashes one after another: see [filter.Set]. The error is a
// *[FullError] or [filter.ErrClosed].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	t := base.Held(&f.Life)
	if t == nil {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	return f.insertAll(t, hashes, present)
}

// insertAll is InsertHashBatch into the table t.
func (f *Filter) insertAll(t *table, hashes, present []uint64) (n int, err error) {
	if present != nil {
		clear(present[:filter.Words(len(hashes))])
	}
	for n < len(hashes) {
		group := hashes[n:min(n+ahead, len(hashes))]
		f.fetch(t, group, 1)
		for _, hash := range group {
			var was bool
			if t, was, err = f.insert(t, hash); err != nil {
				return n, err
			}
			if was && present != nil {
				present[n/64] |= 1 << (n % 64)
			}
			n++
		}
	}
	return n, nil
}

// DeleteHashBatch deletes the keys of hashes one after another, and returns how many of them were
// Deleted: see [filter.Deleter] and [Filter.DeleteHash].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	t := base.Require(&f.Life)
	base.RequireStatus("DeleteHashBatch", len(hashes), status)
	return f.deleteAll(t, hashes, status)
}

// deleteAll is DeleteHashBatch from the table t.
func (f *Filter) deleteAll(t *table, hashes []uint64, status []filter.Status) (deleted int) {
	for start := 0; start < len(hashes); start += ahead {
		group := hashes[start:min(start+ahead, len(hashes))]
		f.fetch(t, group, 2)
		var part []filter.Status
		if status != nil {
			part = status[start:]
		}
		deleted += base.DeleteEach(f, group, part, func(f *Filter, hash uint64) (s filter.Status) {
			t, s = f.delete(t, hash)
			return s
		})
	}
	return deleted
}
