package main

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

// contender is a filter in the comparison.
type contender struct {
	name   string
	filter peer.Deleter

	// rebuild makes it anew of its members, after every turnover; nil where it is left as it is.
	rebuild func(members []uint64)
}

// contenders returns the filters for a number of members, in so many bits for each at most. The live
// members are for the filter that asks for them.
func contenders(members, bits int, live func() iter.Seq[uint64]) ([]contender, error) {
	var all []contender
	ring, err := rolling.New(rolling.Config{
		Members: members, BitsPerKey: float64(bits),
		Stragglers: func(context.Context, rolling.Generation, rolling.Generation) iter.Seq2[uint64, error] {
			return filter.Infallible(live())
		},
	})
	if err != nil {
		return nil, err
	}
	all = append(all, contender{name: "rolling, 4 generations", filter: rollingFilter{ring}})
	for _, rebuilt := range []bool{false, true} {
		// Whole blocks, and no more bits than the others may take.
		blocks := members * bits / (8 * deletable.BlockBytes)
		f := &deletableFilter{members: members, bits: float64(blocks*8*deletable.BlockBytes) / float64(members)}
		if err := f.empty(); err != nil {
			return nil, err
		}
		c := contender{name: "deletable", filter: f}
		if rebuilt {
			c.name = "deletable, rebuilt each turnover"
			c.rebuild = func(members []uint64) {
				if err := f.empty(); err != nil {
					panic(err) // there was such a filter before
				}
				f.Insert(members)
			}
		}
		all = append(all, c)
	}
	for _, p := range library.All() {
		switch p.Name {
		case "seiflotfy-cuckoo", "boom-counting":
			f, err := begin(&p, members, bits)
			if err != nil {
				return nil, err
			}
			if f != nil {
				all = append(all, contender{name: p.Name, filter: f})
			}
		}
	}
	c, err := newCuckoo(members, bits)
	if err != nil {
		return nil, err
	}
	return append(all, contender{name: "cuckoo, 16 bits", filter: c}), nil
}

// newCuckoo returns a cuckoo filter with fingerprints of 16 bits. It has a power of two of buckets, as those of
// libraries do; or takes all of the bits, where the members do not fit into fewer.
func newCuckoo(members, most int) (cuckooFilter, error) {
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
	return cuckooFilter{f}, err
}

// cuckooFilter is a cuckoo filter as a peer.Deleter.
type cuckooFilter struct{ *cuckoo.Filter }

func (f cuckooFilter) Query(keys, hits []uint64) int { return f.QueryHashBatch(keys, hits) }
func (f cuckooFilter) Delete(keys []uint64) int      { return f.DeleteHashBatch(keys, nil) }
func (f cuckooFilter) Bytes() int64                  { return int64(f.State().Bytes) }

func (f cuckooFilter) Insert(keys []uint64) (refused int) {
	for len(keys) > 0 {
		n, err := f.InsertHashBatch(keys, nil)
		if err != nil { // the next may find a place
			refused++
			n++
		}
		keys = keys[n:]
	}
	return refused
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

// rollingFilter is a rolling filter as a peer.Deleter. Its owner does not know generations.
type rollingFilter struct{ *rolling.Filter }

func (f rollingFilter) Query(keys, hits []uint64) int { return f.QueryHashBatch(keys, hits) }
func (f rollingFilter) Delete(keys []uint64) int      { return f.DeleteHashBatch(keys, nil) }
func (f rollingFilter) Bytes() int64                  { return int64(f.Plan().Bytes) }

func (f rollingFilter) Insert(keys []uint64) (refused int) {
	n, _ := f.InsertHashBatch(keys, nil) // its error says why not all
	return len(keys) - n
}

// deletableFilter is a deletable filter as a peer.Deleter.
type deletableFilter struct {
	*deletable.Filter
	members int
	bits    float64
}

func (f *deletableFilter) empty() (err error) {
	f.Filter, err = deletable.New(deletable.Config{Members: f.members, BitsPerKey: f.bits})
	return err
}

func (f *deletableFilter) Query(keys, hits []uint64) int { return f.QueryHashBatch(keys, hits) }
func (f *deletableFilter) Delete(keys []uint64) int      { return f.DeleteHashBatch(keys, nil) }
func (f *deletableFilter) Bytes() int64                  { return int64(f.Blocks() * deletable.BlockBytes) }

func (f *deletableFilter) Insert(keys []uint64) (refused int) {
	f.InsertHashBatch(keys, nil)
	return 0
}
