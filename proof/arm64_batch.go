package proof

import "strings"

// The instructions of arm64 that batches have beside those of single keys.

func init() {
	for name, m := range map[string]struct {
		operands int
		do       func(s *step, o []string) error
	}{
		"b.ne":   {1, branchIf},
		"cbz":    {2, branchZero},
		"cnt":    {2, countBytes},
		"csel":   {4, choiceA64},
		"lsr":    {3, shiftRightA64},
		"neg":    {2, negativeA64},
		"prfm":   {2, func(*step, []string) error { return nil }},
		"rbit":   {2, reverseBits},
		"str":    {2, storeA64},
		"sub":    {3, differenceA64},
		"uaddlv": {2, sumAcross},
		"eor":    {3, differenceOfBits},
		"shl":    {3, shiftByConstant((*pool).shiftLeft)},
		"sri":    {3, shiftRightInto},
		"ushll":  {3, widenA64},
		"ldur":   {2, loadA64},
		"umull":  {3, widenProduct(0)},
		"umull2": {3, widenProduct(1)},
		"uzp1":   {3, unzip(0)},
		"uzp2":   {3, unzip(1)},
		"zip1":   {3, zip(0)},
		"zip2":   {3, zip(1)},
	} {
		a64[name], counts[name] = m.do, m.operands
	}
}

// conditionA64 returns a condition by its name.
func (s *step) conditionA64(name string) (*term, error) {
	f, negated := s.state.flags, name == "lo" || name == "ne"
	flag := map[string]*term{"hs": f.carry, "lo": f.carry, "eq": f.zero, "ne": f.zero}[name]
	if flag == nil {
		return nil, s.unknown("its condition")
	}
	if negated {
		flag = s.not(flag)
	}
	return flag, nil
}

func branchIf(s *step, o []string) error {
	holds, err := s.conditionA64(strings.TrimPrefix(s.mnemonic, "b."))
	if err != nil {
		return err
	}
	return s.jump(o[0], holds)
}

func branchZero(s *step, o []string) error {
	v, err := s.word(o[0])
	if err != nil {
		return err
	}
	return s.jump(o[1], s.equal(v, s.number(0, v.width)))
}

func choiceA64(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	holds, err := s.conditionA64(o[3])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.choose(holds, x, y))
}

// shiftRightA64 takes the count modulo the width.
func shiftRightA64(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.shiftRight(x, s.and(y, s.number(uint64(x.width-1), x.width))))
}

func negativeA64(s *step, o []string) error {
	v, err := s.word(o[1])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.negate(v))
}

func differenceA64(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.subtract(x, y))
}

func reverseBits(s *step, o []string) error {
	v, err := s.word(o[1])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.reversed(v))
}

// reversed has the bits of a word in the other order.
func (p *pool) reversed(x *term) *term {
	bits := make([]*term, x.width)
	for i := range bits {
		bits[i] = p.extract(x, i, i)
	}
	return p.concat(bits...)
}

// countBytes counts the bits that are set in each byte.
func countBytes(s *step, o []string) error {
	x, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	if width != 8 {
		return s.unknown("elements that are no bytes")
	}
	for i := range x {
		x[i] = s.onesCount(x[i])
	}
	return s.setElements(o[0], x)
}

// sumAcross adds bytes to a sum of 16 bits.
func sumAcross(s *step, o []string) error {
	x, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	number, found := strings.CutPrefix(o[0], "h")
	if width != 8 || !found {
		return s.unknown("its form")
	}
	sum := s.number(0, 16)
	for _, element := range x {
		sum = s.add(sum, s.extend(element, 16))
	}
	n, _, err := s.scalar("d" + number)
	if err != nil {
		return err
	}
	s.state.vectors[n] = s.extend(sum, 128)
	return nil
}

func storeA64(s *step, o []string) error {
	v, _, err := s.either(o[0])
	if err != nil {
		return err
	}
	address, err := s.place(o[1])
	if err != nil {
		return err
	}
	return s.state.memory.store(address, v)
}

// logicA64 is an operation on the bits of words or of vectors.
func logicA64(do combination) func(*step, []string) error {
	return func(s *step, o []string) error {
		if a64Vector.MatchString(o[0]) {
			return threeVectors(do)(s, o)
		}
		x, y, err := s.twoWords(o[1:])
		if err != nil {
			return err
		}
		return s.setWord(o[0], do(s.pool, x, y))
	}
}

// differenceOfBits is an exclusive or of two vectors, whose elements have no meaning.
func differenceOfBits(s *step, o []string) error {
	x, y, err := s.twoVectors(o)
	if err != nil {
		return err
	}
	if x[0].width != 8 {
		return s.unknown("its form")
	}
	return s.setElements(o[0], lanes(s.pool, s.xor(join(s.pool, x), join(s.pool, y)), 8))
}

// shiftRightInto shifts elements to the right, and leaves the bits above them.
func shiftRightInto(s *step, o []string) error {
	old, _, err := s.elements(o[0])
	if err != nil {
		return err
	}
	x, width, count, err := s.elementsAndCount(o)
	if err != nil {
		return err
	}
	if len(old) != len(x) || old[0].width != width || count < 1 || count >= uint64(width) {
		return s.unknown("its form")
	}
	for i := range x {
		x[i] = s.concat(s.extract(old[i], width-1, width-int(count)),
			s.extract(x[i], width-1, int(count)))
	}
	return s.setElements(o[0], x)
}

// widenA64 puts zeros above elements, and shifts them.
func widenA64(s *step, o []string) error {
	x, width, count, err := s.elementsAndCount(o)
	if err != nil {
		return err
	}
	for i := range x {
		x[i] = s.shiftLeft(s.extend(x[i], 2*width), s.number(count, 2*width))
	}
	return s.setElements(o[0], x)
}

// zip takes the elements of a half of two vectors in turn.
func zip(half int) func(*step, []string) error {
	return func(s *step, o []string) error {
		x, y, err := s.twoVectors(o)
		if err != nil {
			return err
		}
		taken := make([]*term, len(x))
		for i := range len(x) / 2 {
			taken[2*i], taken[2*i+1] = x[half*len(x)/2+i], y[half*len(x)/2+i]
		}
		return s.setElements(o[0], taken)
	}
}

// unzip takes every other element of two vectors.
func unzip(from int) func(*step, []string) error {
	return func(s *step, o []string) error {
		x, y, err := s.twoVectors(o)
		if err != nil {
			return err
		}
		both := append(x, y...)
		taken := make([]*term, len(x))
		for i := range taken {
			taken[i] = both[2*i+from]
		}
		return s.setElements(o[0], taken)
	}
}

// widenProduct multiplies elements of 32 bits of a half of two vectors.
func widenProduct(half int) func(*step, []string) error {
	return func(s *step, o []string) error {
		x, width, err := s.elements(o[1])
		if err != nil {
			return err
		}
		y, other, err := s.elements(o[2])
		if err != nil {
			return err
		}
		if width != 32 || other != 32 || len(x) != 2*(half+1) || len(y) != len(x) {
			return s.unknown("its form")
		}
		wide := make([]*term, 2)
		for i := range wide {
			wide[i] = s.product(s.extend(x[2*half+i], 64), s.extend(y[2*half+i], 64))
		}
		return s.setElements(o[0], wide)
	}
}
