package streams

import (
	"fmt"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// subject is a filter in the comparison: a kind of this project, or of another library.
type subject struct {
	name   string
	keeps  string // what its owner keeps
	filter peer.Inserter
	// forgets says that members leave by themselves: nothing is deleted.
	forgets bool

	// rebuild returns a fresh filter, of no members, after every turnover; nil where it is left as
	// it is.
	rebuild func() peer.Deleter
	owner   owner // nil where the filter asks for nothing

	drawn bool // in the picture of the steady state
}

// What owners keep.
const (
	keepsNothing = "nothing"
	keepsAll     = "a list of all members once a turnover, and memory for a second filter while " +
		"it is built"
	keepsLists  = "lists of the members by intervals of their hashes"
	keepsOldest = "the generation of each member, for when the oldest goes"
)

// The names of the filter whose times are also those of the filters that are kept fresh, and of
// these.
const (
	nameDeletable = "deletable"
	nameRefreshed = nameDeletable + ", refreshed"
	nameRebuilt   = nameDeletable + ", rebuilt"
)

// subjects returns the filters for a number of members, each of at most the given bits per member,
// less those that need more.
func subjects(members, bits int, peers []peer.Peer) (all []subject, err error) {
	// Whole blocks, and no more bits than the others may take.
	blocks := members * bits / (8 * deletable.BlockBytes)
	whole := float64(blocks*8*deletable.BlockBytes) / float64(members)
	for _, name := range []string{nameDeletable, nameRefreshed, nameRebuilt} {
		f, err := deletable.New(deletable.Config{Members: members, BitsPerKey: whole})
		if err != nil {
			return nil, err
		}
		s := subject{name: name, keeps: keepsNothing, filter: f, drawn: true}
		switch name {
		case nameRefreshed:
			s.keeps = keepsLists
			if s.owner, err = newIntervals(f, members); err != nil {
				return nil, err
			}
		case nameRebuilt:
			s.keeps = keepsAll
			s.rebuild = func() peer.Deleter { return f.Fresh().(filter.Deleter) }
		}
		all = append(all, s)
	}
	ring := newGenerations()
	ring.ring, err = rolling.New(rolling.Config{
		Members: members, BitsPerKey: float64(bits), Stragglers: ring.stragglers,
	})
	if err != nil {
		return nil, err
	}
	all = append(all, subject{
		name: "rolling, 4 generations", keeps: keepsOldest, filter: ring.ring,
		owner: ring, drawn: true,
	})
	counters, err := counting.New(counting.Config{Members: members, BitsPerKey: float64(bits)})
	if err != nil {
		return nil, err
	}
	all = append(all, subject{name: "counting, 4 bits", keeps: keepsNothing,
		filter: counters, drawn: true})
	for _, fingerprint := range []int{8, 12, 16, 0} { // 0 is the longest
		const behind = 64 // bits, behind the slots
		f, err := cuckoo.New(cuckoo.Config{
			Members: members, BitsPerKey: float64(members*bits-behind) / float64(members),
			Fingerprint: fingerprint,
		})
		if err != nil { // too few bits for so long a fingerprint
			continue
		}
		name := fmt.Sprintf("cuckoo, %d bits", f.Shape().FingerprintBits)
		all = append(all, subject{name: name, keeps: keepsNothing, filter: f,
			drawn: fingerprint == 0})
	}
	for _, p := range peers {
		f, err := fit(&p, members, bits)
		if err != nil {
			return nil, err
		}
		if f != nil {
			all = append(all, subject{name: p.Name, keeps: keepsNothing, filter: f})
		}
	}
	return all, nil
}
