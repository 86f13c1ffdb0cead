package peer

import (
	"fmt"
	"math"
	"strings"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// Filter is a filter of its members: the batches of a [filter.Querier], so that every kind is one
// as it is.
type Filter interface {
	// QueryHashBatch returns how many of the hashes are present: see [filter.Querier].
	QueryHashBatch(hashes, present []uint64) int

	// State has the memory of the filter, without what is constant or for building it; of other
	// libraries' filters that is all.
	State() filter.State
}

// Inserter is a filter that takes further members: see [filter.Set].
type Inserter interface {
	Filter

	// InsertHashBatch inserts hashes up to one that the library says that it did not take: see
	// [Insert]. Other libraries do not answer what was present, and write nothing there.
	InsertHashBatch(hashes, present []uint64) (n int, err error)
}

// Deleter is a filter that gives members up: see [filter.Deleter].
type Deleter interface {
	Inserter

	// DeleteHashBatch deletes hashes, which must be members, and returns how many the library says
	// that it removed. Other libraries do not tell the kinds of status, and write nothing there.
	DeleteHashBatch(hashes []uint64, status []filter.Status) int
}

// Counter is a filter that tells how often a key was inserted: see [filter.Counter].
type Counter interface {
	Inserter
	CountHashBatch(hashes, counts []uint64)
}

// A filter of keys of bytes has these too: see [filter.Keyed] and its siblings.
type (
	BytesFilter interface {
		Filter
		QueryBatch(keys [][]byte, present []uint64) int
	}
	BytesInserter interface {
		BytesFilter
		InsertBatch(keys [][]byte, present []uint64) (n int, err error)
	}
	BytesDeleter interface {
		BytesInserter
		DeleteBatch(keys [][]byte, status []filter.Status) int
	}
)

// StringsFilter is a filter by loops over calls of one key, which count: answers one by one take
// longer. It may have a query of strings.
type StringsFilter interface {
	BytesFilter
	// Strings returns what counts the keys that are present; nil where there is no such call.
	Strings() func(keys []string) (count int)
}

// A filter of the contract is timed as it is, without an adapter.
var (
	_ Filter       = filter.Querier(nil)
	_ Inserter     = filter.Set(nil)
	_ Deleter      = filter.Deleter(nil)
	_ Counter      = filter.Counter(nil)
	_ BytesDeleter = (*deletable.Filter)(nil)
)

// One is 1 for true: without a jump, which a processor would guess wrong half of the time.
func One(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Answer counts the keys that are present, by what counts them, and stores in present which they
// are, one by one, unless it is nil.
func Answer[K any](
	counted func(keys []K) (count int),
	keys []K,
	present []uint64,
) (count int) {
	if present == nil {
		return counted(keys)
	}
	clear(present[:(len(keys)+63)/64])
	for i := range keys {
		one := counted(keys[i : i+1])
		present[i/64] |= uint64(one) << (i & 63)
		count += one
	}
	return count
}

// Insert inserts keys, and returns how many of them the filter did not take: it goes on behind each
// of these.
func Insert(f Inserter, keys []uint64) (refused int) { return insertAll(f.InsertHashBatch, keys) }

// InsertBytes is Insert of keys of bytes.
func InsertBytes(f BytesInserter, keys [][]byte) (refused int) {
	return insertAll(f.InsertBatch, keys)
}

func insertAll[K any](
	insert func(keys []K, present []uint64) (n int, err error),
	keys []K,
) (refused int) {
	for {
		n, err := insert(keys, nil)
		if err == nil {
			return refused
		}
		refused++
		keys = keys[n+1:]
	}
}

// Hash is a hash of keys of bytes.
type Hash struct {
	Name, Module, Version string
	Algorithm             string
	Keyed                 bool // under a secret, without which nobody can choose keys that collide
	// Sum stores the hashes of keys, by a loop over the library's own call.
	Sum func(keys [][]byte, hashes []uint64)
	// Chain hashes as many keys, an even number of them, of which each is the one of its pair that
	// the hash before it says: see Next. It returns the last hash.
	Chain func(keys [][]byte) uint64
}

// Next is the index of the i-th key of a chain: i, or the other one of its pair. It is not known
// before the hash is.
func Next(i int, hash uint64) int { return i ^ int(hash&1) }

// Theory is a filter for which there is a formula.
type Theory interface {
	Filter
	// ExpectedRate is the false-positive rate to expect with a number of members.
	ExpectedRate(members int) float64
}

// DeleteTheory is a filter that deletes, and for which there is a formula for that.
type DeleteTheory interface {
	Deleter
	// ExpectedDeletable is the share of the members whose delete from the full filter makes them
	// invisible.
	ExpectedDeletable(members int) float64
}

// Builder takes the members of a filter, in any number of calls.
type Builder interface {
	Insert(keys []uint64) (refused int)
	// InsertBytes panics where the filter is no BytesFilter.
	InsertBytes(keys [][]byte) (refused int)
	// Finish returns the filter of the members. The builder is of no further use. An error is the
	// library's.
	Finish() (Filter, error)
}

// Peer is a kind of filter.
type Peer struct {
	Name   string // short, without spaces
	Module string // the path of the Go module that it is from
	// of the module, as the build recorded it: nothing in a test, for which it does not
	Version string
	Note    string // what it is, which calls of it are used, and its limits

	Prehashed bool // takes the keys for hashes
	// Hash and Keyed are what keys of bytes are hashed by, and whether that is under a secret. A
	// filter without a hash is no BytesFilter.
	Hash  string
	Keyed bool
	// Table is the name of the kind whose table this kind is, which may be its own; it is timed on
	// keys of bytes only.
	Table     string
	Deletes   bool // its filters are Deleters
	Static    bool // its filters are no Inserters: they are built once, of all members
	Fixed     bool // has a size of its own for a number of members, whatever bits are asked for
	Refuses   bool // an insert can fail before the members that it was made for are in
	Merges    bool // the library makes one filter of two
	Decays    bool // deletes leave bits behind, so that the rate grows while members come and go
	Lists     bool // inserts and deletes need more memory than its size, which queries read
	Allocates bool // its Query allocates, because the library does

	InsertAllocates bool // its Insert does

	// MaxBytes is the size from which the library does no longer work, or 0 where there is none.
	MaxBytes int64

	// Begin is New without its checks.
	Begin func(members int, bits float64) Builder
	// Size is the bytes of a filter; for static ones about.
	Size func(members int, bits float64) int64
	// Extra is the memory a member while a filter is built, in bytes.
	Extra int64
	// Bits is the bits per key that the filter can have, of those asked for; nil where it can have
	// any.
	Bits func(bits float64) float64
	// Doubles says that sizes are powers of two.
	Doubles bool
}

// Limits says in few words what its filters cannot do, beside deletes.
func (p *Peer) Limits() string {
	var all []string
	for _, limit := range []struct {
		limited bool
		text    string
	}{
		{p.Static, "no insert after the build"}, {p.Decays, "rate grows with turnovers"},
		{p.Refuses, "can refuse inserts"}, {!p.Merges, "no merge"},
		{p.Doubles, "power-of-two sizes"}, {p.Fixed, "fixed bits per key"},
		{p.Lists, "8 to 11 bytes per key more"},
	} {
		if limit.limited {
			all = append(all, limit.text)
		}
	}
	return strings.Join(all, ", ")
}

// SizeError says that a filter cannot be as large as was asked.
type SizeError struct {
	Peer     string
	Members  int
	Bits     float64 // per key
	Bytes    int64   // that it would take
	MaxBytes int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: a filter of %d members at %g bits per key takes %d bytes, want at "+
		"most %d",
		e.Peer, e.Members, e.Bits, e.Bytes, e.MaxBytes)
}

// New begins a filter for a number of members at the given bits per key, or at the next larger size
// that the library has. The members are those that are then inserted. New panics if members is
// below 1, or if bits is not above 0 and at most 1024. The error is a *[SizeError].
func (p *Peer) New(members int, bits float64) (Builder, error) {
	check(members, bits)
	if size := p.Size(members, bits); p.MaxBytes > 0 && size > p.MaxBytes {
		return nil, &SizeError{p.Name, members, bits, size, p.MaxBytes}
	}
	return p.Begin(members, bits), nil
}

// Build returns a filter of the keys, as New does, and how many of them the library refused.
func (p *Peer) Build(keys []uint64, bits float64) (f Filter, refused int, err error) {
	b, err := p.New(len(keys), bits)
	if err != nil {
		return nil, 0, err
	}
	refused = b.Insert(keys)
	f, err = b.Finish()
	return f, refused, err
}

// BuildBytes is about the most memory, in bytes, that a filter needs while New builds it. It has
// the filter, and not the caller's keys.
func (p *Peer) BuildBytes(members int, bits float64) int64 {
	check(members, bits)
	return p.Size(members, bits) + p.Extra*int64(members)
}

// Takes is the bits per key that a filter is made for when the given number is asked for. They
// differ if the library knows only whole bits, or if its fingerprints need more. What a filter then
// has is its Bytes.
func (p *Peer) Takes(bits float64) float64 {
	if p.Bits == nil {
		return bits
	}
	return p.Bits(bits)
}

// Fit returns the greatest number of members, of at most the given one, with which a filter takes
// no more than the bits per key asked for, though its sizes be powers of two: with one more it
// would take the next size. It is all of them where sizes have no such steps, and 0 where not even
// the smallest filter is small enough.
func (p *Peer) Fit(members int, bits float64) int {
	check(members, bits)
	if !p.Doubles {
		return members
	}
	bits = p.Takes(bits)
	for size := float64(uint64(1) << 62); size >= float64(8*p.Size(1, bits)); size /= 2 {
		if fit := math.Floor(size / bits); fit <= float64(members) {
			return int(fit)
		}
	}
	return 0
}

func check(members int, bits float64) {
	if members < 1 || !(bits > 0 && bits <= 1024) { // so written, NaN fails it too
		panic(fmt.Sprintf("peer: a filter of %d members at %g bits per key", members, bits))
	}
}

// Growing returns the builder of a filter that takes members at any time.
func Growing(f Inserter) Builder { return growing{f} }

type growing struct{ Inserter }

func (g growing) Insert(keys []uint64) (refused int) { return Insert(g.Inserter, keys) }
func (g growing) InsertBytes(keys [][]byte) (refused int) {
	return InsertBytes(g.Inserter.(BytesInserter), keys)
}
func (g growing) Finish() (Filter, error) { return g.Inserter, nil }
