package vectors

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
)

// Config says which run [Make] writes.
type Config struct {
	BlockBits int    // 512 or 256
	NBlocks   int    // blocks of the table, 1..MaxBlocks
	Records   int    // records of the run, at least 0
	Seed      uint64 // of the random choices; the same configuration gives the same bytes
}

// Tally has the number of records of a run, by operation and result.
type Tally map[Op]map[Result]int

func (t Tally) add(r *Record) {
	if t[r.Op] == nil {
		t[r.Op] = map[Result]int{}
	}
	t[r.Op][r.Result]++
}

// Make writes a run of mixed operations to w, with the results of the definition in package
// fallback. It returns how often each result occurred. Some inserts repeat a member, so that its
// deletes are retained, which is rare for random keys. The error is that of w, or says which field
// of config is wrong.
func Make(w io.Writer, config Config) (Tally, error) {
	if config.BlockBits != 512 && config.BlockBits != 256 {
		return nil, fmt.Errorf("vectors: blocks of %d bits, expected 512 or 256", config.BlockBits)
	}
	if config.NBlocks < 1 || config.NBlocks > MaxBlocks {
		return nil, fmt.Errorf("vectors: %d blocks, expected 1 to %d", config.NBlocks,
			MaxBlocks)
	}
	if config.Records < 0 {
		return nil, fmt.Errorf("vectors: %d records, expected at least 0", config.Records)
	}
	if config.BlockBits == 256 {
		return makeRun[uint32](w, config)
	}
	return makeRun[uint64](w, config)
}

func makeRun[T fallback.Lane](w io.Writer, config Config) (Tally, error) {
	rng := rand.New(rand.NewPCG(config.Seed, uint64(laneBits(config.BlockBits))))
	table := make([][fallback.Lanes]T, config.NBlocks)
	tally := Tally{}
	out := bufio.NewWriter(w)
	var members []uint64
	for i := range config.Records {
		op, h := choose(rng, i, &members)
		r := Record{BlockBits: config.BlockBits, NBlocks: config.NBlocks, Op: op, H: h}
		r.Block = blockOf(h, config.NBlocks)
		r.Mask = maskOf(op, config.BlockBits, h)
		block, mask := &table[r.Block], narrow[T](r.Mask)
		switch op {
		case Query, Match:
			r.Result = presence(fallback.QueryMask(block, &mask))
		case Insert:
			r.Result = presence(fallback.InsertMask(block, &mask))
		case Delete:
			r.Result = statusResult(fallback.DeleteMask(block, &mask))
		case Merge:
			fallback.MergeBlock(block, &mask)
			r.Result = Merged
		}
		r.After = widen(*block)
		tally.add(&r)
		if _, err := out.Write(r.line()); err != nil {
			return tally, err
		}
	}
	return tally, out.Flush()
}

func presence(present bool) Result {
	if present {
		return Present
	}
	return Absent
}

func statusResult(status fallback.Status) Result {
	return [...]Result{fallback.Absent: Absent, fallback.Retained: Retained,
		fallback.Deleted: Deleted}[status]
}

// corners are hashes with the first and the last block and position.
var corners = [...]uint64{0, 1, math.MaxUint64, 1 << 63, 1<<63 - 1, 0x0123456789abcdef}

// choose returns the operation and the hash of record i, and updates the list of members.
func choose(rng *rand.Rand, i int, members *[]uint64) (Op, uint64) {
	fresh := rng.Uint64()
	if i < len(corners) {
		fresh = corners[i]
	}
	choice := rng.IntN(100)
	if i < len(corners) || len(*members) == 0 || choice < 32 {
		*members = append(*members, fresh)
		return Insert, fresh
	}
	drawn := rng.IntN(len(*members))
	member := (*members)[drawn]
	switch {
	case choice < 40:
		*members = append(*members, member)
		return Insert, member
	case choice < 48:
		return Query, member
	case choice < 56:
		return Query, fresh
	case choice < 82:
		last := len(*members) - 1
		(*members)[drawn] = (*members)[last]
		*members = (*members)[:last]
		return Delete, member
	case choice < 86:
		return Delete, fresh
	case choice < 90:
		return Merge, fresh
	case choice < 95:
		return Match, member
	default:
		return Match, fresh
	}
}
