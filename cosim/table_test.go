package cosim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

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
	spreadBench(0),
	spreadBench(1),
	tableCoreBench[uint32](1), // cleared before what was under way is through
	tableCoreBench[uint64](2),
	tableCoreBench[uint32](3),
	tableCoreBench[uint64](5),
	tableCoreBench[uint32](9),
	tableCoreBench[uint64](12),
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
	of         func(key []byte) func(field []byte) uint64
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
		rng: rng, hashing: h, bytes: bytes, hash: h.of(bytes),
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
	k.hash = k.of(k.bytes)
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
	shadow               [][fallback.Lanes]T // about what the table will be
	recent               [4]struct{ index, h uint64 }
}

func (s *hot[T]) reset() { s.shadow = make([][fallback.Lanes]T, 1<<s.log2) }

// next returns an operation, the block that it is for and the hash whose positions it has.
func (s *hot[T]) next(record []byte) (op, index, h uint64) {
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
	s.inIndex.Set(record, index)
	s.inPositions.Set(record, fallback.Positions[T](h))
	return op, index, h
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
	hot := hot[T]{stimuli: stimuli[T]{Rand: rng}, log2: log2, inIndex: s.In("in_index"),
		inPositions: s.In("in_positions")}
	if err := driveTable[T](s, rng, n, log2, 5, 0, &hot); err != nil {
		return err
	}
	return hot.everything(n)
}

// A source of operations for a table.
type source interface {
	reset() // the table is cleared
	// next may write a word of the key, and returns the operation, its block and its hash.
	next(record []byte) (op, index, h uint64)
}

// driveTable drives an engine of a table of 2^log2 blocks, whose results come latency clocks after
// their operations, and which waits for words of a key. The first reset takes a clock.
func driveTable[T fallback.Lane](
	s *Simulation,
	rng *rand.Rand,
	n, log2, latency, words int,
	source source,
) error {
	type operation struct {
		op, index, h uint64
		result       uint64
		valid        bool
	}
	rst, inValid, inOp := s.In("rst"), s.In("in_valid"), s.In("in_op")
	ready, outValid, outResult := s.Out("ready"), s.Out("out_valid"), s.Out("out_result")
	var keyWrite, keyWord Port
	if words > 0 {
		keyWrite, keyWord = s.In("key_write"), s.In("key_word")
	}
	missing := uint64(1)<<words - 1 // words of the key
	ahead := make([]operation, 2*batch)
	stages := make([]operation, latency)
	resets := 1
	table := make([][fallback.Lanes]T, 1<<log2)
	source.reset()
	started, waited, sparse := false, 0, 0
	return drive(s, n, func(i int, record []byte) {
		clear(record)
		if rng.IntN(500<<log2) == 0 {
			resets = max(1, rng.IntN(6)-2)
		}
		if resets > 0 {
			resets--
			rst.Set(record, 1)
			source.reset()
			sparse = rng.IntN(3)
		}
		o := &ahead[i%len(ahead)]
		*o = operation{}
		o.op, o.index, o.h = source.next(record)
		inOp.Set(record, o.op)
		if rng.IntN(4) >= sparse {
			inValid.Set(record, 1)
		}
	}, func(i int, record, answer []byte) error {
		isReady := ready.Get(answer) == 1
		if started {
			if waited++; isReady != (waited > 1<<log2+1 && missing == 0) {
				return fmt.Errorf("ready is %v in clock %d after a reset of %d blocks, with the "+
					"words %b of the key missing", isReady, waited, 1<<log2, missing)
			}
			last, valid := stages[latency-1], uint64(0)
			if last.valid {
				valid = 1
			}
			if err := differValue("out_valid", outValid.Get(answer), valid); err != nil {
				return err
			}
			if last.valid {
				if err := differValue(fmt.Sprintf("out_result of operation %d", last.op),
					outResult.Get(answer), last.result); err != nil {
					return err
				}
			}
		}
		o := operation{}
		if inValid.Get(record) == 1 && isReady {
			o = ahead[i%len(ahead)]
			o.valid = true
			mask := fallback.Mask[T](o.h)
			o.result = perform(o.op, &table[o.index], &mask)
		}
		copy(stages[1:], stages)
		stages[0] = o
		if words > 0 && keyWrite.Get(record) == 1 {
			missing &^= 1 << keyWord.Get(record)
		}
		if rst.Get(record) == 1 {
			started, waited = true, 0
			clear(stages)
			clear(table)
		}
		return nil
	})
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
	fields := &fields{key: newKeyWriter(s, rng, h), log2: log2, inField: s.In("in_field")}
	for range 16 << log2 {
		field := make([]byte, h.fieldBytes)
		for j := range field {
			field[j] = byte(rng.Uint32())
		}
		fields.list = append(fields.list, field)
	}
	return driveTable[T](s, rng, n, log2, h.latency+11, h.keyBytes/4, fields)
}

// fields chooses among few fields, and writes the key that they are hashed with.
type fields struct {
	key     *keyWriter
	log2    int
	inField Port
	list    [][]byte
}

func (f *fields) reset() {} // the key stays

func (f *fields) next(record []byte) (op, index, h uint64) {
	rng := f.key.rng
	if !f.key.whole() && rng.IntN(4) == 0 || rng.IntN(500) == 0 { // the table waits for it
		f.key.fill(record)
	}
	field := f.list[rng.IntN(len(f.list))]
	if rng.IntN(2) == 0 {
		field = f.list[rng.IntN(4)]
	}
	f.inField.SetBytes(record, reversed(field))
	h = f.key.hash(field)
	return rng.Uint64N(4), fallback.Index(h, 1<<f.log2), h
}
