package proof

// The instructions of arm64 that the assembly of AES-PMAC has beside others.

func init() {
	for name, m := range map[string]struct {
		operands int
		do       func(s *step, o []string) error
	}{
		"aese":  {2, cipherRoundA64},
		"aesmc": {2, mixColumnsA64},
		"b.hi":  {1, branchIf},
		"b.lo":  {1, branchIf},
		"b.ls":  {1, branchIf},
		"clz":   {2, leadingZeros},
		"eor":   {3, logicA64((*pool).xor)},
		"ldur":  {2, loadA64},
		"lsl":   {3, shiftLeftA64},
		"mov":   {2, moveAnyA64},
		"mvn":   {2, complementA64},
		"sli":   {3, shiftInsert},
		"stur":  {2, storeA64},
		"subs":  {3, differenceFlags},
	} {
		a64[name], counts[name] = m.do, m.operands
	}
}

// cipherRoundA64 adds a round key, and is then a round of AES without its matrix.
func cipherRoundA64(s *step, o []string) error {
	x, _, err := s.elements(o[0])
	if err != nil {
		return err
	}
	key, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	if width != 8 || len(x) != 16 || len(key) != 16 {
		return s.unknown("its form")
	}
	for i := range x {
		x[i] = s.xor(x[i], key[i])
	}
	return s.setElements(o[0], s.substitutedAll(shiftedRows(x)))
}

func mixColumnsA64(s *step, o []string) error {
	x, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	if width != 8 || len(x) != 16 {
		return s.unknown("its form")
	}
	return s.setElements(o[0], s.mixedColumns(x))
}

// moveAnyA64 is a move of words, of vectors, or between a word and an element of a vector.
func moveAnyA64(s *step, o []string) error {
	switch {
	case a64Vector.MatchString(o[0]):
		x, _, err := s.elements(o[1])
		if err != nil {
			return err
		}
		return s.setElements(o[0], x)
	case a64Lane.MatchString(o[0]):
		register, high, low, err := s.lane(o[0])
		if err != nil {
			return err
		}
		v, err := s.word(o[1])
		if err != nil {
			return err
		}
		if v.width != high-low+1 {
			return s.unknown("its form")
		}
		all := lanes(s.pool, s.state.vectors[register], v.width)
		all[low/v.width] = v
		s.state.vectors[register] = join(s.pool, all)
		return nil
	case a64Lane.MatchString(o[1]):
		register, high, low, err := s.lane(o[1])
		if err != nil {
			return err
		}
		return s.setWord(o[0], s.extract(s.state.vectors[register], high, low))
	}
	return moveA64(s, o)
}

func shiftLeftA64(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.shiftLeft(x, s.and(y, s.number(uint64(x.width-1), x.width))))
}

func complementA64(s *step, o []string) error {
	v, err := s.word(o[1])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.not(v))
}

// differenceFlags is a subtraction that sets the flags as a comparison does.
func differenceFlags(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	v := s.subtract(x, y)
	s.result(s.not(s.less(x, y)), s.top(s.and(s.xor(x, y), s.xor(x, v))), v)
	return s.setWord(o[0], v)
}

func leadingZeros(s *step, o []string) error {
	x, err := s.word(o[1])
	if err != nil {
		return err
	}
	count := s.number(uint64(x.width), x.width)
	for i := range x.width {
		count = s.choose(s.extract(x, i, i), s.number(uint64(x.width-1-i), x.width), count)
	}
	return s.setWord(o[0], count)
}

// shiftInsert shifts elements to the left, and keeps what the destination has below.
func shiftInsert(s *step, o []string) error {
	old, width, err := s.elements(o[0])
	if err != nil {
		return err
	}
	x, _, err := s.elements(o[1])
	if err != nil {
		return err
	}
	count, err := s.constant(o[2])
	if err != nil {
		return err
	}
	if len(old) != len(x) || int(count) >= width || count == 0 {
		return s.unknown("its form")
	}
	for i := range x {
		x[i] = s.concat(s.extract(x[i], width-1-int(count), 0), s.extract(old[i], int(count)-1, 0))
	}
	return s.setElements(o[0], x)
}
