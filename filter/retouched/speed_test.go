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
)

// randomSource yields n random hashes, of a filter's false positives if that is given, without holding them.
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

// BenchmarkRetouch has the time of one filter, ms, and the memory that it takes at the most, MB, at the size of the
// paper and a hundred times that: n members in 10 bits per key, k = 5, and candidates that are asked, of which 0.94 %
// are false positives.
func BenchmarkRetouch(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		members := slices.Collect(func(yield func(uint64) bool) {
			for hash := range randomSource(1, n) {
				if !yield(hash) {
					return
				}
			}
		})
		f := baseOf(b, 0, 10*n, 5, members)
		for _, candidates := range []int{10 * n, 200 * n} {
			if candidates > 20_000_000 && testing.Short() {
				continue
			}
			for _, a := range []Algorithm{RandomSelection, Ratio, ImprovedRatio, Randomized} {
				b.Run(fmt.Sprintf("%d-members/%d-candidates/%v", n, candidates, a), func(b *testing.B) {
					for range b.N {
						runtime.GC()
						peak := watch(func() {
							_, r, err := New(f, Config{
								Algorithm: a, Members: filter.Infallible(slices.Values(members)), Troublesome: randomSource(2, candidates),
							})
							if err != nil {
								b.Fatal(err)
							}
							b.ReportMetric(float64(len(r.BoughtOff)), "bought-off")
							b.ReportMetric(float64(len(r.Lost.Hashes)), "lost")
						})
						b.ReportMetric(float64(peak)/1e6, "peak-MB")
					}
				})
			}
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
