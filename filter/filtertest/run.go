package filtertest

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/require"
)

// fixed and fixedSip are the hash keys of the filters, so that every run is the same.
var (
	fixed      = keytest.PMAC(0x5a, 0xc3, 0x17, 0x88, 0xe1, 0x2d, 0x94, 0x6f)
	fixedSip   = keytest.Sip(0x5a, 0xc3, 0x17, 0x88, 0xe1, 0x2d, 0x94, 0x6f)
	fixedOther = keytest.Key(0x5a, 0xc3, 0x17, 0x88, 0xe1, 0x2d, 0x94, 0x6f)
)

// Maker makes a filter of the given hashes, for kinds whose filters are made from other filters.
// The same arguments must give the same filter.
type Maker func(s filter.Sizing, hashes []uint64) (filter.Stored, error)

// Run tests the laws of a kind, each in a subtest. Its filters must not be made from others.
func Run(t *testing.T, kind base.Kind) {
	if kind.From != "" {
		t.Fatalf("%s filters are made from others: see RunMade", kind.Name)
	}
	run(t, kind, nil)
}

// RunMade tests the laws of a kind whose filters are made from others, which maker does, and are
// only queried.
func RunMade(t *testing.T, kind base.Kind, maker Maker) { run(t, kind, maker) }

// RunAgain tests a kind whose laws Run tests, in another configuration: those laws that look at
// what is in the table and at its files, under one hash function. maker is nil for a kind with New.
func RunAgain(t *testing.T, kind base.Kind, maker Maker) {
	s := &subject{kind: kind, maker: maker, key: fixed}
	s.laws(t, func(law string) bool { return !slices.Contains(frame, law) })
}

// frame are the laws of what stands around a table, whatever is in it.
var frame = []string{"ShortAnswers", "AnyLength", "Encodings", "Damage", "Beside", "BesideClose",
	"AnyBesideClose", "ClosedMeanwhile", "Prints"}

func run(t *testing.T, kind base.Kind, maker Maker) {
	s := &subject{kind: kind, maker: maker, key: fixed}
	s.laws(t, func(string) bool { return true })
	for _, k := range []key.Key{fixedSip, fixedOther} {
		t.Run(k.Algorithm().String(), func(t *testing.T) {
			other := &subject{kind: kind, maker: maker, key: k}
			if kind.ShowsHashes && !k.Algorithm().MayBeSeen() {
				refusesKey(t, other)
				return
			}
			other.laws(t,
				func(law string) bool { return fullHashes() || slices.Contains(keyed, law) })
		})
	}
}

// keyed are the laws that hold for each hash function by code of its own: the ways of a key into a
// filter and into its file. The long form, with BLOOMLANE_HASHES=full, tests all laws under each.
var keyed = []string{"Promises", "Forms", "AnyLength", "RoundTrips", "WithoutKey", "MergeRefuses",
	"Prints"}

func fullHashes() bool { return os.Getenv("BLOOMLANE_HASHES") == "full" }

// laws tests those laws that are chosen.
func (s *subject) laws(t *testing.T, chosen func(law string) bool) {
	s.combine(t)
	kind := s.kind
	_, isSet := s.sample(t).(filter.Set)
	_, isDeleter := s.sample(t).(filter.Deleter)
	_, isCounter := s.sample(t).(filter.Counter)
	_, isGrower := s.sample(t).(filter.Grower)
	_, isEstimator := filter.As[filter.Estimator](s.sample(t))
	_, isClearer := s.sample(t).(filter.Clearer)
	made := kind.From == "" && isSet
	// What one goroutine takes long for, and does the same on every CPU: the race detector has nothing
	// to find there, nor have goroutines on a CPU that is emulated.
	emulated := require.Emulated()
	alone := !fallback.Race && !emulated
	for _, law := range []struct {
		name  string
		holds bool // whether the law applies to the kind
		law   func(*testing.T, *subject)
	}{
		{"Promises", true, promises},
		{"Sizing", alone && kind.From == "", sizing},
		{"States", alone, states},
		{"Scans", made, scans},
		{"Reproducible", true, reproducible},
		{"History", made, history},
		{"Sparse", made, sparse},
		{"Forms", made, agreement},
		{"AnyLength", true, anyLength},
		{"Batches", alone && made, batches},
		{"Queries", alone, queries},
		{"ShortAnswers", true, shortAnswers},
		{"Refusal", alone && made, refusal},
		{"Counts", !emulated && made && isCounter, counts},
		{"CountsInBatches", alone && made && isCounter, countsInBatches},
		{"CountsAtTheEnd", alone && made && isCounter, countsAtTheEnd},
		{"Grows", made && isGrower, grows},
		{"Forgets", made && kind.Promises.Has(base.Forgets), forgets},
		{"Clears", isClearer, clears},
		{"Merge", made && s.merge != nil, merge},
		{"MergeAfterDeletes", made && isDeleter && s.merge != nil, mergeAfterDeletes},
		{"MergeRefuses", s.merge != nil, mergeRefuses},
		{"Fold", !fallback.Race && made && s.fold != nil, fold},
		{"FoldTo", !fallback.Race && alone && made && s.fold != nil, foldTo},
		{"Estimate", made && isEstimator, estimate},
		{"EstimateRefuses", made && isEstimator, estimateRefuses},
		{"Intersect", made && s.intersect != nil, intersect},
		{"IntersectRefuses", s.intersect != nil, intersectRefuses},
		{"Fresh", true, fresh},
		{"RoundTrips", true, roundTrips},
		{"Encodings", true, encodings},
		{"WithoutKey", true, withoutKey},
		{"Damage", true, damage},
		{"Forgeries", alone, forgeries},
		{"Base", base.NumbersOf(s.sample(t)) != nil, whole},
		{"Ended", true, ended},
		{"Mapping", true, mapping},
		{"Beside", !emulated, concurrently},
		{"BesideClose", !emulated, besideClose},
		{"AnyBesideClose", !emulated, anyBesideClose},
		{"ClosedMeanwhile", fallback.Race, closedMeanwhile},
		{"Allocations", alone, allocations},
		{"Prints", true, prints},
		{"Rate", alone && made && kind.Promises.Has(base.KeepsRate), rate},
	} {
		if law.holds && chosen(law.name) {
			t.Run(law.name, func(t *testing.T) { law.law(t, s) })
		}
	}
}

// subject is the kind that is tested.
type subject struct {
	kind  base.Kind
	maker Maker // for a kind without New
	key   key.Key

	// nil if the filters of the kind cannot do so
	merge, intersect func(to, from filter.Stored) error
	fold             func(f filter.Stored, divisor int) (filter.Stored, error)
}

// combine sets the operations on several filters, which may be wrapped.
func (s *subject) combine(t *testing.T) {
	f := s.sample(t)
	if _, can := filter.As[filter.Merger](f); can {
		s.merge = func(to, from filter.Stored) error {
			f, _ := filter.As[filter.Merger](to)
			return f.Merge(from)
		}
	}
	if _, can := filter.As[filter.Intersecter](f); can {
		s.intersect = func(to, from filter.Stored) error {
			f, _ := filter.As[filter.Intersecter](to)
			return f.Intersect(from)
		}
	}
	if _, can := filter.As[filter.Folder](f); can {
		s.fold = func(f filter.Stored, divisor int) (filter.Stored, error) {
			of, _ := filter.As[filter.Folder](f)
			return of.Fold(divisor)
		}
	}
}

func (s *subject) promises(p base.Promise) bool { return s.kind.Promises.Has(p) }

// repeats reports whether a member may be inserted again.
func (s *subject) repeats() bool { return s.promises(base.Multiset) || s.promises(base.Forgets) }

// kept returns those of keys that are still members. keys are in the order of their last inserts. A
// kind that forgets keeps the planned number of them, and the other kinds keep all.
func (s *subject) kept(keys []uint64, planned int) []uint64 {
	if !s.promises(base.Forgets) {
		return keys
	}
	return keys[max(0, len(keys)-planned):]
}

// New returns an empty filter. A Maker makes it from no hashes.
func (s *subject) New(sizing filter.Sizing) (filter.Stored, error) {
	if s.kind.From != "" {
		return s.maker(sizing, nil)
	}
	return s.kind.New(sizing)
}

// tight is a sizing with many collisions: it has the fewest bits that the kind accepts.
func (s *subject) tight(t testing.TB, members int) filter.Sizing {
	t.Helper()
	var err error
	for _, bits := range []float64{6, 8, 12, 16, 32, 64, 128} {
		sizing := filter.Sizing{Members: members, BitsPerKey: bits, Key: s.key}
		if _, err = s.New(sizing); err == nil {
			return sizing
		}
	}
	t.Fatalf("no filter of 128 bits per key: %v", err)
	return filter.Sizing{}
}

// roomy is a sizing with few collisions.
func (s *subject) roomy(members int) filter.Sizing {
	return filter.Sizing{Members: members, BitsPerKey: 128, Key: s.key}
}

// empty returns a new filter.
func (s *subject) empty(t testing.TB, sizing filter.Sizing) filter.Stored {
	t.Helper()
	f, err := s.New(sizing)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sampleMembers is the planned number of members of a sample, which has a few less.
const sampleMembers = 48

// sample returns a small filter after some inserts and deletes, always the same. Its members are
// sampleKeys.
func (s *subject) sample(t testing.TB) filter.Stored {
	t.Helper()
	return s.sampleOf(t, s.roomySample())
}

func (s *subject) roomySample() filter.Sizing {
	return filter.Sizing{Members: sampleMembers, BitsPerKey: 24, Key: s.key}
}

func (s *subject) sampleOf(t testing.TB, sizing filter.Sizing) filter.Stored {
	t.Helper()
	if s.kind.From != "" {
		f, err := s.maker(sizing, hashesOf(sizing.Key, sampleKeys()))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := s.empty(t, sizing)
	set, ok := f.(filter.Set)
	if !ok {
		return f
	}
	hashes := hashesOf(sizing.Key, sampleKeys())
	if n, err := set.InsertHashBatch(hashes, nil); n != len(hashes) || err != nil {
		t.Fatalf("%d of %d planned members are in: %v", n, sizing.Members, err)
	}
	if deleter, ok := f.(filter.Deleter); ok {
		gone := hashesOf(sizing.Key, numbers(1<<40, 8))
		if n, err := set.InsertHashBatch(gone, nil); n != len(gone) || err != nil {
			t.Fatalf("%d of 8 more members are in: %v", n, err)
		}
		deleter.DeleteHashBatch(gone, nil)
	}
	return f
}

// sampleKeys are the members of a sample, a few less than planned.
func sampleKeys() []uint64 { return numbers(0, sampleMembers-8) }

// numbers returns n consecutive keys, from first on.
func numbers(first uint64, n int) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = first + uint64(i)
	}
	return keys
}

func hashesOf(k key.Key, keys []uint64) []uint64 {
	hashes := make([]uint64, len(keys))
	for i := range keys {
		hashes[i] = k.HashUint64(keys[i])
	}
	return hashes
}

// content returns the bytes of a filter's file. Filters are equal if these are.
func content(t testing.TB, f filter.Content) []byte {
	t.Helper()
	c, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same fails the test unless two filters have the same file.
func same(t testing.TB, what string, got, want filter.Content) {
	t.Helper()
	a, err := got.Contents()
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.Contents()
	if err != nil {
		t.Fatal(err)
	}
	if difference := differ(a, b); difference != "" {
		t.Fatalf("%s: %s", what, difference)
	}
}

// unchanged fails the test if the file of a filter is not what it was before.
func unchanged(t testing.TB, what string, f filter.Content, before []byte) {
	t.Helper()
	if !bytes.Equal(content(t, f), before) {
		t.Fatalf("%s: the filter changed", what)
	}
}

// decode returns the filter of a file.
func (s *subject) decode(t testing.TB, content []byte) filter.Stored {
	t.Helper()
	c, err := file.Read(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.kind.Decode(c, s.key)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
