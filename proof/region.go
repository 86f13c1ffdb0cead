package proof

import (
	"fmt"
	"maps"
	"slices"
)

// region is memory that an argument points to: cells of one size, one behind another.
type region struct {
	name   string
	base   *term
	cell   int   // bytes of one, a power of two
	cells  *term // how many there are
	writes bool  // whether the operation may store there
}

// cell is a place in a region: its distance from the beginning, in bytes.
type cell struct {
	region   *region
	moving   *term // what of the distance is no constant
	constant int64
}

// entry is a store into a cell, of which it may be a part, or into elements that a mask chooses.
type entry struct {
	cell
	low   int // the first bit in the cell
	value *term
	mask  *term // of elements of 32 bits, behind the cell too; nil for all
}

// regionMemory is the memory of a function with loops. What regions have at the start is a variable
// for each cell that is loaded. That two names of one cell have one variable is left out, which can
// only refute more. A load after a store asks whether the cells are the same. Regions do not
// overlap.
type regionMemory struct {
	*tableMemory
	prefix   string // of the names of variables
	regions  []*region
	initial  map[string]entry // by the names of cells
	log      []entry
	accesses []cell // they must lie in their regions
}

func (m *regionMemory) clone() memory {
	c := *m
	c.tableMemory = m.tableMemory.clone().(*tableMemory)
	c.log, c.accesses = slices.Clone(m.log), slices.Clone(m.accesses)
	return &c
}

// countsOnes is a variable of the runtime: whether the CPU has popcnt, as all with AVX2 have.
const countsOnes = "runtime.x86HasPOPCNT"

// leaves returns the terms of a sum.
func leaves(t *term) []*term {
	if t.operator == add {
		return append(leaves(t.arguments[0]), leaves(t.arguments[1])...)
	}
	return []*term{t}
}

// locate returns the cell and the first bit in it of an address in a region, or none.
func (m *regionMemory) locate(address *term) (c cell, low int, found bool) {
	p := m.tableMemory.pool
	base, rest := p.split(address)
	var distance []*term
	for _, leaf := range leaves(base) {
		n := slices.IndexFunc(m.regions, func(r *region) bool { return r.base == leaf })
		switch {
		case n < 0:
			distance = append(distance, leaf)
		case c.region != nil:
			return cell{}, 0, false
		default:
			c.region = m.regions[n]
		}
	}
	if c.region == nil {
		return cell{}, 0, false
	}
	c.moving = p.number(0, 64)
	for len(distance) > 0 { // 2^k equal terms are a shift
		leaf, n := distance[0], 0
		distance = slices.DeleteFunc(distance, func(t *term) bool {
			if t == leaf {
				n++
				return true
			}
			return false
		})
		for bit := range uint64(64) {
			if n>>bit&1 == 1 {
				c.moving = p.add(c.moving, p.shiftLeft(leaf, p.number(bit, 64)))
			}
		}
	}
	size := int64(c.region.cell)
	moving, more := p.split(c.moving)
	offset := int64(rest.value[0] + more.value[0])
	within := (offset%size + size) % size
	c.moving, c.constant = moving, offset-within
	return c, int(8 * within), true
}

// distance of a cell from the beginning of its region.
func (m *regionMemory) distance(c cell) *term {
	p := m.tableMemory.pool
	return p.add(c.moving, p.number(uint64(c.constant), 64))
}

// inside is the bit that an access is to a whole cell of its region.
func (m *regionMemory) inside(c cell) *term {
	p := m.tableMemory.pool
	size, distance := c.region.cell, m.distance(c)
	whole := p.equal(p.and(distance, p.number(uint64(size-1), 64)), p.number(0, 64))
	index := p.shiftRight(distance, p.number(log2(size), 64))
	return p.and(whole, p.less(index, c.region.cells))
}

func (m *regionMemory) note(c cell) {
	if !slices.Contains(m.accesses, c) {
		m.accesses = append(m.accesses, c)
	}
}

// before returns what a cell has at the start.
func (m *regionMemory) before(c cell) *term {
	k := c.key()
	if v, ok := m.initial[k]; ok {
		return v.value
	}
	name := fmt.Sprintf("%s%s_%d", m.prefix, c.region.name, len(m.initial))
	if !c.region.writes && m.tableMemory.pool.isZero(c.moving) { // it stays the same
		name = fmt.Sprintf("%s_at_%x", c.region.name, uint64(c.constant))
	}
	v := m.tableMemory.pool.variable(name, 8*c.region.cell)
	m.set(c, v)
	return v
}

// set gives a cell what it has at the start.
func (m *regionMemory) set(c cell, v *term) { m.initial[c.key()] = entry{c, 0, v, nil} }

// key tells the names of cells apart.
func (c cell) key() string { return fmt.Sprint(c.region.name, " ", c.moving.number, " ", c.constant) }

// named is that a cell has the same at the start by every name that was used.
func (m *regionMemory) named(c cell) (all []goal) {
	p, v := m.tableMemory.pool, m.before(c)
	for _, k := range slices.Sorted(maps.Keys(m.initial)) {
		if e := m.initial[k]; e.region == c.region && e.value != v {
			all = append(all, goal{"", "a cell has one content, by two names of it",
				p.or(p.not(p.equal(m.distance(c), m.distance(e.cell))), p.equal(v, e.value))})
		}
	}
	return all
}

// cellAfter returns bits of a cell after the first stores of the log.
func (m *regionMemory) cellAfter(c cell, high, low, stores int) *term {
	p := m.tableMemory.pool
	v := p.extract(m.before(c), high, low)
	for _, whole := range m.log[:stores] {
		for _, e := range m.elements(whole) {
			from, to := max(e.low, low), min(e.low+e.value.width-1, high)
			if e.region != c.region || from > to ||
				e.moving == c.moving && e.constant != c.constant {
				continue
			}
			var parts []*term
			if to < high {
				parts = append(parts, p.extract(v, high-low, to+1-low))
			}
			parts = append(parts, p.extract(e.value, to-e.low, from-e.low))
			if from > low {
				parts = append(parts, p.extract(v, from-1-low, 0))
			}
			here := p.equal(m.distance(c), m.distance(e.cell))
			if e.mask != nil {
				here = p.and(here, e.mask)
			}
			v = p.choose(here, p.concat(parts...), v)
		}
	}
	return v
}

// elements returns a store by the elements that a mask chooses, each with its bit, or as it is.
func (m *regionMemory) elements(e entry) (all []entry) {
	if e.mask == nil {
		return []entry{e}
	}
	const width = 32
	p, size := m.tableMemory.pool, 8*e.region.cell
	for i, v := range lanes(p, e.value, width) {
		c := e.cell
		c.constant += int64(width * i / size * e.region.cell)
		all = append(all, entry{c, width * i % size, v, p.extract(e.mask, i, i)})
	}
	return all
}

// overlay is a cell after one store into it, or nil where that reaches behind the cell.
func (m *regionMemory) overlay(before *term, e entry) *term {
	p := m.tableMemory.pool
	for _, part := range m.elements(e) {
		if part.low+part.value.width > before.width {
			return nil
		}
		var parts []*term
		if high := part.low + part.value.width; high < before.width {
			parts = append(parts, p.extract(before, before.width-1, high))
		}
		parts = append(parts, part.value)
		if part.low > 0 {
			parts = append(parts, p.extract(before, part.low-1, 0))
		}
		after := p.concat(parts...)
		if part.mask != nil {
			after = p.choose(part.mask, after, before)
		}
		before = after
	}
	return before
}

// same says whether a store leaves a cell, or the elements that its mask chooses, as another does.
func (m *regionMemory) same(x, y entry) *term {
	p := m.tableMemory.pool
	if x.mask == nil {
		before := m.cellAfter(x.cell, x.value.width-1, 0, len(m.log))
		after := m.overlay(before, y)
		if after == nil {
			return p.number(0, 1)
		}
		return p.equal(after, x.value)
	}
	if x.value.width != y.value.width || x.mask.width != y.mask.width {
		return p.number(0, 1)
	}
	all, others := p.equal(x.mask, y.mask), m.elements(y)
	for i, e := range m.elements(x) {
		all = p.and(all, p.or(p.not(e.mask), p.equal(e.value, others[i].value)))
	}
	return all
}

// lookUp returns the cell of a region at a distance from its beginning.
func (m *regionMemory) lookUp(name string, distance *term) (cell, error) {
	n := slices.IndexFunc(m.regions, func(r *region) bool { return r.name == name })
	if n < 0 {
		return cell{}, &MemoryError{"look-up", 0, 0, "no region " + name}
	}
	c, low, found := m.locate(m.tableMemory.pool.add(m.regions[n].base, distance))
	if !found || low != 0 {
		return cell{}, &MemoryError{"look-up", c.constant, 0, "no cell of " + name}
	}
	return c, nil
}

// slice is a part of an access that lies in one cell.
type slice struct {
	cell
	high, low int
}

// cut returns the parts of an access, the first cell first.
func cut(c cell, low, width int) (all []slice) {
	for size := 8 * c.region.cell; width > 0; {
		n := min(width, size-low)
		all = append(all, slice{c, low + n - 1, low})
		c.constant += int64(c.region.cell)
		low, width = 0, width-n
	}
	return all
}

func (m *regionMemory) load(address *term, width int) (*term, error) {
	c, low, found := m.locate(address)
	if !found {
		if err := m.known("load", address, width); err != nil {
			return nil, err
		}
		if _, rest := m.tableMemory.pool.split(address); width == 8 && rest.value[0] ==
			m.program.symbols[countsOnes].Value {
			return m.tableMemory.pool.number(1, 8), nil
		}
		return m.tableMemory.load(address, width)
	}
	var parts []*term
	for _, s := range cut(c, low, width) {
		if slices.ContainsFunc(m.log, func(e entry) bool {
			return e.region == c.region && e.mask != nil
		}) {
			return nil, &MemoryError{"load", c.constant, width, "after a store of some elements"}
		}
		m.note(s.cell)
		parts = append(parts, m.cellAfter(s.cell, s.high, s.low, len(m.log)))
	}
	slices.Reverse(parts)
	return m.tableMemory.pool.concat(parts...), nil
}

// known says whether an address is on the stack or a constant's.
func (m *regionMemory) known(what string, address *term, width int) error {
	base, rest := m.tableMemory.pool.split(address)
	if m.tableMemory.pool.isZero(base) || base == m.pointer || base == m.goroutine {
		return nil
	}
	return &MemoryError{what, int64(rest.value[0]), width, "an address of no argument"}
}

func (m *regionMemory) store(address, value *term) error {
	c, low, found := m.locate(address)
	if !found {
		if err := m.known("store", address, value.width); err != nil {
			return err
		}
		return m.tableMemory.store(address, value)
	}
	if !c.region.writes {
		return &MemoryError{"store", c.constant, value.width, "an argument that is read only"}
	}
	bit := 0
	for _, s := range cut(c, low, value.width) {
		m.note(s.cell)
		part := m.tableMemory.pool.extract(value, bit+s.high-s.low, bit)
		m.append(entry{s.cell, s.low, part, nil})
		bit += s.high - s.low + 1
	}
	return nil
}

// append puts a store behind the others, or together with the last one if that is the neighbour
// before it: a cell that is stored once, in parts that go up, is one entry.
func (m *regionMemory) append(e entry) {
	if n := len(m.log) - 1; n >= 0 && m.log[n].cell == e.cell && m.log[n].mask == nil &&
		m.log[n].low+m.log[n].value.width == e.low {
		last := m.log[n]
		last.value = m.tableMemory.pool.concat(e.value, last.value)
		m.log[n] = last
		return
	}
	m.log = append(m.log, e)
}

func (m *regionMemory) storeMasked(address, v, mask *term) error {
	c, low, found := m.locate(address)
	if !found || !c.region.writes || low != 0 {
		return &MemoryError{"store", c.constant, v.width, "elements that may not be stored there"}
	}
	// Each element that is stored lies in the region: batch.go asks for that.
	m.log = append(m.log, entry{c, 0, v, mask})
	return nil
}
