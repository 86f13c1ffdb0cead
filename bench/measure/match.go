package measure

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

const (
	matchMasks  = 4096 // of a slice of a match; fewer are matched as often as that takes
	matchSlices = 256
)

// matchSizes are the numbers of masks that a header is matched against.
var matchSizes = []int{64, 4096}

// match returns the group of one header against masks, each of one element.
func match(width, masks int) group {
	if width == 512 {
		return matchOf(width, masks, dispatch.Implementation.Operations512)
	}
	return matchOf(width, masks, dispatch.Implementation.Operations256)
}

// matchOf is match by lanes: 16 elements are in the header, and four of the masks are of those. The
// floor is a loop in Go that reads a byte of each mask.
func matchOf[L fallback.Lane](
	width, masks int,
	implement func(dispatch.Implementation) dispatch.Operations[L],
) group {
	rng := rand.New(rand.NewPCG(2, uint64(masks)))
	elements, present := make(lanes[L], masks), make([]uint64, (masks+63)/64)
	for i := range elements {
		elements[i] = fallback.Mask[L](rng.Uint64())
	}
	var header [fallback.Lanes]L
	for i := range 16 {
		element := fallback.Mask[L](rng.Uint64())
		if i < 4 {
			element = elements[i*masks/4]
		}
		fallback.InsertMask(&header, &element)
	}
	g := group{
		phases: []phase{{operation: "match", keys: make([]uint64, matchSlices)}},
		slice:  1, turn: 1, units: matchMasks,
	}
	g.Conditions = result.Conditions{
		Form: result.FormBatch, BlockBits: width, Masks: masks, Cores: 1, Unit: "mask",
	}
	add := func(kind result.Kind, name string, run func() int) {
		match := func([]uint64) (yes int) {
			for range matchMasks / masks {
				yes += run()
			}
			return yes
		}
		g.subjects = append(g.subjects, subject{
			kind: kind, name: name, do: operations{"match": match}, warm: func([]uint64) { run() },
		})
	}
	add(result.Floor, "loop in Go", func() int { Touch(elements.memory(), width/8); return 0 })
	for _, im := range dispatch.Implementations() {
		match := implement(im).MatchBatch
		add(result.Implementation, im.String(),
			func() int { return match(&header, elements, present) })
	}
	return g
}
