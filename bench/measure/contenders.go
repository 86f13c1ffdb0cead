package measure

import (
	"fmt"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// way is one way to do the operations on a table: a floor or a kernel.
type way struct {
	kind     result.Kind
	name     string
	distance *int
	make     func(table) operations
}

// contender returns the way as a contender that has what phases returns for its operations, on the
// arena's tables of the given pages.
func (w way) contender(a *arena, pages string, hashes []uint64, phases func(operations) []stream) contender {
	table := a.tables[pages]
	c := contender{kind: w.kind, name: w.name, distance: w.distance, pages: pages}
	c.prepare = func(i int) { warm(table, slice(hashes, i)) }
	for _, run := range phases(w.make(table)) {
		c.phases = append(c.phases, func(i int) int { return run(slice(hashes, i)) })
	}
	return c
}

// contest is contenders that run side by side. Each phase is a group of results.
type contest struct {
	groups     []result.Group
	contenders []contender
}

// asked is the streams that a query is measured on.
var asked = []string{"hit", "miss", "mixed"}

// contests returns those of the ways, apart for each kind of pages, so that one table at a time is in use: a
// query by what is asked for, and an update, which is a delete and then an insert of the same keys.
func (a *arena) contests(form string, ways []way, asked []string) (all []contest) {
	for _, pages := range pageKinds {
		group := func(operation, asked string) result.Group {
			return result.Group{Operation: operation, Asked: asked, Form: form, Lane: a.lane, Bytes: a.bytes, Cores: 1, Unit: "key"}
		}
		each := func(hashes []uint64, phases func(operations) []stream) (contenders []contender) {
			for _, w := range ways {
				contenders = append(contenders, w.contender(a, pages, hashes, phases))
			}
			return contenders
		}
		for _, kind := range asked {
			hashes := map[string][]uint64{"hit": a.stream, "miss": a.strangers, "mixed": a.mixed}[kind]
			all = append(all, contest{
				[]result.Group{group("query", kind)},
				each(hashes, func(o operations) []stream { return []stream{o.query} }),
			})
		}
		all = append(all, contest{
			[]result.Group{group("delete", ""), group("insert", "")},
			each(a.stream, func(o operations) []stream { return []stream{o.remove, o.insert} }),
		})
	}
	return all
}

// batches returns the ways to run batches: the floors and every implementation.
func (a *arena) batches() (ways []way) {
	for _, set := range assembly() {
		for _, d := range []int{0, distance} {
			ways = append(ways, way{result.Floor, fmt.Sprintf("%s, distance %d", set.name, d), nil,
				func(t table) operations { return t.floors(&set, d) }})
		}
	}
	for _, im := range dispatch.Implementations() {
		ways = append(ways, way{result.Kernel, im.String(), nil,
			func(t table) operations { return t.batch(im, a.out) }})
	}
	return ways
}

// singles returns the ways to run a loop over one key at a time: bare loops, the methods of the
// table, each implementation by name, and package fallback called without a dispatch.
func (a *arena) singles() []way {
	ways := []way{
		{result.Floor, "loop in Go", nil, table.bare},
		{result.Floor, "loop in Go, one by one", nil, table.chained},
		{result.Kernel, result.Methods, nil, table.methods},
	}
	for _, im := range dispatch.Implementations() {
		ways = append(ways, way{result.Kernel, im.String(), nil, func(t table) operations { return t.single(im) }})
	}
	return append(ways, way{result.Kernel, "fallback, direct", nil, table.direct})
}

// distances are those of the sweep.
var distances = []int{0, 32, 64, 96, 128, 160, 192, 256}

// sweep returns the ways of the prefetch-distance sweep of an instruction set.
func (a *arena) sweep(set instructionSet) (ways []way) {
	for _, d := range distances {
		ways = append(ways,
			way{result.Floor, set.name, &d, func(t table) operations { return t.floors(&set, d) }},
			way{result.Kernel, set.name, &d, func(t table) operations { return t.ahead(&set, d, a.out) }})
	}
	return ways
}
