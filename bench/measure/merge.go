package measure

import (
	"errors"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// mergeBytes is a slice of a merge; smaller tables are merged as often as that takes.
const mergeBytes = 256 << 10

// maxMergeBytes is the size of the largest tables that are merged: a merge takes two, on each kind
// of pages.
const maxMergeBytes = 1 << 30

// merge is tables to be merged and the tables that are merged into them.
type merge struct {
	lane     int
	bytes    int64
	dst, src map[string]table
	release  []func() error
}

// newMerge makes tables of random blocks.
func newMerge(lane int, bytes int64) (*merge, error) {
	m := &merge{lane: lane, bytes: bytes, dst: map[string]table{}, src: map[string]table{}}
	hash := make([]uint64, 1)
	for _, pages := range pageKinds {
		for which, tables := range []map[string]table{m.dst, m.src} {
			table, release, err := newTable(lane, bytes, pages)
			if err != nil {
				return nil, errors.Join(err, m.close())
			}
			m.release = append(m.release, release)
			tables[pages] = table
			insert := table.methods().insert
			for i := range table.nblocks() {
				hash[0] = workload.Mix(uint64(i)<<1 | uint64(which))
				insert(hash)
			}
		}
	}
	return m, nil
}

func (m *merge) close() (err error) {
	for _, release := range m.release {
		err = errors.Join(err, release())
	}
	m.release, m.dst, m.src = nil, nil, nil
	return err
}

// part is the number of bytes that are merged at once, and repeats how often a slice does that.
func (m *merge) part() int64  { return min(mergeBytes, m.bytes) }
func (m *merge) repeats() int { return int(mergeBytes / m.part()) }
func (m *merge) slices() int  { return int(m.bytes / m.part()) }

// units is the number of blocks that all slices merge.
func (m *merge) units() int { return m.slices() * m.repeats() * m.blocks() }

func (m *merge) blocks() int { return int(m.part() * int64(m.nblocks()) / m.bytes) }

func (m *merge) nblocks() int { return m.dst[pageKinds[0]].nblocks() }

// contest is dst |= src, which is the floor, against every implementation.
func (m *merge) contest() contest {
	c := contest{groups: []result.Group{{Operation: "merge", Form: result.FormBatch, Lane: m.lane, Bytes: m.bytes, Cores: 1, Unit: "block"}}}
	for _, set := range assembly() {
		c.contenders = append(c.contenders, m.contenders(result.Floor, set.name, func(dst, src table) { dst.or(&set, src) })...)
	}
	for _, im := range dispatch.Implementations() {
		c.contenders = append(c.contenders, m.contenders(result.Kernel, im.String(), func(dst, src table) { dst.merge(im, src) })...)
	}
	return c
}

// copying is the copy of a table, by Go's runtime: what moves the same memory less the read of dst.
func (m *merge) copying() contest {
	return contest{
		[]result.Group{{Operation: "copy", Form: result.FormBatch, Lane: m.lane, Bytes: m.bytes, Cores: 1, Unit: "block"}},
		m.contenders(result.Floor, "copy", func(dst, src table) { copy(dst.memory(), src.memory()) }),
	}
}

// contenders returns one on each kind of pages.
func (m *merge) contenders(kind result.Kind, name string, run func(dst, src table)) (all []contender) {
	for _, pages := range pageKinds {
		var dst, src table
		all = append(all, contender{
			kind: kind, name: name, pages: pages,
			prepare: func(i int) {
				from, to := i*m.blocks(), (i+1)*m.blocks()
				dst, src = m.dst[pages].part(from, to), m.src[pages].part(from, to)
				if 2*m.bytes <= warmBytes {
					run(dst, src)
				}
			},
			phases: []func(int) int{func(int) int {
				for range m.repeats() {
					run(dst, src)
				}
				return 0
			}},
		})
	}
	return all
}
