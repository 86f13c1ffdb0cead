package cosim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/internal/siphash"
)

// The guard: for a source that waits, and for one that cannot, with longer beats and registers
// behind AXI4-Lite, and with the beats of a MAC of 10G and all that costs a clock more.
var guardBenches = []bench{
	guardBench("guard-wait", guardForm{dataBytes: 64, log2Depth: 4, reads: 1, user: 1}),
	guardBench("guard-drop", guardForm{dataBytes: 128, log2Depth: 4, dropFull: 1, axil: 1, reads: 1, user: 3}),
	guardBench("guard-8", guardForm{dataBytes: 8, log2Depth: 6, dropFull: 1, reads: 3, output: 1, user: 5, id: 3,
		dest: 2}),
}

const guardLog2 = 6 // of the table's blocks

// guardForm are parameters of a guard.
type guardForm struct{ dataBytes, log2Depth, dropFull, axil, reads, output, user, id, dest int }

// header is how many beats the source's answer waits for, at most.
func (f guardForm) header() int {
	if f.dataBytes >= 64 {
		return 2
	}
	return (70 + f.dataBytes - 1) / f.dataBytes
}

// latency is from the last of these beats to the frame's first beat out.
func (f guardForm) latency() int {
	clocks := 32 + f.reads + f.output
	if f.dataBytes < 64 {
		clocks++
	}
	return clocks
}

func guardBench(name string, f guardForm) bench {
	return bench{
		name: name,
		model: Model{Top: "guard_probe", Sources: map[string]string{"guard_probe.v": GuardProbe},
			Parameters: map[string]int{"DATA_BYTES": f.dataBytes, "LOG2_BLOCKS": guardLog2,
				"LOG2_DEPTH": f.log2Depth, "DROP_FULL": f.dropFull, "AXIL": f.axil, "READ_STAGES": f.reads,
				"PARITY": f.output, "OUTPUT": f.output, "USER_WIDTH": f.user, "ID_WIDTH": f.id,
				"DEST_WIDTH": f.dest}},
		vectors: 200_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			return checkGuard(s, rng, n, f)
		},
	}
}

// guardAccess is an access of a guard's register, and what it must answer.
type guardAccess struct {
	write   bool
	address int
	data    uint32
	want    func() uint32 // of a read, when it is answered; else 0
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

// locate returns where an address is in the table.
func (h *guardHost) locate(address []byte) (block int, mask [fallback.Lanes]uint64) {
	hash := siphash.Definition(&h.key, address, 1, 3)
	return int(fallback.Index(hash, 1<<guardLog2)), fallback.Mask[uint64](hash)
}

// writeKey writes all words of the key.
func (h *guardHost) writeKey() {
	for i := range len(h.key) / 4 {
		h.write(register.ListKey+4*i, binary.BigEndian.Uint32(h.key[4*i:]))
	}
}

// operate asks for an operation on an address, and then for its result.
func (h *guardHost) operate(op uint64, address []byte) {
	for i := 0; i < len(address); i += 4 {
		h.write(register.ListAddress+i, binary.BigEndian.Uint32(address[i:]))
	}
	h.read(register.ListAddress, binary.BigEndian.Uint32(address))
	h.write(register.ListOperation, uint32(op)|uint32(len(address)/16*4))
	block, mask := h.locate(address)
	h.read(register.ListOperation, uint32(perform(op, &h.table[block], &mask)))
}

// dump reads a block.
func (h *guardHost) dump(block int) {
	h.write(register.Block, uint32(block))
	for lane, word := range h.table[block] {
		h.read(register.Data+8*lane, uint32(word))
		h.read(register.Data+8*lane+4, uint32(word>>32))
	}
}

// load writes a block that has one address, which is merged into the table's, and finds the next
// one named.
func (h *guardHost) load(address []byte) {
	block, mask := h.locate(address)
	h.write(register.Block, uint32(block))
	for lane, word := range mask {
		h.write(register.Data+8*lane, uint32(word))
		h.write(register.Data+8*lane+4, uint32(word>>32))
	}
	fallback.MergeBlock(&h.table[block], &mask)
	h.read(register.Block, uint32((block+1)%len(h.table)))
}

// clear empties the table, which takes a clock a block. What is asked meanwhile waits for it.
func (h *guardHost) clear(address []byte) {
	h.write(register.Bank, 1<<2)
	h.emptied()
	h.read(register.TableShape, 1<<16|guardLog2<<8|64)
	h.read(register.ListStatus, 0)
	h.operate(opInsert, address)
	h.operate(opQuery, address)
	h.read(register.ListStatus, 1)
}

func (h *guardHost) emptied() { clear(h.table[:]) }

// holes looks at a hole of each window, which reads 0 and takes no write.
func (h *guardHost) holes() {
	for window := 0; window < 1<<16; window += register.WindowBytes {
		h.read(window+0xff0, 0)
		h.refuse(window + 0xff0)
	}
}

// nothing is what a reset leaves: no address, no result and no count.
func (h *guardHost) nothing() {
	for i := range 4 {
		h.read(register.ListAddress+4*i, 0)
		h.read(register.Listed+8*i, 0)
	}
	h.read(register.ListOperation, 0)
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
	var want uint32
	if a.want != nil {
		want = a.want()
	}
	return differValue(fmt.Sprintf("register %#x", a.address), value, uint64(want))
}

// tagKinds are the types of VLAN tags.
var tagKinds = []uint16{0x8100, 0x88a8, 0x9100, 0x9200}

// sourceIn returns the source of a frame, or nil: the rules of bloomlane_source.
func sourceIn(frame []byte) []byte {
	if len(frame) < 14 {
		return nil
	}
	kind, rest := binary.BigEndian.Uint16(frame[12:]), frame[14:]
	for tags := 0; slices.Contains(tagKinds, kind); tags++ {
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
		frame = binary.BigEndian.AppendUint16(frame, tagKinds[rng.IntN(len(tagKinds))])
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

// guardTimes says what happens in which of n records. First the host writes the key and makes the
// list. Then half of the time frames come without a pause, and half of the time one by one, so that
// what waits gets in; the host works meanwhile. In mid-time it reads the counters and empties the
// table, and then resets come, and nothing is listed any more.
type guardTimes struct {
	n     int
	short bool // a frame has many beats
}

const (
	guardKeyed  = 300  // the record of the key's last word
	guardBegin  = 2000 // the first of frames
	guardSolid  = 4200 // the source leaves no gap for some time, in frames of one beat
	guardPeriod = 500  // from a reset to the next
	guardAlone  = 128  // from a frame to the next, one by one
)

func (t guardTimes) counted() int { return t.n/2 - 1000 }
func (t guardTimes) cleared() int { return t.n/2 - 700 }

// period returns in which period behind the first reset a record is, and where there; in none,
// -1.
func (t guardTimes) period(i int) (number, since int) {
	if i -= t.n / 2; i < 0 || i >= t.n/2-4*guardPeriod {
		return -1, -1
	}
	return i / guardPeriod, i % guardPeriod
}

// reset is one to three clocks.
func (t guardTimes) reset(i int) bool {
	number, since := t.period(i)
	return i < 4 || number >= 0 && since <= number%3
}

// stalls says that the source has no beat, behind some resets: so that the table is ready while a
// frame that was cut has not ended.
func (t guardTimes) stalls(i int) bool {
	number, since := t.period(i)
	return number%2 == 1 && since > 3 && since < 150
}

func (t guardTimes) solid(i int) bool {
	return !t.short && i >= guardSolid && i < guardSolid+2000
}

func (t guardTimes) early(i int) bool { return i > 8 && i < guardKeyed/2 }

// quiet is when no frame begins.
func (t guardTimes) quiet(i int) bool {
	return !t.early(i) && i < guardBegin || i >= t.n/2-2700 && i < t.cleared() || i > t.n-2000
}

// dense is when frames come without a pause.
func (t guardTimes) dense(i int) bool {
	return t.early(i) || i >= t.cleared() && i < t.n/2 || i>>12&1 == 1
}

// long is when a frame may be long, or too long, because no other is in its way.
func (t guardTimes) long(i int) bool {
	number, _ := t.period(i)
	return !t.dense(i) && !t.dense(i-2000) && number%2 != 1
}

// A guardBeat is one of those that are sent.
type guardBeat struct {
	data []byte
	last bool
	bad  bool

	user, id, dest uint64
}

// A departure is a frame that must leave: its first beat not ahead of a record, and if nothing was
// ahead of it in that one. It may be dropped if the table was about to be ready when it began.
type departure struct {
	frame []byte
	sides [][3]uint64 // tuser, tid and tdest of its beats
	from  int
	alone bool
	maybe bool
}

// checkGuard sends frames, of which those that are listed, bad or too long must not leave, and all
// others must, in order, whole, without a gap and in time; they are counted. Meanwhile the host
// asks, inserts and deletes other addresses, reads and loads blocks, and is answered soon. No frame
// is let in behind a reset ahead of the key's last word, or before the table is empty.
func checkGuard(s *Simulation, rng *rand.Rand, n int, f guardForm) error {
	const (
		patience = 300 // records that an access may wait
		inside   = 45  // more than any beat is in a guard that is not held up
	)
	dropFull, dataBytes := f.dropFull == 1, f.dataBytes
	longest := 1<<f.log2Depth - 1 // beats of a frame that leaves
	latency, closing := f.latency(), 4+f.output
	pace := 3 // records that an access takes, about
	if dropFull {
		pace = 8 // over AXI4-Lite
	}
	times := guardTimes{n, f.dataBytes < 64}
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
			host.nothing()
			host.accesses = append(host.accesses, guardAccess{address: register.ListStatus,
				want: func() uint32 { return 0 }, begin: guardKeyed})
			host.read(register.Bank, 0) // the table is cleared, and takes no operation
		}
		host.write(register.ListKey+4*i, binary.BigEndian.Uint32(host.key[4*i:]))
	}
	host.read(register.ListStatus, 1)
	host.read(register.ListKey, 0)
	host.holes()
	for _, source := range sources {
		if listed[string(source)] {
			host.operate(opInsert, source)
		}
	}
	other := make([]byte, 16)
	idle := guardBegin // the host is, from then on
	var (
		queue   []guardBeat // of the frame that is offered
		sent    []guardBeat // that were pushed and not taken
		leaving []departure

		frame  []byte // that comes in
		sides  [][3]uint64
		beats  int  // of it
		cut    bool // it must not leave
		second int  // the record of its second beat, or its only one
		alone  bool
		maybe  bool

		out      []byte // the frame that comes out
		outSides [][3]uint64
		began    int  // the record of its first beat
		taken    int  // the record of the last beat that was
		refused  int  // the last record of one that was not
		rested   int  // the last record of a reset
		whole    bool // the key is
		keyed    int  // the last record in which its last word had no answer
		stalls   int  // clocks in which a source that leaves no gap waits
		turns    int  // clocks of the table that the host asks for meanwhile
		seen     struct{ listed, bad, passed, lost, yielded int }
	)
	rst, control, data, keep, last, user := s.In("rst"), s.In(StreamIn), s.In("s_axis_tdata"),
		s.In("s_axis_tkeep"), s.In("s_axis_tlast"), s.In("s_axis_tuser")
	request, requestWrite, requestAddress, requestData := s.In("request"), s.In("request_write"),
		s.In("request_address"), s.In("request_data")
	ready, valid, outData, outKeep, outLast, status := s.In("m_axis_tready"),
		s.Out("m_axis_tvalid"), s.Out("m_axis_tdata"), s.Out("m_axis_tkeep"), s.Out("m_axis_tlast"),
		s.Out(StreamOut)
	tid, tdest, outUser, outID, outDest := s.In("s_axis_tid"), s.In("s_axis_tdest"), s.Out("m_axis_tuser"),
		s.Out("m_axis_tid"), s.Out("m_axis_tdest")
	asks := 8
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		rst.Set(record, bit(times.reset(i)))
		if i%256 == 0 {
			asks = 1 + rng.IntN(8)
		}
		ready.Set(record, bit(dropFull || times.solid(i) || times.quiet(i) || rng.IntN(8) < asks))
		number, since := times.period(i)
		switch {
		case len(host.accesses) > 0:
		case i > idle && i < n/2-3000 && rng.IntN(16) == 0:
			for j := range other {
				other[j] = byte(rng.Uint32())
			}
			address := other[:[]int{4, 16}[rng.IntN(2)]]
			for _, op := range []uint64{opInsert, opQuery, opDelete} {
				if rng.IntN(4) > 0 {
					host.operate(op, address)
				}
			}
			if rng.IntN(2) == 0 {
				host.load(address)
			}
			host.dump(rng.IntN(len(host.table)))
			idle = i + pace*len(host.accesses) + 100
		case i == times.counted():
			for j, count := range []*int{&seen.listed, &seen.passed, &seen.bad, &seen.lost,
				&seen.yielded} {
				host.accesses = append(host.accesses, guardAccess{
					address: register.Listed + 8*j,
					want:    func() uint32 { return uint32(*count) },
				})
			}
		case i == times.cleared():
			host.clear(other)
		case since == 5: // the reset has emptied the table
			host.emptied()
			host.read(register.ListStatus, 0)
			if number%2 == 0 {
				host.load(other)
			} else {
				host.nothing()
			}
			host.writeKey()
			host.operate(opInsert, other)
			block, _ := host.locate(other)
			host.dump(block)
		case i == n-1800:
			host.read(register.ListStatus, 1)
			host.operate(opQuery, sources[0])
			host.operate(opQuery, other)
		}
		if i > 4 && len(host.accesses) > 0 && i >= host.accesses[0].begin {
			a := host.accesses[0]
			host.accesses = host.accesses[1:]
			a.begin = i
			if times.solid(i) && (a.write && (a.address == register.ListOperation || a.address == register.Data+60) ||
				!a.write && a.address == register.Data) {
				turns++ // it needs a clock of the table
			}
			host.questions = append(host.questions, a)
			request.Set(record, 1)
			requestWrite.Set(record, bit(a.write))
			requestAddress.Set(record, uint64(a.address))
			requestData.Set(record, uint64(a.data))
		}
		if !times.stalls(i) && (times.solid(i) || rng.IntN(8) > 0) {
			control.Set(record, StreamOffer)
		}
		if len(queue) == 0 {
			if times.quiet(i) || !times.dense(i) && i%guardAlone != 0 {
				return
			}
			from := sources
			if times.early(i) {
				from = innocent
			}
			rest := guardedFrame(rng, from)
			for times.solid(i) && len(rest) > dataBytes {
				rest = guardedFrame(rng, from)
			}
			if times.long(i) && rng.IntN(2) == 0 {
				for range rng.IntN((longest + 4) * dataBytes) {
					rest = append(rest, byte(len(rest)))
				}
				if over := len(rest) - longest*dataBytes; over > 0 && over <= dataBytes {
					rest = rest[over:] // a beat more has room at times
				}
			}
			for bad := rng.IntN(8) == 0; len(rest) > 0; {
				part := rest[:min(len(rest), dataBytes)]
				rest = rest[len(part):]
				b := guardBeat{data: part, last: len(rest) == 0, bad: bad && len(rest) == 0,
					user: rng.Uint64N(1<<f.user) &^ 1, id: rng.Uint64N(1 << f.id), dest: rng.Uint64N(1 << f.dest)}
				if b.user |= bit(b.bad); !b.last && f.user > 1 {
					b.user |= rng.Uint64N(2) // which says nothing there
				}
				queue = append(queue, b)
			}
		}
		b := queue[0]
		queue = queue[1:]
		sent = append(sent, b)
		control.Set(record, StreamPush|control.Get(record))
		data.SetBytes(record, b.data)
		keep.SetBytes(record, kept(len(b.data)))
		last.Set(record, bit(b.last))
		user.Set(record, b.user)
		tid.Set(record, b.id)
		tdest.Set(record, b.dest)
	}, func(i int, record, answer []byte) error {
		if times.reset(i) {
			rested, whole = i, false
			cut = cut || beats > 0
			leaving, out, outSides = nil, nil, nil
		}
		if len(host.questions) > 0 && host.questions[0].address == register.ListKey+12 {
			keyed = i
		}
		switch got := status.Get(answer); {
		case got&StreamTaken != 0:
			b := sent[0]
			sent = sent[1:]
			if beats == 0 {
				early := !whole && !(dropFull && keyed == i) || i <= rested+1<<guardLog2
				if early && !dropFull && i != rested {
					return errors.New("a frame is taken ahead of the key, or of the table")
				}
				cut = early || i == rested
				maybe = dropFull && i <= max(rested+1<<guardLog2, keyed)+8
				alone = len(leaving) == 0 && out == nil && i > taken+inside
				if s.Out("yields").Get(answer) == 1 {
					if len(host.questions) == 0 || i < max(host.questions[0].begin, host.last)+60 || maybe {
						return errors.New("a frame is dropped for a host that has not waited for long")
					}
					cut = true
					seen.yielded++
				}
			}
			if taken = i; beats < f.header() {
				second = i
			}
			beats++
			sides = append(sides, [3]uint64{b.user, b.id, b.dest})
			if frame = append(frame, b.data...); !b.last {
				break
			}
			source := sourceIn(frame)
			switch {
			case cut: // nothing of it leaves
			case i < times.cleared() && listed[string(source)]:
				seen.listed++
			case b.bad:
				seen.bad++
			case beats > longest:
				seen.passed++
				seen.lost++
			default:
				seen.passed++
				leaving = append(leaving,
					departure{frame, sides, max(second+latency, i+closing), alone, maybe})
			}
			frame, sides, beats = nil, nil, 0
		case got&StreamOffered != 0:
			if times.solid(i) && i > guardSolid+300 && refused == i-1 {
				return errors.New("the host has two clocks in a row")
			}
			refused = i
			if times.solid(i) && i > guardSolid+300 {
				stalls++
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
		if i < 8 || times.reset(i) || times.reset(i-1) {
			return nil
		}
		if valid.Get(answer) == 0 {
			if out != nil {
				return errors.New("m_axis_tvalid falls in mid-frame")
			}
			if len(leaving) > 0 && leaving[0].alone && !leaving[0].maybe && i == leaving[0].from {
				return errors.New("a frame leaves late")
			}
			began = i + 1
			return nil
		}
		if ready.Get(record) == 0 {
			return nil
		}
		keeps := outKeep.Bytes(nil, answer)
		count := 0
		for _, keep := range keeps {
			count += bits.OnesCount8(keep)
		}
		isLast := outLast.Get(answer) == 1
		want := append(kept(count), make([]byte, dataBytes/8)...)[:dataBytes/8]
		if !bytes.Equal(keeps, want) || !isLast && count != dataBytes {
			return fmt.Errorf("m_axis_tkeep is %x, m_axis_tlast %v", keeps, isLast)
		}
		out = outData.Bytes(out, answer)[:len(out)+count]
		outSides = append(outSides, [3]uint64{outUser.Get(answer), outID.Get(answer), outDest.Get(answer)})
		if !isLast {
			return nil
		}
		for len(leaving) > 0 && leaving[0].maybe && !bytes.Equal(out, leaving[0].frame) {
			leaving = leaving[1:]
		}
		if len(leaving) == 0 || began < leaving[0].from || !bytes.Equal(out, leaving[0].frame) {
			return fmt.Errorf("a frame leaves that should not, or not now: %x",
				out[:min(len(out), 64)])
		}
		if !slices.Equal(outSides, leaving[0].sides) {
			return fmt.Errorf("a frame leaves with the side bands %v, want %v", outSides, leaving[0].sides)
		}
		leaving, out, outSides, began = leaving[1:], nil, nil, i+1
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(leaving) > 0:
		return fmt.Errorf("%d frames have not left, first %x", len(leaving), leaving[0].frame)
	case len(host.questions) > 0:
		return fmt.Errorf("%d accesses are not answered", len(host.questions))
	case stalls > turns+4: // that were asked for ahead of that time
		return fmt.Errorf("a source that leaves no gap waits for %d clocks, and the host needs %d", stalls, turns)
	case f.dropFull == 0 && stalls == 0:
		return fmt.Errorf("a source that leaves no gap never waits: %w", errNarrow)
	case seen.passed == 0:
		return errors.New("no frame leaves")
	case f.dropFull == 1 && f.dataBytes >= 64 && seen.yielded == 0:
		return fmt.Errorf("no frame is dropped for the host: %w", errNarrow)
	case min(seen.listed, seen.bad, seen.passed) < n/100/f.header()*2:
		return fmt.Errorf("%+v frames: %w", seen, errNarrow)
	}
	return nil
}
