package proof

import (
	"fmt"
	"slices"
	"strconv"
)

// Hashes of keys of one size, which lie one behind another. What is computed of a key is the same
// term as what the definition computes of it, or the proof fails: see fine.go. A product of two
// words is any word, as elsewhere.

// hashes says whether a batch hashes keys.
func (b Batch) hashes() bool {
	return b.Operation == "Sip" || b.Operation == "Highway" || b.Operation == "HashBatch"
}

// keySize returns the bytes of a key that is hashed.
func (b Batch) keySize() int {
	size, err := strconv.Atoi(b.Format)
	if err != nil {
		panic(err)
	}
	if b.Operation == "HashBatch" {
		return size / 8
	}
	return size
}

// keyCell is the largest power of two that keys are multiples of.
func (b Batch) keyCell() int { return b.keySize() & -b.keySize() }

// lanes is how many keys a turn of the loop of a hash does.
func (b Batch) lanes() uint64 {
	switch {
	case b.Operation == "HashBatch":
		return 64
	case b.Operation == "Sip" && b.Set == "AVX512":
		return 16
	case b.Operation == "Sip":
		return 4
	case b.Set == "AVX512":
		return 8
	}
	return 2
}

// hashed adds what is known of a batch that hashes keys.
func (x *induction) hashed() error {
	b, most := x.batch, uint64(8)
	if b.Operation == "HashBatch" {
		groups := x.argument("groups")
		x.arguments["n"] = x.shiftLeft(groups, x.number(5, 64))
		x.assumed = append(x.assumed, goal{"", "there are at most 2^52 groups",
			x.not(x.less(x.number(1<<52, 64), groups))})
	}
	if b.Operation != "Highway" {
		most = 16
	}
	n := x.argument("n")
	x.assumed = append(x.assumed, goal{"", fmt.Sprintf("the keys are a multiple of %d", most),
		x.equal(x.and(n, x.number(most-1, 64)), x.number(0, 64))})
	if err := x.prepare(); err != nil {
		return err
	}
	add := func(name, argument string, cell int, cells *term, writes bool) {
		if base, ok := x.arguments[argument]; ok {
			x.regions = append(x.regions, &region{name, base, cell, cells, writes})
		}
	}
	add("constants", "constants", 16, x.number(uint64(len(x.constants)), 64), false)
	add("keys", "keys", b.keyCell(), x.times(n, b.keySize()/b.keyCell()), false)
	add("sums", "hashes", 8, n, true)
	return nil
}

// prepare sets the constants of a hash. Those of SipHash are the state before the first word, each
// word of it twice, and those of HighwayHash are the schedule of the state before the first packet.
func (x *induction) prepare() error {
	x.state0, x.constants = nil, nil
	word := func(i int) *term { return x.variable(fmt.Sprint("state", i), 64) }
	switch x.batch.Operation {
	case "Sip":
		for i := range 4 {
			x.state0 = append(x.state0, word(i))
			x.constants = append(x.constants, x.concat(word(i), word(i)))
		}
	case "Highway":
		for i := range 16 {
			x.state0 = append(x.state0, word(i))
		}
		ends, err := x.run(module+"internal/highway.newSchedule", x.ownMemory(),
			map[int]*term{rax: x.number(uint64(x.batch.keySize()), 64)}, x.state0...)
		if err != nil {
			return err
		}
		pairs := 10
		if x.batch.keySize() > 32 {
			pairs++
		}
		stack := ends[0].memory.(*regionMemory).stack
		for i := range pairs {
			parts := make([]*term, 16)
			for j := range parts {
				parts[15-j] = stack[int64(8+8*len(x.state0)+16*i+j)]
			}
			x.constants = append(x.constants, x.concat(parts...))
		}
	}
	return nil
}

// ownMemory is that of a definition that has no table.
func (x *induction) ownMemory(regions ...*region) *regionMemory {
	return &regionMemory{tableMemory: &tableMemory{pool: x.pool, stack: map[int64]*term{},
		written: map[int64]bool{}, portable: x.portable}, prefix: "definition_",
		regions: regions, initial: map[string]*term{}}
}

// onStack says whether a condition is that an address in a region is one on the stack: that their
// difference is zero.
func (m *regionMemory) onStack(condition *term) bool {
	p := m.tableMemory.pool
	if condition.operator != equal || !slices.ContainsFunc(condition.arguments, p.isZero) {
		return false
	}
	inRegion, taken := false, false
	for _, side := range condition.arguments {
		for _, t := range leaves(side) {
			inRegion = inRegion || slices.ContainsFunc(m.regions, func(r *region) bool {
				return r.base == t
			})
			if t.operator == not {
				base, _ := p.split(t.arguments[0])
				taken = taken || base == m.pointer
			}
		}
	}
	return inRegion && taken
}

// hashOnce is the hash of one key, by the definition.
func (x *induction) hashOnce(q *sequence, m *regionMemory, sums *stores, element *term) error {
	b, zero := x.batch, x.number(0, 64)
	length, one := x.number(uint64(b.keySize()), 64), x.number(1, 64)
	c, err := m.cell("keys", x.scaled(element, b.keySize()))
	if err != nil {
		return err
	}
	secret := &region{"secret", x.variable("definition_key", 64), 16,
		x.number(uint64(1+len(x.constants)), 64), false}
	data := &region{"data", x.variable("definition_data", 64), b.keyCell(), one, false}
	d := x.ownMemory(secret, data)
	var key []*term
	for i := 0; i < b.keySize(); i += b.keyCell() {
		part := m.cellAfter(c, 8*b.keyCell()-1, 0, 0)
		d.set(cell{data, zero, int64(i)}, part)
		key = append(key, part)
		c.constant += int64(b.keyCell())
	}
	var name string
	var stack []*term
	var arguments map[int]*term
	switch b.Operation {
	case "HashBatch":
		name = module + "fallback.XXHash" + b.Format
		arguments = map[int]*term{rax: x.extend(key[0], 64)}
	case "Sip":
		name = module + "internal/siphash.(*Key).Sum64"
		arguments = map[int]*term{rax: secret.base, rbx: data.base, rcx: length, rdi: length}
		for i, v := range x.constants {
			d.set(cell{secret, zero, int64(16 + 16*i)}, v)
		}
	default:
		name = module + "internal/highway.definition"
		arguments = map[int]*term{rax: data.base, rbx: length, rcx: length}
		stack = x.state0
	}
	ends, err := x.run(name, d, arguments, stack...)
	if err != nil {
		return err
	}
	q.assumed = append(q.assumed, x.room()...)
	if len(ends) != 1 {
		return &FlowError{name, fmt.Sprintf("%d paths, want 1", len(ends))}
	}
	for _, t := range ends[0].obliged {
		q.assumed = append(q.assumed, goal{"", "the key is not on the definition's stack", t})
	}
	x.expect(q, m, sums, x.scaled(element, 8), ends[0].general[rax])
	return nil
}

// setConstants sets those of a hash, if the memory has them.
func (x *induction) setConstants(m *regionMemory) {
	for _, r := range m.regions {
		if r.name == "constants" {
			for i, v := range x.constants {
				m.set(cell{r, x.number(0, 64), int64(16 * i)}, v)
			}
		}
	}
}
