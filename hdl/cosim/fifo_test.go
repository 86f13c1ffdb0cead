package cosim

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// The queue alone: in the in-line engine those of results are never full.
var fifoBenches = []bench{
	fifoBench(9, 2, 0),
	fifoBench(9, 3, 1),
	fifoBench(40, 3, 0),
	fifoBench(40, 2, 1),
}

func fifoBench(width, log2, output int) bench {
	return bench{
		name: fmt.Sprintf("fifo-%d-%d", 1<<log2, output),
		model: Model{Top: "bloomlane_fifo", Parameters: map[string]int{
			"WIDTH": width, "LOG2_DEPTH": log2, "OUTPUT": output,
		}},
		vectors: 100_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkFIFO(s, rng, n, 1<<log2-1, 2+output)
		},
	}
}

// checkFIFO holds a queue, with resets, against a list: words come out in order, latency clocks
// after they went in or as soon as those ahead are out. It stops taking words when limit of them
// are in its memory; as many more as the latency is long may be on their way in or out.
func checkFIFO(s *Simulation, rng *rand.Rand, n, limit, latency int) error {
	type word struct {
		data  uint64
		cycle int // the cycle in which it went in
	}
	rst, inValid, inData, outReady := s.In("rst"), s.In("in_valid"), s.In("in_data"),
		s.In("out_ready")
	inReady, outValid, outData := s.Out("in_ready"), s.Out("out_valid"), s.Out("out_data")
	var (
		queue        []word
		held         int  // words, a clock ago
		started      bool // a reset has been
		after        bool // a clock of reset
		offers, asks int  // of 8 cycles
		stalled      int  // cycles in which no word has come out or could go in
		fulls        int
	)
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		if i%64 == 0 {
			offers, asks = rng.IntN(9), rng.IntN(9)
		}
		rst.Set(record, bit(i == 0 || rng.IntN(500) == 0))
		inValid.Set(record, bit(rng.IntN(8) < offers))
		inData.Set(record, rng.Uint64()>>(64-inData.Bits))
		outReady.Set(record, bit(rng.IntN(8) < asks))
	}, func(i int, record, answer []byte) error {
		ready, valid := inReady.Get(answer) == 1, outValid.Get(answer) == 1
		if started {
			if want := len(queue) > 0 && i-queue[0].cycle >= latency; valid != want {
				return fmt.Errorf("out_valid is %v with %d words", valid, len(queue))
			}
			if valid {
				if err := differValue("out_data", outData.Get(answer), queue[0].data); err != nil {
					return err
				}
			}
			if ready && (after || held >= limit+latency) || !ready && !after && held < limit {
				return fmt.Errorf("in_ready is %v a clock after %d words were in, a reset: %v",
					ready, held, after)
			}
			if !ready && !after {
				fulls++
				if registers := latency - 1; stalled > latency && held < limit+registers {
					return fmt.Errorf("in_ready is low with %d words, %d of them in the output's "+
						"registers", held, registers)
				}
			}
		}
		if stalled++; outReady.Get(record) == 1 || ready || after {
			stalled = 0
		}
		held, after = len(queue), rst.Get(record) == 1
		if after {
			queue, started = nil, true
			return nil
		}
		if valid && outReady.Get(record) == 1 && started {
			queue = queue[1:]
		}
		if ready && inValid.Get(record) == 1 {
			queue = append(queue, word{inData.Get(record), i})
		}
		return nil
	})
	if err == nil && fulls < n/100 {
		err = fmt.Errorf("in %d of %d cycles the queue was full: %w", fulls, n, errNarrow)
	}
	return err
}

// The queue of packets, with packets that it has no room for.
var packetFIFOBenches = []bench{
	packetFIFOBench(3, 0, 0),
	packetFIFOBench(3, 1, 0),
	packetFIFOBench(4, 0, 1),
	packetFIFOBench(2, 1, 1),
}

func packetFIFOBench(log2, dropFull, output int) bench {
	parameters := map[string]int{"WIDTH": 33, "LOG2_DEPTH": log2, "DROP_FULL": dropFull,
		"OUTPUT": output}
	return bench{
		name: fmt.Sprintf("packet-fifo-%d-%s-%d", 1<<log2, []string{"wait", "drop"}[dropFull],
			output),
		model: Model{Top: "bloomlane_packet_fifo", Parameters: parameters,
			rude: dropFull == 0}, // changes what waits
		vectors: 100_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkPacketFIFO(s, rng, n, 1<<log2, dropFull == 1, 2+output)
		},
	}
}

// checkPacketFIFO holds a queue of packets, with resets, against a list: the packets that are kept
// come out whole and without a gap, latency clocks after their last word went in or as soon as
// those ahead are out. With dropFull any packet may find no room, else only one that has no word
// less than the memory's depth.
func checkPacketFIFO(
	s *Simulation,
	rng *rand.Rand,
	n, depth int,
	dropFull bool,
	latency int,
) error {
	type packet struct {
		words   []uint64
		cycle   int  // the cycle of its last word
		crowded bool // there may have been no room for one of its words
	}
	rst, inValid, inLast, inDrop, inData, outReady := s.In("rst"), s.In("in_valid"),
		s.In("in_last"), s.In("in_drop"), s.In("in_data"), s.In("out_ready")
	inReady, outValid, outLast, outData, lost := s.Out("in_ready"), s.Out("out_valid"),
		s.Out("out_last"), s.Out("out_data"), s.Out("lost")
	var (
		queue        []packet
		in, ended    packet // that comes in, and that ended a cycle ago, if it is to be kept
		left         int    // words of the packet that is offered
		held         int    // words of the packets in the queue
		out          int    // words of the first of them that are out
		offers, asks int    // of 8 cycles
		started      bool   // a reset has been
		after        bool   // a clock of reset
		stopped      int    // cycles in which the source had to wait, with no packet in the queue
		seen         struct{ kept, dropped, lost, long int }
	)
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		if i%64 == 0 {
			offers, asks = rng.IntN(9), rng.IntN(9)
		}
		rst.Set(record, bit(i == 0 || rng.IntN(500) == 0))
		inValid.Set(record, bit(rng.IntN(8) < offers))
		inData.Set(record, rng.Uint64()>>(64-inData.Bits))
		inDrop.Set(record, bit(rng.IntN(4) == 0))
		if left == 0 {
			left = 1 + rng.IntN(1+rng.IntN(depth+2))
		}
		// Where the word is refused another packet is offered: a source may not, but the queue must
		// not look at a word before it takes it.
		left--
		inLast.Set(record, bit(left == 0))
		outReady.Set(record, bit(rng.IntN(8) < asks))
	}, func(i int, record, answer []byte) error {
		ready, valid, reset := inReady.Get(answer) == 1, outValid.Get(answer) == 1,
			rst.Get(record) == 1
		if ended.words != nil {
			switch {
			case lost.Get(answer) == 0:
				queue = append(queue, ended)
				held += len(ended.words)
				seen.kept++
				if held-out > depth+latency-1 {
					return fmt.Errorf("%d words are kept", held-out)
				}
			case dropFull && !ended.crowded:
				return fmt.Errorf("a packet is lost, and there was room")
			case !dropFull && len(ended.words) < depth:
				return fmt.Errorf("a packet of %d words is lost", len(ended.words))
			default:
				seen.lost++
				seen.long += int(bit(len(ended.words) >= depth))
			}
		} else if started && lost.Get(answer) == 1 {
			return fmt.Errorf("lost is high, and no packet was to be kept")
		}
		ended = packet{}
		if started {
			want := len(queue) > 0 && (out > 0 || i-queue[0].cycle >= latency)
			if valid != want {
				return fmt.Errorf("out_valid is %v with %d packets, %d words of the first are out",
					valid, len(queue), out)
			}
			if dropFull && !ready || !dropFull && ready && after {
				return fmt.Errorf("in_ready is %v, a clock after a reset: %v", ready, after)
			}
			if stopped++; ready || len(queue) > 0 {
				stopped = 0
			}
			if stopped > 2 { // in a reset, in the cycle behind it, and when the memory gets full
				return fmt.Errorf("in_ready is low without a packet in the queue")
			}
		}
		if after = reset; reset {
			queue, in, held, out, started, stopped = nil, packet{}, 0, 0, true, 0
			return nil
		}
		if valid && started {
			p := queue[0]
			if err := errors.Join(differValue("out_data", outData.Get(answer), p.words[out]),
				differValue("out_last", outLast.Get(answer),
					bit(out == len(p.words)-1))); err != nil {
				return err
			}
			if outReady.Get(record) == 1 {
				if out++; out == len(p.words) {
					queue, held, out = queue[1:], held-out, 0
				}
			}
		}
		if ready && inValid.Get(record) == 1 && started {
			in.words = append(in.words, inData.Get(record))
			in.crowded = in.crowded || held-out+len(in.words) >= depth-2
			in.cycle = i
			if inLast.Get(record) == 1 {
				if inDrop.Get(record) == 0 {
					ended = in
				} else {
					seen.dropped++
				}
				in = packet{}
			}
		}
		return nil
	})
	if err == nil && min(seen.kept, seen.dropped, 20*seen.lost, 50*seen.long) < n/100 {
		err = fmt.Errorf("%+v packets: %w", seen, errNarrow)
	}
	return err
}
