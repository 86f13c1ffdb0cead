package main

import (
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/bloomlane/bloomlane/bench/encodings/encoding"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// Timing is what an operation took on tables of 16 bits a key, in a state that turnovers brought about. In
// each round all contenders had the same keys, by turns.
type Timing struct {
	Bytes     int64   `json:"bytes"`
	Turnovers float64 `json:"turnovers"`
	Operation string  `json:"operation"` // query (half of the keys are members), delete, insert
	Encoding  string  `json:"encoding"`
	Kind      string  `json:"kind"` // avx2 and avx512, which are assembly; portable, fallback

	Least  float64 `json:"least_ns"` // a key
	Median float64 `json:"median_ns"`

	// LeastRatio is Least as a multiple of that of the format of the same kind; MedianRatio is the
	// median of the ratios of the rounds.
	LeastRatio  float64 `json:"least_ratio"`
	MedianRatio float64 `json:"median_ratio"`
}

// The kinds of contenders besides the instruction sets.
const (
	portable    = "portable" // the definitions of package encoding
	handwritten = "fallback" // package fallback: the format lane by lane

	// control ends the kind of the format's assembly that is elsewhere in memory: how much the ratios of
	// equals differ from 1.
	control = ", again"
)

var operations = []string{"query", "delete", "insert"}

// stream runs an operation on hashes.
type stream func(blocks []encoding.Block, hashes []uint64)

// contender is a way to run the operations, in their order, on the table of an encoding.
type contender struct {
	encoding encoding.Encoding
	kind     string
	streams  [3]stream
}

// contenders returns the ways: assembly first, so that it makes the state that is measured.
func contenders() (all []contender) {
	all = assembly()
	for _, e := range slices.Concat(compared, []encoding.Encoding{encoding.Plain{}}) {
		each := func(on func(b *encoding.Block, g uint64)) stream {
			return func(blocks []encoding.Block, hashes []uint64) {
				for _, h := range hashes {
					on(&blocks[fallback.Index(h, uint64(len(blocks)))], fallback.Spread(h))
				}
			}
		}
		all = append(all, contender{e, portable, [3]stream{
			each(func(b *encoding.Block, g uint64) { e.Query(b, g) }),
			each(func(b *encoding.Block, g uint64) { e.Delete(b, g) }),
			each(func(b *encoding.Block, g uint64) { e.Insert(b, g) }),
		}})
	}
	return append(all, contender{encoding.Lanes(1), handwritten, [3]stream{
		func(blocks []encoding.Block, hashes []uint64) { fallback.QueryBatch(blocks, hashes, nil) },
		func(blocks []encoding.Block, hashes []uint64) { fallback.DeleteBatch(blocks, hashes, nil) },
		func(blocks []encoding.Block, hashes []uint64) { fallback.InsertBatch(blocks, hashes, nil) },
	}})
}

const (
	bitsAKey = 16

	// warmBytes is the size up to which a table is in the cache when a time begins.
	warmBytes = 512 << 10

	// slowTurnovers is up to where tables are followed that are larger, and are not churned by assembly:
	// the rest would take minutes.
	slowTurnovers = 1

	// chunk is how many members go before as many come, at most.
	chunk = 4096
)

// arena is the tables of one size, and the members that all of them have: numbers from first.
type arena struct {
	bytes   int64
	members uint64 // a power of two
	first   uint64
	tables  map[string][]encoding.Block // by the name of the encoding
	hashes  []uint64                    // room for a chunk
}

// hash is that of a member.
func hash(member uint64) uint64 { return workload.Mix(member * workload.Step) }

func newArena(bytes int64, all []contender) *arena {
	a := &arena{bytes: bytes, members: uint64(bytes) * 8 / bitsAKey, tables: map[string][]encoding.Block{}, hashes: make([]uint64, chunk)}
	for _, c := range all {
		if a.tables[c.encoding.String()] == nil {
			blocks := make([]encoding.Block, bytes/(8*fallback.Lanes))
			a.tables[c.encoding.String()] = blocks
			a.each(0, a.members, func(hashes []uint64) { c.streams[2](blocks, hashes) })
		}
	}
	return a
}

// each runs a stream over the members from one number to another.
func (a *arena) each(from, to uint64, run func(hashes []uint64)) {
	for from < to {
		hashes := a.hashes[:min(to-from, chunk)]
		for i := range hashes {
			hashes[i] = hash(from + uint64(i))
		}
		run(hashes)
		from += uint64(len(hashes))
	}
}

// churn has so many members go, the oldest first, and as many come.
func (a *arena) churn(inserts uint64, all []contender) {
	done := map[string]bool{}
	for _, c := range all {
		name := c.encoding.String()
		if done[name] {
			continue
		}
		done[name] = true
		blocks, step := a.tables[name], min(chunk, a.members/64)
		for from, last := a.first, a.first+inserts; from < last; from += step {
			to := min(from+step, last)
			a.each(from, to, func(hashes []uint64) { c.streams[1](blocks, hashes) })
			a.each(from+a.members, to+a.members, func(hashes []uint64) { c.streams[2](blocks, hashes) })
		}
	}
	a.first += inserts
}

// keys fills in members, each once, and for every other one that is asked for a stranger. Rounds and
// contenders differ by from.
func (a *arena) keys(members, mixed []uint64, from uint64) {
	for i := range members {
		h := hash(a.first + (from+uint64(i))*0x9e3779b1%a.members) // odd, and so a permutation
		members[i], mixed[i] = h, h
		if hash(h)>>63 == 0 {
			mixed[i] = hash(h ^ 1)
		}
	}
}

// speed times the contenders.
func (p *Plan) speed(step func()) (timings []Timing) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	all := contenders()
	for _, bytes := range p.Bytes {
		all, keys, rounds := all, 4096, p.Rounds
		if bytes > warmBytes {
			keys, rounds = 1<<16, max(1, p.Rounds/5)
		}
		a := newArena(bytes, all)
		before := 0.0
		for _, turnovers := range p.Turnovers {
			if bytes > warmBytes && turnovers > slowTurnovers {
				all = slices.DeleteFunc(slices.Clone(all), func(c contender) bool {
					return !slices.ContainsFunc(assembly(), func(k contender) bool { return k.encoding == c.encoding })
				})
			}
			a.churn(uint64(math.Round((turnovers-before)*float64(a.members))), all)
			before = turnovers
			timings = append(timings, a.time(all, keys, rounds, turnovers)...)
			step()
		}
	}
	return timings
}

// time times the contenders on tables as they are, and leaves them so: what is deleted is inserted again,
// which restores a table bit for bit.
func (a *arena) time(all []contender, keys, rounds int, turnovers float64) (timings []Timing) {
	members, mixed := make([]uint64, keys), make([]uint64, keys)
	samples := make([][3][]float64, len(all))
	rng := rand.New(rand.NewPCG(1, uint64(a.bytes)))
	for round := range rounds {
		// In another order each round: what one leaves in the cache is of use to the next on its table.
		for turn, n := range rng.Perm(len(all)) {
			c := all[n]
			blocks := a.tables[c.encoding.String()]
			from := uint64(round) * uint64(keys)
			if a.bytes > warmBytes { // no two have the same lines
				from = uint64(round*len(all)+turn) * uint64(keys)
			}
			a.keys(members, mixed, from)
			for op, run := range c.streams {
				hashes := members
				if op == 0 {
					hashes = mixed
				}
				a.prepare(blocks, hashes)
				begin := time.Now()
				run(blocks, hashes)
				samples[n][op] = append(samples[n][op], float64(time.Since(begin).Nanoseconds())/float64(keys))
			}
		}
	}
	for n, c := range all {
		for op, name := range operations {
			t := Timing{Bytes: a.bytes, Turnovers: turnovers, Operation: name, Encoding: c.encoding.String(), Kind: c.kind}
			t.Least, t.Median, _ = result.Summarize(samples[n][op])
			format := samples[format(all, c)][op]
			least, _, _ := result.Summarize(format)
			ratios := make([]float64, rounds)
			for i := range ratios {
				ratios[i] = samples[n][op][i] / format[i]
			}
			t.LeastRatio = t.Least / least
			_, t.MedianRatio, _ = result.Summarize(ratios)
			timings = append(timings, t)
		}
	}
	return timings
}

// format returns the number of the contender that has the format in the kind of c.
func format(all []contender, c contender) int {
	kind := strings.TrimSuffix(c.kind, control)
	if kind == handwritten {
		kind = portable
	}
	return slices.IndexFunc(all, func(f contender) bool { return f.kind == kind && f.encoding == encoding.Lanes(1) })
}

// prepare brings the hashes, and a table that is small enough, into the cache. Of a larger one the cache
// loses all but a line of each page, and with that has where the pages are, whoever was there before. It
// returns what it found, so that the loads stay.
//
//go:noinline
func (a *arena) prepare(blocks []encoding.Block, hashes []uint64) (sum uint64) {
	stride := 1
	if a.bytes > warmBytes {
		sum, stride = evict(), 4096/(8*fallback.Lanes)
	}
	for i := 0; i < len(blocks); i += stride {
		sum += blocks[i][0]
	}
	for i := 0; i < len(hashes); i += 8 {
		sum += hashes[i]
	}
	return sum
}

var evicting []uint64

// evict reads four times what the last-level cache has.
func evict() (sum uint64) {
	if evicting == nil {
		evicting = make([]uint64, min(max(64<<20, 4*cpuid.CPU.Cache.L3), 512<<20)/8)
		for i := range evicting {
			evicting[i] = 1 // or all pages would be one of zeros
		}
	}
	for i := 0; i < len(evicting); i += 8 {
		sum += evicting[i]
	}
	return sum
}
