package goroutines

import (
	"fmt"
	"sync"

	"github.com/greatroar/blobloom"
	bloomfilter "github.com/holiman/bloomfilter/v2"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

// batch is the number of keys of a call, where a call is of a batch.
const batch = 512

// bitsPerKey sizes all filters.
const bitsPerKey = 16

// shared is a filter that goroutines use at once, with hashes of one call.
type shared struct {
	query  func(hashes []uint64) (present int)
	insert func(hashes []uint64)
	remove func(hashes []uint64) // nil where nothing can be deleted
}

// subject is what is timed.
type subject struct {
	name string
	keys int // of a call
	make func(members int) shared
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// singly returns the calls of a filter for one key, in batches of one.
func singly(f filter.Deleter) shared {
	return shared{
		query:  func(hashes []uint64) int { return one(f.QueryHash(hashes[0])) },
		insert: func(hashes []uint64) { _, _ = f.InsertHash(hashes[0]) },
		remove: func(hashes []uint64) { f.DeleteHash(hashes[0]) },
	}
}

func batches(f filter.Deleter) shared {
	return shared{
		query:  func(hashes []uint64) int { return f.QueryHashBatch(hashes, nil) },
		insert: func(hashes []uint64) { _, _ = f.InsertHashBatch(hashes, nil) },
		remove: func(hashes []uint64) { f.DeleteHashBatch(hashes, nil) },
	}
}

// locked returns a filter whose calls hold a lock, those that query another one.
func locked(f shared, read, write sync.Locker) shared {
	return shared{
		query: func(hashes []uint64) int {
			read.Lock()
			defer read.Unlock()
			return f.query(hashes)
		},
		insert: func(hashes []uint64) {
			write.Lock()
			defer write.Unlock()
			f.insert(hashes)
		},
		remove: func(hashes []uint64) {
			write.Lock()
			defer write.Unlock()
			f.remove(hashes)
		},
	}
}

// fixed is the hash key of our filters, which are given hashes.
var fixed = keytest.Key(1)

func configOf(members int) deletable.Config {
	return deletable.Config{Members: members, BitsPerKey: bitsPerKey, Key: fixed}
}

func must[F any](f F, err error) F {
	if err != nil { // of a size that is fixed here
		panic(fmt.Sprintf("goroutines: %v", err))
	}
	return f
}

// subjects returns what is timed.
func subjects() (all []subject) {
	for _, form := range []struct {
		keys  int
		calls func(f filter.Deleter) shared
	}{{1, singly}, {batch, batches}} {
		all = append(all,
			subject{"filter/sharded", form.keys, func(members int) shared {
				return form.calls(must(sharded.New(configOf(members))))
			}},
			subject{"filter/deletable, sync.Mutex", form.keys, func(members int) shared {
				var lock sync.Mutex
				return locked(form.calls(must(deletable.New(configOf(members)))), &lock, &lock)
			}},
			subject{"filter/deletable, sync.RWMutex", form.keys, func(members int) shared {
				var lock sync.RWMutex
				return locked(form.calls(must(deletable.New(configOf(members)))),
					lock.RLocker(), &lock)
			}})
	}
	return append(all,
		subject{"blobloom.SyncFilter (atomic)", 1, func(members int) shared {
			f := blobloom.NewSync(uint64(members)*bitsPerKey, 7)
			return shared{
				query:  func(hashes []uint64) int { return one(f.Has(hashes[0])) },
				insert: func(hashes []uint64) { f.Add(hashes[0]) },
			}
		}},
		subject{"holiman (RWMutex)", 1, func(members int) shared {
			f := must(bloomfilter.NewWithKeys(uint64(members)*bitsPerKey,
				[]uint64{3, 5, 7, 11, 13, 17, 19}))
			return shared{
				query:  func(hashes []uint64) int { return one(f.ContainsHash(hashes[0])) },
				insert: func(hashes []uint64) { f.AddHash(hashes[0]) },
			}
		}})
}
