package proof

import (
	"fmt"
	"strings"
)

// step is one instruction that acts on a state.
type step struct {
	*pool
	instruction
	state *state
	// Where a branch leads, and the condition under which it is taken; else taken is nil.
	target, taken *term
}

// UnknownError is an instruction, or a form of it, whose meaning is not here.
type UnknownError struct{ Instruction, Reason string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: %s", e.Instruction, e.Reason)
}

func (s *step) unknown(reason string) error { return &UnknownError{s.text, reason} }

// address returns the address of an operand in memory.
func (s *step) address(o operand) *term {
	address := s.number(uint64(o.displacement), 64)
	if o.base != none {
		address = s.add(s.state.general[o.base], address)
	}
	if o.index != none {
		for range o.scale {
			address = s.add(address, s.state.general[o.index])
		}
	}
	return address
}

// get returns the value of an operand of the given width.
func (s *step) get(o operand, width int) (*term, error) {
	switch o.kind {
	case immediate:
		sign := value{o.immediate}
		if int64(o.immediate) < 0 {
			sign = value{}.complement()
			sign[0] = o.immediate
		}
		return s.wide(sign, width), nil
	case general:
		return s.extract(s.state.general[o.register], width-1, 0), nil
	case vector:
		return s.extract(s.state.vectors[o.register], width-1, 0), nil
	case opmask:
		return s.extract(s.state.opmasks[o.register], width-1, 0), nil
	}
	if o.width != 0 && o.width != width {
		return nil, s.unknown(fmt.Sprintf("%d bits of %d in memory", width, o.width))
	}
	return s.state.memory.load(s.address(o), width)
}

// set stores the value of an operand. What is above it is kept in a general register for 8 and 16
// bits, and cleared for 32 bits and in vectors.
func (s *step) set(o operand, v *term) error {
	switch {
	case o.mask != none:
		return s.unknown("an opmask")
	case (o.kind == general || o.kind == inMemory && o.width != 0) && o.width != v.width:
		return s.unknown(fmt.Sprintf("%d bits for a destination of %d", v.width, o.width))
	}
	switch o.kind {
	case general:
		if v.width < 32 {
			v = s.concat(s.extract(s.state.general[o.register], 63, v.width), v)
		}
		s.state.general[o.register] = s.extend(v, 64)
	case vector:
		s.state.vectors[o.register] = s.extend(v, 512)
	case opmask:
		s.state.opmasks[o.register] = s.extend(v, 64)
	case inMemory:
		return s.state.memory.store(s.address(o), v)
	default:
		return s.unknown("a destination that is a number")
	}
	return nil
}

// masked stores a vector where bits of the destination's opmask are set; elsewhere elements become
// zero or stay.
func (s *step) masked(o operand, v *term, width int) error {
	if o.mask == none {
		return s.set(o, v)
	}
	if o.kind != vector {
		return s.unknown("an opmask for memory")
	}
	elements := lanes(s.pool, v, width)
	for i, old := range lanes(s.pool, s.extract(s.state.vectors[o.register], v.width-1, 0), width) {
		if o.zeroing {
			old = s.number(0, width)
		}
		elements[i] = s.choose(s.extract(s.state.opmasks[o.mask], i, i), elements[i], old)
	}
	o.mask = none
	return s.set(o, join(s.pool, elements))
}

// lanes cuts a vector into elements, the least significant first; join puts them together.
func lanes(p *pool, v *term, width int) []*term {
	cut := make([]*term, v.width/width)
	for i := range cut {
		cut[i] = p.extract(v, width*i+width-1, width*i)
	}
	return cut
}

func join(p *pool, elements []*term) *term {
	parts := make([]*term, len(elements))
	for i, element := range elements {
		parts[len(parts)-1-i] = element
	}
	return p.concat(parts...)
}

// each applies a function to the elements of vectors.
func (s *step) each(width int, do func(x, y *term) *term, x, y *term) *term {
	elements := lanes(s.pool, x, width)
	for i, other := range lanes(s.pool, y, width) {
		elements[i] = do(elements[i], other)
	}
	return join(s.pool, elements)
}

func (s *step) top(x *term) *term { return s.extract(x, x.width-1, x.width-1) }

// result sets the flags that say what a result is.
func (s *step) result(carry, overflow, result *term) {
	zero := s.equal(result, s.number(0, result.width))
	s.state.flags = flags{carry, zero, s.top(result), overflow}
}

// condition returns the condition of a branch or a set, by the end of its mnemonic.
func (s *step) condition(name string) (*term, error) {
	f := s.state.flags
	name, negated := strings.CutPrefix(name, "n")
	switch name { // the negations that begin with another letter
	case "ae":
		name, negated = "b", !negated
	case "a":
		name, negated = "be", !negated
	case "ge":
		name, negated = "l", !negated
	case "g":
		name, negated = "le", !negated
	}
	var parts []*term
	switch name {
	case "b":
		parts = []*term{f.carry}
	case "e":
		parts = []*term{f.zero}
	case "be":
		parts = []*term{f.carry, f.zero}
	case "l", "le":
		if f.sign == nil || f.overflow == nil {
			return nil, s.unknown("it reads a flag that is undefined")
		}
		parts = []*term{s.xor(f.sign, f.overflow), f.zero}[:len(name)]
	default:
		return nil, s.unknown("its condition")
	}
	holds := s.number(0, 1)
	for _, part := range parts {
		if part == nil {
			return nil, s.unknown("it reads a flag that is undefined")
		}
		holds = s.or(holds, part)
	}
	if negated {
		holds = s.not(holds)
	}
	return holds, nil
}

// combination makes a term of two of one width, as pool.and does.
type combination func(p *pool, x, y *term) *term

// anyNumber is that of operands where the meaning looks at it.
const anyNumber = -1

// meaning is what an instruction does with operands of some number.
type meaning struct {
	operands int
	do       func(s *step, o []operand) error
}

// execute acts on the state, whose next instruction is then the one that follows, unless the
// instruction is a branch.
func (s *step) executeX86() error {
	m, ok := meanings[s.mnemonic]
	if !ok {
		return s.unknown("unknown instruction")
	}
	if m.operands != anyNumber && len(s.operands) != m.operands {
		return s.unknown(fmt.Sprintf("%d operands, want %d", len(s.operands), m.operands))
	}
	s.state.next = s.instruction.next()
	return m.do(s, s.operands)
}

// meanings has the meaning of each instruction, by its mnemonic.
var meanings = map[string]meaning{
	"nop":        {0, func(*step, []operand) error { return nil }},
	"mov":        {2, move},
	"movabs":     {2, move},
	"lea":        {2, loadAddress},
	"push":       {1, push},
	"pop":        {1, pop},
	"ret":        {0, returns},
	"call":       {1, call},
	"jmp":        {1, func(s *step, o []operand) error { return s.branch(o[0], s.number(1, 1)) }},
	"add":        {2, sum},
	"sub":        {2, difference},
	"cmp":        {2, difference},
	"and":        {2, logic((*pool).and)},
	"or":         {2, logic((*pool).or)},
	"xor":        {2, logic((*pool).xor)},
	"test":       {2, logic((*pool).and)},
	"inc":        {1, countBy(1)},
	"dec":        {1, countBy(^uint64(0))},
	"not":        {1, complement},
	"shl":        {anyNumber, shift((*pool).shiftLeft)},
	"shr":        {anyNumber, shift((*pool).shiftRight)},
	"rol":        {2, rotate},
	"imul":       {anyNumber, multiply},
	"mul":        {1, multiplyWide},
	"mulx":       {3, multiplyBoth},
	"btc":        {2, changeBit((*pool).xor)},
	"bts":        {2, changeBit((*pool).or)},
	"kmovb":      {2, moveOpmask},
	"kortestb":   {2, testOpmasks},
	"vzeroupper": {0, zeroUpper},

	"movups":  {2, moveKept},
	"vmovdqu": {2, moveVector},
	"vmovq":   {2, moveElement(64)},
	"vmovd":   {2, moveElement(32)},
	"vptest":  {2, testVectors},

	"vextracti128":  {3, extractLane(128)},
	"vextracti64x4": {3, extractLane(256)},
	"vpblendd":      {4, blend},
	"vpshufb":       {3, shuffleBytes},
	"vpshufd":       {3, shuffle},
}

func init() {
	for _, condition := range []string{"b", "ae", "e", "ne", "be", "a", "l", "ge", "le", "g"} {
		meanings["j"+condition] = meaning{1, func(s *step, o []operand) error {
			holds, err := s.condition(condition)
			if err != nil {
				return err
			}
			return s.branch(o[0], holds)
		}}
		meanings["set"+condition] = meaning{1, func(s *step, o []operand) error {
			holds, err := s.condition(condition)
			if err != nil {
				return err
			}
			return s.set(o[0], s.extend(holds, 8))
		}}
	}
	andNot := func(p *pool, x, y *term) *term { return p.and(p.not(x), y) }
	for name, do := range map[string]combination{"vpand": (*pool).and, "vpor": (*pool).or,
		"vpxor": (*pool).xor, "vpandn": andNot} {
		meanings[name] = meaning{3, elementwise(32, true, do)}
		meanings[name+"d"] = meaning{3, elementwise(32, true, do)}
		meanings[name+"q"] = meaning{3, elementwise(64, true, do)}
	}
	meanings["vbroadcastss"] = meaning{2, broadcast(32)}
	meanings["vpmulld"] = meaning{3, elementwise(32, false, (*pool).product)}
	for letter, width := range map[string]int{"d": 32, "q": 64} {
		meanings["vpbroadcast"+letter] = meaning{2, broadcast(width)}
		meanings["vpsllv"+letter] = meaning{3, elementwise(width, false, (*pool).shiftLeft)}
		meanings["vpsrlv"+letter] = meaning{3, elementwise(width, false, (*pool).shiftRight)}
		meanings["vprolv"+letter] = meaning{3, elementwise(width, false, (*pool).rotateLeft)}
		meanings["vpsll"+letter] = meaning{3, shiftAll(width, (*pool).shiftLeft)}
		meanings["vpsrl"+letter] = meaning{3, shiftAll(width, (*pool).shiftRight)}
		meanings["vptestm"+letter] = meaning{3, testElements(width)}
		meanings["vpternlog"+letter] = meaning{4, ternary(width)}
	}
}

// width returns the width of an operation on general registers and memory.
func (s *step) width() int {
	for _, o := range s.operands {
		if o.kind == general {
			return o.width
		}
	}
	return s.operands[0].width
}

// pair returns the values of two operands of one width.
func (s *step) pair(o []operand, width int) (x, y *term, err error) {
	if x, err = s.get(o[0], width); err != nil {
		return nil, nil, err
	}
	y, err = s.get(o[1], width)
	return x, y, err
}

func (s *step) branch(o operand, taken *term) error {
	if o.kind != immediate {
		return s.unknown("a branch to an address that is computed")
	}
	s.taken, s.target = taken, s.number(o.immediate, 64)
	return nil
}

func loadAddress(s *step, o []operand) error {
	if o[1].kind != inMemory {
		return s.unknown("the address of what is not in memory")
	}
	return s.set(o[0], s.extract(s.address(o[1]), o[0].width-1, 0))
}

func move(s *step, o []operand) error {
	v, err := s.get(o[1], s.width())
	if err != nil {
		return err
	}
	return s.set(o[0], v)
}

func (s *step) push(v *term) error {
	s.state.general[rsp] = s.add(s.state.general[rsp], s.number(^uint64(7), 64))
	return s.state.memory.store(s.state.general[rsp], v)
}

func (s *step) pop() (*term, error) {
	v, err := s.state.memory.load(s.state.general[rsp], 64)
	s.state.general[rsp] = s.add(s.state.general[rsp], s.number(8, 64))
	return v, err
}

func push(s *step, o []operand) error {
	if o[0].kind != general || o[0].width != 64 {
		return s.unknown("a push of what is no register")
	}
	return s.push(s.state.general[o[0].register])
}

func pop(s *step, o []operand) error {
	if o[0].kind != general || o[0].width != 64 {
		return s.unknown("a pop into what is no register")
	}
	v, err := s.pop()
	if err != nil {
		return err
	}
	return s.set(o[0], v)
}

func returns(s *step, _ []operand) (err error) {
	s.taken = s.number(1, 1)
	s.target, err = s.pop()
	return err
}

func call(s *step, o []operand) error {
	if err := s.branch(o[0], s.number(1, 1)); err != nil {
		return err
	}
	return s.push(s.number(s.instruction.next(), 64))
}

func sum(s *step, o []operand) error {
	x, y, err := s.pair(o, s.width())
	if err != nil {
		return err
	}
	v := s.add(x, y)
	s.result(s.less(v, x), s.top(s.and(s.xor(x, v), s.xor(y, v))), v)
	return s.set(o[0], v)
}

// countBy adds one or takes it away, and leaves the carry.
func countBy(amount uint64) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, err := s.get(o[0], s.width())
		if err != nil {
			return err
		}
		y := s.number(amount, x.width)
		v, carry := s.add(x, y), s.state.flags.carry
		s.result(carry, s.top(s.and(s.xor(x, v), s.xor(y, v))), v)
		return s.set(o[0], v)
	}
}

// difference is a subtraction or a comparison, which leaves its operands.
func difference(s *step, o []operand) error {
	x, y, err := s.pair(o, s.width())
	if err != nil {
		return err
	}
	v := s.subtract(x, y)
	s.result(s.less(x, y), s.top(s.and(s.xor(x, y), s.xor(x, v))), v)
	if s.mnemonic == "cmp" {
		return nil
	}
	return s.set(o[0], v)
}

func logic(do combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, y, err := s.pair(o, s.width())
		if err != nil {
			return err
		}
		v := do(s.pool, x, y)
		s.result(s.number(0, 1), s.number(0, 1), v)
		if s.mnemonic == "test" {
			return nil
		}
		return s.set(o[0], v)
	}
}

func complement(s *step, o []operand) error {
	x, err := s.get(o[0], s.width())
	if err != nil {
		return err
	}
	return s.set(o[0], s.not(x))
}

// count returns the count of a shift or a rotation: the CPU takes it modulo 32 or 64.
func (s *step) count(o operand, width int) (*term, error) {
	if width < 32 {
		return nil, s.unknown("a shift of less than 32 bits")
	}
	if o.kind == general && o.register != rcx {
		return nil, s.unknown("a count that is not in cl")
	}
	y, err := s.get(o, 8)
	if err != nil {
		return nil, err
	}
	return s.and(s.extend(y, width), s.number(uint64(width-1), width)), nil
}

// shift leaves the flags undefined but for those of a result of a constant count that is not zero:
// else they depend on the count. Without an operand for it the count is one.
func shift(do combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		if len(o) == 1 {
			o = []operand{o[0], {immediate: 1, register: none, mask: none}}
		}
		if len(o) != 2 {
			return s.unknown("a shift of more than one")
		}
		width := o[0].width
		x, err := s.get(o[0], width)
		if err != nil {
			return err
		}
		count, err := s.count(o[1], width)
		if err != nil {
			return err
		}
		v := do(s.pool, x, count)
		s.state.flags = flags{}
		if n, known := small(count); known && n > 0 {
			s.result(nil, nil, v)
		}
		return s.set(o[0], v)
	}
}

// rotate leaves the carry and the overflow undefined, as shift does.
func rotate(s *step, o []operand) error {
	s.state.flags.carry, s.state.flags.overflow = nil, nil
	kept := s.state.flags
	err := shift((*pool).rotateLeft)(s, o)
	s.state.flags = kept
	return err
}

// multiply leaves the flags undefined, and so does multiplyWide.
func multiply(s *step, o []operand) error {
	switch len(o) {
	case 2:
		o = []operand{o[0], o[0], o[1]}
	case 3:
	default:
		return s.unknown("a product of other than two")
	}
	x, y, err := s.pair(o[1:], s.width())
	if err != nil {
		return err
	}
	if x.width < 32 {
		return s.unknown("a product of less than 32 bits")
	}
	s.state.flags = flags{}
	return s.set(o[0], s.binary(mulLow, x, y))
}

func multiplyWide(s *step, o []operand) error {
	y, err := s.get(o[0], o[0].width)
	if err != nil {
		return err
	}
	if y.width != 64 {
		return s.unknown("a product of less than 64 bits")
	}
	x := s.state.general[rax]
	s.state.flags = flags{}
	s.state.general[rax], s.state.general[rdx] = s.binary(mulLow, x, y), s.binary(mulHigh, x, y)
	return nil
}

// multiplyBoth is mulx. Where both destinations are one register, it gets the high half.
func multiplyBoth(s *step, o []operand) error {
	y, err := s.get(o[2], s.width())
	if err != nil {
		return err
	}
	if y.width != 64 {
		return s.unknown("a product of less than 64 bits")
	}
	x := s.state.general[rdx]
	if err := s.set(o[1], s.binary(mulLow, x, y)); err != nil {
		return err
	}
	return s.set(o[0], s.binary(mulHigh, x, y))
}

// changeBit is an instruction that tests a bit of a register and then changes it. The number of the
// bit is taken modulo the width. It leaves the zero flag, and the sign and the overflow undefined.
func changeBit(do combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		if o[0].kind != general || o[0].width < 32 {
			return s.unknown("bits of what is no register")
		}
		x, y, err := s.pair(o, o[0].width)
		if err != nil {
			return err
		}
		y = s.and(y, s.number(uint64(x.width-1), x.width))
		s.state.flags = flags{s.extract(s.shiftRight(x, y), 0, 0), s.state.flags.zero, nil, nil}
		return s.set(o[0], do(s.pool, x, s.shiftLeft(s.number(1, x.width), y)))
	}
}

func moveOpmask(s *step, o []operand) error {
	v, err := s.get(o[1], 8)
	if err != nil {
		return err
	}
	if o[0].kind == general {
		v = s.extend(v, 32)
	}
	return s.set(o[0], v)
}

func testOpmasks(s *step, o []operand) error {
	x, y, err := s.pair(o, 8)
	if err != nil {
		return err
	}
	either := s.or(x, y)
	s.state.flags = flags{s.equal(either, s.ones(8)), s.equal(either, s.number(0, 8)),
		s.number(0, 1), s.number(0, 1)}
	return nil
}

// zeroUpper clears the high parts of the first 16 vectors.
func zeroUpper(s *step, _ []operand) error {
	for i := range 16 {
		s.state.vectors[i] = s.extend(s.extract(s.state.vectors[i], 127, 0), 512)
	}
	return nil
}

// moveVector has a vector for one operand at least, whose width is that of the other.
func moveVector(s *step, o []operand) error {
	v, err := s.get(o[1], max(o[0].width, o[1].width))
	if err != nil {
		return err
	}
	return s.set(o[0], v)
}

// moveKept is a move without VEX: what is above 128 bits of the destination stays.
func moveKept(s *step, o []operand) error {
	v, err := s.get(o[1], 128)
	if err != nil {
		return err
	}
	if o[0].kind == vector {
		v = s.concat(s.extract(s.state.vectors[o[0].register], 511, 128), v)
	}
	return s.set(o[0], v)
}

func moveElement(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		v, err := s.get(o[1], width)
		if err != nil {
			return err
		}
		return s.set(o[0], v)
	}
}

func testVectors(s *step, o []operand) error {
	x, y, err := s.pair(o, o[0].width)
	if err != nil {
		return err
	}
	none := s.number(0, x.width)
	s.state.flags = flags{s.equal(s.and(s.not(x), y), none), s.equal(s.and(x, y), none),
		s.number(0, 1), s.number(0, 1)}
	return nil
}

func broadcast(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		v, err := s.get(o[1], width)
		if err != nil {
			return err
		}
		elements := make([]*term, o[0].width/width)
		for i := range elements {
			elements[i] = v
		}
		return s.masked(o[0], join(s.pool, elements), width)
	}
}

// elementwise is an operation on the elements of two vectors. One that is bitwise is done at once.
func elementwise(width int, bitwise bool, do combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, y, err := s.pair(o[1:], o[0].width)
		if err != nil {
			return err
		}
		if bitwise {
			return s.masked(o[0], do(s.pool, x, y), width)
		}
		return s.masked(o[0], s.each(width, func(x, y *term) *term {
			return do(s.pool, x, y)
		}, x, y), width)
	}
}

// shiftAll shifts all elements by one constant.
func shiftAll(width int, do combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		if o[2].kind != immediate {
			return s.unknown("a count that is no constant")
		}
		x, err := s.get(o[1], o[0].width)
		if err != nil {
			return err
		}
		elements := lanes(s.pool, x, width)
		for i := range elements {
			elements[i] = do(s.pool, elements[i], s.number(o[2].immediate&0xff, width))
		}
		return s.masked(o[0], join(s.pool, elements), width)
	}
}

// testElements sets a bit of an opmask for each element in which the vectors have a common bit.
func testElements(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, y, err := s.pair(o[1:], o[1].width)
		if err != nil {
			return err
		}
		common := lanes(s.pool, s.and(x, y), width)
		for i, element := range common {
			common[i] = s.not(s.equal(element, s.number(0, width)))
		}
		return s.set(o[0], join(s.pool, common))
	}
}

// ternary looks each bit up in the constant, by the bits of the three vectors.
func ternary(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, y, err := s.pair(o, o[0].width)
		if err != nil {
			return err
		}
		z, err := s.get(o[2], o[0].width)
		if err != nil {
			return err
		}
		v := s.number(0, x.width)
		for i := range 8 {
			if o[3].immediate>>i&1 == 0 {
				continue
			}
			all := s.ones(x.width)
			for n, part := range []*term{z, y, x} {
				if i>>n&1 == 0 {
					part = s.not(part)
				}
				all = s.and(all, part)
			}
			v = s.or(v, all)
		}
		return s.masked(o[0], v, width)
	}
}

func extractLane(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		all := lanes(s.pool, s.extract(s.state.vectors[o[1].register], o[1].width-1, 0), width)
		return s.masked(o[0], all[o[2].immediate%uint64(len(all))], 64)
	}
}

func blend(s *step, o []operand) error {
	x, y, err := s.pair(o[1:], o[0].width)
	if err != nil {
		return err
	}
	elements := lanes(s.pool, x, 32)
	for i, other := range lanes(s.pool, y, 32) {
		if o[3].immediate>>i&1 == 1 {
			elements[i] = other
		}
	}
	return s.set(o[0], join(s.pool, elements))
}

// shuffleBytes chooses bytes within each 128 bits, or zero.
func shuffleBytes(s *step, o []operand) error {
	x, y, err := s.pair(o[1:], o[0].width)
	if err != nil {
		return err
	}
	from := lanes(s.pool, x, 128)
	chosen := lanes(s.pool, y, 8)
	for i, control := range chosen {
		index := s.concat(s.number(0, 128-7), s.extract(control, 3, 0), s.number(0, 3))
		found := s.extract(s.shiftRight(from[i/16], index), 7, 0)
		chosen[i] = s.choose(s.extract(control, 7, 7), s.number(0, 8), found)
	}
	return s.masked(o[0], join(s.pool, chosen), 8)
}

// shuffle chooses elements of 32 bits within each 128 bits, by a constant.
func shuffle(s *step, o []operand) error {
	x, err := s.get(o[1], o[0].width)
	if err != nil {
		return err
	}
	from := lanes(s.pool, x, 32)
	chosen := make([]*term, len(from))
	for i := range chosen {
		chosen[i] = from[i&^3|int(o[2].immediate>>(2*(i%4))&3)]
	}
	return s.masked(o[0], join(s.pool, chosen), 32)
}
