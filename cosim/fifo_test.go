package cosim

import (
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
		data uint64
		at   int // the cycle in which it went in
	}
	rst, inValid, inData, outReady := s.In("rst"), s.In("in_valid"), s.In("in_data"),
		s.In("out_ready")
	inReady, outValid, outData := s.Out("in_ready"), s.Out("out_valid"), s.Out("out_data")
	bit := map[bool]uint64{true: 1}
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
		rst.Set(record, bit[i == 0 || rng.IntN(500) == 0])
		inValid.Set(record, bit[rng.IntN(8) < offers])
		inData.Set(record, rng.Uint64()>>(64-inData.Bits))
		outReady.Set(record, bit[rng.IntN(8) < asks])
	}, func(i int, record, answer []byte) error {
		ready, valid := inReady.Get(answer) == 1, outValid.Get(answer) == 1
		if started {
			if want := len(queue) > 0 && i-queue[0].at >= latency; valid != want {
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
