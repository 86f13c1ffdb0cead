package challenge

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/rolling"
	exactsets "github.com/bloomlane/bloomlane/packets/sets"
	"github.com/bloomlane/bloomlane/papers/claim"
)

// variant is a filter that deletes, for the good sources.
type variant struct {
	name string

	// grows says that it takes more memory than it is given.
	grows bool

	// new returns an empty filter for n sources, at a number of bits per source.
	new func(rng *rand.Rand, n int, each float64) set
}

// The variants that claims name.
const (
	flagged   = "a collision flag per bit"
	counted   = "4-bit counters"
	twofold   = "a second filter of the deleted"
	refreshed = "our blocks refreshed"
	cuckooed  = "cuckoo"
	blocks    = "our blocks"
	lettered  = "regions as in the letter"

	exactTable = "an exact table of the addresses"
)

// variants are all of them. The exact one is last.
var variants = []variant{
	{name: flagged, new: func(rng *rand.Rand, n int, each float64) set {
		return collisions.draw(rng, n, each)
	}},
	{name: counted, new: func(rng *rand.Rand, n int, each float64) set {
		return counters.draw(rng, n, each)
	}},
	{name: twofold, new: func(rng *rand.Rand, n int, each float64) set {
		m := int(each / 2 * float64(n))
		k := hashesFor(float64(m), float64(n))
		return &second{newBasic(rng, m, k), newBasic(rng, m, k)}
	}},
	{name: lettered, new: func(rng *rand.Rand, n int, each float64) set {
		return newKind(rng, func(k key.Key) (filter.Deleter, error) {
			return dlbf.New(dlbf.Config{Members: n, BitsPerKey: each, Key: k})
		})
	}},
	{name: blocks, new: func(rng *rand.Rand, n int, each float64) set {
		return newKind(rng,
			func(k key.Key) (filter.Deleter, error) { return newBlocks(k, n, each) })
	}},
	{name: refreshed, new: func(rng *rand.Rand, n int, each float64) set {
		s := &owned{}
		s.kind = newKind(rng, func(k key.Key) (filter.Deleter, error) {
			f, err := newBlocks(k, n, each)
			if err != nil {
				return nil, err
			}
			steps, err := deletable.NewRefresher(f, 1, 0)
			return &exactsets.Renewed{Filter: f, Live: s.all.Interval, Steps: steps}, err
		})
		return s
	}},
	{name: "rolling", new: func(rng *rand.Rand, n int, each float64) set {
		s := &generations{born: map[uint64]rolling.Generation{}}
		s.kind = newKind(rng, func(k key.Key) (_ filter.Deleter, err error) {
			s.ring, err = rolling.New(rolling.Config{
				Members: n, BitsPerKey: each, Key: k, Stragglers: s.stragglers,
			})
			return s.ring, err
		})
		return s
	}},
	{name: "spectral", new: func(rng *rand.Rand, n int, each float64) set {
		return newKind(rng, func(k key.Key) (filter.Deleter, error) {
			return spectral.NewSelection(spectral.Config{Members: n, BitsPerKey: each, Key: k})
		})
	}},
	{name: "elastic", grows: true, new: func(rng *rand.Rand, n int, each float64) set {
		return newKind(rng, func(k key.Key) (filter.Deleter, error) {
			return elastic.New(elastic.Config{Members: n, BitsPerKey: each, Key: k})
		})
	}},
	{name: cuckooed, new: func(rng *rand.Rand, n int, each float64) set {
		return newKind(rng, func(k key.Key) (filter.Deleter, error) {
			return cuckoo.New(cuckoo.Config{Members: n, BitsPerKey: each, Key: k})
		})
	}},
	{name: exactTable, grows: true, new: func(_ *rand.Rand, n int, _ float64) set {
		return table{exactSources{}, int(math.Ceil(float64(n) / load))}
	}},
}

// variantNames are all of them by name.
var variantNames = func() map[string]variant {
	all := map[string]variant{}
	for _, v := range variants {
		all[v.name] = v
	}
	return all
}()

func variantOf(at claim.Parameters) variant { return claim.Pick(at, "filter", variantNames) }

// newBlocks returns our filter of whole blocks, and no more bits than others take.
func newBlocks(k key.Key, n int, each float64) (*deletable.Filter, error) {
	const blockBits = 8 * float64(deletable.BlockBytes)
	whole := math.Floor(each*float64(n)/blockBits) * blockBits
	return deletable.New(deletable.Config{Members: n, BitsPerKey: whole / float64(n), Key: k})
}

// kind is a filter of this project, as a set of sources.
type kind struct {
	filter.Deleter
	key key.Key
}

func newKind(rng *rand.Rand, make func(k key.Key) (filter.Deleter, error)) kind {
	bytes := keyOf(rng)
	k := keytest.Key(bytes[:]...)
	return kind{must(make(k)), k}
}

func (s kind) hash(source uint32) uint64 { return s.key.HashUint64(uint64(source)) }

func (s kind) insert(source uint32)        { must(s.InsertHash(s.hash(source))) }
func (s kind) contains(source uint32) bool { return s.QueryHash(s.hash(source)) }
func (s kind) delete(source uint32)        { s.DeleteHash(s.hash(source)) }
func (s kind) bits() float64               { return 8 * float64(s.State().Bytes) }

// owned is a kind that asks for its members: they are those of the exact table that a tracker has
// anyhow.
type owned struct {
	kind
	all exactsets.Exact
}

func (s *owned) insert(source uint32) {
	s.kind.insert(source)
	_, _ = s.all.InsertHash(s.hash(source)) // it never fails
}

func (s *owned) delete(source uint32) {
	s.all.DeleteHash(s.hash(source))
	s.kind.delete(source)
}

// generations is a rolling filter, and the generation of each member, which a tracker can have in
// its table.
type generations struct {
	kind
	ring *rolling.Filter
	born map[uint64]rolling.Generation
}

func (s *generations) insert(source uint32) {
	s.kind.insert(source)
	s.born[s.hash(source)] = s.ring.Newest()
}

func (s *generations) delete(source uint32) {
	delete(s.born, s.hash(source))
	s.kind.delete(source)
}

func (s *generations) stragglers(
	_ context.Context,
	from, to rolling.Generation,
) iter.Seq2[uint64, error] {
	return filter.Infallible(func(yield func(uint64) bool) {
		for hash, generation := range s.born {
			if generation == from {
				s.born[hash] = to
				if !yield(hash) {
					return
				}
			}
		}
	})
}

// table is an exact set of addresses of 32 bits. It answers as a map does, and has the memory of
// slots of 32 bits with linear probing.
type table struct {
	exactSources
	slots int
}

// load is the part of a table's slots that are in use with the planned members.
const load = 0.9

func (t table) bits() float64 { return 32 * float64(t.slots) }

// must returns a value that this package's own parameters have.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
