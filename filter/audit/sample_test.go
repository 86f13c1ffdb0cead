package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// The set equals a map of counts, as long as these can be told, through any inserts and deletes.
func TestSampleIsASet(t *testing.T) {
	s := newSample(1<<10, 1<<20, 1)
	want := map[uint64]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	doubts := 0
	for step := range 400_000 {
		y := rng.Uint64N(6000) * (s.limit / 6000)
		if step%50_000 < 100 {
			y = 12345 // often enough for its count to be full
		}
		before := absent
		switch {
		case want[y] == maxCount:
			before = doubt
			doubts++
		case want[y] > 0:
			before = member
		}
		if rng.IntN(100) < 50+step/8000%10-5 || y == 12345 { // it fills, and empties again
			if got := s.insert(y); got != before {
				t.Fatalf("step %d: insert found %v, want %v", step, got, before)
			}
			want[y] = min(want[y]+1, maxCount)
		} else {
			if got := s.delete(y); got != before {
				t.Fatalf("step %d: delete found %v, want %v", step, got, before)
			}
			if n := want[y]; n > 0 && n < maxCount {
				want[y]--
			}
		}
		if want[y] == 0 {
			delete(want, y)
		}
		if s.members != len(want) {
			t.Fatalf("step %d: %d members, want %d", step, s.members, len(want))
		}
	}
	seen := 0
	for entry := range s.all {
		y := entry >> entryBits
		if seen++; want[y] != int(entry&maxCount) {
			t.Fatalf("%#x is %d times a member, want %d", y, entry&maxCount, want[y])
		}
	}
	if seen != len(want) || seen < 1000 || doubts == 0 {
		t.Errorf("%d members in all, want %d, some of them doubtful", seen, len(want))
	}
}

// From 10^6 members of the filter on, the sample needs at most a tenth of a bit per member, for the
// most members that it had.
func TestSampleIsSmall(t *testing.T) {
	s := newSample(1024, 1<<20, 1)
	rng := rand.New(rand.NewPCG(3, 4))
	for s.members < 60_000 {
		s.insert(rng.Uint64() >> 10)
		if perKey := float64(8*s.bytes()) / (1024 * float64(s.members)); s.members >= 1000 &&
			perKey > 0.1 {
			t.Fatalf("%d members: %.4f bits per key", s.members, perKey)
		}
	}
}

// A sample that would have too many members is halved: it is that of half the hash space, and has
// exactly the members of that half.
func TestSampleIsBounded(t *testing.T) {
	s := newSample(64, 1000, 1)
	rng := rand.New(rand.NewPCG(5, 6))
	var ys []uint64
	for range 50_000 {
		ys = append(ys, rng.Uint64()>>6)
		if y := ys[len(ys)-1]; y < s.limit {
			s.insert(y)
		}
		if s.members > 1000 {
			t.Fatalf("%d members", s.members)
		}
	}
	if want := uint64(1) << (64 - s.shift); s.shift < 10 || s.limit != want {
		t.Fatalf("one in %d, up to %d, want some halvings, and up to %d", 1<<s.shift, s.limit, want)
	}
	in := 0
	for _, y := range ys {
		if y < s.limit {
			if in++; s.state(y) != member {
				t.Fatal("a member of the smaller sample is lost")
			}
		}
	}
	if in != s.members {
		t.Errorf("%d members, want %d", s.members, in)
	}
}

// The same for samples of a few members. Half of such a sample may have all members, and is then
// halved again, with the count of each member.
func TestSampleOfAFewIsBounded(t *testing.T) {
	for seed := range uint64(2000) {
		most := 1 + int(seed%10)
		s := newSample(64, most, 1)
		rng := rand.New(rand.NewPCG(seed, 6))
		want := map[uint64]int{}
		for range 200 {
			if y := rng.Uint64() >> 6; y < s.limit {
				want[y] = 1 + rng.IntN(maxCount-1)
				for n := 0; n < want[y] && y < s.limit; n++ {
					s.insert(y)
				}
			}
		}
		in := 0
		for y, n := range want {
			if y >= s.limit {
				continue
			}
			in++
			if _, slot := s.find(y); slot == nil || *slot != y<<entryBits|uint64(n) {
				t.Fatalf("at most %d: a member is not in %d times", most, n)
			}
		}
		if in != s.members || in > most || s.most != most {
			t.Fatalf("%d members, %d of them in the map, want at most %d of %d", s.members,
				in, s.most, most)
		}
	}
}

// A full count stays full: from then on it is not known how many times the key is a member.
func TestAFullCountStays(t *testing.T) {
	s := newSample(64, 1000, 1)
	for range maxCount + 5 {
		s.insert(12345)
	}
	for n := range 2 * maxCount {
		if got := s.delete(12345); got != doubt {
			t.Fatalf("delete %d found %v", n, got)
		}
	}
}

// Exactly the hashes of the sample are marked. Of these only those are yielded that are still in
// the sample, which is halved meanwhile.
func TestMarked(t *testing.T) {
	const most = 300
	s := newSample(64, 1, 0x9e3779b97f4a7c15)
	rng := rand.New(rand.NewPCG(7, 8))
	found := 0
	for n := range most {
		hashes := workload.Hashes(rng, n)
		sampled := s.mark(hashes, make([]uint64, filter.Words(most)))
		smaller := s.empty()
		smaller.limit /= 2
		for _, s := range []sample{s, smaller} {
			var want []int
			for i, hash := range hashes {
				if hash*s.odd < s.limit {
					want = append(want, i)
				}
			}
			var got []int
			for i, y := range s.marked(hashes, sampled) {
				if y != hashes[i]*s.odd {
					t.Fatalf("y of hash %d is %#x", i, y)
				}
				got = append(got, i)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("of %d hashes those at %d are yielded, want %d", n, got, want)
			}
			found += len(got)
		}
		for i := range s.marked(hashes[:n/2], sampled) {
			if i >= n/2 {
				t.Fatalf("hash %d is yielded of the first %d", i, n/2)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d found", found)
	}
}

// With any secret the sample has the right part of uniform hashes, in each part of a table and for
// each position in each lane. So it is for the hashes of a shard that the low bits, or the high
// bits, select.
func TestSampleIsUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for name, shape := range map[string]func(h uint64) uint64{
		"all":            func(h uint64) uint64 { return h },
		"low bits 5":     func(h uint64) uint64 { return h&^0xffff | 5 },
		"high bits zero": func(h uint64) uint64 { return h >> 20 },
	} {
		const each, trials = 1 << 16, 40
		all, blocks, positions := 0, [64]int{}, [7][64]int{}
		for secret := range uint64(trials) {
			s := newSample(64, 1, workload.Mix(secret))
			for range each {
				h := shape(rng.Uint64())
				if h*s.odd >= s.limit {
					continue
				}
				all++
				blocks[fallback.Index(h, 64)]++
				for lane := range positions {
					positions[lane][fallback.Position[uint64](fallback.Spread(h), uint(lane+1))]++
				}
			}
		}
		want := float64(each * trials / 64)
		if math.Abs(float64(all)-want) > 5*math.Sqrt(want) {
			t.Errorf("%s: %d in the sample, want %.0f ± %.0f", name, all, want, math.Sqrt(want))
		}
		check := func(what string, counts [64]int) {
			mean, chi := float64(all)/64, 0.0
			for _, n := range counts {
				chi += (float64(n) - mean) * (float64(n) - mean) / mean
			}
			if chi > 63+6*math.Sqrt(2*63) {
				t.Errorf("%s: %s of the sample have a chi square of %.0f, want about 63",
					name, what, chi)
			}
		}
		if name == "all" {
			check("blocks", blocks)
		}
		for _, counts := range positions {
			check("positions", counts)
		}
	}
}
