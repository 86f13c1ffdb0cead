package filter

import (
	"sync"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter/internal/lengths"
	"github.com/bloomlane/bloomlane/filter/key"
)

// chunk is how many keys of a batch are hashed at a time. It is large enough for the prefetching of
// the filter, and small enough for the first-level cache. It is a multiple of 64, so that each
// chunk begins at a word of the answers.
const chunk = 512

// buffers hold the hashes of a chunk. A buffer on the stack would escape to the heap in each call,
// because a filter behind an interface might keep it.
var buffers = sync.Pool{New: func() any { return new([chunk]uint64) }}

// Keyed has the queries of a filter by keys of bytes, strings and uint64s, and the writing of its
// files. It hashes the keys under a secret key. A kind embeds it, or [KeyedSet] or [KeyedDeleter],
// which have more operations.
//
// A key has the same hash in every form: a string stands for its bytes, and a uint64 for its 8
// bytes, the least significant first. Answers have the form that [Querier] says. A batch of keys is
// hashed and passed on in parts: if the filter is closed meanwhile, the batch ends half way with
// [ErrClosed]. For a [Batcher] it is one batch all the same.
type Keyed struct {
	key     key.Key
	content Content
}

// KeyedSet has the operations of [Keyed], and those of a [Set] by keys.
type KeyedSet struct {
	Keyed
	set Set
}

// KeyedDeleter has the operations of [KeyedSet], and those of a [Deleter] by keys.
type KeyedDeleter struct {
	KeyedSet
	deleter Deleter
}

// KeyedCounter has the operations of a [Counter] by keys. A kind embeds it beside [KeyedSet] or
// [KeyedDeleter].
type KeyedCounter struct {
	keyed   Keyed
	counter Counter
}

// NewKeyed returns the operations of the filter of under the key k. If k is the zero Key,
// operations by keys panic, and only those by hashes work: that is for filters that are read
// without their key.
func NewKeyed(k key.Key, of Content) Keyed { return Keyed{k, of} }

// NewKeyedSet returns the operations of the set of under the key k: see [NewKeyed].
func NewKeyedSet(k key.Key, set interface {
	Content
	Set
}) KeyedSet {
	return KeyedSet{Keyed{k, set}, set}
}

// NewKeyedDeleter returns the operations of the deleter of under the key k: see [NewKeyed].
func NewKeyedDeleter(k key.Key, set interface {
	Content
	Deleter
}) KeyedDeleter {
	return KeyedDeleter{KeyedSet{Keyed{k, set}, set}, set}
}

// NewKeyedCounter returns the operations of the counter of under the key k: see [NewKeyed].
func NewKeyedCounter(k key.Key, set interface {
	Content
	Counter
}) KeyedCounter {
	return KeyedCounter{Keyed{k, set}, set}
}

// require panics with [ErrClosed] if the filter is a zero value.
func (q *Keyed) require() {
	if q.content == nil {
		panicClosed()
	}
}

// panicClosed is a function of its own so that require is small enough to be inlined.
func panicClosed() { panic(ErrClosed) }

// Key returns the hash key of the filter, also of a closed one. Files do not hold it: keep it with
// the file, because the filter cannot be opened without it. Of a zero value it is the zero Key.
func (q *Keyed) Key() key.Key { return q.key }

// Hash returns the hash of a key, for the operations that take hashes.
func (q *Keyed) Hash(key []byte) uint64 {
	q.requireOpen()
	return q.key.Hash(key)
}

// HashString returns the hash of the bytes of a string.
func (q *Keyed) HashString(key string) uint64 { return q.Hash(bytesOf(key)) }

// HashUint64 returns the hash of the 8 bytes of a uint64, the least significant first.
func (q *Keyed) HashUint64(key uint64) uint64 {
	q.requireOpen()
	return q.key.HashUint64(key)
}

// requireOpen panics with [ErrClosed] if the filter is closed or is a zero value.
func (q *Keyed) requireOpen() {
	if q.content == nil || q.content.Closed() {
		panicClosed()
	}
}

// hash, hashString and hashUint64 are for operations on the filter, which find out by themselves
// whether it is closed.

func (q *Keyed) hash(key []byte) uint64 {
	q.require()
	return q.key.Hash(key)
}

func (q *Keyed) hashString(key string) uint64 { return q.hash(bytesOf(key)) }

func (q *Keyed) hashUint64(key uint64) uint64 {
	q.require()
	return q.key.HashUint64(key)
}

// bytesOf returns the bytes of a string without a copy. They must not be written.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Query reports whether a key is present: see [Querier].
func (q *Keyed) Query(key []byte) bool { return q.content.QueryHash(q.hash(key)) }

// QueryString reports whether the key with the bytes of a string is present.
func (q *Keyed) QueryString(key string) bool { return q.content.QueryHash(q.hashString(key)) }

// QueryUint64 reports whether the key with the 8 bytes of a uint64 is present.
func (q *Keyed) QueryUint64(key uint64) bool { return q.content.QueryHash(q.hashUint64(key)) }

// QueryBatch queries keys and returns how many are present: see [Querier].
func (q *Keyed) QueryBatch(keys [][]byte, present []uint64) int {
	return queryBatch(q, "QueryBatch", keys, present)
}

// QueryStringBatch is QueryBatch for strings.
func (q *Keyed) QueryStringBatch(keys []string, present []uint64) int {
	return queryBatch(q, "QueryStringBatch", keys, present)
}

// QueryUint64Batch is QueryBatch for uint64s.
func (q *Keyed) QueryUint64Batch(keys, present []uint64) int {
	return queryBatch(q, "QueryUint64Batch", keys, present)
}

// Insert inserts a key, and reports whether it was present before: see [Set].
func (s *KeyedSet) Insert(key []byte) (present bool, err error) {
	if s.set == nil {
		return false, ErrClosed
	}
	return s.set.InsertHash(s.hash(key))
}

// InsertString inserts the key with the bytes of a string: see [Set].
func (s *KeyedSet) InsertString(key string) (present bool, err error) {
	return s.Insert(bytesOf(key))
}

// InsertUint64 inserts the key with the 8 bytes of a uint64: see [Set].
func (s *KeyedSet) InsertUint64(key uint64) (present bool, err error) {
	if s.set == nil {
		return false, ErrClosed
	}
	return s.set.InsertHash(s.hashUint64(key))
}

// InsertBatch inserts keys one after another: see [Set].
func (s *KeyedSet) InsertBatch(keys [][]byte, present []uint64) (n int, err error) {
	return insertBatch(s, "InsertBatch", keys, present)
}

// InsertStringBatch is InsertBatch for strings.
func (s *KeyedSet) InsertStringBatch(keys []string, present []uint64) (n int, err error) {
	return insertBatch(s, "InsertStringBatch", keys, present)
}

// InsertUint64Batch is InsertBatch for uint64s.
func (s *KeyedSet) InsertUint64Batch(keys, present []uint64) (n int, err error) {
	return insertBatch(s, "InsertUint64Batch", keys, present)
}

// Delete deletes a key, which must be a member: see [Deleter].
func (d *KeyedDeleter) Delete(key []byte) Status { return d.deleter.DeleteHash(d.hash(key)) }

// DeleteString deletes the key with the bytes of a string, which must be a member: see [Deleter].
func (d *KeyedDeleter) DeleteString(key string) Status {
	return d.deleter.DeleteHash(d.hashString(key))
}

// DeleteUint64 deletes the key with the 8 bytes of a uint64, which must be a member: see [Deleter].
func (d *KeyedDeleter) DeleteUint64(key uint64) Status {
	return d.deleter.DeleteHash(d.hashUint64(key))
}

// DeleteBatch deletes keys, which must be members, one after another: see [Deleter].
func (d *KeyedDeleter) DeleteBatch(keys [][]byte, status []Status) int {
	return deleteBatch(d, "DeleteBatch", keys, status)
}

// DeleteStringBatch is DeleteBatch for strings.
func (d *KeyedDeleter) DeleteStringBatch(keys []string, status []Status) int {
	return deleteBatch(d, "DeleteStringBatch", keys, status)
}

// DeleteUint64Batch is DeleteBatch for uint64s.
func (d *KeyedDeleter) DeleteUint64Batch(keys []uint64, status []Status) int {
	return deleteBatch(d, "DeleteUint64Batch", keys, status)
}

// Add inserts a key the given number of times: see [Counter].
func (c *KeyedCounter) Add(key []byte, times uint64) error {
	if c.counter == nil {
		return ErrClosed
	}
	return c.counter.AddHash(c.keyed.hash(key), times)
}

// AddString inserts the key with the bytes of a string the given number of times: see [Counter].
func (c *KeyedCounter) AddString(key string, times uint64) error {
	return c.Add(bytesOf(key), times)
}

// AddUint64 inserts the key with the 8 bytes of a uint64 the given number of times: see [Counter].
func (c *KeyedCounter) AddUint64(key, times uint64) error {
	if c.counter == nil {
		return ErrClosed
	}
	return c.counter.AddHash(c.keyed.hashUint64(key), times)
}

// AddBatch inserts keys[i] times[i] times, for one i after another: see [Counter].
func (c *KeyedCounter) AddBatch(keys [][]byte, times []uint64) (n int, err error) {
	return addBatch(c, "AddBatch", keys, times)
}

// AddStringBatch is AddBatch for strings.
func (c *KeyedCounter) AddStringBatch(keys []string, times []uint64) (n int, err error) {
	return addBatch(c, "AddStringBatch", keys, times)
}

// AddUint64Batch is AddBatch for uint64s.
func (c *KeyedCounter) AddUint64Batch(keys, times []uint64) (n int, err error) {
	return addBatch(c, "AddUint64Batch", keys, times)
}

// Count returns an estimate of how many times a key is a member: see [Counter].
func (c *KeyedCounter) Count(key []byte) uint64 { return c.counter.CountHash(c.keyed.hash(key)) }

// CountString estimates how many times the key with the bytes of a string is a member.
func (c *KeyedCounter) CountString(key string) uint64 { return c.Count(bytesOf(key)) }

// CountUint64 estimates how many times the key with the 8 bytes of a uint64 is a member.
func (c *KeyedCounter) CountUint64(key uint64) uint64 {
	return c.counter.CountHash(c.keyed.hashUint64(key))
}

// CountBatch stores the count of keys[i] in counts[i]: see [Counter].
func (c *KeyedCounter) CountBatch(keys [][]byte, counts []uint64) {
	countBatch(c, "CountBatch", keys, counts)
}

// CountStringBatch is CountBatch for strings.
func (c *KeyedCounter) CountStringBatch(keys []string, counts []uint64) {
	countBatch(c, "CountStringBatch", keys, counts)
}

// CountUint64Batch is CountBatch for uint64s.
func (c *KeyedCounter) CountUint64Batch(keys, counts []uint64) {
	countBatch(c, "CountUint64Batch", keys, counts)
}

// hashAll fills hashes with the hashes of the first keys. It is a switch and takes no function, so
// that the batches are called directly and nothing of the caller escapes to the heap.
func hashAll[K keyType](k key.Key, hashes []uint64, keys []K) {
	switch keys := any(keys[:len(hashes)]).(type) {
	case [][]byte:
		k.HashBatch(keys, hashes)
	case []string:
		k.HashStringBatch(keys, hashes)
	case []uint64:
		k.HashUint64Batch(keys, hashes)
	}
}

// keyType lists the types of keys.
type keyType interface{ []byte | string | uint64 }

func queryBatch[K keyType](q *Keyed, op string, keys []K, present []uint64) (count int) {
	q.require()
	lengths.RequirePresent(op, len(keys), present)
	if len(keys) == 0 {
		return q.content.QueryHashBatch(nil, nil)
	}
	buffer := buffers.Get().(*[chunk]uint64)
	defer buffers.Put(buffer)
	for start := 0; start < len(keys); start += chunk {
		hashes := buffer[:min(chunk, len(keys)-start)]
		hashAll(q.key, hashes, keys[start:])
		count += q.content.QueryHashBatch(hashes, wordsFrom(present, start))
	}
	return count
}

func insertBatch[K keyType](s *KeyedSet, op string, keys []K, present []uint64) (int, error) {
	if s.set == nil {
		return 0, ErrClosed
	}
	lengths.RequirePresent(op, len(keys), present)
	if len(keys) == 0 {
		return s.set.InsertHashBatch(nil, nil)
	}
	buffer := buffers.Get().(*[chunk]uint64)
	defer buffers.Put(buffer)
	for start, batch := 0, Batch(0); start < len(keys); start += chunk {
		hashes := buffer[:min(chunk, len(keys)-start)]
		hashAll(s.key, hashes, keys[start:])
		next, n, err := insertPart(s.set, batch, hashes, wordsFrom(present, start))
		if err != nil {
			return start + n, err
		}
		batch = next
	}
	return len(keys), nil
}

func deleteBatch[K keyType](d *KeyedDeleter, op string, keys []K, status []Status) (deleted int) {
	d.require()
	lengths.RequireStatus(op, len(keys), status)
	if len(keys) == 0 {
		return d.deleter.DeleteHashBatch(nil, nil)
	}
	buffer := buffers.Get().(*[chunk]uint64)
	defer buffers.Put(buffer)
	for start := 0; start < len(keys); start += chunk {
		hashes := buffer[:min(chunk, len(keys)-start)]
		hashAll(d.key, hashes, keys[start:])
		var part []Status
		if status != nil {
			part = status[start:]
		}
		deleted += d.deleter.DeleteHashBatch(hashes, part)
	}
	return deleted
}

func addBatch[K keyType](c *KeyedCounter, op string, keys []K, times []uint64) (int, error) {
	if c.counter == nil {
		return 0, ErrClosed
	}
	lengths.RequireCounts(op, len(keys), times)
	if len(keys) == 0 {
		return c.counter.AddHashBatch(nil, nil)
	}
	buffer := buffers.Get().(*[chunk]uint64)
	defer buffers.Put(buffer)
	for start := 0; start < len(keys); start += chunk {
		hashes := buffer[:min(chunk, len(keys)-start)]
		hashAll(c.keyed.key, hashes, keys[start:])
		if n, err := c.counter.AddHashBatch(hashes, times[start:]); err != nil {
			return start + n, err
		}
	}
	return len(keys), nil
}

func countBatch[K keyType](c *KeyedCounter, op string, keys []K, counts []uint64) {
	c.keyed.require()
	lengths.RequireCounts(op, len(keys), counts)
	if len(keys) == 0 {
		c.counter.CountHashBatch(nil, nil)
		return
	}
	buffer := buffers.Get().(*[chunk]uint64)
	defer buffers.Put(buffer)
	for start := 0; start < len(keys); start += chunk {
		hashes := buffer[:min(chunk, len(keys)-start)]
		hashAll(c.keyed.key, hashes, keys[start:])
		c.counter.CountHashBatch(hashes, counts[start:])
	}
}

// wordsFrom returns the part of present for the keys from start on, a multiple of chunk. It returns
// nil if present is nil.
func wordsFrom(present []uint64, start int) []uint64 {
	if present == nil {
		return nil
	}
	return present[start/64:]
}
