package main

import (
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
)

// plan is what a run of the command measures.
type plan struct {
	sizes  []int64
	rounds int
	quick  bool
	keys   int // of a stream
	stderr io.Writer
}

// measure runs everything but the sweep.
func (p plan) measure() (*report, error) {
	defer quiet()()
	r := newReport(p.rounds)
	for _, size := range p.fitting(r, p.sizes, 1) {
		if err := p.arena(r, size, func(a *arena) (groups [][]contender) {
			queries, updates := a.batches()
			groups = append(groups, queries, updates)
			if size == p.sizes[0] || size == singleBytes && !p.quick {
				queries, updates := a.singles()
				groups = append(groups, queries, updates)
			}
			return groups
		}); err != nil {
			return nil, err
		}
	}
	mergeable := slices.DeleteFunc(slices.Clone(p.sizes), func(size int64) bool { return size > maxMergeBytes })
	for _, size := range p.fitting(r, mergeable, 2) {
		if err := p.merges(r, size); err != nil {
			return nil, err
		}
	}
	for _, masks := range []int{64, 4096} {
		p.compete(r, "match", match(masks), schedule{slices: matchSlices, turn: 1}, "mask", matchSlices*matchMasks)
	}
	return r, nil
}

// singleBytes is the size of the table, beside the smallest, on which single keys are measured, where
// there is time.
const singleBytes = 512 << 20

// sweep runs the prefetch-distance sweep.
func (p plan) sweep() (*report, error) {
	defer quiet()()
	r := newReport(p.rounds)
	if len(assembly()) == 0 {
		r.note("there is no assembly for this CPU in this build, and so nothing to sweep")
		return r, nil
	}
	for _, size := range p.fitting(r, p.sizes, 1) {
		for _, set := range assembly() {
			if err := p.arena(r, size, func(a *arena) [][]contender {
				queries, updates := a.sweep(set)
				return [][]contender{queries, updates}
			}); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// quiet keeps the garbage collector and other threads out, and returns what lets them in again.
func quiet() func() {
	runtime.LockOSThread()
	percent := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(percent)
		runtime.UnlockOSThread()
	}
}

// fitting returns those of the sizes of which so many tables, on each kind of pages, fit in memory,
// and notes the others.
func (p plan) fitting(r *report, sizes []int64, tables int64) (fit []int64) {
	available, known := availableBytes()
	for _, size := range sizes {
		need := tables*int64(len(pageKinds))*(size+2*hugePage) + spare
		switch {
		case size>>30 > 0 && strconv.IntSize == 32:
			r.note("%s skipped: the address space is too small", formatSize(size))
		case known && need > available:
			r.note("%s skipped: %d tables take %d MiB, and %d MiB are available",
				formatSize(size), tables*int64(len(pageKinds)), need>>20, available>>20)
		default:
			fit = append(fit, size)
		}
	}
	return fit
}

const (
	hugePage = 2 << 20   // that much may go to waste before and after a table
	spare    = 256 << 20 // for streams and what else runs
)

// arena measures groups of contenders on tables of one size.
func (p plan) arena(r *report, size int64, groups func(a *arena) [][]contender) error {
	a, err := newArena(size, p.keys)
	if err != nil {
		return err
	}
	if table, ok := a.tables[pagesHuge]; ok {
		if share, known := hugeShare(table); known && share < 0.99 {
			r.note("of %s on huge pages the system gave %.0f %%", formatSize(size), 100*share)
		}
	}
	for _, contenders := range groups(a) {
		p.compete(r, what(contenders[0].names[0], size), contenders,
			schedule{slices: a.slices(), turn: a.turn(), draw: a.draw}, "key", len(a.stream))
	}
	return a.close()
}

func (p plan) merges(r *report, size int64) error {
	m, err := newMerge(size)
	if err != nil {
		return err
	}
	p.compete(r, what("merge", size), m.contenders(), schedule{slices: m.slices(), turn: 1}, "block", m.slices()*mergeBlocks)
	return m.close()
}

// compete measures contenders side by side and adds their results, units being what each has done
// when it has had every slice.
func (p plan) compete(r *report, what string, contenders []contender, s schedule, unit string, units int) {
	// What is quick, or of few slices, has more rounds.
	s.rounds = p.rounds * max(1, 64/s.slices)
	if bytes := contenders[0].Bytes; bytes <= warmBytes {
		s.rounds *= 2
	}
	bar := startProgress(p.stderr, what, s.passes(len(contenders)))
	defer bar.done()
	s.step = bar.add
	if s.draw == nil {
		s.draw = func(int) {}
	}
	r.add(contenders, interleave(contenders, s), unit, units)
}
