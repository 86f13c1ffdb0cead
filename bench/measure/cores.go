package measure

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// coreKeys is what each core does of a slice when several work at once: so much that the time until the
// last core has woken does not count.
const coreKeys = 64 << 10

// crew is goroutines, one a core, that do the same step at once. The caller is one of them; the others
// sleep between steps.
type crew struct {
	cores int
	do    func(core int)
	begin []chan struct{} // of each core but the caller's
	done  sync.WaitGroup  // with the step
	ended sync.WaitGroup
}

func newCrew(cores int) *crew {
	c := &crew{cores: cores}
	for core := 1; core < cores; core++ {
		begin := make(chan struct{})
		c.begin = append(c.begin, begin)
		c.ended.Go(func() {
			for range begin {
				c.do(core)
				c.done.Done()
			}
		})
	}
	return c
}

// run has do done by every core and returns when all have.
func (c *crew) run(do func(core int)) {
	c.do = do
	c.done.Add(c.cores - 1)
	for _, begin := range c.begin {
		begin <- struct{}{}
	}
	do(0)
	c.done.Wait()
}

func (c *crew) close() {
	for _, begin := range c.begin {
		close(begin)
	}
	c.ended.Wait()
}

// coreStreams is what each core asks for when several work at once: members of blocks of its own, which
// lie all over the table, so that no core writes what another does; and half of members, half of strangers
// of the whole table.
type coreStreams struct {
	slices  int
	members [][]uint64 // by core, no one twice
	mixed   [][]uint64
}

// newCoreStreams returns streams of a slice at least, and false where a core's half of its members is less:
// the other half is to stay in the table.
func newCoreStreams(m members, nblocks, cores, keys int) (s coreStreams, ok bool) {
	perBlock := m.count() / nblocks
	log2 := bits.Len(uint(nblocks/cores)) - 1 // of the blocks of a core
	total := min(keys, 1<<log2*perBlock/2)
	s.slices = total / coreKeys
	if s.slices == 0 {
		return s, false
	}
	for core := range cores {
		members, mixed := make([]uint64, total), make([]uint64, total)
		for i := range members {
			own := shuffled(uint64(i), log2)
			within := (uint64(i)>>log2 + workload.Mix(own)) % uint64(perBlock)
			members[i] = m.hash((own*uint64(cores)+uint64(core))*uint64(perBlock) + within)
			r := workload.Mix(uint64(core)<<32 | uint64(i))
			mixed[i] = r
			if r>>63 == 0 {
				mixed[i] = m.hash(workload.Mix(r) >> (64 - m.log2))
			}
		}
		s.members, s.mixed = append(s.members, members), append(s.mixed, mixed)
	}
	return s, true
}

// scaling returns the contests of one core and of all of them, on the largest pages: floors that
// prefetch, and what programs call.
func (a *arena) scaling(c *crew, s coreStreams) (all []contest) {
	pages := pageKinds[len(pageKinds)-1]
	table := a.tables[pages]
	outs := make([]*answers, c.cores)
	for core := range outs {
		outs[core] = newAnswers(coreKeys)
	}
	type perCore struct {
		kind result.Kind
		name string
		make func(core int) operations
	}
	ways := []perCore{{result.Kernel, result.BatchMethods, func(core int) operations { return table.batchMethods(outs[core]) }}}
	for _, set := range assembly() {
		ways = append(ways, perCore{result.Floor, set.name, func(int) operations { return table.floors(&set, distance) }})
	}
	slice := func(hashes []uint64, i int) []uint64 { return hashes[i*coreKeys:][:coreKeys] }
	for _, cores := range slices.Compact([]int{1, c.cores}) {
		group := func(operation, asked string) result.Group {
			return result.Group{Operation: operation, Asked: asked, Form: result.FormCores, Lane: a.lane, Pages: pages,
				Bytes: a.bytes, Cores: cores, Unit: "key"}
		}
		each := func(do func(core int)) {
			if cores == 1 {
				do(0)
			} else {
				c.run(do)
			}
		}
		of := func(groups []result.Group, hashes [][]uint64, phases func(operations) []stream) contest {
			t := contest{groups: groups}
			for _, w := range ways {
				n := contender{kind: w.kind, name: w.name, pages: pages, prepare: func(i int) {
					each(func(core int) { warm(table, slice(hashes[core], i)) }) // into the core's own cache
				}}
				runs := make([][]stream, cores)
				for core := range runs {
					runs[core] = phases(w.make(core))
				}
				for phase := range runs[0] {
					n.phases = append(n.phases, func(i int) int {
						var yes atomic.Int64
						each(func(core int) { yes.Add(int64(runs[core][phase](slice(hashes[core], i)))) })
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
