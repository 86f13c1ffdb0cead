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
	} {
		a64[name], counts[name] = m.do, m.operands
	}
}

// conditionA64 returns a condition by its name.
func (s *step) conditionA64(name string) (*term, error) {
	f := s.state.flags
	opposite, negated := map[string]string{"lo": "hs", "ne": "eq", "ls": "hi"}[name]
	if negated {
		name = opposite
	}
	flag := map[string]*term{"hs": f.carry, "hi": f.carry, "eq": f.zero}[name]
	if flag == nil || name == "hi" && f.zero == nil {
		return nil, s.unknown("its condition")
	}
	if name == "hi" {
		flag = s.and(f.carry, s.not(f.zero))
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
