package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/kernel"
)

const (
	mergeBlocks = 4096 // of a slice of a merge; smaller tables are merged as often as that takes
	matchMasks  = 4096 // of a slice of a match, likewise
	matchSlices = 256
)

// maxMergeBytes is the size of the largest tables that are merged: a merge takes two, on each kind
// of pages.
const maxMergeBytes = 1 << 30

// merge is tables to be merged and the tables that are merged into them.
type merge struct {
	bytes   int64
	dst     map[string]kernel.Table512
	src     map[string]kernel.Table512
	release []func() error
}

// newMerge makes tables of random blocks.
func newMerge(bytes int64) (*merge, error) {
	m := &merge{bytes: bytes, dst: map[string]kernel.Table512{}, src: map[string]kernel.Table512{}}
	for _, pages := range pageKinds {
		for _, tables := range []map[string]kernel.Table512{m.dst, m.src} {
			table, release, err := newTable(int(bytes/int64(blockBytes)), pages)
			if err != nil {
				return nil, errors.Join(err, m.close())
			}
			m.release = append(m.release, release)
			tables[pages] = table
			for i := range table {
				table[i] = kernel.Mask512(mix(uint64(i)))
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

func (m *merge) nblocks() int { return int(m.bytes / int64(blockBytes)) }

// part is the number of blocks that are merged at once, and repeats how often a slice does that.
func (m *merge) part() int    { return min(mergeBlocks, m.nblocks()) }
func (m *merge) repeats() int { return mergeBlocks / m.part() }
func (m *merge) slices() int  { return m.nblocks() / m.part() }

// contenders returns the floors, which do dst |= src, and every implementation.
func (m *merge) contenders() (all []contender) {
	for _, pages := range pageKinds {
		dst, src := m.dst[pages], m.src[pages]
		add := func(name string, isFloor bool, run func(dst, src kernel.Table512)) {
			all = append(all, contender{
				row:     row{Form: formBatch, Implementation: name, Pages: pages, Bytes: m.bytes},
				isFloor: isFloor,
				names:   []string{opMerge},
				prepare: func(int) {
					if 2*len(dst)*blockBytes <= warmBytes {
						run(dst, src)
					}
				},
				phases: []func(int) int{func(i int) int {
					from, to := i*m.part(), (i+1)*m.part()
					for range m.repeats() {
						run(dst[from:to], src[from:to])
					}
					return 0
				}},
			})
		}
		for _, set := range assembly() {
			add(set.name, true, func(dst, src kernel.Table512) {
				set.or((*[8]uint64)(&dst[0]), (*[8]uint64)(&src[0]), len(dst))
			})
		}
		for _, im := range kernel.Implementations() {
			add(im.String(), false, im.Merge512)
		}
	}
	return all
}

// match returns the contenders for one header against masks, each of one element: 16 elements are in
// the header, and a few of the masks are of those. The last is purego, which the others are held
// against.
func match(masks int) (all []contender) {
	rng := rand.New(rand.NewPCG(2, uint64(masks)))
	elements := make([]kernel.Block512, masks)
	for i := range elements {
		elements[i] = kernel.Mask512(rng.Uint64())
	}
	header := &kernel.Block512{}
	for i := range 16 {
		mask := kernel.Mask512(rng.Uint64())
		if i < 4 {
			mask = elements[i*masks/4]
		}
		header.Insert(&mask)
	}
	hits := make([]uint64, (masks+63)/64)
	for _, im := range kernel.Implementations() {
		all = append(all, contender{
			row:     row{Form: formBatch, Implementation: im.String(), Masks: masks},
			isFloor: im.String() == "purego",
			names:   []string{opMatch},
			prepare: func(int) { im.MatchBatch512(header, elements, hits) },
			phases: []func(int) int{func(int) (yes int) {
				for range matchMasks / masks {
					yes += im.MatchBatch512(header, elements, hits)
				}
				return yes
			}},
		})
	}
	return all
}

// what describes a size for messages and progress.
func what(task string, bytes int64) string { return fmt.Sprintf("%s, %s", task, formatSize(bytes)) }
