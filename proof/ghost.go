package proof

// The memory of a ghost, and what the code is said to have for what is in it.

// hints are terms of the code that are said to be equal to the ghost's, which takes them in the
// place of its own. Each is claimed: the theorem asks for it. So a hint that is wrong, or none, can
// only break a proof.
type hints struct {
	store  func(c cell) *entry            // the code's store that is this one of the ghost; or nil
	word   *term                          // the answers of the group that ends, or nil
	number *term                          // the first position of a group that is listed, or nil
	chosen func(e *entry) *term           // the bits by which a store chose what it lists
	list   func(from int, _, count *term) // is told what is listed
}

// begin returns the ghost that has taken no key, of the memory at the start.
func (c *contract) begin(m *regionMemory) *ghost {
	zero := c.number(0, 64)
	return c.ghost(progress{zero, zero, zero, zero}, m)
}

func (c *contract) ghost(at progress, m *regionMemory) *ghost {
	own := m.clone().(*regionMemory)
	own.log, own.accesses = nil, nil
	none := hints{chosen: func(*entry) *term { return nil }, list: func(int, *term, *term) {}}
	return &ghost{contract: c, progress: at, memory: own, hints: none}
}

// load returns a cell of the ghost's memory.
func (g *ghost) load(region string, distance *term) (*term, error) {
	c, err := g.memory.lookUp(region, distance)
	if err != nil {
		return nil, err
	}
	return g.memory.cellAfter(c, 8*c.region.cell-1, 0, len(g.memory.log)), nil
}

// put stores a cell of the ghost's memory.
func (g *ghost) put(region string, distance, v *term) error {
	c, err := g.memory.lookUp(region, distance)
	if err == nil {
		g.store(entry{c, 0, v, nil}, g.hint(c))
	}
	return err
}

// hint returns the code's store into a cell, if there is one.
func (g *ghost) hint(c cell) *entry {
	if g.hints.store == nil {
		return nil
	}
	return g.hints.store(c)
}

// store stores what it has to, or by a hint the code's store.
func (g *ghost) store(own entry, code *entry) {
	name := "same_answer"
	if own.region.name == "table" || own.region.name == "dst" {
		name = "same_block"
	}
	switch m := g.memory; {
	case g.hints.store == nil:
		code = &own
	case code == nil && own.mask == nil: // it stays as it is
		g.claim(name, g.equal(m.cellAfter(own.cell, own.value.width-1, 0, len(m.log)), own.value))
		return
	case code == nil || (code.mask == nil) != (own.mask == nil) && own.mask != nil:
		g.claim(name, g.number(0, 1))
		return
	default:
		g.claim(name, g.equal(m.distance(code.cell), m.distance(own.cell)))
		g.claim(name, m.same(own, *code))
	}
	g.memory.log = append(g.memory.log, *code)
}
