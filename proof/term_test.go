package proof

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// known is a term with its value.
type known struct {
	term  *term
	value value
}

// randomTerms makes terms of others at random, with values that apply alone computes. given are the
// variables. One pool in three has the normal form of hashes, and one that of bytes.
func randomTerms(random *rand.Rand) (p *pool, given, all []known) {
	p = newPool()
	switch random.IntN(3) {
	case 0:
		p.fine = true
	case 1:
		p.bytes = true
	}
	for _, width := range []int{1, 8, 32, 64, 64, 128, 512} {
		v := value{random.Uint64(), random.Uint64(), random.Uint64()}.cut(width)
		k := known{p.variable(string(rune('a'+len(all))), width), v}
		all, given = append(all, k), append(given, k)
		for _, v := range []value{{}, value{}.complement(), {uint64(random.IntN(70))}} {
			v = v.cut(width)
			all = append(all, known{p.wide(v, width), v})
		}
	}
	alike := func(k known) known {
		for {
			if other := all[random.IntN(len(all))]; other.term.width == k.term.width {
				return other
			}
		}
	}
	for range 40 {
		x := all[random.IntN(len(all))]
		y := alike(x)
		width := x.term.width
		plain := func(o operator, width int, values ...value) value {
			return apply(&term{operator: o, width: width,
				arguments: []*term{x.term, y.term}}, values)
		}
		var made known
		switch random.IntN(14) {
		case 0:
			made = known{p.and(x.term, y.term), plain(and, width, x.value, y.value)}
		case 1:
			made = known{p.or(x.term, y.term), plain(or, width, x.value, y.value)}
		case 2:
			made = known{p.xor(x.term, y.term), plain(xor, width, x.value, y.value)}
		case 3:
			made = known{p.not(x.term), plain(not, width, x.value)}
		case 4:
			made = known{p.add(x.term, y.term), plain(add, width, x.value, y.value)}
		case 5:
			v := plain(add, width, x.value, y.value.complement().cut(width))
			made = known{p.subtract(x.term, y.term), plain(add, width, v, value{1})}
		case 6:
			v := plain(shiftLeft, width, x.value, y.value)
			made = known{p.shiftLeft(x.term, y.term), v}
		case 7:
			v := plain(shiftRight, width, x.value, y.value)
			made = known{p.shiftRight(x.term, y.term), v}
		case 8:
			made = known{p.equal(x.term, y.term), plain(equal, 1, x.value, y.value)}
		case 9:
			made = known{p.less(x.term, y.term), plain(less, 1, x.value, y.value)}
		case 10:
			low := random.IntN(width)
			high := low + random.IntN(width-low)
			v := x.value.right(low).cut(high - low + 1)
			made = known{p.extract(x.term, high, low), v}
		case 11:
			if 2*width > 512 {
				continue
			}
			made = known{p.concat(x.term, y.term), x.value.left(width).or(y.value)}
		case 12:
			c := all[random.IntN(len(all))]
			if c.term.width != 1 {
				continue
			}
			made = known{p.choose(c.term, x.term, y.term), y.value}
			if c.value == (value{1}) {
				made.value = x.value
			}
		case 13:
			if width != 32 && width != 64 {
				continue
			}
			count := int(y.value[0] % uint64(width))
			v := x.value.left(count).cut(width).or(x.value.right((width - count) % width))
			made = known{p.rotateLeft(x.term, y.term), v}
		}
		all = append(all, made)
	}
	return p, given, all
}

// What a pool simplifies comes to what the operators come to.
func TestSimplificationsKeepValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p, given, all := randomTerms(random)
		var terms []*term
		for _, k := range all {
			terms = append(terms, k.term)
		}
		e := newEvaluation(p, terms)
		for _, k := range given {
			e.values[k.term.number] = k.value
		}
		e.run()
		for _, k := range all {
			if got := e.lookup(k.term); got != k.value {
				t.Fatalf("%s = %x, want %x", k.term.express(), got, k.value)
			}
		}
	}
}

// A script says of terms what they come to: the solver finds no other value.
func TestSpellingsKeepValues(t *testing.T) {
	needsSolver(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		p, given, all := randomTerms(random)
		var assumptions, goals []goal
		for _, k := range given {
			assumptions = append(assumptions,
				goal{"", "its value", p.equal(k.term, p.wide(k.value, k.term.width))})
		}
		for n, k := range all {
			goals = append(goals, goal{fmt.Sprint("goal", n), "its value",
				p.binary(equal, k.term, p.wide(k.value, k.term.width))})
		}
		statement := func(name string) Theorem {
			return Theorem{Name: name, Script: script(p, nil, assumptions, goals)}
		}
		for _, solver := range Solvers {
			v, err := statement("right").Prove(solver, t.TempDir())
			if v.Counterexample != "" || err != nil {
				t.Fatalf("%s has other values: %s (%v)", solver.Name, v.Counterexample, err)
			}
		}
		k := &all[random.IntN(len(all))]
		k.value[0] ^= 1
		goals[0].term = p.equal(k.term, p.wide(k.value, k.term.width))
		for _, solver := range Solvers {
			v, err := statement("wrong").Prove(solver, t.TempDir())
			if v.Counterexample == "" || err != nil {
				t.Errorf("%s agrees with a wrong value (%v)", solver.Name, err)
			}
		}
	}
}
