package cosim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/hdl/register"
	"github.com/bloomlane/bloomlane/hdl/table"
	"github.com/bloomlane/bloomlane/kernel"
)

// Tables that a host loads, dumps and rebuilds while operations go on.
var tableBusBenches = []bench{
	loadedBench("banks", loaded[uint32, kernel.Block256]{log2: 4, banks: 2, reads: 2, hash: 1,
		soft: soft256}),
	loadedBench("512", loaded[uint32, kernel.Block256]{log2: 9, banks: 1, reads: 1, soft: soft256}),
	loadedBench("one", loaded[uint64, kernel.Block512]{log2: 2, banks: 1, reads: 1, soft: soft512}),
}

// flippedTable is a table with an input that flips a bit of a bank's memory.
const flippedTable = `
module flipped_table #(
    parameter W = 32, parameter LOG2_BLOCKS = 2, parameter FIELD_BYTES = 4, parameter HASH = 1,
    parameter READ_STAGES = 2, parameter BANKS = 2
) (
    input wire clk, input wire rst, output wire ready,
    input wire key_write, input wire [1:0] key_word, input wire [31:0] key_data,
    input wire in_valid, input wire [1:0] in_op, input wire [8*FIELD_BYTES-1:0] in_field,
    output wire out_valid, output wire [1:0] out_result, output wire out_flipped,
    input wire bus_valid, input wire bus_write, input wire [15:0] bus_address,
    input wire [3:0] bus_strobe, input wire [31:0] bus_data,
    output wire bus_ready, output wire [31:0] bus_answer, output wire bus_error,
    input wire flip, input wire flip_bank, input wire [LOG2_BLOCKS-1:0] flip_index,
    input wire [$clog2(8*W)-1:0] flip_bit
);
    bloomlane_table #(
        .W(W), .LOG2_BLOCKS(LOG2_BLOCKS), .FIELD_BYTES(FIELD_BYTES), .HASH(HASH),
        .READ_STAGES(READ_STAGES), .PARITY(1), .BUS(1), .BANKS(BANKS)
    ) dut (
        .clk(clk), .rst(rst), .ready(ready),
        .key_write(key_write), .key_word(key_word), .key_data(key_data),
        .in_valid(in_valid), .in_op(in_op), .in_field(in_field),
        .out_valid(out_valid), .out_result(out_result), .out_flipped(out_flipped),
        .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address),
        .bus_strobe(bus_strobe), .bus_data(bus_data),
        .bus_ready(bus_ready), .bus_answer(bus_answer), .bus_error(bus_error)
    );
    genvar b;
    generate for (b = 0; b < BANKS; b = b + 1) begin : flipped
        always @(posedge clk)
            if (flip && flip_bank == b) dut.banked[b].core.memory[flip_index][flip_bit] <=
                !dut.banked[b].core.memory[flip_index][flip_bit];
    end endgenerate
endmodule
`

// The registers of a table, in its window.
const (
	atBank                             = register.Bank - register.TableWindow
	atFlipped                          = register.Flipped - register.TableWindow
	atBlock                            = register.Block - register.TableWindow
	atShape                            = register.TableShape - register.TableWindow
	atData                             = register.Data - register.TableWindow
	bankMirrors, bankClears, bankReady = 2, 4, 8
)

// softTable is a table in software.
type softTable[B table.Block] interface {
	Insert(h uint64) bool
	Delete(h uint64) kernel.Status
	blocks() []B
}

type table256 struct{ kernel.Table256 }

func (t table256) blocks() []kernel.Block256 { return t.Table256 }

type table512 struct{ kernel.Table512 }

func (t table512) blocks() []kernel.Block512 { return t.Table512 }

func soft256(blocks int) softTable[kernel.Block256] { return table256{kernel.NewTable256(blocks)} }
func soft512(blocks int) softTable[kernel.Block512] { return table512{kernel.NewTable512(blocks)} }

// loaded is a table, the host at its bus, and the model of both, clock by clock.
type loaded[T fallback.Lane, B table.Block] struct {
	log2, banks, reads, hash int
	soft                     func(blocks int) softTable[B]

	s              *Simulation
	rng            *rand.Rand
	device         *table.Device[B] // whose bus this is
	rst, ready     Port
	inValid, inOp  Port
	inField        Port
	outValid, out  Port
	outFlipped     Port
	bus            struct{ valid, write, address, strobe, data, ready, answer, error Port }
	flip, flipBank Port
	flipIndex      Port
	flipBit        Port

	fields  [][]byte
	hashes  []uint64
	live    []bool // fields that are members, once the operations that came are done
	members int
	dense   bool           // an operation in every clock
	silent  bool           // no operation comes
	queries bool           // no other operation comes
	forced  fieldOperation // the next one
	shadow  softTable[B]   // in software, on which all operations are done too, or nil

	clock   int
	stages  []fieldOperation // that are under way, the newest first
	model   [2][][fallback.Lanes]T
	used    []banking // in the last clocks, the newest first
	cleared [2]int    // the clock of the last clear
	now     banking

	block    int // of BLOCK
	bank     int
	words    []uint32 // of DATA, as the host has written or will read them
	begun    bool     // the host has written the first one
	fetched  bool
	flips    uint32 // of FLIPPED
	done     bool   // the request, with this answer
	answer   uint32
	waited   int  // clocks in which the request stood
	stalled  int  // of these, the last in which the table took no operation
	settled  bool // the host has read that a write of Bank need not wait
	switched int  // the clock of the last one
	reset    int  // the clock of the last reset
	stalls   int  // clocks in which the table took no operation for the host's sake
	mirrored int  // inserts into both banks
	crossed  int  // operations under way in a switch
}

// banking is the state of the banks in a clock.
type banking struct {
	bank   int
	mirror bool
}

// fieldOperation is an operation on a field.
type fieldOperation struct {
	op            uint64
	field         int
	member, valid bool
	flipped       bool // it finds a flipped bit
}

// A request of the host, on the register bus.
type busRequest struct {
	write   bool
	address uint64
	strobe  uint64
	data    uint32
}

func loadedBench[T fallback.Lane, B table.Block](name string, l loaded[T, B]) bench {
	return bench{
		name: fmt.Sprintf("table-bus-w%d-%s", fallback.LaneBits[T](), name),
		model: Model{Top: "flipped_table", Parameters: map[string]int{
			"W": int(fallback.LaneBits[T]()), "LOG2_BLOCKS": l.log2, "HASH": l.hash,
			"READ_STAGES": l.reads, "BANKS": l.banks,
		}, Sources: map[string]string{"flipped_table.v": flippedTable}},
		vectors: 100_000,
		check: func(s *Simulation, rng *rand.Rand, n int) error {
			l := l // its own
			l.connect(s, rng)
			return l.check(n)
		},
	}
}

func (l *loaded[T, B]) connect(s *Simulation, rng *rand.Rand) {
	l.s, l.rng = s, rng
	l.rst, l.ready = s.In("rst"), s.Out("ready")
	l.inValid, l.inOp, l.inField = s.In("in_valid"), s.In("in_op"), s.In("in_field")
	l.outValid, l.out, l.outFlipped = s.Out("out_valid"), s.Out("out_result"), s.Out("out_flipped")
	l.bus.valid, l.bus.write, l.bus.address = s.In("bus_valid"), s.In("bus_write"),
		s.In("bus_address")
	l.bus.strobe, l.bus.data = s.In("bus_strobe"), s.In("bus_data")
	l.bus.ready, l.bus.answer, l.bus.error = s.Out("bus_ready"), s.Out("bus_answer"),
		s.Out("bus_error")
	l.flip, l.flipBank = s.In("flip"), s.In("flip_bank")
	l.flipIndex, l.flipBit = s.In("flip_index"), s.In("flip_bit")
	hashing := toeplitzHashing(4)
	if l.hash == 1 {
		hashing = siphashHashing(4, 1, 3)
	}
	l.stages = make([]fieldOperation, hashing.latency+10+l.reads)
	l.used = make([]banking, 4+l.reads)
	l.words = make([]uint32, fallback.LaneBits[T]()/4)
}

// program writes the key, before whose last word the table must not be ready, and returns its hash.
func (l *loaded[T, B]) program() (func([]byte) uint64, error) {
	write, word, data := l.s.In("key_write"), l.s.In("key_word"), l.s.In("key_data")
	secret := make([]byte, 16)
	for i := range secret {
		secret[i] = byte(l.rng.Uint32())
	}
	n, hash := 3, toeplitzHashing(4).keyed(secret[:12])
	if l.hash == 1 {
		k, err := key.FromBytes(append([]byte("sip13:"), secret...))
		if err != nil {
			return nil, err
		}
		n, hash = 4, k.Hash
	}
	record, answer := make([]byte, l.s.InBytes()), make([]byte, l.s.OutBytes())
	for i := range n * 64 { // in which the memory is cleared
		clear(record)
		l.rst.Set(record, bit(i == 0))
		write.Set(record, bit(i%64 == 63))
		word.Set(record, uint64(i/64))
		data.Set(record, uint64(binary.BigEndian.Uint32(secret[i/64*4:])))
		if err := l.s.Run(record, answer); err != nil {
			return nil, err
		}
		if i > 0 && l.ready.Get(answer) == 1 {
			return nil, fmt.Errorf("the table is ready with %d of %d words of the key", i/64, n)
		}
	}
	return hash, nil
}

// choose returns an operation of which no member is lost, and notes what it does to the members.
func (l *loaded[T, B]) choose() fieldOperation {
	if o := l.forced; o.valid {
		l.forced = fieldOperation{}
		return o
	}
	if l.silent || !l.dense && l.rng.IntN(4) == 0 {
		return fieldOperation{}
	}
	o := fieldOperation{op: opQuery, field: l.rng.IntN(len(l.fields)), valid: true}
	if l.rng.IntN(2) == 0 {
		o.field %= 8
	}
	o.member = l.live[o.field]
	if choice := l.rng.IntN(16); l.queries {
	} else if choice == 0 {
		o.op = opPass
	} else if choice < 7 && !o.member && l.members < 6<<l.log2 {
		o.op = opInsert
		l.count(o.field, true)
	} else if choice < 5 && o.member {
		o.op = opDelete
		l.count(o.field, false)
	}
	return o
}

func (l *loaded[T, B]) count(field int, member bool) {
	if l.live[field] != member {
		l.live[field] = member
		l.members += map[bool]int{true: 1, false: -1}[member]
	}
}

// step runs n clocks, with a request on the bus or none, and holds what the table says against the
// model. A request takes a clock a step.
func (l *loaded[T, B]) step(n int, request *busRequest) error {
	in, out := l.s.InBytes(), l.s.OutBytes()
	records, answers := make([]byte, n*in), make([]byte, n*out)
	operations := make([]fieldOperation, n)
	for i := range operations {
		record := records[i*in:][:in]
		o := l.choose()
		operations[i] = o
		l.inValid.Set(record, bit(o.valid))
		l.inOp.Set(record, o.op)
		l.inField.SetBytes(record, reversed(l.fields[o.field]))
		if request != nil {
			l.offer(record, request)
		}
	}
	if err := l.s.Run(records, answers); err != nil {
		return err
	}
	for i, o := range operations {
		if err := l.verify(answers[i*out:][:out], o, request); err != nil {
			return fmt.Errorf("clock %d: %w", l.clock, err)
		}
		l.clock++
	}
	return nil
}

// offer has a record ask for something.
func (l *loaded[T, B]) offer(record []byte, r *busRequest) {
	l.bus.valid.Set(record, 1)
	l.bus.write.Set(record, bit(r.write))
	l.bus.address.Set(record, r.address)
	l.bus.strobe.Set(record, r.strobe)
	l.bus.data.Set(record, uint64(r.data))
}

// verify takes an answer and the operation that came with its record.
func (l *loaded[T, B]) verify(answer []byte, o fieldOperation, request *busRequest) error {
	isReady := l.ready.Get(answer) == 1
	if !isReady {
		switch {
		case l.clock-l.reset < 2+1<<l.log2: // it is cleared
		case request == nil || l.waited-l.stalled < 64:
			return fmt.Errorf("the table is not ready, and the host has waited %d clocks", l.waited)
		}
		l.stalls++
		l.stalled = l.waited
		if o.valid {
			l.count(o.field, o.member) // as it was
		}
		o.valid = false
	}
	last := l.stages[len(l.stages)-1]
	if err := differValue("out_valid", l.outValid.Get(answer), bit(last.valid)); err != nil {
		return err
	}
	if last.valid {
		result := l.out.Get(answer)
		if last.member && result == 0 && (last.op == opQuery || last.op == opDelete) {
			return fmt.Errorf("a member is absent")
		}
		err := differValue(fmt.Sprintf("out_result of operation %d", last.op), result,
			l.perform(last))
		if err != nil {
			return err
		}
		if err := differValue("out_flipped", l.outFlipped.Get(answer), bit(last.flipped)); err != nil {
			return err
		}
	}
	copy(l.stages[1:], l.stages)
	l.stages[0] = o
	copy(l.used[1:], l.used)
	l.used[0] = l.now
	if request != nil && l.bus.ready.Get(answer) == 1 {
		l.done = true
		l.answer = uint32(l.bus.answer.Get(answer))
		want, refused := l.host(request, isReady)
		if err := differValue("bus_error", l.bus.error.Get(answer), bit(refused)); err != nil {
			return err
		}
		got := l.answer
		switch isBank := request.address&0xfff == atBank; {
		case isBank && !refused && request.write:
			if l.settled && l.waited > 0 {
				return fmt.Errorf("a write of BANK waits for %d clocks, and need not", l.waited)
			}
			l.settled, l.switched = false, l.clock
		case isBank && !request.write:
			l.settled = got&bankClears == 0
			if l.settled && l.clock-l.switched < 4+l.reads {
				return fmt.Errorf("BANK is as written %d clocks ago", l.clock-l.switched)
			}
			got &^= bankClears
		}
		return differValue(fmt.Sprintf("bus_answer of %#x", request.address), uint64(got),
			uint64(want))
	}
	return nil
}

// perform does an operation in the banks of the clock in which it came to them.
func (l *loaded[T, B]) perform(o fieldOperation) (result uint64) {
	came := l.used[len(l.used)-1]
	h := l.hashes[o.field]
	index, mask := fallback.Index(h, 1<<l.log2), fallback.Mask[T](h)
	if came.mirror && o.op == opInsert && l.clock-len(l.used) > l.cleared[1-came.bank] {
		perform(o.op, &l.model[1-came.bank][index], &mask)
		l.mirrored++
	}
	if came.bank != l.now.bank {
		l.crossed++
	}
	if l.shadow != nil && o.op == opInsert {
		l.shadow.Insert(h)
	}
	if l.shadow != nil && o.op == opDelete {
		l.shadow.Delete(h)
	}
	return perform(o.op, &l.model[came.bank][index], &mask)
}

// host does a request on the model, in the clock of bus_ready.
func (l *loaded[T, B]) host(r *busRequest, isReady bool) (answer uint32, refused bool) {
	address := r.address & 0xfff // in the window
	word := (address - atData) / 4
	isData := address >= atData && word < uint64(len(l.words))
	isNext := isData && (l.begun || word == 0)
	isBlock := address == atBlock && r.data>>l.log2&^(1<<(31-l.log2)) == 0 &&
		int(r.data>>31) < l.banks
	if r.write && (r.strobe != 15 || address != atBank && !isBlock && !isNext) {
		return 0, true
	}
	switch {
	case address == atBank && r.write && r.data&bankClears != 0:
		other := (1 - l.now.bank) * (l.banks - 1)
		clear(l.model[other])
		l.cleared[other] = l.clock
		l.now.mirror = false
	case address == atBank && r.write && l.banks == 2:
		l.now = banking{int(r.data & 1), r.data&bankMirrors != 0}
	case address == atBank && !r.write:
		answer = uint32(l.now.bank) | uint32(bit(isReady))*bankReady |
			uint32(bit(l.now.mirror))*bankMirrors
	case address == atShape:
		answer = uint32(l.banks<<16 | l.log2<<8 | int(fallback.LaneBits[T]()))
	case address == atFlipped:
		answer = l.flips
	case address == atBlock && r.write:
		l.block, l.bank = int(r.data&(1<<31-1)), int(r.data>>31)
		l.fetched, l.begun = false, false
		clear(l.words)
	case address == atBlock:
		answer = uint32(l.bank)<<31 | uint32(l.block)
	case isData && r.write:
		if word == 0 { // a load begins
			clear(l.words)
			l.fetched = false
		}
		l.words[word], l.begun = r.data, true
		if word == uint64(len(l.words)-1) {
			mask := lanesOf[T](l.words)
			fallback.InsertMask(&l.model[l.bank][l.block], &mask)
			l.next()
		}
	case isData:
		if !l.fetched {
			wordsOf(&l.model[l.bank][l.block], l.words)
			l.fetched, l.begun = true, false // a load that has begun is given up
		}
		answer = l.words[word]
		if word == uint64(len(l.words)-1) {
			l.next()
		}
	}
	return answer, false
}

// next is what happens behind the last word.
func (l *loaded[T, B]) next() {
	l.block = (l.block + 1) % (1 << l.log2)
	l.fetched, l.begun = false, false
	clear(l.words)
}

// wordsOf writes a block's lanes as words, the low half of a lane of 64 bits first.
func wordsOf[T fallback.Lane](block *[fallback.Lanes]T, words []uint32) {
	in := uint(len(words) / fallback.Lanes) // a lane
	for i := range words {
		words[i] = uint32(uint64(block[uint(i)/in]) >> (32 * (uint(i) % in)))
	}
}

// lanesOf reads what wordsOf writes.
func lanesOf[T fallback.Lane](words []uint32) (block [fallback.Lanes]T) {
	in := uint(len(words) / fallback.Lanes)
	for i, word := range words {
		block[uint(i)/in] |= T(uint64(word) << (32 * (uint(i) % in)))
	}
	return block
}

// request waits for the bus.
func (l *loaded[T, B]) request(r busRequest) (uint32, error) {
	l.done, l.stalled = false, 0
	for l.waited = range 1 << 12 {
		if err := l.step(1, &r); err != nil {
			return 0, err
		}
		if l.done {
			return l.answer, nil
		}
	}
	return 0, fmt.Errorf("no answer of the bus at %#x", r.address)
}

// Write and Read are those of a [register.Bus].
func (l *loaded[T, B]) Write(address, value uint32) error {
	_, err := l.request(busRequest{true, uint64(address), 15, value})
	return err
}

func (l *loaded[T, B]) Read(address uint32) (uint32, error) {
	return l.request(busRequest{address: uint64(address), strobe: l.rng.Uint64N(16)})
}

// drain lets all that is under way end.
func (l *loaded[T, B]) drain() error {
	silent := l.silent
	l.silent = true
	defer func() { l.silent = silent }()
	return l.step(len(l.stages)+len(l.used), nil)
}

// rebuilt returns a table of the members alone.
func (l *loaded[T, B]) rebuilt() softTable[B] {
	table := l.soft(1 << l.log2)
	for field, member := range l.live {
		if member {
			table.Insert(l.hashes[field])
		}
	}
	return table
}

// check loads a table, works on it, dumps it, and rebuilds it from its members while operations go
// on; then it looks for flipped bits and at what a reset leaves.
func (l *loaded[T, B]) check(n int) error {
	hash, err := l.program()
	if err != nil {
		return err
	}
	for range 16 << l.log2 {
		field := make([]byte, 4)
		for j := range field {
			field[j] = byte(l.rng.Uint32())
		}
		l.fields, l.hashes = append(l.fields, field), append(l.hashes, hash(field))
	}
	l.live = make([]bool, len(l.fields))
	for bank := range l.model {
		l.model[bank] = make([][fallback.Lanes]T, 1<<l.log2)
	}
	if l.device, err = table.NewDevice[B](l); err != nil {
		return err
	}
	parts := []func(n int) error{l.checkLoaded, l.checkRebuilt, l.checkHost, l.checkFlipped,
		l.checkFound, l.checkReset}
	if l.log2 > 8 { // of many blocks, what their number is for
		parts = parts[:1]
	}
	for _, part := range parts {
		if err := part(n); err != nil {
			return err
		}
	}
	if l.stalls == 0 || l.banks == 2 && (l.mirrored < n/1000 || l.crossed == 0) {
		return fmt.Errorf("%d stalls, %d inserts into both banks, %d operations in switches: %w",
			l.stalls, l.mirrored, l.crossed, errNarrow)
	}
	return nil
}

// checkLoaded loads a table of software, works on both, and dumps it.
func (l *loaded[T, B]) checkLoaded(n int) error {
	l.dense, l.queries = true, true // no clock is free but those that the host is given
	members := l.live
	l.live = slices.Clone(members) // none is, until it is loaded
	for range 4 << l.log2 {
		members[l.rng.IntN(len(members))] = true
	}
	empty := l.live
	l.live = members
	l.shadow = l.rebuilt()
	l.live = empty
	if err := l.device.Load(0, l.shadow.blocks()); err != nil {
		return err
	}
	if err := l.drain(); err != nil {
		return err
	}
	for field, member := range members {
		l.count(field, member)
	}
	l.dense, l.queries = false, false
	for done := 0; done < n; done += batch {
		if err := l.step(min(batch, n-done), nil); err != nil {
			return err
		}
	}
	if err := l.drain(); err != nil {
		return err
	}
	l.silent = true
	blocks, err := l.device.Dump(0)
	l.silent = false
	if err != nil {
		return err
	}
	for i, want := range l.shadow.blocks() {
		if blocks[i] != want {
			return fmt.Errorf("block %d is %x, want %x", i, blocks[i], want)
		}
	}
	l.shadow = nil
	return nil
}

// checkRebuilt rebuilds the table of its members in the other bank, and switches to it, while
// operations go on.
func (l *loaded[T, B]) checkRebuilt(n int) error {
	if l.banks == 1 {
		return nil
	}
	for round := range 4 + n/10_000 {
		l.dense = round%2 == 1
		rebuild := l.toggle
		if l.dense {
			rebuild = l.device.Rebuild
		}
		err := rebuild(func() ([]B, error) {
			if err := l.step(round%3*50, nil); err != nil {
				return nil, err
			}
			return l.rebuilt().blocks(), nil
		})
		if err != nil {
			return err
		}
		if l.dense {
			err = l.step(500, nil)
		} // else the next clear comes at once
		if err != nil {
			return err
		}
	}
	return nil
}

// toggle rebuilds as a device does, but that it switches often: both banks have all members as long
// as inserts go into both. In the end they still do.
func (l *loaded[T, B]) toggle(list func() ([]B, error)) error {
	from, to := uint32(l.now.bank), uint32(1-l.now.bank)
	err := errors.Join(l.Write(register.Bank, from|bankClears),
		l.Write(register.Bank, from|bankMirrors))
	if err != nil {
		return err
	}
	blocks, err := list()
	if err == nil {
		err = l.device.Load(int(to), blocks)
	}
	if err == nil {
		_, err = l.device.Dump(int(to))
	}
	for i := uint32(0); err == nil && i < 21; i++ {
		err = l.Write(register.Bank, (to+i)%2|bankMirrors)
	}
	return err
}

// checkHost asks what a host can ask, in any order, while operations go on, and dumps all.
func (l *loaded[T, B]) checkHost(n int) error {
	l.dense = false
	for range max(500, n/100) {
		r := busRequest{l.rng.IntN(2) == 0, 4 * l.rng.Uint64N(40), 15, l.rng.Uint32()}
		if l.rng.IntN(8) == 0 {
			r.address = atBlock
		}
		switch {
		case r.write && r.address == atBank: // a switch loses members, as does a clear of one bank
			r.data = r.data&^1 | uint32(l.now.bank)
			if l.banks == 1 {
				r.data &^= bankClears
			}
		case r.write && r.address == atBlock && l.rng.IntN(4) > 0:
			r.data &= 1<<31 | 1<<l.log2 - 1
			if l.rng.IntN(4) == 0 {
				r.data |= 1 << l.rng.IntN(32)
			}
		case l.rng.IntN(8) == 0:
			r.strobe = l.rng.Uint64N(16)
		case r.write && l.rng.IntN(2) == 0:
			r.address = atData + 4*uint64(len(l.words)-1)
			if l.rng.IntN(2) == 0 {
				r.address = atData
			}
		}
		r.address |= l.rng.Uint64N(16) << 12
		if _, err := l.request(r); err != nil {
			return err
		}
		if err := l.step(l.rng.IntN(8), nil); err != nil {
			return err
		}
	}
	return l.dump()
}

// dump reads all, which verify compares with the model.
func (l *loaded[T, B]) dump() error {
	for bank := range l.banks {
		if _, err := l.device.Dump(bank); err != nil {
			return err
		}
	}
	return nil
}

// checkFlipped flips bits of blocks, which reads then find: first in a bank that no operation uses,
// and of which none is told.
func (l *loaded[T, B]) checkFlipped(int) error {
	l.dense = true
	if err := l.Write(register.Bank, uint32(l.now.bank)); err != nil {
		return err
	}
	if l.banks == 2 {
		if err := l.flipBits(1 - l.now.bank); err != nil {
			return err
		}
	}
	l.silent = true
	return l.flipBits(l.now.bank)
}

func (l *loaded[T, B]) flipBits(bank int) error {
	before, err := l.device.Flipped()
	if err := errors.Join(err, l.drain()); err != nil {
		return err
	}
	record, answer := make([]byte, l.s.InBytes()), make([]byte, l.s.OutBytes())
	for block := range 3 {
		place := l.rng.Uint64N(uint64(fallback.Lanes * fallback.LaneBits[T]()))
		l.flip.Set(record, 1)
		l.flipBank.Set(record, uint64(bank))
		l.flipIndex.Set(record, uint64(block))
		l.flipBit.Set(record, place)
		if err := l.s.Run(record, answer); err != nil {
			return err
		}
		lane := place / uint64(fallback.LaneBits[T]())
		l.model[bank][block][lane] ^= 1 << (place % uint64(fallback.LaneBits[T]()))
	}
	l.flips = before + 3
	if _, err := l.device.Dump(bank); err != nil {
		return err
	}
	_, err = l.device.Flipped()
	return err
}

// checkFound flips a bit of a block in each bank at once. Operations find it: each query, and one
// insert, which writes the block with new parity, and finds two where inserts go into both banks.
func (l *loaded[T, B]) checkFound(int) error {
	l.silent = true
	err := l.Write(register.Bank, uint32(l.now.bank)|uint32(l.banks-1)*bankMirrors)
	if err := errors.Join(err, l.drain()); err != nil {
		return err
	}
	const field = 0
	block := fallback.Index(l.hashes[field], 1<<l.log2)
	record, answer := make([]byte, l.s.InBytes()), make([]byte, l.s.OutBytes())
	for bank := range l.banks {
		place := uint64(0)
		for width := uint64(fallback.LaneBits[T]()); l.model[bank][block][place/width]>>(place%width)&1 == 1; {
			place++ // no member is lost by a bit more
		}
		l.flip.Set(record, 1)
		l.flipBank.Set(record, uint64(bank))
		l.flipIndex.Set(record, uint64(block))
		l.flipBit.Set(record, place)
		if err := l.s.Run(record, answer); err != nil {
			return err
		}
		l.model[bank][block][place/uint64(fallback.LaneBits[T]())] |= 1 << (place % uint64(fallback.LaneBits[T]()))
	}
	for _, o := range []struct {
		op    uint64
		found uint32
	}{{opQuery, 1}, {opQuery, 1}, {opInsert, uint32(l.banks)}, {opQuery, 0}} {
		l.forced = fieldOperation{op: o.op, field: field, member: l.live[field], valid: true, flipped: o.found > 0}
		if o.op == opInsert {
			l.count(field, true)
		}
		if err := errors.Join(l.step(1, nil), l.drain()); err != nil {
			return err
		}
		l.flips += o.found
		if _, err := l.device.Flipped(); err != nil {
			return err
		}
	}
	return nil
}

// checkReset resets the table while the host waits, after which nothing is left of what was.
func (l *loaded[T, B]) checkReset(int) error {
	record, answer := make([]byte, l.s.InBytes()), make([]byte, l.s.OutBytes())
	for round := range 24 {
		l.rst.Set(record, 1)
		if err := l.s.Run(record, answer); err != nil {
			return err
		}
		if l.bus.ready.Get(answer) == 1 {
			return errors.New("a request is answered in a reset")
		}
		clear(l.model[0])
		clear(l.model[1])
		clear(l.words)
		l.now, l.bank, l.block, l.flips = banking{}, 0, 0, 0
		l.fetched, l.begun = false, false
		l.settled, l.switched, l.reset = false, l.clock, l.clock
		last := register.Data + 4*uint32(len(l.words)-1)
		err := errors.Join(l.Write(last, 1), // which is refused
			l.Write(register.Data, 0), l.Write(last, 1)) // no other word is left
		for _, address := range []uint32{register.Bank, register.Flipped, register.Block,
			register.TableShape} {
			if err == nil {
				_, err = l.Read(address)
			}
		}
		if err = errors.Join(err, l.dump()); err != nil {
			return err
		}
		r := busRequest{round%2 == 0, register.Data, 15, 1}
		if r.write {
			r.address = uint64(last)
		}
		l.offer(record, &r) // for the next reset
		err = errors.Join(
			l.Write(register.Bank, uint32(l.banks-1)|bankMirrors),
			l.Write(register.Block, uint32(round%3%2*(l.banks-1))<<31|1),
			l.Write(register.Data, l.rng.Uint32()),
		)
		l.waited, l.stalled, l.done = 0, 0, false
		for ; err == nil && l.waited < round/2; l.waited++ {
			if l.done {
				break
			}
			err = l.step(1, &r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
