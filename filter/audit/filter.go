package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"sync/atomic"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
)

// Deleter is what can be audited. [New] says which filters that delete are refused.
type Deleter interface {
	filter.StoredSet
	filter.Deleter
	filter.Resetter
}

// Config says how much an audit looks at. The zero value is recommended.
type Config struct {
	// Every sets the size of the sample: one hash in Every is in it. It is a power of two from 64
	// to 2^30; 0 means 1024. A sample that would have more than 2^20 members is halved for good.
	Every int

	// Secret chooses the sample: with the same Secret the same calls find the same. 0 means a new
	// random one, which outsiders cannot guess.
	Secret uint64
}

const (
	defaultEvery = 1024
	groups       = 64      // in one of as many groups of hashes the answers of a batch are looked at
	most         = 1 << 20 // members of the sample: that of 10^9 members
	group        = 512     // hashes of a batch that are looked at together or not at all
	insertChunk  = 1 << 14 // keys
	deleteChunk  = 1 << 12
)

const kindName = "audited" // in errors

// Filter is a filter under audit. Make one with [New]. From the types that it embeds it has:
//
//   - keys: [filter.KeyedSet.Insert], [filter.Keyed.Query], [filter.KeyedDeleter.Delete]; the same
//     for strings (InsertString, QueryString, DeleteString), for uint64s (InsertUint64) and for
//     many keys (InsertBatch, InsertStringBatch, InsertSeq)
//   - hashing: [filter.Keyed.Hash], HashString, HashUint64, [filter.Keyed.Key]
//   - files: [filter.Keyed.Save], WriteTo, AppendBinary, MarshalBinary
//   - state: [filter.Keyed.MarshalJSON], LogValue
//
// It answers as the filter does. Any number of goroutines may query it, save it, and call Stats and
// Check, while no call changes it.
// What the filter can do beyond a [filter.Deleter], such as merges, is reached by [Filter.Unwrap].
// A call that changes its members there goes past the audit, and needs a [Filter.Seed] after it.
type Filter struct {
	filter.KeyedDeleter
	audited Deleter
	*shadow // a pointer, so that what prints a Filter does not print the secret
}

// shadow is what an audit knows and has found.
type shadow struct {
	sample sample
	groups uint64 // a group is looked at if its first hash times odd is at most this
	odd    uint64 // secret
	seeded bool   // the sample has all members that are in it

	inserts, deletes uint64 // all
	inserted         Answers
	deleted          Answers
	sampled          [insertChunk / 64]uint64   // which hashes are in the sample
	words            [insertChunk / 64]uint64   // the answers of inserts
	status           [deleteChunk]filter.Status // of deletes

	_                        [64]byte // what readers count is on cache lines of its own
	queried, batched, checks tally
	drawn                    atomic.Uint64 // the random non-members that checks have taken
	_                        [64]byte
}

// New returns a filter under audit. If it has members already, the audit does not know them: until
// [Filter.Seed] lists them, it judges only what it has seen itself.
//
// The error is a *[filter.SizingError] for a Config that is out of range, and for a filter that may
// miss members, that is no multiset, or that grows. A rolling filter is no multiset: its owner lets
// members go without a delete that an audit could see. One that grows has a list of its members, so
// that it finds out which deletes are of non-members, and lets goroutines query beside its writer,
// as an audit does not. For a closed filter, and for nil, the error wraps [filter.ErrClosed].
func New(audited Deleter, config Config) (*Filter, error) {
	every := cmp.Or(config.Every, defaultEvery)
	if every < leastEvery || every > mostEvery || every&(every-1) != 0 {
		return nil, &filter.SizingError{Kind: kindName, Field: "Every", Found: every,
			Expected: "a power of two from 64 to 2^30"}
	}
	if err := check(audited); err != nil {
		return nil, err
	}
	if config.Secret == 0 {
		config.Secret = rand.Uint64()
	}
	draw := rand.NewPCG(config.Secret, 0)
	return filterOf(audited, &shadow{
		sample: newSample(every, most, draw.Uint64()), odd: draw.Uint64() | 1,
		groups: math.MaxUint64 / groups, seeded: audited.State().Members == 0,
	}), nil
}

// none reports whether there is no filter, also where an interface holds a nil pointer.
func none(audited Deleter) bool {
	v := reflect.ValueOf(audited)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

func filterOf(of Deleter, s *shadow) *Filter {
	f := &Filter{audited: of, shadow: s}
	f.KeyedDeleter = filter.NewKeyedDeleter(of.Key(), f)
	return f
}

// check returns an error if a filter is closed, or does not promise what an audit needs.
func check(audited Deleter) error {
	if none(audited) || audited.Closed() {
		return fmt.Errorf("audit: %w: expected an open filter", filter.ErrClosed)
	}
	c, err := audited.Contents()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	promises := base.Promise(c.Promises)
	if !promises.Has(base.NoFalseNegatives|base.Deletes|base.Multiset) ||
		promises&(base.Forgets|base.Grows) != 0 {
		return &filter.SizingError{
			Kind: kindName, Field: "filter", Found: "one that promises " + promises.String(),
			Expected: "a multiset that deletes, has no false negatives and does not grow",
		}
	}
	return nil
}

// With returns an audit of a filter that replaces f's, with all that f knows and found. Use it for
// a rebuild, when every write since its start has been repeated on the new filter. The two audits
// share nothing, so readers may go on to use f. If one of the filters is closed, the error wraps
// [filter.ErrClosed]; if their keys differ, [file.ErrWrongKey]. It is a *[filter.SizingError] for a
// filter that New refuses.
func (f *Filter) With(audited Deleter) (*Filter, error) {
	if f.Closed() || none(audited) || audited.Closed() {
		return nil, fmt.Errorf("audit: %w", filter.ErrClosed)
	}
	if found, want := audited.Key(), f.Key(); !found.Equal(want) {
		return nil, fmt.Errorf("audit: %w: found %v, expected %v", file.ErrWrongKey, found, want)
	}
	if err := check(audited); err != nil {
		return nil, err
	}
	s := &shadow{
		sample: f.sample.clone(), groups: f.groups, odd: f.odd, seeded: f.seeded,
		inserts: f.inserts, deletes: f.deletes, inserted: f.inserted, deleted: f.deleted,
	}
	s.queried.add(f.queried.get())
	s.batched.add(f.batched.get())
	s.checks.add(f.checks.get())
	s.drawn.Store(f.drawn.Load())
	return filterOf(audited, s), nil
}

// Reset empties the filter and the sample. What was found so far stays in Stats.
func (f *Filter) Reset() {
	if f.Closed() {
		panic(filter.ErrClosed)
	}
	f.audited.Reset()
	f.sample, f.seeded = f.sample.empty(), true
}

// GobEncode returns an error: what encoding/gob wrote would have no audit, and could not be read.
func (f *Filter) GobEncode() ([]byte, error) {
	return nil, errors.New("audit: gob: found an audit, expected the filter that Unwrap returns")
}

// Unwrap returns the filter under audit, for [filter.As]; nil for a zero value.
func (f *Filter) Unwrap() filter.Stored {
	if f.audited == nil {
		return nil
	}
	return f.audited
}

// Contents returns what a file of the filter holds, with nothing of the audit: see
// [filter.Content].
func (f *Filter) Contents() (*file.Contents, error) {
	if f.audited == nil {
		return nil, filter.ErrClosed
	}
	return f.audited.Contents()
}

// Closed reports whether the filter is closed, or was never made.
func (f *Filter) Closed() bool { return f.audited == nil || f.audited.Closed() }

// Close closes the filter under audit.
func (f *Filter) Close() error {
	if f.audited == nil {
		return filter.ErrClosed
	}
	return f.audited.Close()
}

// State returns what the filter knows of itself: see [filter.State]. [Filter.Stats] has what the
// audit found.
func (f *Filter) State() filter.State {
	if f.audited == nil {
		return filter.State{}
	}
	return f.audited.State()
}

// ScanFill measures the filter: see [filter.Scanner].
func (f *Filter) ScanFill() (fill, most float64, err error) {
	if f.audited == nil {
		return 0, 0, filter.ErrClosed
	}
	return f.audited.ScanFill()
}

// String returns the String of the filter, and says that it is audited.
func (f *Filter) String() string {
	if f.audited == nil {
		return "audited filter, closed"
	}
	return fmt.Sprintf("audited %v", f.audited)
}

// Format prints String for every verb.
func (f *Filter) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.String()) }

// QueryHash reports whether the key of a hash is present: see [filter.Querier].
func (f *Filter) QueryHash(hash uint64) bool {
	if f.audited == nil {
		panic(filter.ErrClosed)
	}
	present := f.audited.QueryHash(hash)
	if y := hash * f.sample.odd; y < f.sample.limit {
		f.answered(&f.queried, y, present)
	}
	return present
}

// answered counts the answer to a query in the sample.
func (f *Filter) answered(t *tally, y uint64, present bool) {
	var a Answers
	a.count(f.judged(f.sample.state(y)), present)
	t.add(a)
}

// judged returns the state of a hash as it is judged. If the sample does not have all its members,
// a hash that is absent from it may be a member.
func (f *Filter) judged(s state) state {
	if s == absent && !f.seeded {
		return doubt
	}
	return s
}

// QueryHashBatch queries the keys of hashes: see [filter.Querier].
func (f *Filter) QueryHashBatch(hashes, present []uint64) (count int) {
	if f.audited == nil {
		panic(filter.ErrClosed)
	}
	count = f.audited.QueryHashBatch(hashes, present)
	// after some writes a batch is looked at, and after others the same batch is not
	written := f.inserts + f.deletes
	for start := 0; start < len(hashes); start += group {
		if (hashes[start]^written)*f.odd <= f.groups {
			f.look(hashes[start:min(start+group, len(hashes))], present, start)
		}
	}
	return count
}

// look counts the answers to a group of queries, whose bits begin at start.
func (f *Filter) look(hashes, present []uint64, start int) {
	var sampled [group / 64]uint64
	for i, y := range f.sample.marked(hashes, f.sample.mark(hashes, sampled[:])) {
		answer := false
		if present != nil {
			answer = filter.At(present, start+i)
		} else {
			answer = f.audited.QueryHash(hashes[i])
		}
		f.answered(&f.batched, y, answer)
	}
}

// InsertHash inserts the key of a hash: see [filter.Set].
func (f *Filter) InsertHash(hash uint64) (present bool, err error) {
	if f.audited == nil {
		return false, filter.ErrClosed
	}
	if present, err = f.audited.InsertHash(hash); err != nil {
		return present, err
	}
	f.inserts++
	if y := hash * f.sample.odd; y < f.sample.limit {
		f.insert(y, present)
	}
	return present, nil
}

// insert makes a hash of the sample a member. present is whether the filter showed it before.
func (f *Filter) insert(y uint64, present bool) {
	before := f.judged(f.sample.insert(y))
	f.inserted.count(before, present)
}

// InsertHashBatch inserts the keys of hashes: see [filter.Set].
func (f *Filter) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	if f.audited == nil {
		return 0, filter.ErrClosed
	}
	base.RequirePresent("InsertHashBatch", len(hashes), present)
	for more := true; more; more = n < len(hashes) && err == nil {
		chunk, words := hashes[n:min(n+insertChunk, len(hashes))], f.words[:]
		if present != nil {
			words = present[n/64:]
		}
		var m int
		m, err = f.insertChunk(chunk, words[:filter.Words(len(chunk))])
		n += m
	}
	return n, err
}

// insertChunk looks for the hashes of the sample before it inserts, because an insert waits for
// hashes that are not in the cache. A delete does not wait, so deleteChunk looks for them
// afterwards.
func (f *Filter) insertChunk(hashes, present []uint64) (n int, err error) {
	sampled := f.sample.mark(hashes, f.sampled[:])
	n, err = f.audited.InsertHashBatch(hashes, present)
	f.inserts += uint64(n)
	for i, y := range f.sample.marked(hashes[:n], sampled) {
		f.insert(y, filter.At(present, i))
	}
	return n, err
}

// DeleteHash deletes the key of a hash: see [filter.Deleter].
func (f *Filter) DeleteHash(hash uint64) filter.Status {
	if f.audited == nil {
		panic(filter.ErrClosed)
	}
	status := f.audited.DeleteHash(hash)
	f.deletes++
	if y := hash * f.sample.odd; y < f.sample.limit {
		f.delete(y, status)
	}
	return status
}

// delete deletes a hash from the sample once. A hash that is absent from the filter is judged in
// any case: it is no member, or a member that was lost, and either is a breach.
func (f *Filter) delete(y uint64, status filter.Status) {
	before := f.sample.delete(y)
	if status != filter.Absent {
		before = f.judged(before)
	}
	f.deleted.count(before, status != filter.Absent)
}

// DeleteHashBatch deletes the keys of hashes: see [filter.Deleter].
func (f *Filter) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	if f.audited == nil {
		panic(filter.ErrClosed)
	}
	base.RequireStatus("DeleteHashBatch", len(hashes), status)
	for start, more := 0, true; more; more = start < len(hashes) {
		chunk, answers := hashes[start:min(start+deleteChunk, len(hashes))], f.status[:]
		if status != nil {
			answers = status[start:]
		}
		deleted += f.deleteChunk(chunk, answers[:len(chunk)])
		start += len(chunk)
	}
	return deleted
}

func (f *Filter) deleteChunk(hashes []uint64, status []filter.Status) (deleted int) {
	deleted = f.audited.DeleteHashBatch(hashes, status)
	f.deletes += uint64(len(hashes))
	for i, y := range f.sample.marked(hashes, f.sample.mark(hashes, f.sampled[:])) {
		f.delete(y, status[i])
	}
	return deleted
}
