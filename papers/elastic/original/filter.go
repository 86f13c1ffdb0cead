// Package original is no API: it is the Elastic Bloom filter as the paper has it (Wu, He, Yan, Wu,
// Yang, Ruas, Zhang and Cui: "Elastic Bloom Filter: Deletable and Expandable Filter Using Elastic
// Fingerprints", IEEE Transactions on Computers, 2021), for its reproduction: a Bloom filter of
// 2^log bits in fast memory, and for each bit a bucket of elastic fingerprints in slow memory.
// Package filter/elastic is the form to use.
//
// A bit is set just where its bucket has a fingerprint, so that the buckets are all that is stored.
//
// Some things differ from the paper, or are left open by it:
//
//   - Section 3.2.1 skips an insert whose fingerprints are all there, as that of a duplicate. Then
//     the key is lost when one of the others that have them is deleted: Config.Skip has that
//     reading. Here every insert stores its fingerprints.
//   - Section 3.3.2 gives bucket i of level 1 the bucket i / branches of level 2. After an
//     expansion others share one, and the fingerprints of level 2 may not fit. Here they always do:
//     see Filter.sharers. After a delete a fingerprint of level 2 goes back, so that it has only
//     what overflows.
//   - Where a lazy update is still going on, the paper has two copies of each old bucket. Here
//     there is one, the old. And buckets that share one of level 2 are updated together: else an
//     insert into one that is updated takes the room of one that is not.
//   - An insert for which the filter would have to expand, and has no bits left for that, is
//     refused. Compression stops at the first size.
package original

import (
	"math"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/internal/probe"
)

// Config is the parameters of a filter; [Default] has the paper's.
type Config struct {
	Log       int     // log2 of m, the bits to begin with
	Most      int     // log2 of the most bits, up to Width; 0 is Width
	Hashes    int     // k
	Width     int     // w, bits of a hash number: up to 32
	Bucket    int     // S, fingerprints of a bucket: up to 64
	Branches  int     // of the bucket tree; 0: none
	Threshold float64 // Ω
	// expansion: an insert or a delete updates the buckets that it needs, and Scan others
	Lazy bool
	// of a lazy expansion; below 22 at the defaults the next one is due before it ends
	Scan int
	Skip bool // inserts of what seems to be a duplicate, as in section 3.2.1
}

// Default returns the parameters of Table 1, and the 32 bits of section 4.3. The most bits are
// those of 10^7 members.
func Default() Config {
	return Config{Log: 15, Most: 28, Hashes: 5, Width: 32, Bucket: 8, Branches: 3,
		Threshold: 0.2, Scan: 32}
}

// SlowBits returns the bits of the buckets of 2^log bits: a slot has a fingerprint and a bit that
// tells its length, and in level 2 the number of a branch too.
func (c *Config) SlowBits(log int) float64 {
	m, slot := math.Exp2(float64(log)), c.Width-log+1
	all := m * float64(c.Bucket*slot)
	if c.Branches > 0 {
		all += math.Ceil(m/float64(c.Branches)) *
			float64(c.Bucket*(slot+bits.Len(uint(c.Branches-1))))
	}
	return all
}

// Filter is an Elastic Bloom filter. It is for one goroutine.
type Filter struct {
	config  Config
	now     buckets
	old     *buckets // of a lazy expansion, or nil
	updated []bool   // by the old bucket: the paper's sign bits
	left    int      // old buckets to be updated
	scan    int      // the next of them

	ones    int // bits that are set
	refused int // the ones with which the last compression did not fit, or 0
	stored  int // fingerprints
	numbers []uint32

	Accesses Accesses
}

// buckets is the cooperative buckets of a Bloom filter of 2^log bits: the hash numbers of each,
// also of those in level 2. The paper stores their quotients by 2^log: the bucket is the remainder.
type buckets struct {
	log  int
	each [][]uint32
}

func newBuckets(log int) buckets { return buckets{log, make([][]uint32, 1<<log)} }

// Accesses counts what operations read and write: bits of the Bloom filter, and buckets, of both
// levels at once. Expansions and compressions count the buckets.
type Accesses struct{ Fast, Slow, Moved int }

// New returns an empty filter.
func New(c Config) *Filter {
	if c.Most == 0 {
		c.Most = c.Width
	}
	return &Filter{config: c, now: newBuckets(c.Log)}
}

// sharers returns the buckets, from first up to end, that share a bucket of level 2 with one. The
// paper has those of the same i / branches. Here that begins again at each multiple of the first
// size: so the buckets that share one before an expansion do so after it, and an expansion never
// overflows.
func (f *Filter) sharers(bucket int) (first, end int) {
	base, branches := f.config.Log, max(1, f.config.Branches)
	first = bucket - bucket&(1<<base-1)%branches
	return first, min(first+branches, (bucket>>base+1)<<base)
}

func (b *buckets) index(number uint32) int { return int(number & (1<<b.log - 1)) }

// add stores the fingerprint of a hash number, and reports whether there was room: in level 1, or
// else in level 2.
func (f *Filter) add(to *buckets, number uint32) bool {
	bucket, size := to.index(number), f.config.Bucket
	if len(to.each[bucket]) >= size {
		first, end := f.sharers(bucket)
		beyond := 0
		for _, sharer := range to.each[first:end] {
			beyond += max(0, len(sharer)-size)
		}
		if f.config.Branches == 0 || beyond == size {
			return false
		}
	}
	to.each[bucket] = append(to.each[bucket], number)
	return true
}

// remove takes the fingerprint of a hash number away, and reports whether there was one.
func (f *Filter) remove(number uint32) bool {
	bucket := &f.now.each[f.now.index(number)]
	i := slices.Index(*bucket, number)
	if i < 0 {
		return false
	}
	*bucket = slices.Delete(*bucket, i, i+1)
	if len(*bucket) == 0 {
		f.ones--
	}
	return true
}

// Numbers returns the k hash numbers of a uniform hash, until it is called again.
func (f *Filter) Numbers(hash uint64) []uint32 {
	f.numbers = f.numbers[:0]
	for range f.config.Hashes {
		hash = probe.Next(hash)
		f.numbers = append(f.numbers, uint32(hash>>(64-f.config.Width)))
	}
	return f.numbers
}

// Log returns log2 of the number of bits.
func (f *Filter) Log() int { return f.now.log }

// SetBits returns the part of the bits that are set, the paper's SBR.
func (f *Filter) SetBits() float64 { return float64(f.ones) / float64(int(1)<<f.now.log) }

// Cardinality returns the number of members: that of the fingerprints by k.
func (f *Filter) Cardinality() float64 { return float64(f.stored) / float64(f.config.Hashes) }

// Updating reports whether a lazy expansion goes on.
func (f *Filter) Updating() bool { return f.old != nil }

// holder returns the bucket that has the fingerprint of a number.
func (f *Filter) holder(number uint32) []uint32 {
	if f.old != nil {
		if i := f.old.index(number); !f.updated[i] {
			return f.old.each[i]
		}
	}
	return f.now.each[f.now.index(number)]
}

// Query reports whether a hash is present: section 3.2.2. It reads bits up to the first that is not
// set.
func (f *Filter) Query(hash uint64) bool { return f.query(f.Numbers(hash)) }

func (f *Filter) query(numbers []uint32) bool {
	for _, number := range numbers {
		f.Accesses.Fast++
		if len(f.holder(number)) == 0 {
			return false
		}
	}
	return true
}

// queryAccurate is the accurate query of section 3.4: all the fingerprints must be there too.
func (f *Filter) queryAccurate(numbers []uint32) bool {
	if !f.query(numbers) {
		return false
	}
	for _, number := range numbers {
		f.Accesses.Slow++
		if !slices.Contains(f.holder(number), number) {
			return false
		}
	}
	return true
}

// Insert inserts a hash, and reports whether the filter can have it: section 3.2.1.
func (f *Filter) Insert(hash uint64) bool { return f.insert(f.Numbers(hash)) }

func (f *Filter) insert(numbers []uint32) bool {
	if f.config.Skip && f.queryAccurate(numbers) {
		return true
	}
	if f.above() && f.now.log == f.config.Most {
		return false
	}
	f.update(numbers)
	for !f.store(numbers) {
		if !f.Expand() {
			return false
		}
		f.update(numbers)
	}
	f.stored += len(numbers)
	f.Accesses.Fast += len(numbers)
	if f.above() {
		f.Expand()
	}
	return true
}

// above reports whether more of the bits are set than the threshold, and no expansion goes on.
func (f *Filter) above() bool { return f.old == nil && f.SetBits() > f.config.Threshold }

// store stores the fingerprints of numbers, or none of them.
func (f *Filter) store(numbers []uint32) bool {
	for n, number := range numbers {
		f.Accesses.Slow++
		if !f.add(&f.now, number) {
			for _, number := range numbers[:n] {
				f.remove(number)
			}
			return false
		}
		if len(f.holder(number)) == 1 {
			f.ones++
		}
	}
	return true
}

// Delete deletes a hash, which must be a member, and reports whether all its fingerprints were
// there: section 3.2.3. Where one is missing nothing changes.
func (f *Filter) Delete(hash uint64) bool { return f.delete(f.Numbers(hash)) }

func (f *Filter) delete(numbers []uint32) bool {
	if !f.queryAccurate(numbers) {
		return false
	}
	f.update(numbers)
	for n, number := range numbers {
		f.Accesses.Slow++
		if !f.remove(number) { // two of the numbers are one, and the fingerprint is there once
			f.store(numbers[:n])
			return false
		}
	}
	f.stored -= len(numbers)
	f.Accesses.Fast += len(numbers)
	if f.old == nil && f.SetBits() < f.config.Threshold/4 &&
		(f.refused == 0 || f.ones <= f.refused*3/4) {
		f.Compress()
	}
	return true
}

// Expand doubles the filter, and reports whether it can: sections 3.2.4 and, where it is lazy,
// 3.3.1. An expansion that goes on ends first.
func (f *Filter) Expand() bool {
	for f.old != nil {
		f.updateNext()
	}
	if f.now.log == f.config.Most {
		return false
	}
	old, m := f.now, 1<<f.now.log
	f.old, f.now = &old, newBuckets(old.log+1)
	f.updated, f.left, f.scan, f.refused = make([]bool, m), m, 0, 0
	f.ones *= 2
	for !f.config.Lazy && f.old != nil {
		f.updateNext()
	}
	return true
}

// update updates the buckets of numbers, and some others, if a lazy expansion goes on.
func (f *Filter) update(numbers []uint32) {
	for _, number := range numbers {
		if f.old != nil {
			f.updateBucket(f.old.index(number))
		}
	}
	for n := 0; n < f.config.Scan && f.old != nil; n++ {
		f.updateNext()
	}
}

// updateBucket gives the fingerprints of an old bucket to the two that it becomes, each less its
// lowest bit, and renews their bits. The buckets that share one of level 2 with it come along: else
// new fingerprints could take their room.
func (f *Filter) updateBucket(i int) {
	if f.updated[i] {
		return
	}
	first, end := f.sharers(i)
	for i := first; i < end; i++ {
		f.updated[i] = true
		f.left--
		f.Accesses.Moved++
		if len(f.old.each[i]) == 0 {
			continue
		}
		for _, number := range f.old.each[i] {
			f.add(&f.now, number) // there is room: no more share a bucket than before
		}
		for _, half := range [2]int{i, i + 1<<f.old.log} {
			if len(f.now.each[half]) == 0 {
				f.ones--
			}
		}
	}
	if f.left == 0 {
		f.old, f.updated = nil, nil
	}
}

// updateNext updates the next old bucket in their order.
func (f *Filter) updateNext() {
	f.updateBucket(f.scan)
	f.scan++
}

// Compress halves the filter, and reports whether it did: section 3.2.5. It does not where a bucket
// would overflow, where the filter has its first size, or where an expansion goes on.
func (f *Filter) Compress() bool {
	if f.old != nil || f.now.log == f.config.Log {
		return false
	}
	to := newBuckets(f.now.log - 1)
	for _, bucket := range f.now.each {
		f.Accesses.Moved++
		for _, number := range bucket {
			if !f.add(&to, number) {
				f.refused = f.ones
				return false
			}
		}
	}
	f.now, f.ones, f.refused = to, 0, 0
	for _, bucket := range to.each {
		f.ones += min(1, len(bucket))
	}
	return true
}

// AppendNumbers appends the hash numbers of all fingerprints, in the order of their buckets.
func (f *Filter) AppendNumbers(numbers []uint32) []uint32 {
	for _, bucket := range f.now.each {
		numbers = append(numbers, bucket...)
	}
	for i, updated := range f.updated {
		if !updated {
			numbers = append(numbers, f.old.each[i]...)
		}
	}
	return numbers
}
