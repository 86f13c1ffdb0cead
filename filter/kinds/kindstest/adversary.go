package kindstest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// These are the attacks of docs/keyed-hashing.md. The attacker inserts, queries
// and deletes keys of his choice, sees every answer and adapts to it. He has the source code, and
// not the hash key. All seeds and keys are fixed, so a test gives the
// same numbers each time.

// sigmas is how far a number may be from what is expected, in standard deviations.
const sigmas = 5

// attacked is a filter as the attacker sees it: it takes keys, not hashes.
type attacked interface {
	filter.StoredSet
	InsertUint64(key uint64) (bool, error)
	InsertUint64Batch(keys, present []uint64) (int, error)
	QueryUint64Batch(keys, present []uint64) int
}

// deleter is one that deletes.
type deleter interface {
	DeleteUint64(key uint64) filter.Status
}

// secrets are the hash keys of one function by number, one for each defender.
type secrets func(n byte) key.Key

// documentedFunction is that of the numbers in docs/keyed-hashing.md.
const documentedFunction = key.AESPMAC

// underEach runs an attack under each hash function that keys can have.
func underEach(t *testing.T, attack func(t *testing.T, function key.Algorithm, secret secrets)) {
	for _, function := range key.Algorithms() {
		t.Run(function.String(), func(t *testing.T) {
			attack(t, function, func(n byte) key.Key {
				switch function {
				case key.HighwayHash64:
					bytes := [32]byte{n, 1: 0xA5, 31: n}
					return keytest.Key(bytes[:]...)
				case key.SipHash13:
					return keytest.Sip(n, 0xA5)
				}
				return keytest.PMAC(n, 0xA5)
			})
		})
	}
}

// attacked are the kinds with members that come under attack: those that New makes, with keys of
// the function.
func (suite Suite) attacked(function key.Algorithm) kinds.List {
	return slices.DeleteFunc(slices.Clone(suite.Kinds), func(kind base.Kind) bool {
		return kind.From != "" || kind.ShowsHashes && !function.MayBeSeen()
	})
}

// defend returns a filter of a kind with members, none of which the attacker knows.
func defend(t *testing.T, kind base.Kind, s filter.Sizing, members []uint64) attacked {
	t.Helper()
	stored, err := kind.New(s)
	if err != nil {
		t.Fatal(err)
	}
	f := stored.(attacked)
	if _, err := f.InsertUint64Batch(members, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// keys returns random keys, others for each seed.
func keys(seed uint64, n int) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	all := workload.Hashes(rng, n)
	return all
}

// The seeds of keys.
const (
	ofMembers = iota
	ofFresh
	ofProbes // and all above
)

// found returns those of the keys that a filter finds.
func found(f interface {
	QueryUint64Batch(keys, present []uint64) int
}, keys []uint64) (present []uint64) {
	answers := make([]uint64, filter.Words(len(keys)))
	f.QueryUint64Batch(keys, answers)
	for i, k := range keys {
		if filter.At(answers, i) {
			present = append(present, k)
		}
	}
	return present
}

// sameRate fails the test unless keys are present as often as fresh ones.
func sameRate(t *testing.T, what string, f attacked, keys, fresh []uint64) {
	t.Helper()
	k, l, n, m := float64(len(found(f, keys))), float64(len(found(f, fresh))), float64(len(keys)),
		float64(len(fresh))
	p := (k + l) / (n + m)
	if math.Abs(k/n-l/m) > sigmas*math.Sqrt(p*(1-p)*(1/n+1/m)) {
		t.Errorf("%s: %.4g %% are present, and %.4g %% of fresh keys, expected the same", what,
			100*k/n, 100*l/m)
	}
}

// neighbours returns the keys that differ in one bit.
func neighbours(keys []uint64) (all []uint64) {
	for _, k := range keys {
		for bit := range 64 {
			all = append(all, k^1<<bit)
		}
	}
	return all
}

// twins returns up to eight keys for each of the keys, with its bits in a deletable filter of some
// blocks if the hash is workload.Mix: see Example_flood in package key.
func twins(keys []uint64, blocks uint64) (all []uint64) {
	const spread, positions = 0x9E3779B97F4A7C15, 42
	for _, k := range keys {
		h := workload.Mix(k)
		index, _ := bits.Mul64(h, blocks)
		for e, n := uint64(1), 0; e < 1<<14 && n < 8; e++ {
			twin := h + e*inverse(spread)
			other, _ := bits.Mul64(twin, blocks)
			if index == other && h*spread>>(64-positions) == twin*spread>>(64-positions) {
				all = append(all, unmix(twin))
				n++
			}
		}
	}
	return all
}

// unmix is the inverse of workload.Mix.
func unmix(x uint64) uint64 {
	x = (x ^ x>>31 ^ x>>62) * inverse(0x94d049bb133111eb)
	x = (x ^ x>>27 ^ x>>54) * inverse(0xbf58476d1ce4e5b9)
	return (x ^ x>>30 ^ x>>60) - workload.Step
}

// inverse returns the inverse of an odd number modulo 2^64, by Newton's method.
func inverse(x uint64) uint64 {
	y := x
	for range 5 {
		y *= 2 - x*y
	}
	return y
}

// Replay: an attacker asks for random keys and keeps those that are present. He can replay
// these, and nothing holds against that but another hash key. They tell him nothing of keys that he
// has not asked for: neither their neighbours nor what a known hash would map to the same bits is
// present more often than a fresh key.
func (suite Suite) Replay(t *testing.T) {
	require.Once(t)
	underEach(t, suite.replay)
}

func (suite Suite) replay(t *testing.T, function key.Algorithm, secret secrets) {
	const members, probes = 4000, 100_000
	in, fresh := keys(ofMembers, members), keys(ofFresh, probes)
	for _, kind := range suite.attacked(function) {
		t.Run(kind.Name, func(t *testing.T) {
			s := filter.Sizing{Members: members, BitsPerKey: 10, Key: secret(1)}
			f := defend(t, kind, s, in)
			replay := found(f, keys(ofProbes, probes))
			if len(replay) < 100 {
				t.Fatalf("%d false positives in %d probes, expected 100 or more", len(replay),
					probes)
			}
			if n := len(found(f, replay)); n != len(replay) {
				t.Errorf("%d of %d replayed keys are present, expected all", n, len(replay))
			}
			for name, derived := range map[string][]uint64{
				"neighbours": neighbours(replay[:100]),
				"twins":      twins(replay[:100], members*10/512),
			} {
				sameRate(t, name, f, derived, fresh)
			}

			// The same members under the same key, in another order. In a rolling filter other
			// members then share a generation. A stable filter and A² depend on the order too.
			shuffled := slices.Clone(in)
			rng := rand.New(rand.NewPCG(1, 1))
			rng.Shuffle(members, func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			again := defend(t, kind, s, shuffled)
			if n := len(found(again, replay)); n != len(replay) &&
				kind.Name != rolling.Kind.Name && !kind.Promises.Has(base.Forgets) {
				t.Errorf("%d of %d replayed keys are present after a rebuild under the same key, "+
					"expected all", n, len(replay))
			}
			s.Key = secret(2)
			sameRate(t, "a rebuild under another key", defend(t, kind, s, shuffled), replay, fresh)
		})
	}
}

// expectedLoss is how many bits of members the delete of a false positive clears in a deletable
// filter of a number of members per block, which is about how many members it loses. A false
// positive has its seven bits in a block of n members with the probability of that. One of them is
// cleared if its column, the region, is not collided: this bit was set once, and each of the other
// six bits of the column once or never.
func expectedLoss(perBlock float64) float64 {
	var sum, weight float64
	poisson := perBlock * math.Exp(-perBlock)
	for n := 1.0; n < 6*perBlock+20; n++ {
		never := math.Pow(63.0/64, n)
		once := n / 64 * math.Pow(63.0/64, n-1)
		all := poisson * math.Pow(1-never, 7)
		weight += all
		sum += all * 7 * once / (1 - never) * math.Pow(never+once, 6)
		poisson *= perBlock / (n + 1)
	}
	return sum / weight
}

// DeletesOfFalsePositives: an attacker has false positives deleted by a program that believes
// him that they are members. docs/keyed-hashing.md has a row for each kind, at 16 bits per key: the
// members that such a delete loses, and the rate before and after [wear].
func (suite Suite) DeletesOfFalsePositives(t *testing.T) {
	require.Once(t)
	underEach(t, suite.deletesOfFalsePositives)
}

func (suite Suite) deletesOfFalsePositives(t *testing.T, function key.Algorithm, secret secrets) {
	const members, deletes, tables = 20_000, 40, 5
	in := keys(ofMembers, members)
	for _, kind := range suite.attacked(function) {
		if !kind.Promises.Has(base.Deletes) {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			gone := 0
			for n := range byte(tables) {
				s := filter.Sizing{Members: members, BitsPerKey: 16, Key: secret(n)}
				f := defend(t, kind, s, in)
				for i, k := range falsePositives(f, deletes) {
					status := f.(deleter).DeleteUint64(k)
					if kind.Name == elastic.Kind.Name && status != filter.Absent {
						t.Errorf("delete %d: %v, expected %v", i, status, filter.Absent)
					}
				}
				gone += members - len(found(f, in))
			}
			perDelete := float64(gone) / deletes / tables
			switch kind.Name {
			case elastic.Kind.Name:
				if gone != 0 {
					t.Errorf("%d members are lost, expected none", gone)
				}
			case deletable.Kind.Name: // a delete loses 7 at most, so the deviation is below 3.5
				if want := expectedLoss(32); math.Abs(perDelete-want) > sigmas*3.5/
					math.Sqrt(deletes*tables) {
					t.Errorf("%.2f members are lost per delete, expected %.2f", perDelete, want)
				}
			}
			before, after := wear(t, kind, secret(1))
			if function != documentedFunction {
				return
			}
			documented(t, suite.Docs, fmt.Sprintf("| %s | %.1f | %s | %s |\n", kind.Name,
				perDelete, before, after))
		})
	}
}

// documented fails the test unless docs/keyed-hashing.md has a text.
func documented(t *testing.T, docs, text string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(docs, "keyed-hashing.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "),
		strings.Join(strings.Fields(text), " ")) {
		t.Errorf("docs/keyed-hashing.md does not have %q", text)
	}
}

// falsePositives returns as many as an attacker wants.
func falsePositives(f attacked, n int) (replay []uint64) {
	for seed := uint64(ofProbes); len(replay) < n; seed++ {
		replay = append(replay, found(f, keys(seed, 100_000))...)
	}
	return replay[:n]
}

// wear inserts and deletes the attacker's own keys, which are three in four of the members, until
// there were as many inserts as two turnovers have. That keeps the contract of deletion, so no
// member may be lost. It returns the false-positive rate before and after that.
func wear(t *testing.T, kind base.Kind, secret key.Key) (before, after string) {
	const members, attackers, turnovers = 20_000, 15_000, 2
	s := filter.Sizing{Members: members, BitsPerKey: 16, Key: secret}
	in, own := keys(ofMembers, members-attackers), keys(ofProbes, attackers+turnovers*members)
	f := defend(t, kind, s, in)
	deleted := 0
	if r, ok := f.(*rolling.Filter); ok { // it asks for the members when a generation has to go
		live := func(
			context.Context,
			rolling.Generation,
			rolling.Generation,
		) iter.Seq2[uint64, error] {
			rest := own[deleted : deleted+attackers-1] // without the one that is being inserted
			return filter.Hashes(filter.Infallible(slices.Values(slices.Concat(in, rest))),
				r.HashUint64)
		}
		if err := r.SetStragglers(live); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.InsertUint64Batch(own[:attackers], nil); err != nil {
		t.Fatal(err)
	}
	fresh := keys(ofFresh, 200_000)
	rate := func() string {
		return fmt.Sprintf("%.2g %%", 100*float64(len(found(f, fresh)))/float64(len(fresh)))
	}
	before = rate()
	for _, k := range own[attackers:] {
		f.(deleter).DeleteUint64(own[deleted])
		deleted++
		if _, err := f.InsertUint64(k); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(found(f, in)); n != len(in) {
		t.Errorf("%d of %d members are present after wear, expected all", n, len(in))
	}
	return before, rate()
}
