package filtertest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// counter returns an empty filter.
func (s *subject) counter(t *testing.T, sizing filter.Sizing) filter.Counter {
	return s.empty(t, sizing).(filter.Counter)
}

// Counts are never too low, and in a filter with room they are right. An add is the same as as many
// inserts, and an add of 0 changes nothing. A count is 0 if and only if the key is not present.
func counts(t *testing.T, s *subject) {
	members := short(2000)
	rng := rand.New(rand.NewPCG(51, 52))
	hashes, times := workload.Hashes(rng, members), make([]uint64, members)
	for i := range times {
		times[i] = rng.Uint64N(7)
	}
	for name, sizing := range map[string]filter.Sizing{
		"room for all": s.roomy(4 * members), "tight": s.tight(t, members),
	} {
		added, one := s.counter(t, sizing), s.counter(t, sizing)
		n, err := added.AddHashBatch(hashes, times)
		if n < 0 || n > members || (err == nil) != (n == members) || err != nil && name != "tight" {
			t.Fatalf("%s: %d of %d are added: %v", name, n, members, err)
		}
		for i, hash := range hashes[:n] {
			for range times[i] {
				if _, err := one.InsertHash(hash); err != nil {
					t.Fatal(err)
				}
			}
		}
		same(t, name+": the adds, and the inserts one by one", added.(filter.Stored),
			one.(filter.Stored))
		right := s.checkCounts(t, name, added, hashes[:n], times[:n])
		if name != "tight" && right < members*9/10 {
			t.Errorf("%s: %d of %d counts are right", name, right, members)
		}
		if deleter, ok := added.(filter.Deleter); ok {
			for i, hash := range hashes[:n] {
				for range times[i] / 2 {
					deleter.DeleteHash(hash)
				}
				times[i] -= times[i] / 2
			}
			right = s.checkCounts(t, name+", after deletes", added, hashes[:n], times[:n])
			if name != "tight" && right < members*9/10 {
				t.Errorf("%s: %d of %d counts are right after deletes", name, right, members)
			}
		}
		others := workload.Hashes(rng, 4*members)
		for _, hash := range others {
			if count := added.CountHash(hash); (count > 0) != added.QueryHash(hash) {
				t.Fatalf("%s: a key that is present, %v, has the count %d", name,
					added.QueryHash(hash), count)
			}
		}
	}
	alone := s.counter(t, s.roomy(members))
	want := uint64(0)
	for _, times := range []uint64{0, 1, 1, 3, 0, 2} {
		if err := alone.AddHash(hashes[0], times); err != nil {
			t.Fatal(err)
		}
		want += times
		if count := alone.CountHash(hashes[0]); count != want ||
			alone.QueryHash(hashes[0]) != (want > 0) {
			t.Fatalf("alone in the filter %d times, the count of a key is %d", want, count)
		}
	}
}

// checkCounts fails the test if a count is too low, or if it differs from the count of a batch. It
// returns how many counts are right.
func (s *subject) checkCounts(
	t *testing.T,
	what string,
	f filter.Counter,
	hashes, times []uint64,
) (right int) {
	t.Helper()
	counts := slices.Repeat([]uint64{guard}, len(hashes)+1)
	f.CountHashBatch(hashes, counts)
	if counts[len(hashes)] != guard {
		t.Errorf("%s: a count too many is written", what)
	}
	for i, hash := range hashes {
		if count := f.CountHash(hash); count != counts[i] {
			t.Fatalf("%s: the count %d is %d in a batch", what, count, counts[i])
		}
		if counts[i] < times[i] && s.promises(base.Counts) {
			t.Fatalf("%s: the count of a member that is in %d times is %d", what,
				times[i], counts[i])
		}
		if (counts[i] > 0) != f.QueryHash(hash) {
			t.Fatalf("%s: the count of a key that is present, %v, is %d", what,
				f.QueryHash(hash), counts[i])
		}
		if counts[i] == times[i] {
			right++
		}
	}
	return right
}

// A batch of adds, or of counts, has the results of its operations one after another, at every
// length.
func countsInBatches(t *testing.T, s *subject) {
	const members = 4096
	rng := rand.New(rand.NewPCG(53, 54))
	sizing := s.tight(t, members)
	one, batch := s.counter(t, sizing), s.counter(t, sizing)
	for _, n := range lengths() {
		form, keys := &forms[rng.IntN(len(forms))], workload.Hashes(rng, n)
		times := make([]uint64, n)
		for i := range keys {
			if i > 0 && rng.IntN(8) == 0 {
				keys[i] = keys[rng.IntN(i)] // a batch that has a key twice
			}
			times[i] = rng.Uint64N(4) * rng.Uint64N(4)
		}
		hashes := hashesOf(s.key, keys)
		done, oneErr := n, error(nil)
		for i, hash := range hashes {
			if oneErr = one.AddHash(hash, times[i]); oneErr != nil {
				done = i
				break
			}
		}
		got, err := form.addBatch(batch.(filter.Stored), keys, times)
		if got != done || (err == nil) != (oneErr == nil) || (err == nil) != (got == n) {
			t.Fatalf("add of %d: %d are in (%v), want %d (%v)", n, got, err, done, oneErr)
		}
		same(t, "adds in a batch, and one by one", batch.(filter.Stored), one.(filter.Stored))
		s.checkCounts(t, "a batch", batch, hashes, make([]uint64, n))
		counts := make([]uint64, n)
		form.countBatch(batch.(filter.Stored), keys, counts)
		for i, count := range counts {
			if want := batch.CountHash(hashes[i]); count != want {
				t.Fatalf("%s, %d keys: the count %d is %d, want %d", form.name, n, i, count, want)
			}
		}
		if rng.IntN(4) == 0 || err != nil {
			one, batch = s.counter(t, sizing), s.counter(t, sizing)
		}
	}
}

// The count of a key is never too low and never falls, also if the key is added more often than the
// filter can count: then the add fails and inserts nothing, or the count is the highest uint64. The
// same holds after deletes.
func countsAtTheEnd(t *testing.T, s *subject) {
	rng := rand.New(rand.NewPCG(55, 56))
	for _, step := range []uint64{1, 1 << 7, 1 << 31, 1 << 40, 1 << 62, math.MaxUint64 - 1,
		math.MaxUint64} {
		f := s.counter(t, s.roomy(200))
		hash, total, beyond := rng.Uint64(), uint64(0), false
		for range 300 {
			before := content(t, f.(filter.Stored))
			if err := f.AddHash(hash, step); err != nil {
				if !errors.Is(err, filter.ErrFull) {
					t.Fatalf("steps of %d: the error of a count that is too high is %v, want "+
						"filter.ErrFull", step, err)
				}
				unchanged(t, "an add that is refused", f.(filter.Stored), before)
				if n, err := f.AddHashBatch([]uint64{hash, hash + 1}, []uint64{step, 1}); n != 0 ||
					err == nil {
					t.Fatalf("steps of %d: %d are in after a refusal: %v", step, n, err)
				}
				unchanged(t, "a batch that begins with a refusal", f.(filter.Stored), before)
				break
			}
			if total += step; total < step || beyond {
				total, beyond = math.MaxUint64, true // far beyond, in the end
			}
			if count := f.CountHash(hash); count < total && s.promises(base.Counts) {
				t.Fatalf("steps of %d: the count of a key that is in %d times is %d",
					step, total, count)
			}
		}
		last := f.CountHash(hash)
		if _, err := f.InsertHash(hash); err == nil && f.CountHash(hash) < last {
			t.Fatalf("steps of %d: the count fell from %d to %d by an insert", step, last,
				f.CountHash(hash))
		} else if err == nil && total < math.MaxUint64 {
			total++
		}
		deleter, ok := f.(filter.Deleter)
		if !ok {
			continue
		}
		for range min(20, total) {
			deleter.DeleteHash(hash)
			if !beyond {
				total--
			}
			if f.CountHash(hash) < total && s.promises(base.Counts) {
				t.Fatalf("steps of %d: the count of a key that is in %d times is %d, after deletes",
					step, total, f.CountHash(hash))
			}
		}
	}
}
