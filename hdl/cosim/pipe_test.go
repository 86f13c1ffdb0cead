package cosim

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
)

// The clocked modules: every depth and form of the core's pipeline, the count of ones, and the
// matchers of headers.
var pipeBenches = []bench{
	pipeBench[uint32](1, 0, 9),
	pipeBench[uint32](2, 0, 9),
	pipeBench[uint32](3, 1, 1),
	pipeBench[uint32](4, 1, 9),
	pipeBench[uint64](1, 1, 9),
	pipeBench[uint64](2, 1, 9),
	pipeBench[uint64](3, 1, 1),
	pipeBench[uint64](4, 0, 9),
	fillBench(256, 2),
	fillBench(512, 3),
	fillBench(77, 4),
	matchBench[uint32](1, 8, 3),
	matchBench[uint64](1, 8, 4),
	matchBench[uint32](1, 1, 2),
	matchBench[uint32](0, 8, 2),
	matchBench[uint64](0, 8, 3),
	matchBench[uint32](0, 5, 4),
	tablesOf(matchBench[uint32](1, 5, 2), 3),
	tablesOf(matchBench[uint64](0, 3, 4), 6),
}

// forms are those of keys, by the parameter POSITIONS.
var forms = [...]string{"masks", "positions"}

func pipeBench[T fallback.Lane](depth, positions, tag int) bench {
	parameters := map[string]int{"W": int(fallback.LaneBits[T]()), "DEPTH": depth,
		"POSITIONS": positions}
	if tag != 1 {
		parameters["TAG"] = tag
	}
	return bench{
		name:    fmt.Sprintf("pipe-w%d-%d-%s", fallback.LaneBits[T](), depth, forms[positions]),
		model:   Model{Top: "bloomlane_pipe", Parameters: parameters},
		vectors: 250_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkPipe[T](s, rng, n, depth, positions == 1)
		},
	}
}

// checkPipe holds the pipeline, with stalls, gaps and resets, against the definition: a result
// comes DEPTH advances after its operation.
func checkPipe[T fallback.Lane](s *Simulation, rng *rand.Rand, n, depth int, positions bool) error {
	type stage struct {
		valid       bool
		after       [fallback.Lanes]T
		result, tag uint64
	}
	rst, advance, inValid, inOp, inBlock, inKey, inTag := s.In("rst"), s.In("advance"),
		s.In("in_valid"), s.In("in_op"), s.In("in_block"), s.In("in_key"), s.In("in_tag")
	outValid, outBlock, outResult, outTag := s.Out("out_valid"), s.Out("out_block"),
		s.Out("out_result"), s.Out("out_tag")
	stimuli := stimuli[T]{Rand: rng, key: positions}
	ahead := make([]stage, 2*batch)
	stages := make([]stage, depth)
	done := false // a reset has been
	err := drive(s, n, func(i int, record []byte) {
		op, block, mask, after, result := stimuli.next()
		tag := rng.Uint64() & (1<<inTag.Bits - 1)
		ahead[i%len(ahead)] = stage{rng.IntN(4) > 0, after, result, tag}
		clear(record)
		if i == 0 || rng.IntN(500) == 0 {
			rst.Set(record, 1)
		}
		if rng.IntN(4) > 0 {
			advance.Set(record, 1)
		}
		if ahead[i%len(ahead)].valid {
			inValid.Set(record, 1)
		}
		inOp.Set(record, op)
		setBlock(inBlock, record, &block)
		if positions {
			inKey.Set(record, fallback.Positions[T](stimuli.h))
		} else {
			setBlock(inKey, record, &mask)
		}
		inTag.Set(record, tag)
	}, func(i int, record, answer []byte) error {
		if last := &stages[depth-1]; done {
			valid := uint64(0)
			if last.valid {
				valid = 1
			}
			if err := differValue("out_valid", outValid.Get(answer), valid); err != nil {
				return err
			}
			if last.valid {
				if err := differValue("out_result", outResult.Get(answer),
					last.result); err != nil {
					return err
				}
				if err := differValue("out_tag", outTag.Get(answer), last.tag); err != nil {
					return err
				}
				got := getBlock[T](outBlock, answer)
				if err := differ("out_block", &got, &last.after); err != nil {
					return err
				}
			}
		}
		if advance.Get(record) == 1 {
			copy(stages[1:], stages)
			stages[0] = ahead[i%len(ahead)]
		}
		if rst.Get(record) == 1 {
			done = true
			for i := range stages {
				stages[i].valid = false
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return stimuli.everything(n)
}

func fillBench(width, latency int) bench {
	return bench{
		name: fmt.Sprintf("fill-%d-%d", width, latency),
		model: Model{Top: "bloomlane_fill",
			Parameters: map[string]int{"BITS": width, "LATENCY": latency}},
		vectors: 50_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkFill(s, rng, n, width, latency)
		},
	}
}

// checkFill holds the comparison of a number of ones against Go's, with counts at the limit.
func checkFill(s *Simulation, rng *rand.Rand, n, width, latency int) error {
	advance, in, limit, overfull := s.In("advance"), s.In("bits"), s.In("limit"), s.Out("overfull")
	ahead := make([]uint64, 2*batch)
	counts := make([]uint64, latency-1)
	var want uint64
	advances, results := 0, [2]int{}
	current := uint64(width)
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		if rng.IntN(100) == 0 {
			current = rng.Uint64N(uint64(width) + 1)
		}
		ones := max(0, min(width, int(current)-2+rng.IntN(5)))
		switch rng.IntN(8) {
		case 0:
			ones = rng.IntN(width + 1)
		case 1:
			ones = []int{0, 1, width - 1, width}[rng.IntN(4)]
		}
		words := make([]uint32, 16*((width+511)/512))
		for _, at := range rng.Perm(width)[:ones] {
			words[at/32] |= 1 << (at % 32)
		}
		in.SetWords(record, words)
		limit.Set(record, current)
		ahead[i%len(ahead)] = uint64(ones)
		if rng.IntN(4) > 0 {
			advance.Set(record, 1)
		}
	}, func(i int, record, answer []byte) error {
		if advances >= latency {
			if err := differValue("overfull", overfull.Get(answer), want); err != nil {
				return err
			}
			results[want]++
		}
		if advance.Get(record) == 1 {
			want = 0
			if counts[latency-2] > limit.Get(record) { // a level: as of the last clock
				want = 1
			}
			copy(counts[1:], counts)
			counts[0] = ahead[i%len(ahead)]
			advances++
		}
		return nil
	})
	if err == nil && min(results[0], results[1]) < n/10 {
		err = fmt.Errorf("%v headers were within the limit and over it: %w", results, errNarrow)
	}
	return err
}

func matchBench[T fallback.Lane](positions, ports, count int) bench {
	return bench{
		name: fmt.Sprintf("match-%s-w%d-%d-%d", forms[positions], fallback.LaneBits[T](),
			ports, count),
		model: Model{Top: "bloomlane_match", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "PORTS": ports, "COUNT": count,
			"POSITIONS": positions,
		}, rude: ports == 1 || ports&(ports-1) != 0}, // writes ports that there are not
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkMatch[T](s, rng, n, positions == 1, ports, count,
				s.model.Parameters["LOG2_TABLES"])
		},
	}
}

// tablesOf returns the bench of the same matcher with 2^log2 tables.
func tablesOf(b bench, log2 int) bench {
	b.name = fmt.Sprintf("%s-of-%d", b.name, 1<<log2)
	b.model.Parameters["LOG2_TABLES"] = log2
	return b
}

// checkMatch holds a matcher, whose ports are written all the time, against the definition: its
// answer comes count + 1 clocks after the header, and with several tables a clock later.
func checkMatch[T fallback.Lane](
	s *Simulation,
	rng *rand.Rand,
	n int,
	positions bool,
	ports, count, log2Tables int,
) error {
	type port struct {
		enabled bool
		mask    [fallback.Lanes]T
	}
	type stage struct {
		valid    bool
		matched  uint64
		ones     int
		overfull bool
	}
	rst, write, writeTable, writePort, writeEnable := s.In("rst"), s.In("write"),
		s.In("write_table"), s.In("write_port"), s.In("write_enable")
	fillLimit, inValid, inTable, inHeader := s.In("fill_limit"), s.In("in_valid"),
		s.In("in_table"), s.In("in_header")
	outValid, outPorts, outOverfull := s.Out("out_valid"), s.Out("out_ports"), s.Out("out_overfull")
	element := s.In("write_key")
	w := uint64(fallback.LaneBits[T]())
	stimuli := stimuli[T]{Rand: rng, key: positions}
	ahead := make([][fallback.Lanes]T, 2*batch) // the mask that record i writes
	limit := 8 * w
	elements := make([][]port, 1<<log2Tables)
	for t := range elements {
		elements[t] = make([]port, ports)
	}
	latency := count + 1 + min(1, log2Tables)
	stages := make([]stage, latency)
	// tableOf returns the table that a port of the record names.
	tableOf := func(name Port, record []byte) []port {
		return elements[name.Get(record)&(1<<log2Tables-1)]
	}
	done := false
	hits, misses, overfull := 0, 0, 0
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		_, header, mask, _, _ := stimuli.next()
		ahead[i%len(ahead)] = mask
		if rng.IntN(100) == 0 {
			limit = []uint64{8 * w, 4 * w, 2 * w, uint64(rng.IntN(int(8*w) + 1))}[rng.IntN(4)]
		}
		fillLimit.Set(record, limit)
		if i == 0 || rng.IntN(1000) == 0 {
			rst.Set(record, 1)
		}
		if rng.IntN(8) == 0 {
			write.Set(record, 1)
		}
		for _, any := range []Port{writeTable, writePort, inTable} { // with absent ports
			any.Set(record, rng.Uint64()&(1<<any.Bits-1))
		}
		if rng.IntN(8) > 0 {
			writeEnable.Set(record, 1)
		}
		if positions {
			element.Set(record, fallback.Positions[T](stimuli.h))
		} else {
			setBlock(element, record, &mask)
		}
		if rng.IntN(4) > 0 {
			inValid.Set(record, 1)
		}
		setBlock(inHeader, record, &header)
	}, func(i int, record, answer []byte) error {
		if done {
			last := &stages[latency-1]
			var valid, matched, over uint64
			if last.valid {
				valid = 1
				if last.overfull {
					over = 1
					overfull++
				} else {
					matched = last.matched
					hits += bits.OnesCount64(matched)
					misses += ports - bits.OnesCount64(matched)
				}
			}
			for _, p := range []struct {
				port Port
				want uint64
			}{{outValid, valid}, {outPorts, matched}, {outOverfull, over}} {
				if err := differValue(p.port.Name, p.port.Get(answer), p.want); err != nil {
					return err
				}
			}
		}
		copy(stages[1:], stages)
		// a level: as of the count's last clock
		stages[latency-2].overfull = uint64(stages[latency-2].ones) > fillLimit.Get(record)
		header := getBlock[T](inHeader, record)
		stages[0] = stage{valid: inValid.Get(record) == 1}
		for _, lane := range header {
			stages[0].ones += bits.OnesCount64(uint64(lane))
		}
		for p, element := range tableOf(inTable, record) {
			if element.enabled && fallback.QueryMask(&header, &element.mask) {
				stages[0].matched |= 1 << p
			}
		}
		if p := writePort.Get(record); write.Get(record) == 1 && p < uint64(ports) {
			tableOf(writeTable, record)[p] = port{writeEnable.Get(record) == 1,
				ahead[i%len(ahead)]}
		}
		if rst.Get(record) == 1 {
			done = true
			clear(stages)
			for _, table := range elements {
				clear(table)
			}
		}
		return nil
	})
	if err == nil && (hits < n/100 || misses < n/100 || overfull < n/100) {
		err = fmt.Errorf("%d ports match, %d do not, %d headers are overfull: %w", hits, misses,
			overfull, errNarrow)
	}
	return err
}
