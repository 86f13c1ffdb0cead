package measure

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

const (
	matchMasks  = 4096 // of a slice of a match; fewer are matched as often as that takes
	matchSlices = 256
)

// matchSizes are the numbers of masks that a header is matched against.
var matchSizes = []int{64, 4096}

// match returns the contest for one header against masks, each of one element: 16 elements are in
// the header, and a few of the masks are of those.
func match(lane, masks int) contest {
	rng := rand.New(rand.NewPCG(2, uint64(masks)))
	hits := make([]uint64, (masks+63)/64)
	var run func(im dispatch.Implementation) int
	if lane == 64 {
		header, elements := header(rng, masks, kernel.Mask512, func(header, mask *kernel.Block512) { header.Insert(mask) })
		run = func(im dispatch.Implementation) int {
			return im.MatchBatch512((*[8]uint64)(&header), dispatch.Lanes(elements), hits)
		}
	} else {
		header, elements := header(rng, masks, kernel.Mask256, func(header, mask *kernel.Block256) { header.Insert(mask) })
		run = func(im dispatch.Implementation) int {
			return im.MatchBatch256((*[8]uint32)(&header), dispatch.Lanes(elements), hits)
		}
	}
	c := contest{groups: []result.Group{{Operation: "match", Form: result.FormBatch, Lane: lane, Masks: masks, Cores: 1, Unit: "mask"}}}
	for _, im := range dispatch.Implementations() {
		c.contenders = append(c.contenders, contender{
			kind: result.Kernel, name: im.String(),
			prepare: func(int) { run(im) },
			phases: []func(int) int{func(int) (yes int) {
				for range matchMasks / masks {
					yes += run(im)
				}
				return yes
			}},
		})
	}
	return c
}

// header returns a header with 16 elements and the masks of elements, four of which it has.
func header[Block any](rng *rand.Rand, masks int, mask func(uint64) Block, insert func(header, mask *Block)) (header Block, elements []Block) {
	elements = make([]Block, masks)
	for i := range elements {
		elements[i] = mask(rng.Uint64())
	}
	for i := range 16 {
		element := mask(rng.Uint64())
		if i < 4 {
			element = elements[i*masks/4]
		}
		insert(&header, &element)
	}
	return header, elements
}
