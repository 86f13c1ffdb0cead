package cuckoo

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/probe"
)

const (
	slots = 4 // per bucket: b, which the paper finds best for rates below 0.2 % (section 5.1)

	// maxKicks is the number of kicks after which an insert gives up (the paper's MaxNumKicks,
	// section 4).
	maxKicks = 500
)

// shape is the size of a table.
type shape struct {
	buckets     uint64
	fingerprint int // bits of one
}

func (s shape) slots() uint64 { return slots * s.buckets }

// words returns the number of words of the table: bucket after bucket, bit after bit, and a word of
// zeros behind them, so that 64 bits can be read from any bit of a bucket.
func (s shape) words() uint64 { return (s.slots()*uint64(s.fingerprint)+63)/64 + 1 }

// values returns the number of different fingerprints: all but 0, which is an empty slot.
func (s shape) values() uint64 { return 1<<s.fingerprint - 1 }

func (s shape) String() string {
	return fmt.Sprintf("%d buckets of %d fingerprints of %d bits", s.buckets, slots, s.fingerprint)
}

// rate returns the expected false-positive rate with a number of members in, the mean over hash
// keys. A key that is no member is present if a member has its fingerprint and its pair of buckets,
// whichever of the two the member lies in. For n buckets and v fingerprints that is so for each
// member with the probability
//
//	(2 - 1/n) / (n v)
//
// because two pairs are equal with the probability 2/n, and one in n buckets is its own other
// bucket, for which the probability is 1/n. For long fingerprints and full slots the rate is near
// the paper's bound of 2b/2^f (equation 4).
func (s shape) rate(members float64) float64 {
	n := float64(s.buckets)
	return -elementary.Expm1(members * elementary.Log1p(-(2-1/n)/n/float64(s.values())))
}

// bucketsFor returns the smallest number of buckets that keeps a rate with a number of members in.
func (s shape) bucketsFor(rate, members float64) float64 {
	buckets := math.Ceil(2 * members / float64(s.values()) / -elementary.Log1p(-rate))
	if buckets > filter.MaxBits {
		return buckets
	}
	s.buckets = uint64(max(1, buckets))
	for s.buckets > 1 {
		if s.buckets--; s.rate(members) > rate {
			s.buckets++
			break
		}
	}
	for s.rate(members) > rate {
		s.buckets++
	}
	return float64(s.buckets)
}

// place returns the fingerprint of a hash and the first of its buckets. The bucket is taken from
// the upper bits, and the fingerprint from a product that depends on all of them.
func (s *shape) place(hash uint64) (fingerprint, bucket uint64) {
	return 1 + probe.Reduce(probe.Next(hash), s.values()), probe.Reduce(hash, s.buckets)
}

// other returns the other bucket in which a fingerprint may be: partial-key hashing (section 3.1).
// The paper takes the exclusive or of the bucket and a hash of the fingerprint, which needs a power
// of two. Here it is a difference, which leads back for any number of buckets, because H - (H - i)
// is i. So sizes need not double.
func (s *shape) other(fingerprint, bucket uint64) uint64 {
	x := probe.Next(fingerprint)
	other := probe.Reduce(probe.Next(x^x>>32), s.buckets) - bucket
	if other >= s.buckets { // it was below 0
		other += s.buckets
	}
	return other
}

// table is the slots of a filter, the least significant bit first; zeros to a word's end, and a
// word of zeros.
//
// Slots are compared together: all four of a bucket if they fit into a word, and else two and two.
type table struct {
	shape
	group int      // the slots that are looked at together
	ones  uint64   // the lowest bit of each slot of a group
	tops  uint64   // the highest
	words []uint64 // from the start of a cache line

	planned uint64 // members at a time
	members uint64 // the slots in use
	kicks   uint64 // the kicks so far, from which the choices of the next ones follow
	bits    uint64 // of a fingerprint
}

var _ base.Flat = (*table)(nil)

// newTable returns an empty table.
func newTable(s shape, members int) *table {
	t := &table{shape: s, planned: uint64(members), bits: uint64(s.fingerprint)}
	t.use(base.New(s.words()))
	return t
}

// Numbers implements [base.Table].
func (t *table) Numbers() []base.Number {
	return []base.Number{
		base.Members(&t.planned),
		{
			Name: "held", Value: &t.members, High: filter.MaxBits / MinFingerprint,
			Role: base.Count,
		},
		{Name: "kicks", Value: &t.kicks, High: math.MaxUint64, Role: base.State},
		{Name: "buckets", Value: &t.buckets, Low: 1, High: filter.MaxBits / slots / MinFingerprint},
		{Name: "fingerprint-bits", Value: &t.bits, Low: MinFingerprint, High: MaxFingerprint},
	}
}

// Fit implements [base.Table].
func (t *table) Fit(words []uint64) error {
	t.fingerprint = int(t.bits)
	if t.shape.words() != uint64(len(words)) {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d words of %v", len(words), t.shape),
			fmt.Sprint(t.shape.words()))
	}
	if t.members > t.slots() {
		return file.Wrong(file.ErrBounds, fmt.Sprintf("%d members held", t.members),
			fmt.Sprintf("at most %d", t.slots()))
	}
	last, used := len(words)-1, t.slots()*t.bits%64
	if words[last] != 0 || used != 0 && words[last-1]>>used != 0 {
		return file.Wrong(file.ErrBounds, "bits behind the last slot", "zeros")
	}
	t.use(words)
	return nil
}

// use takes words as the memory.
func (t *table) use(words []uint64) {
	t.words, t.group, t.ones = words, slots, 0
	if slots*t.fingerprint > 64 {
		t.group = slots / 2
	}
	for i := range t.group {
		t.ones |= 1 << (i * t.fingerprint)
	}
	t.tops = t.ones << (t.fingerprint - 1)
}

// Memory implements [base.Table].
func (t *table) Memory() []uint64 { return t.words }

// State implements [base.Table]. It follows from the number of members, and is right after any
// deletes of members.
func (t *table) State() filter.State {
	members := float64(t.members)
	return filter.State{Members: members, Fill: members / float64(t.slots()), Rate: t.rate(members)}
}

// Scan implements [base.Table]. It needs no scan, because every member is in one slot.
func (t *table) Scan() (fill, most float64) {
	slots := float64(t.slots())
	return float64(t.members) / slots, 1 / slots
}

func (t *table) full() error { return &FullError{int(t.members), int(t.slots())} }

// from returns the 64 bits of the table that begin at a bit.
func (t *table) from(bit uint64) uint64 {
	word, shift := bit/64, bit%64
	return t.words[word]>>shift | t.words[word+1]<<(64-shift)
}

// match returns the highest bits of the slots of a group that have a fingerprint. Only the lowest
// of them is certain: the borrow of the subtraction may set others above it.
func (t *table) match(group, fingerprint uint64) uint64 {
	x := group ^ fingerprint*t.ones
	return (x - t.ones) &^ x & t.tops
}

// has reports whether a fingerprint is in a bucket.
func (t *table) has(bucket, fingerprint uint64) bool {
	bit := bucket * uint64(slots*t.fingerprint)
	found := t.match(t.from(bit), fingerprint)
	if t.group < slots {
		found |= t.match(t.from(bit+uint64(t.group*t.fingerprint)), fingerprint)
	}
	return found != 0
}

// find returns the first slot of a bucket that has a fingerprint. The fingerprint 0 finds an empty
// slot.
func (t *table) find(bucket, fingerprint uint64) (slot uint64, found bool) {
	for slot = slots * bucket; slot < slots*(bucket+1); slot += uint64(t.group) {
		if match := t.match(t.from(slot*uint64(t.fingerprint)), fingerprint); match != 0 {
			return slot + uint64(bits.TrailingZeros64(match)/t.fingerprint), true
		}
	}
	return 0, false
}

// set puts a fingerprint into a slot, and returns what was there.
func (t *table) set(slot, fingerprint uint64) (old uint64) {
	bit := slot * uint64(t.fingerprint)
	old = t.from(bit) & t.values()
	change := old ^ fingerprint
	t.words[bit/64] ^= change << (bit % 64)
	t.words[bit/64+1] ^= change >> (64 - bit%64)
	return old
}

// query reports whether a hash is present. Both buckets are read at once, because most keys need
// both.
func (t *table) query(hash uint64) bool {
	fingerprint, bucket := t.place(hash)
	a, b := t.has(bucket, fingerprint), t.has(t.other(fingerprint, bucket), fingerprint)
	return a || b
}

// queryGroup queries up to 64 hashes. A query has no branches, so the misses of several overlap.
func (t *table) queryGroup(hashes []uint64) (present uint64) {
	for i, hash := range hashes {
		if t.query(hash) {
			present |= 1 << i
		}
	}
	return present
}

// insert inserts a hash, unless there is no place for it. There are never more members than slots,
// unless a file stated more than it has.
func (t *table) insert(hash uint64) (present, inserted bool) {
	fingerprint, first := t.place(hash)
	second := t.other(fingerprint, first)
	a, b := t.has(first, fingerprint), t.has(second, fingerprint)
	for _, bucket := range [...]uint64{first, second} {
		if slot, found := t.find(bucket, 0); found {
			t.set(slot, fingerprint)
			t.members = min(t.members+1, t.slots())
			return a || b, true
		}
	}
	if inserted = t.kick(fingerprint, second); inserted {
		t.members = min(t.members+1, t.slots())
	}
	return a || b, inserted
}

// kick puts a fingerprint into a bucket that is full, and each fingerprint that is displaced into
// its own other bucket, until one of these has an empty slot (algorithm 1). If that takes too long,
// all of them go back.
func (t *table) kick(fingerprint, bucket uint64) bool {
	var path [maxKicks]uint64
	before := t.kicks
	for n := range path {
		path[n] = slots*bucket + random(t.kicks)
		t.kicks++
		fingerprint = t.set(path[n], fingerprint)
		bucket = t.other(fingerprint, bucket)
		if slot, found := t.find(bucket, 0); found {
			t.set(slot, fingerprint)
			return true
		}
	}
	for n := maxKicks - 1; n >= 0; n-- {
		fingerprint = t.set(path[n], fingerprint)
	}
	t.kicks = before
	return false
}

// random returns which slot of a bucket a kick takes. The slots are a fixed sequence, in which a
// filter from a file goes on.
func random(kicks uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	x := (kicks + 1) * golden
	return probe.Reduce(probe.Next(x^x>>32), slots)
}

// delete deletes a hash. It does not matter which of several copies of a fingerprint goes, because
// each serves all keys that have it (section 3.3).
func (t *table) delete(hash uint64) filter.Status {
	fingerprint, first := t.place(hash)
	slot, found := t.find(first, fingerprint)
	if !found {
		slot, found = t.find(t.other(fingerprint, first), fingerprint)
	}
	if !found {
		return filter.Absent
	}
	t.set(slot, 0)
	if t.members > 0 { // unless a file stated fewer members than it has
		t.members--
	}
	return filter.Deleted
}
