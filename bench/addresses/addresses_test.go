package addresses

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// set is what can be asked for an address.
type set func(address uint32) bool

// sets make sets of addresses, by their names.
var sets = []struct {
	name  string
	exact bool
	make  func(addresses []uint32) (set, error)
}{
	{"Roaring bitmap", true, func(addresses []uint32) (set, error) {
		b := roaring.BitmapOf(addresses...)
		b.RunOptimize()
		return b.Contains, nil
	}},
	{"map", true, func(addresses []uint32) (set, error) {
		m := make(map[uint32]struct{}, len(addresses))
		for _, a := range addresses {
			m[a] = struct{}{}
		}
		return func(address uint32) bool {
			_, has := m[address]
			return has
		}, nil
	}},
	{"plain, blocked, 0.1 %", false, func(addresses []uint32) (set, error) {
		f, err := plain.New(plain.Config{Members: len(addresses), Rate: 0.001, Blocked: true,
			Key: keytest.Sip(41)})
		return filterOf(f, err, addresses)
	}},
	{"deletable, 0.1 %", false, func(addresses []uint32) (set, error) {
		f, err := deletable.New(deletable.Config{Members: len(addresses), Rate: 0.001,
			Key: keytest.Sip(41)})
		return filterOf(f, err, addresses)
	}},
	{"elastic, 0.1 %", false, func(addresses []uint32) (set, error) {
		f, err := elastic.New(elastic.Config{Members: len(addresses), Rate: 0.001,
			Key: keytest.Key(41)})
		return filterOf(f, err, addresses)
	}},
}

// filterOf inserts addresses into a filter.
func filterOf(
	f interface {
		InsertUint64(key uint64) (present bool, err error)
		QueryUint64(key uint64) (present bool)
	},
	err error,
	addresses []uint32,
) (set, error) {
	for _, a := range addresses {
		if err != nil {
			return nil, err
		}
		_, err = f.InsertUint64(uint64(a))
	}
	return func(address uint32) bool { return f.QueryUint64(uint64(address)) }, err
}

// listed returns different addresses: uniform ones, or in runs of some hundred next to each other,
// as of networks that are listed whole.
func listed(n int, runs bool) []uint32 {
	rng := rand.New(rand.NewPCG(41, uint64(n)))
	all := make([]uint32, 0, n)
	met := make(map[uint32]bool, n)
	for a := rng.Uint32(); len(all) < n; a++ {
		if !runs || rng.IntN(256) == 0 {
			a = rng.Uint32()
		}
		if !met[a] {
			met[a] = true
			all = append(all, a)
		}
	}
	return all
}

// bytesOf returns a set and the memory that it takes.
func bytesOf(tb testing.TB, make func([]uint32) (set, error), addresses []uint32) (set, float64) {
	tb.Helper()
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	has, err := make(addresses)
	if err != nil {
		tb.Fatal(err)
	}
	return has, heap() - before
}

// Every set has its addresses, and an exact one has no others.
func TestSets(t *testing.T) {
	for _, runs := range []bool{false, true} {
		addresses := listed(20_000, runs)
		members := map[uint32]bool{}
		for _, a := range addresses {
			members[a] = true
		}
		for _, s := range sets {
			has, err := s.make(addresses)
			if err != nil {
				t.Fatal(err)
			}
			others := 0
			for _, a := range addresses {
				if !has(a) {
					t.Fatalf("%s: %d is missing", s.name, a)
				}
				if has(a+1) && !members[a+1] {
					others++
				}
			}
			if s.exact && others > 0 || others > 60 {
				t.Errorf("%s: it has %d addresses that are not listed", s.name, others)
			}
		}
	}
}

// docs/choosing.md has the figures of exact sets from the page of the measurement.
func TestPages(t *testing.T) {
	measured, err := os.ReadFile("../../docs/measurements/addresses.md")
	if err != nil {
		t.Fatal(err)
	}
	choosing, err := os.ReadFile("../../docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	for set, form := range map[string]string{
		"Roaring bitmap, exact": "take %[5]s bits, exactly, in %[7]s to %[6]s ns; " +
			"[scattered ones %[2]s bits and %[3]s to %[4]s ns]",
		"Go's map, exact": "take %[2]s bits each, and %[3]s to %[4]s ns",
	} {
		// the first row is of a million addresses
		row := regexp.MustCompile(`\| (` + set + `) \| (\S+) \| (\S+) / (\S+) \| (\S+) \| ` +
			`(\S+) / (\S+) \|`).FindSubmatch(measured)
		if row == nil {
			t.Fatalf("no row of %s", set)
		}
		cells := make([]any, len(row)-1)
		for i := range cells {
			cells[i] = string(row[i+1])
		}
		if want := fmt.Sprintf(form, cells...); !strings.Contains(string(choosing), want) {
			t.Errorf("docs/choosing.md lacks %q", want)
		}
	}
}

func BenchmarkSets(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, runs := range []bool{false, true} {
			addresses := listed(n, runs)
			for _, s := range sets {
				has, bytes := bytesOf(b, s.make, addresses)
				for _, listed := range []bool{true, false} {
					name := fmt.Sprintf("%s/%d/runs=%v/listed=%v", s.name, n, runs, listed)
					b.Run(name, func(b *testing.B) {
						rng := rand.New(rand.NewPCG(1, 1))
						queries := make([]uint32, 1<<16)
						for i := range queries {
							if queries[i] = addresses[rng.IntN(n)]; !listed {
								queries[i] = rng.Uint32()
							}
						}
						i := 0
						for b.Loop() {
							has(queries[i%len(queries)])
							i++
						}
						b.ReportMetric(8*bytes/float64(n), "bits/address")
					})
				}
				runtime.KeepAlive(has)
			}
		}
	}
}
