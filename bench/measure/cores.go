package measure

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/kernel"
)

// coreKeys is what each core does of a slice at most when several work at once: so many that the time
// until the last has begun does not count.
const coreKeys = 64 << 10

// crew is goroutines, one a core, that do the same step at once. The caller is one of them.
type crew struct {
	cores int
	step  atomic.Uint64 // counts the steps that were begun
	do    func(core int)
	done  atomic.Int64 // cores that have done the step
	stop  bool
	ended sync.WaitGroup
}

func newCrew(cores int) *crew {
	c := &crew{cores: cores}
	for core := 1; core < cores; core++ {
		c.ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for last := uint64(0); ; last++ {
				wait(func() bool { return c.step.Load() != last })
				if c.stop {
					return
				}
				c.do(core)
				c.done.Add(1)
			}
		})
	}
	return c
}

// run has do done by every core and returns when all have.
func (c *crew) run(do func(core int)) {
	c.do = do
	c.done.Store(0)
	c.step.Add(1)
	do(0)
	wait(func() bool { return c.done.Load() == int64(c.cores-1) })
}

// wait spins, because a sleeping thread takes longer to wake than a step does; but where there are fewer
// free cores than threads, another must be let in for it to end.
func wait(until func() bool) {
	for spins := 1; !until(); spins++ {
		if spins%(1<<12) == 0 {
			runtime.Gosched()
		}
	}
}

func (c *crew) close() {
	c.stop = true
	c.step.Add(1)
	c.ended.Wait()
}

// coreStreams is what each core asks for when several work at once: members of its own part of the
// table, so that what it writes is no other's, and the same with a random half replaced by strangers.
type coreStreams struct {
	keys    int // of a slice
	slices  int
	members [][]uint64 // by core
	mixed   [][]uint64
}

func newCoreStreams(m members, cores int) coreStreams {
	part := m.count() / cores
	log2 := bits.Len(uint(part)) - 1
	// Half of the members stay in a table when a slice is deleted.
	s := coreStreams{keys: min(coreKeys, 1<<log2/2)}
	total := min(streamKeys/2, 1<<log2)
	s.slices = total / s.keys
	for core := range cores {
		members, mixed := make([]uint64, total), make([]uint64, total)
		for i := range members {
			h := m.hash(uint64(core*part) + shuffled(uint64(i), log2))
			members[i], mixed[i] = h, h
			if r := mix(h); r>>63 == 0 {
				mixed[i] = mix(r)
			}
		}
		s.members, s.mixed = append(s.members, members), append(s.mixed, mixed)
	}
	return s
}

// scaling returns the contests of one core and of all of them, on the largest pages: a floor that
// prefetches, and the implementation that programs get.
func (a *arena) scaling(c *crew, s coreStreams) (all []contest) {
	pages := pageKinds[len(pageKinds)-1]
	table := a.tables[pages]
	outs := make([]*answers, c.cores)
	for core := range outs {
		outs[core] = newAnswers(s.keys)
	}
	type perCore struct {
		kind result.Kind
		name string
		make func(core int) operations
	}
	ways := []perCore{{result.Kernel, kernel.Active().String(), func(core int) operations {
		return table.batch(kernel.Active(), outs[core])
	}}}
	for _, set := range assembly() {
		ways = append(ways, perCore{result.Floor, set.name, func(int) operations { return table.floors(&set, distance) }})
	}
	for _, cores := range slices.Compact([]int{1, c.cores}) {
		group := func(operation, asked string) result.Group {
			return result.Group{Operation: operation, Asked: asked, Form: result.FormCores, Lane: a.lane, Pages: pages,
				Bytes: a.bytes, Cores: cores, Unit: "key"}
		}
		of := func(groups []result.Group, hashes [][]uint64, phases func(operations) []stream) contest {
			t := contest{groups: groups}
			for _, w := range ways {
				n := contender{kind: w.kind, name: w.name, pages: pages, prepare: func(i int) {
					for core := range cores {
						warm(table, hashes[core][i*s.keys:][:s.keys])
					}
				}}
				each := make([][]stream, cores)
				for core := range each {
					each[core] = phases(w.make(core))
				}
				for phase := range each[0] {
					n.phases = append(n.phases, func(i int) int {
						var yes atomic.Int64
						work := func(core int) { yes.Add(int64(each[core][phase](hashes[core][i*s.keys:][:s.keys]))) }
						if cores == 1 {
							work(0)
						} else {
							c.run(work)
						}
						return int(yes.Load()) / cores
					})
				}
				t.contenders = append(t.contenders, n)
			}
			return t
		}
		all = append(all,
			of([]result.Group{group("query", "mixed")}, s.mixed,
				func(o operations) []stream { return []stream{o.query} }),
			of([]result.Group{group("delete", ""), group("insert", "")}, s.members,
				func(o operations) []stream { return []stream{o.remove, o.insert} }))
	}
	return all
}
