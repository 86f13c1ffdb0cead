package deletable

import (
	"unsafe"

	"github.com/bloomlane/bloomlane/kernel"
)

// BlockBytes is the size of a block, and so the step in which filters grow: 8 lanes of 64 bits.
const BlockBytes = int(unsafe.Sizeof(kernel.Block512{}))

// Status is the result of a delete.
type Status = kernel.Status

// The results of a delete.
const (
	Absent   = kernel.Absent   // the key was not present: it was no member, and nothing changed
	Retained = kernel.Retained // all of its bits are in collided regions: no member now, but still visible
	Deleted  = kernel.Deleted  // at least one of its bits was cleared
)

// Filter is a deletable Bloom filter of keys. Make one with [New] or [Open].
//
// It is not safe for concurrent use where one of the calls writes (insert, delete, merge, close).
// Any number of goroutines may query, save or take statistics of a filter that nobody writes.
type Filter struct {
	table    kernel.Table512
	key      Key
	plan     plan
	counters counters
	unmap    func() error // of a table that lies in a mapped file, else nil

	// fingerprint is that of key. It is apart from it because Inspect has a file's and no key.
	fingerprint uint64
}

// counters is what a filter knows of its history. Files hold it.
type counters struct {
	inserts  uint64 // ever made
	deleted  uint64 // deletes with the status Deleted
	retained uint64 // deletes with the status Retained
}

// New returns an empty filter. Its error is a *[ConfigError].
func New(config Config) (*Filter, error) {
	table, rate, err := config.solve()
	if err != nil {
		return nil, err
	}
	f := &Filter{
		table: kernel.NewTable512(table.Blocks),
		plan:  newPlan(uint64(config.Members), config.Turnovers, rate, config.Lifetime),
	}
	if config.Key != nil {
		f.key = *config.Key
	} else {
		f.key = NewKey()
	}
	f.fingerprint = f.key.Fingerprint()
	return f, nil
}

// Key returns the hash key, which files do not hold: keep it to read a saved filter back.
func (f *Filter) Key() Key { return f.key }

// Blocks returns the number of blocks, of [BlockBytes] each.
func (f *Filter) Blocks() int { return len(f.table) }

// Table returns the filter's own table, for package kernel's operations on hashes. What is inserted or
// deleted there the filter does not count.
func (f *Filter) Table() kernel.Table512 { return f.table }

// Members returns the number of members: inserts less deletes that found their key. It counts
// calls, so it is right where every member was inserted once and only members were deleted.
func (f *Filter) Members() int { return f.counters.members() }

// Inserts returns the number of inserts ever made, which the false-positive rate grows with.
func (f *Filter) Inserts() int { return int(f.counters.inserts) }

// Deleted returns the number of deletes that cleared bits.
func (f *Filter) Deleted() int { return int(f.counters.deleted) }

// Retained returns the number of deletes that could clear no bit: former members that stay visible.
func (f *Filter) Retained() int { return int(f.counters.retained) }

func (c *counters) members() int {
	gone := c.deleted + c.retained
	if gone > c.inserts { // only after deletes of keys that were no members
		return 0
	}
	return int(c.inserts - gone)
}

// note counts a delete, unless it found nothing.
func (c *counters) note(status Status) {
	switch status {
	case Deleted:
		c.deleted++
	case Retained:
		c.retained++
	}
}

// Hash returns the hash of a key of bytes, for the operations on hashes: [Key.Hash] of the
// filter's key.
func (f *Filter) Hash(key []byte) uint64 { return f.key.Hash(key) }

// HashUint64 returns the hash of a uint64: [Key.HashUint64] of the filter's key.
func (f *Filter) HashUint64(key uint64) uint64 { return f.key.HashUint64(key) }
