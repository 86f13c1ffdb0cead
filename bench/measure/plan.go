package measure

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/kernel"
)

// Plan is what a run measures.
type Plan struct {
	Sizes  []int64 // of tables, in bytes: powers of two from result.MinBytes
	Rounds int     // how often each contender has each slice
	Quick  bool    // less of everything: under a minute
	Stderr io.Writer
	// Tests have less time:
	keys int  // of a stream, in place of streamKeys
	once bool // Rounds, and no more of what is quickly done
}

// The sizes of tables on which the longer parts of a run are done: first-level cache, second-level cache
// and memory.
const (
	smallBytes  = 16 << 10
	middleBytes = 512 << 10
	quickBytes  = 16 << 20 // larger tables take seconds to fill
	singleBytes = 512 << 20
)

func upTo(sizes []int64, most int64) []int64 {
	return slices.DeleteFunc(slices.Clone(sizes), func(size int64) bool { return size > most })
}

// widths are the bits of a lane of the tables that are measured.
var widths = []int{64, 32}

// Kernels measures every implementation that this CPU can run, and the floors, and adds the results to the run.
func (p Plan) Kernels(r *result.Run) error {
	defer quiet()()
	p.keys = cmp.Or(p.keys, streamKeys)
	if p.Quick {
		p.keys = min(p.keys, quickKeys)
	}
	mostMerged := int64(maxMergeBytes)
	if p.Quick {
		mostMerged = quickBytes
	}
	mergeable := upTo(p.Sizes, mostMerged)
	if len(mergeable) < len(p.Sizes) {
		r.Note("merges of more than %s, two tables each, were not measured", result.FormatSize(mostMerged))
	}
	for _, lane := range widths {
		sizes := p.Sizes
		if p.Quick && lane != widths[0] {
			sizes = upTo(sizes, quickBytes)
		}
		for _, size := range p.fitting(r, sizes, 1) {
			if err := p.arena(r, lane, size, func(a *arena) {
				queries := asked
				if p.Quick {
					queries = []string{"mixed"}
				}
				p.contests(r, a, a.contests(result.FormBatch, a.batches(), queries))
				if size == p.Sizes[0] || size == singleBytes && !p.Quick {
					p.contests(r, a, a.contests(result.FormSingle, a.singles(), []string{"mixed"}))
				}
				if (size == smallBytes || size == middleBytes) && !p.Quick {
					p.contests(r, a, a.calls())
				}
				if size == smallBytes && lane == widths[0] || (size == smallBytes || size == singleBytes) && !p.Quick {
					r.Latencies = append(r.Latencies, a.latencies(p.calls())...)
				}
				if size > middleBytes && !p.Quick { // smaller ones are in caches of a core's own
					p.cores(r, a, runtime.GOMAXPROCS(0))
				}
			}); err != nil {
				return err
			}
		}
		for _, size := range p.fitting(r, mergeable, 2) {
			if err := p.merges(r, lane, size); err != nil {
				return err
			}
		}
		for _, masks := range matchSizes {
			p.compete(r, match(lane, masks), schedule{slices: matchSlices, turn: 1}, matchSlices*matchMasks)
		}
	}
	return nil
}

// calls is the number of calls whose latency is measured, a hundred beyond the highest quantile, and of the
// garbage collections that they go on for under load.
func (p Plan) calls() (calls int, cycles int64) {
	switch {
	case p.once:
		return 100, 1
	case p.Quick:
		return 20_000, 10
	default:
		return 100_000, 10
	}
}

// Sweep measures the floors and the assembly of every instruction set by how many keys ahead they
// prefetch.
func (p Plan) Sweep() (*result.Run, error) {
	defer quiet()()
	p.keys = cmp.Or(p.keys, streamKeys)
	r := NewRun()
	if len(assembly()) == 0 {
		r.Note("there is no assembly for this CPU in this build, and so nothing to sweep")
		return r, nil
	}
	for _, size := range p.fitting(r, p.Sizes, 1) {
		for _, set := range assembly() {
			if err := p.arena(r, 64, size, func(a *arena) {
				p.contests(r, a, a.contests(result.FormBatch, a.sweep(set), []string{"mixed"}))
			}); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// NewRun returns a run that has this machine, and no results.
func NewRun() *result.Run {
	cache := cpuid.CPU.Cache
	r := &result.Run{
		Schema:     result.Schema,
		Date:       time.Now().UTC().Format(time.RFC3339),
		Go:         runtime.Version(),
		CPU:        cmp.Or(cpuid.CPU.BrandName, "unknown"),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		Cores:      runtime.GOMAXPROCS(0),
		ClockStep:  clockStep(),
		CacheBytes: result.Caches{L1: cache.L1D, L2: cache.L2, L3: cache.L3, Last: max(cache.L1D, cache.L2, cache.L3)},
		Notes:      []string{},
		Timings:    []result.Timing{},
		Latencies:  []result.Latency{},
		Accuracy:   []result.Accuracy{},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				r.Revision = setting.Value + r.Revision
			case setting.Key == "vcs.modified" && setting.Value == "true":
				r.Revision += ", modified"
			}
		}
	}
	for _, im := range kernel.Implementations() {
		r.Features = append(r.Features, im.String())
	}
	if len(assembly()) == 0 {
		r.Note("there are no floors for this CPU in this build: batches have no ratios")
	}
	return r
}

// quiet keeps the garbage collector and other threads out, and returns what lets them in again.
func quiet() func() {
	runtime.LockOSThread()
	percent := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(percent)
		runtime.UnlockOSThread()
	}
}

// fitting returns those of the sizes of which so many tables, on each kind of pages, fit in memory,
// and notes the others.
func (p Plan) fitting(r *result.Run, sizes []int64, tables int64) (fit []int64) {
	for _, size := range sizes {
		if tables := tables * int64(len(pageKinds)); fits(r, fmt.Sprintf("%s skipped: %d tables", result.FormatSize(size), tables), tables*(size+2*hugeBytes)) {
			fit = append(fit, size)
		}
	}
	return fit
}

const spare = 256 << 20 // for streams and what else runs

// fits says whether so many bytes can be had, and notes what does not fit.
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

// arena has something measured on tables of one size.
func (p Plan) arena(r *result.Run, lane int, size int64, run func(a *arena)) error {
	keys := p.keys
	if keys > quickKeys { // two for each line are enough
		keys = min(keys, max(quickKeys, int(size/64)*2))
	}
	a, err := newArena(lane, size, keys)
	if err != nil {
		return err
	}
	if table, ok := a.tables[pagesHuge]; ok {
		if share, known := hugeShare(table); known && share < 0.99 {
			r.Note("of %s on huge pages the system gave %.0f %%", result.FormatSize(size), 100*share)
		}
	}
	a.draw(0)
	run(a)
	return a.close()
}

func (p Plan) contests(r *result.Run, a *arena, contests []contest) {
	for _, c := range contests {
		p.compete(r, c, schedule{slices: a.slices(), turn: a.turn(), draw: a.draw, between: a.evict}, len(a.stream))
	}
}

// cores measures one core and so many at once.
func (p Plan) cores(r *result.Run, a *arena, cores int) {
	nblocks := a.tables[pageKinds[0]].nblocks()
	streams, ok := newCoreStreams(a.members, nblocks, cores, max(coreKeys, p.keys/2))
	if !ok {
		r.Note("%s is too small for %d cores at once", result.FormatSize(a.bytes), cores)
		return
	}
	crew := newCrew(cores)
	defer crew.close()
	for _, c := range a.scaling(crew, streams) {
		p.compete(r, c, schedule{slices: streams.slices, turn: streams.slices, between: a.evict}, streams.slices*coreKeys)
	}
}

func (p Plan) merges(r *result.Run, lane int, size int64) error {
	m, err := newMerge(lane, size)
	if err != nil {
		return err
	}
	for _, c := range []contest{m.contest(), m.copying()} {
		p.compete(r, c, schedule{slices: m.slices(), turn: 1}, m.units())
	}
	return m.close()
}

// quickUnits is what a contender does in the rounds that are given, at least.
const quickUnits = 256 << 10

// compete measures a contest and adds its results, units being what each contender has done when it
// has had every slice.
func (p Plan) compete(r *result.Run, c contest, s schedule, units int) {
	group := c.groups[0]
	s.rounds = p.Rounds
	if !p.once { // what is quickly done has more rounds
		s.rounds *= max(1, quickUnits/units)
		if group.Bytes <= warmBytes {
			s.rounds *= 2
		}
	}
	what := group.Operation
	if group.Bytes > 0 {
		what = fmt.Sprintf("%s, %d-bit lanes, %s", what, group.Lane, result.FormatSize(group.Bytes))
	}
	bar := startProgress(p.Stderr, what, s.passes(len(c.contenders)))
	defer bar.done()
	s.step = bar.add
	if s.draw == nil {
		s.draw = func(int) {}
	}
	add(r, c, interleave(c.contenders, s), units)
}

// maxSamples bounds the samples that a result keeps: many rounds of small tables are averaged by
// neighbours.
const maxSamples = 20

// add adds the timings of a contest in which each phase took units, in all slices together. A ratio is to
// the fastest floor on the same pages.
func add(r *result.Run, c contest, timings [][]timing, units int) {
	for phase, group := range c.groups {
		floors := map[string]float64{}
		for i, n := range c.contenders {
			if ns := timings[i][phase].least / float64(units); n.kind == result.Floor {
				floors[n.pages] = min(ns, cmp.Or(floors[n.pages], math.Inf(1)))
			}
		}
		for i, n := range c.contenders {
			if n.phases[phase] == nil {
				continue
			}
			t := result.Timing{
				Group: group, Kind: n.kind, Name: n.name, Distance: n.distance, Batch: n.batch,
				Least:   max(0, timings[i][phase].least/float64(units)),
				Samples: samples(timings[i][phase].rounds, float64(units)),
				Units:   int64(units),
				Rounds:  len(timings[i][phase].rounds),
				Yes:     float64(timings[i][phase].yes) / float64(units),
			}
			t.Pages = n.pages
			_, t.Median, t.Spread = result.Summarize(t.Samples)
			if floor, ok := floors[n.pages]; ok && n.kind != result.Floor {
				ratio := t.Least / floor
				t.Ratio = &ratio
			}
			r.Timings = append(r.Timings, t)
		}
	}
}

// samples returns the times a unit by round, neighbouring rounds together where there are many.
func samples(rounds []float64, units float64) (all []float64) {
	together := (len(rounds) + maxSamples - 1) / maxSamples
	for chunk := range slices.Chunk(rounds, together) {
		sum := 0.0
		for _, ns := range chunk {
			sum += ns
		}
		all = append(all, max(0, sum/float64(len(chunk))/units))
	}
	return all
}
