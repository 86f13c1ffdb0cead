package cosim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// The guard, for a source that waits and for one that cannot.
var guardBenches = []bench{guardBench(0), guardBench(1)}

func guardBench(dropFull int) bench {
	return bench{
		name: []string{"guard-wait", "guard-drop"}[dropFull],
		model: Model{Top: "guard_probe", Sources: map[string]string{"guard_probe.v": GuardProbe},
			Parameters: map[string]int{"LOG2_BLOCKS": 6, "LOG2_DEPTH": 4, "DROP_FULL": dropFull}},
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkGuard(s, rng, n, dropFull == 1)
		},
	}
}

// sourceIn returns the source of a frame, or nil: the rules of bloomlane_source.
func sourceIn(frame []byte) []byte {
	if len(frame) < 14 {
		return nil
	}
	kind, rest := binary.BigEndian.Uint16(frame[12:]), frame[14:]
	for tags := 0; kind == 0x8100 || kind == 0x88a8; tags++ {
		if tags == 4 || len(rest) < 4 {
			return nil
		}
		kind, rest = binary.BigEndian.Uint16(rest[2:]), rest[4:]
	}
	switch {
	case kind == 0x0800 && len(rest) >= 20 && rest[0] >= 0x45 && rest[0] < 0x50:
		return rest[12:16]
	case kind == 0x86dd && len(rest) >= 40 && rest[0]>>4 == 6:
		return rest[8:24]
	}
	return nil
}

// guardedFrame returns a frame of any form, with a source or what looks like one.
func guardedFrame(rng *rand.Rand, sources [][]byte) []byte {
	frame := make([]byte, 12, 256)
	for range max(0, rng.IntN(8)-2) {
		frame = append(frame, [][]byte{{0x81, 0}, {0x88, 0xa8}}[rng.IntN(2)]...)
		frame = append(frame, byte(rng.Uint32()), byte(rng.Uint32()))
	}
	source := sources[rng.IntN(len(sources))]
	header := make([]byte, 24+len(source)) // of IPv6
	place := len(header) - 32
	kind := []byte{0x86, 0xdd, 0x60}
	if len(source) == 4 {
		header, place, kind = header[:20], 12, []byte{0x08, 0, 0x45}
	}
	header[0] = kind[2]
	copy(header[place:], source)
	frame = append(append(frame, kind[:2]...), header...)
	switch rng.IntN(8) {
	case 0:
		frame = frame[:len(frame)-rng.IntN(4)]
	case 1:
		frame[12+rng.IntN(len(frame)-12)] ^= 1 << rng.IntN(8)
	case 2:
		frame[len(frame)-len(header)] = []byte{0x44, 0x46, 0x54, 0x61, 0x70}[rng.IntN(5)]
	default:
		frame = append(frame, make([]byte, rng.IntN(200))...)
		frame[len(frame)-1] = byte(rng.Uint32()) // frames differ
	}
	return frame
}

// checkGuard sends frames, of which those that are listed or bad must not leave, and all others
// must, in order, whole and without a gap. Meanwhile the host asks, inserts and deletes other
// addresses, and reads blocks. From the middle on resets cut frames, and nothing is listed.
func checkGuard(s *Simulation, rng *rand.Rand, n int, dropFull bool) error {
	const begin = 2000 // records in which the list is made
	var sources [][]byte
	listed := map[string]bool{}
	for i := range 16 {
		source := make([]byte, []int{4, 16}[i%2])
		for j := range source {
			source[j] = byte(rng.Uint32())
		}
		sources = append(sources, source)
		listed[string(source)] = i%4 < 2
	}
	type access struct {
		write   uint64
		address int
		data    uint32
	}
	var accesses []access
	write := func(address int, data uint32) {
		accesses = append(accesses, access{1, address, data})
	}
	operation := func(op uint32, address []byte) {
		for i := 0; i < len(address); i += 4 {
			write(register.ListAddress+i, binary.BigEndian.Uint32(address[i:]))
		}
		if len(address) == 16 {
			op |= 4
		}
		write(register.ListOperation, op)
	}
	for i := range 4 {
		write(register.ListKey+4*i, rng.Uint32())
	}
	for _, source := range sources {
		if listed[string(source)] {
			operation(opInsert, source)
		}
	}
	other := make([]byte, 4)
	type beat struct {
		data []byte
		last bool
		bad  bool
	}
	var (
		queue          []beat // of the frame that is offered
		sent           []beat // that were pushed and not taken
		frame, out     []byte // that comes in, that comes out
		leaving        [][]byte
		inside, cut    bool
		errs, answered int
		seen           struct{ listed, bad, passed int }
	)
	const period = 500
	reset := n / 2 // the first, after which there are more
	inReset := func(i int) bool {
		return i >= reset && i < n-4*period && (i-reset)%period < 3
	}
	rst, control, data, keep, last, user := s.In("rst"), s.In(StreamIn), s.In("s_axis_tdata"),
		s.In("s_axis_tkeep"), s.In("s_axis_tlast"), s.In("s_axis_tuser")
	request, requestWrite, requestAddress, requestData := s.In("request"), s.In("request_write"),
		s.In("request_address"), s.In("request_data")
	ready, valid, outData, outKeep, outLast, status := s.In("m_axis_tready"),
		s.Out("m_axis_tvalid"), s.Out("m_axis_tdata"), s.Out("m_axis_tkeep"), s.Out("m_axis_tlast"),
		s.Out(StreamOut)
	asks := 8
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		rst.Set(record, bit(i < 4 || inReset(i)))
		if i%256 == 0 {
			asks = 1 + rng.IntN(8)
		}
		ready.Set(record, bit(dropFull || rng.IntN(8) < asks))
		if i > 4 && len(accesses) == 0 && i > begin && i < reset-1000 && rng.IntN(16) == 0 {
			if rng.IntN(4) == 0 {
				accesses = append(accesses, access{0, register.Data + 4*rng.IntN(16), 0})
			} else {
				binary.BigEndian.PutUint32(other, rng.Uint32())
				operation(opInsert, other)
				operation(opQuery, other)
				operation(opDelete, other)
			}
		}
		if i > 4 && len(accesses) > 0 {
			a := accesses[0]
			accesses = accesses[1:]
			request.Set(record, 1)
			requestWrite.Set(record, a.write)
			requestAddress.Set(record, uint64(a.address))
			requestData.Set(record, uint64(a.data))
		}
		if i < begin || i > n-2000 && len(queue) == 0 {
			control.Set(record, StreamOffer)
			return
		}
		if len(queue) == 0 {
			rest := guardedFrame(rng, sources)
			for bad := rng.IntN(8) == 0; len(rest) > 0; {
				part := rest[:min(len(rest), wide)]
				rest = rest[len(part):]
				queue = append(queue, beat{part, len(rest) == 0, bad && len(rest) == 0})
			}
		}
		b := queue[0]
		queue = queue[1:]
		sent = append(sent, b)
		control.Set(record, StreamPush|StreamOffer*bit(rng.IntN(8) > 0))
		data.SetBytes(record, b.data)
		keep.SetBytes(record, kept(len(b.data)))
		last.Set(record, bit(b.last))
		user.Set(record, bit(b.bad))
	}, func(i int, record, answer []byte) error {
		if inReset(i) {
			cut = cut || inside || len(frame) > 0
			leaving, out = nil, nil
		}
		if status.Get(answer)&StreamTaken != 0 {
			b := sent[0]
			sent = sent[1:]
			frame = append(frame, b.data...)
			if inside = !b.last; b.last {
				source := sourceIn(frame)
				switch {
				case cut || inReset(i): // nothing of it leaves
				case i < reset && listed[string(source)]:
					seen.listed++
				case b.bad:
					seen.bad++
				default:
					seen.passed++
					leaving = append(leaving, frame)
				}
				frame, cut = nil, false
			}
		}
		errs += int(s.Out("answer_error").Get(answer) & s.Out("answer_valid").Get(answer))
		answered += int(s.Out("answer_valid").Get(answer))
		if i < 8 || inReset(i) || inReset(i-1) {
			return nil
		}
		if valid.Get(answer) == 0 {
			if out != nil {
				return fmt.Errorf("m_axis_tvalid falls in mid-frame")
			}
			return nil
		}
		if ready.Get(record) == 0 {
			return nil
		}
		count := len(out) + bits.OnesCount64(outKeep.Get(answer))
		if out = outData.Bytes(out, answer)[:count]; outLast.Get(answer) == 0 {
			return nil
		}
		// If the source does not wait, the first frames behind a reset find no table.
		for dropFull && i > reset && (i-reset)%period < 300 && len(leaving) > 0 &&
			!bytes.Equal(out, leaving[0]) {
			leaving = leaving[1:]
		}
		if len(leaving) == 0 || !bytes.Equal(out, leaving[0]) {
			return fmt.Errorf("a frame leaves that should not, or not now: %x", out)
		}
		leaving, out = leaving[1:], nil
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(leaving) > 2+1<<6+1<<4: // as many beats are inside
		return fmt.Errorf("%d frames have not left, first %x", len(leaving), leaving[0])
	case errs > 0 || answered < n/1000:
		return fmt.Errorf("%d of %d accesses are refused", errs, answered)
	case min(seen.listed, seen.bad, seen.passed) < n/100:
		return fmt.Errorf("%+v frames: %w", seen, errNarrow)
	}
	return nil
}
