package cosim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/hdl/toeplitz"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

// The table engine and its two hashes.
var tableBenches = []bench{
	toeplitzBench(1),
	toeplitzBench(13), // an IPv4 five-tuple
	toeplitzBench(40), // the longest
	siphashBench(13, 1, 3),
	siphashBench(16, 2, 4), // the last word has the length alone
	siphashBench(40, 1, 3), // the longest
	spreadBench(0),
	spreadBench(1),
	tableCoreBench[uint32](1), // cleared before what was under way is through
	tableCoreBench[uint64](2),
	tableCoreBench[uint32](3),
	tableCoreBench[uint64](5),
	tableCoreBench[uint32](9),
	tableCoreBench[uint64](12),
	flippedBench[uint32](2, 2),
	flippedBench[uint64](1, 3),
	tableBench[uint32](1, 4), // an IPv4 address
	tableBench[uint64](2, 13),
	tableBench[uint64](3, 13),
	tableBench[uint32](9, 4),
	hashedTableBench[uint32](3, 1, siphashHashing(4, 1, 3)),
}

// hashing is a hash of the table engine, for fields of one length.
type hashing struct {
	fieldBytes int
	keyBytes   int // the last word of the key filled up
	latency    int
	keyed      func(key []byte) func(field []byte) uint64
}

func toeplitzHashing(fieldBytes int) hashing {
	return hashing{fieldBytes, (fieldBytes + 11) / 4 * 4, 3,
		func(key []byte) func([]byte) uint64 {
			k, err := toeplitz.New(key[:fieldBytes+toeplitz.Window])
			if err != nil {
				panic(err)
			}
			return k.Hash
		}}
}

func siphashHashing(fieldBytes, compression, finalization int) hashing {
	return hashing{fieldBytes, siphash.Size,
		2 + 2*(compression*(fieldBytes/8+1)+finalization),
		func(key []byte) func([]byte) uint64 {
			k := [siphash.Size]byte(key)
			return func(field []byte) uint64 {
				return siphash.Definition(&k, field, compression, finalization)
			}
		}}
}

// keyWriter writes a random key into the RTL: all of it, a word a record, and then a word now and
// then.
type keyWriter struct {
	write, word, data Port
	rng               *rand.Rand
	hashing
	bytes   []byte // the key
	written int    // words, to begin with
	hash    func(field []byte) uint64
}

func newKeyWriter(s *Simulation, rng *rand.Rand, h hashing) *keyWriter {
	bytes := make([]byte, h.keyBytes)
	return &keyWriter{
		write: s.In("key_write"), word: s.In("key_word"), data: s.In("key_data"),
		rng: rng, hashing: h, bytes: bytes, hash: h.keyed(bytes),
	}
}

func (k *keyWriter) whole() bool { return k.written >= len(k.bytes)/4 }

// fill writes a word, the next one or, where the key is whole, any, also past its end.
func (k *keyWriter) fill(record []byte) {
	word, data := k.written, k.rng.Uint32()
	if k.whole() {
		word = k.rng.IntN(1 << k.word.Bits)
	}
	k.written++
	k.write.Set(record, 1)
	k.word.Set(record, uint64(word))
	k.data.Set(record, uint64(data))
	if word >= len(k.bytes)/4 {
		return
	}
	binary.BigEndian.PutUint32(k.bytes[4*word:], data)
	k.hash = k.keyed(k.bytes)
}

// reversed returns the bytes of a field as a port has them, the least significant first.
func reversed(field []byte) []byte {
	out := make([]byte, len(field))
	for i, b := range field {
		out[len(field)-1-i] = b
	}
	return out
}

func toeplitzBench(fieldBytes int) bench {
	return bench{
		name: fmt.Sprintf("toeplitz-%d", fieldBytes),
		model: Model{Top: "bloomlane_toeplitz",
			Parameters: map[string]int{"FIELD_BYTES": fieldBytes}, rude: true},
		vectors: 100_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkHash(s, rng, n, toeplitzHashing(fieldBytes))
		},
	}
}

func siphashBench(fieldBytes, compression, finalization int) bench {
	return bench{
		name: fmt.Sprintf("siphash-%d-%d-%d", compression, finalization, fieldBytes),
		model: Model{Top: "bloomlane_siphash", Parameters: map[string]int{
			"FIELD_BYTES": fieldBytes, "COMPRESSION": compression, "FINALIZATION": finalization,
		}},
		vectors: 100_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkHash(s, rng, n, siphashHashing(fieldBytes, compression, finalization))
		},
	}
}

// checkHash holds a hash, under a key of which words change at any time, against Go: the key of a
// field is that in the clock before the advance behind the field's own. The first fields of every
// period have one bit each, which show a Toeplitz key's every window.
func checkHash(s *Simulation, rng *rand.Rand, n int, h hashing) error {
	const period = 4000
	advance, in, hash := s.In("advance"), s.In("field"), s.Out("hash")
	key := newKeyWriter(s, rng, h)
	field := make([]byte, h.fieldBytes)
	var last *uint64 // the hash of the field, once it is known
	single := 0
	return drivePipeline(s, n, h.latency, func(i int, record []byte) *uint64 {
		clear(record)
		if i%period == 0 {
			single = 0
		}
		moves := rng.IntN(4) > 0
		if moves && last != nil {
			*last = key.hash(field)
		}
		if !key.whole() || rng.IntN(64) == 0 {
			defer key.fill(record) // from the next clock on
		}
		if !moves {
			in.SetBytes(record, []byte{byte(rng.Uint32())}) // the table must not use it
			return nil
		}
		advance.Set(record, 1)
		for j := range field {
			field[j] = byte(rng.Uint32())
		}
		if single < 8*h.fieldBytes {
			clear(field)
			field[single/8] = 0x80 >> (single % 8)
			single++
		}
		in.SetBytes(record, reversed(field))
		last = nil
		if key.whole() {
			last = new(uint64)
		}
		return last
	}, func(record []byte) bool { return advance.Get(record) == 1 }, hash)
}

// drivePipeline drives a pipeline without a valid signal, which moves when advance says so: the
// value whose place fill returns must come out latency advances later, unless that is nil. It may
// be put there until one advance later.
func drivePipeline(
	s *Simulation,
	n, latency int,
	fill func(i int, record []byte) *uint64,
	advance func(record []byte) bool,
	out Port,
) error {
	ahead := make([]*uint64, 2*batch)
	stages := make([]*uint64, latency)
	compared := 0
	err := drive(s, n, func(i int, record []byte) {
		ahead[i%len(ahead)] = fill(i, record)
	}, func(i int, record, answer []byte) error {
		if want := stages[latency-1]; want != nil {
			compared++
			if err := differValue(out.Name, out.Get(answer), *want); err != nil {
				return err
			}
		}
		if advance(record) {
			copy(stages[1:], stages)
			stages[0] = ahead[i%len(ahead)]
		}
		return nil
	})
	if err == nil && compared < n/2 {
		err = fmt.Errorf("%d of %d answers are compared: %w", compared, n, errNarrow)
	}
	return err
}

func spreadBench(dsp int) bench {
	return bench{
		name:    fmt.Sprintf("spread-%s", [...]string{"adders", "multipliers"}[dsp]),
		model:   Model{Top: "bloomlane_spread", Parameters: map[string]int{"DSP": dsp}},
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			advance, h, g := s.In("advance"), s.In("h"), s.Out("g")
			return drivePipeline(s, n, 6, func(i int, record []byte) *uint64 {
				hash := fallback.Spread(hashAt(i, rng)) // single bits, all but one, anything
				advance.Set(record, uint64(min(1, rng.IntN(4))))
				h.Set(record, hash)
				want := fallback.Spread(hash)
				return &want
			}, func(record []byte) bool { return advance.Get(record) == 1 }, g)
		},
	}
}

// hot chooses hashes such that operations follow closely on others of the same block and of the
// same positions, in a table of 2^log2 blocks.
type hot[T fallback.Lane] struct {
	stimuli[T]
	log2                 int
	inIndex, inPositions Port
	shadow               [][fallback.Lanes]T         // about what the table will be
	recent               []struct{ index, h uint64 } // what comes soon after may be like it
}

func (s *hot[T]) reset() { s.shadow = make([][fallback.Lanes]T, 1<<s.log2) }

func (s *hot[T]) next(record []byte) (op, index uint64, mask [fallback.Lanes]T) {
	op = s.Uint64N(4)
	index, h := s.Uint64()>>(64-s.log2), s.Uint64()
	ahead := &s.recent[s.IntN(len(s.recent))]
	if s.IntN(4) > 0 {
		index = ahead.index
	}
	switch s.IntN(8) {
	case 0, 1, 2, 3:
		h = ahead.h
	case 4, 5:
		h = chosen(s.Rand, &s.shadow[index], s.IntN(2) == 0)
	case 6: // differs from one just ahead in some lanes
		g := fallback.Spread(ahead.h)
		other := s.Uint64() & s.Uint64()
		h = (g&^other | s.Uint64()&other) * inverse
	}
	copy(s.recent[1:], s.recent[:])
	s.recent[0].index, s.recent[0].h = index, h
	mask = fallback.Mask[T](h)
	s.results[op][perform(op, &s.shadow[index], &mask)]++
	s.inIndex.Set(record, index)
	s.inPositions.Set(record, fallback.Positions[T](h))
	return op, index, mask
}

func tableCoreBench[T fallback.Lane](log2 int) bench {
	return bench{
		name: fmt.Sprintf("table-core-w%d-%d", fallback.LaneBits[T](), log2),
		model: Model{Top: "bloomlane_table_core", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "LOG2_BLOCKS": log2,
		}},
		vectors: 1_000_000 / max(1, log2-5),
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkTableCore[T](s, rng, n, log2)
		},
	}
}

// checkTableCore holds a stream of operations on few blocks, with gaps and resets, against the same
// operations one after another.
func checkTableCore[T fallback.Lane](s *Simulation, rng *rand.Rand, n, log2 int) error {
	hot := newHot[T](s, rng, log2, 4)
	if err := driveTable(s, rng, n, tableEngine[T]{log2: log2, latency: 5}, hot); err != nil {
		return err
	}
	return hot.everything(n)
}

func newHot[T fallback.Lane](s *Simulation, rng *rand.Rand, log2, near int) *hot[T] {
	return &hot[T]{stimuli: stimuli[T]{Rand: rng}, log2: log2, inIndex: s.In("in_index"),
		inPositions: s.In("in_positions"), recent: make([]struct{ index, h uint64 }, near)}
}

// flippedCore is a table with all that it lacks by default, and an input that flips a bit of its
// memory.
const flippedCore = `
module flipped_core #(parameter W = 32, parameter LOG2_BLOCKS = 2, parameter READ_STAGES = 2) (
    input wire clk, input wire rst, output wire ready,
    input wire in_valid, input wire [1:0] in_op, input wire [LOG2_BLOCKS-1:0] in_index,
    input wire [7*$clog2(W)-1:0] in_positions,
    input wire in_merge, input wire [8*W-1:0] merge_block,
    output wire out_valid, output wire [1:0] out_result, output wire out_flipped,
    output wire [8*W-1:0] next_block,
    input wire flip, input wire [LOG2_BLOCKS-1:0] flip_index, input wire [$clog2(8*W)-1:0] flip_bit
);
    bloomlane_table_core #(
        .W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .READ_STAGES(READ_STAGES), .PARITY(1), .MERGE(1)
    ) core (
        .clk(clk), .rst(rst), .ready(ready), .in_valid(in_valid), .in_op(in_op), .in_index(in_index),
        .in_positions(in_positions), .in_merge(in_merge), .merge_block(merge_block),
        .out_valid(out_valid), .out_result(out_result), .out_flipped(out_flipped),
        .next_block(next_block)
    );
    always @(posedge clk)
        if (flip) core.memory[flip_index][flip_bit] <= !core.memory[flip_index][flip_bit];
endmodule
`

// flippedBench holds a table whose memory answers in 2 or 3 clocks, into which blocks are merged
// and of which bits flip.
func flippedBench[T fallback.Lane](log2, reads int) bench {
	return bench{
		name: fmt.Sprintf("table-core-w%d-%d-reads-%d", fallback.LaneBits[T](), log2, reads),
		model: Model{Top: "flipped_core", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "LOG2_BLOCKS": log2, "READ_STAGES": reads,
		}, Sources: map[string]string{"flipped_core.v": flippedCore}},
		vectors: 400_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			source := &accidents[T]{hot: newHot[T](s, rng, log2, reads+3), reads: reads,
				memory: make([]parity, 1<<log2), recent: make([]uint64, reads+2),
				inMerge: s.In("in_merge"), mergeBlock: s.In("merge_block"), flip: s.In("flip"),
				flipIndex: s.In("flip_index"), flipBit: s.In("flip_bit"),
				outFlipped: s.Out("out_flipped"), nextBlock: s.Out("next_block")}
			err := driveTable(s, rng, n, tableEngine[T]{log2: log2, latency: 4 + reads,
				accidents: source}, source)
			if err != nil {
				return err
			}
			if source.found < n/200 {
				return fmt.Errorf("%d of %d operations saw a flipped bit: %w", source.found, n,
					errNarrow)
			}
			return source.everything(n)
		},
	}
}

// accidents merges blocks into a table, and flips bits of its memory while no operation is under
// way.
type accidents[T fallback.Lane] struct {
	*hot[T]
	reads                    int
	inMerge, mergeBlock      Port
	flip, flipIndex, flipBit Port
	outFlipped, nextBlock    Port

	merged [fallback.Lanes]T
	stands int  // clocks for which merged stays as it is
	quiet  int  // clocks in which no operation may come; in the last of them a bit flips
	silent bool // this is one of them
	calm   int  // clocks since a reset

	memory []parity // of the blocks
	recent []uint64 // the blocks of the last operations, plus 1, the newest first
	found  int      // operations that were told
}

// parity is what a table's memory has of a block whose bits have flipped.
type parity struct {
	odd     uint8 // lanes
	written int   // clocks since an operation that wrote the block began
}

func (a *accidents[T]) reset() {
	a.hot.reset()
	a.calm = 0
}

func (a *accidents[T]) next(record []byte) (op, index uint64, mask [fallback.Lanes]T) {
	op, index, mask = a.hot.next(record)
	a.calm++
	a.silent = a.quiet > 0
	switch {
	case a.silent:
		if a.quiet--; a.quiet == 0 && a.calm > 30+1<<a.log2 {
			a.flip.Set(record, 1)
			a.flipIndex.Set(record, a.Uint64N(1<<a.log2))
			a.flipBit.Set(record, a.Uint64N(uint64(fallback.Lanes*fallback.LaneBits[T]())))
		}
	case a.IntN(64) == 0:
		a.quiet = 10
	}
	if a.stands > 0 {
		a.stands--
	} else {
		for lane := range a.merged {
			a.merged[lane] = a.sparse(5)
		}
		if a.IntN(64) == 0 {
			a.stands = a.reads + 1
			a.inMerge.Set(record, 1)
			op, mask = opInsert, a.merged
			fallback.InsertMask(&a.shadow[index], &mask)
		}
	}
	setBlock(a.mergeBlock, record, &a.merged)
	return op, index, mask
}

// begin is told what comes into the table, and flips the bit that the record flips.
func (a *accidents[T]) begin(record []byte, o *operation[T], table [][fallback.Lanes]T) {
	o.merges = a.inMerge.Get(record) == 1
	behind := a.reads + 3 // clocks after an operation another sees in the memory what it wrote
	for i := range a.memory {
		m := &a.memory[i]
		if m.written > 0 {
			if m.written++; m.written > behind {
				*m = parity{}
			}
		}
	}
	if a.flip.Get(record) == 1 {
		index, at := a.flipIndex.Get(record), a.flipBit.Get(record)
		lane := at / uint64(fallback.LaneBits[T]())
		table[index][lane] ^= 1 << (at % uint64(fallback.LaneBits[T]()))
		a.memory[index].odd ^= 1 << lane
	}
	this := uint64(0)
	if o.valid {
		this = o.index + 1
		m := &a.memory[o.index]
		o.flipped = m.odd != 0 && !slices.Contains(a.recent[2:], this)
		if o.op == opInsert || o.op == opDelete {
			m.written = max(1, m.written)
		}
	}
	copy(a.recent[1:], a.recent)
	a.recent[0] = this
}

// verify holds what the table says of a flipped bit, and of the block of the next result, against
// the model.
func (a *accidents[T]) verify(answer []byte, last, next *operation[T]) error {
	if last.valid {
		if last.flipped {
			a.found++
		}
		err := differValue("out_flipped", a.outFlipped.Get(answer), bit(last.flipped))
		if err != nil {
			return err
		}
	}
	if !next.valid {
		return nil
	}
	block := getBlock[T](a.nextBlock, answer)
	return differ("next_block", &block, &next.after)
}

// A source of operations for a table.
type source[T fallback.Lane] interface {
	reset() // the table is cleared
	// next may write a word of the key, and returns the operation, its block and its mask.
	next(record []byte) (op, index uint64, mask [fallback.Lanes]T)
}

// operation is one in a table's pipeline.
type operation[T fallback.Lane] struct {
	op, index     uint64
	mask          [fallback.Lanes]T
	valid, merges bool
	result        uint64
	flipped       bool
	after         [fallback.Lanes]T // its block
}

// tableEngine is a table of 2^log2 blocks, whose results come latency clocks after their
// operations, and which waits for words of a key.
type tableEngine[T fallback.Lane] struct {
	log2, latency, words int
	accidents            *accidents[T] // or nil
}

// driveTable drives an engine. The first reset takes a clock.
func driveTable[T fallback.Lane](
	s *Simulation,
	rng *rand.Rand,
	n int,
	e tableEngine[T],
	source source[T],
) error {
	rst, inValid, inOp := s.In("rst"), s.In("in_valid"), s.In("in_op")
	ready, outValid, outResult := s.Out("ready"), s.Out("out_valid"), s.Out("out_result")
	var keyWrite, keyWord Port
	if e.words > 0 {
		keyWrite, keyWord = s.In("key_write"), s.In("key_word")
	}
	missing := uint64(1)<<e.words - 1 // words of the key
	ahead := make([]operation[T], 2*batch)
	stages := make([]operation[T], e.latency)
	resets := 1
	table := make([][fallback.Lanes]T, 1<<e.log2)
	source.reset()
	started, waited, sparse := false, 0, 0
	return drive(s, n, func(i int, record []byte) {
		clear(record)
		if rng.IntN(500<<e.log2) == 0 {
			resets = max(1, rng.IntN(6)-2)
		}
		if resets > 0 {
			resets--
			rst.Set(record, 1)
			source.reset()
			sparse = rng.IntN(3)
		}
		o := &ahead[i%len(ahead)]
		*o = operation[T]{}
		o.op, o.index, o.mask = source.next(record)
		inOp.Set(record, o.op)
		if rng.IntN(4) >= sparse && (e.accidents == nil || !e.accidents.silent) {
			inValid.Set(record, 1)
		}
	}, func(i int, record, answer []byte) error {
		isReady := ready.Get(answer) == 1
		if started {
			if waited++; isReady != (waited > 1<<e.log2+1 && missing == 0) {
				return fmt.Errorf("ready is %v in clock %d after a reset of %d blocks, with the "+
					"words %b of the key missing", isReady, waited, 1<<e.log2, missing)
			}
			last := &stages[e.latency-1]
			if err := differValue("out_valid", outValid.Get(answer), bit(last.valid)); err != nil {
				return err
			}
			if last.valid && !last.merges {
				if err := differValue(fmt.Sprintf("out_result of operation %d", last.op),
					outResult.Get(answer), last.result); err != nil {
					return err
				}
			}
			if e.accidents != nil {
				if err := e.accidents.verify(answer, last, &stages[e.latency-2]); err != nil {
					return err
				}
			}
		}
		o := operation[T]{}
		if inValid.Get(record) == 1 && isReady {
			o = ahead[i%len(ahead)]
			o.valid = true
			o.result = perform(o.op, &table[o.index], &o.mask)
			o.after = table[o.index]
		}
		if e.accidents != nil {
			e.accidents.begin(record, &o, table)
		}
		copy(stages[1:], stages)
		stages[0] = o
		if e.words > 0 && keyWrite.Get(record) == 1 {
			missing &^= 1 << keyWord.Get(record)
		}
		if rst.Get(record) == 1 {
			started, waited = true, 0
			clear(stages)
			clear(table)
			if e.accidents != nil {
				clear(e.accidents.memory)
				clear(e.accidents.recent)
			}
		}
		return nil
	})
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func tableBench[T fallback.Lane](log2, fieldBytes int) bench {
	return hashedTableBench[T](log2, 0, toeplitzHashing(fieldBytes))
}

func hashedTableBench[T fallback.Lane](log2, hash int, h hashing) bench {
	return bench{
		name: fmt.Sprintf("table-w%d-%d-%d", fallback.LaneBits[T](), log2, h.fieldBytes) +
			[]string{"", "-siphash"}[hash],
		model: Model{Top: "bloomlane_table", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "LOG2_BLOCKS": log2, "FIELD_BYTES": h.fieldBytes,
			"HASH": hash,
		}, rude: hash == 0}, // writes words past the key's end
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkTable[T](s, rng, n, log2, h)
		},
	}
}

// checkTable holds operations on fields, of which there are few, against the same on their hashes
// in Go, under a key of which words change at any time.
func checkTable[T fallback.Lane](s *Simulation, rng *rand.Rand, n, log2 int, h hashing) error {
	fields := &fields[T]{key: newKeyWriter(s, rng, h), log2: log2, inField: s.In("in_field")}
	for range 16 << log2 {
		field := make([]byte, h.fieldBytes)
		for j := range field {
			field[j] = byte(rng.Uint32())
		}
		fields.list = append(fields.list, field)
	}
	return driveTable(s, rng, n, tableEngine[T]{log2: log2, latency: h.latency + 11,
		words: h.keyBytes / 4}, fields)
}

// fields chooses among few fields, and writes the key that they are hashed with.
type fields[T fallback.Lane] struct {
	key     *keyWriter
	log2    int
	inField Port
	list    [][]byte
}

func (f *fields[T]) reset() {} // the key stays

func (f *fields[T]) next(record []byte) (op, index uint64, mask [fallback.Lanes]T) {
	rng := f.key.rng
	if !f.key.whole() && rng.IntN(4) == 0 || rng.IntN(500) == 0 { // the table waits for it
		f.key.fill(record)
	}
	field := f.list[rng.IntN(len(f.list))]
	if rng.IntN(2) == 0 {
		field = f.list[rng.IntN(4)]
	}
	f.inField.SetBytes(record, reversed(field))
	h := f.key.hash(field)
	return rng.Uint64N(4), fallback.Index(h, 1<<f.log2), fallback.Mask[T](h)
}
