package measure

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// coreKeys is what each core does of a slice when several work at once: so much that the time until
// the last core has woken does not count.
const coreKeys = 64 << 10

// together runs do on a number of cores at once, of which the caller's is one, and returns when all
// are done.
func together(cores int, do func(core int)) {
	var others sync.WaitGroup
	for core := 1; core < cores; core++ {
		others.Go(func() { do(core) })
	}
	do(0)
	others.Wait()
}

// coreKeysOf returns what cores ask for when several work at once, each a part of every slice:
// members of blocks of its own, which lie all over the table, so that no core writes what another
// does, none of them twice; and half of members, half of non-members of the whole table. It is
// false where a core's half of its members is less than its part of a slice: the other half is to
// stay in the table.
func coreKeysOf(m members, nblocks, cores, n int) (k keys, ok bool) {
	perBlock := m.count() / nblocks
	log2 := bits.Len(uint(nblocks/cores)) - 1 // of the blocks of a core
	slices := min(n, 1<<log2*perBlock/2) / coreKeys
	k.hit, k.mixed = make([]uint64, slices*cores*coreKeys), make([]uint64, slices*cores*coreKeys)
	for batch := range k.hit {
		core, i := batch/coreKeys%cores, batch/(cores*coreKeys)*coreKeys+batch%coreKeys
		own := shuffled(uint64(i), log2)
		within := (uint64(i)>>log2 + workload.Mix(own)) % uint64(perBlock)
		k.hit[batch] = m.hash((own*uint64(cores)+uint64(core))*uint64(perBlock) + within)
		r := workload.Mix(uint64(core)<<32 | uint64(i))
		k.mixed[batch] = r
		if r>>63 == 0 {
			k.mixed[batch] = m.hash(workload.Mix(r) >> (64 - m.log2))
		}
	}
	return k, slices > 0
}

// onCores returns the groups of one core and of all of them, on the largest pages: floors that
// prefetch, and what programs call. The time is of each core.
func (a *arena) onCores(n, cores int, note func(format string, args ...any)) (all []group) {
	pages := pageKinds[len(pageKinds)-1]
	table := a.tables[pages]
	for _, cores := range slices.Compact([]int{1, cores}) {
		k, ok := coreKeysOf(a.members, table.nblocks(), cores, max(coreKeys, n/2))
		if !ok {
			note("%s is too small for %d cores at once", quantity.Bytes(a.bytes), cores)
			continue
		}
		g := group{
			Conditions: result.Conditions{Form: result.FormCores, BlockBits: a.width, Pages: pages,
				Bytes: a.bytes, Cores: cores, Unit: "key"},
			slice: cores * coreKeys, units: coreKeys, turn: len(k.hit) / (cores * coreKeys),
			between: a.evict,
		}
		g.subjects = append(g.subjects,
			onAll(cores, table, result.Implementation, result.BatchMethods,
				func() operations { return table.batchMethods(newAnswers(coreKeys)) }))
		for _, set := range assembly() {
			g.subjects = append(g.subjects, onAll(cores, table, result.Floor, set.name,
				func() operations { return table.floors(&set, distance) }))
		}
		all = append(all, k.groups(g, []string{"mixed"})...)
	}
	return all
}

// onAll returns the subject that every core does its part of a slice of.
func onAll(cores int, t table, kind result.Kind, name string, make func() operations) subject {
	part := func(keys []uint64, core int) []uint64 { return keys[core*coreKeys:][:coreKeys] }
	s := subject{kind: kind, name: name, do: operations{}, warm: func(keys []uint64) {
		together(cores, func(core int) { warm(t, part(keys, core)) }) // into the core's own cache
	}}
	perCore := []operations{make()}
	for len(perCore) < cores {
		perCore = append(perCore, make())
	}
	for operation := range perCore[0] {
		s.do[operation] = func(keys []uint64) int {
			var yes atomic.Int64
			together(cores,
				func(core int) { yes.Add(int64(perCore[core][operation](part(keys, core)))) })
			return int(yes.Load()) / cores
		}
	}
	return s
}
