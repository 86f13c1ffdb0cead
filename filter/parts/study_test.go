package parts

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// The assumptions of the study in docs/measurements/beam.md.
const (
	readNS   = 871.0 // per key by the SDK, from a source to its pack and to its part
	insertNS = 69.0  // per hash of a pack
	mergeNS  = 0.43  // per byte of a table

	bandwidth   = 0.5e9     // bytes per second of a worker, each way
	bundleKeys  = 4_000_000 // of a source
	failed      = 0.01      // share of the attempts at a bundle that fail, half way in the mean
	partBytes   = 64 << 20  // of a table
	filterBytes = 1 << 36   // the largest filter, deletable.MaxBlocks of 64 bytes
	combined    = 1 << 30   // the largest table of Combine
	workerBytes = 16 << 30  // memory of a worker
)

// study is a build of as many filters, of up to 64 GiB each, as the keys need.
type study struct {
	keys    float64
	workers int
}

func (s study) table() float64   { return s.keys * 2 } // bytes at 16 bits per key
func (s study) filters() float64 { return math.Ceil(s.table() / filterBytes) }
func (s study) bundles() int     { return int(math.Ceil(s.keys / bundleKeys)) }

// combine returns the bytes of the shuffle, the memory of the worker that needs the most, and the
// seconds. A bundle sends its hashes, or its table if that is smaller. One worker merges a whole
// filter.
func (s study) combine(rng *rand.Rand) (shuffle, memory, seconds float64) {
	one := s.table() / s.filters()
	each := min(one, 8*min(s.keys, bundleKeys))
	shuffle = each * float64(s.bundles())
	merge := mergeNS * shuffle
	if each < one {
		merge = insertNS * s.keys
	}
	perFilter := merge*1e-9/s.filters() + shuffle/s.filters()/bandwidth
	read := schedule(rng, s.workers, s.bundles(), (readNS+insertNS)*1e-9*bundleKeys+each/bandwidth)
	return shuffle, 2 * one, read + perFilter*math.Ceil(s.filters()/float64(s.workers))
}

// partition returns the same for Partition: a bundle sends its hashes in packs, and each part is
// built by itself.
func (s study) partition(rng *rand.Rand) (shuffle, memory, seconds float64) {
	parts := math.Ceil(s.table() / partBytes)
	shuffle = 8 * s.keys
	memory = max(min(parts*PackBytes, 8*min(s.keys, bundleKeys)), partBytes+PackBytes)
	read := schedule(rng, s.workers, s.bundles(), readNS*1e-9*bundleKeys+8*bundleKeys/bandwidth)
	hashes := s.keys / parts
	build := schedule(rng, s.workers, int(parts),
		insertNS*1e-9*hashes+(8*hashes+partBytes)/bandwidth)
	return shuffle, memory, read + build
}

// schedule simulates bundles of a length in seconds on workers. Some attempts fail. It returns when
// the last bundle ends.
func schedule(rng *rand.Rand, workers, bundles int, seconds float64) float64 {
	free := make(times, workers)
	last := 0.0
	for range bundles {
		end := free[0]
		for rng.Float64() < failed {
			end += rng.Float64() * seconds
		}
		end += seconds
		last = max(last, end)
		free[0] = end
		heap.Fix(&free, 0)
	}
	return last
}

// times is a heap of the times at which workers become free.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *times) Pop() any          { panic("no worker goes") }

// bytesOf prints bytes with two digits.
func bytesOf(b float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if b < 1000 {
			return fmt.Sprintf("%.3g %s", b, unit)
		}
		b /= 1000
	}
	return fmt.Sprintf("%.3g TB", b)
}

func timeOf(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// The tables of docs/measurements/beam.md are those of the study; -v prints them.
func TestStudy(t *testing.T) {
	page, err := os.ReadFile("../../docs/measurements/beam.md")
	if err != nil {
		t.Fatal(err)
	}
	hold := func(line string) {
		t.Log(line)
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/measurements/beam.md does not have the line\n%s", line)
		}
	}
	rng := rand.New(rand.NewPCG(24, 3))
	builds := []study{{1e8, 10}, {1e9, 10}, {1e10, 100}, {1e12, 100}, {1e12, 1000}}
	if testing.Short() {
		builds = builds[:3]
	}
	for _, s := range builds {
		for _, name := range []string{"Combine", "Partition"} {
			plan, fits := s.combine, "yes"
			if name == "Partition" {
				plan = s.partition
			}
			shuffle, memory, seconds := plan(rng)
			if memory > workerBytes || name == "Combine" && s.table()/s.filters() > combined {
				fits = "no"
			}
			hold(fmt.Sprintf("| 10^%.0f | %.0f | %d | %s | %s | %s | %s | %s |", math.Log10(s.keys),
				s.filters(), s.workers, name, bytesOf(shuffle), bytesOf(memory),
				timeOf(seconds), fits))
		}
	}

	if testing.Short() {
		return // the number of packs is the same on every machine
	}
	// the packs of a bundle: its hashes belong to random parts
	for _, parts := range []int{16, 256, 1024, 4096} {
		packer := NewPacker(Layout{Blocks: parts << 10, PartBlocks: 1 << 10})
		packs := 0
		for range bundleKeys {
			if _, pack := packer.Add(rng.Uint64()); pack != nil {
				packs++
			}
		}
		for range packer.Rest() {
			packs++
		}
		// one pack per part is not full
		if least := bundleKeys / (PackBytes / 8); packs < least || packs > least+parts {
			t.Errorf("%d packs for %d parts", packs, parts)
		}
		hold(fmt.Sprintf("| %d | %d | %s |", parts, packs, bytesOf(8*bundleKeys/float64(packs))))
	}

	// Parts have similar sizes: the largest of a filter has few more hashes than the mean.
	const parts, hashes = 1024, 1 << 22
	var counts [parts]int
	l := Layout{Blocks: parts, PartBlocks: 1}
	for range hashes {
		counts[l.Of(rng.Uint64())]++
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	if mean := hashes / parts; float64(most) > float64(mean)+6*math.Sqrt(float64(mean)) {
		t.Errorf("a part has %d hashes, the mean is %d", most, mean)
	}
}
