package churn

import (
	"context"
	"fmt"
	"iter"
	mathbits "math/bits"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/rolling"
)

// subject is a filter in the comparison: a kind of ours, or of another library.
type subject struct {
	name   string
	filter peer.Deleter

	// rebuild returns a fresh filter, of no members, after every turnover; nil where it is left as it is.
	rebuild func() peer.Deleter
}

// subjects returns the filters for a number of members, each of at most the given bits per member. The live
// members are for the filter that asks for them.
func subjects(members, bits int, live func() iter.Seq[uint64]) ([]subject, error) {
	var all []subject
	tables, err := rolling.New(rolling.Config{
		Members: members, BitsPerKey: float64(bits),
		Stragglers: func(context.Context, rolling.Generation, rolling.Generation) iter.Seq2[uint64, error] {
			return filter.Infallible(live())
		},
	})
	if err != nil {
		return nil, err
	}
	all = append(all, subject{name: "rolling, 4 generations", filter: tables})
	for _, rebuilt := range []bool{false, true} {
		// Whole blocks, and no more bits than the others may take.
		blocks := members * bits / (8 * deletable.BlockBytes)
		made, err := deletable.Kind.New(filter.Sizing{Members: members, BitsPerKey: float64(blocks*8*deletable.BlockBytes) / float64(members)})
		if err != nil {
			return nil, err
		}
		s := subject{name: "deletable", filter: made.(filter.Deleter)}
		if rebuilt {
			s.name = "deletable, rebuilt each turnover"
			s.rebuild = func() peer.Deleter { return made.(filter.Rebuilder).Fresh().(filter.Deleter) }
		}
		all = append(all, s)
	}
	for _, p := range library.All() {
		switch p.Name {
		case "seiflotfy-cuckoo", "boom-counting":
			f, err := begin(&p, members, bits)
			if err != nil {
				return nil, err
			}
			if f != nil {
				all = append(all, subject{name: p.Name, filter: f})
			}
		}
	}
	c, err := newCuckoo(members, bits)
	if err != nil {
		return nil, err
	}
	return append(all, subject{name: "cuckoo, 16 bits", filter: c}), nil
}

// begin returns a peer's filter in the largest size of its own that takes no more than the bits, or nil
// where even the smallest does.
func begin(p *peer.Peer, members, bits int) (peer.Deleter, error) {
	for asked := bits; asked > 0; asked-- {
		if p.Size(members, float64(asked))*8 > int64(members)*int64(bits) {
			continue
		}
		f, err := p.Begin(members, float64(asked)).Finish()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		d, ok := f.(peer.Deleter)
		if !ok {
			return nil, fmt.Errorf("%s: no filter to delete from", p.Name)
		}
		return d, nil
	}
	return nil, nil
}

// newCuckoo returns a cuckoo filter with fingerprints of 16 bits. It has a power of two of buckets, as those
// of libraries do; or takes all of the bits, where the members do not fit into fewer.
func newCuckoo(members, most int) (*cuckoo.Filter, error) {
	const behind = 64 // bits, behind the slots
	all := members*most - behind
	var f *cuckoo.Filter
	var err error
	for _, bits := range []int{1 << (mathbits.Len(uint(all)) - 1), all} {
		f, err = cuckoo.New(cuckoo.Config{Members: members, BitsPerKey: float64(bits) / float64(members), Fingerprint: 16})
		if err == nil {
			break
		}
	}
	return f, err
}
