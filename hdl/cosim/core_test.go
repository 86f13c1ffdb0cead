package cosim

import (
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
)

// The combinational modules: an answer is a function of its record.
var coreBenches = []bench{
	{"core-w32", Model{Top: "bloomlane_core", Parameters: map[string]int{"W": 32}}, 1_000_000,
		checkCore[uint32]},
	{"core-w64", Model{Top: "bloomlane_core", Parameters: map[string]int{"W": 64}}, 1_000_000,
		checkCore[uint64]},
	{"merge-w32", Model{Top: "bloomlane_merge", Parameters: map[string]int{"W": 32}}, 1_000_000,
		checkMerge[uint32]},
	{"merge-w64", Model{Top: "bloomlane_merge", Parameters: map[string]int{"W": 64}}, 1_000_000,
		checkMerge[uint64]},
	{"positions-w32", Model{Top: "bloomlane_positions", Parameters: map[string]int{"W": 32}},
		200_000, checkPositions[uint32]},
	{"positions-w64", Model{Top: "bloomlane_positions", Parameters: map[string]int{"W": 64}},
		200_000, checkPositions[uint64]},
	{"mask-w32", Model{Top: "bloomlane_mask", Parameters: map[string]int{"W": 32}}, 1_000_000,
		checkMask[uint32]},
	{"mask-w64", Model{Top: "bloomlane_mask", Parameters: map[string]int{"W": 64}}, 1_000_000,
		checkMask[uint64]},
}

// checkCore holds every operation on blocks and masks of any pattern against the definition.
func checkCore[T fallback.Lane](s *Simulation, rng *rand.Rand, n int) error {
	type want struct {
		after  [fallback.Lanes]T
		result uint64
	}
	stimuli := stimuli[T]{Rand: rng}
	ahead := make([]want, 2*batch)
	op, block, mask, after, result := s.In("op"), s.In("block"), s.In("mask"), s.Out("after"),
		s.Out("result")
	err := drive(s, n, func(i int, record []byte) {
		want := &ahead[i%len(ahead)]
		var o uint64
		var b, m [fallback.Lanes]T
		o, b, m, want.after, want.result = stimuli.next()
		op.Set(record, o)
		setBlock(block, record, &b)
		setBlock(mask, record, &m)
	}, func(i int, record, answer []byte) error {
		want := &ahead[i%len(ahead)]
		if err := differValue("result", result.Get(answer), want.result); err != nil {
			return err
		}
		got := getBlock[T](after, answer)
		return differ("after", &got, &want.after)
	})
	if err != nil {
		return err
	}
	return stimuli.everything(n)
}

// checkMerge holds the union of two blocks of any pattern against the definition.
func checkMerge[T fallback.Lane](s *Simulation, rng *rand.Rand, n int) error {
	stimuli := stimuli[T]{Rand: rng}
	x, y, merged := s.In("x"), s.In("y"), s.Out("merged")
	return drive(s, n, func(_ int, record []byte) {
		a := stimuli.block()
		b := stimuli.mask(&a)
		stimuli.last = a
		setBlock(x, record, &a)
		setBlock(y, record, &b)
	}, func(_ int, record, answer []byte) error {
		want, other := getBlock[T](x, record), getBlock[T](y, record)
		fallback.MergeBlock(&want, &other)
		got := getBlock[T](merged, answer)
		return differ("merged", &got, &want)
	})
}

// hashAt returns the hash of record i: first those whose g is a single bit, or all but one, which
// show every wire by itself, then random ones.
func hashAt(i int, rng *rand.Rand) uint64 {
	switch {
	case i < 64:
		return 1 << i * inverse
	case i < 128:
		return ^(uint64(1) << (i - 64)) * inverse
	default:
		return rng.Uint64()
	}
}

// checkPositions holds the positions of g against the definition.
func checkPositions[T fallback.Lane](s *Simulation, rng *rand.Rand, n int) error {
	g, positions := s.In("g"), s.Out("positions")
	return drive(s, n, func(i int, record []byte) {
		g.Set(record, fallback.Spread(hashAt(i, rng)))
	}, func(_ int, record, answer []byte) error {
		return differValue("positions", positions.Get(answer),
			fallback.Positions[T](g.Get(record)*inverse))
	})
}

// checkMask holds the mask of a key's positions against the definition.
func checkMask[T fallback.Lane](s *Simulation, rng *rand.Rand, n int) error {
	positions, mask := s.In("positions"), s.Out("mask")
	ahead := make([]uint64, 2*batch)
	return drive(s, n, func(i int, record []byte) {
		ahead[i%len(ahead)] = hashAt(i, rng)
		positions.Set(record, fallback.Positions[T](ahead[i%len(ahead)]))
	}, func(i int, _, answer []byte) error {
		got, want := getBlock[T](mask, answer), fallback.Mask[T](ahead[i%len(ahead)])
		return differ("mask", &got, &want)
	})
}
