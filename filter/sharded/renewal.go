package sharded

import (
	"runtime"
	"slices"
	"sort"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/kernel"
)

// renewal is a stripe whose blocks will be replaced by fresh ones, part by part, with the members
// that a source lists. What is written meanwhile is recorded, because the source may have it or
// not. The lock of the stripe guards it.
type renewal struct {
	first  int // block
	writes [][]write
	parts  int // that are replaced: what is written to them needs no record

	history base.History // of the parts that are replaced
}

// write is an insert or a delete of a hash.
type write struct {
	hash    uint64
	deleted bool
}

// part returns the part of a block, and whether it is to be replaced yet.
func (r *renewal) part(block int) (part int, old bool) {
	part = (block - r.first) / partBlocks
	return part, part >= r.parts
}

func (r *renewal) insert(block int, hash uint64) {
	part, old := r.part(block)
	if !old {
		r.history.Inserts = base.Total(r.history.Inserts, 1)
		return
	}
	r.writes[part] = append(r.writes[part], write{hash, false})
}

func (r *renewal) delete(block int, hash uint64, status filter.Status) {
	part, old := r.part(block)
	if !old {
		r.history.Note(status)
		return
	}
	if status != filter.Absent {
		r.writes[part] = append(r.writes[part], write{hash, true})
	}
}

// settlement has the hashes of a part that were written meanwhile, and how often each is a member
// after that.
type settlement map[uint64]int

func (m settlement) add(writes []write) {
	for _, w := range writes {
		if w.deleted {
			m[w.hash] = max(0, m[w.hash]-1)
		} else {
			m[w.hash]++
		}
	}
}

// members returns the members of a part: those that are listed, and not written meanwhile, and
// those that were inserted meanwhile, and not deleted after that. So the source need not be the
// list of one moment.
func (m settlement) members(listed []uint64) (members []uint64) {
	if len(m) == 0 {
		return listed
	}
	for _, hash := range listed {
		if _, ok := m[hash]; !ok {
			members = append(members, hash)
		}
	}
	for hash, times := range m {
		for range times {
			members = append(members, hash)
		}
	}
	return members
}

// record begins the renewal of a stripe.
func (t *table) record(stripe int) {
	s := &t.stripes[stripe]
	first, end := t.blocksOf(stripe)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.renewal = &renewal{first: first,
		writes: make([][]write, (end-first+partBlocks-1)/partBlocks)}
}

// forget ends a renewal that has not come to its end, if there is one, and leaves the blocks as
// they are.
func (t *table) forget(stripe int) {
	s := &t.stripes[stripe]
	s.lock.Lock()
	defer s.lock.Unlock()
	s.renewal = nil
}

// renew replaces the blocks of a stripe by fresh ones with the listed members, and those that were
// recorded, and ends the renewal.
func (t *table) renew(stripe int, listed []uint64) {
	slices.Sort(listed) // by block
	t.pass.Lock()
	defer t.pass.Unlock()
	for more := true; more; {
		listed, more = t.renewPart(stripe, listed)
	}
	runtime.KeepAlive(t)
}

// renewPart is renew for the next part. It returns the members that are left, and whether a part
// is.
func (t *table) renewPart(stripe int, listed []uint64) (rest []uint64, more bool) {
	s := &t.stripes[stripe]
	first, end := t.blocksOf(stripe)
	r := s.renewal // which nobody else ends
	first += r.parts * partBlocks
	part := kernel.NewTable512(min(partBlocks, end-first))
	_, high := t.blocks.Interval(first, first+len(part))
	n := sort.Search(len(listed), func(i int) bool { return listed[i] > high })
	s.lock.Lock()
	writes := r.writes[r.parts]
	s.lock.Unlock()
	settled := settlement{}
	settled.add(writes) // there may be many, for which others do not wait
	members := settled.members(listed[:n])
	part.InsertPart(first, len(t.blocks), members)
	s.lock.Lock()
	defer s.lock.Unlock()
	if late := r.writes[r.parts][len(writes):]; len(late) > 0 {
		settled.add(late)
		members = settled.members(listed[:n])
		part.Reset()
		part.InsertPart(first, len(t.blocks), members)
	}
	t.blocks.Replace(first, part)
	r.writes[r.parts] = nil
	r.parts++
	r.history.Inserts += uint64(len(members))
	if r.parts < len(r.writes) {
		return listed[n:], true
	}
	s.history, s.renewal = r.history, nil
	return nil, false
}
