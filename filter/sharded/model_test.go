package sharded

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
)

// The protocol of two stripes as a model. The first stripe has two parts, of one block each, and
// the second has one. A block has a collision lane and two data lanes with two bits each, and every
// load, store and lock is a step, those of counts too. The test tries all interleavings of a few
// goroutines, with several choices of blocks and bits for their keys. The source of a renewal is
// read key by key: it has each member before its insert begins, and until its delete has returned.
// One key is in the list that nobody inserts. The results hold for sequentially consistent memory,
// and for every CPU where no two goroutines touch a word at once without a lock: only queries do.

// modelOp is an operation of a goroutine.
type modelOp struct {
	// 'i': an insert of a key, 'd': a delete, 'b': a batch with the inserts of a key and of the
	// second one after it, 'm': a merge with a filter that has the key, 'r': a renewal, 'c': a copy
	kind byte
	key  uint8
}

// modelBreak is a wrong variant of the protocol, which the model must find.
type modelBreak string

const (
	asItIs      modelBreak = "as it is"
	unlocked    modelBreak = "an insert takes no lock"
	countsLate  modelBreak = "an insert counts when it has unlocked"
	tellsLate   modelBreak = "an insert tells renewals and copies when it has unlocked"
	forgetsLate modelBreak = "a copy counts what it does not have"
	copiesLate  modelBreak = "a copy says what it has when it has unlocked"
	mixed       modelBreak = "renewals, merges and copies do not exclude each other"
	unrecorded  modelBreak = "a renewal does not hear of writes"
	recordsLate modelBreak = "a renewal hears of writes when its source has ended"
	descending  modelBreak = "one goroutine takes its locks in descending order"
)

var modelBreaks = []modelBreak{unlocked, countsLate, tellsLate, forgetsLate, copiesLate, mixed,
	unrecorded, recordsLate, descending}

// modelStep is a step of an operation.
type modelStep struct {
	do          byte // see next
	op          modelOp
	block, lane uint8
}

type modelBlock [3]uint8

type modelKey struct {
	block uint8
	bits  [2]uint8 // in each data lane
}

// modelThread is the state of a goroutine: its next step and its registers.
type modelThread struct {
	step  uint8
	lanes modelBlock
	count int8
}

type modelState struct {
	blocks  [3]modelBlock
	held    [2]bool // the locks of the stripes
	passing bool
	counts  [2]int8 // members of the stripes
	copied  uint8   // blocks
	late    int8
	threads [3]modelThread

	recording       bool
	touched, inside uint8 // keys that were written meanwhile, and those whose last write inserts
	parts           uint8
	fresh           int8 // members in these
	list, yielded   uint8

	members uint8   // keys whose insert has returned, and whose delete has not begun
	really  [3]int8 // members of the blocks
	wrong   string
}

type model struct {
	programs [3][]modelStep
	keys     [4]modelKey
	broken   modelBreak
	seen     map[modelState]bool
}

// brought is the key that renewals bring.
const brought = 3

// compile returns the steps of an operation of a goroutine.
func (m *model) compile(op modelOp, goroutine int) (steps []modelStep) {
	add := func(do string, block uint8) {
		for _, step := range []byte(do) {
			steps = append(steps, modelStep{do: step, op: op, block: block})
		}
	}
	lanes := func(do byte, block uint8) {
		for lane := range uint8(3) {
			steps = append(steps, modelStep{do, op, block, lane})
		}
	}
	pass := func(part func(block uint8)) {
		if m.broken != mixed {
			add("(", 0)
		}
		for block := range uint8(2) {
			add("l", 0)
			part(block)
			if op.kind == 'c' && m.broken == copiesLate {
				steps[len(steps)-1].do = 'u'
				add("C", block)
				continue
			}
			add("u", 0)
		}
		if m.broken != mixed {
			add(")", 0)
		}
	}
	add("e", 0)
	switch op.kind {
	case 'c':
		pass(func(block uint8) {
			lanes('c', block)
			add("C", block)
		})
	case 'm':
		pass(func(block uint8) {
			if block == m.keys[op.key].block {
				lanes('r', block)
				lanes('w', block)
			}
			if block == 0 {
				add("nN", 0)
			}
		})
	case 'r':
		if m.broken != recordsLate {
			add("lBu", 0)
		}
		for key := range m.keys {
			steps = append(steps, modelStep{do: 'y', op: modelOp{'r', uint8(key)}})
		}
		if m.broken == recordsLate {
			add("lBu", 0)
		}
		pass(func(block uint8) {
			add("F", block)
			lanes('w', block)
			add("P", block)
		})
	default:
		keys := []uint8{op.key}
		if op.kind == 'b' {
			keys = append(keys, op.key+2)
		}
		var stripes []uint8 // by the first block
		for _, key := range keys {
			stripes = append(stripes, m.keys[key].block&^1)
		}
		slices.Sort(stripes)
		if stripes = slices.Compact(stripes); m.broken == descending && goroutine == 0 {
			slices.Reverse(stripes)
		}
		locks := func(do string) {
			for _, block := range stripes {
				if m.broken != unlocked {
					add(do, block)
				}
			}
		}
		before, after := "nNt", ""
		switch m.broken {
		case countsLate:
			before, after = "t", "nN"
		case tellsLate:
			before, after = "nN", "t"
		}
		locks("l")
		for _, op.key = range keys {
			lanes('r', m.keys[op.key].block)
			lanes('w', m.keys[op.key].block)
			add(before, m.keys[op.key].block)
		}
		locks("u")
		add(after, m.keys[op.key].block) // of a batch, its last key
	}
	add("x", 0)
	return steps
}

// next returns the state after a step of a goroutine, or false if it cannot go on.
func (m *model) next(s modelState, i int) (modelState, bool) {
	t := &s.threads[i]
	if int(t.step) == len(m.programs[i]) {
		return s, false
	}
	step := m.programs[i][t.step]
	t.step++
	op, stripe := step.op, step.block/2
	member, gain := uint8(1)<<op.key, int8(1)
	if op.kind == 'd' {
		gain = -1
	}
	last := step.lane == 2
	switch step.do {
	case 'e': // enter
		switch op.kind {
		case 'i':
			s.list |= member
		case 'b':
			s.list |= member | member<<2
		case 'd':
			s.members &^= member
		}
	case 'x': // return
		switch op.kind {
		case 'i', 'm':
			s.members |= member
		case 'b':
			s.members |= member | member>>2 // of the key of the last step
		case 'd':
			s.list &^= member
		case 'r':
			s.members |= 1 << brought
		}
	case 'l':
		if s.held[stripe] {
			return s, false
		}
		s.held[stripe] = true
	case 'u':
		s.held[stripe] = false
	case '(':
		if s.passing {
			return s, false
		}
		s.passing = true
	case ')':
		s.passing = false
	case 'r': // load a lane, and rewrite the block
		if t.lanes[step.lane] = s.blocks[step.block][step.lane]; last {
			m.keys[op.key].write(&t.lanes, op.kind)
		}
	case 'w': // store a lane
		s.blocks[step.block][step.lane] = t.lanes[step.lane]
		if !last {
			break
		}
		t.lanes = modelBlock{}
		if s.really[step.block] += gain; op.kind == 'r' {
			s.really[step.block] = t.count
		}
	case 'n': // load a count
		t.count = s.counts[stripe]
	case 'N': // store it
		s.counts[stripe], t.count = t.count+gain, 0
	case 't': // tell the renewal and the copy
		switch {
		case stripe != 0 || !s.recording || m.broken == unrecorded:
		case step.block < s.parts:
			s.fresh += gain
		default:
			s.touched |= member
			if s.inside |= member; gain < 0 {
				s.inside &^= member
			}
		}
		if step.block < s.copied && m.broken != forgetsLate {
			s.late += gain
		}
	case 'c': // copy a lane
		t.lanes[step.lane] = s.blocks[step.block][step.lane]
	case 'C': // a block is copied
		if t.lanes != s.blocks[step.block] {
			s.wrong = "a copy has a part of a write"
		}
		t.lanes = modelBlock{}
		t.count += s.really[step.block]
		if s.copied++; s.copied == 2 {
			if s.counts[0]-s.late != t.count {
				s.wrong = "a copy has the counts of other writes"
			}
			s.copied, s.late, t.count = 0, 0, 0
		}
	case 'B': // begin a renewal
		s.recording, s.yielded, s.touched, s.inside = true, 0, 0, 0
	case 'y': // the source yields a key that it has
		s.yielded |= s.list & member
	case 'F': // make a fresh block
		t.lanes, t.count = modelBlock{}, 0
		for key, k := range m.keys {
			if (s.yielded&^s.touched|s.inside)>>key&1 != 0 && k.block == step.block {
				k.write(&t.lanes, 'i')
				t.count++
			}
		}
	case 'P': // a part is replaced
		s.parts++
		s.fresh, t.count = s.fresh+t.count, 0
		if s.parts == 2 {
			s.counts[0], s.recording, s.parts, s.fresh = s.fresh, false, 0, 0
		}
	}
	return s, true
}

// write inserts or deletes a key.
func (k modelKey) write(block *modelBlock, kind byte) {
	for lane, bit := range k.bits {
		if kind == 'd' {
			block[lane+1] &^= bit &^ block[0]
			continue
		}
		block[0] |= block[lane+1] & bit
		block[lane+1] |= bit
	}
}

// run tries all interleavings, and returns what is wrong.
func (m *model) run(scripts [3]string) string {
	m.seen = map[modelState]bool{}
	var first modelState
	for i, script := range scripts {
		for _, op := range strings.Fields(script) {
			m.programs[i] = append(m.programs[i], m.compile(modelOp{op[0], op[1] - '0'}, i)...)
			if op[0] == 'r' {
				first.list = 1 << brought
			}
		}
	}
	for stack := []modelState{first}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.seen[s] {
			continue
		}
		m.seen[s] = true
		for key, k := range m.keys {
			block := s.blocks[k.block]
			if s.members>>key&1 != 0 && (block[1]&k.bits[0] == 0 || block[2]&k.bits[1] == 0) {
				return fmt.Sprintf("member %d is lost", key)
			}
		}
		ended := s.wrong == ""
		for i := range s.threads {
			if after, ok := m.next(s, i); ok {
				ended = false
				stack = append(stack, after)
			}
		}
		switch {
		case s.wrong != "":
			return s.wrong
		case !ended:
			continue
		case slices.Contains(s.held[:], true):
			return "a goroutine waits forever"
		case s.counts != [2]int8{s.really[0] + s.really[1], s.really[2]}:
			return fmt.Sprintf("counts %v of %v members", s.counts, s.really)
		}
		for key, k := range m.keys {
			for other, o := range m.keys[:key] {
				for lane := range k.bits {
					if s.members>>key&(s.members>>other)&1 != 0 && k.block == o.block &&
						k.bits[lane]&o.bits[lane]&^s.blocks[k.block][0] != 0 {
						return fmt.Sprintf("members %d and %d share a bit that is not marked",
							other, key)
					}
				}
			}
		}
	}
	return ""
}

// modelScripts keep the contract of deletion: each key belongs to one goroutine.
var modelScripts = [][3]string{
	{"i0", "i1", "i2"},
	{"i0 d0", "i1 d1", "i2"},
	{"b0", "b1", ""},
	{"c0", "i0", "i1 d1"},
	{"c0", "b0", "i1"},
	{"m3", "i0 d0", "i1"},
	{"m3", "c0", "i1"},
	{"r0", "i0 d0", "i1"},
	{"r0", "b0", ""},
	{"r0", "c0", "i1"},
	{"r0 r0", "i0", "i1"},
}

// find tries all interleavings of scripts, for keys with equal bits, with equal bits in one lane,
// and with different bits, in one block, in two, or in both stripes. It returns what is wrong.
func find(scripts [3]string, broken modelBreak) (wrong string, states int) {
	some := [3][2]uint8{{1, 1}, {1, 2}, {2, 2}}
	for code := range 3 * 3 * 3 {
		m := model{broken: broken, keys: [4]modelKey{{0, some[0]}, {0, some[code%3]},
			{0, some[code/3%3]}, {0, [2]uint8{2, 1}}}}
		if code >= 9 {
			m.keys[1].block, m.keys[3].block = 1, 1
		}
		if code >= 18 && strings.Contains(scripts[1], "b") {
			m.keys[2].block = 2
			if strings.Contains(scripts[0], "b") {
				m.keys[3].block = 2
			}
		}
		wrong := m.run(scripts)
		states += len(m.seen)
		if wrong != "" {
			return fmt.Sprintf("%v, keys %v: %s", scripts, m.keys, wrong), states
		}
	}
	return "", states
}

// No interleaving loses a member, a mark or a count, or leaves goroutines that wait for each other.
func TestAllInterleavings(t *testing.T) {
	require.Once(t)
	states := 0
	for _, texts := range modelScripts {
		wrong, n := find(texts, asItIs)
		if wrong != "" {
			t.Error(wrong)
		}
		states += n
	}
	t.Logf("%d states", states)
}

// The model finds the mistake of each wrong variant.
func TestBrokenProtocols(t *testing.T) {
	require.Once(t)
	for _, broken := range modelBreaks {
		found := ""
		for _, texts := range modelScripts {
			if found, _ = find(texts, broken); found != "" {
				break
			}
		}
		if t.Logf("%s: %s", broken, found); found == "" {
			t.Errorf("%s: nothing is found", broken)
		}
	}
}
