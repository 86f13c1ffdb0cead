package cosim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// The registers behind AXI4-Lite with clocks of nine ratios, whose phases drift.
var controlBenches = []bench{
	controlBench("control", 1, ratios[:]),
	controlBench("control-one-clock", 0, ratios[:1]),
	skewedBench("control-skewed", nil),
}

func controlBench(name string, async int, ratios [][2]int) bench {
	model := Model{Top: "control_tb", Sources: tops(),
		Parameters: map[string]int{"ASYNC": async, "LOG2_TABLES": async}}
	n := max(6_000, 2_000*len(ratios))
	if os.Getenv("BLOOMLANE_CONTROL") == "full" {
		n = 1_000_000
	}
	return bench{name, model, n, func(s *Simulation, rng *rand.Rand, n int) error {
		return checkControl(s, rng, ratios, n)
	}}
}

// skewedBench has bits that come late to the other clock, up to two of its falling edges: more than
// the vendors' constraints allow.
func skewedBench(name string, mistake []string) bench {
	b := controlBench(name, 1, []([2]int){ratios[0], ratios[3], ratios[6]})
	text, err := sourceOf("bloomlane_axil.v")
	if err != nil {
		panic(err)
	}
	const request, answer = "{write_reg, address_reg, data_reg}", "= ran_answer_reg;"
	for _, late := range []string{request, answer} {
		if strings.Count(text, late) != 1 {
			panic("bloomlane_axil has no " + late)
		}
	}
	text = strings.Replace(text, request, "late_request", 1)
	text = strings.Replace(text, answer, "= late_answer;", 1)
	text = strings.Replace(text, "            wire arrives =", `
            wire [46:0] late_request;
            wire [31:0] late_answer;
            skew #(.BITS(47)) there (clk, `+request+`, late_request);
            skew #(.BITS(32)) back (s_axi_aclk, ran_answer_reg, late_answer);
            wire arrives =`, 1)
	text = strings.NewReplacer(mistake...).Replace(text)
	b.model = b.model.replaced(map[string]string{"bloomlane_axil.v": text})
	return b
}

// A request and an answer that are captured a clock too early are caught where bits are late.
func TestSkew(t *testing.T) {
	onlyLong(t)
	for _, mistake := range [][]string{
		{"there_reg[1] != ran_reg", "there_reg[0] != ran_reg"},
		{"back_reg[1] == sent_reg", "back_reg[0] == sent_reg"},
	} {
		b := skewedBench("skewed", mistake)
		s := start(t, b.model)
		err := b.check(s, random(), b.short())
		_ = s.Close() // a mutant may fail in any way
		if err == nil || errors.Is(err, errNarrow) {
			t.Errorf("%q for %q survives (%v)", mistake[1], mistake[0], err)
		}
	}
}

var controlMutants = []mutant{
	{"the place is committed a clock late", "control", "bloomlane_control.v",
		"assign place         = ‹place_now_reg›;",
		"place_late‹ reg [2:0] place_late; always @(posedge clk) place_late <= place_now_reg;›"},
	{"the operation is committed a clock late", "control", "bloomlane_control.v",
		"assign op            = ‹op_now_reg›;",
		"op_late‹ reg [1:0] op_late; always @(posedge clk) op_late <= op_now_reg;›"},
	{"a port's element is written where headers ask", "control", "bloomlane_control.v",
		"assign port_table = {‹!bank_reg›, bus_data", "bank_reg"},
	{"an element takes effect word by word", "control", "bloomlane_control.v",
		"assign program_valid = ‹commit && bus_data[0]›;",
		"commit && bus_data[0] || write && is_element"},
	{"the fill limit takes effect when written", "control", "bloomlane_control.v",
		"assign fill_limit    = ‹fill_limit_now_reg›;", "fill_limit_reg"},
	{"a port that there is not is written", "control", "bloomlane_control.v",
		"in_range   = {16'd0, bus_data[15:0]} < ‹PORTS› &&", "PORTS + 1"},
	{"the last word of an element is none", "control", "bloomlane_control.v",
		"is_element = ‹element_at < WORD_BYTES[15:0]›;", "element_at < WORD_BYTES[15:0] - 4"},
	{"the key has a word more", "control", "bloomlane_control.v",
		"is_key     = {16'd0, key_at} + ‹32'd4› <= KEY_BYTES;", "32'd0"},
	{"a fill limit above all bits is taken", "control", "bloomlane_control.v",
		"writes = ‹bus_data <= FULL›;", "1'b1"},
	{"a hole takes a write", "control", "bloomlane_control.v",
		"bus_write && ‹!(writes && &bus_strobe)›;", "1'b0"},
	{"a counter's turn forgets what comes in it", "control", "bloomlane_counters.v",
		"(turn_reg == NUMBER[LOG2-1:0] ? {SLOT{1'b0}} : gathered_reg) +\n" +
			"                                    ‹{{SLOT-ADD{1'b0}}, add[ADD*i +: ADD]}›;",
		"(turn_reg == NUMBER[LOG2-1:0] ? {SLOT{1'b0}} : {{SLOT-ADD{1'b0}}, add[ADD*i +: ADD]})"},
	{"a counter's high word is that of now", "control", "bloomlane_counters.v",
		"bus_address[2] ? {16'd0, ‹high_reg›}", "sum[47:32]"},
	{"a counter has 47 bits", "control", "bloomlane_counters.v",
		"wire [47:0] sum  = ‹base + {{48-SLOT{1'b0}}, more_reg}›;",
		"(base + more_reg) & 48'h7fff_ffff_ffff"},
	{"a counter is read a turn early", "control", "bloomlane_counters.v",
		"assign bus_ready  = !rst && (!read_low || ‹has_turn›);", "then_valid_reg"},
	{"the crossing's answer does not wait", "control", "bloomlane_axil.v",
		"request_reg && ‹back_reg[1] == sent_reg›;", "there_reg[1] == sent_reg"},
	{"a request stands once more", "control", "bloomlane_axil.v",
		"if (‹valid_reg && bus_ready›) begin",
		"valid_reg && bus_ready && bus_address[4:0] != 5'h14"},
	{"a misaligned read is one of the word", "control", "bloomlane_axil.v",
		": ‹s_axi_araddr[1:0] == 2'd0›;", "1'b1"},
	{"the bus's error is lost", "control", "bloomlane_axil.v",
		"error_reg   <= ‹error›;", "1'b0"},
	{"a window is one for two", "control", "bloomlane_bus.v",
		"target_valid[t] = bus_valid && ‹bus_address[15:12] == NUMBER[3:0]›;",
		"bus_address[12] == NUMBER[0]"},
}

var countMutants = []mutant{
	{"a packet that a delete retained is present", "inline-w32-8b-14", "bloomlane_count.v",
		".in_data  (‹s_axis_op == `BLOOMLANE_DELETE›)", "1'b0"},
	{"the operation is that of a packet's last beat", "inline-w32-8b-14", "bloomlane_count.v",
		"(‹take && !inside_reg›)", "take && s_axis_tlast"},
	{"short and overfull change places", "inline-w32-8b-14", "bloomlane_count.v",
		"ends_reg && ‹flags_reg[3]›,", "flags_reg[4]"},
}

// countBelow is how far from their wrap the counters of an in-line engine begin.
const countBelow = 3

// sum adds a packet that has left to what bloomlane_count has.
func (e *engine[T]) sum(p *flow) {
	e.sums[0]++
	e.sums[1] += uint64(len(p.in))
	switch {
	case p.user&16 != 0:
		e.sums[2]++
	case p.user&8 != 0:
		e.sums[3]++
	case p.user&4 == 0: // a pass
	case p.element.(element[T]).op == opDelete:
		e.sums[[...]int{4, 6, 7}[p.user&3]]++
	default:
		e.sums[4+p.user&3]++
	}
}

// readCounters reads the counters, each whole, and compares them with the sums, which writes do not
// change. An engine that drops what a reset leaves of a packet has none.
func (e *engine[T]) readCounters() error {
	if e.dropCut {
		return nil
	}
	valid, write, address := e.In("bus_valid"), e.In("bus_write"), e.In("bus_address")
	ready, answer, refused := e.Out("bus_ready"), e.Out("bus_answer"), e.Out("bus_error")
	record, out := make([]byte, e.InBytes()), make([]byte, e.OutBytes())
	valid.Set(record, 1)
	ask := func(place int, isWrite bool) (uint64, error) {
		write.Set(record, bit(isWrite))
		address.Set(record, uint64(place))
		for range 16 {
			if err := e.Run(record, out); err != nil {
				return 0, err
			}
			if ready.Get(out) == 1 {
				return answer.Get(out), differValue(fmt.Sprintf("bus_error at %#x", place),
					refused.Get(out), bit(isWrite))
			}
		}
		return 0, fmt.Errorf("no answer at %#x", place)
	}
	read := func(place int) (uint64, error) { return ask(place, false) }
	for rng, i := random(), 0; i < 16; i++ { // what packets are next does not depend on it
		place := rng.IntN(1<<16) &^ 3
		if _, err := ask(place, true); err != nil {
			return err
		}
		if place&0xfff >= 8*len(e.sums) { // a hole
			got, err := read(place)
			if err := errors.Join(err, differValue("a hole", got, 0)); err != nil {
				return err
			}
		}
	}
	for i, sum := range e.sums {
		low, err := read(8 * i)
		if err != nil {
			return err
		}
		high, err := read(8*i + 4)
		if err != nil {
			return err
		}
		if err := differValue(fmt.Sprintf("counter %d", i), high<<32|low,
			(sum+1<<48-countBelow)%(1<<48)); err != nil {
			return err
		}
		if sum >= countBelow {
			e.seen.wraps++
		}
	}
	return nil
}

// tops returns the tops that only benches have, by file.
func tops() map[string]string {
	files, err := filepath.Glob("testdata/*.v")
	if err != nil {
		panic(err)
	}
	sources := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		sources[filepath.Base(file)] = string(text)
	}
	return sources
}

// ratios are the lengths of a clock of AXI and of one of the register bus.
var ratios = [9][2]int{{1000, 1000}, {1000, 1001}, {1001, 1000}, {1000, 1499}, {1499, 1000},
	{1000, 2003}, {2003, 1000}, {1000, 6007}, {6007, 1000}}

// access is a request of the master.
type access struct {
	write         bool
	address, data uint32
	strobe        uint64
	record        int // that pushes it

	ran     bool // with the model's answer
	answer  uint32
	refused bool
}

// passes reports whether the request reaches the register bus.
func (a *access) passes() bool { return a.address%4 == 0 && (!a.write || a.strobe == 15) }

// registers is the model of what is behind the register bus of control_tb.
type registers struct {
	tables           uint32
	shadows          committed
	element          [8]uint32
	sets             [2][2][controlPorts]uint64 // by bank and table: ports, each with its enable
	bank             int
	now              committed
	committedElement [8]uint32
	counts           [2]uint64
	high             uint32
	key              uint64
}

type committed struct{ op, place, fill uint32 }

const (
	controlPorts = 3
	controlFirst = 1<<48 - 50               // of the counters
	lateWindow   = 2 * register.WindowBytes // of the target that answers late
)

// reset is one of all but the key.
func (r *registers) reset() {
	start := committed{op: opPass, fill: 256}
	*r = registers{tables: r.tables, key: r.key, shadows: start, now: start,
		counts: [2]uint64{controlFirst, controlFirst}}
}

// state returns the output of that name.
func (r *registers) state() (text []byte) {
	for _, table := range r.sets[r.bank][:r.tables] {
		for _, set := range table {
			text = binary.LittleEndian.AppendUint64(text, set)
		}
	}
	text = binary.LittleEndian.AppendUint64(text, uint64(r.now.fill|r.now.place<<9|
		r.now.op<<12|r.now.op<<14))
	for _, word := range r.committedElement {
		text = binary.LittleEndian.AppendUint32(text, word)
	}
	return text
}

// write does a write, and returns whether it is refused.
func (r *registers) write(address, data uint32) (refused bool) {
	switch {
	case address == register.Commit:
		if data&1 != 0 {
			r.committedElement, r.now.op = r.element, r.shadows.op
		}
		if data&2 != 0 {
			r.bank = 1 - r.bank
		}
		if data&4 != 0 {
			r.now.fill, r.now.place = r.shadows.fill, r.shadows.place
		}
	case address == register.FillLimit && data <= 256:
		r.shadows.fill = data
	case address == register.Place && data < 8:
		r.shadows.place = data
	case address == register.OP && data < 4:
		r.shadows.op = data
	case address == register.Port:
		port, table := data&0xffff, data>>16&0xff
		if port >= controlPorts || table >= r.tables {
			return true
		}
		key := uint64(data>>31) << 35
		if key != 0 {
			key |= (uint64(r.element[1])<<32 | uint64(r.element[0])) & (1<<35 - 1)
		}
		r.sets[1-r.bank][table][port] = key
		r.counts[0] = (r.counts[0] + 1) % (1 << 48)
	case address >= register.Element && address < register.Element+32:
		r.element[(address-register.Element)/4] = data
	case address >= register.Key && address < register.Key+16:
		r.counts[1] = (r.counts[1] + 1) % (1 << 48)
		r.key ^= uint64(data) << ((address - register.Key) / 4)
	default:
		return address/register.WindowBytes != lateWindow/register.WindowBytes || address&4 != 0
	}
	return false
}

// read returns what a read answers, and whether it is refused.
func (r *registers) read(address uint32) (answer uint32, refused bool) {
	switch {
	case address == register.ID:
		return register.IDValue, false
	case address == register.Version:
		return register.VersionValue, false
	case address == register.Shape:
		return controlPorts<<16 | r.tables>>1<<8 | 32, false
	case address == register.Form:
		return 1<<8 | 4, false
	case address == register.FillLimit:
		return r.shadows.fill, false
	case address == register.Place:
		return r.shadows.place, false
	case address == register.OP:
		return r.shadows.op, false
	case address >= register.Element && address < register.Element+32:
		return r.element[(address-register.Element)/4], false
	case address >= register.CountWindow && address < register.CountWindow+16:
		counter := r.counts[(address-register.CountWindow)/8]
		if address%8 == 0 {
			r.high = uint32(counter >> 32)
			return uint32(counter), false
		}
		return r.high, false
	case address/register.WindowBytes == lateWindow/register.WindowBytes:
		return ^address<<16 | address, address&4 != 0
	}
	return 0, false
}

// checkControl makes n random accesses or more, as many with each ratio of clocks.
func checkControl(s *Simulation, rng *rand.Rand, ratios [][2]int, n int) error {
	a := newAccesses(s, rng)
	for _, ratio := range ratios {
		a.ratio = ratio
		if s.model.Parameters["ASYNC"] == 1 {
			a.next[1] += rng.IntN(ratio[1])
		}
		for a.left += (n + len(ratios) - 1) / len(ratios); a.left > 0; {
			a.only = rng.IntN(4) // which are reads, writes, or both
			if err := drive(s, 6*batch, a.fill, a.verify); err != nil {
				return fmt.Errorf("clocks of %d and %d: %w", ratio[0], ratio[1], err)
			}
		}
	}
	for _, what := range []string{"refused", "holes", "counts", "commits", "read back"} {
		if a.seen[what] < n/500 {
			return fmt.Errorf("%d of %d accesses were %s: %w", a.seen[what], n, what, errNarrow)
		}
	}
	for _, what := range []string{"resets of the bus", "orphans"} {
		if a.seen[what] == 0 {
			return fmt.Errorf("%d %s: %w", a.seen[what], what, errNarrow)
		}
	}
	return nil
}

// accesses is a master that offers addresses, data and reads, and takes responses, when it likes,
// with clocks of one ratio; resets of both sides come at any time. Responses are the model's, and
// so is, in every clock of the register bus, what is committed.
type accesses struct {
	*Simulation
	rng   *rand.Rand
	ratio [2]int
	seen  map[string]int
	left  int // accesses without a response

	aclk, aresetn, bclk, rst, address, data, strobe, eager     Port // inputs
	push                                                       [2]Port
	takes, wrote, got, status, answer, unfair, ran, state, key Port // outputs

	// Stimuli.
	next      [2]int // times of the next rising edges
	high      [2]bool
	resets    [2]int // records until that of AXI, and that of the bus, ends
	phase     int    // records in which the master is as eager as it is
	eagerness [5]int
	only      int // 0: reads, 1: writes; more: both
	filled    int // records

	// The model.
	registers registers
	queues    [2][]*access // reads, writes that are pushed and not taken
	under     *access      // the one that is taken, until its response
	orphan    *access      // the one that a reset of AXI has found under way, until it ran
	verified  int          // records
	silent    int          // records since the last response
}

func newAccesses(s *Simulation, rng *rand.Rand) *accesses {
	return &accesses{Simulation: s, rng: rng, seen: map[string]int{},
		aclk: s.In("aclk"), aresetn: s.In("aresetn"), bclk: s.In("bclk"), rst: s.In("rst"),
		push: [2]Port{s.In("push_read"), s.In("push_write")}, address: s.In("address"),
		data: s.In("data"), strobe: s.In("strobe"), eager: s.In("eager"),
		takes: s.Out("takes"), wrote: s.Out("wrote"), got: s.Out("got"), status: s.Out("status"),
		answer: s.Out("answer"), unfair: s.Out("unfair"), ran: s.Out("ran"),
		state: s.Out("state"), key: s.Out("key"), high: [2]bool{true, true}, resets: [2]int{16, 16},
		registers: registers{tables: 1 << s.model.Parameters["LOG2_TABLES"]}}
}

// fill writes a record: the rising edges of one time, or the falling ones ahead of them.
func (a *accesses) fill(_ int, record []byte) {
	clear(record)
	a.filled++
	now := min(a.next[0], a.next[1])
	if a.next[0] == now && a.high[0] || a.next[1] == now && a.high[1] {
		now = -1
	}
	for c, port := range []Port{a.aclk, a.bclk} {
		a.high[c] = a.next[c] == now
		if a.high[c] {
			a.next[c] += a.ratio[c]
			port.Set(record, 1)
		}
	}
	if a.phase == 0 {
		a.phase = 1 + a.rng.IntN(300)
		for i := range a.eagerness {
			a.eagerness[i] = 1 + a.rng.IntN(8)
		}
		if i := a.rng.IntN(8); i < len(a.resets) {
			a.resets[i] = max(a.resets[i], 1+a.rng.IntN(1<<a.rng.IntN(7)))
		}
	}
	a.phase--
	if a.resets[1] > 0 {
		a.resets[1]--
		a.rst.Set(record, 1)
	}
	var eager uint64
	for i, e := range a.eagerness {
		if a.rng.IntN(8) < e {
			eager |= 1 << i
		}
	}
	a.eager.Set(record, eager)
	if a.resets[0] > 0 {
		a.resets[0]--
		return
	}
	a.aresetn.Set(record, 1)
	next := randomAccess(a.rng)
	kind := bit(next.write)
	if !a.high[0] || len(a.queues[kind]) == 127 || a.only == 1-int(kind) {
		return
	}
	next.record = a.filled
	a.queues[kind] = append(a.queues[kind], next)
	a.push[kind].Set(record, 1)
	a.address.Set(record, uint64(next.address))
	a.data.Set(record, uint64(next.data))
	a.strobe.Set(record, next.strobe)
}

// verify looks at the edges of a record.
func (a *accesses) verify(_ int, record, out []byte) error {
	a.verified++
	if a.under == nil && len(a.queues[0])+len(a.queues[1]) == 0 {
		a.silent = 0
	}
	if a.silent++; a.silent > 2*batch {
		return errors.New("no response")
	}
	if a.bclk.Get(record) == 1 {
		if err := a.verifyBus(a.rst.Get(record) == 1, out); err != nil {
			return err
		}
	}
	switch {
	case a.aclk.Get(record) == 0:
		return nil
	case a.aresetn.Get(record) == 1:
		return a.verifyAXI(out)
	}
	for kind, queue := range a.queues {
		for len(queue) > 0 && queue[0].record < a.verified {
			queue = queue[1:]
		}
		a.queues[kind] = queue
	}
	if a.under != nil && a.under.passes() && !a.under.ran {
		a.seen["orphans"]++
		a.orphan = a.under
	}
	a.under = nil
	return nil
}

// verifyBus looks at an edge of the register bus.
func (a *accesses) verifyBus(reset bool, out []byte) error {
	if reset {
		a.seen["resets of the bus"]++
		a.registers.reset()
	}
	if a.ran.Get(out) == 1 {
		runs := a.orphan
		if runs == nil {
			runs = a.under
		}
		if runs == nil || runs.ran || !runs.passes() {
			return fmt.Errorf("a request ran that is not under way: %+v", runs)
		}
		a.orphan = nil
		runs.ran = true
		before := a.registers.state()
		if runs.write {
			runs.refused = a.registers.write(runs.address, runs.data)
		} else {
			runs.answer, runs.refused = a.registers.read(runs.address)
		}
		if !bytes.Equal(before, a.registers.state()) {
			a.seen["commits"]++
		}
	}
	if got, want := a.state.Bytes(nil, out), a.registers.state(); !bytes.Equal(got, want) {
		return fmt.Errorf("committed is %x, want %x, under %+v", got, want, a.under)
	}
	return differValue("the key", a.key.Get(out), a.registers.key)
}

// verifyAXI looks at an edge of AXI.
func (a *accesses) verifyAXI(out []byte) error {
	if a.unfair.Get(out) == 1 {
		return errors.New("a read or a write waits for two of the others")
	}
	for kind, port := range []Port{a.got, a.wrote} {
		if port.Get(out) == 0 {
			continue
		}
		u := a.under
		if u == nil || bit(u.write) != uint64(kind) || u.passes() != u.ran {
			return fmt.Errorf("a response (%s) to %+v", port.Name, u)
		}
		if u.refused = u.refused || u.write && !u.passes(); u.refused {
			a.seen["refused"]++
		}
		if err := differValue(fmt.Sprintf("status of %+v", u), a.status.Get(out),
			2*bit(u.refused)); err != nil {
			return err
		}
		if !u.write {
			if err := differValue(fmt.Sprintf("rdata of %#x", u.address), a.answer.Get(out),
				uint64(u.answer)); err != nil {
				return err
			}
			switch {
			case u.answer == 0:
				a.seen["holes"]++
			case u.address >= register.CountWindow:
				a.seen["counts"]++
			default:
				a.seen["read back"]++
			}
		}
		a.under, a.silent = nil, 0
		a.left--
	}
	for kind := range a.queues {
		if a.takes.Get(out)>>kind&1 == 0 {
			continue
		}
		if a.under != nil || len(a.queues[kind]) == 0 {
			return fmt.Errorf("a request is taken that is none, or ahead of the response to %+v",
				a.under)
		}
		a.under, a.queues[kind] = a.queues[kind][0], a.queues[kind][1:]
	}
	return nil
}

// randomAccess returns an access that is often of a register, and often whole.
func randomAccess(rng *rand.Rand) *access {
	a := &access{write: rng.IntN(2) == 0, address: uint32(rng.IntN(0x60)) * 4, data: rng.Uint32(),
		strobe: 15}
	switch rng.IntN(16) {
	case 0:
		a.address = rng.Uint32() & 0xffff // of any window, and not aligned
	case 1, 2:
		a.address = register.CountWindow + 4*uint32(rng.IntN(5))
	case 3, 4, 5:
		a.address = register.Commit
	case 6:
		a.address = register.Port
		a.data = uint32(rng.IntN(controlPorts+1)) | uint32(rng.IntN(3))<<16 | rng.Uint32()&(1<<31)
		if rng.IntN(16) == 0 {
			a.data ^= 1 << (2 + rng.IntN(29))
		}
	case 7, 8, 9:
		a.address = register.Element + 4*uint32(rng.IntN(9))
	case 12: // of what has a range
		a.address = []uint32{register.FillLimit, register.Place, register.OP}[rng.IntN(3)]
		a.data >>= []int{0, 23, 24, 28, 30}[rng.IntN(5)]
		if rng.IntN(8) == 0 {
			a.data = 256 + uint32(rng.IntN(2))
		}
	case 10:
		a.address += uint32(rng.IntN(16)) << 12 // likewise in the other windows
	case 11:
		a.address = lateWindow + 4*uint32(rng.IntN(32))
	}
	if rng.IntN(16) == 0 {
		a.strobe = uint64(rng.IntN(16))
	}
	return a
}
