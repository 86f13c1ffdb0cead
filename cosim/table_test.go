package cosim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/toeplitz"
)

// The table engine and its two hashes.
var tableBenches = []bench{
	toeplitzBench(1),
	toeplitzBench(13), // an IPv4 five-tuple
	toeplitzBench(40), // the longest
	spreadBench(0),
	spreadBench(1),
	tableCoreBench[uint32](3),
	tableCoreBench[uint64](5),
	tableBench[uint32](4, 4), // an IPv4 address
	tableBench[uint64](3, 13),
}

// keyWriter writes a random key into the RTL, a word a record.
type keyWriter struct {
	write, word, data Port
	bytes             []byte // the key, its last word filled up
	next              int    // word that is written next
	key               *toeplitz.Key
	fieldBytes        int
}

func newKeyWriter(s *Simulation, fieldBytes int) *keyWriter {
	return &keyWriter{
		write: s.In("key_write"), word: s.In("key_word"), data: s.In("key_data"),
		bytes: make([]byte, (fieldBytes+11)/4*4), fieldBytes: fieldBytes,
	}
}

func (k *keyWriter) renew(rng *rand.Rand) {
	for i := range k.bytes {
		k.bytes[i] = byte(rng.Uint32())
	}
	var err error
	if k.key, err = toeplitz.New(k.bytes[:k.fieldBytes+toeplitz.Window]); err != nil {
		panic(err)
	}
	k.next = 0
}

func (k *keyWriter) writing() bool { return k.next < len(k.bytes)/4 }

func (k *keyWriter) fill(record []byte) {
	k.write.Set(record, 1)
	k.word.Set(record, uint64(k.next))
	k.data.Set(record, uint64(binary.BigEndian.Uint32(k.bytes[4*k.next:])))
	k.next++
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
		name:    fmt.Sprintf("toeplitz-%d", fieldBytes),
		model:   Model{Top: "bloomlane_toeplitz", Parameters: map[string]int{"FIELD_BYTES": fieldBytes}},
		vectors: 100_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkToeplitz(s, rng, n, fieldBytes)
		},
	}
}

// checkToeplitz holds the hash under many keys against package filter/toeplitz. Every key's first fields have
// one bit each, which show its every window.
func checkToeplitz(s *Simulation, rng *rand.Rand, n, fieldBytes int) error {
	const period = 4000 // records of a key
	advance, in, hash := s.In("advance"), s.In("field"), s.Out("hash")
	key := newKeyWriter(s, fieldBytes)
	field := make([]byte, fieldBytes)
	single := 0
	return drivePipeline(s, n, 3, func(i int, record []byte) (uint64, bool) {
		clear(record)
		if i%period == 0 {
			key.renew(rng)
			single = 0
		}
		advance.Set(record, 1)
		if key.writing() {
			key.fill(record)
			return 0, false
		}
		if i%period < len(key.bytes)/4+8 || i%period >= period-8 { // no hash of two keys
			return 0, false
		}
		for j := range field {
			field[j] = byte(rng.Uint32())
		}
		if single < 8*fieldBytes {
			clear(field)
			field[single/8] = 0x80 >> (single % 8)
			single++
		}
		advance.Set(record, uint64(min(1, rng.IntN(4))))
		in.SetBytes(record, reversed(field))
		return key.key.Hash(field), true
	}, func(record []byte) bool { return advance.Get(record) == 1 }, hash)
}

// drivePipeline drives a pipeline without a valid signal, which moves when advance says so: the
// value that fill returns must come out latency advances later, unless it returns false.
func drivePipeline(s *Simulation, n, latency int, fill func(i int, record []byte) (uint64, bool), advance func(record []byte) bool, out Port) error {
	type stage struct {
		value uint64
		valid bool
	}
	ahead := make([]stage, 2*batch)
	stages := make([]stage, latency)
	compared := 0
	err := drive(s, n, func(i int, record []byte) {
		next := &ahead[i%len(ahead)]
		next.value, next.valid = fill(i, record)
	}, func(i int, record, answer []byte) error {
		if last := stages[latency-1]; last.valid {
			compared++
			if err := differValue(out.Name, out.Get(answer), last.value); err != nil {
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
			return drivePipeline(s, n, 6, func(i int, record []byte) (uint64, bool) {
				hash := fallback.Spread(hashAt(i, rng)) // single bits, all but one, anything
				advance.Set(record, uint64(min(1, rng.IntN(4))))
				h.Set(record, hash)
				return fallback.Spread(hash), true
			}, func(record []byte) bool { return advance.Get(record) == 1 }, g)
		},
	}
}

// hot chooses hashes such that operations follow closely on others of the same block and of the
// same positions, in a table of 2^log2 blocks.
type hot[T fallback.Lane] struct {
	stimuli[T]
	log2   int
	shadow [][fallback.Lanes]T // about what the table will be
	recent [4]struct{ index, h uint64 }
}

func (s *hot[T]) reset() { s.shadow = make([][fallback.Lanes]T, 1<<s.log2) }

// next returns an operation, the block that it is for and the hash whose positions it has.
func (s *hot[T]) next() (op, index, h uint64) {
	op = s.Uint64N(4)
	index, h = s.Uint64()>>(64-s.log2), s.Uint64()
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
		mask := s.Uint64() & s.Uint64()
		h = (g&^mask | s.Uint64()&mask) * inverse
	}
	copy(s.recent[1:], s.recent[:])
	s.recent[0].index, s.recent[0].h = index, h
	mask := fallback.Mask[T](h)
	s.results[op][perform(op, &s.shadow[index], &mask)]++
	return op, index, h
}

func tableCoreBench[T fallback.Lane](log2 int) bench {
	return bench{
		name: fmt.Sprintf("table-core-w%d-%d", fallback.LaneBits[T](), log2),
		model: Model{Top: "bloomlane_table_core", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "LOG2_BLOCKS": log2,
		}},
		vectors: 1_000_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkTableCore[T](s, rng, n, log2)
		},
	}
}

// checkTableCore holds a stream of operations on few blocks, with gaps and resets, against the same
// operations one after another.
func checkTableCore[T fallback.Lane](s *Simulation, rng *rand.Rand, n, log2 int) error {
	inIndex, inPositions := s.In("in_index"), s.In("in_positions")
	hot := hot[T]{stimuli: stimuli[T]{Rand: rng}, log2: log2}
	err := driveTable[T](s, rng, n, log2, 5, &hot, nil, func(record []byte, index, h uint64) {
		inIndex.Set(record, index)
		inPositions.Set(record, fallback.Positions[T](h))
	})
	if err != nil {
		return err
	}
	return hot.everything(n)
}

// A source of operations for a table.
type source interface {
	reset() // the table is cleared
	next() (op, index, h uint64)
}

// driveTable drives an engine of a table of 2^log2 blocks, whose results come latency clocks after
// their operations.
func driveTable[T fallback.Lane](s *Simulation, rng *rand.Rand, n, log2, latency int, source source, key *keyWriter, operand func(record []byte, index, h uint64)) error {
	type operation struct {
		op, index, h uint64
		result       uint64
		valid        bool
	}
	rst, inValid, inOp := s.In("rst"), s.In("in_valid"), s.In("in_op")
	ready, outValid, outResult := s.Out("ready"), s.Out("out_valid"), s.Out("out_result")
	ahead := make([]operation, 2*batch)
	stages := make([]operation, latency)
	table := make([][fallback.Lanes]T, 1<<log2)
	source.reset()
	started, waited, sparse := false, 0, 0
	return drive(s, n, func(i int, record []byte) {
		clear(record)
		if i == 0 || rng.IntN(5000) == 0 {
			rst.Set(record, 1)
			source.reset()
			sparse = rng.IntN(3)
		}
		if key != nil && key.writing() {
			key.fill(record)
			return
		}
		o := &ahead[i%len(ahead)]
		*o = operation{valid: rng.IntN(4) >= sparse}
		o.op, o.index, o.h = source.next()
		if o.valid {
			inValid.Set(record, 1)
		}
		inOp.Set(record, o.op)
		operand(record, o.index, o.h)
	}, func(i int, record, answer []byte) error {
		isReady := ready.Get(answer) == 1
		if started {
			if waited++; isReady {
				waited = 0
			} else if waited > 1<<log2+8 {
				return fmt.Errorf("ready is low for %d clocks", waited)
			}
			last, valid := stages[latency-1], uint64(0)
			if last.valid {
				valid = 1
			}
			if err := differValue("out_valid", outValid.Get(answer), valid); err != nil {
				return err
			}
			if last.valid {
				if err := differValue(fmt.Sprintf("out_result of operation %d", last.op), outResult.Get(answer), last.result); err != nil {
					return err
				}
			}
		}
		o := operation{}
		if inValid.Get(record) == 1 && isReady {
			o = ahead[i%len(ahead)]
			mask := fallback.Mask[T](o.h)
			o.result = perform(o.op, &table[o.index], &mask)
		}
		copy(stages[1:], stages)
		stages[0] = o
		if rst.Get(record) == 1 {
			started, waited = true, 0
			clear(stages)
			clear(table)
		}
		return nil
	})
}

func tableBench[T fallback.Lane](log2, fieldBytes int) bench {
	return bench{
		name: fmt.Sprintf("table-w%d-%d-%d", fallback.LaneBits[T](), log2, fieldBytes),
		model: Model{Top: "bloomlane_table", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "LOG2_BLOCKS": log2, "FIELD_BYTES": fieldBytes,
		}},
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkTable[T](s, rng, n, log2, fieldBytes)
		},
	}
}

// checkTable holds operations on fields, of which there are few, against the same on their hashes in
// Go.
func checkTable[T fallback.Lane](s *Simulation, rng *rand.Rand, n, log2, fieldBytes int) error {
	inField := s.In("in_field")
	key := newKeyWriter(s, fieldBytes)
	key.renew(rng)
	fields := make([][]byte, 16<<log2)
	hashes := make([]uint64, len(fields))
	for i := range fields {
		fields[i] = make([]byte, fieldBytes)
		for j := range fields[i] {
			fields[i][j] = byte(rng.Uint32())
		}
		hashes[i] = key.key.Hash(fields[i])
	}
	flows := &flows{rng, log2, hashes}
	at := map[uint64]int{}
	for i, h := range hashes {
		at[h] = i
	}
	return driveTable[T](s, rng, n, log2, 14, flows, key, func(record []byte, _, h uint64) {
		inField.SetBytes(record, reversed(fields[at[h]]))
	})
}

// flows chooses among the hashes of few fields.
type flows struct {
	*rand.Rand
	log2   int
	hashes []uint64
}

func (f *flows) reset() {}

func (f *flows) next() (op, index, h uint64) {
	h = f.hashes[f.IntN(len(f.hashes))]
	if f.IntN(2) == 0 {
		h = f.hashes[f.IntN(4)]
	}
	return f.Uint64N(4), fallback.Index(h, 1<<f.log2), h
}
