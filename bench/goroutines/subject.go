package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/greatroar/blobloom"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

// bitsPerKey sizes all filters.
const bitsPerKey = 16

// fixed is the hash key of all filters.
var fixed = must(key.Parse("pmac:000102030405060708090a0b0c0d0e0f"))

func configOf(members int) deletable.Config {
	return deletable.Config{Members: members, BitsPerKey: bitsPerKey, Key: fixed}
}

func newShared(members int) (*sharded.Filter, error) { return sharded.New(configOf(members)) }

func must[F any](f F, err error) F {
	if err != nil { // of a size that is fixed here
		panic(fmt.Sprintf("goroutines: %v", err))
	}
	return f
}

// keyOf makes the key of 16 bytes that stands for a hash.
func keyOf(key []byte, hash uint64) {
	binary.LittleEndian.PutUint64(key, hash)
	binary.LittleEndian.PutUint64(key[8:], ^hash)
}

// rebuilds returns a call that rebuilds a filter from a list.
func rebuilds(f *sharded.Filter, listed []uint64) func() error {
	return func() error {
		return f.RebuildHash(context.Background(), filter.Infallible(slices.Values(listed)))
	}
}

// subject is a filter that is timed.
type subject interface {
	String() string
	batches() bool
	// call queries or inserts the keys of a worker from i on.
	call(w *worker, f form, i int, query bool)
	// refill makes a new filter if inserts, which have come, are more than it was made for.
	refill(inserts int)
}

// keyed has the calls of our filters.
type keyed interface {
	filter.Set
	Query(key []byte) bool
	QueryBatch(keys [][]byte, present []uint64) int
	Insert(key []byte) (present bool, err error)
	InsertBatch(keys [][]byte, present []uint64) (int, error)
}

// filling counts the inserts of a filter.
type filling struct {
	members, inserts int
	fill             func()
}

func (f *filling) refill(inserts int) {
	if f.inserts += inserts; f.inserts > f.members {
		f.inserts = f.members / 4
		f.fill()
	}
}

// ours is one of our filters, or one for each goroutine.
type ours struct {
	filling
	name    string
	filters []keyed
	lock    sync.Locker
}

func (s *ours) String() string { return s.name }
func (s *ours) batches() bool  { return true }

func (s *ours) call(w *worker, f form, i int, query bool) {
	to := s.filters[w.number%len(s.filters)]
	if s.lock != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
	}
	switch {
	case f == form{1, false} && query:
		to.QueryHash(w.hashes[i])
	case f == form{1, false}:
		_, _ = to.InsertHash(w.hashes[i])
	case f == form{1, true} && query:
		to.Query(w.keys[i])
	case f == form{1, true}:
		_, _ = to.Insert(w.keys[i])
	case f.bytes && query:
		to.QueryBatch(w.keys[i:i+f.keys], nil)
	case f.bytes:
		_, _ = to.InsertBatch(w.keys[i:i+f.keys], nil)
	case query:
		to.QueryHashBatch(w.hashes[i:i+f.keys], nil)
	default:
		_, _ = to.InsertHashBatch(w.hashes[i:i+f.keys], nil)
	}
}

// atomics is the SyncFilter of blobloom, whose keys are hashed as ours.
type atomics struct {
	filling
	f *blobloom.SyncFilter
}

func (*atomics) String() string { return "blobloom.SyncFilter" }
func (*atomics) batches() bool  { return false }

func (s *atomics) call(w *worker, f form, i int, query bool) {
	hash := w.hashes[i]
	if f.bytes {
		hash = fixed.Hash(w.keys[i])
	}
	if query {
		s.f.Has(hash)
	} else {
		s.f.Add(hash)
	}
}

// subjects returns what is timed, a quarter full: of the keys of a pool, in both forms.
func subjects(members int, pool []uint64) (all []subject) {
	add := func(name string, goroutines int, lock sync.Locker, make func() keyed) {
		s := &ours{name: name, lock: lock}
		s.filling = filling{members, members / 4, func() {
			s.filters = nil
			for range goroutines {
				f := make()
				_, _ = f.InsertHashBatch(pool, nil)
				for _, hash := range pool {
					var key [16]byte
					keyOf(key[:], hash)
					_, _ = f.Insert(key[:])
				}
				s.filters = append(s.filters, f)
			}
		}}
		all = append(all, s)
	}
	add("filter/sharded", 1, nil, func() keyed { return must(newShared(members)) })
	single := func() keyed { return must(deletable.New(configOf(members))) }
	add("filter/deletable, sync.Mutex", 1, new(sync.Mutex), single)
	add("filter/deletable for each goroutine", 2, nil, single)
	s := &atomics{}
	s.filling = filling{members, members / 4, func() {
		s.f = blobloom.NewSync(uint64(members)*bitsPerKey, 7)
		for _, hash := range pool {
			var key [16]byte
			keyOf(key[:], hash)
			s.f.Add(hash)
			s.f.Add(fixed.Hash(key[:]))
		}
	}}
	all = append(all, s)
	for _, s := range all {
		s.refill(members)
	}
	return all
}
