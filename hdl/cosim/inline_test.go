package cosim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
)

// The in-line engine with every width of a beat, and with the field where it lies in one beat, at
// its start and at its end, where it straddles two and many, and many beats behind the packet's
// first.
var inlineBenches = []bench{
	inlineBench[uint32](64, 0), // one beat, aligned
	// behind an Ethernet header, within a beat; a MAC's tuser
	sideBand(inlineBench[uint32](64, 14), 0, 0, 1),
	inlineBench[uint32](64, 50),                    // straddling two beats
	sideBand(inlineBench[uint32](8, 14), 3, 2, 4),  // straddling five
	inlineBench[uint32](8, 16),                     // aligned, four beats
	inlineBench[uint64](64, 64),                    // the second beat, all of it
	inlineBench[uint64](64, 14),                    // straddling two
	sideBand(inlineBench[uint64](8, 3), 8, 64, 19), // straddling nine
	shortQueue(inlineBench[uint32](2, 97), 7),      // straddling 17, behind 48
	inlineBench[uint64](4, 6),                      // straddling 17
	inlineBench[uint32](32, 14),
	inlineBench[uint32](128, 14),
	inlineBench[uint64](128, 100),
	cutThrough(inlineBench[uint32](8, 1030)), // behind 128 beats

	dropCut(inlineBench[uint32](8, 14)),
	dropCut(inlineBench[uint64](64, 0)),

	shortQueue(inlineBench[uint32](1, 20), 6), // straddling 32
	// the shortest for a beat a clock: the beats that wait for the field's last one, and 11
	shortQueue(inlineBench[uint32](8, 8), 4),
	shortQueue(inlineBench[uint32](16, 14), 4),
	cutThrough(shortQueue(inlineBench[uint32](8, 14), 4)),
	shortQueue(inlineBench[uint32](64, 50), 3),
	cutThrough(shortQueue(inlineBench[uint32](64, 50), 2)),
	// the shortest of all: the beats that wait
	shortQueue(inlineBench[uint32](8, 32), 3),
	cutThrough(shortQueue(inlineBench[uint32](8, 16), 2)),
	// places that are chosen for each packet, in one beat, in two, and in beats of their own
	places(inlineBench[uint32](64, 18), 22, 26, 62),
	places(inlineBench[uint32](8, 18), 22, 49),
	cutThrough(places(inlineBench[uint64](16, 3), 64)),
}

// places returns a bench of the same engine with more places of the field.
func places(b bench, more ...int) bench {
	b.name += "-places"
	b.model.Parameters["PLACES"] = 1 + len(more)
	for i, offset := range more {
		b.model.Parameters[fmt.Sprint("OFFSET_", i+1)] = offset
	}
	return b
}

// offsetsOf returns where the field is, by place.
func offsetsOf(m Model) []int {
	offsets := []int{m.Parameters["OFFSET"]}
	for i := 1; i < m.Parameters["PLACES"]; i++ {
		offsets = append(offsets, m.Parameters[fmt.Sprint("OFFSET_", i)])
	}
	return offsets
}

// nowhere is the offset of a field that a packet does not have.
const nowhere = 1 << 30

// shortQueue returns a bench of the same engine with a queue of 2^log2 beats.
func shortQueue(b bench, log2 int) bench {
	b.name = fmt.Sprintf("%s-queue-%d", b.name, 1<<log2)
	b.model.Parameters["LOG2_DEPTH"] = log2
	return b
}

// cutThrough returns a bench of the same engine that lets beats ahead of the field pass.
func cutThrough(b bench) bench {
	b.name += "-cut-through"
	b.model.Parameters["CUT_THROUGH"] = 1
	return b
}

// dropCut returns a bench of the same engine that drops what a reset leaves of a packet.
func dropCut(b bench) bench {
	b.name += "-drop"
	b.model.Parameters["DROP_CUT"] = 1
	return b
}

// sideBand returns the bench of an engine whose tid, tdest and user have these widths.
func sideBand(b bench, id, dest, user int) bench {
	b.model.Parameters["ID_WIDTH"] = id
	b.model.Parameters["DEST_WIDTH"] = dest
	b.model.Parameters["USER_WIDTH"] = user
	return b
}

func inlineBench[T fallback.Lane](dataBytes, offset int) bench {
	return bench{
		name: fmt.Sprintf("inline-w%d-%db-%d", fallback.LaneBits[T](), dataBytes, offset),
		model: Model{Top: "counted_tb", Sources: tops(), Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "DATA_BYTES": dataBytes, "OFFSET": offset,
			"BELOW": countBelow,
		}},
		vectors: 100_000 * (1 + (offset+64)/dataBytes/8), // where packets are long, there are few
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			e := newEngine[T](s, rng, dataBytes, offset)
			e.next = e.anyPacket
			e.dropCut = s.model.Parameters["DROP_CUT"] == 1
			if log2, ok := s.model.Parameters["LOG2_DEPTH"]; ok {
				for _, offset := range e.offsets {
					wait := (offset%dataBytes + e.fieldBytes() + dataBytes - 1) / dataBytes
					if !e.cutThrough {
						wait += offset / dataBytes
					}
					e.stalls = e.stalls || 1<<log2 < wait+11
				}
			}
			const rounds = 8 // each ends with another last reset
			for range rounds {
				e.draining = false
				if err := e.run(n / rounds); err != nil {
					return err
				}
				if err := e.readCounters(); err != nil {
					return err
				}
			}
			return e.everything()
		},
	}
}

// engine drives an in-line engine and knows what must come out of it. It looks at every cycle:
// which beats were taken, when the element was programmed, when a reset cut a packet.
type engine[T fallback.Lane] struct {
	*Simulation
	rng               *rand.Rand
	dataBytes, offset int
	offsets           []int // by place
	// the place of the packet that begins with a beat; nil: the one that s_axis_tuser names
	parse      func(data []byte) int
	userWidth  int  // bits of both tuser that are the stream's own, at their bottom
	cutThrough bool // beats ahead of the field do not wait for it

	sData, sKeep, sLast, sID, sDest, sUser      Port // inputs
	rst, ready, program, programOp, programMask Port
	fillLimit, control                          Port
	mData, mKeep, mValid, mLast                 Port // outputs
	mID, mDest, mUser, sReady, status           Port

	// Stimuli.
	// the next packet, and {positions, programmed, op} of s_axis_tuser for each of its beats
	next     func() (data []byte, users []uint64)
	stimuli  stimuli[T]
	pool     [3][fallback.Lanes]T // masks that are often programmed
	rest     []beat               // of the packet that is being pushed
	offers   int                  // of 16 cycles, those that offer a beat
	readies  int                  // of 16 cycles, those that take one
	programs int                  // of 64 cycles, those that program an element
	limits   int                  // of 64 cycles, those that change the fill limit
	left     int                  // cycles until these change
	rsts     int                  // cycles until a reset ends
	limit    uint64
	draining bool
	stalls   bool // the queue is too short for a beat a clock
	pushed   int  // packets
	longs    int  // those of them that are as long as longFrames

	// The model.
	queue    []beat  // pushed and not taken
	packets  []*flow // taken in part or whole, and not all out
	counting []*flow // those of them whose ones are counted
	element  element[T]
	held     []byte // the answer of the last cycle, if its beat was not taken
	idle     int    // cycles without a beat at the output since its result was counted
	dropCut  bool   // what a reset leaves of a packet is dropped
	inside   bool   // the last beat that was taken, if only by a reset, did not end its packet
	dropping bool
	cycle    int     // since the last reset
	rate     bool    // no cycle since has been a gap or backpressure: the engine must not stall
	outcomes [64]int // by m_axis_tuser and, above it, whether the element was programmed
	seen     struct{ cut, lost, dropped, null, limited, longs, wraps int }
	sums     [8]uint64 // of what has left since the last reset, as bloomlane_count has them
	buffer   []byte
}

// longFrames are the bytes of the longest frames of Ethernet, and of jumbo frames.
var longFrames = [...]int{1518, 9018}

// counted is how many cycles after the field's last beat its ones are held against the limit.
const counted = 5

type beat struct {
	data           []byte // the bytes that are kept: none in the last beat of some packets
	last           bool
	id, dest, user uint64 // as s_axis has them
}

type element[T fallback.Lane] struct {
	op         uint64
	mask       [fallback.Lanes]T
	programmed int
}

// flow is a packet on its way: its bytes and beats as they come in, what becomes of them, and how
// many beats of it have come out.
type flow struct {
	in      []byte
	offset  int // of the field
	ended   bool
	element any // of the packet: an element[T]
	// the cycle in which the ones of its field are held against the limit; 0: the field is not in
	due   int
	limit uint64 // as the field's last beat came in
	known bool
	field []byte // what stands in place of the field, where the operation is applied
	user  uint64 // m_axis_tuser on the last beat, above what came with that
	beats []beat
	gap   bool // in a cycle between two of them no beat was offered
	out   int
}

func newEngine[T fallback.Lane](s *Simulation, rng *rand.Rand, dataBytes, offset int) *engine[T] {
	e := &engine[T]{
		Simulation: s, rng: rng, dataBytes: dataBytes, offset: offset,
		offsets:    offsetsOf(s.model),
		userWidth:  max(1, s.model.Parameters["USER_WIDTH"]),
		cutThrough: s.model.Parameters["CUT_THROUGH"] == 1,
		sData:      s.In("s_axis_tdata"), sKeep: s.In("s_axis_tkeep"), sLast: s.In("s_axis_tlast"),
		sID: s.In("s_axis_tid"), sDest: s.In("s_axis_tdest"), sUser: s.In("s_axis_tuser"),
		rst: s.In("rst"), ready: s.In("m_axis_tready"),
		program: s.In("program_valid"), programOp: s.In("program_op"),
		programMask: s.In("program_mask"),
		fillLimit:   s.In("fill_limit"), control: s.In(StreamIn),
		mData: s.Out("m_axis_tdata"), mKeep: s.Out("m_axis_tkeep"), mValid: s.Out("m_axis_tvalid"),
		mLast: s.Out("m_axis_tlast"), mID: s.Out("m_axis_tid"), mDest: s.Out("m_axis_tdest"),
		mUser:  s.Out("m_axis_tuser"),
		sReady: s.Out("s_axis_tready"), status: s.Out(StreamOut),
		stimuli: stimuli[T]{Rand: rng, key: true},
	}
	e.pool = [...][fallback.Lanes]T{fallback.Mask[T](rng.Uint64()), fallback.Mask[T](rng.Uint64()),
		{1 << 3, 1 << 3, 1 << 4}}
	return e
}

// placeAt returns where s_axis_tuser has the place of the field, above the stream's own bits.
func placeAt[T fallback.Lane]() int { return 3 + fallback.K*int(fallback.PositionBits[T]()) }

// userOf returns the stream's own bits of s_axis_tuser.
func (e *engine[T]) userOf(b beat) uint64 { return b.user & (1<<e.userWidth - 1) }

func (e *engine[T]) fieldBytes() int { return fallback.Lanes * int(fallback.LaneBits[T]()) / 8 }

// run sends n cycles, and then as many as it takes until all is out.
func (e *engine[T]) run(n int) error {
	if err := drive(e.Simulation, n, e.fill, e.verify); err != nil {
		return err
	}
	e.draining = true
	for range 1 + (len(e.queue)+len(e.rest)+1024)/256 {
		if err := drive(e.Simulation, 1024, e.fill, e.verify); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
		if len(e.queue)+len(e.packets) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d beats are not taken and %d packets not out at the end", len(e.queue),
		len(e.packets))
}

// anyPacket returns a packet of any length, often one that ends at a place that matters. Its field
// is one where something happens.
func (e *engine[T]) anyPacket() ([]byte, []uint64) {
	place := 0
	if len(e.offsets) > 1 {
		place = e.rng.IntN(8)
	}
	offset := e.offsets[place%len(e.offsets)]
	end := offset + e.fieldBytes()
	var length int
	switch e.rng.IntN(8) {
	case 0:
		length = 1 + e.rng.IntN(end+e.dataBytes)
	case 1:
		length = max(1, end-1+e.rng.IntN(3))
	case 2:
		length = max(1, e.dataBytes*(1+e.rng.IntN(end/e.dataBytes+2))-1+e.rng.IntN(3))
	case 3:
		length = 1 + e.rng.IntN(e.dataBytes)
	case 4:
		length = min(end+e.rng.IntN(min(1500, 100*e.dataBytes)), longFrames[0]-1)
	default:
		length = end + e.rng.IntN(2*e.dataBytes)
	}
	// At the start, where few beats are pushed and not taken: no reset comes until they are out.
	if e.pushed++; e.longs < len(longFrames) && e.pushed > 10*e.longs && e.rsts == 0 {
		length = longFrames[e.longs]
		e.longs++
	}
	data := make([]byte, length)
	e.random(data)
	op, block, _, _, _ := e.stimuli.next()
	user := op | fallback.Positions[T](e.stimuli.h)<<3 | uint64(place)<<placeAt[T]()
	if e.rng.IntN(2) == 0 { // programmed: often present, and seldom overfull
		user |= 4
		choice := e.rng.IntN(4)
		if choice < 2 {
			block = [fallback.Lanes]T{}
		}
		mask := &e.pool[e.rng.IntN(len(e.pool))]
		for lane := range block {
			if choice > 0 {
				block[lane] |= mask[lane]
			}
			if choice == 2 {
				block[0] |= mask[lane]
			}
		}
	}
	if length > offset {
		copy(data[offset:], fieldOf(&block))
	}
	return data, []uint64{user}
}

func (e *engine[T]) random(data []byte) {
	for i := 0; i < len(data); i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], e.rng.Uint64())
		copy(data[i:], word[:])
	}
}

// fieldOf returns a block as it is on the wire: lanes in order, each big-endian.
func fieldOf[T fallback.Lane](block *[fallback.Lanes]T) []byte {
	field, err := binary.Append(nil, binary.BigEndian, block)
	if err != nil {
		panic(err)
	}
	return field
}

// fill writes the next cycle.
func (e *engine[T]) fill(_ int, record []byte) {
	clear(record)
	e.random(record[e.sData.Offset:][:e.sData.size()]) // no module may use data that is not valid
	if e.left == 0 {
		e.phase()
		// The first cycle is one, and none cuts a long frame.
		if e.limit == 0 || e.rng.IntN(2) == 0 && !e.draining && e.longs == e.seen.longs {
			e.rsts = max(1, e.rng.IntN(8)-3)
		}
	}
	e.left--
	if e.rsts > 0 {
		e.rsts--
		e.rst.Set(record, 1)
	}
	if e.limit == 0 || e.rng.IntN(64) < e.limits {
		w := uint64(fallback.LaneBits[T]())
		e.limit = []uint64{8 * w, 8*w - 1, 4 * w, 2 * w}[e.rng.IntN(4)]
	}
	e.fillLimit.Set(record, e.limit)
	var control uint64
	if e.draining || e.rng.IntN(16) < e.offers {
		control |= StreamOffer
	}
	if e.draining || e.rng.IntN(16) < e.readies {
		e.ready.Set(record, 1)
	}
	if len(e.rest) == 0 && !e.draining {
		data, users := e.next()
		null := e.rng.IntN(2) == 0 // the last beat may have no byte
		for i := 0; i == 0 || !e.rest[i-1].last; i++ {
			b := beat{data: data[:min(len(data), e.dataBytes)], id: e.anything(e.sID),
				dest: e.anything(e.sDest), user: e.anything(e.sUser)}
			if i < len(users) {
				b.user = e.userOf(b) | users[i]<<e.userWidth
			}
			data = data[len(b.data):]
			b.last = len(data) == 0 && !(null && len(b.data) == e.dataBytes)
			e.rest = append(e.rest, b)
		}
	}
	// The user of a beat that is not pushed, and the ports of a gap, are anything.
	for _, port := range []Port{e.sLast, e.sID, e.sDest, e.sUser} {
		port.Set(record, e.anything(port))
	}
	e.sKeep.SetBytes(record, kept(e.rng.IntN(e.dataBytes+1)))
	if len(e.rest) > 0 {
		b := e.rest[0]
		e.rest = e.rest[1:]
		control |= StreamPush
		e.buffer = append(e.buffer[:0], make([]byte, e.dataBytes)...)
		e.random(e.buffer)
		copy(e.buffer, b.data)
		e.sData.SetBytes(record, e.buffer)
		e.sKeep.SetBytes(record, kept(len(b.data)))
		e.sID.Set(record, b.id)
		e.sDest.Set(record, b.dest)
		e.sUser.Set(record, b.user)
		e.sLast.Set(record, 0)
		if b.last {
			e.sLast.Set(record, 1)
		}
		e.queue = append(e.queue, b)
	}
	e.control.Set(record, control)
	e.programOp.Set(record, e.rng.Uint64N(4))
	if e.rng.IntN(64) < e.programs {
		e.program.Set(record, 1)
	}
	mask := e.pool[e.rng.IntN(len(e.pool))]
	if e.rng.IntN(8) == 0 {
		block := e.stimuli.block()
		mask = (&stimuli[T]{Rand: e.rng}).mask(&block)
	}
	setBlock(e.programMask, record, &mask)
}

// anything returns a value for a port of at most 64 bits.
func (e *engine[T]) anything(p Port) uint64 { return e.rng.Uint64() >> (64 - p.Bits) }

// kept returns the value of tkeep where the first n bytes of a beat are kept.
func kept(n int) []byte {
	keep := make([]byte, (n+7)/8)
	for i := range n {
		keep[i/8] |= 1 << (i % 8)
	}
	return keep
}

// phase chooses how busy both sides, and those who program, are for some time.
func (e *engine[T]) phase() {
	rates := []int{16, 16, 12, 8, 2, 0} // 0: a stall, or a gap, of the whole phase, often above 64
	if e.longs != e.seen.longs {        // soon out: it keeps resets off
		rates = rates[:4]
	}
	e.offers, e.readies = rates[e.rng.IntN(len(rates))], rates[e.rng.IntN(len(rates))]
	e.programs, e.limits = 1<<(3*e.rng.IntN(3)), 1<<(3*e.rng.IntN(3)) // 1, 8 and 64: in each cycle
	e.left = 1 + e.rng.IntN(400+4*(e.offset+e.fieldBytes())/e.dataBytes)
	if e.rng.IntN(4) == 0 { // for more resets
		e.left = 1 + e.left/8
	}
	if e.offers == 0 || e.readies == 0 {
		e.left = 1 + e.left/3
	}
}

// verify looks at one cycle.
func (e *engine[T]) verify(_ int, record, answer []byte) error {
	status := e.status.Get(answer)
	if status&StreamPath != 0 {
		return fmt.Errorf("s_axis_tready depends on m_axis_tready within the cycle")
	}
	ready, valid := e.ready.Get(record) == 1, e.mValid.Get(answer) == 1
	if e.held != nil {
		if !valid {
			return fmt.Errorf("m_axis_tvalid falls before m_axis_tready")
		}
		for _, port := range []Port{e.mData, e.mKeep, e.mLast, e.mID, e.mDest, e.mUser} {
			if !bytes.Equal(port.Bytes(nil, answer), port.Bytes(nil, e.held)) {
				return fmt.Errorf("%s changes before m_axis_tready", port.Name)
			}
		}
	}
	e.held = nil
	if e.cycle == 0 && e.rate && (valid || e.sReady.Get(answer) == 1) {
		return fmt.Errorf("m_axis_tvalid or s_axis_tready is high after a clock of reset")
	}
	taken := status&StreamTaken != 0
	if taken {
		e.inside = !e.queue[0].last
	}
	if e.rst.Get(record) == 1 {
		if n := len(e.packets); n > 0 && !e.packets[n-1].ended {
			e.seen.cut++
		}
		if taken { // for the source, which is not reset
			e.queue = e.queue[1:]
			e.seen.lost++
		}
		e.dropping = e.dropCut && e.inside
		e.packets, e.counting, e.idle, e.sums = nil, nil, 0, [8]uint64{}
		e.element = element[T]{op: opPass, mask: e.element.mask}
		e.cycle, e.rate = 0, true
		return nil // what comes out in this cycle does not count
	}
	e.cycle++
	e.rate = e.rate && ready && !e.draining
	if e.rate && !e.stalls && e.cycle > 2 && e.sReady.Get(answer) == 0 {
		return fmt.Errorf("s_axis_tready is low in cycle %d after a reset without backpressure",
			e.cycle)
	}
	limit := e.fillLimit.Get(record)
	if len(e.counting) > 0 && e.counting[0].due == e.cycle {
		e.decide(e.counting[0], limit)
		e.counting = e.counting[1:]
	}
	if taken {
		e.take(e.queue[0], limit)
		e.queue = e.queue[1:]
	}
	if e.program.Get(record) == 1 { // for packets whose first beat comes later
		e.element = element[T]{op: e.programOp.Get(record),
			mask: getBlock[T](e.programMask, record)}
	}
	if len(e.packets) == 0 || !e.packets[0].known || e.packets[0].out == len(e.packets[0].beats) ||
		valid {
		e.idle = 0
	} else if e.idle++; e.idle > 6 { // whether m_axis_tready is high or not
		return fmt.Errorf("m_axis_tvalid is low in cycle %d since the packet's ones were counted",
			e.idle)
	}
	if n := len(e.packets); n > 0 && !e.packets[n-1].ended && status&StreamOffered == 0 {
		e.packets[n-1].gap = true
	}
	if !valid {
		if len(e.packets) > 0 && e.packets[0].out > 0 && !e.packets[0].gap && !e.cutThrough {
			return fmt.Errorf("m_axis_tvalid falls behind beat %d of a packet that came without a "+
				"gap", e.packets[0].out-1)
		}
		return nil
	}
	if !ready {
		e.held = bytes.Clone(answer)
		return nil
	}
	return e.put(answer)
}

// take appends a beat to the packet that it belongs to.
func (e *engine[T]) take(b beat, limit uint64) {
	if e.dropping {
		e.dropping = !b.last
		e.seen.dropped++
		return
	}
	n := len(e.packets)
	if n == 0 || e.packets[n-1].ended {
		el, user := e.element, b.user>>e.userWidth
		el.programmed = 1
		if user&4 == 0 {
			// The element's bits are its positions in the data lanes, from the top.
			el = element[T]{op: user & 3,
				mask: fallback.Mask[T](user >> 3 << (64 - fallback.K*fallback.PositionBits[T]()) *
					inverse)}
		}
		place := 0
		switch {
		case e.parse != nil:
			place = e.parse(b.data)
		case len(e.offsets) > 1:
			place = int(user >> placeAt[T]() & 7)
		}
		p := &flow{element: el, offset: nowhere}
		if place < len(e.offsets) {
			p.offset = e.offsets[place]
		}
		e.packets = append(e.packets, p)
		n++
	}
	p := e.packets[n-1]
	p.in = append(p.in, b.data...)
	p.beats = append(p.beats, b)
	p.ended = b.last
	if len(b.data) == 0 {
		e.seen.null++
	}
	if p.due == 0 && (b.last || p.offset == nowhere || len(p.in) >= p.offset+e.fieldBytes()) {
		p.due, p.limit = e.cycle+counted, limit
		e.counting = append(e.counting, p)
	}
}

// decide finds out what becomes of a packet whose field is in, or is not and its end is.
func (e *engine[T]) decide(p *flow, limit uint64) {
	p.known = true
	end := p.offset + e.fieldBytes()
	if len(p.in) < end {
		p.user = 1 << 4
		e.outcomes[p.user]++
		return
	}
	var block [fallback.Lanes]T
	if _, err := binary.Decode(p.in[p.offset:end], binary.BigEndian, &block); err != nil {
		panic(err)
	}
	el, before := p.element.(element[T]), block
	p.field, p.user = apply(el, &block, limit)
	e.outcomes[p.user|uint64(el.programmed)<<5]++
	if _, user := apply(el, &before, p.limit); user != p.user {
		e.seen.limited++
	}
}

// apply returns the field that an element makes of a block, and m_axis_tuser.
func apply[T fallback.Lane](
	el element[T],
	block *[fallback.Lanes]T,
	limit uint64,
) ([]byte, uint64) {
	ones := 0
	for _, lane := range block {
		ones += bits.OnesCount64(uint64(lane))
	}
	if uint64(ones) > limit {
		return nil, 1 << 3
	}
	if el.op == opPass {
		return nil, 0
	}
	result := perform(el.op, block, &el.mask)
	return fieldOf(block), 1<<2 | result
}

// put compares a beat that comes out with what the packet must look like there.
func (e *engine[T]) put(answer []byte) error {
	if len(e.packets) == 0 {
		return fmt.Errorf("a beat comes out, and none is in")
	}
	p := e.packets[0]
	start := p.out * e.dataBytes
	if p.out >= len(p.beats) {
		return fmt.Errorf("beat %d of a packet comes out, and %d are in", p.out, len(p.beats))
	}
	end := min(start+e.dataBytes, len(p.in))
	in := p.beats[p.out]
	p.out++
	last := p.ended && p.out == len(p.beats)
	if !p.known && (last || end > p.offset || !e.cutThrough) {
		return fmt.Errorf("a beat comes out before the field that it waits for is in")
	}
	want := bytes.Clone(p.in[start:end])
	if p.field != nil {
		for i := range want {
			if at := start + i - p.offset; at >= 0 && at < len(p.field) {
				want[i] = p.field[at]
			}
		}
	}
	user, lastBit := e.userOf(in), uint64(0)
	if last {
		user, lastBit = user|p.user<<e.userWidth, 1
		e.packets = e.packets[1:]
		e.sum(p)
		if len(p.in) >= longFrames[0] {
			e.seen.longs++
		}
	}
	what := fmt.Sprintf("beat %d of a packet: ", p.out-1)
	if err := differValue(what+"m_axis_tlast", e.mLast.Get(answer), lastBit); err != nil {
		return err
	}
	if got, keep := e.mKeep.Bytes(nil, answer),
		kept(len(want)); !bytes.Equal(bytes.TrimRight(got, "\x00"), keep) {
		return fmt.Errorf("%sm_axis_tkeep is %x, want %x (first byte first)", what, got, keep)
	}
	if err := differValue(what+"m_axis_tuser", e.mUser.Get(answer), user); err != nil {
		return err
	}
	for _, side := range []struct {
		port  Port
		width string
		in    uint64
	}{{e.mID, "ID_WIDTH", in.id}, {e.mDest, "DEST_WIDTH", in.dest}} {
		want := side.in
		if e.model.Parameters[side.width] == 0 {
			want = 0
		}
		if err := differValue(what+side.port.Name, side.port.Get(answer), want); err != nil {
			return err
		}
	}
	if got := e.mData.Bytes(nil, answer)[:len(want)]; !bytes.Equal(got, want) {
		return fmt.Errorf("%sm_axis_tdata is %x, want %x (first byte first)", what, got, want)
	}
	return nil
}

// everything returns an error unless everything that can happen to a packet did.
func (e *engine[T]) everything() error {
	if s := e.seen; min(s.cut, s.lost, s.null) < 5 || s.limited < 2 || s.longs < len(longFrames) ||
		e.dropCut != (s.dropped > 20) || e.dropCut == (s.wraps > 0) {
		return fmt.Errorf("%+v: packets that resets cut, beats lost in one and dropped, last "+
			"beats without a byte, packets that a new limit decided, long frames, counters that "+
			"wrap: %w", s, errNarrow)
	}
	for programmed := range 2 {
		for user, what := range map[int]string{0: "passed", 4: "absent", 5: "present or retained",
			6: "deleted", 8: "overfull", 16: "short"} {
			if user == 16 && programmed == 1 {
				continue // not told apart
			}
			if got := e.outcomes[user|programmed<<5]; got < 3 {
				return fmt.Errorf("%d packets were %s (programmed: %d): %w", got, what,
					programmed, errNarrow)
			}
		}
	}
	return nil
}
