package filtertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// lengths are the lengths of batches. They have every tail, and cross the cuts between calls at 512
// and 1,024 keys.
func lengths() []int {
	var all []int
	for n := range 131 {
		if testing.Short() && n > 66 && n%9 != 0 {
			continue
		}
		all = append(all, n)
	}
	for _, cut := range []int{512, 1024, 1536, 2048, 3072} {
		all = append(all, cut-1, cut, cut+1, cut+63, cut+65)
	}
	return append(all, 4096+130)
}

const guard = 0xA5A5_5A5A_A5A5_5A5A

// answers returns words for n answers, and two guard words behind them. All bits are set.
func answers(n int) []uint64 {
	words := slices.Repeat([]uint64{^uint64(0)}, filter.Words(n)+2)
	words[len(words)-1], words[len(words)-2] = guard, guard
	return words
}

// checkAnswers fails the test unless words has the answers, zeros in the rest of the last word, and
// the guard words behind it.
func checkAnswers(t *testing.T, what string, words []uint64, want []bool) {
	t.Helper()
	expected := answers(len(want))
	clear(expected[:filter.Words(len(want))])
	for i, present := range want {
		if present {
			expected[i/64] |= 1 << (i % 64)
		}
	}
	for i := range words {
		if words[i] != expected[i] {
			t.Fatalf("%s: word %d of the answers is %016x, want %016x", what, i,
				words[i], expected[i])
		}
	}
}

func count(answers []bool) (n int) {
	for _, yes := range answers {
		if yes {
			n++
		}
	}
	return n
}

// A batch has the results of its operations one after another, in each form.
func batches(t *testing.T, s *subject) {
	for i := range forms {
		t.Run(forms[i].name, func(t *testing.T) { batchesOf(t, s, &forms[i]) })
	}
}

func batchesOf(t *testing.T, s *subject, form *form) {
	const members = 4096
	sizing := s.tight(t, members)
	rng := rand.New(rand.NewPCG(21, 22))
	one, batch := s.empty(t, sizing), s.empty(t, sizing)
	var in []uint64 // members of both
	inserts := 0
	for round, n := range lengths() {
		if inserts+n > 2*members {
			one, batch, in, inserts = s.empty(t, sizing), s.empty(t, sizing), nil, 0
		}
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = rng.Uint64()
			if s.repeats() && i > 0 && rng.IntN(8) == 0 {
				keys[i] = keys[rng.IntN(i)] // a batch that has a key twice
			}
		}
		inserts += n
		what := fmt.Sprintf("insert of %d", n)
		present, words := make([]bool, n), answers(n)
		done, oneErr := n, error(nil)
		for i, key := range keys {
			if present[i], oneErr = form.insert(one, key); oneErr != nil {
				done = i
				break
			}
		}
		if round%4 == 3 {
			words = nil
		}
		got, err := form.insertBatch(batch, keys, words)
		if got != done || (err == nil) != (oneErr == nil) || (err == nil) != (got == n) {
			t.Fatalf("%s: %d are in (%v), want %d (%v)", what, got, err, done, oneErr)
		}
		if words != nil {
			if err != nil { // only the first answers count
				clear(words[filter.Words(done):filter.Words(n)])
				for i := done; i < 64*filter.Words(done); i++ {
					words[i/64] &^= 1 << (i % 64)
				}
				clear(present[done:])
			}
			checkAnswers(t, what, words, present)
		}
		same(t, what, batch, one)
		in = append(in, keys[:done]...)
		if err != nil {
			one, batch, in, inserts = s.empty(t, sizing), s.empty(t, sizing), nil, 0
		}

		what = fmt.Sprintf("query of %d", n)
		for i := range keys {
			if len(in) > 0 && rng.IntN(2) == 0 {
				keys[i] = in[rng.IntN(len(in))]
			} else {
				keys[i] = rng.Uint64()
			}
			present[i] = form.query(one, keys[i])
		}
		words = answers(n)
		with, without := form.queryBatch(batch, keys, words), form.queryBatch(batch, keys, nil)
		if want := count(present); with != want || without != want {
			t.Fatalf("%s: %d and, without answers, %d are present, want %d", what, with,
				without, want)
		}
		checkAnswers(t, what, words, present)
		same(t, what, batch, one)

		if s.promises(base.Deletes) {
			in = deleteBatches(t, rng, form, one, batch, in, n, round%4 == 3)
		}
	}
}

// deleteBatches deletes some members, and some absent keys, from both filters. It returns the
// members that are left.
func deleteBatches(
	t *testing.T,
	rng *rand.Rand,
	form *form,
	one, batch filter.Stored,
	in []uint64,
	n int,
	noStatus bool,
) []uint64 {
	t.Helper()
	what := fmt.Sprintf("delete of %d", n)
	var keys []uint64
	for len(keys) < n {
		if len(in) > 0 && rng.IntN(4) > 0 {
			i := rng.IntN(len(in))
			keys = append(keys, in[i])
			in[i] = in[len(in)-1]
			in = in[:len(in)-1]
			continue
		}
		key := rng.Uint64()
		if form.query(one, key) {
			if len(in) == 0 {
				break // all is visible
			}
			continue
		}
		keys = append(keys, key)
	}
	const untouched = filter.Status(7)
	want, status := make([]filter.Status, len(keys)),
		slices.Repeat([]filter.Status{untouched}, len(keys)+2)
	deleted := 0
	for i, key := range keys {
		if want[i] = form.delete(one, key); want[i] == filter.Deleted {
			deleted++
		}
	}
	if noStatus {
		if got := form.deleteBatch(batch, keys, nil); got != deleted {
			t.Fatalf("%s: %d deleted, want %d", what, got, deleted)
		}
	} else {
		if got := form.deleteBatch(batch, keys, status); got != deleted {
			t.Fatalf("%s: %d deleted, want %d", what, got, deleted)
		}
		if want = append(want, untouched, untouched); !slices.Equal(status, want) {
			t.Fatalf("%s: statuses %v, want %v", what, status, want)
		}
	}
	same(t, what, batch, one)
	return in
}

// A batch of queries has the results of its queries one after another, also if the filter can do
// nothing else.
func queries(t *testing.T, s *subject) {
	f := s.sample(t)
	before := content(t, f)
	members := sampleKeys()
	rng := rand.New(rand.NewPCG(23, 24))
	for i := range forms {
		form := &forms[i]
		for _, n := range lengths() {
			keys, present, words := make([]uint64, n), make([]bool, n), answers(n)
			for i := range keys {
				if keys[i] = rng.Uint64(); rng.IntN(2) == 0 {
					keys[i] = members[rng.IntN(len(members))]
				}
				present[i] = f.QueryHash(hash(f, keys[i]))
			}
			what := fmt.Sprintf("%s, query of %d", form.name, n)
			with, without := form.queryBatch(f, keys, words), form.queryBatch(f, keys, nil)
			if want := count(present); with != want || without != want {
				t.Fatalf("%s: %d and, without answers, %d are present, want %d", what, with,
					without, want)
			}
			checkAnswers(t, what, words, present)
		}
	}
	hashes, words, each := hashesOf(s.key, numbers(0, 130)), answers(130), answers(130)
	if found, want := base.QueryEach(f, hashes, each, filter.Stored.QueryHash),
		f.QueryHashBatch(hashes, words); found != want || !slices.Equal(each, words) {
		t.Errorf("one after another %d of 130 are present, %d of a batch", found, want)
	}
	unchanged(t, "queries", f, before)
}

// All forms of an operation have the same effect on a filter.
func agreement(t *testing.T, s *subject) {
	sizing := s.tight(t, 400)
	var first filter.Stored
	for i := range forms {
		form, f := &forms[i], s.empty(t, sizing)
		keys := numbers(1<<50, 400)
		for _, key := range keys[:200] {
			_, _ = form.insert(f, key)
		}
		_, _ = form.insertBatch(f, keys[200:], nil)
		for _, key := range keys {
			if want := f.QueryHash(hash(f, key)); form.query(f, key) != want {
				t.Fatalf("%s: present is not %v as of the hash", form.name, want)
			}
		}
		if s.promises(base.Deletes) {
			for _, key := range keys[:50] {
				form.delete(f, key)
			}
			form.deleteBatch(f, keys[50:100], nil)
		}
		if counter, ok := f.(filter.Counter); ok {
			for i, key := range keys[:50] {
				_ = form.add(f, key, uint64(i))
			}
			_, _ = form.addBatch(f, keys[50:100], numbers(1, 50))
			counts := make([]uint64, len(keys))
			form.countBatch(f, keys, counts)
			for i, key := range keys {
				if want := counter.CountHash(hash(f, key)); form.count(f, key) != want ||
					counts[i] != want {
					t.Fatalf("%s: counts %d and %d, want %d as of the hash", form.name,
						form.count(f, key), counts[i], want)
				}
			}
		}
		if first == nil {
			first = f
		}
		same(t, form.name, f, first)
	}
}

// A string is the same key as its bytes, at every length.
func anyLength(t *testing.T, s *subject) {
	f := s.sample(t)
	set, isSet := f.(keyedSet)
	q := asQuerier(f)
	text := make([]byte, 131)
	for i := range text {
		text[i] = byte(3 * i)
	}
	for n := range text {
		key := text[:n]
		hash := f.Key().Hash(key)
		if q.Hash(key) != hash || q.HashString(string(key)) != hash {
			t.Fatalf("%d bytes: hashes %x and %x, want %x", n, q.Hash(key),
				q.HashString(string(key)), hash)
		}
		want := f.QueryHash(hash)
		words := []uint64{0}
		if q.Query(key) != want || q.QueryString(string(key)) != want ||
			q.QueryBatch([][]byte{key}, words) != int(words[0]) ||
			q.QueryStringBatch([]string{string(key)}, nil) != int(words[0]) ||
			(words[0] == 1) != want {
			t.Fatalf("%d bytes: the forms disagree on what is present", n)
		}
		if isSet && n%8 == 3 {
			if present, err := set.InsertString(string(key)); err == nil &&
				(present != want || !f.QueryHash(hash)) {
				t.Fatalf("%d bytes: inserted with present %v, want %v, and to be present then", n,
					present, want)
			}
		}
	}
	if q.HashUint64(0x0102030405060708) != q.Hash([]byte{8, 7, 6, 5, 4, 3, 2, 1}) {
		t.Error("a uint64 is not its bytes, the least significant first")
	}
}

// A slice for answers that is too short panics with the numbers, before anything is done.
func shortAnswers(t *testing.T, s *subject) {
	f := s.sample(t)
	_, isSet := f.(filter.Set)
	_, isDeleter := f.(filter.Deleter)
	_, isCounter := f.(filter.Counter)
	before := content(t, f)
	keys := numbers(1<<60, 513)
	for i := range forms {
		form := &forms[i]
		name := map[string]string{"hash": "Hash", "string": "String", "uint64": "Uint64"}[form.name]
		panics := func(op, text string, call func()) {
			t.Helper()
			defer func() {
				t.Helper()
				want := "filter: " + op + name + "Batch: " + text
				if found := recover(); found != want {
					t.Errorf("%s: panic %v, want %q", form.name, found, want)
				}
			}()
			call()
		}
		present, status := make([]uint64, 8), make([]filter.Status, 512)
		const eight, none = "present has 8 words, 513 keys need 9",
			"present has 0 words, 1 keys need 1"
		panics("Query", eight, func() { form.queryBatch(f, keys, present) })
		panics("Query", none, func() { form.queryBatch(f, keys[:1], []uint64{}) })
		if isSet {
			panics("Insert", eight, func() { _, _ = form.insertBatch(f, keys, present) })
			panics("Insert", none, func() { _, _ = form.insertBatch(f, keys[:1], []uint64{}) })
		}
		if isDeleter {
			panics("Delete", "status has 512 elements, 513 keys need 513",
				func() { form.deleteBatch(f, keys, status) })
			panics("Delete", "status has 0 elements, 1 keys need 1",
				func() { form.deleteBatch(f, keys[:1], []filter.Status{}) })
		}
		if isCounter {
			counts := make([]uint64, 512)
			const most, none = "512 counts for 513 keys, expected one per key",
				"0 counts for 1 keys, expected one per key"
			panics("Count", most, func() { form.countBatch(f, keys, counts) })
			panics("Count", none, func() { form.countBatch(f, keys[:1], nil) })
			panics("Add", most, func() { _, _ = form.addBatch(f, keys, numbers(1, 512)) })
			panics("Add", none, func() { _, _ = form.addBatch(f, keys[:1], nil) })
			if !slices.Equal(counts, make([]uint64, 512)) {
				t.Errorf("%s: counts are written", form.name)
			}
		}
		if !slices.Equal(present, make([]uint64, 8)) ||
			!slices.Equal(status, make([]filter.Status, 512)) {
			t.Errorf("%s: answers are written", form.name)
		}
	}
	unchanged(t, "answers that are too short", f, before)
}

// An insert into a full filter returns an error: keys[:n] are in the filter, and the rest changed
// nothing. That is so for every way to insert many keys, and for keys one after another.
func refusal(t *testing.T, s *subject) {
	for _, n := range []int{1, 64, 200} {
		refusalOf(t, s, "hash", n, func(f filter.Stored, n []uint64) (int, error) {
			return hashSet(f).InsertHashBatch(all(f, n), nil)
		})
	}
	for name, insert := range inserts() {
		refusalOf(t, s, name, 2100, insert) // more than any way takes at once
	}
}

func refusalOf(
	t *testing.T,
	s *subject,
	name string,
	n int,
	insert func(f filter.Stored, n []uint64) (int, error),
) {
	const members, most = 200, 11
	what := fmt.Sprintf("%s, %d at once", name, n)
	rng := rand.New(rand.NewPCG(31, 32))
	f := s.empty(t, s.tight(t, members))
	var in []uint64
	for len(in) < most*members {
		keys := workload.Hashes(rng, n)
		hashes := all(f, keys)
		before := content(t, f)
		got, err := insert(f, keys)
		if got < 0 || got > n || (err == nil) != (got == n) {
			t.Fatalf("%s: %d are in, and the error is %v", what, got, err)
		}
		in = append(in, hashes[:got]...)
		if s.promises(base.NoFalseNegatives) {
			kept := s.kept(in, members)
			if found := f.QueryHashBatch(kept, nil); found != len(kept) {
				t.Fatalf("%s: %d of %d that are in are present (%v)", what, found, len(kept), err)
			}
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, filter.ErrFull) {
			t.Fatalf("%s: the error of a full filter is %v, want filter.ErrFull", what, err)
		}
		checkMembers(t, s, f, len(in))
		same := s.decode(t, before) // the same, without what is refused
		if m, err := hashSet(same).InsertHashBatch(hashes[:got], nil); m != got || err != nil {
			t.Fatalf("%s: %d of %d are in (%v), without the rest", what, m, got, err)
		}
		probe := workload.Hashes(rng, 4096)
		if a, b := f.QueryHashBatch(probe, nil), same.QueryHashBatch(probe, nil); a != b {
			t.Fatalf("%s: the rest changed what is present: %d of %d non-members, without it %d",
				what, a, len(probe), b)
		}
		break
	}
}

// WholeBatches tests filters that let members go unless their owner lists them, or in any case:
// none goes that was inserted by the same call, because the owner does not know yet that it is a
// member. New returns an empty filter of the given size, whose source of members is *members, some
// hashes of the calls that have returned.
func WholeBatches(
	t *testing.T,
	size int,
	New func(members *[]uint64) (filter.StoredSet, error),
) {
	for name, insert := range inserts() {
		for _, n := range []int{size * 7 / 10, size * 5} {
			var members []uint64
			f, err := New(&members)
			if err != nil {
				t.Fatal(err)
			}
			full, rng := false, rand.New(rand.NewPCG(33, 34))
			for range 8 {
				keys := workload.Hashes(rng, n)
				got, err := insert(f, keys)
				if got < 0 || got > n || (err == nil) != (got == n) ||
					err != nil && !errors.Is(err, filter.ErrFull) {
					t.Fatalf("%s: %d of %d are in (%v)", name, got, n, err)
				}
				in := all(f, keys[:got])
				if found := f.QueryHashBatch(in, nil); found != got {
					t.Fatalf("%s: %d of %d that are in are present (%v)", name, found, got, err)
				}
				full, members = full || err != nil, in[max(0, got-size/4):] // the others have left
			}
			if n > size && !full {
				t.Errorf("%s: %d keys at once are in a filter for %d", name, n, size)
			}
		}
	}
}
