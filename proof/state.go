package proof

import (
	"fmt"
	"maps"
	"slices"
)

// flags are the flags of which the meaning of some instruction depends. One that is nil is
// undefined: an instruction that reads it is an error.
type flags struct{ carry, zero, sign, overflow *term }

// state is what one path of a function has reached.
type state struct {
	general  [32]*term // 16 of amd64, and 31 and the stack pointer of arm64
	vectors  [32]*term
	opmasks  [8]*term
	flags    flags
	memory   memory
	path     *term // the condition under which the path is taken
	next     uint64
	followed []instruction // since the start
	obliged  []*term       // what has to hold, because branches that it excludes are not followed
}

// memory is what instructions load from and store to.
type memory interface {
	load(address *term, width int) (*term, error)
	store(address, value *term) error
	clone() memory
}

// arbitrary returns a state in which every register and flag is a variable.
func (a *architecture) arbitrary(p *pool, prefix string, m memory) *state {
	s := &state{memory: m, path: p.number(1, 1)}
	for i, name := range a.general {
		s.general[i] = p.variable(prefix+name, 64)
	}
	for i := range s.vectors {
		s.vectors[i] = p.variable(fmt.Sprint(prefix, "vector", i), a.vector)
	}
	for i := range s.opmasks {
		s.opmasks[i] = p.variable(fmt.Sprint(prefix, "k", i), 64)
	}
	s.flags = flags{p.variable(prefix+"carry", 1), p.variable(prefix+"zero", 1),
		p.variable(prefix+"sign", 1), p.variable(prefix+"overflow", 1)}
	return s
}

func (s *state) clone() *state {
	c := *s
	c.memory, c.followed = s.memory.clone(), slices.Clone(s.followed)
	c.obliged = slices.Clone(s.obliged)
	return &c
}

// stored is a store into the block, or a load from it.
type stored struct{ offset, width int }

// tableMemory is the memory of an operation on a table. There are the stack, which is addressed by
// the stack pointer at the start and a constant; constants of the program; the limit of the stack
// in the record of the goroutine; and one block of the table. Any other address, without its
// constant part, is taken for the block's: it is noted, and has to be proved.
type tableMemory struct {
	pool      *pool
	program   *program
	stack     map[int64]*term // by byte
	pointer   *term           // the stack pointer at the start
	goroutine *term           // the register that has it, in Go's ABIInternal; else nil
	limit     *term
	portable  *term // the byte asm.Portable
	block     *term
	accesses  []*term // addresses that were taken for the block's
	stores    []stored
	loads     []stored
	written   map[int64]bool // bytes of the stack
}

// tabled is a memory that has a block of a table.
type tabled interface{ table() *tableMemory }

func (m *tableMemory) table() *tableMemory { return m }

func (m *tableMemory) clone() memory {
	c := *m
	c.stack, c.written = maps.Clone(m.stack), maps.Clone(m.written)
	c.accesses, c.stores = slices.Clone(m.accesses), slices.Clone(m.stores)
	c.loads = slices.Clone(m.loads)
	return &c
}

// MemoryError is an access that is none of those that a function may make.
type MemoryError struct {
	Access string
	Offset int64
	Width  int
	Reason string
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s of %d bits at %d: %s", e.Access, e.Width, e.Offset, e.Reason)
}

// inBlock returns the first bit of an access to the block.
func (m *tableMemory) inBlock(access string, base *term, offset int64, width int) (int, error) {
	if offset < 0 || 8*offset+int64(width) > int64(m.block.width) {
		return 0, &MemoryError{access, offset, width,
			fmt.Sprintf("outside a block of %d bits", m.block.width)}
	}
	if !slices.Contains(m.accesses, base) {
		m.accesses = append(m.accesses, base)
	}
	return int(8 * offset), nil
}

func (m *tableMemory) load(address *term, width int) (*term, error) {
	base, rest := m.pool.split(address)
	offset := int64(rest.value[0])
	switch {
	case m.pool.isZero(base) && width == 8 &&
		rest.value[0] == m.program.symbols[module+"asm.Portable"].Value:
		return m.portable, nil
	case m.pool.isZero(base) && width == 8 &&
		rest.value[0] == m.program.symbols[module+"asm.Narrow"].Value:
		return m.pool.variable("narrow", 8), nil
	case m.pool.isZero(base):
		constant, err := m.program.word(rest.value[0], width)
		if err != nil {
			return nil, err
		}
		return m.pool.wide(constant, width), nil
	case base == m.pointer:
		parts := make([]*term, width/8)
		for i := range parts {
			part, ok := m.stack[offset+int64(i)]
			if !ok {
				return nil, &MemoryError{"load", offset, width, "stack without a value"}
			}
			parts[len(parts)-1-i] = part
		}
		return m.pool.concat(parts...), nil
	case base == m.goroutine:
		if offset != 16 || width != 64 {
			return nil, &MemoryError{"load", offset, width, "not the limit of the stack"}
		}
		return m.limit, nil
	}
	low, err := m.inBlock("load", base, offset, width)
	if err != nil {
		return nil, err
	}
	m.loads = append(m.loads, stored{low, width})
	return m.pool.extract(m.block, low+width-1, low), nil
}

func (m *tableMemory) store(address, value *term) error {
	base, rest := m.pool.split(address)
	offset := int64(rest.value[0])
	switch {
	case m.pool.isZero(base) || base == m.goroutine:
		return &MemoryError{"store", offset, value.width, "no memory that may be written"}
	case base == m.pointer:
		for i := range int64(value.width / 8) {
			m.stack[offset+i] = m.pool.extract(value, int(8*i+7), int(8*i))
			m.written[offset+i] = true
		}
		return nil
	}
	low, err := m.inBlock("store", base, offset, value.width)
	if err != nil {
		return err
	}
	var parts []*term
	if high := low + value.width; high < m.block.width {
		parts = append(parts, m.pool.extract(m.block, m.block.width-1, high))
	}
	parts = append(parts, value)
	if low > 0 {
		parts = append(parts, m.pool.extract(m.block, low-1, 0))
	}
	m.block = m.pool.concat(parts...)
	m.stores = append(m.stores, stored{low, value.width})
	return nil
}
