package proof

import (
	"fmt"
	"math/bits"
)

// maxWords is the number of 64-bit words of the widest bit vector: a register of AVX-512.
const maxWords = 8

// value is a bit vector, the least significant word first. The bits above its width are zero.
type value [maxWords]uint64

// operator is what a term does with its arguments.
type operator uint8

const (
	constant operator = iota
	variable
	extract // bits high to low of the argument
	concat  // the first argument is the most significant
	and
	or
	xor
	not
	add
	mulLow  // the low half of a product of words of 64 or 32 bits: to a solver, any word
	mulHigh // the high half
	shiftLeft
	shiftRight
	equal // one bit
	less  // one bit, unsigned
	choose
	ones       // how many bits are one: to a solver, any word
	substitute // the S-box of AES: to a solver, any function of a byte
)

// term is a bit vector over variables. A pool has each term once, so that equal pointers are equal
// terms, and the number of a term is above those of its arguments.
type term struct {
	operator  operator
	width     int
	arguments []*term
	high, low int
	value     value
	name      string
	number    int
}

// key is what tells the terms of a pool apart.
type key struct {
	operator               operator
	width, high, low       int
	value                  value
	name                   string
	first, second, further int
}

// pool makes terms. It simplifies only what keeps the terms of one instruction short: constants,
// and bits that are cut out of what was just put together.
type pool struct {
	terms   map[key]*term
	order   []*term
	notes   map[int]string // what makes the terms from a number on, for those who read them
	fine    bool           // whether it has the normal form of fine.go
	counted bool           // whether ones are counted by the operator for that
	bytes   bool           // whether it has the normal form of pmac.go

	chosenBy map[*term]*term // the opmask by which a vector was put together
}

func newPool() *pool {
	return &pool{terms: map[key]*term{}, notes: map[int]string{}, chosenBy: map[*term]*term{}}
}

// note says what makes the terms from here on.
func (p *pool) note(text string) { p.notes[len(p.order)] = text }

// intern returns the one term of the pool that is like t.
func (p *pool) intern(t term) *term {
	k := key{t.operator, t.width, t.high, t.low, t.value, t.name, -1, -1, -1}
	for i, argument := range t.arguments {
		switch i {
		case 0:
			k.first = argument.number
		case 1:
			k.second = argument.number
		case 2:
			k.further = argument.number
		default:
			k.name += fmt.Sprint(" ", argument.number)
		}
	}
	if old, ok := p.terms[k]; ok {
		return old
	}
	t.number = len(p.order)
	p.terms[k] = &t
	p.order = append(p.order, &t)
	return &t
}

// make returns the constant that an operator comes to if all its arguments are constants, and else
// a term.
func (p *pool) make(t term) *term {
	values := make([]value, len(t.arguments))
	for i, argument := range t.arguments {
		if argument.operator != constant {
			return p.intern(t)
		}
		values[i] = argument.value
	}
	return p.wide(apply(&t, values), t.width)
}

func (p *pool) wide(v value, width int) *term {
	return p.intern(term{operator: constant, width: width, value: v.cut(width)})
}

func (p *pool) number(x uint64, width int) *term { return p.wide(value{x}, width) }

func (p *pool) ones(width int) *term { return p.wide(value{}.complement(), width) }

func (p *pool) variable(name string, width int) *term {
	return p.intern(term{operator: variable, width: width, name: name})
}

func (p *pool) extract(x *term, high, low int) *term {
	width := high - low + 1
	switch {
	case low < 0 || width <= 0 || high >= x.width:
		panic(fmt.Sprintf("bits %d to %d of %d", high, low, x.width))
	case width == x.width:
		return x
	case x.operator == extract:
		return p.extract(x.arguments[0], high+x.low, low+x.low)
	case p.fine && x.operator == not:
		return p.not(p.extract(x.arguments[0], high, low))
	case x.masked():
		first, second := p.extract(x.arguments[0], high, low), p.extract(x.arguments[1], high, low)
		switch x.operator {
		case and:
			return p.and(first, second)
		case or:
			return p.or(first, second)
		}
		return p.xor(first, second)
	case x.operator == concat:
		var parts []*term
		top := x.width
		for _, part := range x.arguments {
			bottom := top - part.width
			if from, to := min(high, top-1), max(low, bottom); from >= to {
				parts = append(parts, p.extract(part, from-bottom, to-bottom))
			}
			top = bottom
		}
		return p.concat(parts...)
	}
	return p.make(term{operator: extract, width: width, arguments: []*term{x}, high: high,
		low: low})
}

// bitwise says whether a bit of a term depends on one bit of each of two arguments.
func (t *term) bitwise() bool {
	return t.operator == and || t.operator == or || t.operator == xor
}

// masked says whether bits of a term may be constant, because those of an argument are.
func (t *term) masked() bool {
	return t.bitwise() &&
		(t.arguments[0].operator == constant || t.arguments[1].operator == constant)
}

func (p *pool) concat(parts ...*term) *term {
	var flat []*term
	width := 0
	for _, part := range parts {
		width += part.width
		if part.operator == concat {
			flat = append(flat, part.arguments...)
		} else {
			flat = append(flat, part)
		}
	}
	var joined []*term
	for _, part := range flat {
		if len(joined) > 0 {
			if pair := p.join(joined[len(joined)-1], part); pair != nil {
				joined[len(joined)-1] = pair
				continue
			}
		}
		joined = append(joined, part)
	}
	if len(joined) == 1 {
		return joined[0]
	}
	return p.intern(term{operator: concat, width: width, arguments: joined})
}

// join returns two neighbours of a concatenation as one term without it, or nil.
func (p *pool) join(high, low *term) *term {
	width := high.width + low.width
	if high.operator == constant && low.operator == constant {
		return p.wide(high.value.left(low.width).or(low.value), width)
	}
	if high.operator == extract && low.operator == extract &&
		high.arguments[0] == low.arguments[0] && high.low == low.high+1 {
		return p.extract(high.arguments[0], high.high, low.low)
	}
	return nil
}

// extend puts zeros above x.
func (p *pool) extend(x *term, width int) *term {
	if width == x.width {
		return x
	}
	return p.concat(p.number(0, width-x.width), x)
}

// binary makes a term of two arguments of one width. Those of a commutative operator are in the
// order of their numbers, so that x*y and y*x are one term.
func (p *pool) binary(operator operator, x, y *term) *term {
	if x.width != y.width {
		panic(fmt.Sprintf("operator %d of %d and %d bits", operator, x.width, y.width))
	}
	width := x.width
	switch operator {
	case equal, less:
		width = 1
	case mulLow, mulHigh:
		if width != 64 && (width != 32 || operator == mulHigh) {
			panic(fmt.Sprintf("operator %d of %d bits", operator, width))
		}
	}
	switch operator {
	case and, or, xor, mulLow, mulHigh, equal, add:
		if x.number > y.number {
			x, y = y, x
		}
	}
	return p.make(term{operator: operator, width: width, arguments: []*term{x, y}})
}

// product is the low half of one.
func (p *pool) product(x, y *term) *term { return p.binary(mulLow, x, y) }

func (p *pool) and(x, y *term) *term {
	switch {
	case x == y || p.isOnes(y):
		return x
	case p.isOnes(x):
		return y
	case p.isZero(x):
		return x
	case p.isZero(y):
		return y
	}
	if p.fine {
		return p.pieces(and, x, y)
	}
	if p.bytes && x.width > 8 && x.width%8 == 0 {
		return p.byBytes((*pool).and, x, y)
	}
	return p.binary(and, x, y)
}

func (p *pool) or(x, y *term) *term {
	switch {
	case x == y || p.isZero(y) || p.isOnes(x):
		return x
	case p.isZero(x) || p.isOnes(y):
		return y
	}
	if p.fine {
		return p.pieces(or, x, y)
	}
	if p.bytes && x.width > 8 && x.width%8 == 0 {
		return p.byBytes((*pool).or, x, y)
	}
	return p.binary(or, x, y)
}

func (p *pool) xor(x, y *term) *term {
	switch {
	case x == y:
		return p.number(0, x.width)
	case p.isZero(x):
		return y
	case p.isZero(y):
		return x
	}
	if p.fine {
		return p.pieces(xor, x, y)
	}
	if p.bytes && x.width > 8 && x.width%8 == 0 {
		return p.byBytes((*pool).xor, x, y)
	}
	if p.bytes && x.width == 8 {
		return p.sum(x, y)
	}
	return p.binary(xor, x, y)
}

func (p *pool) not(x *term) *term {
	if x.operator == not {
		return x.arguments[0]
	}
	return p.make(term{operator: not, width: x.width, arguments: []*term{x}})
}

// add keeps the constant part of a sum of addresses last: the sum of a base and a constant is the
// form in which the memory looks for the place.
func (p *pool) add(x, y *term) *term {
	x, c := p.split(x)
	y, d := p.split(y)
	sum, base := p.binary(add, c, d), x
	switch {
	case x.operator == constant:
		base = y
	case y.operator != constant && p.fine:
		base = p.chain(add, x, y)
	case y.operator != constant:
		base = p.binary(add, x, y)
	}
	if base.operator == constant {
		return sum
	} else if p.isZero(sum) {
		return base
	}
	// The constant stands second, whatever its number is.
	return p.intern(term{operator: add, width: base.width, arguments: []*term{base, sum}})
}

// split returns a term as a sum of one without a constant part, which is zero for a constant, and
// a constant.
func (p *pool) split(x *term) (base, rest *term) {
	if x.operator == constant {
		return p.number(0, x.width), x
	}
	if x.operator == add && x.arguments[1].operator == constant {
		return x.arguments[0], x.arguments[1]
	}
	return x, p.number(0, x.width)
}

func (p *pool) negate(x *term) *term {
	base, rest := p.split(x)
	if base.operator == not && rest == p.number(1, x.width) {
		return base.arguments[0]
	}
	return p.add(p.not(x), p.number(1, x.width))
}

func (p *pool) subtract(x, y *term) *term {
	if x == y {
		return p.number(0, x.width)
	}
	return p.add(x, p.negate(y))
}

// shiftLeft and shiftRight give zero for counts from the width on, as SMT-LIB and the shifts of
// vectors do.
func (p *pool) shiftLeft(x, count *term) *term {
	if n, ok := small(count); ok {
		switch {
		case n == 0:
			return x
		case n >= x.width:
			return p.number(0, x.width)
		}
		return p.concat(p.extract(x, x.width-1-n, 0), p.number(0, n))
	}
	return p.binary(shiftLeft, x, count)
}

func (p *pool) shiftRight(x, count *term) *term {
	if n, ok := small(count); ok {
		switch {
		case n == 0:
			return x
		case n >= x.width:
			return p.number(0, x.width)
		}
		return p.extend(p.extract(x, x.width-1, n), x.width)
	}
	return p.binary(shiftRight, x, count)
}

// rotateLeft rotates by the count modulo the width, which is a power of two.
func (p *pool) rotateLeft(x, count *term) *term {
	count = p.and(count, p.number(uint64(x.width-1), x.width))
	rest := p.and(p.negate(count), p.number(uint64(x.width-1), x.width))
	return p.or(p.shiftLeft(x, count), p.shiftRight(x, rest))
}

func (p *pool) equal(x, y *term) *term {
	if x == y {
		return p.number(1, 1)
	}
	return p.binary(equal, x, y)
}

func (p *pool) less(x, y *term) *term {
	if x == y {
		return p.number(0, 1)
	}
	return p.binary(less, x, y)
}

func (p *pool) choose(condition, x, y *term) *term {
	if x.width != y.width || condition.width != 1 {
		panic(fmt.Sprintf("choice of %d bits of %d and %d bits", condition.width, x.width, y.width))
	}
	switch {
	case x == y || p.isOnes(condition):
		return x
	case p.isZero(condition):
		return y
	}
	return p.make(term{operator: choose, width: x.width, arguments: []*term{condition, x, y}})
}

func (p *pool) isZero(x *term) bool { return x.operator == constant && x.value == value{} }

func (p *pool) isOnes(x *term) bool {
	return x.operator == constant && x.value == value{}.complement().cut(x.width)
}

// small returns a constant as an int, and one beyond every width as the largest.
func small(x *term) (n int, ok bool) {
	if x.operator != constant {
		return 0, false
	}
	for _, word := range x.value[1:] {
		if word != 0 {
			return 64 * maxWords, true
		}
	}
	return int(min(x.value[0], 64*maxWords)), true
}

func (v value) complement() value {
	for i := range v {
		v[i] = ^v[i]
	}
	return v
}

func (v value) or(w value) value {
	for i := range v {
		v[i] |= w[i]
	}
	return v
}

// cut clears the bits from the width on.
func (v value) cut(width int) value {
	for i := range v {
		if rest := width - 64*i; rest <= 0 {
			v[i] = 0
		} else if rest < 64 {
			v[i] &= 1<<rest - 1
		}
	}
	return v
}

func (v value) left(count int) (shifted value) {
	words, rest := count/64, uint(count%64)
	for i := maxWords - 1; i >= words; i-- {
		shifted[i] = v[i-words] << rest
		if i > words {
			shifted[i] |= v[i-words-1] >> (64 - rest)
		}
	}
	return shifted
}

func (v value) right(count int) (shifted value) {
	words, rest := count/64, uint(count%64)
	for i := range maxWords - min(words, maxWords) {
		shifted[i] = v[i+words] >> rest
		if i+words+1 < maxWords {
			shifted[i] |= v[i+words+1] << (64 - rest)
		}
	}
	return shifted
}

// count returns the number of a shift, at most the width.
func (v value) count(width int) int {
	for _, word := range v[1:] {
		if word != 0 {
			return width
		}
	}
	return int(min(v[0], uint64(width)))
}

func bit(b bool) value {
	if b {
		return value{1}
	}
	return value{}
}

// apply computes what a term comes to, from the values of its arguments. Here products are what
// the CPU computes.
func apply(t *term, values []value) (v value) {
	switch t.operator {
	case extract:
		v = values[0].right(t.low)
	case concat:
		for i, part := range t.arguments {
			v = v.left(part.width).or(values[i])
		}
	case and, or, xor:
		for i := range v {
			x, y := values[0][i], values[1][i]
			switch t.operator {
			case and:
				v[i] = x & y
			case or:
				v[i] = x | y
			default:
				v[i] = x ^ y
			}
		}
	case not:
		v = values[0].complement()
	case add:
		carry := uint64(0)
		for i := range v {
			v[i], carry = bits.Add64(values[0][i], values[1][i], carry)
		}
	case mulLow:
		v[0] = values[0][0] * values[1][0]
	case mulHigh:
		v[0], _ = bits.Mul64(values[0][0], values[1][0])
	case shiftLeft:
		v = values[0].left(values[1].count(t.width))
	case shiftRight:
		v = values[0].right(values[1].count(t.width))
	case equal:
		v = bit(values[0] == values[1])
	case less:
		borrow := uint64(0)
		for i := range v {
			_, borrow = bits.Sub64(values[0][i], values[1][i], borrow)
		}
		v = bit(borrow == 1)
	case ones:
		for _, word := range values[0] {
			v[0] += uint64(bits.OnesCount64(word))
		}
	case choose:
		v = values[2]
		if values[0][0] == 1 {
			v = values[1]
		}
	case substitute:
		v[0] = uint64(substitutions[values[0][0]])
	default:
		panic(fmt.Sprintf("operator %d has no value", t.operator))
	}
	return v.cut(t.width)
}

// evaluation computes what some terms of a pool come to.
type evaluation struct {
	order  []*term
	values []value // by the numbers of terms; those of variables are set from outside
}

func newEvaluation(p *pool, asked []*term) *evaluation {
	e := &evaluation{values: make([]value, len(p.order))}
	needed := make([]bool, len(p.order))
	for _, t := range asked {
		needed[t.number] = true
	}
	for i := len(p.order) - 1; i >= 0; i-- {
		if needed[i] {
			for _, argument := range p.order[i].arguments {
				needed[argument.number] = true
			}
		}
	}
	for i, t := range p.order {
		switch {
		case needed[i] && t.operator == constant:
			e.values[i] = t.value
		case needed[i] && t.operator != variable:
			e.order = append(e.order, t)
		}
	}
	return e
}

func (e *evaluation) run() {
	var few [4]value
	for _, t := range e.order {
		values := few[:0]
		for _, argument := range t.arguments {
			values = append(values, e.values[argument.number])
		}
		e.values[t.number] = apply(t, values)
	}
}

func (e *evaluation) lookup(t *term) value { return e.values[t.number] }
