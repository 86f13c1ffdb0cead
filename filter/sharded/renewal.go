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
	p, rest := t.freshPart(stripe, listed)
	return rest, t.replacePart(stripe, p)
}

// freshPart is a part that replaces one: fresh blocks with the members of a list, and those that
// the writes so far make of them.
type freshPart struct {
	first   int
	blocks  kernel.Table512
	listed  []uint64
	settled settlement
	members []uint64
	writes  int
}

func (p *freshPart) settle(t *table, writes []write) {
	p.settled.add(writes[p.writes:])
	p.writes, p.members = len(writes), p.settled.members(p.listed)
	p.blocks.Reset()
	p.blocks.InsertPart(p.first, len(t.blocks), p.members)
}

// freshPart makes the next part of a renewal, while nobody waits, and returns the members that are
// left.
func (t *table) freshPart(stripe int, listed []uint64) (p freshPart, rest []uint64) {
	s := &t.stripes[stripe]
	first, end := t.blocksOf(stripe)
	r := s.renewal // which nobody else ends
	first += r.parts * partBlocks
	p = freshPart{first: first, blocks: kernel.NewTable512(min(partBlocks, end-first)),
		settled: settlement{}}
	_, high := t.blocks.Interval(first, first+len(p.blocks))
	n := sort.Search(len(listed), func(i int) bool { return listed[i] > high })
	p.listed = listed[:n]
	s.lock.Lock()
	writes := r.writes[r.parts]
	s.lock.Unlock()
	p.settle(t, writes)
	return p, listed[n:]
}

// replacePart replaces the next part of a renewal, and returns whether a part is left.
func (t *table) replacePart(stripe int, p freshPart) (more bool) {
	s := &t.stripes[stripe]
	s.lock.Lock()
	defer s.lock.Unlock()
	r := s.renewal
	if writes := r.writes[r.parts]; len(writes) > p.writes {
		p.settle(t, writes)
	}
	t.blocks.Replace(p.first, p.blocks)
	r.writes[r.parts] = nil
	r.parts++
	r.history.Inserts += uint64(len(p.members))
	if r.parts < len(r.writes) {
		return true
	}
	s.history, s.renewal = r.history, nil
	return false
}
