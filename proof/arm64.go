package proof

import (
	"debug/elf"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The registers of arm64 with a role in Go's ABI.
const (
	platformRegister = 18
	goroutine        = 28
	framePointer     = 29
	linkRegister     = 30
	stackPointer     = 31
)

var arm64 = &architecture{"arm64", elf.EM_AARCH64, "--mattr=+neon,+aes", "//", parseA64, nil,
	func() (all []string) {
		for n := range 31 {
			all = append(all, fmt.Sprint("x", n))
		}
		return append(all, "sp")
	}(), 128, stackPointer, []int{platformRegister, goroutine, framePointer}}

func init() { arm64.execute = (*step).executeA64 }

// parseA64 cuts operands at the commas outside of brackets and braces. A shift belongs to the
// operand before it.
func parseA64(i *instruction, list string) error {
	depth, from := 0, 0
	cut := func(to int) {
		if word := strings.TrimSpace(list[from:to]); strings.HasPrefix(word, "lsl ") {
			i.words[len(i.words)-1] += ", " + word
		} else if word != "" {
			i.words = append(i.words, word)
		}
		from = to + 1
	}
	for n, c := range list {
		switch {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			cut(n)
		}
	}
	if from <= len(list) {
		cut(len(list))
	}
	return nil
}

// a64 has the meaning of each instruction of arm64, by its mnemonic.
var a64 = map[string]func(s *step, o []string) error{
	"nop":   func(*step, []string) error { return nil },
	"b":     func(s *step, o []string) error { return s.jump(o[0], s.number(1, 1)) },
	"cbnz":  branchNonZero,
	"ret":   returnA64,
	"movk":  moveKeep,
	"adrp":  pageAddress,
	"add":   sumA64,
	"adc":   sumCarry,
	"cmp":   compareA64,
	"cset":  setCondition,
	"umulh": highProduct,
	"mul":   productA64,
	"ldr":   loadA64,
	"ldrb":  loadByte,
	"ldp":   loadPair,
	"stp":   storePair,
	"strb":  storeByte,
	"fmov":  moveScalar,
	"movi":  moveImmediate,
	"dup":   duplicate,
	"tbl":   lookUp,
	"ext":   extractBytes,
	"rev64": reverse,
	"ushl":  threeVectors(shiftBySigned),
	"umaxp": maximumPairs,
	"cmtst": threeVectors(testBits),
	"and":   logicA64((*pool).and),
	"orr":   logicA64((*pool).or),
	"bic":   threeVectors(func(p *pool, x, y *term) *term { return p.and(x, p.not(y)) }),
	"bit":   insertBits,
	"ushr":  shiftElements,
	"shrn":  narrowA64,
	"xtn":   narrowA64,
	"cmn":   compareA64,
}

// counts has the number of operands that an instruction may have.
var counts = map[string]int{"nop": 0, "b": 1, "cbnz": 2, "ret": 0, "movk": 2, "adrp": 2,
	"add": 3, "adc": 3, "cmp": 2, "cmn": 2, "cset": 2, "umulh": 3, "mul": 3, "ldr": 2, "ldrb": 2,
	"ldp": 3, "stp": 3, "strb": 2, "fmov": 2, "movi": 2, "dup": 2, "tbl": 3, "ext": 4, "rev64": 2,
	"ushl": 3, "umaxp": 3, "cmtst": 3, "and": 3, "orr": 3, "bic": 3, "bit": 3, "ushr": 3, "shrn": 3,
	"xtn": 2}

func (s *step) executeA64() error {
	do, ok := a64[s.mnemonic]
	if !ok {
		return s.unknown("unknown instruction")
	}
	if len(s.words) != counts[s.mnemonic] {
		return s.unknown(fmt.Sprintf("%d operands, want %d", len(s.words), counts[s.mnemonic]))
	}
	s.state.next = s.instruction.next()
	return do(s, s.words)
}

// a64Word is a general register or the low bits of one.
var a64Word = regexp.MustCompile(`^([xw])(\d+|zr)$|^sp$`)

// a64Register returns the width and the number of a general register, which is none for zero.
func (s *step) a64Register(name string) (width, number int, err error) {
	match := a64Word.FindStringSubmatch(name)
	switch {
	case match == nil:
		return 0, 0, s.unknown(fmt.Sprintf("no general register: %q", name))
	case name == "sp":
		return 64, stackPointer, nil
	}
	width = 64
	if match[1] == "w" {
		width = 32
	}
	if match[2] == "zr" {
		return width, none, nil
	}
	number, err = strconv.Atoi(match[2])
	if err != nil || number > 30 {
		return 0, 0, s.unknown("no general register")
	}
	return width, number, nil
}

// word returns the value of a general register.
func (s *step) word(name string) (*term, error) {
	width, number, err := s.a64Register(name)
	if err != nil {
		return nil, err
	}
	if number == none {
		return s.number(0, width), nil
	}
	return s.extract(s.state.general[number], width-1, 0), nil
}

// setWord sets a general register, and clears what is above its low bits.
func (s *step) setWord(name string, v *term) error {
	width, number, err := s.a64Register(name)
	switch {
	case err != nil:
		return err
	case width != v.width:
		return s.unknown(fmt.Sprintf("%d bits for a destination of %d", v.width, width))
	case number != none:
		s.state.general[number] = s.extend(v, 64)
	}
	return nil
}

// number of an operand that begins with a hash.
func (s *step) constant(word string) (uint64, error) {
	text, ok := strings.CutPrefix(word, "#")
	v, err := parseNumber(text)
	if !ok || err != nil {
		return 0, s.unknown(fmt.Sprintf("no number: %q", word))
	}
	return v, nil
}

// shifted returns the value of an operand of some width: a number or a register, and either may be
// shifted to the left.
func (s *step) shifted(word string, width int) (*term, error) {
	word, shift, found := strings.Cut(word, ", lsl ")
	var count uint64
	var err error
	if found {
		if count, err = s.constant(shift); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(word, "#") {
		v, err := s.constant(word)
		return s.number(v<<count, width), err
	}
	v, err := s.word(word)
	if err == nil && v.width != width {
		err = s.unknown("operands of different widths")
	}
	if err != nil {
		return nil, err
	}
	return s.shiftLeft(v, s.number(count, width)), nil
}

// arrangements have the number of elements of a vector and their width.
var arrangements = map[string][2]int{"8b": {8, 8}, "16b": {16, 8}, "4h": {4, 16}, "8h": {8, 16},
	"2s": {2, 32}, "4s": {4, 32}, "1d": {1, 64}, "2d": {2, 64}}

var (
	a64Vector = regexp.MustCompile(`^v(\d+)\.(\d+[bhsd])$`)
	a64Lane   = regexp.MustCompile(`^v(\d+)\.([sd])\[(\d)\]$`)
	a64Scalar = regexp.MustCompile(`^([sdq])(\d+)$`)
)

var scalars = map[string]int{"s": 32, "d": 64, "q": 128}

// vector returns the number, the count of elements and their width of a vector operand.
func (s *step) vector(word string) (number, count, width int, err error) {
	match := a64Vector.FindStringSubmatch(word)
	if match == nil || arrangements[match[2]] == [2]int{} {
		return 0, 0, 0, s.unknown(fmt.Sprintf("no vector: %q", word))
	}
	if number, err = strconv.Atoi(match[1]); err != nil || number > 31 {
		return 0, 0, 0, s.unknown("no vector register")
	}
	return number, arrangements[match[2]][0], arrangements[match[2]][1], nil
}

// elements returns the elements of a vector operand, and their width.
func (s *step) elements(word string) ([]*term, int, error) {
	number, count, width, err := s.vector(word)
	if err != nil {
		return nil, 0, err
	}
	return lanes(s.pool, s.extract(s.state.vectors[number], count*width-1, 0), width), width, nil
}

// setElements sets a vector operand, and clears what is above.
func (s *step) setElements(word string, v []*term) error {
	number, count, width, err := s.vector(word)
	if err != nil {
		return err
	}
	if len(v) != count || v[0].width != width {
		return s.unknown(fmt.Sprintf("%d elements of %d bits for %q", len(v), v[0].width, word))
	}
	s.state.vectors[number] = s.extend(join(s.pool, v), 128)
	return nil
}

// scalar returns the number and the width of a vector register's low part.
func (s *step) scalar(word string) (number, width int, err error) {
	match := a64Scalar.FindStringSubmatch(word)
	if match == nil {
		return 0, 0, s.unknown(fmt.Sprintf("no scalar: %q", word))
	}
	if number, err = strconv.Atoi(match[2]); err != nil || number > 31 {
		return 0, 0, s.unknown("no vector register")
	}
	return number, scalars[match[1]], nil
}

// either returns the width of a general or scalar register, its value, and what sets it.
func (s *step) either(word string) (v *term, set func(*term) error, err error) {
	if a64Scalar.MatchString(word) {
		number, width, err := s.scalar(word)
		if err != nil {
			return nil, nil, err
		}
		return s.extract(s.state.vectors[number], width-1, 0), func(v *term) error {
			if v.width != width {
				return s.unknown(fmt.Sprintf("%d bits for a destination of %d", v.width, width))
			}
			s.state.vectors[number] = s.extend(v, 128)
			return nil
		}, nil
	}
	v, err = s.word(word)
	return v, func(v *term) error { return s.setWord(word, v) }, err
}

// place returns the address of an operand in memory: a register, and a number or another register,
// which may be shifted, or the address itself.
func (s *step) place(word string) (*term, error) {
	if literal, err := parseNumber(word); err == nil {
		return s.number(literal, 64), nil
	}
	inside, ok := strings.CutPrefix(word, "[")
	inside, closed := strings.CutSuffix(inside, "]")
	name, offset, found := strings.Cut(inside, ", ")
	if !ok || !closed {
		return nil, s.unknown(fmt.Sprintf("no address: %q", word))
	}
	base, err := s.word(name)
	if err != nil || !found {
		return base, err
	}
	distance, err := s.shifted(offset, 64)
	if err != nil {
		return nil, err
	}
	return s.add(base, distance), nil
}

func (s *step) jump(word string, taken *term) error {
	address, err := parseNumber(word)
	if err != nil {
		return s.unknown("a branch to an address that is computed")
	}
	s.taken, s.target = taken, s.number(address, 64)
	return nil
}

func branchNonZero(s *step, o []string) error {
	v, err := s.word(o[0])
	if err != nil {
		return err
	}
	return s.jump(o[1], s.not(s.equal(v, s.number(0, v.width))))
}

func returnA64(s *step, _ []string) error {
	s.taken, s.target = s.number(1, 1), s.state.general[linkRegister]
	return nil
}

func moveA64(s *step, o []string) error {
	width, _, err := s.a64Register(o[0])
	if err != nil {
		return err
	}
	v, err := s.shifted(o[1], width)
	if err != nil {
		return err
	}
	return s.setWord(o[0], v)
}

// moveKeep sets 16 bits.
func moveKeep(s *step, o []string) error {
	old, err := s.word(o[0])
	if err != nil {
		return err
	}
	v, err := s.shifted(o[1], old.width)
	if err != nil {
		return err
	}
	_, text, _ := strings.Cut(o[1], "lsl #")
	count, _ := strconv.Atoi(text)
	mask := s.number(0xffff<<count, old.width)
	return s.setWord(o[0], s.or(s.and(old, s.not(mask)), v))
}

func pageAddress(s *step, o []string) error {
	address, err := parseNumber(o[1])
	if err != nil {
		return s.unknown("no address")
	}
	return s.setWord(o[0], s.number(address, 64))
}

func (s *step) twoWords(o []string) (x, y *term, err error) {
	if x, err = s.word(o[0]); err != nil {
		return nil, nil, err
	}
	y, err = s.shifted(o[1], x.width)
	return x, y, err
}

// sumA64 is one of words, or of the elements of vectors.
func sumA64(s *step, o []string) error {
	if a64Vector.MatchString(o[0]) {
		return threeVectors((*pool).add)(s, o)
	}
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.add(x, y))
}

func sumCarry(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	if s.state.flags.carry == nil {
		return s.unknown("it reads a flag that is undefined")
	}
	return s.setWord(o[0], s.add(s.add(x, y), s.extend(s.state.flags.carry, x.width)))
}

// compareA64 is a subtraction, whose carry says that nothing is borrowed, or an addition: cmn.
func compareA64(s *step, o []string) error {
	x, y, err := s.twoWords(o)
	if err != nil {
		return err
	}
	if s.mnemonic == "cmn" {
		v := s.add(x, y)
		s.result(s.less(v, x), s.top(s.and(s.xor(x, v), s.xor(y, v))), v)
		return nil
	}
	v := s.subtract(x, y)
	s.result(s.not(s.less(x, y)), s.top(s.and(s.xor(x, y), s.xor(x, v))), v)
	return nil
}

func setCondition(s *step, o []string) error {
	width, _, err := s.a64Register(o[0])
	if err != nil {
		return err
	}
	f := s.state.flags
	holds := map[string]*term{"hs": f.carry, "eq": f.zero}[o[1]]
	if holds == nil {
		return s.unknown("its condition")
	}
	return s.setWord(o[0], s.extend(holds, width))
}

func highProduct(s *step, o []string) error {
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.binary(mulHigh, x, y))
}

// productA64 is one of words, or of the elements of vectors, of which only those of 32 bits are
// known.
func productA64(s *step, o []string) error {
	if a64Vector.MatchString(o[0]) {
		return threeVectors((*pool).product)(s, o)
	}
	x, y, err := s.twoWords(o[1:])
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.product(x, y))
}

func loadA64(s *step, o []string) error {
	address, err := s.place(o[1])
	if err != nil {
		return err
	}
	return s.loadInto(o[0], address)
}

func (s *step) loadInto(word string, address *term) error {
	old, set, err := s.either(word)
	if err != nil {
		return err
	}
	v, err := s.state.memory.load(address, old.width)
	if err != nil {
		return err
	}
	return set(v)
}

func loadByte(s *step, o []string) error {
	address, err := s.place(o[1])
	if err != nil {
		return err
	}
	v, err := s.state.memory.load(address, 8)
	if err != nil {
		return err
	}
	return s.setWord(o[0], s.extend(v, 32))
}

// loadPair loads two registers at once, so that the first may be the address.
func loadPair(s *step, o []string) error {
	first, set, err := s.either(o[0])
	if err != nil {
		return err
	}
	second, setSecond, err := s.either(o[1])
	if err != nil {
		return err
	}
	address, err := s.place(o[2])
	if err != nil {
		return err
	}
	v, err := s.state.memory.load(address, first.width+second.width)
	if err != nil {
		return err
	}
	if err := set(s.extract(v, first.width-1, 0)); err != nil {
		return err
	}
	return setSecond(s.extract(v, v.width-1, first.width))
}

func storePair(s *step, o []string) error {
	first, _, err := s.either(o[0])
	if err != nil {
		return err
	}
	second, _, err := s.either(o[1])
	if err != nil {
		return err
	}
	address, err := s.place(o[2])
	if err != nil {
		return err
	}
	return s.state.memory.store(address, s.concat(second, first))
}

func storeByte(s *step, o []string) error {
	v, err := s.word(o[0])
	if err != nil {
		return err
	}
	address, err := s.place(o[1])
	if err != nil {
		return err
	}
	return s.state.memory.store(address, s.extract(v, 7, 0))
}

// moveScalar moves bits between general and vector registers.
func moveScalar(s *step, o []string) error {
	v, _, err := s.either(o[1])
	if err != nil {
		return err
	}
	_, set, err := s.either(o[0])
	if err != nil {
		return err
	}
	return set(v)
}

func moveImmediate(s *step, o []string) error {
	v, err := s.constant(o[1])
	if err != nil {
		return err
	}
	_, count, width, err := s.vector(o[0])
	if err != nil {
		return err
	}
	if width != 8 {
		return s.unknown("elements that are no bytes")
	}
	elements := make([]*term, count)
	for i := range elements {
		elements[i] = s.number(v, width)
	}
	return s.setElements(o[0], elements)
}

// duplicate gives all elements the value of a general register or of one element.
func duplicate(s *step, o []string) (err error) {
	_, count, width, err := s.vector(o[0])
	if err != nil {
		return err
	}
	var v *term
	if a64Lane.MatchString(o[1]) {
		register, high, low, err := s.lane(o[1])
		if err != nil {
			return err
		}
		if v = s.extract(s.state.vectors[register], high, low); v.width != width {
			return s.unknown("elements of another width")
		}
	} else if v, err = s.word(o[1]); err != nil {
		return err
	}
	elements := make([]*term, count)
	for i := range elements {
		elements[i] = v
	}
	return s.setElements(o[0], elements)
}

// lane returns the vector register and the bits of one element.
func (s *step) lane(word string) (register, high, low int, err error) {
	match := a64Lane.FindStringSubmatch(word)
	register, _ = strconv.Atoi(match[1])
	index, _ := strconv.Atoi(match[3])
	width := scalars[match[2]]
	if register > 31 || (index+1)*width > 128 {
		return 0, 0, 0, s.unknown("no such element")
	}
	return register, (index+1)*width - 1, index * width, nil
}

// lookUp chooses bytes of the registers in braces. An index beyond them gives zero.
func lookUp(s *step, o []string) error {
	indices, width, err := s.elements(o[2])
	if err != nil {
		return err
	}
	if width != 8 {
		return s.unknown("elements that are no bytes")
	}
	inside, ok := strings.CutPrefix(o[1], "{ ")
	inside, closed := strings.CutSuffix(inside, " }")
	if !ok || !closed {
		return s.unknown("no list of registers")
	}
	var table []*term
	for _, name := range strings.Split(inside, ", ") {
		bytes, width, err := s.elements(name)
		if err != nil {
			return err
		}
		if width != 8 || len(bytes) != 16 {
			return s.unknown("a table that is not of bytes")
		}
		table = append(table, bytes...)
	}
	chosen := make([]*term, len(indices))
	for i, index := range indices {
		chosen[i] = s.element(table, index)
	}
	return s.setElements(o[0], chosen)
}

// element returns the one of a table at an index, or zero beyond the table.
func (s *step) element(table []*term, index *term) *term {
	for n := range index.width {
		bit := s.extract(index, n, n)
		half := make([]*term, (len(table)+1)/2)
		for i := range half {
			odd := s.number(0, table[0].width)
			if 2*i+1 < len(table) {
				odd = table[2*i+1]
			}
			half[i] = s.choose(bit, odd, table[2*i])
		}
		table = half
	}
	return table[0]
}

// extractBytes cuts a vector out of two.
func extractBytes(s *step, o []string) error {
	x, y, err := s.twoVectors(o)
	if err != nil {
		return err
	}
	from, err := s.constant(o[3])
	if err != nil {
		return err
	}
	if x[0].width != 8 || int(from) >= len(x) {
		return s.unknown("its form")
	}
	return s.setElements(o[0], append(x[from:len(x):len(x)], y[:from]...))
}

// reverse turns the order of the elements in each 64 bits.
func reverse(s *step, o []string) error {
	x, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	group := 64 / width
	turned := make([]*term, len(x))
	for i := range x {
		turned[i] = x[i/group*group+group-1-i%group]
	}
	return s.setElements(o[0], turned)
}

// twoVectors returns the elements of the second and the third operand, which have one form.
func (s *step) twoVectors(o []string) (x, y []*term, err error) {
	x, width, err := s.elements(o[1])
	if err != nil {
		return nil, nil, err
	}
	y, other, err := s.elements(o[2])
	if err != nil {
		return nil, nil, err
	}
	if width != other || len(x) != len(y) {
		return nil, nil, s.unknown("vectors of different forms")
	}
	return x, y, nil
}

// threeVectors is an operation on the elements of two vectors of one form.
func threeVectors(do combination) func(*step, []string) error {
	return func(s *step, o []string) error {
		x, y, err := s.twoVectors(o)
		if err != nil {
			return err
		}
		for i := range x {
			x[i] = do(s.pool, x[i], y[i])
		}
		return s.setElements(o[0], x)
	}
}

// shiftBySigned shifts to the left by the lowest byte of a count, or to the right if it is
// negative.
func shiftBySigned(p *pool, x, count *term) *term {
	count = p.extract(count, 7, 0)
	left := p.shiftLeft(x, p.extend(count, x.width))
	right := p.shiftRight(x, p.extend(p.negate(count), x.width))
	return p.choose(p.extract(count, 7, 7), right, left)
}

// testBits gives ones where two elements have a common bit.
func testBits(p *pool, x, y *term) *term {
	zero := p.number(0, x.width)
	return p.choose(p.equal(p.and(x, y), zero), zero, p.ones(x.width))
}

// maximumPairs has the larger of each two neighbours of the first vector, and then of the second.
func maximumPairs(s *step, o []string) error {
	x, _, err := s.elements(o[1])
	if err != nil {
		return err
	}
	y, _, err := s.elements(o[2])
	if err != nil {
		return err
	}
	both := append(x, y...)
	larger := make([]*term, len(both)/2)
	for i := range larger {
		a, b := both[2*i], both[2*i+1]
		if a.width != b.width {
			return s.unknown("vectors of different forms")
		}
		larger[i] = s.choose(s.less(a, b), b, a)
	}
	return s.setElements(o[0], larger)
}

// insertBits sets the bits of the first vector where the third has ones to those of the second.
func insertBits(s *step, o []string) error {
	old, _, err := s.elements(o[0])
	if err != nil {
		return err
	}
	x, _, err := s.elements(o[1])
	if err != nil {
		return err
	}
	mask, _, err := s.elements(o[2])
	if err != nil {
		return err
	}
	if len(old) != len(x) || len(x) != len(mask) {
		return s.unknown("vectors of different forms")
	}
	for i := range old {
		old[i] = s.or(s.and(old[i], s.not(mask[i])), s.and(x[i], mask[i]))
	}
	return s.setElements(o[0], old)
}

// shiftElements shifts elements to the right by a constant.
func shiftElements(s *step, o []string) error {
	x, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	count, err := s.constant(o[2])
	if err != nil {
		return err
	}
	for i := range x {
		x[i] = s.shiftRight(x[i], s.number(count, width))
	}
	return s.setElements(o[0], x)
}

// narrowA64 takes the low halves of elements, shrn after a shift to the right.
func narrowA64(s *step, o []string) error {
	x, width, err := s.elements(o[1])
	if err != nil {
		return err
	}
	from := uint64(0)
	if s.mnemonic == "shrn" {
		if from, err = s.constant(o[2]); err != nil {
			return err
		}
	}
	if int(from)+width/2 > width {
		return s.unknown("its shift")
	}
	for i := range x {
		x[i] = s.extract(x[i], int(from)+width/2-1, int(from))
	}
	return s.setElements(o[0], x)
}
