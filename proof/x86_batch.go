package proof

// The instructions of amd64 that batches have beside those of single keys.

func init() {
	for name, m := range map[string]meaning{
		"adc":         {2, sumCarryX86},
		"bzhi":        {3, clearHigh},
		"kmovw":       {2, moveOpmaskOf(16)},
		"korb":        {3, combineOpmasks((*pool).or)},
		"kshiftlb":    {3, shiftOpmask},
		"movzx":       {2, moveExtended},
		"neg":         {1, negative},
		"popcnt":      {2, countBits},
		"prefetcht0":  {1, func(*step, []operand) error { return nil }},
		"sar":         {2, shift((*pool).shiftSigned)},
		"rcr":         {anyNumber, rotateCarry},
		"vmovdqu8":    {2, moveMasked(8)},
		"vmovdqu32":   {2, moveMasked(32)},
		"vmovdqu64":   {2, moveMasked(64)},
		"vpaddd":      {3, elementwise(32, false, (*pool).add)},
		"vpcmpeqd":    {3, compareElements(32, (*pool).equal)},
		"vpcmpeqq":    {3, compareElements(64, (*pool).equal)},
		"vpcmpltuq":   {3, compareElements(64, (*pool).less)},
		"vpcompressd": {2, compress},
		"vpmullq":     {3, elementwise(64, false, (*pool).product)},
		"vpaddq":      {3, elementwise(64, false, (*pool).add)},
		"vpmovzxdq":   {2, widen},
		"vprolq":      {3, shiftAll(64, (*pool).rotateLeft)},
	} {
		meanings[name] = m
	}
	for _, condition := range []string{"b", "ae", "e", "ne", "l", "ge", "le", "g"} {
		meanings["cmov"+condition] = meaning{2, moveIf(condition)}
	}
}

// moveIf moves where a condition holds. Of 32 bits it clears what is above in any case.
func moveIf(condition string) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, y, err := s.pair(o, s.width())
		if err != nil {
			return err
		}
		holds, err := s.condition(condition)
		if err != nil {
			return err
		}
		return s.set(o[0], s.choose(holds, y, x))
	}
}

func sumCarryX86(s *step, o []operand) error {
	x, y, err := s.pair(o, s.width())
	if err != nil {
		return err
	}
	carry := s.state.flags.carry
	if carry == nil {
		return s.unknown("it reads a flag that is undefined")
	}
	// One bit more has the carry.
	width := x.width
	sum := s.add(s.add(s.extend(x, width+1), s.extend(y, width+1)), s.extend(carry, width+1))
	v := s.add(s.add(x, y), s.extend(carry, width))
	s.result(s.top(sum), s.top(s.and(s.xor(x, v), s.xor(y, v))), v)
	return s.set(o[0], v)
}

// negative leaves the carry set but for zero.
func negative(s *step, o []operand) error {
	x, err := s.get(o[0], s.width())
	if err != nil {
		return err
	}
	zero := s.number(0, x.width)
	v := s.negate(x)
	s.result(s.not(s.equal(x, zero)), s.top(s.and(x, v)), v)
	return s.set(o[0], v)
}

// rotateCarry rotates by one through the carry, which is above the highest bit. It leaves the zero
// and the sign flag. The overflow is left undefined.
func rotateCarry(s *step, o []operand) error {
	if len(o) != 1 || o[0].width < 32 {
		return s.unknown("its form")
	}
	x, err := s.get(o[0], o[0].width)
	if err != nil {
		return err
	}
	f := &s.state.flags
	if f.carry == nil {
		return s.unknown("it reads a flag that is undefined")
	}
	v := s.concat(f.carry, s.extract(x, x.width-1, 1))
	f.carry, f.overflow = s.extract(x, 0, 0), nil
	return s.set(o[0], v)
}

// shiftSigned shifts copies of the highest bit in.
func (p *pool) shiftSigned(x, count *term) *term {
	top := p.extract(x, x.width-1, x.width-1)
	copies := make([]*term, x.width)
	for i := range copies {
		copies[i] = top
	}
	above := p.not(p.shiftRight(p.ones(x.width), count))
	return p.or(p.shiftRight(x, count), p.and(p.concat(copies...), above))
}

// onesCount returns the number of bits that are set: of neighbours, then of neighbouring pairs, and
// so on.
func (p *pool) onesCount(x *term) *term {
	if p.counted {
		return p.make(term{operator: ones, width: x.width, arguments: []*term{x}})
	}
	for width := 1; width < x.width; width *= 2 {
		var mask value
		for i := range x.width {
			if i/width%2 == 0 {
				mask[i/64] |= 1 << (i % 64)
			}
		}
		low := p.wide(mask, x.width)
		half := p.shiftRight(x, p.number(uint64(width), x.width))
		x = p.add(p.and(x, low), p.and(half, low))
	}
	return x
}

func countBits(s *step, o []operand) error {
	x, err := s.get(o[1], s.width())
	if err != nil {
		return err
	}
	none := s.number(0, 1)
	s.state.flags = flags{none, s.equal(x, s.number(0, x.width)), none, none}
	return s.set(o[0], s.onesCount(x))
}

// clearHigh clears the bits from the number in the low byte of the third operand on. It leaves the
// flags undefined.
func clearHigh(s *step, o []operand) error {
	width := s.width()
	x, err := s.get(o[1], width)
	if err != nil {
		return err
	}
	n, err := s.get(o[2], width)
	if err != nil {
		return err
	}
	n = s.extend(s.extract(n, 7, 0), width)
	s.state.flags = flags{}
	return s.set(o[0], s.and(x, s.not(s.shiftLeft(s.ones(width), n))))
}

func moveExtended(s *step, o []operand) error {
	v, err := s.get(o[1], o[1].width)
	if err != nil {
		return err
	}
	return s.set(o[0], s.extend(v, o[0].width))
}

// moveOpmaskOf moves the low bits of an opmask.
func moveOpmaskOf(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		v, err := s.get(o[1], width)
		if err != nil {
			return err
		}
		if o[0].kind == general {
			v = s.extend(v, 32)
		}
		return s.set(o[0], v)
	}
}

func combineOpmasks(do combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, y, err := s.pair(o[1:], 8)
		if err != nil {
			return err
		}
		return s.set(o[0], do(s.pool, x, y))
	}
}

func shiftOpmask(s *step, o []operand) error {
	x, err := s.get(o[1], 8)
	if err != nil {
		return err
	}
	return s.set(o[0], s.shiftLeft(x, s.number(o[2].immediate&0xff, 8)))
}

// compareElements sets a bit of an opmask for each pair of elements of which the comparison holds.
func compareElements(width int, holds combination) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		if o[0].kind != opmask || o[0].mask != none {
			return s.unknown("its destination")
		}
		x, y, err := s.pair(o[1:], o[1].width)
		if err != nil {
			return err
		}
		bits := lanes(s.pool, x, width)
		for i, other := range lanes(s.pool, y, width) {
			bits[i] = holds(s.pool, bits[i], other)
		}
		return s.set(o[0], join(s.pool, bits))
	}
}

// compress puts the elements of which the bit of the opmask is set one behind another, and zeros
// behind them.
func compress(s *step, o []operand) error {
	if o[0].kind != vector || o[0].mask == none || !o[0].zeroing {
		return s.unknown("its form")
	}
	x, err := s.get(o[1], o[0].width)
	if err != nil {
		return err
	}
	elements := lanes(s.pool, x, 32)
	v := join(s.pool, s.compressed(elements, s.state.opmasks[o[0].mask]))
	s.chosenBy[v] = s.state.opmasks[o[0].mask]
	whole := o[0]
	whole.mask = none
	return s.set(whole, v)
}

// compressed is what is left of a list, in its order, and zeros: element i if bit i is set.
func (p *pool) compressed(elements []*term, chosen *term) []*term {
	width := elements[0].width
	left := make([]*term, len(elements))
	for i := range left {
		left[i] = p.number(0, width)
	}
	// From the last on: one that is chosen pushes those behind it one further.
	for i := len(elements) - 1; i >= 0; i-- {
		bit := p.extract(chosen, i, i)
		for n := len(left) - 1; n > 0; n-- {
			left[n] = p.choose(bit, left[n-1], left[n])
		}
		left[0] = p.choose(bit, elements[i], left[0])
	}
	return left
}

// moveMasked is a move of elements of some width. Memory keeps those that the opmask leaves out,
// and a load asks for the others only.
func moveMasked(element int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		width := max(o[0].width, o[1].width)
		masked := o[0].kind == inMemory && o[0].mask != none
		if memory, ok := s.state.memory.(partlyRead); ok && o[1].kind == inMemory &&
			o[0].mask != none {
			mask := s.extract(s.state.opmasks[o[0].mask], width/element-1, 0)
			v, err := memory.loadMasked(s.address(o[1]), width, mask)
			if err != nil {
				return err
			}
			return s.masked(o[0], v, element)
		}
		v, err := s.get(o[1], width)
		switch {
		case err != nil:
			return err
		case !masked:
			return s.masked(o[0], v, element)
		case element != 32:
			return s.unknown("a masked store of elements that have not 32 bits")
		}
		memory, ok := s.state.memory.(maskedMemory)
		if !ok {
			return s.unknown("memory without masks")
		}
		mask := s.extract(s.state.opmasks[o[0].mask], width/element-1, 0)
		return memory.storeMasked(s.address(o[0]), v, mask)
	}
}

// partlyRead is memory of which a load reads the elements whose bit of a mask is set. The others
// are any.
type partlyRead interface {
	loadMasked(address *term, width int, mask *term) (*term, error)
}

// maskedMemory takes elements of 32 bits of which the bit of a mask is set.
type maskedMemory interface {
	storeMasked(address, value, mask *term) error
}

// widen puts zeros above elements of 32 bits.
func widen(s *step, o []operand) error {
	x, err := s.get(o[1], o[0].width/2)
	if err != nil {
		return err
	}
	wide := lanes(s.pool, x, 32)
	for i := range wide {
		wide[i] = s.extend(wide[i], 64)
	}
	return s.masked(o[0], join(s.pool, wide), 64)
}
