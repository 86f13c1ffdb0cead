package cosim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

// The guard: for a source that waits, and for one that cannot, with longer beats and registers
// behind AXI4-Lite.
var guardBenches = []bench{guardBench("guard-wait", 64, 0, 0), guardBench("guard-drop", 128, 1, 1)}

const guardLog2 = 6 // of the table's blocks

func guardBench(name string, dataBytes, dropFull, axil int) bench {
	return bench{
		name: name,
		model: Model{Top: "guard_probe", Sources: map[string]string{"guard_probe.v": GuardProbe},
			Parameters: map[string]int{"DATA_BYTES": dataBytes, "LOG2_BLOCKS": guardLog2,
				"LOG2_DEPTH": 4, "DROP_FULL": dropFull, "AXIL": axil}},
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkGuard(s, rng, n, dataBytes, dropFull == 1)
		},
	}
}

// guardAccess is an access of a guard's register, and what it must answer.
type guardAccess struct {
	write   bool
	address int
	data    uint32
	want    func() uint32 // of a read, when it is answered
	refused bool
	begin   int // the record ahead of which it does not ask, and then the one that asks
}

// guardHost is a guard's host, with a model of its table.
type guardHost struct {
	key       [siphash.Size]byte
	table     [1 << guardLog2][fallback.Lanes]uint64
	accesses  []guardAccess // that wait
	questions []guardAccess
	last      int // record of the last answer
}

func (h *guardHost) write(address int, data uint32) {
	h.accesses = append(h.accesses, guardAccess{write: true, address: address, data: data})
}

func (h *guardHost) refuse(address int) {
	h.accesses = append(h.accesses, guardAccess{write: true, address: address, refused: true})
}

func (h *guardHost) read(address int, want uint32) {
	h.accesses = append(h.accesses, guardAccess{address: address,
		want: func() uint32 { return want }})
}

// operate asks for an operation on an address, and then for its result.
func (h *guardHost) operate(op uint64, address []byte) {
	for i := 0; i < len(address); i += 4 {
		h.write(register.ListAddress+i, binary.BigEndian.Uint32(address[i:]))
	}
	h.read(register.ListAddress, binary.BigEndian.Uint32(address))
	h.write(register.ListOperation, uint32(op)|uint32(len(address)/16*4))
	hash := siphash.Definition(&h.key, address, 1, 3)
	mask := fallback.Mask[uint64](hash)
	result := perform(op, &h.table[fallback.Index(hash, 1<<guardLog2)], &mask)
	h.read(register.ListOperation, uint32(result))
}

// dump reads a block.
func (h *guardHost) dump(block int) {
	h.write(register.Block, uint32(block))
	for lane, word := range h.table[block] {
		h.read(register.Data+8*lane, uint32(word))
		h.read(register.Data+8*lane+4, uint32(word>>32))
	}
}

// answered compares an answer.
func (h *guardHost) answered(record int, value, refused uint64) error {
	if len(h.questions) == 0 {
		return errors.New("an answer comes to no question")
	}
	a := h.questions[0]
	h.questions, h.last = h.questions[1:], record
	if refused != bit(a.refused) {
		return fmt.Errorf("access of %#x (write: %v) is refused: %d", a.address, a.write, refused)
	}
	if a.want != nil {
		return differValue(fmt.Sprintf("register %#x", a.address), value, uint64(a.want()))
	}
	return nil
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
	case 0, 3:
		frame = frame[:len(frame)-rng.IntN(3)]
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
// must, in order, whole and without a gap; they are counted. Meanwhile the host asks, inserts and
// deletes other addresses, and reads blocks, and is answered soon. No frame is let in ahead of the
// key's last word. From the middle on resets cut frames, and nothing is listed.
func checkGuard(s *Simulation, rng *rand.Rand, n, dataBytes int, dropFull bool) error {
	const (
		keyed    = 300  // the record of the key's last word
		begin    = 2000 // records in which the list is made
		patience = 300  // records that an access may wait
	)
	var sources, innocent [][]byte
	listed := map[string]bool{}
	for i := range 16 {
		source := make([]byte, []int{4, 16}[i%2])
		for j := range source {
			source[j] = byte(rng.Uint32())
		}
		if i == 0 {
			clear(source) // so that a frame without a source must not be looked up
		}
		sources = append(sources, source)
		if listed[string(source)] = i%4 < 2; i%4 >= 2 {
			innocent = append(innocent, source)
		}
	}
	host := &guardHost{}
	for i := range host.key {
		host.key[i] = byte(rng.Uint32())
	}
	for i := range 4 {
		if i == 3 {
			host.read(register.ListStatus, 0)
			host.refuse(register.ListOperation)
			host.refuse(register.ListStatus)
			host.refuse(register.Listed)
			host.accesses = append(host.accesses, guardAccess{address: register.ListStatus,
				want: func() uint32 { return 0 }, begin: keyed})
		}
		host.write(register.ListKey+4*i, binary.BigEndian.Uint32(host.key[4*i:]))
	}
	host.read(register.ListStatus, 1)
	for _, source := range sources {
		if listed[string(source)] {
			host.operate(opInsert, source)
		}
	}
	other := make([]byte, 16)
	type beat struct {
		data []byte
		last bool
		bad  bool
	}
	var (
		queue       []beat // of the frame that is offered
		sent        []beat // that were pushed and not taken
		frame, out  []byte // that comes in, that comes out
		leaving     [][]byte
		inside, cut bool
		whole       bool // the key is
		seen        struct{ listed, bad, passed int }
	)
	const period = 500
	reset := n / 2 // the first, after which there are more, of one to three clocks
	inReset := func(i int) bool {
		return i >= reset && i < n-4*period && (i-reset)%period <= (i-reset)/period%3
	}
	rst, control, data, keep, last, user := s.In("rst"), s.In(StreamIn), s.In("s_axis_tdata"),
		s.In("s_axis_tkeep"), s.In("s_axis_tlast"), s.In("s_axis_tuser")
	request, requestWrite, requestAddress, requestData := s.In("request"), s.In("request_write"),
		s.In("request_address"), s.In("request_data")
	ready, valid, outData, outKeep, outLast, status := s.In("m_axis_tready"),
		s.Out("m_axis_tvalid"), s.Out("m_axis_tdata"), s.Out("m_axis_tkeep"), s.Out("m_axis_tlast"),
		s.Out(StreamOut)
	// A source that waits leaves no gap for some time, in frames of one beat. In half of the time
	// nothing new comes, so that what waits gets in ahead of the time in which the host reads the
	// counters.
	pause := func(i int) bool { return i>>12&1 == 0 }
	solid := func(i int) bool { return !dropFull && i > 2*begin && i < 2*begin+2000 }
	quiet := func(i int) bool { return i >= reset-2700 && i < reset-100 || i > n-2000 }
	asks := 8
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		rst.Set(record, bit(i < 4 || inReset(i)))
		if i%256 == 0 {
			asks = 1 + rng.IntN(8)
		}
		ready.Set(record, bit(dropFull || solid(i) || quiet(i) || rng.IntN(8) < asks))
		switch {
		case len(host.accesses) > 0:
		case i > begin && i < reset-3000 && len(host.questions) < 16 && rng.IntN(16) == 0:
			for j := range other {
				other[j] = byte(rng.Uint32())
			}
			address := other[:[]int{4, 16}[rng.IntN(2)]]
			for _, op := range []uint64{opInsert, opQuery, opDelete} {
				if rng.IntN(4) > 0 {
					host.operate(op, address)
				}
			}
			if rng.IntN(4) == 0 {
				host.dump(rng.IntN(len(host.table)))
			}
		case i == reset-400:
			for j, count := range []*int{&seen.listed, &seen.passed, &seen.bad, new(int)} {
				host.accesses = append(host.accesses, guardAccess{
					address: register.Listed + 8*j,
					want:    func() uint32 { return uint32(*count) },
				})
			}
		case i == n-1800:
			host.table = [1 << guardLog2][fallback.Lanes]uint64{} // the resets have cleared it
			host.read(register.ListStatus, 1)
			host.read(register.ListOperation, 0)
			host.operate(opQuery, sources[0])
			host.operate(opInsert, other)
			host.operate(opQuery, other)
		}
		if i > 4 && len(host.accesses) > 0 && i >= host.accesses[0].begin {
			a := host.accesses[0]
			host.accesses = host.accesses[1:]
			a.begin = i
			host.questions = append(host.questions, a)
			request.Set(record, 1)
			requestWrite.Set(record, bit(a.write))
			requestAddress.Set(record, uint64(a.address))
			requestData.Set(record, uint64(a.data))
		}
		early := i > 8 && i < keyed/2
		if len(queue) == 0 && !early && (i < begin || quiet(i) || pause(i)) {
			control.Set(record, StreamOffer)
			return
		}
		if len(queue) == 0 {
			from := sources
			if early {
				from = innocent
			}
			rest := guardedFrame(rng, from)
			for solid(i) && len(rest) > dataBytes {
				rest = guardedFrame(rng, from)
			}
			for bad := rng.IntN(8) == 0; len(rest) > 0; {
				part := rest[:min(len(rest), dataBytes)]
				rest = rest[len(part):]
				queue = append(queue, beat{part, len(rest) == 0, bad && len(rest) == 0})
			}
		}
		b := queue[0]
		queue = queue[1:]
		sent = append(sent, b)
		control.Set(record, StreamPush|StreamOffer*bit(solid(i) || rng.IntN(8) > 0))
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
			if !whole && !dropFull {
				return errors.New("a frame is taken ahead of the key")
			}
			cut = cut || !whole || inReset(i)
			frame = append(frame, b.data...)
			if inside = !b.last; b.last {
				source := sourceIn(frame)
				switch {
				case cut: // nothing of it leaves
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
		if s.Out("answer_valid").Get(answer) == 1 {
			whole = whole || host.questions[0].address == register.ListKey+12
			err := host.answered(i, s.Out("answer").Get(answer), s.Out("answer_error").Get(answer))
			if err != nil {
				return err
			}
		}
		if len(host.questions) > 0 && i > max(host.questions[0].begin, host.last)+patience {
			return fmt.Errorf("an access of %#x is not answered", host.questions[0].address)
		}
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
		count := len(out)
		for _, keep := range outKeep.Bytes(nil, answer) {
			count += bits.OnesCount8(keep)
		}
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
	case len(host.questions) > 0:
		return fmt.Errorf("%d accesses are not answered", len(host.questions))
	case min(seen.listed, seen.bad, seen.passed) < n/100:
		return fmt.Errorf("%+v frames: %w", seen, errNarrow)
	}
	return nil
}
