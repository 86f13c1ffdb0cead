package proof

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Which addresses and branches depend on a byte of a key or on the secret, in functions that hash
// keys under one. Labels of what registers, flags and the stack have are followed along all ways
// through the machine code, to a fixed point, so that single keys and batches of any number are
// covered. What an instruction makes of its operands is what its meaning says: the variables of the
// terms that it leaves.

// label says what a value may depend on. The zero label is public: lengths and addresses of keys,
// what the arguments are, and constants.
type label struct {
	secret bool   // a byte of a key, or the secret
	number bool   // of constants and the numbers among the arguments only
	leads  string // the argument that it is an address in, if it is one
	known  bool   // whether it is the value, or the distance from the argument, below
	value  uint64
}

// or is the label of a value that has one label or the other.
func (x label) or(y label) label {
	if x == y {
		return x
	}
	all := label{secret: x.secret || y.secret, number: x.number && y.number}
	if x.leads == y.leads {
		all.leads = x.leads
	}
	return all
}

// plus is the label of a sum. An address stays in what it leads to if a number is added; what lies
// there is not found by anything else that is public.
func (x label) plus(y label) label {
	if x.leads == "" {
		x, y = y, x
	}
	all := label{secret: x.secret || y.secret, number: x.number && y.number}
	if x.leads != "" && (y.number || y.secret) {
		all.leads = x.leads
	}
	if x.known && y.known && (all.number || all.leads != "") {
		all.known, all.value = true, x.value+y.value
	}
	return all
}

// labels are those of variables: of registers and flags, and of words of the stack by their
// distance from the stack pointer at the start.
type labels map[string]label

func onStack(distance uint64) string { return fmt.Sprint("stack ", int64(distance)) }

// of returns the label of a term.
func (l labels) of(t *term) label {
	switch {
	case t == nil: // a flag that is undefined
		return label{secret: true}
	case t.operator == variable:
		return l[t.name]
	case t.operator == constant:
		return label{number: true, known: t.width <= word, value: t.value[0]}
	case t.operator == add && t.width == word:
		return l.of(t.arguments[0]).plus(l.of(t.arguments[1]))
	}
	all := label{number: true}
	for _, argument := range t.arguments {
		part := l.of(argument)
		part.known, part.value, part.leads = false, 0, ""
		all = all.or(part)
	}
	return all
}

// include adds the labels of another way to the same instruction, and says whether that changes
// something. What has a label on one way only is any value of the stack on the other.
func (l labels) include(other labels) (changed bool) {
	if len(l) == 0 {
		maps.Copy(l, other)
		return true
	}
	for name := range other {
		if _, ok := l[name]; !ok {
			l[name], changed = label{secret: true}, true
		}
	}
	for name, old := range l {
		x, ok := other[name]
		if !ok {
			x = label{secret: true}
		}
		if both := old.or(x); both != old {
			l[name], changed = both, true
		}
	}
	return changed
}

// touched is the memory of one instruction: what it loads is a variable of its own.
type touched struct {
	pool     *pool
	accesses []access
}

type access struct {
	address, mask *term // no mask where all is loaded
	loaded        *term // nil for a store
	stored        *term
	width         int
}

func (m *touched) clone() memory { return m }

func (m *touched) load(address *term, width int) (*term, error) {
	return m.loadMasked(address, width, nil)
}

func (m *touched) loadMasked(address *term, width int, mask *term) (*term, error) {
	v := m.pool.variable(fmt.Sprint("loaded ", len(m.accesses)), width)
	m.accesses = append(m.accesses, access{address: address, mask: mask, loaded: v, width: width})
	return v, nil
}

func (m *touched) store(address, value *term) error {
	m.accesses = append(m.accesses, access{address: address, stored: value, width: value.width})
	return nil
}

// acts is what an instruction does, from any state.
type acts struct {
	instruction
	before, after *state
	memory        *touched
	target, taken *term
}

// acts are kept, by addresses, but for instructions that are planted.
func (p *program) acts(i instruction, planted bool) (*acts, error) {
	if known, ok := p.known[i.address]; ok && !planted {
		return known, nil
	}
	pool := newPool()
	a := &acts{instruction: i, memory: &touched{pool: pool}}
	a.before = p.arbitrary(pool, "", a.memory)
	after := *a.before
	if i.mnemonic == "bsf" { // it leaves its destination for zero, which the number of no block is
		after.general[i.operands[0].register] = pool.number(0, word)
	}
	now := step{pool: pool, instruction: i, state: &after}
	if err := p.execute(&now); err != nil {
		return nil, err
	}
	a.after, a.target, a.taken = &after, now.target, now.taken
	a = a.outlined(newPool())
	if !planted {
		p.known[i.address] = a
	}
	return a, nil
}

// outlined has in the places of terms their outlines, in a pool that has no other terms.
func (a *acts) outlined(p *pool) *acts {
	state := func(s *state) *state {
		for _, list := range [][]*term{s.general[:], s.vectors[:], s.opmasks[:]} {
			for i := range list {
				list[i] = p.outline(list[i])
			}
		}
		f := s.flags
		s.flags = flags{p.outline(f.carry), p.outline(f.zero), p.outline(f.sign),
			p.outline(f.overflow)}
		return s
	}
	for i := range a.memory.accesses {
		m := &a.memory.accesses[i]
		m.address, m.mask = p.outline(m.address), p.outline(m.mask)
		m.loaded, m.stored = p.outline(m.loaded), p.outline(m.stored)
	}
	a.memory.pool = nil
	return &acts{a.instruction, state(a.before), state(a.after), a.memory, p.outline(a.target),
		p.outline(a.taken)}
}

// outline is a sum of what a term is a sum of, and else all variables of the term in a row. Of no
// term it is none.
func (p *pool) outline(t *term) *term {
	switch {
	case t == nil:
		return nil
	case t.operator == variable:
		return p.variable(t.name, t.width)
	case t.operator == constant:
		return p.wide(t.value, t.width)
	case t.operator == add && t.width == word:
		return p.intern(term{operator: add, width: word,
			arguments: []*term{p.outline(t.arguments[0]), p.outline(t.arguments[1])}})
	}
	row := term{operator: concat, width: t.width}
	seen := map[*term]bool{}
	var walk func(t *term)
	walk = func(t *term) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.operator == variable {
			row.arguments = append(row.arguments, p.variable(t.name, t.width))
		}
		for _, argument := range t.arguments {
			walk(argument)
		}
	}
	walk(t)
	return p.intern(row)
}

// parts are the terms of a state that labels are for.
func (a *architecture) parts(s *state) []*term {
	all := append(slices.Clone(s.general[:len(a.general)]), s.vectors[:]...)
	f := s.flags
	return append(append(all, s.opmasks[:]...), f.carry, f.zero, f.sign, f.overflow)
}

// hasher is a function that hashes keys under a secret, with the names of its arguments.
type hasher struct {
	name      string
	arguments []string
	pointers  []bool
}

func (h hasher) symbol() string { return inAssembly + h.name + ".abi0" }

// set is the instruction set in the name of a function. One that chooses has none.
func (h hasher) set(a *architecture) string {
	for _, set := range []string{"VAES512", "VAES256", "AESNI", "AES"} {
		if strings.HasSuffix(h.name, set) {
			return set
		}
	}
	return a.name
}

// hashers returns the functions of AES-PMAC that the assembly of an architecture declares. No other
// hash under a secret is in assembly of this module.
func hashers(asm string, a *architecture) (all []hasher, err error) {
	files, err := filepath.Glob(filepath.Join(asm, "*_"+a.name+".go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body != nil || !strings.HasPrefix(f.Name.Name, "PMAC") {
				continue
			}
			h := hasher{name: f.Name.Name}
			for _, field := range f.Type.Params.List {
				_, pointer := field.Type.(*ast.StarExpr)
				for _, name := range field.Names {
					h.arguments = append(h.arguments, name.Name)
					h.pointers = append(h.pointers, pointer)
				}
			}
			all = append(all, h)
		}
	}
	return all, nil
}

// start returns the labels at the first instruction. What other registers have is secret.
func (h hasher) start(a *architecture) labels {
	l := labels{}
	for _, t := range a.parts(a.arbitrary(newPool(), "", nil)) {
		l[t.name] = label{secret: true}
	}
	l[a.general[a.stack]] = label{leads: stackArgument, known: true}
	l[onStack(0)] = label{} // on amd64 the address to return to
	for i, name := range h.arguments {
		x := label{number: true}
		if h.pointers[i] {
			x = label{leads: name, known: true}
		}
		l[onStack(uint64(8+8*i))] = x
	}
	return l
}

const stackArgument = "stack"

// timing is what the addresses and branches of a function depend on.
type timing struct {
	followed           []instruction
	branches, accesses int
	leaks              []string // instructions that depend on what is secret
	byHash             int      // accesses to the table at a secret distance
	leaves             []string // functions that it ends with a jump to
}

// timing follows the labels through a function.
func (p *program) timing(h hasher, change change) (*timing, error) {
	return p.timingFrom(h, h.start(p.architecture), change)
}

func (p *program) timingFrom(h hasher, start labels, change change) (*timing, error) {
	code, err := p.function(h.symbol())
	if err != nil {
		return nil, err
	}
	if change != nil {
		code = change(h.symbol(), code)
	}
	at := map[uint64]labels{code[0].address: start}
	known := map[uint64]*acts{}
	inside := map[uint64]instruction{}
	for _, i := range code {
		inside[i.address] = i
	}
	found := &timing{}
	for open := []uint64{code[0].address}; len(open) > 0; {
		address := open[0]
		open = open[1:]
		i := inside[address]
		a, ok := known[address]
		if !ok {
			if a, err = p.acts(i, change != nil); err != nil {
				return nil, err
			}
			known[address] = a
		}
		after, err := p.passed(a, at[address], nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", h.name, i.text, err)
		}
		next, leaves, err := p.following(a, at[address])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.name, err)
		}
		if leaves != "" && !slices.Contains(found.leaves, leaves) {
			found.leaves = append(found.leaves, leaves)
		}
		for _, to := range next {
			if _, ok := inside[to]; !ok {
				return nil, &FlowError{i.text, "no instruction of the function follows"}
			}
			if at[to] == nil {
				at[to] = labels{}
			}
			if at[to].include(after) && !slices.Contains(open, to) {
				open = append(open, to)
			}
		}
	}
	for _, address := range slices.Sorted(maps.Keys(known)) {
		found.followed = append(found.followed, inside[address])
		if _, err := p.passed(known[address], at[address], found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// following returns where a function goes on behind an instruction, or where it leaves to.
func (p *program) following(a *acts, l labels) (next []uint64, leaves string, err error) {
	whole := l[p.general[p.stack]] == label{leads: stackArgument, known: true}
	switch {
	case a.taken == nil:
		return []uint64{a.after.next}, "", nil
	case a.mnemonic == "ret" && whole:
		return nil, "", nil
	case a.target.operator != constant || a.mnemonic == "call" || a.mnemonic == "bl":
		return nil, "", &FlowError{a.text, "its target is not known"}
	}
	target := a.target.value[0]
	name, err := p.name(target)
	if err == nil && a.taken.operator == constant && whole && strings.HasPrefix(name, inAssembly) {
		return nil, short(name), nil
	}
	if a.taken.operator == constant {
		return []uint64{target}, "", nil
	}
	return []uint64{a.after.next, target}, "", nil
}

// passed returns the labels after an instruction, and notes in found what it depends on.
func (p *program) passed(a *acts, before labels, found *timing) (labels, error) {
	l := maps.Clone(before)
	for _, m := range a.memory.accesses {
		place := l.of(m.address)
		if found != nil {
			found.accesses++
			switch {
			case place.secret && place.leads == "table":
				found.byHash++
			case place.secret || m.mask != nil && l.of(m.mask).secret:
				found.leaks = append(found.leaks, a.text)
			}
		}
		if m.loaded != nil {
			x, err := p.contents(l, place, m.width)
			if err != nil {
				return nil, err
			}
			l[m.loaded.name] = x
		}
	}
	if a.taken != nil && a.taken.operator != constant && found != nil {
		found.branches++
		if l.of(a.taken).secret {
			found.leaks = append(found.leaks, a.text)
		}
	}
	after := maps.Clone(l)
	names := p.parts(a.before)
	for i, t := range p.parts(a.after) {
		if t != names[i] {
			after[names[i].name] = l.of(t)
		}
	}
	for _, m := range a.memory.accesses {
		if m.loaded != nil {
			delete(after, m.loaded.name)
			continue
		}
		switch place, x := l.of(m.address), l.of(m.stored); {
		case place.leads == stackArgument && place.known && place.value%8 == 0 && m.width == word:
			after[onStack(place.value)] = x
		case place.leads == stackArgument && place.known && place.value%8 == 0 && m.width < word:
			after[onStack(place.value)] = x.or(l[onStack(place.value)])
		case place.secret: // which is noted
		case place.leads == "" || place.leads == "state" || place.leads == "headers" ||
			place.leads == stackArgument:
			return nil, &FlowError{a.text, "it stores where no result is"}
		}
	}
	return after, nil
}

// contents is the label of what lies at an address.
func (p *program) contents(l labels, place label, width int) (label, error) {
	switch {
	case place.secret:
		return label{secret: true}, nil
	case place.leads == stackArgument:
		x, ok := l[onStack(place.value)]
		if !ok || !place.known || width > word {
			return x, &MemoryError{"load", int64(place.value), width, "stack without a label"}
		}
		return x, nil
	case place.leads == "headers":
		return label{}, nil
	case place.leads == "state" && place.known && width == 8 &&
		place.value == uint64(stateFields["ours"].Offset): // whether it is a key of AES-PMAC
		return label{number: true}, nil
	case place.number && place.known && p.chooses(place.value, width):
		return label{number: true}, nil
	}
	return label{secret: true}, nil
}

// chooses says whether at an address there is a constant, or a byte by which assembly chooses an
// instruction set.
func (p *program) chooses(address uint64, width int) bool {
	if _, err := p.constants(address, width/8); err == nil {
		return true
	}
	for name, s := range p.symbols {
		if s.Value == address && width == 8 && strings.HasPrefix(name, module+"asm.No") {
			return true
		}
	}
	return false
}
