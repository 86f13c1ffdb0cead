package proof

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/bloomlane/bloomlane/internal/pmac"
)

// Theorems about functions of AES-PMAC. A hash of any bytes under any state of a key is what PMAC
// says of the round keys and the products with L in that state; lengths are given. Terms have a
// normal form, in which what the machine code computes is the same term as the statement: see sum.

// Cipher is a function of AES-PMAC that has a theorem.
type Cipher struct {
	Function string // as cipherForms has it
	Set      string // AESNI, VAES256, VAES512 or AES
}

// Ciphers are those that have a theorem.
var Ciphers = func() (all []Cipher) {
	for _, function := range []string{"PMACSum", "PMACKeys", "PMAC8", "PMAC16"} {
		for _, set := range []string{"AESNI", "VAES256", "VAES512", "AES"} {
			all = append(all, Cipher{function, set})
		}
	}
	for _, function := range []string{"PMACPart", "PMACExpand"} {
		all = append(all, Cipher{function, "AESNI"}, Cipher{function, "AES"})
	}
	return all
}()

// ofOneKey says whether a function is about one key.
func (c Cipher) ofOneKey() bool { return c.Function == "PMACSum" || c.Function == "PMACExpand" }

func (c Cipher) String() string { return c.Function + c.Set }

func (c Cipher) symbol() string { return inAssembly + c.String() + ".abi0" }

// ciphers returns the program that has a function.
func (p *Program) ciphers(c Cipher) *program {
	if c.Set == "AES" {
		return p.keyed
	}
	return p.tables
}

// cipherBlock is the number of bytes of a block, and cipherRounds that of rounds.
const (
	cipherBlock  = 16
	cipherRounds = 10
)

// Lengths are those of the keys of theorems about hashes: all of up to two blocks and a byte, and
// some of more blocks, whose last has one byte or all.
var Lengths = func() (all []int) {
	for n := range 2*cipherBlock + 2 {
		all = append(all, n)
	}
	for _, blocks := range []int{3, 4, 5, 8, 9, 12, 13, 17} {
		all = append(all, blocks*cipherBlock+1+blocks%2*(cipherBlock-1))
	}
	return all
}()

// sum is an exclusive or of bytes in a normal form: a constant last, and before it, in the order of
// their numbers, what is there an odd number of times.
func (p *pool) sum(x, y *term) *term {
	var all []*term
	rest := p.number(0, x.width)
	for open := []*term{x, y}; len(open) > 0; {
		t := open[len(open)-1]
		open = open[:len(open)-1]
		switch {
		case t.operator == xor:
			open = append(open, t.arguments...)
		case t.operator == constant:
			rest = p.binary(xor, rest, t)
		default:
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(x, y *term) int { return x.number - y.number })
	var sum *term
	for i := 0; i < len(all); i++ {
		switch {
		case i+1 < len(all) && all[i] == all[i+1]:
			i++
		case sum == nil:
			sum = all[i]
		default:
			sum = p.intern(term{operator: xor, width: x.width, arguments: []*term{sum, all[i]}})
		}
	}
	switch {
	case sum == nil:
		return rest
	case p.isZero(rest):
		return sum
	}
	return p.intern(term{operator: xor, width: x.width, arguments: []*term{sum, rest}})
}

// byBytes is a bitwise operation on each byte.
func (p *pool) byBytes(do combination, x, y *term) *term {
	all := lanes(p, x, 8)
	for i, other := range lanes(p, y, 8) {
		all[i] = do(p, all[i], other)
	}
	return join(p, all)
}

// numbered is a block by its first byte and its number in a key.
type numbered struct {
	first  *term
	number int
}

// cipherQuestion is about a function of AES-PMAC.
type cipherQuestion struct {
	*pool
	program *program
	cipher  Cipher
	change  change

	keys     [][]*term            // round keys
	steps    [][]*term            // x^i * L
	half     []*term              // L/x
	absorbed map[numbered][]*term // whole blocks encrypted
	followed []instruction
}

func (p *Program) askCipher(c Cipher, change change) *cipherQuestion {
	q := &cipherQuestion{pool: newPool(), program: p.ciphers(c), cipher: c, change: change,
		absorbed: map[numbered][]*term{}}
	q.bytes = true
	for i := range cipherRounds + 1 {
		q.keys = append(q.keys, q.block(fmt.Sprint("key", i)))
	}
	for i := range stateFields["steps"].Type.Len() {
		q.steps = append(q.steps, q.block(fmt.Sprint("step", i)))
	}
	q.half = q.block("half")
	return q
}

// block is a block of any bytes.
func (q *cipherQuestion) block(name string) []*term {
	return lanes(q.pool, q.variable(name, 8*cipherBlock), 8)
}

// added is an exclusive or of blocks.
func (q *cipherQuestion) added(blocks ...[]*term) []*term {
	all := slices.Clone(blocks[0])
	for _, b := range blocks[1:] {
		for i := range b {
			all[i] = q.xor(all[i], b[i])
		}
	}
	return all
}

// encrypted is a block under AES-128, by FIPS 197, section 5.1.
func (q *cipherQuestion) encrypted(x []*term) []*term {
	x = q.added(x, q.keys[0])
	for round := 1; round <= cipherRounds; round++ {
		x = shiftedRows(q.substitutedAll(x))
		if round < cipherRounds {
			x = q.mixedColumns(x)
		}
		x = q.added(x, q.keys[round])
	}
	return x
}

// offset is gray(i) * L, which is added to block i.
func (q *cipherQuestion) offset(i int) []*term {
	all := q.zeros()
	for n := 1; n <= i; n++ {
		all = q.added(all, q.steps[bits.TrailingZeros(uint(n))])
	}
	return all
}

func (q *cipherQuestion) zeros() []*term {
	return lanes(q.pool, q.number(0, 8*cipherBlock), 8)
}

// hash is PMAC of a key, as internal/pmac says it: the first half of the tag, by bytes.
func (q *cipherQuestion) hash(data []*term) []*term {
	sum := q.zeros()
	for i := 1; len(data) > cipherBlock; i++ {
		x, ok := q.absorbed[numbered{data[0], i}]
		if !ok {
			x = q.encrypted(q.added(data[:cipherBlock], q.offset(i)))
			q.absorbed[numbered{data[0], i}] = x
		}
		sum, data = q.added(sum, x), data[cipherBlock:]
	}
	sum = q.added(sum, data, q.last(len(data)))
	return q.encrypted(sum)[:8]
}

// last is what is added to a sum with a last block of n bytes.
func (q *cipherQuestion) last(n int) []*term {
	if n == cipherBlock {
		return q.half
	}
	padding := q.zeros()
	padding[n] = q.number(0x80, 8)
	return padding
}

// expanded is the round keys of a key, by FIPS 197, section 5.2.
func (q *cipherQuestion) expanded(key []*term) (all []*term) {
	all = slices.Clone(key)
	constant := byte(1)
	for i := cipherBlock; i < cipherBlock*(cipherRounds+1); i += 4 {
		word := slices.Clone(all[i-4 : i])
		if i%cipherBlock == 0 {
			word = q.substitutedAll(append(word[1:], word[0]))
			word[0] = q.xor(word[0], q.number(uint64(constant), 8))
			constant = constant<<1 ^ constant>>7*0x1b
		}
		all = append(all, q.added(all[i-cipherBlock:i-cipherBlock+4], word)...)
	}
	return all
}

// stateFields are the parts of the state of a key that assembly reads.
var stateFields = func() map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	state := reflect.TypeFor[pmac.Key]().Field(0).Type
	for i := range state.NumField() {
		all[state.Field(i).Name] = state.Field(i)
	}
	return all
}()

// state is what the state of a key has in memory, by bytes, where [pmac.Key.Init] expanded it.
func (q *cipherQuestion) state() []*term {
	all := make([]*term, reflect.TypeFor[pmac.Key]().Field(0).Type.Size())
	put := func(name string, blocks ...[]*term) {
		at := int(stateFields[name].Offset)
		for _, b := range blocks {
			at += copy(all[at:], b)
		}
	}
	put("keys", q.keys...)
	var last, between, near [][]*term
	for n := range cipherBlock + 1 {
		last = append(last, q.added(q.last(n), q.keys[0]))
	}
	for i := range 4 {
		between = append(between, q.offset(i))
	}
	for i := range 8 {
		near = append(near, q.added(q.offset(i+1), q.keys[0]))
	}
	shifts := make([]*term, 2*cipherBlock)
	for i := range shifts {
		shifts[i] = q.number(uint64(i), 8)
		if i >= cipherBlock {
			shifts[i] = q.number(255, 8)
		}
	}
	put("last", last...)
	put("steps", q.steps...)
	put("between", between...)
	put("near", near...)
	put("shifts", shifts)
	put("ours", []*term{q.number(1, 8)})
	return all
}

// cipherMemory has what arguments lead to, by bytes. Only the stack, and what may be written, are
// written.
type cipherMemory struct {
	pool    *pool
	program *program
	places  map[*term][]*term // by the pointer
	output  *term             // the pointer to what may be written
	pointer *term             // the stack pointer at the start
	stack   map[int64]*term
	written map[int64]bool // of the stack
}

// clone is for two ways behind a branch, of which none is followed.
func (m *cipherMemory) clone() memory { panic("two ways of a function of AES-PMAC") }

func (m *cipherMemory) load(address *term, width int) (*term, error) {
	return m.loadMasked(address, width, nil)
}

func (m *cipherMemory) loadMasked(address *term, width int, mask *term) (*term, error) {
	base, rest := m.pool.split(address)
	offset := int64(rest.value[0])
	if m.pool.isZero(base) {
		constant, err := m.program.word(rest.value[0], width)
		if err != nil || mask != nil {
			return nil, &MemoryError{"load", offset, width, fmt.Sprint("no constant: ", err)}
		}
		return m.pool.wide(constant, width), nil
	}
	parts := make([]*term, width/8)
	for i := range parts {
		if mask != nil {
			taken := m.pool.extract(mask, i*mask.width/len(parts), i*mask.width/len(parts))
			if m.pool.isZero(taken) {
				parts[i] = m.pool.number(0, 8)
				continue
			}
			if !m.pool.isOnes(taken) {
				return nil, &MemoryError{"load", offset, width, "a mask that is not known"}
			}
		}
		at := offset + int64(i)
		if base == m.pointer {
			parts[i] = m.stack[at]
		} else if bytes := m.places[base]; at >= 0 && at < int64(len(bytes)) {
			parts[i] = bytes[at]
		}
		if parts[i] == nil {
			return nil, &MemoryError{"load", at, 8, "no argument leads there"}
		}
	}
	return join(m.pool, parts), nil
}

func (m *cipherMemory) store(address, value *term) error {
	base, rest := m.pool.split(address)
	for i, part := range lanes(m.pool, value, 8) {
		at := int64(rest.value[0]) + int64(i)
		switch bytes := m.places[base]; {
		case base == m.pointer:
			m.stack[at], m.written[at] = part, true
		case base == m.output && at >= 0 && at < int64(len(bytes)):
			bytes[at] = part
		default:
			return &MemoryError{"store", at, 8, "it is no result"}
		}
	}
	return nil
}

// run executes the function with arguments, of which those that are in places are pointers.
func (q *cipherQuestion) run(m *cipherMemory, arguments []*term, results int64) error {
	m.pool, m.program = q.pool, q.program
	m.stack, m.written = map[int64]*term{}, map[int64]bool{}
	s := q.program.arbitrary(q.pool, "", m)
	m.pointer = s.general[q.program.stack]
	put := func(offset int64, v *term) {
		for i, part := range lanes(q.pool, v, 8) {
			m.stack[offset+int64(i)] = part
		}
	}
	back, popped := s.general[linkRegister], q.number(0, 64)
	if q.program.architecture == amd64 {
		back, popped = q.variable("return", 64), q.number(8, 64)
		put(0, back)
	}
	result := int64(8)
	for _, a := range arguments {
		put(result, a)
		result += 8
	}
	before, branched := *s, false
	runner := &machine{pool: q.pool, program: q.program, code: map[uint64]instruction{},
		change: q.change, back: back, never: func(*term) bool {
			branched = true
			return true
		}}
	ends, err := runner.run(q.cipher.symbol(), s)
	switch {
	case err != nil:
		return err
	case branched:
		return &StructureError{q.cipher.String(), "a branch depends on more than a length"}
	case ends[0].outcome != returned:
		return &StructureError{q.cipher.String(), "it does not return"}
	}
	q.followed = append(q.followed, ends[0].followed...)
	if reason := q.disturbs(q.program.architecture, ends[0].state, &before, popped); reason != "" {
		return &StructureError{q.cipher.String(), reason}
	}
	for at := range m.written {
		if at < result || at >= result+results {
			return &StructureError{q.cipher.String(), "it writes to the stack beside its result"}
		}
	}
	return nil
}

// keyBytes are the bytes of keys, which all begin at one place.
func (q *cipherQuestion) keyBytes(n int) (all []*term) {
	for i := 0; len(all) < n; i++ {
		all = append(all, q.block(fmt.Sprint("data", i))...)
	}
	return all[:n]
}

// word is a number as an argument, and its bytes.
func (q *cipherQuestion) word(n int) *term { return q.number(uint64(n), 64) }

// stated is a goal that bytes are those that they should be.
func (q *cipherQuestion) stated(name, says string, got, want []*term) (goal, error) {
	all := q.number(1, 1)
	for i, b := range got {
		if b == nil {
			return goal{}, &StructureError{q.cipher.String(), "it does not store all results"}
		}
		all = q.and(all, q.equal(b, want[i]))
	}
	return goal{name, says, all}, nil
}

// sumOf is the hash of one key.
func (q *cipherQuestion) sumOf(n int) (goal, error) {
	at, data := q.variable("state", 64), q.variable("data", 64)
	key := q.keyBytes(n)
	m := &cipherMemory{places: map[*term][]*term{at: q.state(), data: key}}
	if err := q.run(m, []*term{at, data, q.word(n)}, 8); err != nil {
		return goal{}, fmt.Errorf("%d bytes: %w", n, err)
	}
	result, err := m.load(q.add(m.pointer, q.word(32)), 64)
	if err != nil {
		return goal{}, err
	}
	return q.stated(fmt.Sprint("bytes", n), fmt.Sprintf("The hash of %d bytes is PMAC's", n),
		lanes(q.pool, result, 8), q.hash(key))
}

// expansion is what is stored for a secret.
func (q *cipherQuestion) expansion(int) (goal, error) {
	secret := q.block("secret")
	from, to := q.variable("from", 64), q.variable("to", 64)
	keys := make([]*term, cipherBlock*(cipherRounds+1))
	m := &cipherMemory{places: map[*term][]*term{from: secret, to: keys}, output: to}
	if err := q.run(m, []*term{from, to}, 0); err != nil {
		return goal{}, err
	}
	return q.stated("round_keys", "The round keys are those of FIPS 197", keys,
		q.expanded(secret))
}

// piece is what blocks in the middle of a long key come to: three, of which the first has a number.
func (q *cipherQuestion) piece(number int) (goal, error) {
	const blocks = 3
	at, carry, data := q.variable("state", 64), q.variable("carry", 64), q.variable("data", 64)
	key, offset, sum := q.keyBytes(blocks*cipherBlock), q.block("offset"), q.block("sum")
	carried := append(slices.Clone(offset), sum...)
	m := &cipherMemory{output: carry,
		places: map[*term][]*term{at: q.state(), carry: carried, data: key}}
	arguments := []*term{at, carry, data, q.word(number), q.word(blocks)}
	if err := q.run(m, arguments, 0); err != nil {
		return goal{}, fmt.Errorf("block %d: %w", number, err)
	}
	for i := range blocks { // the offset has round key 0 in it
		sum = q.added(sum, q.encrypted(q.added(key[cipherBlock*i:][:cipherBlock], offset, q.keys[0])))
		offset = q.added(offset, q.steps[bits.TrailingZeros(uint(number+i+1))])
	}
	return q.stated(fmt.Sprint("block", number), fmt.Sprintf("Offset and sum are those behind "+
		"blocks %d to %d", number, number+blocks-1), carried, append(slices.Clone(offset), sum...))
}

// fixed is the hashes of a number of keys of one width, one behind another.
func (q *cipherQuestion) fixed(n int) (goal, error) {
	width := 8
	if q.cipher.Function == "PMAC16" {
		width = 16
	}
	at, keys, to := q.variable("state", 64), q.variable("keys", 64), q.variable("hashes", 64)
	all, hashes := q.keyBytes(n*width), make([]*term, 8*n)
	m := &cipherMemory{output: to,
		places: map[*term][]*term{at: q.state(), keys: all, to: hashes}}
	if err := q.run(m, []*term{at, keys, q.word(n), to}, 0); err != nil {
		return goal{}, fmt.Errorf("%d keys: %w", n, err)
	}
	var want []*term
	for i := range n {
		want = append(want, q.hash(all[i*width:][:width])...)
	}
	return q.stated(fmt.Sprint("keys", n), fmt.Sprintf("The hashes of %d keys are PMAC's", n),
		hashes, want)
}

// batch is the hashes of keys of all lengths, some of which overlap. For the last key the budget is
// a byte too small. The result is how many are done.
func (q *cipherQuestion) batch(int) (goal, error) {
	const stride = 24 // a slice's header, of which the capacity is not read
	at, keys := q.variable("state", 64), q.variable("data", 64)
	list, to := q.variable("headers", 64), q.variable("hashes", 64)
	headers, hashes := make([]*term, stride*len(Lengths)), make([]*term, 8*len(Lengths))
	data, budget, want := q.keyBytes(slices.Max(Lengths)+cipherBlock), -1, []*term(nil)
	for i, length := range Lengths {
		from := i % 2 * cipherBlock
		copy(headers[stride*i:], lanes(q.pool, q.word(from), 8))
		copy(headers[stride*i+8:], lanes(q.pool, q.word(length), 8))
		budget += length
		want = append(want, q.hash(data[from:][:length])...)
	}
	m := &cipherMemory{output: to, places: map[*term][]*term{at: q.state(), keys: data,
		list: headers, to: hashes}}
	arguments := []*term{at, keys, list, q.word(stride), q.word(len(Lengths)), q.word(budget), to}
	if err := q.run(m, arguments, 8); err != nil {
		return goal{}, err
	}
	done, err := m.load(q.add(m.pointer, q.word(64)), 64)
	if err != nil {
		return goal{}, err
	}
	count := len(Lengths) - 1
	if slices.ContainsFunc(hashes[8*count:], func(b *term) bool { return b != nil }) {
		return goal{}, &StructureError{q.cipher.String(), "it stores a hash beyond the budget"}
	}
	return q.stated("keys", "The hashes of the keys that the budget is enough for are PMAC's",
		append(lanes(q.pool, done, 8), hashes[:8*count]...),
		append(lanes(q.pool, q.word(count), 8), want...))
}

// cipherForm is a statement about functions of one name, for each of some cases.
type cipherForm struct {
	says  string
	cases []int
	state func(q *cipherQuestion, n int) (goal, error)
}

var cipherForms = map[string]cipherForm{
	"PMACSum": {fmt.Sprintf("keys of %d lengths up to %d bytes have the hash of PMAC", len(Lengths),
		slices.Max(Lengths)), Lengths, (*cipherQuestion).sumOf},
	"PMACExpand": {"the round keys of any key are those of FIPS 197", []int{0},
		(*cipherQuestion).expansion},
	"PMACPart": {"three blocks of a long key, the first of some numbers, are PMAC's",
		[]int{1, 6, 29, 509, 4093}, (*cipherQuestion).piece},
	"PMAC8": {"16 and 32 keys of 8 bytes have the hashes of PMAC", []int{16, 32},
		(*cipherQuestion).fixed},
	"PMAC16": {"16 and 32 keys of 16 bytes have the hashes of PMAC", []int{16, 32},
		(*cipherQuestion).fixed},
	"PMACKeys": {fmt.Sprintf("keys of %d lengths up to %d bytes have the hashes of PMAC",
		len(Lengths), slices.Max(Lengths)), []int{0}, (*cipherQuestion).batch},
}

// CipherTheorem states that a function of AES-PMAC is what PMAC or AES says. It keeps the script
// only: the terms of all functions do not fit into the memory of small machines.
func (p *Program) CipherTheorem(c Cipher) (Theorem, error) {
	t, err := p.askCipher(c, nil).theorem(cipherForms[c.Function].cases)
	t.claim = nil
	return t, err
}

func (q *cipherQuestion) theorem(cases []int) (Theorem, error) {
	var goals []goal
	says := cipherForms[q.cipher.Function].says
	for _, n := range cases {
		g, err := cipherForms[q.cipher.Function].state(q, n)
		if err != nil {
			return Theorem{}, err
		}
		goals = append(goals, g)
	}
	c := &claim{q.pool, nil, goals, func(r *rand.Rand) func(*term) value {
		return func(t *term) (v value) {
			for i := range v {
				v[i] = r.Uint64()
			}
			return v.cut(t.width)
		}
	}}
	title := []string{q.cipher.String() + ": " + says + ".", "A counterexample is sat."}
	return Theorem{q.cipher.String(), q.cipher.Set, says, c.script(title), len(goals),
		len(q.followed), c}, nil
}
