package measure

import (
	"math/bits"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// selections are groups of what has the positions of the keys that are present: a selection, and a
// bitmap with a loop over it. The bitmap alone stands beside them.
func (a *arena) selections(g group, pages string) (all []group) {
	g.Form, g.Pages = result.FormSelection, pages
	for _, im := range dispatch.Implementations() {
		do := a.tables[pages].batch(im, a.out)
		add := func(name string, run stream) {
			g.subjects = append(g.subjects, subjectOn(a.tables[pages], result.Implementation,
				im.String()+name, operations{choose: run}))
		}
		add(result.SelectBitmap, do[query])
		add(result.SelectLoop, func(hashes []uint64) int {
			do[query](hashes)
			return positionsOf(a.out.present, a.out.positions)
		})
		add("", do[choose])
	}
	for _, p := range []phase{{choose, "tenth", a.tenth}, {choose, "half", a.mixed},
		{choose, "all", a.hit}} {
		g.phases = []phase{p}
		all = append(all, g)
	}
	return all
}

// positionsOf writes the positions of the bits that are set and returns how many these are.
func positionsOf(present []uint64, positions []uint32) (n int) {
	for i, found := range present {
		for ; found != 0; found &= found - 1 {
			positions[n] = uint32(64*i + bits.TrailingZeros64(found))
			n++
		}
	}
	return n
}
