package kernels

import (
	"math"
	"math/bits"
	"time"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

// Speed is the time of batches in one table of 512-bit blocks.
type Speed struct {
	Bytes  int    `json:"bytes"`
	Keys   int    `json:"keys"` // members that are queried, deleted and inserted again, in a round
	Batch  int    `json:"batch"`
	Rounds int    `json:"rounds"`
	Times  []Time `json:"times"` // of query, delete and insert
}

// Time is the time of an operation: of Memory, and of each implementation, the best first.
type Time struct {
	Operation string `json:"operation"`
	By        []By   `json:"by"`
}

// By is a time and whose it is.
type By struct {
	Name        string  `json:"name"`
	Nanoseconds float64 `json:"ns_per_key"` // the sum over the batches of their least times
}

// Memory is the name of the loops in portable Go that only read one word of each key's block, or
// read and write it.
const Memory = "memory"

// Shape is a table to measure.
type Shape struct {
	Bytes, Keys, Rounds int
}

// Shapes are a table that fits the second-level cache, and one that few caches hold. The keys of
// the second are as many as it has blocks.
var Shapes = []Shape{{1 << 20, 1 << 16, 40}, {256 << 20, 1 << 22, 4}}

const (
	batch      = 4096
	blockBits  = 512
	bitsPerKey = 16
	operations = 3
)

var names = [operations]string{"query", "delete", "insert"}

// subject is what is timed, by operation.
type subject struct {
	name string
	run  [operations]func(hashes []uint64)
}

// Steps returns how often Measure calls its step.
func (s Shape) Steps() int { return s.Rounds * (1 + len(dispatch.Implementations())) }

// Measure times the implementations in a table with 16 bits per key, and calls step after each of
// them in each round. Of each batch the least time of all rounds counts. A delete is followed by an
// insert of the same members, which brings back the table's bits.
func Measure(s Shape, step func()) Speed {
	table := newTable(s.Bytes)
	members := make([]uint64, s.Keys)
	for i := range members {
		members[i] = workload.Mix(uint64(i) * workload.Step)
	}
	table.QueryInsertBatch(members, nil)
	return s.time(subjectsOf(table), members, step)
}

// time times subjects.
func (s Shape) time(subjects []subject, members []uint64, step func()) Speed {
	batches := s.Keys / batch
	least := make([]time.Duration, len(subjects)*operations*batches)
	for i := range least {
		least[i] = math.MaxInt64
	}
	for range s.Rounds {
		for i, subject := range subjects {
			for operation, run := range subject.run {
				times := least[(i*operations+operation)*batches:][:batches]
				for b := range times {
					hashes := members[b*batch:][:batch]
					begin := time.Now()
					run(hashes)
					times[b] = min(times[b], time.Since(begin))
				}
			}
			step()
		}
	}
	speed := Speed{Bytes: s.Bytes, Keys: s.Keys, Batch: batch, Rounds: s.Rounds}
	for operation, name := range names {
		t := Time{Operation: name}
		for i, subject := range subjects {
			sum := time.Duration(0)
			for _, took := range least[(i*operations+operation)*batches:][:batches] {
				sum += took
			}
			t.By = append(t.By, By{subject.name, float64(sum.Nanoseconds()) / float64(s.Keys)})
		}
		speed.Times = append(speed.Times, t)
	}
	return speed
}

// newTable returns a table in the memory that package kernel gives. A part of it is filled, and
// copied over the rest: blocks are as full as those of a table that is filled by inserts.
func newTable(bytes int) kernel.Table512 {
	table := kernel.NewTable512(bytes / (blockBits / 8))
	part := table[:min(len(table), 1<<14)]
	others := make([]uint64, len(part)*blockBits/bitsPerKey)
	for i := range others {
		others[i] = workload.Mix(^uint64(i) * workload.Step)
	}
	part.QueryInsertBatch(others, nil)
	for filled := len(part); filled < len(table); filled *= 2 {
		copy(table[filled:], table[:filled])
	}
	return table
}

// subjectsOf returns the loops over memory and the implementations.
func subjectsOf(table kernel.Table512) []subject {
	lanes := dispatch.Lanes(table)
	present := make([]uint64, batch/64)
	status := make([]uint8, batch)
	rewrite := func(hashes []uint64) { RewriteEach(lanes, hashes) }
	all := []subject{{Memory, [operations]func([]uint64){
		func(hashes []uint64) { ReadEach(lanes, hashes) }, rewrite, rewrite,
	}}}
	for _, im := range dispatch.Implementations() {
		ops := im.Operations512()
		all = append(all, subject{im.String(), [operations]func([]uint64){
			func(hashes []uint64) { ops.QueryBatch(lanes, hashes, present) },
			func(hashes []uint64) { ops.DeleteBatch(lanes, hashes, status) },
			func(hashes []uint64) { ops.InsertBatch(lanes, hashes, present) },
		}})
	}
	return all
}

// nothing is zero, which the compiler does not know: it keeps the loads of loops that read only.
var nothing uint64

// ReadEach reads a word of the block of each hash.
func ReadEach[L fallback.Lane](lanes [][fallback.Lanes]L, hashes []uint64) {
	sum := L(0)
	for _, h := range hashes {
		i, _ := bits.Mul64(h, uint64(len(lanes)))
		sum |= lanes[i][1]
	}
	nothing &= uint64(sum)
}

// RewriteEach reads and writes a word of the block of each hash, with the value that it has.
func RewriteEach[L fallback.Lane](lanes [][fallback.Lanes]L, hashes []uint64) {
	for _, h := range hashes {
		i, _ := bits.Mul64(h, uint64(len(lanes)))
		lanes[i][1] |= L(nothing)
	}
}
