package kindstest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

// A refresh of all blocks under the same key leaves each replayed key present.
func TestReplayAfterARefresh(t *testing.T) { underEach(t, replayAfterARefresh) }

func replayAfterARefresh(t *testing.T, _ key.Algorithm, secret secrets) {
	const members = 4000
	in := keys(ofMembers, members)
	s := filter.Sizing{Members: members, BitsPerKey: 10, Key: secret(1)}
	f := defend(t, deletable.Kind, s, in).(*deletable.Filter)
	replay := found(f, keys(ofProbes, 100_000))
	source := func(low, high uint64) iter.Seq2[uint64, error] {
		return func(yield func(uint64, error) bool) {
			for _, k := range in {
				if h := f.HashUint64(k); low <= h && h <= high && !yield(k, nil) {
					return
				}
			}
		}
	}
	if err := f.RefreshUint64(context.Background(), 0, f.Shape().Blocks, source); err != nil {
		t.Fatal(err)
	}
	if n := len(found(f, replay)); n != len(replay) || n == 0 {
		t.Errorf("%d of %d replayed keys are present after a refresh, expected all", n,
			len(replay))
	}
}

// Under a hash that everybody knows the same attacker needs one false positive: all its twins are
// present. So TestReplay would notice a hash that gives its bits away.
func TestTwinsUnderAKnownHash(t *testing.T) {
	const members, blocks = 4000, 4000 * 10 / 512
	table := kernel.NewTable512(blocks)
	for _, k := range keys(ofMembers, members) {
		table.Insert(workload.Mix(k))
	}
	var replay []uint64
	for _, k := range keys(ofProbes, 1000) {
		if table.Query(workload.Mix(k)) {
			replay = append(replay, k)
		}
	}
	if len(replay) == 0 {
		t.Fatal("no false positive")
	}
	for _, k := range twins(replay, blocks) {
		if !table.Query(workload.Mix(k)) {
			t.Errorf("the twin %#x is absent, expected present", k)
		}
	}
}

// An audit prevents none of these deletes, and notices them: the attacker does not know its sample.
// The members that are lost until a Check raises the alarm are one in Every in the mean.
func TestDeletesUnderAudit(t *testing.T) { underEach(t, deletesUnderAudit) }

func deletesUnderAudit(t *testing.T, _ key.Algorithm, secret secrets) {
	const members, every = 20_000, 64
	f, err := deletable.New(deletable.Config{Members: members, BitsPerKey: 16, Key: secret(1)})
	if err != nil {
		t.Fatal(err)
	}
	watched, err := audit.New(f, audit.Config{Every: every, Secret: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watched.InsertUint64Batch(keys(ofMembers, members), nil); err != nil {
		t.Fatal(err)
	}
	// With a probability of one in a million it takes longer than this.
	most := int(math.Log(1e6) * every / expectedLoss(32))
	deletes := 0
	for _, k := range falsePositives(watched, most) {
		watched.Check(0)
		if s := watched.Stats(); s.Alarm() != nil {
			break
		}
		watched.DeleteUint64(k)
		deletes++
	}
	if deletes == 0 || deletes == most {
		t.Errorf("the alarm came after %d deletes, expected 1 to %d", deletes, most-1)
	}
}

// TestFlood: under a secret key no choice of keys fills a filter faster than random keys do, and
// who looks at the fill can end the inserts. The attacker tries numbers in a row, numbers that
// differ in their high bits only, keys with the same bits under a known hash, and keys that he
// asked for first: he inserts what is absent, which sets at least one bit.
func TestFlood(t *testing.T) { underEach(t, flood) }

func flood(t *testing.T, _ key.Algorithm, secret secrets) {
	const members, flood, mostFill = 2000, 20_000, 0.5
	in, fresh := keys(ofMembers, members), keys(ofFresh, 100_000)
	row, high := make([]uint64, flood), make([]uint64, flood)
	for i := range row {
		row[i], high[i] = uint64(i), uint64(i)<<48
	}
	s := filter.Sizing{Members: members + flood, BitsPerKey: 8, Key: secret(1)}
	rate := planning.FreshRate(512, members+flood, (members+flood)*8/512)
	for name, flooding := range map[string][]uint64{
		"in a row": row, "high bits": high,
		"twins": twins(keys(ofProbes, flood/4), (members+flood)*8/512)[:flood], "absent": nil,
	} {
		f := defend(t, deletable.Kind, s, in)
		if flooding == nil {
			for _, k := range keys(ofProbes, 2*flood) {
				if len(found(f, []uint64{k})) == 0 && len(flooding) < flood {
					flooding = append(flooding, k)
					if _, err := f.InsertUint64(k); err != nil {
						t.Fatal(err)
					}
				}
			}
		} else if _, err := f.InsertUint64Batch(flooding, nil); err != nil {
			t.Fatal(err)
		}
		// A table of as many members is within 5 % of the mean: see planning.Prediction.Rate99.
		got := float64(len(found(f, fresh))) / float64(len(fresh))
		if len(flooding) != flood || math.Abs(got/rate-1) > 0.1 {
			t.Errorf("%s: %d inserts make a rate of %.4f, expected %.4f", name, len(flooding), got,
				rate)
		}

		small := s
		small.Members /= 5
		g := defend(t, deletable.Kind, small, in)
		n := 0
		for ; n < len(flooding) && g.State().Fill < mostFill; n++ {
			if _, err := g.InsertUint64(flooding[n]); err != nil {
				t.Fatal(err)
			}
		}
		if fill, _, err := g.ScanFill(); n == len(flooding) || fill > mostFill+0.01 || err != nil {
			t.Errorf("%s: %d inserts make a fill of %.3f, expected %.3f at most (%v)", name, n,
				fill, mostFill, err)
		}
		if n := len(found(g, in)); n != members {
			t.Errorf("%s: %d members are present, expected %d", name, n, members)
		}
	}
}

// TestCollisions: the inserts that do most harm to deletes are of false positives, each of which
// the attacker has to find. All seven regions of such a key collide. No member is lost by that, but
// more of them are retained when they are deleted.
func TestCollisions(t *testing.T) { underEach(t, collisions) }

func collisions(t *testing.T, function key.Algorithm, secret secrets) {
	const members, inserts = 20_000, 2000
	s := filter.Sizing{Members: members, BitsPerKey: 16, Key: secret(1)}
	retained := map[string]float64{}
	for name, choose := range map[string]func(f attacked) []uint64{
		"none":            func(attacked) []uint64 { return nil },
		"random":          func(attacked) []uint64 { return keys(ofProbes, inserts) },
		"false positives": func(f attacked) []uint64 { return falsePositives(f, inserts) },
	} {
		f := defend(t, deletable.Kind, s, keys(ofMembers, members))
		if _, err := f.InsertUint64Batch(choose(f), nil); err != nil {
			t.Fatal(err)
		}
		in := keys(ofMembers, members)
		if n := len(found(f, in)); n != members {
			t.Errorf("%s: %d members are present, expected %d", name, n, members)
		}
		deleted := f.(*deletable.Filter).DeleteUint64Batch(in, nil)
		retained[name] = 1 - float64(deleted)/members
	}
	if function != documentedFunction {
		return
	}
	documented(t, "../../../docs", fmt.Sprintf("%.2g %%, %.2g %% and %.2g %% of the members",
		100*retained["none"], 100*retained["random"], 100*retained["false positives"]))
}

// TestOneKeyForTwoFilters: an attacker who may fill an empty filter under the defender's hash key
// finds a key with the fingerprint and the buckets of a member that he chooses, and has it deleted
// from the defender's filter. Under a key of its own his filter is of no use.
func TestOneKeyForTwoFilters(t *testing.T) { underEach(t, oneKeyForTwoFilters) }

func oneKeyForTwoFilters(t *testing.T, _ key.Algorithm, secret secrets) {
	const members, most = 500, 1_000_000
	in := keys(ofMembers, members)
	target := in[7]
	s := filter.Sizing{Members: members, BitsPerKey: 10, Key: secret(1)}
	for _, shared := range []bool{true, false} {
		f, other := defend(t, cuckoo.Kind, s, in), s
		if !shared {
			other.Key = secret(2)
		}
		laboratory := defend(t, cuckoo.Kind, other, []uint64{target})
		twins := found(laboratory, keys(ofProbes, most))
		if len(twins) == 0 {
			t.Fatalf("no twin in %d probes", most)
		}
		f.(deleter).DeleteUint64(twins[0])
		if present := len(found(f, []uint64{target})) == 1; present == shared {
			t.Errorf("one key for both %v: the member is present %v, expected %v", shared, present,
				!shared)
		}
	}
}
