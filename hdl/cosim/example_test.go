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
)

// The examples of package hdl, with numbers of tables and links that are powers of two and not.
var exampleBenches = []bench{
	{"example-service", example("example_service", map[string]int{"TABLES": serviceTables}),
		100_000, checkService},
	{"example-node", rude(example("example_node", map[string]int{"TABLES": nodeTables,
		"LINKS": links})), 100_000, checkNode},
	{"example-filter", example("example_filter", map[string]int{"LOG2_DEPTH": 3}),
		100_000, checkFilter},
}

const (
	serviceTables = 4
	nodeTables    = 5
	links         = 3

	// Of the frames of "packets inpacket".
	etherType  = 0x88b5
	headerKind = 0x10
	fieldAt    = 18
	wide       = 64 // bytes of a beat
)

func example(top string, parameters map[string]int) Model {
	text, err := sourceOf(top + ".v")
	if err != nil {
		panic(err)
	}
	return Model{Top: top, Parameters: parameters, Sources: map[string]string{top + ".v": text}}
}

// rude returns the model for stimuli that write ports that there are not.
func rude(m Model) Model {
	m.rude = true
	return m
}

// frames makes the first beats of frames: with a header and, often by a bit, without one.
type frames struct {
	stimuli[uint32]
	elements []uint64 // hashes of those that are programmed
	tables   int
}

func newFrames(rng *rand.Rand, tables int) *frames {
	f := &frames{tables: tables, stimuli: stimuli[uint32]{Rand: rng, key: true}}
	for range 6 {
		f.elements = append(f.elements, rng.Uint64())
	}
	return f
}

func (f *frames) element() uint64 { return f.elements[f.IntN(len(f.elements))] }

func (f *frames) beat() []byte {
	data := make([]byte, wide)
	for i := range data {
		data[i] = byte(f.Uint32())
	}
	header := []byte{etherType >> 8, etherType & 0xff, headerKind, byte(f.IntN(f.tables))}
	switch f.IntN(8) {
	case 0, 1:
		at := f.IntN(8 * len(header)) // any bit, with a table that is none too
		header[at/8] ^= 1 << (at % 8)
	case 2:
		header[3] = byte(f.Uint32())
	}
	copy(data[12:], header)
	block := f.block()
	if f.IntN(2) == 0 {
		block = [fallback.Lanes]uint32{}
	}
	for range f.IntN(4) {
		mask := fallback.Mask[uint32](f.element())
		fallback.InsertMask(&block, &mask)
	}
	f.last = block
	copy(data[fieldAt:], fieldOf(&block))
	return data
}

// headerOf returns the table of a frame's header and its field, or false where it has none.
func headerOf(beat []byte, tables int) (table int, field [fallback.Lanes]uint32, ok bool) {
	if binary.BigEndian.Uint16(beat[12:]) != etherType || beat[14] != headerKind ||
		int(beat[15]) >= tables {
		return 0, field, false
	}
	if _, err := binary.Decode(beat[fieldAt:][:32], binary.BigEndian, &field); err != nil {
		panic(err)
	}
	return int(beat[15]), field, true
}

// checkService holds a service, whose tables are written all the time, with backpressure, gaps and
// resets, against the definition. The engine's own corners are those of its benches.
func checkService(s *Simulation, rng *rand.Rand, n int) error {
	type frameBeat struct {
		data []byte // all of them
		kept int
		user uint64
		last bool
	}
	type packet struct {
		beats []frameBeat // in, and not out
		serve uint64
	}
	rst, write, writeTable, writePositions, fillLimit := s.In("rst"), s.In("write"),
		s.In("write_table"), s.In("write_positions"), s.In("fill_limit")
	sData, sKeep, sLast, sUser, control, ready := s.In("s_axis_tdata"), s.In("s_axis_tkeep"),
		s.In("s_axis_tlast"), s.In("s_axis_tuser"), s.In(StreamIn), s.In("m_axis_tready")
	mData, mKeep, mLast, mUser, mServe, mValid, status := s.Out("m_axis_tdata"),
		s.Out("m_axis_tkeep"), s.Out("m_axis_tlast"), s.Out("m_axis_tuser"), s.Out("m_axis_serve"),
		s.Out("m_axis_tvalid"), s.Out(StreamOut)
	frames := newFrames(rng, serviceTables)
	var (
		masks       = make([][fallback.Lanes]uint32, 2*batch) // that record i writes
		queue, rest []frameBeat
		packets     []*packet
		element     [serviceTables]*[fallback.Lanes]uint32
		limit       uint64
		inside      bool // the last beat that was taken did not end its packet
		outcomes    = map[string]int{}
	)
	// deletes does what the service does to a packet, whose first beat it is given.
	deletes := func(b *frameBeat, limit uint64) (serve uint64) {
		table, field, ok := headerOf(b.data, serviceTables)
		ones := 0
		for _, lane := range field {
			ones += bits.OnesCount32(lane)
		}
		switch {
		case b.last && b.kept < fieldAt+32:
			outcomes["short"]++
			return 0
		case !ok || element[table] == nil:
			outcomes["passed"]++
			return 0
		case uint64(ones) > limit:
			outcomes["overfull"]++
			return 0
		}
		status := fallback.DeleteMask(&field, element[table])
		outcomes[[...]string{"absent", "retained", "deleted"}[status]]++
		b.data = slices.Concat(b.data[:fieldAt], fieldOf(&field), b.data[fieldAt+32:])
		return uint64(min(1, status))
	}
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		if i == 0 || rng.IntN(500) == 0 {
			rst.Set(record, 1)
			limit = []uint64{256, 128, 64}[rng.IntN(3)]
		}
		fillLimit.Set(record, limit)
		h := frames.element()
		masks[i%len(masks)] = fallback.Mask[uint32](h)
		write.Set(record, uint64(max(0, rng.IntN(32)-30)))
		writeTable.Set(record, uint64(rng.IntN(serviceTables)))
		writePositions.Set(record, fallback.Positions[uint32](h))
		ready.Set(record, uint64(min(1, rng.IntN(8))))
		for len(rest) == 0 || !rest[len(rest)-1].last {
			b := frameBeat{data: frames.beat(), kept: wide, user: rng.Uint64N(2),
				last: rng.IntN(4) > 0}
			if b.last && rng.IntN(4) == 0 {
				b.kept = rng.IntN(wide)
			}
			rest = append(rest, b)
		}
		b := rest[0]
		rest = rest[1:]
		queue = append(queue, b)
		control.Set(record, StreamPush|StreamOffer*uint64(min(1, rng.IntN(8))))
		sData.SetBytes(record, b.data)
		sKeep.SetBytes(record, kept(b.kept))
		sUser.Set(record, b.user)
		if b.last {
			sLast.Set(record, 1)
		}
	}, func(i int, record, answer []byte) error {
		taken := status.Get(answer)&StreamTaken != 0
		reset := rst.Get(record) == 1
		if taken {
			b := queue[0]
			queue = queue[1:]
			if !reset {
				if !inside {
					packets = append(packets, &packet{serve: deletes(&b, fillLimit.Get(record))})
				}
				p := packets[len(packets)-1]
				p.beats = append(p.beats, b)
				inside = !b.last
			}
		}
		if write.Get(record) == 1 {
			mask := masks[i%len(masks)]
			element[writeTable.Get(record)] = &mask
		}
		if reset {
			packets, inside, element = nil, false, [serviceTables]*[fallback.Lanes]uint32{}
			return nil
		}
		if mValid.Get(answer) == 0 || ready.Get(record) == 0 {
			return nil
		}
		if len(packets) == 0 || len(packets[0].beats) == 0 {
			return fmt.Errorf("a beat comes out, and none is in")
		}
		p := packets[0]
		b := p.beats[0]
		p.beats = p.beats[1:]
		last := uint64(0)
		if b.last {
			last = 1
			packets = packets[1:]
		}
		if got := mData.Bytes(nil, answer)[:b.kept]; !bytes.Equal(got, b.data[:b.kept]) {
			return fmt.Errorf("m_axis_tdata is %x, want %x (first byte first)", got,
				b.data[:b.kept])
		}
		return errors.Join(
			differValue("m_axis_tlast", mLast.Get(answer), last),
			differValue("m_axis_tkeep", uint64(bits.OnesCount64(mKeep.Get(answer))),
				uint64(b.kept)),
			differValue("m_axis_tuser", mUser.Get(answer), b.user),
			differValue("m_axis_serve", mServe.Get(answer), p.serve*last),
		)
	})
	for _, what := range []string{"short", "passed", "overfull", "absent", "retained", "deleted"} {
		if err == nil && outcomes[what] < n/1000 {
			err = fmt.Errorf("%d of %d packets were %s: %w", outcomes[what], n, what, errNarrow)
		}
	}
	return err
}

// checkFilter holds a filter of frames, whose element is programmed all the time, with backpressure
// and resets, against the definition: the good frames that have the element leave, but those that
// are lost. The queue's own corners are those of its benches.
func checkFilter(s *Simulation, rng *rand.Rand, n int) error {
	type frame struct {
		data   [][]byte // of all beats, in full
		kept   []int    // bytes of each beat
		leaves bool
	}
	rst, program, programMask, fillLimit := s.In("rst"), s.In("program_valid"),
		s.In("program_mask"), s.In("fill_limit")
	rxData, rxKeep, rxValid, rxLast, rxUser, ready := s.In("rx_axis_tdata"), s.In("rx_axis_tkeep"),
		s.In("rx_axis_tvalid"), s.In("rx_axis_tlast"), s.In("rx_axis_tuser"), s.In("m_axis_tready")
	mData, mKeep, mLast, mValid, lost := s.Out("m_axis_tdata"), s.Out("m_axis_tkeep"),
		s.Out("m_axis_tlast"), s.Out("m_axis_tvalid"), s.Out("lost")
	frames := newFrames(rng, 1)
	var (
		masks        = make([][fallback.Lanes]uint32, 2*batch) // that record i programs
		offers, asks int                                       // of 8 cycles
		lasts        int                                       // beats of a frame
		limit        uint64                                    // that changes in resets
		element      *[fallback.Lanes]uint32
		inside, open bool  // a frame has begun and not ended; frames are let in
		closed       int   // cycles until the engine is ready
		in           frame // that comes in
		leaving      []frame
		losses       int // of these, frames that are lost, and may not be known yet
		beat         int // of the frame that comes out
		outcomes     = map[string]int{}
	)
	// passes says whether a frame leaves, if there is room.
	passes := func(f *frame, bad bool) bool {
		var field [fallback.Lanes]uint32
		if _, err := binary.Decode(f.data[0][fieldAt:][:32], binary.BigEndian, &field); err != nil {
			panic(err)
		}
		ones, what := 0, "passed"
		for _, lane := range field {
			ones += bits.OnesCount32(lane)
		}
		switch {
		case bad:
			what = "bad"
		case len(f.kept) == 1 && f.kept[0] < fieldAt+32:
			what = "short"
		case uint64(ones) > limit:
			what = "overfull"
		case !f.leaves:
			what = "absent"
		}
		outcomes[what]++
		return what == "passed"
	}
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		if i%128 == 0 {
			offers, asks, lasts = 1+rng.IntN(8), rng.IntN(9), 1+rng.IntN(4)
		}
		// The limit is a level, and changes in resets.
		rst.Set(record, bit(i == 0 || i%1000 >= 980 || rng.IntN(100) == 0))
		fillLimit.Set(record, []uint64{256, 128, 64}[i/1000%3])
		masks[i%len(masks)] = fallback.Mask[uint32](frames.element())
		program.Set(record, bit(rng.IntN(16) == 0))
		setBlock(programMask, record, &masks[i%len(masks)])
		ready.Set(record, bit(rng.IntN(8) < asks))
		rxValid.Set(record, bit(rng.IntN(8) < offers))
		last, keep := rng.IntN(lasts) == 0, wide
		if last && rng.IntN(4) == 0 {
			keep = rng.IntN(wide)
		}
		rxLast.Set(record, bit(last))
		rxUser.Set(record, bit(rng.IntN(8) == 0))
		rxKeep.SetBytes(record, kept(keep))
		rxData.SetBytes(record, frames.beat())
	}, func(i int, record, answer []byte) error {
		reset, valid, last := rst.Get(record) == 1, rxValid.Get(record) == 1,
			rxLast.Get(record) == 1
		limit = fillLimit.Get(record)
		first := !inside
		if valid {
			inside = !last
		}
		if reset {
			open, closed, element = false, 2, nil
			leaving, losses, beat = nil, 0, 0
			return nil
		}
		if lost.Get(answer) == 1 {
			losses++
			outcomes["lost"]++
		}
		if mValid.Get(answer) == 0 && beat > 0 {
			return fmt.Errorf("m_axis_tvalid falls behind beat %d of a frame", beat-1)
		}
		if mValid.Get(answer) == 1 && ready.Get(record) == 1 {
			data, keep := mData.Bytes(nil, answer), bits.OnesCount64(mKeep.Get(answer))
			for beat == 0 && losses > 0 && len(leaving) > 0 &&
				!bytes.Equal(data, leaving[0].data[0]) {
				leaving, losses = leaving[1:], losses-1
			}
			if len(leaving) == 0 {
				return fmt.Errorf("a beat comes out, and none is in")
			}
			f := leaving[0]
			if !bytes.Equal(data, f.data[beat]) {
				return fmt.Errorf("m_axis_tdata is %x, want %x (first byte first)", data,
					f.data[beat])
			}
			if err := errors.Join(
				differValue("bytes kept", uint64(keep), uint64(f.kept[beat])),
				differValue("m_axis_tlast", mLast.Get(answer), bit(beat+1 == len(f.kept))),
			); err != nil {
				return err
			}
			if beat++; beat == len(f.kept) {
				leaving, beat = leaving[1:], 0
			}
		}
		if valid && open {
			data := rxData.Bytes(nil, record)
			if first {
				in = frame{}
				var field [fallback.Lanes]uint32
				if _, err := binary.Decode(data[fieldAt:][:32], binary.BigEndian,
					&field); err != nil {
					return err
				}
				in.leaves = element != nil && fallback.QueryMask(&field, element)
			}
			in.data = append(in.data, data)
			in.kept = append(in.kept, bits.OnesCount64(rxKeep.Get(record)))
			if last && passes(&in, rxUser.Get(record) == 1) {
				leaving = append(leaving, in)
			}
			if waiting := len(leaving) - losses; waiting > 64 { // the engine holds 34, the queue 9
				return fmt.Errorf("%d frames wait to come out", waiting)
			}
		}
		if program.Get(record) == 1 {
			mask := masks[i%len(masks)]
			element = &mask
		}
		closed = max(0, closed-1)
		open = open || closed == 0 && !inside
		return nil
	})
	for _, what := range []string{"bad", "short", "overfull", "absent", "passed", "lost"} {
		if err == nil && outcomes[what] < n/1000 {
			err = fmt.Errorf("%d of %d frames were %s: %w", outcomes[what], n, what, errNarrow)
		}
	}
	if err == nil && losses > len(leaving) {
		err = fmt.Errorf("%d frames are lost, and %d are missing", losses, len(leaving))
	}
	return err
}

// checkNode holds a node, whose links are written all the time, against the definition.
func checkNode(s *Simulation, rng *rand.Rand, n int) error {
	type link struct {
		enabled bool
		mask    [fallback.Lanes]uint32
	}
	type answers struct {
		valid, carries, overfull bool
		links                    uint64
		ones                     int
	}
	rst, write, writeTable, writeLink, writeEnable, writePositions := s.In("rst"), s.In("write"),
		s.In("write_table"), s.In("write_link"), s.In("write_enable"), s.In("write_positions")
	fillLimit, inValid, inData := s.In("fill_limit"), s.In("in_valid"), s.In("in_data")
	outValid, outLinks, outOverfull := s.Out("out_valid"), s.Out("out_links"), s.Out("out_overfull")
	frames := newFrames(rng, nodeTables)
	var (
		masks    = make([][fallback.Lanes]uint32, 2*batch) // that record i writes
		elements [nodeTables][links]link
		stages   [5]answers
		limit    uint64
		done     bool // a reset has been
		named    int
		overfull int
	)
	err := drive(s, n, func(i int, record []byte) {
		clear(record)
		rst.Set(record, bit(i == 0 || rng.IntN(2000) == 0))
		if i == 0 || rng.IntN(100) == 0 {
			limit = []uint64{256, 128, 64}[rng.IntN(3)]
		}
		fillLimit.Set(record, limit)
		h := frames.element()
		masks[i%len(masks)] = fallback.Mask[uint32](h)
		write.Set(record, bit(rng.IntN(8) == 0))
		writeTable.Set(record, uint64(rng.IntN(8))) // also tables and links that there are not
		writeLink.Set(record, uint64(rng.IntN(4)))
		writeEnable.Set(record, bit(rng.IntN(8) > 0))
		writePositions.Set(record, fallback.Positions[uint32](h))
		inValid.Set(record, bit(rng.IntN(4) > 0))
		inData.SetBytes(record, frames.beat())
	}, func(i int, record, answer []byte) error {
		if last := stages[len(stages)-1]; done {
			if !last.carries || last.overfull {
				last.links = 0
			}
			if last.links != 0 {
				named++
			}
			last.overfull = last.overfull && last.carries
			overfull += int(bit(last.overfull))
			if err := errors.Join(
				differValue("out_valid", outValid.Get(answer), bit(last.valid)),
				differValue("out_links", outLinks.Get(answer), last.links),
				differValue("out_overfull", outOverfull.Get(answer), bit(last.overfull)),
			); err != nil {
				return err
			}
		}
		copy(stages[1:], stages[:])
		// a level: as of the count's last clock
		counted := &stages[len(stages)-2]
		counted.overfull = uint64(counted.ones) > fillLimit.Get(record)
		stages[0] = answers{valid: inValid.Get(record) == 1}
		if table, header, ok := headerOf(inData.Bytes(nil, record), nodeTables); ok &&
			stages[0].valid {
			stages[0].carries = true
			for _, lane := range header {
				stages[0].ones += bits.OnesCount32(lane)
			}
			for l, e := range elements[table] {
				stages[0].links |= bit(e.enabled && fallback.QueryMask(&header, &e.mask)) << l
			}
		}
		if t, l := writeTable.Get(record), writeLink.Get(record); write.Get(record) == 1 &&
			t < nodeTables && l < links {
			elements[t][l] = link{writeEnable.Get(record) == 1, masks[i%len(masks)]}
		}
		if rst.Get(record) == 1 {
			done = true
			clear(stages[:])
			for t := range elements {
				for l := range elements[t] {
					elements[t][l].enabled = false
				}
			}
		}
		return nil
	})
	if err == nil && min(named, overfull) < n/100 {
		err = fmt.Errorf("of %d frames %d named a link and %d were overfull: %w", n, named,
			overfull, errNarrow)
	}
	return err
}
