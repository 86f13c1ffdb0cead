package cosim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/bloomlane/bloomlane/hdl/register"
)

// The registers behind AXI4-Lite with clocks of nine ratios, whose phases drift.
var controlBenches = []bench{
	controlBench("control", 1, ratios[:]),
	controlBench("control-one-clock", 0, ratios[:1]),
}

func controlBench(name string, async int, ratios [][2]int) bench {
	model := Model{Top: "control_tb", Sources: tops(), Parameters: map[string]int{"ASYNC": async}}
	return bench{name, model, 2_000 * len(ratios),
		func(s *Simulation, rng *rand.Rand, n int) error {
			if os.Getenv("BLOOMLANE_CONTROL") == "full" {
				n = 1_000_000
			}
			return checkControl(s, rng, ratios, n)
		}}
}

var controlMutants = []mutant{
	{"the place is committed a clock late", "control", "bloomlane_control.v",
		"assign place         = ‹place_now_reg›;",
		"place_late‹ reg [2:0] place_late; always @(posedge clk) place_late <= place_now_reg;›"},
	{"the operation is committed a clock late", "control", "bloomlane_control.v",
		"assign op            = ‹op_now_reg›;",
		"op_late‹ reg [1:0] op_late; always @(posedge clk) op_late <= op_now_reg;›"},
	{"a port's element is written where headers ask", "control", "bloomlane_control.v",
		"assign port_table = ‹!bank_reg›;", "bank_reg"},
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
		"if (‹bus_valid && bus_ready›) begin",
		"bus_valid && bus_ready && bus_address[4:0] != 5'h14"},
	{"strobes are ignored", "control", "bloomlane_axil.v",
		"s_axi_awaddr[1:0] == 2'd0 && ‹&s_axi_wstrb›", "1'b1"},
	{"a misaligned read is one of the word", "control", "bloomlane_axil.v",
		": ‹s_axi_araddr[1:0] == 2'd0›;", "1'b1"},
	{"the bus's error is lost", "control", "bloomlane_axil.v",
		"error_reg  <= refused_reg ? write_reg : ‹error›;", "1'b0"},
	{"a response is given up", "control", "bloomlane_axil.v",
		"else if (‹s_axi_bready›)", "1'b1"},
	{"a window is one for two", "control", "bloomlane_bus.v",
		"target_valid[t] = bus_valid && ‹bus_address[15:12] == NUMBER[3:0]›;",
		"bus_address[12] == NUMBER[0]"},
}

var countMutants = []mutant{
	{"a packet that a delete retained is present", "inline-w32-8b-14", "bloomlane_count.v",
		".in_data  (‹s_axis_op == `BLOOMLANE_DELETE›)", "1'b0"},
	{"the operation is that of a packet's last beat", "inline-w32-8b-14", "bloomlane_count.v",
		"(‹take && !inside_reg›)", "take && s_axis_tlast"},
	{"a last beat has all its bytes", "inline-w32-8b-14", "bloomlane_count.v",
		"keep_reg    <= ‹m_axis_tkeep› &", "{DATA_BYTES{1'b1}}"},
	{"a beat that waits counts again", "inline-w32-8b-14", "bloomlane_count.v",
		"wire leave     = m_axis_tvalid && ‹m_axis_tready›;", "1'b1"},
	{"a reset does not end a packet", "inline-w32-8b-14", "bloomlane_count.v",
		"if (‹rst›)\n            inside_reg <= 1'b0;", "1'b0"},
	{"a packet that passes is absent", "inline-w32-8b-14", "bloomlane_count.v",
		"applied = ends_reg && ‹flags_reg[2]›;", "1'b1"},
	{"short and overfull change places", "inline-w32-8b-14", "bloomlane_count.v",
		"ends_reg && ‹flags_reg[3]›,", "flags_reg[4]"},
	{"what is gathered outlives a reset", "inline-w32-8b-14", "bloomlane_counters.v",
		"if (‹rst›) gathered_reg <=", "1'b0"},
	{"a counter's first turn adds to what was", "inline-w32-8b-14", "bloomlane_counters.v",
		"base = ‹then_first_reg› ?", "1'b0"},
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

// readCounters reads the counters, each whole, and compares them with the sums. An engine that drops
// what a reset leaves of a packet has none.
func (e *engine[T]) readCounters() error {
	if e.dropCut {
		return nil
	}
	valid, address, ready, answer := e.In("bus_valid"), e.In("bus_address"), e.Out("bus_ready"),
		e.Out("bus_answer")
	record, out := make([]byte, e.InBytes()), make([]byte, e.OutBytes())
	read := func(at int) (uint64, error) {
		valid.Set(record, 1)
		address.Set(record, uint64(at))
		for range 16 {
			if err := e.Run(record, out); err != nil || ready.Get(out) == 1 {
				return answer.Get(out), err
			}
		}
		return 0, fmt.Errorf("no answer to a read of %#x", at)
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

// access is a request of the master, and with the response what the model makes of it.
type access struct {
	address, data uint32
	strobe        uint64
}

// registers is the model of bloomlane_control and its counters, with the parameters of control_tb.
type registers struct {
	element             [8]uint32
	op, place, fill     uint32
	sets                [2][3]uint64 // of ports, each with its enable
	bank                int
	counts              [2]uint64
	high                uint32
	now                 []byte // what is committed
	committedElement    [8]uint32
	operation, placeNow uint32
	fillNow             uint32
	commits             int // that changed something
	key                 uint64
}

const controlPorts = 3

func newRegisters() *registers {
	const first = -50
	r := &registers{op: opPass, operation: opPass, fill: 256, fillNow: 256}
	r.counts = [2]uint64{1<<48 + first, 1<<48 + first}
	r.now = r.committed()
	return r
}

// committed returns the output state of control_tb.
func (r *registers) committed() []byte {
	// {operation, op, place, fill_limit, sets, mask}, 380 bits
	text := make([]byte, 0, 48)
	for _, word := range r.committedElement {
		text = binary.LittleEndian.AppendUint32(text, word)
	}
	set := &r.sets[r.bank]
	low, high := set[0]|set[1]<<36, set[1]>>28|set[2]<<8 // of 108 bits
	high |= uint64(r.fillNow)<<44 | uint64(r.placeNow)<<53 | uint64(r.operation)<<56 |
		uint64(r.operation)<<58
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(text, low), high)
}

// write does a write, and returns whether it is refused.
func (r *registers) write(a access) (refused bool) {
	if a.address%4 != 0 || a.strobe != 15 {
		return true
	}
	switch {
	case a.address == register.Commit:
		if a.data&1 != 0 {
			r.committedElement, r.operation = r.element, r.op
		}
		if a.data&2 != 0 {
			r.bank = 1 - r.bank
		}
		if a.data&4 != 0 {
			r.fillNow, r.placeNow = r.fill, r.place
		}
	case a.address == register.FillLimit:
		r.fill = a.data & 0x1ff
	case a.address == register.Place:
		r.place = a.data & 7
	case a.address == register.OP:
		r.op = a.data & 3
	case a.address == register.Port:
		port := a.data & 0xffff
		if port >= controlPorts || a.data>>16&0xff != 0 {
			return true
		}
		key := uint64(a.data>>31) << 35
		if key != 0 {
			key |= (uint64(r.element[1])<<32 | uint64(r.element[0])) & (1<<35 - 1)
		}
		r.sets[1-r.bank][port] = key
		r.counts[0] = (r.counts[0] + 1) % (1 << 48)
	case a.address >= register.Element && a.address < register.Element+32:
		r.element[(a.address-register.Element)/4] = a.data
	case a.address >= register.Key && a.address < register.Key+16:
		r.counts[1] = (r.counts[1] + 1) % (1 << 48)
		r.key ^= uint64(a.data) << ((a.address - register.Key) / 4)
	default:
		return true
	}
	return false
}

// read returns what a read answers.
func (r *registers) read(address uint32) uint32 {
	switch {
	case address%4 != 0:
		return 0
	case address == register.ID:
		return register.IDValue
	case address == register.Version:
		return register.VersionValue
	case address == register.Shape:
		return controlPorts<<16 | 32
	case address == register.Form:
		return 1<<8 | 4
	case address == register.FillLimit:
		return r.fill
	case address == register.Place:
		return r.place
	case address == register.OP:
		return r.op
	case address >= register.Element && address < register.Element+32:
		return r.element[(address-register.Element)/4]
	case address >= register.CountWindow && address < register.CountWindow+16:
		counter := r.counts[(address-register.CountWindow)/8]
		if address%8 == 0 {
			r.high = uint32(counter >> 32)
			return uint32(counter)
		}
		return r.high
	}
	return 0
}

// checkControl makes n random accesses or more, as many with each ratio of clocks. A master offers
// addresses, data and reads, and takes responses, when it likes. Responses are those of the model,
// and what is committed is at no edge of the other clock anything but the model's old or new.
func checkControl(s *Simulation, rng *rand.Rand, ratios [][2]int, n int) error {
	seen := map[string]int{}
	for _, ratio := range ratios {
		if err := checkRatio(s, rng, ratio, (n+len(ratios)-1)/len(ratios), seen); err != nil {
			return fmt.Errorf("clocks of %d and %d: %w", ratio[0], ratio[1], err)
		}
	}
	for _, what := range []string{"refused", "holes", "counts", "commits", "read back"} {
		if seen[what] < n/500 {
			return fmt.Errorf("%d of %d accesses were %s: %w", seen[what], n, what, errNarrow)
		}
	}
	return nil
}

func checkRatio(s *Simulation, rng *rand.Rand, ratio [2]int, n int, seen map[string]int) error {
	aclk, aresetn, bclk, rst := s.In("aclk"), s.In("aresetn"), s.In("bclk"), s.In("rst")
	pushWrite, pushRead, address, data, strobe, eager := s.In("push_write"), s.In("push_read"),
		s.In("address"), s.In("data"), s.In("strobe"), s.In("eager")
	wrote, got, status, answer, state, key := s.Out("wrote"), s.Out("got"), s.Out("status"),
		s.Out("answer"), s.Out("state"), s.Out("key")
	var (
		model         = newRegisters()
		writes, reads []access
		next          = [2]int{0, rng.IntN(ratio[1])} // times of the next rising edges
		levels        [2]uint64
		reset         = 16 // records that are left of it
		left          = n
		states        [][]byte // that were committed, and not seen or the last seen
		done          int
		records       = make([]byte, batch*s.InBytes())
		answers       = make([]byte, batch*s.OutBytes())
		rises         [batch][2]bool
		phase         int // records in which the master is as eager as it is
		eagerness     [5]int
		waiting       int // batches without a response
	)
	states = [][]byte{model.now}
	if s.model.Parameters["ASYNC"] == 0 { // one clock
		next[1] = 0
	}
	for quiet := 0; quiet < 2; {
		clear(records)
		room := [2]int{15 - len(writes), 15 - len(reads)}
		for i := range batch {
			record := records[i*s.InBytes():][:s.InBytes()]
			rises[i] = [2]bool{}
			now := min(next[0], next[1])
			if next[0] == now && levels[0] == 1 || next[1] == now && levels[1] == 1 {
				now = -1 // a record for the falling edge alone
			}
			for c, port := range []Port{aclk, bclk} {
				rises[i][c] = next[c] == now
				levels[c] = 0
				if rises[i][c] {
					levels[c] = 1
					next[c] += ratio[c]
				}
				port.Set(record, levels[c])
			}
			if reset > 0 {
				reset--
				rst.Set(record, 1)
				continue
			}
			aresetn.Set(record, 1)
			if phase == 0 {
				phase = 1 + rng.IntN(300)
				for j := range eagerness {
					eagerness[j] = 1 + rng.IntN(8)
				}
			}
			phase--
			var e uint64
			for j, of := range eagerness {
				if rng.IntN(8) < of {
					e |= 1 << j
				}
			}
			eager.Set(record, e)
			if !rises[i][0] || left == 0 {
				continue
			}
			a := randomAccess(rng)
			switch write := rng.IntN(2) == 0; {
			case write && room[0] > 0:
				room[0]--
				writes = append(writes, a)
				pushWrite.Set(record, 1)
			case !write && room[1] > 0:
				room[1]--
				reads = append(reads, a)
				pushRead.Set(record, 1)
			default:
				continue
			}
			left--
			address.Set(record, uint64(a.address))
			data.Set(record, uint64(a.data))
			strobe.Set(record, a.strobe)
		}
		if err := s.Run(records, answers); err != nil {
			return err
		}
		if waiting++; waiting > 4 {
			return fmt.Errorf("%d writes and %d reads have no response", len(writes), len(reads))
		}
		for i := range batch {
			out := answers[i*s.OutBytes():][:s.OutBytes()]
			inReset := aresetn.Get(records[i*s.InBytes():]) == 0
			if rises[i][1] && !inReset {
				value := state.Bytes(nil, out)
				if !bytes.Equal(value, states[done]) {
					done++
				}
				if done == len(states) { // its response is to come
					states = append(states, value)
				} else if !bytes.Equal(value, states[done]) {
					return fmt.Errorf("committed is %x, want %x or %x", value, states[done-1],
						states[done])
				}
			}
			if !rises[i][0] || inReset {
				continue
			}
			if wrote.Get(out)+got.Get(out) > 0 {
				waiting = 0
			}
			if wrote.Get(out) == 1 {
				if len(writes) == 0 {
					return errors.New("a response to no write")
				}
				a := writes[0]
				writes = writes[1:]
				refused := model.write(a)
				if err := differValue(fmt.Sprintf("bresp of %+v", a), status.Get(out),
					map[bool]uint64{true: 2}[refused]); err != nil {
					return err
				}
				if refused {
					seen["refused"]++
				}
				if value := model.committed(); !bytes.Equal(value, model.now) {
					seen["commits"]++
					model.now = value
					model.commits++
					if model.commits < len(states) && !bytes.Equal(states[model.commits], value) {
						return fmt.Errorf("committed was %x, want %x", states[model.commits], value)
					}
					if model.commits == len(states) {
						states = append(states, value)
					}
				}
				if len(states) > model.commits+1 {
					return fmt.Errorf("committed is %x after %+v, want %x", states[len(states)-1],
						a, model.now)
				}
			}
			if got.Get(out) == 1 {
				if len(reads) == 0 {
					return errors.New("an answer to no read")
				}
				a := reads[0]
				reads = reads[1:]
				want := model.read(a.address)
				if err := errors.Join(differValue("rresp", status.Get(out), 0),
					differValue(fmt.Sprintf("rdata of %#x", a.address), answer.Get(out),
						uint64(want))); err != nil {
					return err
				}
				switch {
				case a.address >= register.CountWindow && want != 0:
					seen["counts"]++
				case want == 0:
					seen["holes"]++
				default:
					seen["read back"]++
				}
			}
		}
		if left == 0 && len(writes)+len(reads) == 0 {
			quiet++
			if err := differValue("the key", key.Get(answers[(batch-1)*s.OutBytes():]),
				model.key); err != nil {
				return err
			}
		}
		if len(states) > batch { // what was seen of them is the last
			states, done, model.commits = states[done:], 0, model.commits-done
		}
	}
	if done != model.commits || !bytes.Equal(states[done], model.now) {
		return fmt.Errorf("at the end %d of %d commits were seen", done, model.commits)
	}
	return nil
}

// randomAccess returns an access that is often of a register, and often whole.
func randomAccess(rng *rand.Rand) access {
	a := access{address: uint32(rng.IntN(0x60)) * 4, data: rng.Uint32(), strobe: 15}
	switch rng.IntN(16) {
	case 0:
		a.address = rng.Uint32() & 0xffff // of any window, and not aligned
	case 1, 2:
		a.address = register.CountWindow + 4*uint32(rng.IntN(5))
	case 3, 4, 5:
		a.address = register.Commit
	case 6:
		a.address = register.Port
		a.data = uint32(rng.IntN(controlPorts+1)) | rng.Uint32()&(1<<31)
		if rng.IntN(16) == 0 {
			a.data |= 1 << (2 + bits.Len8(uint8(rng.Uint32())))
		}
	case 7, 8, 9:
		a.address = register.Element + 4*uint32(rng.IntN(9))
	case 10:
		a.address += uint32(rng.IntN(16)) << 12 // likewise in the other windows
	}
	if rng.IntN(16) == 0 {
		a.strobe = uint64(rng.IntN(16))
	}
	return a
}
