// Package vectors writes and checks test vectors for the operations on blocks. Use it to test
// another implementation of the format, in any language or in hardware, against the definition in
// package fallback. The commands "bloomlane vectors make" and "bloomlane vectors check" do the
// same.
//
//	tally, err := vectors.Make(w, vectors.Config{BlockBits: 512, NBlocks: 4, Records: 10_000})
//	n, err := vectors.Check(r, vectors.Targets(kernel.Active())[0])
//
// A file is one run, in JSON lines. All blocks of a table are empty at the start, and the records
// apply in order. A record is
//
//	{"block_bits":512,"nblocks":4,"op":"insert","h":"0x…","block":2,
//	"mask":["0x…", … 8],"after":["0x…", … 8],"result":"absent"}
//
// on one line, without spaces, with the fields in this order. Numbers are in lower-case hex: 16
// digits for h, and 16 or 8 digits for a lane of a block of 512 or 256 bits. Lane 0 comes first.
// All records of a file have the same block_bits and the same nblocks, the number of blocks of the
// table. The hash h determines the block and the mask. after is that block after the operation. A
// line that differs from what [Make] writes for the same record is malformed, so every changed
// character is found.
//
//	op      mask                         result
//	query   the mask of h                present | absent
//	insert  the mask of h                present | absent, before the insert
//	delete  the mask of h                absent | retained | deleted
//	merge   the other block: see Other   merged
//	match   the mask of h                present | absent
package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/bloomlane/bloomlane/fallback"
)

// Op is the operation of a record.
type Op string

// The operations of a record.
const (
	Query  Op = "query"
	Insert Op = "insert"
	Delete Op = "delete"
	Merge  Op = "merge"
	Match  Op = "match"
)

// Result is the result of the operation of a record.
type Result string

// The results of a record.
const (
	Present  Result = "present"
	Absent   Result = "absent"
	Retained Result = "retained"
	Deleted  Result = "deleted"
	Merged   Result = "merged"
)

var results = map[Op][]Result{
	Query:  {Present, Absent},
	Insert: {Present, Absent},
	Delete: {Absent, Retained, Deleted},
	Merge:  {Merged},
	Match:  {Present, Absent},
}

// A Block has eight lanes, lane 0 first. A lane of a block of 256 bits is the low half of its
// element.
type Block [fallback.Lanes]uint64

// Record is one operation of a run, with its result.
type Record struct {
	BlockBits int    // 512 or 256
	NBlocks   int    // blocks of the table, 1..MaxBlocks
	Op        Op     // the operation
	H         uint64 // the hash, which determines Block and Mask
	Block     int    // the block that the operation touches
	Mask      Block  // its argument
	After     Block  // the block after it
	Result    Result // its result
}

// Limits of a file, because a file that is read need not be right.
const (
	MaxBlocks = 1 << 20 // blocks of a table: 64 MiB of them
	maxLine   = 1 << 10 // bytes of a line; the longest that Make writes has about 450
)

func laneBits(blockBits int) int { return blockBits / fallback.Lanes }

// blockOf returns the index of the block of a hash.
func blockOf(h uint64, nblocks int) int { return int(fallback.Index(h, uint64(nblocks))) }

// maskOf returns the mask of a record, which its operation and its hash determine.
func maskOf(op Op, blockBits int, h uint64) Block {
	switch {
	case op == Merge:
		return Other(blockBits, h)
	case blockBits == 256:
		return widen(fallback.Mask[uint32](h))
	default:
		return widen(fallback.Mask[uint64](h))
	}
}

// Other returns the other block of a merge, for blocks of 512 or 256 bits. It makes lanes 0 to 7
// one after another from a PCG-DXSM generator that is seeded with (h, 64) or (h, 32), where the
// second number is the width of a lane. A data lane is the AND of three words of the generator, and
// lane 0 of four, so their bits are set with the probabilities 1/8 and 1/16.
func Other(blockBits int, h uint64) Block {
	w := laneBits(blockBits)
	rng := rand.NewPCG(h, uint64(w))
	var other Block
	for lane := range other {
		words := 3
		if lane < fallback.CollisionLanes {
			words = 4
		}
		other[lane] = 1<<w - 1
		for range words {
			other[lane] &= rng.Uint64()
		}
	}
	return other
}

func widen[T fallback.Lane](lanes [fallback.Lanes]T) (b Block) {
	for lane := range lanes {
		b[lane] = uint64(lanes[lane])
	}
	return b
}

func narrow[T fallback.Lane](b Block) (lanes [fallback.Lanes]T) {
	for lane := range lanes {
		lanes[lane] = T(b[lane])
	}
	return lanes
}

// recordJSON is a record in JSON.
type recordJSON struct {
	BlockBits int      `json:"block_bits"`
	NBlocks   int      `json:"nblocks"`
	Op        Op       `json:"op"`
	H         string   `json:"h"`
	Block     int      `json:"block"`
	Mask      []string `json:"mask"`
	After     []string `json:"after"`
	Result    Result   `json:"result"`
}

// line returns the line of the record, with its line end.
func (r *Record) line() []byte {
	hex := func(width int, numbers ...uint64) (all []string) {
		for _, v := range numbers {
			all = append(all, fmt.Sprintf("0x%0*x", width/4, v))
		}
		return all
	}
	w := laneBits(r.BlockBits)
	line, err := json.Marshal(recordJSON{r.BlockBits, r.NBlocks, r.Op, hex(64, r.H)[0], r.Block,
		hex(w, r.Mask[:]...), hex(w, r.After[:]...), r.Result})
	if err != nil {
		panic(err) // numbers and strings have a form
	}
	return append(line, '\n')
}

// parse reads one line with its line end. It accepts only what [Record.line] returns.
func parse(line []byte) (Record, error) {
	var text recordJSON
	if err := json.Unmarshal(line, &text); err != nil {
		return Record{}, err
	}
	r := Record{BlockBits: text.BlockBits, NBlocks: text.NBlocks, Op: text.Op, Block: text.Block,
		Result: text.Result}
	if r.BlockBits != 512 && r.BlockBits != 256 {
		return Record{}, fmt.Errorf("block_bits is %d, want 512 or 256", r.BlockBits)
	}
	if r.NBlocks < 1 || r.NBlocks > MaxBlocks {
		return Record{}, fmt.Errorf("nblocks is %d, want 1..%d", r.NBlocks, MaxBlocks)
	}
	if r.Block < 0 || r.Block >= r.NBlocks {
		return Record{}, fmt.Errorf("block is %d, want 0..%d", r.Block, r.NBlocks-1)
	}
	allowed, known := results[r.Op]
	if !known {
		return Record{}, fmt.Errorf("op is %q, want query, insert, delete, merge or match", r.Op)
	}
	if !slices.Contains(allowed, r.Result) {
		return Record{}, fmt.Errorf("result of %s is %q, want one of %q", r.Op, r.Result, allowed)
	}
	var err error
	if r.H, err = parseHex(text.H, 64); err != nil {
		return Record{}, fmt.Errorf("h: %w", err)
	}
	if r.Mask, err = parseBlock(text.Mask, laneBits(r.BlockBits)); err != nil {
		return Record{}, fmt.Errorf("mask: %w", err)
	}
	if r.After, err = parseBlock(text.After, laneBits(r.BlockBits)); err != nil {
		return Record{}, fmt.Errorf("after: %w", err)
	}
	if canonical := r.line(); !bytes.Equal(line, canonical) {
		i := 0
		for i < min(len(line), len(canonical)) && line[i] == canonical[i] {
			i++
		}
		return Record{},
			fmt.Errorf("byte %d differs from the form of this record, %s", i+1,
				bytes.TrimSpace(canonical))
	}
	return r, nil
}

func parseBlock(lanes []string, width int) (b Block, err error) {
	if len(lanes) != len(b) {
		return b, fmt.Errorf("%d lanes, want %d", len(lanes), len(b))
	}
	for lane := range lanes {
		if b[lane], err = parseHex(lanes[lane], width); err != nil {
			return b, fmt.Errorf("lane %d: %w", lane, err)
		}
	}
	return b, nil
}

func parseHex(s string, width int) (uint64, error) {
	if len(s) != 2+width/4 || s[:2] != "0x" {
		return 0, fmt.Errorf("%q, want 0x and %d hex digits", s, width/4)
	}
	return strconv.ParseUint(s[2:], 16, width)
}
