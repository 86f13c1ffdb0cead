package proof

import (
	"math/rand/v2"
	"testing"
)

// What a pool simplifies comes to what the operators come to. Terms are made of others at random,
// and each has a value that apply alone computes.
func TestSimplificationsKeepValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	type known struct {
		term  *term
		value value
	}
	for range 2000 {
		p := newPool()
		var all []known
		var given []known
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
			switch random.IntN(12) {
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
			}
			all = append(all, made)
		}
		var asked []*term
		for _, k := range all {
			asked = append(asked, k.term)
		}
		e := newEvaluation(p, asked)
		for _, k := range given {
			e.values[k.term.number] = k.value
		}
		e.run()
		for _, k := range all {
			if got := e.of(k.term); got != k.value {
				t.Fatalf("%s = %x, want %x", k.term.express(), got, k.value)
			}
		}
	}
}
