package sharded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// The protocol of a stripe as a model. A block has a collision lane and two data lanes with two
// bits each, and every load, store, OR and lock is a step. The test tries all interleavings of a
// few goroutines, with all choices of bits for their keys. A renewal has one part, and its source
// is read key by key. The list of members that it reads has each of them before its insert begins,
// and until its delete has returned. One key is in the list that nobody inserts. The results hold
// for sequentially consistent memory. stripe.begin says how the code gets that on a CPU.

// modelOp is an operation of a goroutine.
type modelOp struct {
	// 'i': an insert of one key, 's': an insert in a section, 'd': a delete, 'm': a merge with a
	// filter that has the key, 'r': a renewal
	kind byte
	key  int
}

// Wrong variants of the protocol, which the model must find.
type modelBreak int

const (
	asItIs       modelBreak = iota
	neverRepeats            // an insert ignores sections
	unannounced             // a section loads the block before it is counted
	marksLate               // an insert marks collisions after it has checked for sections
	forgetsMarks            // an insert marks no collisions
	// an insert that is repeated counts fresh bits as its own in any case
	trustsFresh
	repeatsUncounted // an insert that is repeated is not counted as a second write
	bringsUncounted  // a renewal or a merge is not counted as a write
	unrecorded       // inserts and deletes are not recorded during a renewal
	recordsLate      // a renewal records what is written after its source has ended
	evenRenewal      // sections is even in a renewal, so that inserts of one key take no lock
	modelBreaks
)

func (b modelBreak) String() string {
	return [...]string{"as it is", "never repeats", "unannounced", "marks late", "forgets marks",
		"trusts fresh", "repeats uncounted", "brings uncounted", "unrecorded", "records late",
		"even renewal"}[b]
}

// modelThread is the state of a goroutine: its next step and its registers.
type modelThread struct {
	op, step, lane                  uint8
	before, written, fresh, marking uint8
	block                           [3]uint8
}

type modelState struct {
	lanes             [3]uint8
	sections, written uint8
	held              bool
	threads           [3]modelThread
	members           uint8 // keys whose insert has returned, and whose delete has not begun
	repeats           bool

	list, yielded   uint8 // keys that the owner lists, and those that the source of a renewal had
	recording       bool
	touched, inside uint8 // keys that were written meanwhile, and those whose last write inserts
}

// The steps of operations.
const (
	stepEnter uint8 = iota
	stepBegin
	stepRead
	stepOr
	stepMark
	stepCount
	stepCheck
	stepLate
	stepLock
	stepAnnounce
	stepLoad
	stepStore
	stepCountSection
	stepLeave
	stepUnlock
	stepYield
	stepReturn
)

type model struct {
	scripts [3][]modelOp
	keys    [4][2]uint8 // the bit in each data lane
	broken  modelBreak

	seen   map[modelState]bool
	orders map[[3]uint8]bool // the blocks that result from orders of the operations
}

// next returns the state after a step of a thread, or false if the thread cannot go on.
func (m *model) next(s modelState, i int) (modelState, bool) {
	t := &s.threads[i]
	script := m.scripts[i]
	if int(t.op) == len(script) {
		return s, false
	}
	op := script[t.op]
	key := m.keys[op.key]
	member := uint8(1) << op.key
	switch t.step {
	case stepEnter:
		t.step = stepBegin
		if op.kind == 'i' || op.kind == 's' {
			s.list |= member
		}
	case stepBegin:
		if op.kind == 'd' {
			s.members &^= member
		}
		t.step = stepLock
		if op.kind == 'i' {
			t.before, t.step = s.sections, stepRead
			if s.sections&1 != 0 {
				op.kind, t.step = 's', stepLock
			}
		}
	case stepRead:
		t.written, t.step = s.written, stepOr
		t.lane, t.fresh, t.marking = 1, 0, 0
	case stepOr:
		bit := key[t.lane-1]
		if s.lanes[t.lane]&bit != 0 {
			t.marking |= bit
		} else {
			t.fresh |= 1 << t.lane
		}
		s.lanes[t.lane] |= bit
		if t.lane++; t.lane == 3 {
			t.step = stepMark
			if t.marking == 0 || m.broken == forgetsMarks || m.broken == marksLate {
				t.step = stepCount
			}
		}
	case stepMark:
		s.lanes[0] |= t.marking
		t.step = stepCount
	case stepCount:
		s.written++
		t.step = stepCheck
	case stepCheck:
		switch {
		case s.sections != t.before && m.broken != neverRepeats:
			t.step = stepLock
		case m.broken == marksLate && t.marking != 0:
			t.step = stepLate
		default:
			t.step = stepReturn
		}
	case stepLate:
		s.lanes[0] |= t.marking
		t.step = stepReturn
	case stepLock:
		if s.held {
			return s, false
		}
		s.held, t.step = true, stepAnnounce
		if m.broken == unannounced && op.kind != 'r' {
			t.step = stepLoad
		}
		t.lane = 0
	case stepAnnounce:
		m.count(&s)
		t.step = stepLoad
		if op.kind == 'r' {
			m.renew(&s, t)
			break
		}
		if m.broken == unannounced {
			t.step = stepStore
		}
	case stepLoad:
		t.block[t.lane] = s.lanes[t.lane]
		if t.lane++; t.lane == 3 {
			m.rewrite(&s, t, op)
			t.lane, t.step = 0, stepStore
			if m.broken == unannounced {
				t.step = stepAnnounce
			}
		}
	case stepStore:
		s.lanes[t.lane] = t.block[t.lane]
		if t.lane++; t.lane == 3 {
			t.step = stepCountSection
		}
	case stepCountSection:
		if op.kind == 'r' {
			s.recording = false
			if m.broken != bringsUncounted {
				s.written++
			}
			t.step = stepLeave
			break
		}
		if s.recording && m.broken != unrecorded {
			s.touched |= member
			s.inside |= member
			if op.kind == 'd' {
				s.inside &^= member
			}
		}
		repeated := op.kind == 'i' && t.fresh|t.marking != 0
		if op.kind != 'd' && !(repeated && m.broken == repeatsUncounted) &&
			!(op.kind == 'm' && m.broken == bringsUncounted) {
			s.written++
		}
		if repeated {
			s.repeats = true
		}
		t.step = stepLeave
	case stepLeave:
		m.count(&s)
		t.step = stepUnlock
	case stepUnlock:
		s.held, t.step = false, stepReturn
		if op.kind == 'r' && t.before == 0 {
			t.before, t.lane, t.step = 1, 0, stepYield
		}
	case stepYield:
		s.yielded |= s.list & (1 << t.lane)
		if t.lane++; int(t.lane) == len(m.keys) {
			t.step = stepLock
		}
	case stepReturn:
		switch op.kind {
		case 'r':
			s.members |= 1 << brought
		case 'd':
			s.list &^= member
		default:
			s.members |= member
		}
		*t = modelThread{op: t.op + 1}
	}
	return s, true
}

// brought is the key that renewals bring.
const brought = 3

// count counts a section that begins or ends.
func (m *model) count(s *modelState) {
	s.sections++
	if s.recording && m.broken != evenRenewal {
		s.sections++
	}
}

// renew makes a step of a renewal, after it has locked the stripe: the one that begins to record,
// or the one that makes the new block.
func (m *model) renew(s *modelState, t *modelThread) {
	if t.before == 0 {
		s.yielded, s.recording, t.step = 0, m.broken != recordsLate, stepLeave
		s.touched, s.inside = 0, 0
		return
	}
	t.block, t.step = [3]uint8{}, stepStore
	for key, bits := range m.keys {
		if (s.yielded&^s.touched|s.inside)>>key&1 != 0 {
			for lane, bit := range bits {
				t.block[0] |= t.block[lane+1] & bit
				t.block[lane+1] |= bit
			}
		}
	}
}

// rewrite applies a section to the block that it has loaded.
func (m *model) rewrite(s *modelState, t *modelThread, op modelOp) {
	key := m.keys[op.key]
	if op.kind == 'd' {
		deleteFrom(&t.block, key)
		return
	}
	fresh := t.fresh
	if s.written != t.written+1 && m.broken != trustsFresh {
		fresh = 0
	}
	if op.kind != 'i' {
		fresh = 0
	}
	for lane, bit := range key {
		if fresh>>(lane+1)&1 == 0 {
			t.block[0] |= t.block[lane+1] & bit
		}
		t.block[lane+1] |= bit
	}
}

func deleteFrom(block *[3]uint8, key [2]uint8) {
	for lane, bit := range key {
		if block[lane+1]&bit == 0 {
			return
		}
	}
	for lane, bit := range key {
		block[lane+1] &^= bit &^ block[0]
	}
}

// serial finds the blocks that result from the scripts, one operation after another, in any order.
func (m *model) serial(block [3]uint8, positions [3]int) {
	done := true
	for i, script := range m.scripts {
		if positions[i] == len(script) {
			continue
		}
		done = false
		op, after, then := script[positions[i]], block, positions
		then[i]++
		if op.kind == 'd' {
			deleteFrom(&after, m.keys[op.key])
		} else {
			for lane, bit := range m.keys[op.key] {
				after[0] |= after[lane+1] & bit
				after[lane+1] |= bit
			}
		}
		m.serial(after, then)
	}
	if done {
		m.orders[block] = true
	}
}

// run tries all interleavings, and returns what is wrong.
func (m *model) run() string {
	m.seen, m.orders = map[modelState]bool{}, map[[3]uint8]bool{}
	m.serial([3]uint8{}, [3]int{})
	stack := []modelState{{}}
	for _, script := range m.scripts {
		for _, op := range script {
			if op.kind == 'r' {
				stack[0].list = 1 << brought
			}
		}
	}
	renews := stack[0].list != 0
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.seen[s] {
			continue
		}
		m.seen[s] = true
		for key, bits := range m.keys {
			if s.members>>key&1 != 0 && (s.lanes[1]&bits[0] == 0 || s.lanes[2]&bits[1] == 0) {
				return fmt.Sprintf("member %d is lost", key)
			}
		}
		ended := true
		for i := range s.threads {
			if after, ok := m.next(s, i); ok {
				ended = false
				stack = append(stack, after)
			}
		}
		if !ended {
			continue
		}
		for i := range s.threads {
			if int(s.threads[i].op) != len(m.scripts[i]) {
				return "a goroutine waits forever"
			}
		}
		if !s.repeats && !renews && !m.orders[s.lanes] {
			return fmt.Sprintf("block %v, which is that of no order", s.lanes)
		}
		for key, bits := range m.keys {
			for other := range key {
				for lane := range bits {
					shared := bits[lane] & m.keys[other][lane]
					both := (s.members >> key) & (s.members >> other) & 1
					if both != 0 && shared&^s.lanes[0] != 0 {
						return fmt.Sprintf("members %d and %d share a bit that is not marked", key,
							other)
					}
				}
			}
		}
	}
	return ""
}

// script reads operations such as "i0 d0".
func script(text string) (ops []modelOp) {
	for _, op := range strings.Fields(text) {
		ops = append(ops, modelOp{op[0], int(op[1] - '0')})
	}
	return ops
}

// modelScripts keep the contract of deletion: each key belongs to one goroutine.
var modelScripts = [][3]string{
	{"i0", "i1", "i2"},
	{"i0 d0", "i1 d1", ""},
	{"i0 d0", "i1", "i2"},
	{"i0 d0", "i1", "s2"},
	{"i0", "i1 d1", "s2"},
	{"s0", "s1 d1", "i2"},
	{"s0 d0", "s1 d1", "s2 d2"},
	{"m3", "i0 d0", "i1"},
	{"r0", "i0 d0", "i1"},
	{"r0", "s0 d0", "i1"},
	{"r0 r0", "i0", ""},
	{"i0", "i1 d1", "s2 s3"},
}

// find tries all interleavings of scripts, for keys with equal bits, with equal bits in one lane,
// and with different bits. It returns what is wrong.
func find(texts [3]string, broken modelBreak) (wrong string, states int) {
	for code := range 3 * 3 {
		m := model{broken: broken}
		for i, text := range texts {
			m.scripts[i] = script(text)
		}
		equal, inOne, different := [2]uint8{1, 1}, [2]uint8{1, 2}, [2]uint8{2, 2}
		some := [3][2]uint8{equal, inOne, different}
		m.keys = [4][2]uint8{equal, some[code%3], some[code/3], {2, 1}}
		wrong := m.run()
		states += len(m.seen)
		if wrong != "" {
			return fmt.Sprintf("%v, keys %v: %s", texts, m.keys, wrong), states
		}
	}
	return "", states
}

// No interleaving loses a member or leaves a shared bit without a mark. If no insert was repeated,
// the bits result from some order of the operations.
func TestAllInterleavings(t *testing.T) {
	states, scripts := 0, modelScripts
	switch {
	case fallback.Race: // the model has no goroutines
		scripts = scripts[:2]
	case testing.Short():
		scripts = scripts[:len(scripts)-1]
	}
	for _, texts := range scripts {
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
	if fallback.Race {
		return // the model has no goroutines
	}
	for broken := asItIs + 1; broken < modelBreaks; broken++ {
		for i, texts := range modelScripts {
			if wrong, _ := find(texts, broken); wrong != "" {
				t.Logf("%v: %s", broken, wrong)
				break
			} else if i == len(modelScripts)-1 {
				t.Errorf("%v: nothing is found", broken)
			}
		}
	}
}
