package proof

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// limit is how long a solver may take for a theorem.
const limit = 100 * time.Second

// Solver is a program that looks for counterexamples.
type Solver struct {
	Name  string
	limit string   // the option for its time
	bits  []string // options for statements about bit vectors only
}

// Solvers are of different authors. Each is asked for every theorem.
var Solvers = []Solver{
	{"z3", fmt.Sprintf("-T:%d", int(limit.Seconds())), nil},
	{"cvc5", fmt.Sprintf("--tlimit=%d", limit.Milliseconds()), []string{"--bitblast=eager"}},
}

// Theorem is a statement in SMT-LIB: the script asks for a counterexample.
type Theorem struct {
	Name     string
	Set      string // of instructions; empty for a lemma
	Says     string
	Script   string
	Paths    int // followed through the machine code
	Executed int // instructions on them
	claim    *claim
}

// goal is a bit that has to be one.
type goal struct {
	name string
	says string
	term *term
}

// Verdict is what a solver found against a theorem, if anything, and its processor time.
type Verdict struct {
	Counterexample string
	Took           time.Duration
}

// Prove runs a solver. The script is left in the folder.
func (t Theorem) Prove(solver Solver, folder string) (v Verdict, err error) {
	path := filepath.Join(folder, t.Name+".smt2")
	if err := os.WriteFile(path, []byte(t.Script), 0o644); err != nil {
		return v, err
	}
	options := []string{solver.limit, path}
	if strings.Contains(t.Script, "(set-logic QF_BV)") {
		options = append(options, solver.bits...)
	}
	cmd := exec.Command(solver.Name, options...)
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return v, err
	}
	v.Took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	// After "unsat" there is no model to print, which solvers call an error.
	verdict, rest, _ := strings.Cut(string(output), "\n")
	switch verdict {
	case "unsat":
		return v, nil
	case "sat":
		v.Counterexample = rest
		return v, nil
	}
	return v, fmt.Errorf("%s: %s says %q, want sat or unsat", t.Name, solver.Name,
		bytes.TrimSpace(output))
}

// script writes the question whether the assumptions hold and some goal does not. What holds for
// any words in the places of products, or of numbers of ones, holds for these.
func script(p *pool, title []string, assumptions, goals []goal) string {
	var b strings.Builder
	for _, line := range title {
		fmt.Fprintln(&b, ";", line)
	}
	head := "(set-logic QF_BV)\n(set-option :produce-models true)\n"
	needed := map[*term]bool{}
	var need func(t *term)
	need = func(t *term) {
		if !needed[t] {
			needed[t] = true
			for _, argument := range t.arguments {
				need(argument)
			}
		}
	}
	for _, g := range append(assumptions[:len(assumptions):len(assumptions)], goals...) {
		need(g.term)
	}
	for t := range needed {
		if t.operator == substitute {
			head = "(set-logic QF_UFBV)\n(set-option :produce-models true)\n" +
				"; Any function: the S-box of AES.\n" +
				"(declare-fun sbox ((_ BitVec 8)) (_ BitVec 8))\n"
			break
		}
	}
	b.WriteString(head)
	var names []string
	for _, t := range p.order {
		if needed[t] && t.operator == variable {
			fmt.Fprintf(&b, "(declare-const %s (_ BitVec %d))\n", t.name, t.width)
			names = append(names, t.name)
		}
	}
	note := ""
	for number, t := range p.order {
		if text, ok := p.notes[number]; ok {
			note = text
		}
		if !needed[t] || t.operator == variable || t.operator == constant {
			continue
		}
		if note != "" {
			fmt.Fprintln(&b, ";", note)
			note = ""
		}
		if t.operator == mulLow || t.operator == mulHigh || t.operator == ones {
			fmt.Fprintf(&b, "; Any word: %s\n(declare-const %s (_ BitVec %d))\n", t.express(),
				t.spell(), t.width)
			names = append(names, t.spell())
			continue
		}
		fmt.Fprintf(&b, "(define-fun %s () (_ BitVec %d) %s)\n", t.spell(), t.width, t.express())
	}
	for _, g := range assumptions {
		fmt.Fprintf(&b, "; Assumed: %s.\n(assert (= %s #b1))\n", g.says, g.term.spell())
	}
	b.WriteString("; A counterexample breaks one of these:\n")
	var list []string
	for _, g := range goals {
		fmt.Fprintf(&b, "; %s.\n(define-fun %s () Bool (= %s #b1))\n", g.says, g.name,
			g.term.spell())
		list = append(list, g.name)
	}
	fmt.Fprintf(&b, "(assert (not (and %s)))\n(check-sat)\n(get-value (%s))\n",
		strings.Join(list, " "), strings.Join(append(list, names...), " "))
	return b.String()
}

// spell returns how other terms refer to a term.
func (t *term) spell() string {
	switch t.operator {
	case variable:
		return t.name
	case constant:
		if t.width%4 != 0 {
			return fmt.Sprintf("#b%0*b", t.width, t.value[0])
		}
		var digits strings.Builder
		for i := t.width/4 - 1; i >= 0; i-- {
			fmt.Fprintf(&digits, "%x", t.value.right(4 * i)[0]&15)
		}
		return "#x" + digits.String()
	}
	return fmt.Sprint("t", t.number)
}

// express returns a term in SMT-LIB.
func (t *term) express() string {
	var list []string
	for _, argument := range t.arguments {
		list = append(list, argument.spell())
	}
	arguments := strings.Join(list, " ")
	switch t.operator {
	case extract:
		return fmt.Sprintf("((_ extract %d %d) %s)", t.high, t.low, arguments)
	case less:
		return fmt.Sprintf("(ite (bvult %s) #b1 #b0)", arguments)
	case choose:
		return fmt.Sprintf("(ite (= %s #b1) %s)", list[0], strings.Join(list[1:], " "))
	}
	return fmt.Sprintf("(%s %s)", spellings[t.operator], arguments)
}

var spellings = map[operator]string{concat: "concat", and: "bvand", or: "bvor", xor: "bvxor",
	not: "bvnot", add: "bvadd", mulLow: "mullow", mulHigh: "mulhigh", ones: "ones", shiftLeft: "bvshl",
	shiftRight: "bvlshr", equal: "bvcomp", substitute: "sbox"}

// Program is what theorems are about, linked for each architecture. The definition is that of
// amd64, where another program has its operations on two tables, and hashes; keyed has the hashes
// of arm64.
type Program struct{ amd64, arm64, tables, keyed, foreign *program }

// Open compiles the programs into a folder, and reads them.
func Open(folder string) (*Program, error) {
	p := &Program{}
	for _, link := range []struct {
		to      **program
		arch    *architecture
		folder  string
		command []string
	}{
		{&p.amd64, amd64, "asm", []string{"test", "-c"}},
		{&p.arm64, arm64, "asm", []string{"test", "-c"}},
		{&p.tables, amd64, "proof/definitions", []string{"build"}},
		{&p.keyed, arm64, "proof/definitions", []string{"build"}},
	} {
		path := filepath.Join(folder, link.arch.name+link.command[0])
		if err := build(path, link.arch, link.folder, link.command...); err != nil {
			return nil, err
		}
		var err error
		if *link.to, err = open(path, link.arch); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Close closes the files.
func (p *Program) Close() error {
	return errors.Join(p.amd64.Close(), p.arm64.Close(), p.tables.Close(), p.keyed.Close())
}

// Theorem states that a kernel is the definition.
func (p *Program) Theorem(k Kernel) (Theorem, error) { return p.ask(k, nil).theorem() }

func (q *question) theorem() (Theorem, error) {
	k := q.kernel
	q.note("the definition, " + k.definition())
	definition, err := q.runDefinition(q.block)
	if err != nil {
		return Theorem{}, err
	}
	kernel, err := q.runKernel()
	if err != nil {
		return Theorem{}, err
	}
	q.note("the theorem")
	goals := []goal{
		{"same_result", "The result is the definition's",
			q.equal(kernel.result, definition.result)},
		{"same_block", "The block is the definition's", q.equal(kernel.block, definition.block)},
		q.inBlock(kernel),
		{"in_assembly", "It does not leave the operation to portable Go", q.not(kernel.leaves)},
	}
	if k.Operation != "Query" && k.Operation != "Delete" {
		contained, err := q.contained(kernel.block)
		if err != nil {
			return Theorem{}, err
		}
		goals = append(goals, contained)
	}
	if k.Operation == "Delete" {
		kept, err := q.kept(kernel.block)
		if err != nil {
			return Theorem{}, err
		}
		goals = append(goals, kept)
	}
	title := []string{fmt.Sprintf("%s: for every table, hash and block, the machine code of the "+
		"kernel does what that of the definition does.", k), "A counterexample is sat."}
	c := &claim{q.pool, q.assume(definition), goals, likely}
	return Theorem{k.String(), k.Set, "result, block and addresses are those of " + k.short(),
		c.script(title), kernel.paths, len(kernel.followed), c}, nil
}

// short returns the name of the definition without the path of the module.
func (k Kernel) short() string { return strings.TrimPrefix(k.definition(), module) }

func (q *question) inBlock(e effect) goal {
	return goal{"in_block", "Every access to a table is to the block of the hash",
		e.addresses}
}

// contained is the goal that an insert stores the bits that were there, and the key's: those that
// the definition sets in an empty block. As a word is stored once, nobody sees another value of it.
func (q *question) contained(block *term) (goal, error) {
	mask, err := q.runDefinition(q.number(0, q.block.width))
	if err != nil {
		return goal{}, err
	}
	needed := q.or(q.block, mask.block)
	return goal{"contained", "The block has every bit that it had, and those of the key",
		q.equal(q.and(block, needed), needed)}, nil
}

// kept is the goal that a delete clears no bits but those of the key, and none whose region is
// collided. The bits of the key are those that an insert sets in an empty block.
func (q *question) kept(block *term) (goal, error) {
	insert := *q
	insert.kernel.Operation = "Insert"
	mask, err := insert.runDefinition(q.number(0, q.block.width))
	if err != nil {
		return goal{}, err
	}
	regions := q.extract(q.block, q.block.width/8-1, 0)
	collided := q.concat(regions, regions, regions, regions, regions, regions, regions, regions)
	cleared := q.and(mask.block, q.not(collided))
	return goal{"kept", "The block has the bits that it had, but for the key's in free regions",
		q.equal(q.or(block, cleared), q.or(q.block, cleared))}, nil
}

// stackBytes is how much stack a definition has, and needs at most.
const stackBytes = 256

// assume returns what theorems assume.
func (q *question) assume(definition effect) []goal {
	return append(q.assumed[:len(q.assumed):len(q.assumed)],
		goal{"", "the limit of the definition's stack is an address of a program",
			q.less(definition.limit, q.number(1<<47, 64))},
		goal{"", fmt.Sprintf("the definition has more than %d bytes of stack", stackBytes),
			q.less(q.add(definition.limit, q.number(stackBytes, 64)), definition.pointer)})
}

// Definition states that the definition of an operation does not panic, and stays in the block.
func (p *Program) Definition(k Kernel) (Theorem, error) { return p.ask(k, nil).definition() }

func (q *question) definition() (Theorem, error) {
	definition, err := q.runDefinition(q.block)
	if err != nil {
		return Theorem{}, err
	}
	title := []string{"The definition " + q.kernel.definition() + ", of which the kernels are."}
	goals := []goal{
		{"no_panic", "It does not panic", q.not(definition.panics)},
		{"no_growth", "It asks for no longer stack", q.not(definition.grows)},
		q.inBlock(definition),
	}
	c := &claim{q.pool, q.assume(definition), goals, likely}
	return Theorem{q.kernel.Operation + q.kernel.Format, "portable",
		"no panic; stack; addresses", c.script(title), definition.paths,
		len(definition.followed), c}, nil
}

// Lemmas are about products and addresses, and are proved without code.
var Lemmas = []Theorem{{
	Name: "HighHalf",
	Says: "h n = 2^64 high + low gives high < n",
	Script: `; The high half of the product of two words is below the second, if that is not zero.
(set-logic QF_NIA)
(declare-const h Int)
(declare-const n Int)
(declare-const high Int)
(declare-const low Int)
(define-fun words () Int 18446744073709551616)
(assert (and (<= 0 h) (< h words) (< 0 n) (< n words)))
(assert (and (<= 0 low) (< low words) (= (* h n) (+ (* high words) low))))
(assert (not (< high n)))
(check-sat)
`,
}, lemmaInside(512), lemmaInside(256), lemmaApart(512), lemmaApart(256), lemmaHalves, lemmaShifted,
	lemmaQuarters, lemmaOnes()}

// lemmaInside states that a block whose index is below nblocks lies in the table.
func lemmaInside(size int) Theorem {
	return Theorem{
		Name: fmt.Sprint("Inside", size),
		Says: "block index < nblocks lies in a table that the memory has room for",
		Script: fmt.Sprintf(`; A block of %[1]d bits lies in its table, if its index is below the number of blocks, and if
; the table does not reach beyond the last address.
(set-logic QF_BV)
(declare-const table (_ BitVec 64))
(declare-const nblocks (_ BitVec 64))
(declare-const index (_ BitVec 64))
(define-fun bytes () (_ BitVec 64) #x%016[2]x)
(define-fun from () (_ BitVec 64) (bvadd table (bvshl index #x%016[3]x)))
(define-fun to () (_ BitVec 64) (bvadd from bytes))
(define-fun end () (_ BitVec 64) (bvadd table (bvshl nblocks #x%016[3]x)))
; Assumed: the table has at most 2^63 bytes, and its end is an address.
(assert (bvule nblocks (bvlshr #x8000000000000000 #x%016[3]x)))
(assert (bvule table end))
(assert (bvult index nblocks))
(assert (not (and (bvule table from) (bvult from to) (bvule to end))))
(check-sat)
`, size, size/8, log2(size/8)),
	}
}

// lemmaApart states that blocks of different indices do not overlap: an operation on a block leaves
// the members of all others as they are.
func lemmaApart(size int) Theorem {
	return Theorem{
		Name: fmt.Sprint("Apart", size),
		Says: "blocks of a table do not overlap",
		Script: fmt.Sprintf(`; A block of %[1]d bits ends where the next begins, or before it.
(set-logic QF_BV)
(declare-const table (_ BitVec 64))
(declare-const nblocks (_ BitVec 64))
(declare-const first (_ BitVec 64))
(declare-const second (_ BitVec 64))
(define-fun bytes () (_ BitVec 64) #x%016[2]x)
(define-fun from () (_ BitVec 64) (bvadd table (bvshl first #x%016[3]x)))
(define-fun to () (_ BitVec 64) (bvadd from bytes))
(define-fun next () (_ BitVec 64) (bvadd table (bvshl second #x%016[3]x)))
(define-fun end () (_ BitVec 64) (bvadd table (bvshl nblocks #x%016[3]x)))
; Assumed: the table has at most 2^63 bytes, and its end is an address.
(assert (bvule nblocks (bvlshr #x8000000000000000 #x%016[3]x)))
(assert (bvule table end))
(assert (and (bvult first second) (bvult second nblocks)))
(assert (not (and (bvult from to) (bvule to next))))
(check-sat)
`, size, size/8, log2(size/8)),
	}
}
