package agreement

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/xdp"
)

// scenario is what every machine is given: a filter file of a list with its key, and steps.
type scenario struct {
	traffic *traffic
	config  deletable.Config
	list    []netip.Addr // at the start, in the order of its inserts
	file    []byte
	steps   []step
	listed  [][]bool // whether each frame of a step is of the list, as an exact set says
}

// step is frames that pass, and then a change of the list.
type step struct {
	frames [][]byte
	insert bool // or else delete
	// Of the change: at most [mostChanged], of which none is a member, or all are.
	addresses []netip.Addr
}

// Sizes of a scenario.
const (
	bitsPerKey  = 16 // so that some innocent packets fall
	mostChanged = 32 // assembly takes 8 keys at once or more
)

// members returns how many a filter of a number of blocks is planned for.
func members(blocks int) int { return blocks * deletable.BlockBytes * 8 / bitsPerKey }

// newScenario makes steps of all frames. Half of the sources are in the list, if there is room for
// them, and other entries, until the table of a number of blocks is full. The steps stay in its
// plan: it never has more members, nor inserts.
func newScenario(rng *rand.Rand, t *traffic, k key.Key, blocks, steps int) (*scenario, error) {
	most := members(blocks)
	s := &scenario{traffic: t, config: deletable.Config{
		Members: most, BitsPerKey: bitsPerKey, Key: k,
		Turnovers: max(1, float64(steps/2*mostChanged)/float64(most)),
	}}
	if shape, err := s.config.Shape(); err != nil || shape.Blocks != blocks {
		return nil, fmt.Errorf("agreement: found a plan of %v (%v), expected %d", shape, err,
			blocks)
	}
	var sources []netip.Addr
	listed := map[netip.Addr]bool{}
	for _, frame := range t.frames {
		a := xdp.Parse(frame).Source
		if _, known := listed[a]; a.IsValid() && !known {
			sources = append(sources, a)
			listed[a] = false
		}
	}
	add := func(a netip.Addr) {
		s.list = append(s.list, a)
		listed[a] = true
	}
	if len(sources) == 0 {
		return nil, errors.New("agreement: found no packet with a source, expected some")
	}
	for _, a := range sources {
		if rng.IntN(2) == 0 && len(s.list) < most {
			add(a)
		}
	}
	for i := uint32(0); len(s.list) < most; i++ { // they send no packet
		if i%4 == 0 {
			add(netip.AddrFrom16([16]byte{0xfc, 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}))
		} else {
			add(netip.AddrFrom4([4]byte{198, 18 + byte(i>>16), byte(i >> 8), byte(i)}))
		}
	}
	f, err := deletable.New(s.config)
	if err != nil {
		return nil, err
	}
	for _, a := range s.list {
		if _, err := f.Insert(a.AsSlice()); err != nil {
			return nil, err
		}
	}
	if s.file, err = f.MarshalBinary(); err != nil {
		return nil, err
	}
	gone := 0 // members that could come again
	for i := range steps {
		frames := t.frames[i*len(t.frames)/steps : (i+1)*len(t.frames)/steps]
		fall := make([]bool, len(frames))
		for j, frame := range frames {
			fall[j] = listed[xdp.Parse(frame).Source]
		}
		s.listed = append(s.listed, fall)
		change := step{frames: frames, insert: i%2 == 1}
		wanted := 1 + rng.IntN(mostChanged)
		if change.insert {
			wanted = min(wanted, gone)
		}
		for tries := 8 * wanted; tries > 0 && len(change.addresses) < wanted; tries-- {
			a := sources[rng.IntN(len(sources))]
			if rng.IntN(4) == 0 {
				a = s.list[rng.IntN(len(s.list))]
			}
			if listed[a] != change.insert && !slices.Contains(change.addresses, a) {
				change.addresses = append(change.addresses, a)
			}
		}
		for _, a := range change.addresses {
			listed[a] = change.insert
		}
		if gone += len(change.addresses); change.insert {
			gone -= 2 * len(change.addresses)
		}
		s.steps = append(s.steps, change)
	}
	return s, nil
}
