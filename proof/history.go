package proof

import "fmt"

// Law 1 of DESIGN.md: a member is always present. After any history a block is safe: each of its
// members is found, and what two members share lies in regions that are marked as collided (a key
// that was inserted twice is two members). A delete of a member leaves what is marked, so the
// others are still found. Each theorem here is a step of an induction over the history of a block,
// and is about any two or three of its members and the machine code of fallback.

// history is about a block and three members.
type history struct {
	*question
	tables                 *program
	member, another, third *term // hashes
	seen                   []effect
	err                    error // the first, after which no term means anything
}

// history begins a question about blocks of a format.
func (p *Program) history(format string, change change) *history {
	h := &history{question: p.ask(Kernel{"Insert", format, "AVX2"}, change), tables: p.tables}
	h.member, h.another = h.variable("member", 64), h.variable("another", 64)
	h.third = h.arguments[2]
	nblocks := h.arguments[1]
	for _, hash := range []*term{h.member, h.another} {
		h.assumed = append(h.assumed, goal{"", "the lemma, for another hash",
			h.less(h.binary(mulHigh, hash, nblocks), nblocks)})
	}
	return h
}

// run executes an operation with a hash on a block.
func (h *history) run(operation string, hash, block *term) effect {
	q := *h.question
	q.kernel.Operation = operation
	q.arguments = []*term{h.arguments[0], h.arguments[1], hash}
	q.address = q.blockOf(hash)
	done, err := q.runDefinition(block)
	return h.keep(done, err, block)
}

// keep notes the first error, and all that was followed.
func (h *history) keep(done effect, err error, block *term) effect {
	if err != nil {
		if h.err == nil {
			h.err = err
		}
		return effect{result: h.number(0, 8), block: block}
	}
	h.seen = append(h.seen, done)
	return done
}

// found says whether a query finds the hash in the block.
func (h *history) found(block, hash *term) *term {
	return h.equal(h.run("Query", hash, block).result, h.number(1, 8))
}

// apart says whether all bits that two hashes share are in regions that the block has marked. The
// bits of a hash are those that an insert sets in an empty block.
func (h *history) apart(block, hash, other *term) *term {
	empty, width := h.number(0, block.width), block.width/8
	shared := lanes(h.pool, h.and(h.run("Insert", hash, empty).block,
		h.run("Insert", other, empty).block), width)
	regions := h.number(0, width)
	for _, lane := range shared[1:] {
		regions = h.or(regions, lane)
	}
	marked := h.extract(block, width-1, 0)
	return h.equal(h.and(regions, h.not(marked)), h.number(0, width))
}

// implied is the goal that conditions lead to what holds.
func (h *history) implied(name, says string, holds *term, conditions ...*term) goal {
	for _, c := range conditions {
		holds = h.or(h.not(c), holds)
	}
	return goal{name, says, holds}
}

// twoTables is a memory with a block of a table, and blocks of another that is only read.
type twoTables struct {
	tableMemory
	other  *term // the address
	blocks *term
}

func (m *twoTables) clone() memory {
	return &twoTables{*m.tableMemory.clone().(*tableMemory), m.other, m.blocks}
}

func (m *twoTables) load(address *term, width int) (*term, error) {
	base, rest := m.pool.split(address)
	if base != m.other {
		return m.tableMemory.load(address, width)
	}
	low := 8 * int(int64(rest.value[0]))
	if low < 0 || low+width > m.blocks.width {
		return nil, &MemoryError{"load", int64(low / 8), width, "outside the blocks"}
	}
	return m.pool.extract(m.blocks, low+width-1, low), nil
}

func (m *twoTables) store(address, v *term) error {
	if base, rest := m.pool.split(address); base == m.other {
		return &MemoryError{"store", int64(rest.value[0]), v.width, "a table that is only read"}
	}
	return m.tableMemory.store(address, v)
}

// combined runs an operation on a table of one block and another of some. In Go's ABIInternal both
// slices are in registers. Their capacities are their lengths.
func (h *history) combined(operation string, block *term, others ...*term) effect {
	q := *h.question
	q.Program = &Program{amd64: h.tables}
	q.address = q.variable("to", 64)
	s, runner := q.start(h.tables, "definition_", block)
	m := &twoTables{*s.memory.(*tableMemory), q.variable("from", 64), join(h.pool, others)}
	s.memory = m
	m.goroutine, m.limit = s.general[r14], q.variable("definition_stack_limit", 64)
	one, count := q.number(1, 64), q.number(uint64(len(others)), 64)
	for n, argument := range map[int]*term{rax: q.address, rbx: one, rcx: one, rdi: m.other,
		rsi: count, r8: count} {
		s.general[n] = argument
	}
	ends, err := runner.run(fmt.Sprintf("%sfallback.%s[uint%d]", module, operation, block.width/8),
		s)
	if err != nil {
		return h.keep(effect{}, err, block)
	}
	done, err := q.combine(ends, func(end) *term { return q.number(0, 8) })
	done.pointer, done.limit = m.pointer, m.limit
	return h.keep(done, err, block)
}

// formats are those of the blocks that members are deleted from.
var formats = []string{"512", "256"}

// inductive is a step of the induction.
type inductive struct {
	name, says string
	goals      func(h *history) []goal
}

// steps are those of the induction, for a block of any format.
var steps = []inductive{
	{"Insert", "a new member is found, and safe with each old one; the old ones stay safe",
		func(h *history) []goal {
			after := h.run("Insert", h.third, h.block).block
			return []goal{
				h.implied("new_found", "The new member is found", h.found(after, h.third)),
				h.implied("old_found", "An old member is found", h.found(after, h.member),
					h.found(h.block, h.member)),
				h.implied("new_apart", "What it shares with an old member is marked",
					h.apart(after, h.member, h.third), h.found(h.block, h.member)),
				h.implied("old_apart", "What two old members share is marked",
					h.apart(after, h.member, h.another), h.apart(h.block, h.member, h.another)),
			}
		}},
	{"Delete", "of a member that is safe with others: these are found, and stay safe",
		func(h *history) []goal {
			done := h.run("Delete", h.third, h.block)
			return []goal{
				h.implied("member_found", "Another member is found", h.found(done.block, h.member),
					h.found(h.block, h.member), h.apart(h.block, h.member, h.third)),
				h.implied("members_apart", "What two others share is marked",
					h.apart(done.block, h.member, h.another),
					h.apart(h.block, h.member, h.another)),
				h.implied("not_absent", "The answer is not that the member was absent",
					h.not(h.equal(done.result, h.number(0, 8))), h.found(h.block, h.third)),
			}
		}},
	{"Merge", "members of either block are found in the merged one, and safe", merged("Merge")},
	{"Fold", "members of either block are found in the folded one, and safe", merged("Fold")},
	{"Intersect", "what is found in both blocks, and no other, is found; members stay safe",
		func(h *history) []goal {
			other := h.variable("other", h.block.width)
			after := h.combined("Intersect", h.block, other).block
			both := h.and(h.found(h.block, h.member), h.found(other, h.member))
			return []goal{
				h.implied("found_in_both", "What is found is what is found in both",
					h.equal(h.found(after, h.member), both)),
				h.implied("members_apart", "What two members of both share is marked",
					h.apart(after, h.member, h.another), h.apart(h.block, h.member, h.another),
					h.apart(other, h.member, h.another)),
			}
		}},
	{"Torn", "what is found in two blocks is found in any mixture of their bits",
		func(h *history) []goal {
			other, from := h.variable("other", h.block.width), h.variable("from", h.block.width)
			mixture := h.or(h.and(h.block, from), h.and(other, h.not(from)))
			return []goal{h.implied("found", "It is found in the mixture",
				h.found(mixture, h.member), h.found(h.block, h.member), h.found(other, h.member))}
		}},
}

// merged returns the goals of a merge. Fold puts the merge of two blocks of one table into another.
func merged(operation string) func(h *history) []goal {
	return func(h *history) []goal {
		other := h.variable("other", h.block.width)
		var after *term
		if operation == "Fold" {
			before := h.variable("before", h.block.width)
			after = h.combined(operation, before, h.block, other).block
		} else {
			after = h.combined(operation, h.block, other).block
		}
		return []goal{
			h.implied("found_here", "A member of this block is found", h.found(after, h.member),
				h.found(h.block, h.member)),
			h.implied("found_there", "A member of the other is found", h.found(after, h.member),
				h.found(other, h.member)),
			h.implied("apart_here", "What two members of this block share is marked",
				h.apart(after, h.member, h.another), h.apart(h.block, h.member, h.another)),
			h.implied("apart_there", "What two members of the other share is marked",
				h.apart(after, h.member, h.another), h.apart(other, h.member, h.another)),
			h.implied("apart_between", "What members of both share is marked",
				h.apart(after, h.member, h.another), h.found(h.block, h.member),
				h.found(other, h.another)),
		}
	}
}

// step states a step of the induction.
func (p *Program) step(i inductive, format string, change change) (Theorem, error) {
	h := p.history(format, change)
	goals := i.goals(h)
	if h.err != nil {
		return Theorem{}, h.err
	}
	ends := h.number(1, 1)
	for _, e := range h.seen {
		ends = h.and(ends, h.and(e.addresses, h.not(h.or(e.panics, e.grows))))
	}
	goals = append(goals, goal{"ends", "No operation panics, or leaves its block", ends})
	title := []string{fmt.Sprintf("%s of a block of %s bits, by the definition's machine code:",
		i.name, format), i.says + ".", "A counterexample is sat."}
	theorem := Theorem{Name: "Members" + i.name + format, Set: "portable", Says: i.says}
	for _, e := range h.seen {
		theorem.Paths += e.paths
		theorem.Executed += len(e.followed)
	}
	theorem.Script = script(h.pool, title, h.assume(h.seen[0]), goals)
	return theorem, nil
}
