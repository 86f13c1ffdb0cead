// Package original is no API: it is the Elastic Bloom filter as the paper has it (Wu, He, Yan, Wu,
// Yang, Ruas, Zhang and Cui: "Elastic Bloom Filter: Deletable and Expandable Filter Using Elastic
// Fingerprints", IEEE Transactions on Computers, 2021), for its reproduction: a Bloom filter of
// 2^log bits in fast memory, and for each bit a bucket of elastic fingerprints in slow memory.
// Package filter/elastic is the form to use.
//
// Some things differ from the paper, or are left open by it:
//
//   - Section 3.2.1 skips an insert whose fingerprints are all there, as that of a duplicate. Then
//     the key is lost when one of the others that have them is deleted: Config.Skip has that
//     reading, and TestSkip the computation. Here every insert stores its fingerprints.
//   - Section 3.3.2 gives bucket i of level 1 the bucket i / branches of level 2. After an
//     expansion others share one, and the fingerprints of level 2 may not fit. Here they always do:
//     see buckets.shared. After a delete a fingerprint of level 2 goes back, so that level 2 has
//     only what overflows.
//   - Where a lazy update is still going on, the paper has two copies of each old bucket. Here
//     there is one, the old. And buckets that share one of level 2 are updated together: else an
//     insert into one that is updated takes the room of one that is not.
//   - An expansion for which the fingerprints have no bit left is a *[BitsError]. No expansion
//     separates copies of a fingerprint, so that a key can be a member as often as there are slots
//     for it: more is a *[CopiesError]. Compression stops at the first size.
package original

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/probe"
)

// Config is the parameters of a filter; [Default] has the paper's.
type Config struct {
	Log       int     // log2 of m, the bits to begin with
	Most      int     // log2 of the most bits, up to Width; 0 is Width
	Hashes    int     // k
	Width     int     // w, bits of a hash number: as many as log at most
	Bucket    int     // S, fingerprints of a bucket
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

// Filter is an Elastic Bloom filter. It is for one goroutine.
type Filter struct {
	config Config
	words  []uint64 // of the Bloom filter
	ones   int
	now    *buckets

	old     *buckets // of a lazy expansion, or nil
	updated []uint64 // a bit for each old bucket: the paper's sign bits
	left    int      // old buckets to be updated
	scan    int      // the next of them

	refused int // the ones with which the last compression did not fit, or 0
	stored  int // fingerprints

	Accesses Accesses
}

// Accesses counts what operations read and write: bits of the Bloom filter, and buckets, of both
// levels at once. Expansions and compressions count the buckets.
type Accesses struct{ Fast, Slow, Moved int }

// ErrBits says that the fingerprints have no bit left to give.
var ErrBits = errors.New("out of bits")

// BitsError is the error of an insert for which the filter would have to expand and cannot. The key
// is not in, and all else is; the filter may have expanded. It wraps [ErrBits].
type BitsError struct{ Log int }

func (e *BitsError) Error() string {
	return fmt.Sprintf("elastic Bloom filter: %v: found 2^%d buckets, expected fewer, so that it "+
		"can expand", ErrBits, e.Log)
}

// Unwrap returns [ErrBits].
func (e *BitsError) Unwrap() error { return ErrBits }

// ErrCopies says that a fingerprint is there too often.
var ErrCopies = errors.New("too many copies of a fingerprint")

// CopiesError is the error of an insert whose fingerprint would be there more often than there are
// slots for it, in however many buckets: of a key that is a member so often. Nothing has changed.
// It wraps [ErrCopies].
type CopiesError struct{ Copies, Slots int }

func (e *CopiesError) Error() string {
	return fmt.Sprintf("elastic Bloom filter: %v: found %d, expected at most %d", ErrCopies,
		e.Copies, e.Slots)
}

// Unwrap returns [ErrCopies].
func (e *CopiesError) Unwrap() error { return ErrCopies }

// New returns an empty filter. Its error is a *[filter.SizingError].
func New(c Config) (*Filter, error) {
	for _, field := range []struct {
		name       string
		value      int
		low, high  int
		expectedly string
	}{
		{"Log", c.Log, 1, 30, "1 to 30"}, {"Hashes", c.Hashes, 1, 64, "1 to 64"},
		{"Width", c.Width, c.Log, 48, "Log to 48"},
		{"Bucket", c.Bucket, 1, 64, "1 to 64"}, {"Branches", c.Branches, 0, 8, "0 to 8"},
		{"Scan", c.Scan, 0, 1 << 30, "0 or more"},
	} {
		if field.value < field.low || field.value > field.high {
			return nil, &filter.SizingError{Kind: "elastic Bloom", Field: field.name,
				Found: field.value, Expected: field.expectedly}
		}
	}
	if c.Most == 0 {
		c.Most = c.Width
	}
	if c.Most < c.Log || c.Most > c.Width {
		return nil, &filter.SizingError{Kind: "elastic Bloom", Field: "Most", Found: c.Most,
			Expected: "0, or Log to Width"}
	}
	if !(c.Threshold > 0 && c.Threshold <= 1) {
		return nil, &filter.SizingError{Kind: "elastic Bloom", Field: "Threshold",
			Found: c.Threshold, Expected: "a number above 0, up to 1"}
	}
	return &Filter{config: c, words: make([]uint64, (1<<c.Log+63)/64), now: c.newBuckets(c.Log)},
		nil
}

// Numbers returns the k hash numbers of a uniform hash.
func (f *Filter) Numbers(hash uint64) []uint64 {
	numbers := make([]uint64, f.config.Hashes)
	for i := range numbers {
		hash = probe.Next(hash)
		numbers[i] = hash >> (64 - f.config.Width)
	}
	return numbers
}

// Log returns log2 of the number of bits.
func (f *Filter) Log() int { return f.now.log }

// FarLog returns log2 of the number of bits that the filter can have.
func (f *Filter) FarLog() int { return f.config.Most }

// SetBits returns the part of the bits that are set, the paper's SBR.
func (f *Filter) SetBits() float64 { return float64(f.ones) / float64(int(1)<<f.now.log) }

// Cardinality returns the number of members: that of the fingerprints by k.
func (f *Filter) Cardinality() float64 { return float64(f.stored) / float64(f.config.Hashes) }

// Updating reports whether a lazy expansion goes on.
func (f *Filter) Updating() bool { return f.old != nil }

// Bytes returns the bytes of the Bloom filter and of the buckets.
func (f *Filter) Bytes() (fast, slow int) {
	slow = f.now.bytes()
	if f.old != nil {
		slow += f.old.bytes() + 8*len(f.updated)
	}
	return 8 * len(f.words), slow
}

func (f *Filter) index(number uint64) int { return int(number & (1<<f.now.log - 1)) }

func (f *Filter) bit(i int) bool { return f.words[i/64]>>(i%64)&1 != 0 }

func (f *Filter) setBit(i int, to bool) {
	if f.bit(i) == to {
		return
	}
	f.words[i/64] ^= 1 << (i % 64)
	if to {
		f.ones++
	} else {
		f.ones--
	}
}

// Query reports whether a hash is present: section 3.2.2. It reads bits up to the first that is not
// set.
func (f *Filter) Query(hash uint64) bool { return f.query(f.Numbers(hash)) }

func (f *Filter) query(numbers []uint64) bool {
	for _, number := range numbers {
		f.Accesses.Fast++
		if !f.bit(f.index(number)) {
			return false
		}
	}
	return true
}

// QueryAccurate is the accurate query of section 3.4: all the fingerprints must be there too.
func (f *Filter) QueryAccurate(hash uint64) bool { return f.queryAccurate(f.Numbers(hash)) }

func (f *Filter) queryAccurate(numbers []uint64) bool {
	if !f.query(numbers) {
		return false
	}
	for _, number := range numbers {
		f.Accesses.Slow++
		of, bucket := f.holder(number)
		if !slices.Contains(of.append(nil, bucket), number) {
			return false
		}
	}
	return true
}

// holder returns the buckets that have the fingerprint of a number, and which of them.
func (f *Filter) holder(number uint64) (of *buckets, bucket int) {
	if f.old != nil {
		if i := int(number & (1<<f.old.log - 1)); f.updated[i/64]>>(i%64)&1 == 0 {
			return f.old, i
		}
	}
	return f.now, f.index(number)
}

// Insert inserts a hash: section 3.2.1. Its error is a *[BitsError] or a *[CopiesError].
func (f *Filter) Insert(hash uint64) error { return f.insert(f.Numbers(hash)) }

func (f *Filter) insert(numbers []uint64) error {
	if f.config.Skip && f.queryAccurate(numbers) {
		return nil
	}
	if f.old == nil && f.above() && f.now.log == f.config.Most {
		return &BitsError{f.now.log}
	}
	f.update(numbers)
	for !f.store(numbers) {
		if err := f.checkCopies(numbers); err != nil {
			return err
		}
		if err := f.Expand(); err != nil {
			return err
		}
		f.update(numbers)
	}
	f.stored += len(numbers)
	for _, number := range numbers {
		f.Accesses.Fast++
		f.setBit(f.index(number), true)
	}
	if f.old == nil && f.above() && f.now.log < f.config.Most {
		return f.Expand()
	}
	return nil
}

// checkCopies returns an error where no expansion makes room for numbers.
func (f *Filter) checkCopies(numbers []uint64) error {
	slots := f.config.Bucket
	if f.config.Branches > 0 {
		slots *= 2
	}
	for _, number := range numbers {
		of, bucket := f.holder(number)
		copies := 0
		for _, other := range append(of.append(nil, bucket), numbers...) {
			if other == number {
				copies++
			}
		}
		if copies > slots {
			return &CopiesError{copies, slots}
		}
	}
	return nil
}

// above reports whether more of the bits are set than the threshold.
func (f *Filter) above() bool { return f.SetBits() > f.config.Threshold }

// store stores the fingerprints of numbers, or none of them.
func (f *Filter) store(numbers []uint64) bool {
	for n, number := range numbers {
		f.Accesses.Slow++
		if !f.now.add(number) {
			for _, number := range numbers[:n] {
				f.now.remove(number)
			}
			return false
		}
	}
	return true
}

// Delete deletes a hash, which must be a member, and reports whether all its fingerprints were
// there: section 3.2.3. Where one is missing nothing changes.
func (f *Filter) Delete(hash uint64) bool { return f.delete(f.Numbers(hash)) }

func (f *Filter) delete(numbers []uint64) bool {
	if !f.queryAccurate(numbers) {
		return false
	}
	f.update(numbers)
	for n, number := range numbers {
		f.Accesses.Slow++
		if !f.now.remove(number) { // two of the numbers are one, and the fingerprint is there once
			for _, number := range numbers[:n] {
				f.now.add(number)
			}
			return false
		}
	}
	f.stored -= len(numbers)
	for _, number := range numbers {
		f.Accesses.Fast++
		f.renew(f.index(number))
	}
	if f.old == nil && f.now.log > f.config.Log && f.SetBits() < f.config.Threshold/4 &&
		(f.refused == 0 || f.ones <= f.refused*3/4) {
		f.Compress()
	}
	return true
}

// renew sets a bit of the Bloom filter just where its bucket has a fingerprint.
func (f *Filter) renew(i int) { f.setBit(i, len(f.now.append(nil, i)) > 0) }

// Expand doubles the filter: sections 3.2.4 and, where it is lazy, 3.3.1. An expansion that goes on
// ends first. Its error is a *[BitsError], and nothing has changed then.
func (f *Filter) Expand() error {
	for f.old != nil {
		f.updateNext()
	}
	if f.now.log == f.config.Most {
		return &BitsError{f.now.log}
	}
	m := 1 << f.now.log
	f.old, f.now = f.now, f.config.newBuckets(f.now.log+1)
	f.updated, f.left, f.scan, f.refused = make([]uint64, (m+63)/64), m, 0, 0
	if m < 64 {
		f.words[0] |= f.words[0] << m
		f.ones = bits.OnesCount64(f.words[0])
	} else {
		f.words, f.ones = slices.Concat(f.words, f.words), 2*f.ones
	}
	for !f.config.Lazy && f.old != nil {
		f.updateNext()
	}
	return nil
}

// update updates the buckets of numbers, and some others, if a lazy expansion goes on.
func (f *Filter) update(numbers []uint64) {
	for _, number := range numbers {
		if f.old != nil {
			f.updateBucket(int(number & (1<<f.old.log - 1)))
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
	if f.updated[i/64]>>(i%64)&1 != 0 {
		return
	}
	old := f.old
	first, end := old.sharers(i)
	for i := first; i < end; i++ {
		f.updated[i/64] |= 1 << (i % 64)
		f.left--
		f.Accesses.Moved++
		for _, number := range old.append(nil, i) {
			f.now.add(number) // there is room: no more share a bucket than before
		}
		f.renew(i)
		f.renew(i + 1<<old.log)
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
	to, m := f.config.newBuckets(f.now.log-1), 1<<(f.now.log-1)
	for i := range 2 * m {
		f.Accesses.Moved++
		for _, number := range f.now.append(nil, i) {
			if !to.add(number) {
				f.refused = f.ones
				return false
			}
		}
	}
	f.now, f.words, f.ones, f.refused = to, make([]uint64, (m+63)/64), 0, 0
	for i := range m {
		f.renew(i)
	}
	return true
}

// AppendNumbers appends the hash numbers of all fingerprints, in the order of their buckets.
func (f *Filter) AppendNumbers(numbers []uint64) []uint64 {
	for i := range 1 << f.now.log {
		numbers = f.now.append(numbers, i)
	}
	if f.old != nil {
		for i := range 1 << f.old.log {
			if f.updated[i/64]>>(i%64)&1 == 0 {
				numbers = f.old.append(numbers, i)
			}
		}
	}
	return numbers
}

// Union returns a filter with the fingerprints of both, which have one configuration: section 3.4.
// Its error is that of Insert.
func (f *Filter) Union(other *Filter) (*Filter, error) {
	return f.of(append(f.AppendNumbers(nil), other.AppendNumbers(nil)...),
		max(f.now.log, other.now.log))
}

// Intersection returns a filter with the fingerprints that both have, as often as the one that has
// them less often. A key that is a member of both is present, and so may others be whose
// fingerprints different members have.
func (f *Filter) Intersection(other *Filter) (*Filter, error) {
	a, b := f.AppendNumbers(nil), other.AppendNumbers(nil)
	slices.Sort(a)
	slices.Sort(b)
	var both []uint64
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x < y:
			a = a[1:]
		case x > y:
			b = b[1:]
		default:
			both, a, b = append(both, x), a[1:], b[1:]
		}
	}
	return f.of(both, max(f.now.log, other.now.log))
}

// of returns a filter of numbers, of 2^log bits or as many more as they need.
func (f *Filter) of(numbers []uint64, log int) (*Filter, error) {
	g, err := New(f.config)
	if err != nil {
		return nil, err
	}
	g.config.Lazy, g.config.Skip = false, false
	for g.now.log < log {
		if err := g.Expand(); err != nil {
			return nil, err
		}
	}
	for i := range numbers {
		if err := g.insert(numbers[i : i+1]); err != nil {
			return nil, err
		}
	}
	g.config = f.config
	return g, nil
}
