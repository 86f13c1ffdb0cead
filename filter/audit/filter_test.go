package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// must fails the test on an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newDeletable(t testing.TB, members int, bitsPerKey float64) *deletable.Filter {
	t.Helper()
	return must[*deletable.Filter](t)(deletable.New(deletable.Config{Members: members,
		BitsPerKey: bitsPerKey}))
}

func audit(t testing.TB, of Deleter, every int) *Filter {
	t.Helper()
	return secretAudit(t, of, every, 5)
}

// secretAudit looks at all groups of a batch.
func secretAudit(t testing.TB, of Deleter, every int, secret uint64) *Filter {
	t.Helper()
	f := must[*Filter](t)(New(of, Config{Every: every, Secret: secret}))
	f.groups = math.MaxUint64
	return f
}

func insertAll(t testing.TB, f filter.Set, hashes []uint64) {
	t.Helper()
	if n, err := f.InsertHashBatch(hashes, nil); n != len(hashes) || err != nil {
		t.Fatalf("%d of %d are in: %v", n, len(hashes), err)
	}
}

// owner writes to a filter, in batches and one by one, with breaches of the contract where it is
// told to.
type owner struct {
	t       *testing.T
	f       *Filter
	rng     *rand.Rand
	members []uint64
}

// turn replaces members, n at a time, some of them by the wrong key, and asks for all that it
// knows.
func (o *owner) turn(n int, twice, nonMember float64) {
	o.t.Helper()
	come := workload.Hashes(o.rng, n)
	for i := range come {
		if o.rng.Float64() < twice {
			come[i] = o.members[n+o.rng.IntN(len(o.members)-n)]
		}
	}
	gone := slices.Clone(o.members[:n])
	for i := range gone {
		if o.rng.Float64() < nonMember {
			gone[i] = o.rng.Uint64()
		}
	}
	o.members = append(o.members[n:], come...)
	present, status := make([]uint64, filter.Words(n)), make([]filter.Status, n)
	switch o.rng.IntN(4) {
	case 0:
		insertAll(o.t, o.f, come)
		o.f.DeleteHashBatch(gone, nil)
		o.f.QueryHashBatch(o.members, nil)
	case 1:
		if m, err := o.f.InsertHashBatch(come, present); m != n || err != nil {
			o.t.Fatalf("%d of %d are in: %v", m, n, err)
		}
		o.f.DeleteHashBatch(gone, status)
		o.f.QueryHashBatch(come, present)
	default:
		for i := range come {
			must[bool](o.t)(o.f.InsertHash(come[i]))
			o.f.DeleteHash(gone[i])
			o.f.QueryHash(o.members[o.rng.IntN(len(o.members))])
		}
	}
	o.f.QueryHashBatch(workload.Hashes(o.rng, n), nil)
	o.f.QueryHash(o.rng.Uint64())
}

func near(t *testing.T, what string, got Share, want float64) {
	t.Helper()
	if widen := (got.High - got.Low) / 2; want < got.Low-1.5*widen || want > got.High+1.5*widen {
		t.Errorf("%s: %v, want %.3g %%", what, got, 100*want)
	}
}

// If the contract is kept, no breach is reported, and the rates of false positives are those of all
// keys.
func TestContractKept(t *testing.T) {
	const members = 20_000
	sizing := filter.Sizing{Members: members, BitsPerKey: 12}
	for _, inner := range []Deleter{
		newDeletable(t, members, 12),
		must[*cuckoo.Filter](t)(cuckoo.New(cuckoo.Config{Members: members + 1000,
			BitsPerKey: sizing.BitsPerKey})),
		must[*counting.Filter](t)(counting.New(counting.Config{Members: members, BitsPerKey: 24})),
	} {
		t.Run(fmt.Sprintf("%T", inner), func(t *testing.T) {
			o := &owner{t: t, f: audit(t, inner, 64), rng: rand.New(rand.NewPCG(11, 12))}
			o.members = workload.Hashes(o.rng, members)
			insertAll(t, o.f, o.members)
			for range 60 {
				o.turn(500, 0, 0)
			}
			o.f.Check(200_000)
			s := o.f.Stats()
			if err := s.Alarm(); err != nil || s.Inserts.Members > 0 || s.Deletes.NonMembers > 0 ||
				s.Sum().Unknown > 0 {
				t.Errorf("%v: %+v", err, s)
			}
			if s.AllInserts != members+60*500 || s.AllDeletes != 60*500 || !s.Seeded ||
				s.Every != 64 {
				t.Errorf("%+v", s)
			}
			rate := float64(inner.QueryHashBatch(workload.Hashes(o.rng, 500_000), nil)) / 500_000
			near(t, "random keys", s.Checks.Rate(), rate)
			for what, a := range map[string]Answers{"inserts": s.Inserts, "batches": s.Batches} {
				if got := a.Rate(); a.NonMembers < 300 || got.High < rate/10 ||
					got.Low > 2*rate+0.01 {
					t.Errorf("%s: rate %v of %d, now %g", what, got, a.NonMembers, rate)
				}
			}
			if want := members / 64.0; math.Abs(float64(s.Members)-want) > 6*math.Sqrt(want) {
				t.Errorf("%d members in the sample, want about %.0f", s.Members, want)
			}
		})
	}
}

// The rate that the sample tells is that of all queries, single ones and batches, in the mean over
// secrets.
func TestRateOfQueries(t *testing.T) {
	const members = 10_000
	audited := newDeletable(t, members, 8)
	rng := rand.New(rand.NewPCG(13, 14))
	in := workload.Hashes(rng, members)
	traffic := workload.Hashes(rng, 100_000)
	truth := 0.0
	var single, batches Answers
	for secret := range uint64(20) {
		audited.Reset()
		f := secretAudit(t, audited, 64, 1+secret)
		insertAll(t, f, in)
		truth = float64(f.QueryHashBatch(traffic, nil)) / float64(len(traffic))
		for _, hash := range traffic {
			f.QueryHash(hash)
		}
		s := f.Stats()
		single, batches = single.plus(s.Queries, 1), batches.plus(s.Batches, 1)
		if s.Queries != s.Batches {
			t.Fatalf("the same queries, one by one %+v and in a batch %+v", s.Queries, s.Batches)
		}
	}
	near(t, "single", single.Rate(), truth)
	near(t, "batches", batches.Rate(), truth)
	if single.NonMembers < 20*len64(traffic)*9/10 {
		t.Errorf("%d of %d queries are in the samples", single.NonMembers, 20*len(traffic))
	}
}

func len64(hashes []uint64) int { return len(hashes) / 64 }

// Of a batch one group in 64 is looked at.
func TestGroups(t *testing.T) {
	f := must[*Filter](t)(New(newDeletable(t, 1000, 16), Config{Every: 64, Secret: 5}))
	rng := rand.New(rand.NewPCG(15, 16))
	const batches, n = 8000, 1000 // two groups each
	for range batches {
		f.QueryHashBatch(workload.Hashes(rng, n), nil)
	}
	want := batches * n / 64.0 / groups
	if s := f.Stats(); math.Abs(float64(s.Batches.NonMembers)-want) > want/2 {
		t.Errorf("%d queries are looked at, want about %.0f", s.Batches.NonMembers, want)
	}
	// The same batch is looked at now and then, as others write.
	const audits, writes = 20, 2000
	looked, sometimes := 0, 0
	batch := workload.Hashes(rng, group)
	for secret := range uint64(audits) {
		f := must[*Filter](t)(New(newDeletable(t, 1000, 16),
			Config{Every: 64, Secret: 1 + secret}))
		first := looked
		for range writes {
			before := f.Stats().Batches
			f.QueryHashBatch(batch, nil)
			if f.Stats().Batches != before {
				looked++
			}
			must[bool](t)(f.InsertHash(rng.Uint64()))
		}
		if n := looked - first; n > 0 && n < writes {
			sometimes++
		}
	}
	if sometimes < audits*3/4 {
		t.Errorf("%d of %d audits looked at the same batch always, or never",
			audits-sometimes, audits)
	}
	if want := audits * writes / groups; looked < want/2 || looked > 2*want {
		t.Errorf("the same batch was looked at %d times of %d, want about %d", looked,
			audits*writes, want)
	}
}

// Breaches with a probability p are seen at that rate, beside everything else that a filter does.
func TestBreachRates(t *testing.T) {
	const members, p = 20_000, 0.01
	for _, test := range []struct{ twice, nonMember float64 }{{p, 0}, {0, p}} {
		o := &owner{t: t, f: audit(t, newDeletable(t, members, 16), 64),
			rng: rand.New(rand.NewPCG(17, 18))}
		o.members = workload.Hashes(o.rng, members)
		insertAll(t, o.f, o.members)
		before := o.f.Stats()
		for range 400 {
			o.turn(500, test.twice, test.nonMember)
		}
		s := o.f.Stats().Since(before)
		near(t, "inserted twice", s.InsertedTwice(), test.twice)
		near(t, "deleted non-members", s.DeletedNonMembers(), test.nonMember)
		if test.nonMember > 0 && s.Deletes.FalsePositives == 0 {
			t.Error("none of the non-members that were deleted was visible")
		}
	}
}

// With breaches of a probability p per operation the first one is seen within ln(100) * Every / p
// operations with a probability of 99 %, and within half of that with 90 %. Operations that are no
// breach make none in the audit (TestContractKept). So only breaches are made here, and the
// operations between them are counted.
func TestDetection(t *testing.T) {
	const trials = 400
	for _, breach := range []struct {
		name string
		make func(f *Filter, nonMember uint64)
		seen func(s *Stats) int
	}{
		{"inserted twice",
			func(f *Filter, h uint64) { _, _ = f.InsertHash(h); _, _ = f.InsertHash(h) },
			func(s *Stats) int { return s.Inserts.Members }},
		{"deleted non-member", func(f *Filter, h uint64) { f.DeleteHash(h) },
			func(s *Stats) int { return s.Deletes.NonMembers }},
	} {
		for _, p := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
			rng := rand.New(rand.NewPCG(19, math.Float64bits(p)))
			formula := math.Log(100) * defaultEvery / p
			within, half := 0, 0
			of := newDeletable(t, 1000, 16)
			for trial := range uint64(trials) {
				of.Reset()
				f := must[*Filter](t)(New(of, Config{Secret: 1 + trial}))
				for operations := 0.0; ; {
					// to the next breach
					operations += 1 + math.Floor(math.Log1p(-rng.Float64())/math.Log1p(-p))
					if operations > formula {
						break
					}
					breach.make(f, rng.Uint64())
					if s := f.Stats(); breach.seen(&s) > 0 {
						within++
						if operations <= formula/2 {
							half++
						}
						break
					}
				}
			}
			// Four standard deviations of a binomial distribution.
			for _, share := range []struct {
				found int
				want  float64
			}{{within, 0.99}, {half, 0.9}} {
				if off := math.Abs(float64(share.found)/trials - share.want); off >
					4*math.Sqrt(share.want*(1-share.want)/trials) {
					t.Errorf("%s, p = %g: %d of %d are found, want %.0f %%", breach.name, p,
						share.found, trials, 100*share.want)
				}
			}
		}
	}
}

// broken is a filter with a fault.
type broken struct {
	*deletable.Filter
	rng      *rand.Rand
	lose     bool // one insert in 20
	collided bool // deletes clear collided bits as well
}

func (b *broken) InsertHashBatch(hashes, present []uint64) (n int, err error) {
	for i := range hashes {
		if b.lose && b.rng.IntN(20) == 0 {
			continue
		}
		if n, err := b.Filter.InsertHashBatch(hashes[i:i+1], nil); n == 0 {
			return i, err
		}
	}
	return len(hashes), nil
}

func (b *broken) DeleteHashBatch(hashes []uint64, status []filter.Status) (deleted int) {
	deleted = b.Filter.DeleteHashBatch(hashes, status)
	if c, err := b.Contents(); err == nil && b.collided {
		for _, hash := range hashes {
			blocks := c.Sections[0].Words // the filter's own
			block := blocks[8*fallback.Index(hash, uint64(b.Shape().Blocks)):][:8]
			for lane, mask := range fallback.Mask[uint64](hash) {
				block[lane] &^= mask
			}
		}
	}
	return deleted
}

// A filter that loses members raises an alarm at the first call that meets one of them, and at no
// other.
func TestAlarm(t *testing.T) {
	const members = 20_000
	for name, fault := range map[string]broken{
		"none": {}, "a lost insert": {lose: true}, "collided bits cleared": {collided: true},
	} {
		for way, meet := range map[string]func(o *owner){
			"check": func(o *owner) { o.f.Check(0) },
			"query": func(o *owner) { each(o.members, func(h uint64) { o.f.QueryHash(h) }) },
			"batch": func(o *owner) { o.f.QueryHashBatch(o.members, nil) },
			"answers": func(o *owner) {
				o.f.QueryHashBatch(o.members,
					make([]uint64, filter.Words(members)))
			},
			"delete": func(o *owner) {
				each(o.members,
					func(h uint64) { o.f.DeleteHash(h) })
			},
			"delete batch": func(o *owner) { o.f.DeleteHashBatch(o.members, nil) },
			"insert again": func(o *owner) {
				each(o.members,
					func(h uint64) { _, _ = o.f.InsertHash(h) })
			},
		} {
			b := fault
			b.rng, b.Filter = rand.New(rand.NewPCG(21, 22)), newDeletable(t, members, 16)
			o := &owner{t: t, f: audit(t, &b, 64), rng: b.rng}
			o.members = workload.Hashes(o.rng, members)
			gone := workload.Hashes(o.rng, members/4)
			insertAll(t, o.f, gone)
			insertAll(t, o.f, o.members)
			o.f.DeleteHashBatch(gone, nil)
			if fault.lose {
				o.f.Reset() // what the deletes met
				o.f.shadow.deleted = Answers{}
				insertAll(t, o.f, o.members)
			}
			b.collided = false // no more of them
			before := o.f.Stats()
			// deletes meet what deletes before them cost
			if before.Alarm() != nil && !fault.collided {
				t.Errorf("%s: an alarm too early: %+v", name, before)
			}
			meet(o)
			s := o.f.Stats()
			s = s.Since(before)
			var alarm *AlarmError
			if found := errors.As(s.Alarm(), &alarm); found != (name != "none") {
				t.Errorf("%s, met by %s: %v, %+v", name, way, s.Alarm(), s)
			} else if found && (alarm.FalseNegatives == 0 || alarm.Members < members/64/2) {
				t.Errorf("%s, met by %s: %v", name, way, alarm)
			}
		}
	}
}

// An audit of a filter with a past judges what it has seen itself, until a Seed lists the members.
func TestSeed(t *testing.T) {
	const members = 20_000
	audited := newDeletable(t, members, 16)
	rng := rand.New(rand.NewPCG(23, 24))
	old, seen, gone := workload.Hashes(rng, members/2), workload.Hashes(rng, members/4),
		workload.Hashes(rng, members/4)
	insertAll(t, audited, old)
	insertAll(t, audited, gone)
	f := audit(t, audited, 64)
	insertAll(t, f, seen)
	f.DeleteHashBatch(gone, nil)
	f.QueryHashBatch(old, nil)
	f.QueryHashBatch(seen, nil)
	each(seen[:len(seen)/2], func(h uint64) { _, _ = f.InsertHash(h) })
	s := f.Stats()
	const inSample = members / 64 / 6 // of a quarter at least
	switch {
	case s.Seeded, s.Alarm() != nil:
		t.Errorf("%v: %+v", s.Alarm(), s)
	case s.Inserts.NonMembers > 0, s.Inserts.Unknown < inSample, s.Inserts.Members < inSample/2:
		t.Errorf("inserts of unknown keys, and then of members: %+v", s.Inserts)
	case s.Deletes.NonMembers > 0, s.Deletes.Members > 0, s.Deletes.Unknown < inSample:
		t.Errorf("deletes of unknown members: %+v", s.Deletes)
	case s.Batches.NonMembers > 0, s.Batches.Unknown < 2*inSample, s.Batches.Members < inSample:
		t.Errorf("queries of unknown members and known ones: %+v", s.Batches)
	}
	absent := s.Deletes
	each(workload.Hashes(rng, 5000), func(h uint64) {
		if !audited.QueryHash(h) { // else members would be lost
			f.DeleteHash(h)
		}
	})
	if d := f.Stats().Deletes; d.NonMembers-absent.NonMembers < 5000/64/2 || d.FalsePositives > 0 {
		t.Errorf("deletes of what is absent: %+v", d)
	}

	before := f.Stats()
	broken := errors.New("broken")
	if _, err := f.Seed(func(yield func(uint64, error) bool) {
		_ = yield(1, nil) &&
			yield(0, broken)
	}); !errors.Is(err, broken) {
		t.Errorf("a source that fails: %v", err)
	}
	if f.Stats() != before {
		t.Errorf("a source that fails: %+v, before %+v", f.Stats(), before)
	}
	list := slices.Concat(old, seen)
	d := must[Difference](t)(f.Seed(filter.Infallible(slices.Values(list))))
	if s := f.Stats(); d != (Difference{}) || !s.Seeded || s.Members < members*3/4/64*3/4 {
		t.Errorf("the right list: %+v, %+v", d, s)
	}
	before = f.Stats()
	f.QueryHashBatch(list, nil)
	f.QueryHashBatch(workload.Hashes(rng, members), nil)
	f.Check(1000)
	if s := f.Stats().Since(before); s.Alarm() != nil || s.Batches.Unknown > 0 ||
		s.Batches.NonMembers < inSample {
		t.Errorf("the right list: %+v", s)
	}
	// A list that lacks members, and has others.
	d = must[Difference](t)(f.Seed(filter.Infallible(slices.Values(slices.Concat(old, gone)))))
	if d.Unlisted < inSample || d.Unknown < inSample {
		t.Errorf("a wrong list: %+v", d)
	}
}

// The answers of a batch are judged as those of single queries, whether the caller receives them or
// not.
func TestBatchesAreJudgedByTheirAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	audited := newDeletable(t, 5000, 6)
	in := workload.Hashes(rng, 5000)
	f := audit(t, audited, 64)
	insertAll(t, f, in)
	queries := slices.Concat(in, workload.Hashes(rng, 5000))
	rng.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	each(queries, func(h uint64) { f.QueryHash(h) })
	want := f.Stats().Queries
	for _, present := range [][]uint64{nil, make([]uint64, filter.Words(len(queries)))} {
		before := f.Stats()
		f.QueryHashBatch(queries, present)
		if s := f.Stats().Since(before); s.Batches != want || want.FalsePositives == 0 ||
			want.FalseNegatives != 0 {
			t.Errorf("answers written %v: %+v, one by one %+v", present != nil, s.Batches, want)
		}
	}
	if f = audit(t, audited, 64); f.Stats().Seeded {
		t.Error("members from before the audit are known")
	}
	if f.Reset(); !f.Stats().Seeded {
		t.Error("an empty filter has members that are not known")
	}
}

// A list for which the sample is halved is compared where both are known. Each check queries for
// other non-members.
func TestSeedOfMoreThanTheSampleHas(t *testing.T) {
	f := audit(t, newDeletable(t, 60_000, 4), 64)
	f.sample.most = 50
	all := workload.Hashes(rand.New(rand.NewPCG(41, 42)), 60_000)
	insertAll(t, f, all[:2500])
	d := must[Difference](t)(f.Seed(filter.Infallible(slices.Values(all))))
	if s := f.Stats(); d.Unlisted != 0 || s.Members > 50 || s.Every < 1024 {
		t.Errorf("%+v, %+v", d, s)
	}
	insertAll(t, f, all[2500:])
	found := map[int]bool{}
	for range 5 {
		found[f.Check(2000).FalsePositives] = true
	}
	if len(found) < 2 {
		t.Errorf("%v false positives in each of 5 checks", found)
	}
}

// asking is a filter that notes what it is asked, and makes one more check during the first batch.
type asking struct {
	*deletable.Filter
	check  func()
	hashes []uint64
}

func (a *asking) QueryHashBatch(hashes, present []uint64) int {
	a.hashes = append(a.hashes, hashes...)
	if check := a.check; check != nil && len(hashes) > 0 {
		a.check = nil
		check()
	}
	return a.Filter.QueryHashBatch(hashes, present)
}

// Checks that run at once query for different non-members.
func TestChecksAtOnceDiffer(t *testing.T) {
	const each = 2*group + 1
	audited := &asking{Filter: newDeletable(t, 1000, 16)}
	f := audit(t, audited, 64)
	audited.check = func() { f.Check(each) }
	f.Check(each)
	f.Check(each)
	slices.Sort(audited.hashes)
	if n := len(slices.Compact(audited.hashes)); n != 3*each {
		t.Errorf("%d different non-members in 3 checks of %d", n, each)
	}
}

// A filter that was built again takes the place of the old one: there is no alarm, and everything
// is known.
func TestWith(t *testing.T) {
	const members = 10_000
	audited := newDeletable(t, members, 16)
	rng := rand.New(rand.NewPCG(25, 26))
	in := workload.Hashes(rng, members)
	f := audit(t, audited, 64)
	insertAll(t, f, in)
	f.DeleteHashBatch(in[:members/2], nil)
	in = in[members/2:]
	f.QueryHashBatch(in, nil)
	f.Check(1000)
	f.QueryHash(in[0])
	fresh := must[*deletable.Filter](t)(audited.RebuildHash(t.Context(),
		filter.Infallible(slices.Values(in))))
	g := must[*Filter](t)(f.With(fresh))
	if g.Stats() != f.Stats() || g.Unwrap() != filter.Stored(fresh) {
		t.Errorf("%+v, before the rebuild %+v", g.Stats(), f.Stats())
	}
	before := f.Stats()
	g.DeleteHashBatch(in, nil)
	if after := f.Stats(); after != before {
		t.Errorf("what the new one learns the old one does: %+v, before %+v", after, before)
	}
	if s := g.Stats(); s.Alarm() != nil || s.Members != 0 || s.Deletes.NonMembers > 0 {
		t.Errorf("%v, %+v", s.Alarm(), s)
	}
	if a := f.Check(0); a.Members != before.Members || a.FalseNegatives > 0 {
		t.Errorf("the old one: %+v, want %d members", a, before.Members)
	}
	if _, err := f.With(newDeletable(t, members, 16)); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("a filter with another key: %v", err)
	}
	if err := fresh.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.With(fresh); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("a closed filter: %v", err)
	}
	f.Reset()
	if s := f.Stats(); s.Members != 0 || !s.Seeded || s.AllInserts != members {
		t.Errorf("after a reset: %+v", s)
	}
}

// An empty list is none of a filter with members, and the audit goes on with what it knows.
func TestSeedOfNothing(t *testing.T) {
	f := audit(t, newDeletable(t, 1000, 16), 64)
	none := filter.Infallible(func(func(uint64) bool) {})
	if _, err := f.Seed(none); err != nil {
		t.Errorf("no members: %v", err)
	}
	insertAll(t, f, workload.Hashes(rand.New(rand.NewPCG(41, 42)), 1000))
	before := f.Stats().Members
	if _, err := f.Seed(none); !errors.Is(err, filter.ErrEmptySource) || before == 0 ||
		f.Stats().Members != before {
		t.Errorf("%v, and %d members of %d in the sample", err, f.Stats().Members, before)
	}
}

// A filter that cannot be audited is refused.
func TestRefusals(t *testing.T) {
	audited := newDeletable(t, 1000, 16)
	for _, config := range []Config{
		{Every: 63}, {Every: 32}, {Every: -1024}, {Every: 1000}, {Every: math.MaxInt},
	} {
		var e *filter.SizingError
		if f, err := New(audited, config); f != nil || !errors.As(err, &e) {
			t.Errorf("%+v: %v (%v)", config, f, err)
		}
	}
	var e *filter.SizingError
	f := audit(t, audited, 64)
	for _, refused := range []Deleter{
		must[*rolling.Filter](t)(rolling.New(rolling.Config{Members: 1000, BitsPerKey: 32,
			Expire: true, Key: audited.Key()})),
		must[*rolling.Filter](t)(rolling.New(rolling.Config{Members: 1000, BitsPerKey: 32,
			Key: audited.Key()})),
		must[*elastic.Filter](t)(elastic.New(elastic.Config{Members: 1000, Rate: 0.01,
			Key: audited.Key()})),
	} {
		if _, err := New(refused, Config{}); !errors.As(err, &e) {
			t.Errorf("%v: %v", refused, err)
		}
		if _, err := f.With(refused); !errors.As(err, &e) {
			t.Errorf("in place of another, %v: %v", refused, err)
		}
	}
	if err := audited.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := New(audited, Config{}); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("a closed filter: %v", err)
	}
	for _, none := range []Deleter{nil, (*deletable.Filter)(nil)} {
		if _, err := New(none, Config{}); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("no filter: %v", err)
		}
		if _, err := audit(t, newDeletable(t, 100, 16), 64).With(none); !errors.Is(err,
			filter.ErrClosed) {
			t.Errorf("with no filter: %v", err)
		}
	}
}

// Readers count beside each other, and no count is lost: for the race detector.
func TestBeside(t *testing.T) {
	f := audit(t, newDeletable(t, 10_000, 16), 64)
	rng := rand.New(rand.NewPCG(27, 28))
	in := workload.Hashes(rng, 10_000)
	insertAll(t, f, in)
	const readers = 4
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			f.QueryHashBatch(in, nil)
			each(in, func(h uint64) { f.QueryHash(h) })
			f.Check(100)
			_ = f.Stats().String()
		})
	}
	all.Wait()
	s := f.Stats()
	if n := readers * s.Members; s.Batches.Members != n || s.Queries.Members != n ||
		s.Checks.Members != n || s.Checks.NonMembers != readers*100 {
		t.Errorf("%+v, want %d of each", s, n)
	}
}

// Numbers go to people, to JSON and to logs. No key does.
func TestStats(t *testing.T) {
	f := audit(t, newDeletable(t, 10_000, 16), 64)
	if text := f.Stats().String(); text != "members in a sample of 1/64: 0" {
		t.Errorf("nothing yet: %q", text)
	}
	o := &owner{t: t, f: f, rng: rand.New(rand.NewPCG(29, 30))}
	o.members = workload.Hashes(o.rng, 10_000)
	insertAll(t, f, o.members)
	o.turn(2000, 0.1, 0.1)
	f.audited.Reset() // behind the back of the audit
	f.Check(10)
	s := f.Stats()
	text := s.String()
	for _, want := range []string{"ALARM", "inserted twice", "deleted non-members",
		"random keys 0 % (0 to "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	content := must[[]byte](t)(json.Marshal(s))
	var again Stats
	if err := json.Unmarshal(content, &again); err != nil || again != s {
		t.Errorf("JSON %s: %+v (%v), want %+v", content, again, err, s)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("filter", "audit", s)
	for _, want := range []string{"audit.every=64", "audit.false_negatives=",
		"audit.inserted_twice=0."} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in %q", want, log.String())
		}
	}
	for secret := range maps.Keys(map[uint64]bool{f.sample.odd: true, f.shadow.odd: true,
		f.sample.inverse: true}) {
		for _, text := range []string{text, log.String(), string(content),
			fmt.Sprintf("%+v %v", struct{ f any }{f}, []any{f})} {
			if strings.Contains(text, fmt.Sprint(secret)) {
				t.Errorf("a secret of the sample is in %.200q", text)
			}
		}
	}
}

// The interval contains the true value about as often as it states.
func TestShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, p := range []float64{0.002, 0.05, 0.5} {
		const n, trials = 2000, 1000
		covered := 0
		for range trials {
			k := 0
			for range n {
				if rng.Float64() < p {
					k++
				}
			}
			if s := share(k, n); s.Low <= p && p <= s.High {
				covered++
			}
		}
		if covered < 920 || covered > 980 {
			t.Errorf("p = %g: %d of %d intervals have it, want 95 %%", p, covered, trials)
		}
	}
	for want, s := range map[string]Share{
		"100 % (99 to 100)": share(300, 300), "50 % (44 to 56)": share(150, 300),
		"0 % (0 to 1.3)": share(0, 300),
	} {
		if s.String() != want {
			t.Errorf("%q, want %q", s, want)
		}
	}
	if s := share(0, 0); !math.IsNaN(s.Part) || s.Low != 0 || s.High != 1 ||
		s.String() != "unknown" {
		t.Errorf("of nothing: %v", s)
	}
}

// A key that a filter refuses is no member.
func TestRefused(t *testing.T) {
	of := must[*cuckoo.Filter](t)(cuckoo.New(cuckoo.Config{Members: 10_000, BitsPerKey: 12}))
	f := audit(t, of, 64)
	hashes := workload.Hashes(rand.New(rand.NewPCG(33, 34)), 30_000)
	n, err := f.InsertHashBatch(hashes, nil)
	if err == nil || n == len(hashes) {
		t.Fatalf("%d of %d are in", n, len(hashes))
	}
	for _, hash := range hashes[n:] {
		if _, err := f.InsertHash(hash); err == nil {
			hashes[n] = hash
			n++
		}
	}
	d := must[Difference](t)(f.Seed(filter.Infallible(slices.Values(hashes[:n]))))
	if s := f.Stats(); d != (Difference{}) || s.AllInserts != n {
		t.Errorf("%+v, %d inserts, want %d", d, s.AllInserts, n)
	}
}

// A key that was inserted more often than an audit counts is no longer judged, in the next filter
// neither.
func TestDoubt(t *testing.T) {
	audited := newDeletable(t, 10_000, 16)
	f := audit(t, audited, 64)
	hashes := workload.Hashes(rand.New(rand.NewPCG(35, 36)), 5000)
	for range maxCount {
		insertAll(t, f, hashes)
	}
	f = must[*Filter](t)(f.With(audited))
	audited.Reset()
	f.Check(0)
	f.QueryHashBatch(hashes, nil)
	s := f.Stats()
	if s.Alarm() != nil || s.Members < 40 || s.Batches.Unknown != s.Members {
		t.Errorf("%v, %+v", s.Alarm(), s)
	}
}
