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

// match returns the group of one header against masks, each of one element: 16 elements are in the header,
// and a few of the masks are of those. The floor is a loop in Go that reads a byte of each mask.
func match(width, masks int) group {
	rng := rand.New(rand.NewPCG(2, uint64(masks)))
	hits := make([]uint64, (masks+63)/64)
	var run func(im dispatch.Implementation) int
	var memory []byte
	if width == 512 {
		header, elements := header(rng, masks, kernel.Mask512, (*kernel.Block512).Insert)
		run = func(im dispatch.Implementation) int {
			return im.MatchBatch512((*[8]uint64)(&header), dispatch.Lanes(elements), hits)
		}
		memory = newTable512(elements).memory()
	} else {
		header, elements := header(rng, masks, kernel.Mask256, (*kernel.Block256).Insert)
		run = func(im dispatch.Implementation) int {
			return im.MatchBatch256((*[8]uint32)(&header), dispatch.Lanes(elements), hits)
		}
		memory = newTable256(elements).memory()
	}
	subjects := []subject{matching(result.Floor, "loop in Go", masks, func() int { touch(memory, width/8); return 0 })}
	for _, im := range dispatch.Implementations() {
		subjects = append(subjects, matching(result.Implementation, im.String(), masks, func() int { return run(im) }))
	}
	return group{
		Conditions: result.Conditions{Form: result.FormBatch, BlockBits: width, Masks: masks, Cores: 1, Unit: "mask"},
		phases:     []phase{{operation: "match", keys: make([]uint64, matchSlices)}}, subjects: subjects,
		slice: 1, turn: 1, units: matchMasks,
	}
}

func matching(kind result.Kind, name string, masks int, run func() int) subject {
	return subject{kind: kind, name: name, warm: func([]uint64) { run() }, do: operations{"match": func([]uint64) (yes int) {
		for range matchMasks / masks {
			yes += run()
		}
		return yes
	}}}
}

// header returns a header with 16 elements and the masks of elements, four of which it has.
func header[Block any](rng *rand.Rand, masks int, mask func(uint64) Block, insert func(header, mask *Block) bool) (header Block, elements []Block) {
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
