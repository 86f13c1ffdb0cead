package measure

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Settings are what a run measures.
type Settings struct {
	Sizes  []int64 // of tables, in bytes: powers of two, from 16 KiB
	Rounds int     // how often each subject has each slice
	Quick  bool    // less of everything: under a minute
	Stderr io.Writer
	// Tests have less time:
	keys int  // of a stream, in place of streamKeys
	once bool // Rounds, and no more of what is quickly done
}

// The sizes of tables on which the longer parts of a run are done: first-level cache, second-level
// cache and memory.
const (
	smallBytes  = 16 << 10
	middleBytes = 512 << 10
	quickBytes  = 16 << 20 // larger tables take seconds to fill
	singleBytes = 512 << 20
)

func upTo(sizes []int64, most int64) []int64 {
	return slices.DeleteFunc(slices.Clone(sizes), func(size int64) bool { return size > most })
}

// widths are the bits of a block of the tables that are measured.
var widths = []int{512, 256}

// Kernels measures every implementation that this CPU can run, and the floors, and adds the results
// to the run.
func (s Settings) Kernels(r *result.Run) error {
	defer Quiet(-1)()
	s.keys = cmp.Or(s.keys, streamKeys)
	if s.Quick {
		s.keys = min(s.keys, quickKeys)
	}
	mostMerged := int64(maxMergeBytes)
	if s.Quick {
		mostMerged = quickBytes
	}
	mergeable := upTo(s.Sizes, mostMerged)
	if len(mergeable) < len(s.Sizes) {
		r.Note("merges of more than %s, two tables each, were not measured",
			quantity.Bytes(mostMerged))
	}
	for _, width := range widths {
		sizes := s.Sizes
		if s.Quick && width != widths[0] {
			sizes = upTo(sizes, quickBytes)
		}
		for _, size := range fitting(r, sizes, int64(len(pageKinds))) {
			if err := s.arena(r, width, size); err != nil {
				return err
			}
		}
		for _, size := range fitting(r, mergeable, 2) {
			for _, pages := range pageKinds {
				if err := s.merges(r, width, size, pages); err != nil {
					return err
				}
			}
		}
		for _, masks := range matchSizes {
			s.time(r, match(width, masks))
		}
	}
	return nil
}

// arena measures tables of one size.
func (s Settings) arena(r *result.Run, width int, size int64) error {
	keys := s.keys
	if keys > quickKeys { // two for each line are enough
		keys = min(keys, max(quickKeys, int(size/64)*2))
	}
	a, err := newArena(width, size, keys)
	if err != nil {
		return err
	}
	if table, ok := a.tables[pagesHuge]; ok {
		if share, known := hugeShare(table); known && share < 0.99 {
			r.Note("of %s on huge pages the system gave %.0f %%", quantity.Bytes(size), 100*share)
		}
	}
	a.draw(0)
	for _, g := range a.groups(s, runtime.GOMAXPROCS(0), r.Note) {
		s.time(r, g)
	}
	if size == smallBytes && width == widths[0] || (size == smallBytes || size == singleBytes) &&
		!s.Quick {
		r.Latencies = append(r.Latencies, a.latencies(s.calls())...)
	}
	return a.close()
}

// calls is the number of calls whose latency is measured, a hundred beyond the highest quantile,
// and of the garbage collections that they go on for under load.
func (s Settings) calls() (calls int, cycles int64) {
	switch {
	case s.once:
		return 100, 1
	case s.Quick:
		return 20_000, 10
	default:
		return 100_000, 10
	}
}

// Machine returns this machine, at the beginning of a run.
func Machine() result.Machine {
	m := result.Machine{
		Date:     time.Now().UTC().Format(time.RFC3339),
		Go:       runtime.Version(),
		CPU:      cmp.Or(cpuid.CPU.BrandName, "unknown"),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Cores:    runtime.GOMAXPROCS(0),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				m.Revision = setting.Value + m.Revision
			case setting.Key == "vcs.modified" && setting.Value == "true":
				m.Revision += ", modified"
			}
		}
	}
	return m
}

// NewRun returns a run that has this machine, and no results.
func NewRun() *result.Run {
	cache := cpuid.CPU.Cache
	r := &result.Run{
		Schema:    result.Schema,
		Machine:   Machine(),
		ClockStep: clockStep(),
		CacheBytes: result.Caches{
			L1: cache.L1D, L2: cache.L2, L3: cache.L3, Last: max(cache.L1D, cache.L2, cache.L3),
		},
		Hash:       key.New().Algorithm().String(),
		PlainLoops: true,
		Notes:      []string{},
		Groups:     []result.Group{},
		Latencies:  []result.Latency{},
		Accuracy:   []result.Accuracy{},
	}
	for _, im := range kernel.Implementations() {
		r.Implementations = append(r.Implementations, im.String())
	}
	if len(assembly()) == 0 {
		r.Note("there are no floors for this CPU in this build: batches have no ratios")
	}
	return r
}

// Quiet keeps other threads out, and the garbage collector up to some bytes of memory, -1 being as
// many as before. It returns what lets them in again.
func Quiet(memory int64) func() {
	runtime.LockOSThread()
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(memory)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
		runtime.UnlockOSThread()
	}
}

// fitting returns the sizes of which the given number of tables fits in memory, and notes the
// others.
func fitting(r *result.Run, sizes []int64, tables int64) (fit []int64) {
	for _, size := range sizes {
		if fits(r, fmt.Sprintf("%s skipped: %d tables", quantity.Bytes(size), tables),
			tables*(size+2*hugeBytes)) {
			fit = append(fit, size)
		}
	}
	return fit
}

const spare = 256 << 20 // for streams and what else runs

// fits reports whether need bytes of memory are free, and notes what does not fit.
func fits(r *result.Run, what string, need int64) bool {
	need += spare
	debug.FreeOSMemory() // which no other part of the program does while the collector is off
	available, known := availableBytes()
	if strconv.IntSize == 32 && need > 1<<30 {
		r.Note("%s take %d MiB, and the address space is small", what, need>>20)
		return false
	}
	if known && need > available {
		r.Note("%s take %d MiB, and %d MiB are available", what, need>>20, available>>20)
		return false
	}
	return true
}
