package cosim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel"
)

// The board's top on the fastest line that it takes, with a short queue.
var boardBenches = []bench{
	{"board", topIn("board", "board_top",
		map[string]int{"CLOCKS_PER_BIT": 4, "LOG2_DEPTH": 8, "OFFSET": 2}), 7_200_000, checkBoard},
}

// checkBoard holds the board against the definition, with frames of any length, broken or not.
func checkBoard(s *Simulation, rng *rand.Rand, n int) error {
	b := newBoard(s, rng)
	b.next = b.anyFrame
	return b.run(n)
}

// topIn returns a top of a folder of package hdl, with all sources of the folder.
func topIn(folder, top string, parameters map[string]int) Model {
	m := Model{Top: top, Parameters: parameters, Sources: map[string]string{}}
	files, err := filepath.Glob(filepath.Join("..", folder, "*.v"))
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("hdl/%s has %d files: %v", folder, len(files), err))
	}
	for _, file := range files {
		name := filepath.Base(file)
		if m.Sources[name], err = sourceOf(name); err != nil {
			panic(err)
		}
	}
	return m
}

// The placed board does with frames of a capture, behind headers of package inpacket, what that
// package does. BLOOMLANE_BOARD names the netlist that icebox_vlog makes of the bitstream.
func TestBoardNetlist(t *testing.T) {
	file := os.Getenv("BLOOMLANE_BOARD")
	if file == "" {
		require.Skip(t, "board", "make board makes a bitstream and its netlist")
	}
	netlist, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The parameters are the defaults of the top.
	m := topIn("board", "board_top",
		map[string]int{"CLOCKS_PER_BIT": 12, "LOG2_DEPTH": 11, "OFFSET": 18})
	m.Sources = map[string]string{m.Top + ".v": string(netlist) + cellsOf(t, "ice40/cells_sim.v")}
	m.netlist = true
	s := start(t, m)
	b := newBoard(s, random())
	b.next = capturedFrames(t, b.rng)
	if err := errors.Join(b.run(8_000_000), s.Close()); err != nil {
		t.Error(err)
	}
	t.Logf("frames of a capture against package inpacket: %v", b.outcomes)
}

// capturedFrames returns a function that returns the frames of a capture one after another, each
// behind a header with a choice of services, and an operation with one of these or with another.
func capturedFrames(t *testing.T, rng *rand.Rand) func() serialFrame {
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var services [][]byte
	for i := range 12 {
		services = append(services, fmt.Appendf(nil, "service %d", i))
	}
	plane.Add(services...)
	packets := readCapture(t, "layers/testdata/cip.pcap")
	sent := 0
	return func() serialFrame {
		packet := packets[sent%len(packets)]
		sent++
		perm := rng.Perm(len(services))
		var chosen [][]byte
		for _, service := range perm[:1+rng.IntN(6)] {
			chosen = append(chosen, services[service])
		}
		candidate, err := plane.Encode(chosen, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := candidate.Header
		h.Next = binary.BigEndian.Uint16(packet[12:])
		if rng.IntN(16) == 0 {
			for i := range 6 {
				h.Block[i] = ^uint32(0)
			}
		}
		op := inpacket.Op(rng.IntN(4))
		element := plane.Element(services[perm[rng.IntN(len(perm))]])
		frame := func(h *inpacket.Header256) []byte {
			header, _ := h.MarshalBinary() // it never fails
			return slices.Concat(packet[:12], []byte{etherType >> 8, etherType & 0xff}, header,
				packet[14:])
		}
		f := serialFrame{element: inpacket.TUser(op, element.Positions[h.Table]), in: frame(&h)}
		switch {
		case h.Fill() > boardLimit:
			f.flags = 1 << 3
		case op != inpacket.OpPass:
			f.flags = 1<<2 | byte(h.Apply(op, element))
		}
		f.out = frame(&h)
		return f
	}
}

// boardLimit is the fill limit of the board.
const boardLimit = 128

// The bytes of SLIP that are not themselves in a frame, and what stands for them there.
const (
	slipEnd    = 0xc0
	slipEsc    = 0xdb
	slipEscEnd = 0xdc
	slipEscEsc = 0xdd
)

// serialFrame is a frame as it goes to the board, and as it comes back.
type serialFrame struct {
	element uint64 // {positions, programmed, op}
	in, out []byte
	flags   byte
	dropped int // frames that were dropped ahead of it
	done    int // the clock in which it is back, but for the time in the engine
}

// event is what the line brings about: a frame that is whole, a frame that is dropped, or a reset.
type event struct {
	clock int // the clock in which it can be known first
	frame *serialFrame
	reset bool
}

// waiting is a frame that is in the board.
type waiting struct {
	done         int // the clock in which it is back
	bytes, beats int
}

// board drives the board's serial line, and knows what must come back.
type board struct {
	*Simulation
	rng           *rand.Rand
	rst, rx       Port
	tx, led       Port
	bit, capacity int // clocks of a bit; bytes of the longest frame, with its element
	offset        int
	stimuli       stimuli[uint32]
	next          func() serialFrame

	// The line to the board.
	levels           []byte // of the next clocks
	now              int    // the clock of the first of them
	rstFrom, rstTo   int
	lost             bool // the board waits for an idle line
	hunting, escaped bool
	frame            []byte
	dropped          int
	sent             *serialFrame // the frame that frame should be
	busy             int          // the clock in which all that is to come back has
	ahead            []waiting    // frames that are in, the first of them first
	long             int          // frames that are as long as can be, and about that
	special          []byte       // counts of dropped frames that are not themselves in a trailer
	draining         bool

	// What is to come back.
	events []event
	due    []*serialFrame
	most   int // frames that may have been dropped
	deaf   int // clocks in which the board's line means nothing
	seen   []byte
	open   bool // the end ahead of a frame has come
	back   []byte
	escape bool

	alone   int         // the clock in which a frame came in, and none was under way; or 0
	latency map[int]int // of such frames, by their bytes up to the field's last beat

	outcomes map[string]int
}

func newBoard(s *Simulation, rng *rand.Rand) *board {
	p := s.model.Parameters
	return &board{Simulation: s, rng: rng, rst: s.In("rst_n"), rx: s.In("rx"), tx: s.Out("tx"),
		led: s.Out("led"), bit: p["CLOCKS_PER_BIT"], capacity: 1<<p["LOG2_DEPTH"] - 1,
		offset: p["OFFSET"], stimuli: stimuli[uint32]{Rand: rng, key: true}, deaf: 20,
		special: []byte{slipEnd, slipEsc}, latency: map[int]int{}, outcomes: map[string]int{}}
}

// run sends about n clocks, and waits until all is back.
func (b *board) run(n int) error {
	b.reset(0, 8)
	b.idle(20)
	if err := drive(b.Simulation, n, b.fill, b.verify); err != nil {
		return err
	}
	b.draining = true
	for range 2000 {
		if len(b.levels)+len(b.due)+len(b.events) == 0 {
			return b.everything(n)
		}
		first := b.now
		if err := drive(b.Simulation, batch, b.fill, func(i int, record, answer []byte) error {
			return b.verify(first+i, record, answer)
		}); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
	}
	return fmt.Errorf("%d frames are missing at the end", len(b.due))
}

// everything returns an error unless all has happened.
func (b *board) everything(n int) error {
	for _, what := range []string{"passed", "overfull", "absent", "present", "deleted", "reset",
		"broken byte", "broken escape", "cut", "too short", "too long", "the longest"} {
		if b.outcomes[what] < 1+n/b.bit/1_000_000 {
			return fmt.Errorf("%d frames of %d clocks were %s: %w", b.outcomes[what], n, what,
				errNarrow)
		}
	}
	return nil
}

// fill writes the next clock.
func (b *board) fill(_ int, record []byte) {
	clear(record)
	if len(b.levels) == 0 {
		if b.draining {
			b.level(1, 1)
		} else {
			b.send()
		}
	}
	b.rx.Set(record, uint64(b.levels[0]))
	b.levels = b.levels[1:]
	if b.now < b.rstFrom || b.now >= b.rstTo {
		b.rst.Set(record, 1)
	}
	b.now++
}

// end returns the clock behind all that is on the line.
func (b *board) end() int { return b.now + len(b.levels) }

// level puts a level on the line, for clocks.
func (b *board) level(level byte, clocks int) {
	b.levels = append(b.levels, bytes.Repeat([]byte{level}, clocks)...)
}

// idle leaves the line alone for bits, at least 11 where the board is to notice it.
func (b *board) idle(bits int) {
	b.level(1, bits*b.bit)
	b.lost = b.lost && bits < 11
}

// reset resets the board in some clocks of those to come.
func (b *board) reset(from, clocks int) {
	b.rstFrom, b.rstTo = from, from+clocks
	b.events = append(b.events, event{clock: from, reset: true})
	b.lost, b.hunting, b.escaped, b.frame, b.dropped, b.busy = true, true, false, nil, 0, 0
	b.ahead = nil
}

// serial puts a byte on the line, with a stop bit or, broken, without one. Where the board listens,
// the middle of a bit counts, and the clock in which the first begins.
func (b *board) serial(octet byte, broken bool) {
	first := len(b.levels)
	b.level(0, b.bit)
	for i := range 8 {
		b.level(octet>>i&1, b.bit)
	}
	clock := b.end()
	if broken {
		b.level(0, b.bit)
	} else {
		b.level(1, b.bit)
	}
	for i := range b.levels[first:] {
		seldom := 8
		if i > 9*b.bit+b.bit/2 {
			seldom = 2
		}
		if i%b.bit != b.bit/2 && i > 0 && (i < 9*b.bit || broken) && !b.lost &&
			b.rng.IntN(seldom) == 0 {
			b.levels[first+i] ^= 1
		}
	}
	switch {
	case b.lost:
	case broken:
		b.lost = true
		b.drop(clock, "broken byte")
	case octet == slipEnd:
		b.close(clock)
		b.hunting = false
	case b.hunting:
	case b.escaped && octet == slipEscEnd:
		b.frame = append(b.frame, slipEnd)
	case b.escaped && octet == slipEscEsc:
		b.frame = append(b.frame, slipEsc)
	case b.escaped:
		b.drop(clock, "broken escape")
	case octet != slipEsc:
		b.frame = append(b.frame, octet)
	}
	b.escaped = !b.escaped && octet == slipEsc && !b.hunting
}

// drop gives a frame up.
func (b *board) drop(clock int, why string) {
	if !b.hunting {
		b.dropped++
		b.outcomes[why]++
		b.events = append(b.events, event{clock: clock})
	}
	b.hunting, b.frame = true, nil
}

// close ends a frame.
func (b *board) close(clock int) {
	frame := b.frame
	b.frame = nil
	switch {
	case b.hunting:
	case b.escaped:
		b.drop(clock, "cut")
	case len(frame) == 0:
	case len(frame) < 6:
		b.drop(clock, "too short")
	case len(frame) > b.capacity:
		b.drop(clock, "too long")
	default:
		if len(frame) == b.capacity {
			b.outcomes["the longest"]++
		}
		f := b.sent
		f.dropped = b.dropped
		b.events = append(b.events, event{clock: clock, frame: f})
		// Between two bytes there is a clock, and another for a beat.
		b.busy = max(b.busy, clock) + (10*b.bit+2)*len(escaped(f.out, f.flags, 0))
		f.done = b.busy
		b.ahead = append(b.ahead, waiting{b.busy, len(frame), (len(frame) + 2) / 8})
	}
}

// escaped returns a frame and its trailer as they are on the line.
func escaped(frame []byte, trailer ...byte) []byte {
	line := []byte{slipEnd}
	for _, octet := range slices.Concat(frame, trailer) {
		switch octet {
		case slipEnd:
			line = append(line, slipEsc, slipEscEnd)
		case slipEsc:
			line = append(line, slipEsc, slipEscEsc)
		default:
			line = append(line, octet)
		}
	}
	return append(line, slipEnd)
}

// anyFrame returns a frame of any length with a block in which something happens.
func (b *board) anyFrame() serialFrame {
	op, block, mask, _, _ := b.stimuli.next()
	f := serialFrame{element: op | b.rng.Uint64N(2)<<2 | fallback.Positions[uint32](b.stimuli.h)<<3}
	length := b.offset + 32 + b.rng.IntN(10)
	if b.rng.IntN(6) == 0 {
		length = 1 + b.rng.IntN(b.offset+32)
	}
	f.in = make([]byte, length)
	for i := range f.in {
		f.in[i] = byte(b.rng.Uint32())
		if b.rng.IntN(4) == 0 {
			f.in[i] = []byte{slipEnd, slipEsc, slipEscEnd, slipEscEsc}[b.rng.IntN(4)]
		}
	}
	copy(f.in[min(b.offset, length):], fieldOf(&block))
	f.out = bytes.Clone(f.in)
	if length < b.offset+32 {
		f.flags = 1 << 4
		return f
	}
	field, flags := apply(element[uint32]{op: op, mask: mask}, &block, boardLimit)
	copy(f.out[b.offset:], field)
	f.flags = byte(flags)
	return f
}

// send puts the next frame on the line, which may be broken in any way, and what is behind it.
func (b *board) send() {
	counted := len(b.special) > 0 && b.now > 20_000 && !b.lost
	if counted { // a frame leaves with this count
		b.serial(slipEnd, false)
		for byte(b.dropped) != b.special[0] {
			b.serial(slipEsc, false)
			b.serial(0, false)
			b.serial(slipEnd, false)
		}
		b.special = b.special[1:]
	}
	f := b.next()
	data := binary.BigEndian.AppendUint64(nil, f.element|b.rng.Uint64N(4)<<38)[3:]
	data = append(data, f.in...)
	kind := b.rng.IntN(16)
	if counted {
		kind = 10
	}
	switch extra := b.capacity - len(data); {
	case kind%7 == 0 && len(f.in) >= b.offset+32 && b.rng.IntN(b.capacity) < 80+b.capacity/12:
		// as long as can be, or about that; seldom where that takes long
		// A byte less is one behind whole beats, where the longest has two.
		more := bytes.Repeat([]byte{0x55}, extra+[]int{1, 0, -1}[b.long%3])
		b.long++
		data, f.out = append(data, more...), append(f.out, more...)
	case kind == 1:
		data = data[:5-max(0, b.rng.IntN(8)-5)]
	}
	b.sent = &f
	for b.queued()+min(len(data), b.capacity) > b.capacity {
		b.level(1, 10*b.bit)
	}
	line := escaped(data)
	if b.rng.IntN(4) > 0 {
		line = line[1:] // the end of the frame ahead is enough
	}
	place := b.rng.IntN(len(line))
	if b.rng.IntN(2) == 0 || kind == 9 { // in its end
		place = len(line) - 1
	}
	if kind == 3 {
		line = append(line[:place:place], slipEsc, slipEnd)
	}
	for i, octet := range line {
		broken := false
		if i == place {
			switch {
			case kind == 2 || kind == 9:
				broken = true
			case kind == 4 && octet != slipEscEnd && octet != slipEscEsc:
				b.serial(slipEsc, false)
			case kind == 5 || kind == 8:
				b.outcomes["reset"]++
				clocks := 1 + b.rng.IntN(4)
				from := b.rng.IntN(10 * b.bit)
				if kind == 8 { // the board is in step with the bytes behind it
					from = 9*b.bit - clocks + b.rng.IntN(b.bit)
				}
				b.reset(b.end()+from, clocks)
			case kind == 6 && !b.lost:
				b.level(0, 1+b.rng.IntN(b.bit/2-1)) // noise that is shorter than half a bit
				b.level(1, b.bit)
			}
		}
		b.serial(octet, broken)
		if kind > 12 && !b.lost {
			b.level(1, b.rng.IntN(3*b.bit))
		}
	}
	if b.lost {
		if b.rng.IntN(2) == 0 { // too short a pause for the board, and a frame that it ignores
			b.level(1, 7*b.bit-1) // behind three bits of the end that are high
			f := b.next()
			for _, octet := range escaped(f.in) {
				b.serial(octet, false)
			}
		}
		b.idle(14 + b.rng.IntN(6))
	} else if b.rng.IntN(4) == 0 {
		b.level(1, b.rng.IntN(40*b.bit))
	}
	if counted {
		b.level(1, max(0, b.busy-b.end()))
	}
}

// queued returns how many bytes wait in the board's queue at most: the engine holds 12 beats and
// more.
func (b *board) queued() (bytes int) {
	for len(b.ahead) > 0 && b.ahead[0].done <= b.end() {
		b.ahead = b.ahead[1:]
	}
	beats := 0
	for _, frame := range b.ahead {
		if beats += frame.beats; beats > 12 {
			bytes += frame.bytes
		}
	}
	return bytes
}

// verify takes the board's line of a clock.
func (b *board) verify(i int, _, answer []byte) error {
	for len(b.events) > 0 && b.events[0].clock <= i {
		e := b.events[0]
		b.events = b.events[1:]
		switch {
		case e.reset:
			b.due, b.most, b.seen, b.open, b.back, b.escape = nil, 0, nil, false, nil, false
			b.deaf, b.alone = 20, 0
		case e.frame != nil:
			if b.alone = 0; len(b.due) == 0 {
				b.alone = i
			}
			b.due = append(b.due, e.frame)
		default:
			b.most++
		}
	}
	if len(b.due) > 0 && i > b.due[0].done+100*b.bit {
		return fmt.Errorf("a frame is not back that should be in clock %d", b.due[0].done)
	}
	if b.deaf > 0 {
		b.deaf--
		return nil
	}
	level := byte(b.tx.Get(answer))
	if len(b.seen) == 0 && level == 1 {
		return nil
	}
	if b.alone > 0 {
		// It is known with its field's last beat.
		length, clocks := min(len(b.due[0].out), (b.offset+32+7)/8*8), i-b.alone
		if want, ok := b.latency[length]; ok && clocks != want {
			return fmt.Errorf("a frame of %d bytes takes %d clocks, another %d", length, clocks,
				want)
		}
		b.latency[length], b.alone = clocks, 0
	}
	b.seen = append(b.seen, level)
	if len(b.seen) < 10*b.bit {
		return nil
	}
	var octet byte
	for bit := range 10 {
		levels := b.seen[bit*b.bit:][:b.bit]
		if bytes.Count(levels, levels[:1]) != b.bit || bit == 0 && levels[0] == 1 ||
			bit == 9 && levels[0] == 0 {
			return fmt.Errorf("bit %d of a byte is %b", bit, levels)
		}
		if bit > 0 && bit < 9 {
			octet |= levels[0] << (bit - 1)
		}
	}
	b.seen = b.seen[:0]
	return b.take(octet, b.led.Get(answer))
}

// take takes a byte of the board.
func (b *board) take(octet byte, led uint64) error {
	switch {
	case octet == slipEnd && !b.open:
		b.open = true
	case !b.open:
		return fmt.Errorf("byte %#x comes between frames", octet)
	case octet == slipEnd:
		b.open = false
		defer func() { b.back = nil }()
		return b.compare(b.back, led)
	case !b.escape && octet == slipEsc:
		b.escape = true
	case b.escape && octet == slipEscEnd:
		b.back, b.escape = append(b.back, slipEnd), false
	case b.escape && octet == slipEscEsc:
		b.back, b.escape = append(b.back, slipEsc), false
	case b.escape:
		return fmt.Errorf("byte %#x comes behind an escape", octet)
	default:
		b.back = append(b.back, octet)
	}
	return nil
}

// compare compares a frame that is back, with its trailer, with the one that must be.
func (b *board) compare(back []byte, led uint64) error {
	if len(b.due) == 0 {
		return fmt.Errorf("a frame comes back, and none is in: %x", back)
	}
	f := b.due[0]
	b.due = b.due[1:]
	if len(back) != len(f.out)+2 || !bytes.Equal(back[:len(f.out)], f.out) {
		return fmt.Errorf("a frame comes back as\n%x, want\n%x and two bytes", back, f.out)
	}
	trailer := back[len(f.out):]
	if least := byte(f.dropped); trailer[1]-least > byte(b.most)-least {
		return fmt.Errorf("%d frames were dropped, want %d to %d", trailer[1], f.dropped, b.most)
	}
	name := map[byte]string{0: "passed", 4: "absent", 5: "present", 6: "deleted", 8: "overfull",
		16: "short"}[f.flags]
	b.outcomes[name]++
	want := uint64(min(1, b.most%256))
	if f.dropped != b.most {
		want = led
	}
	return errors.Join(differValue("the flags", uint64(trailer[0]), uint64(f.flags)),
		differValue("led", led, want))
}
