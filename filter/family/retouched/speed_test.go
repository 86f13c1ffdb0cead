package retouched

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// randomSource yields n random hashes, without holding them.
func randomSource(seed uint64, n int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		random := rand.NewPCG(seed, 9)
		for range n {
			if !yield(random.Uint64(), nil) {
				return
			}
		}
	}
}

// BenchmarkRetouch reports the time of one filter in ms and its most memory in MB, at the size of
// the paper and at a hundred times that: n members in 10 bits per key, k = 5, and candidates of
// which 0.94 % are false positives.
func BenchmarkRetouch(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		members := workload.Hashes(rand.New(rand.NewPCG(1, 9)), n)
		f := baseOf(b, 0, 10*n, 5, members)
		for _, candidates := range []int{10 * n, 200 * n} {
			if candidates > 20_000_000 && testing.Short() {
				continue
			}
			for _, a := range []Algorithm{RandomSelection, Ratio, ImprovedRatio, Randomized} {
				b.Run(fmt.Sprintf("%d-members/%d-candidates/%v", n, candidates, a),
					func(b *testing.B) {
						for range b.N {
							runtime.GC()
							peak := watch(func() {
								_, r, err := New(f, Config{
									Algorithm:   a,
									Members:     filter.Infallible(slices.Values(members)),
									Troublesome: randomSource(2, candidates),
								})
								if err != nil {
									b.Fatal(err)
								}
								b.ReportMetric(float64(len(r.BoughtOff)), "bought-off")
								b.ReportMetric(float64(len(r.Lost)), "lost")
							})
							b.ReportMetric(float64(peak)/1e6, "peak-MB")
						}
					})
			}
		}
	}
}

// BenchmarkListings reports the time and the allocated bytes of this package and of the listings as
// printed (see oracle), at sizes that these can handle. The share of the paper's |B| is 100 %.
func BenchmarkListings(b *testing.B) {
	for _, n := range []int{250, 500, 1000, 2000} {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		members := workload.Hashes(rng, n)
		f := baseOf(b, 0, 10*n, 5, members)
		var troublesome []uint64
		for hash := range randomSource(2, 200*n) {
			if f.QueryHash(hash) {
				troublesome = append(troublesome, hash)
			}
		}
		for _, a := range []Algorithm{MinimumFN, Ratio, ImprovedMinimumFN, ImprovedRatio} {
			c := Config{Algorithm: a, Members: source(members), Troublesome: source(troublesome)}
			b.Run(fmt.Sprintf("%d-members/%v/here", n, a), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := New(f, c); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%d-members/%v/listing", n, a), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					o := oracleOf(b, f, c, members, troublesome, nil, nil)
					o.run()
				}
			})
		}
	}
}

// watch returns the most memory that is in use beyond what was before, while a call runs.
func watch(call func()) (peak uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, done := m.HeapAlloc, make(chan bool)
	result := make(chan uint64)
	go func() {
		for {
			select {
			case <-done:
				result <- peak
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc-min(before, m.HeapAlloc))
			}
		}
	}()
	call()
	close(done)
	return <-result
}
