package proof

import (
	"cmp"
	"slices"
)

// A normal form for hashes, in which what is equal is one term: bitwise operations are made on
// words of 64 bits; one with bits that are known on either side gives pieces; sums and exclusive
// ors have their arguments in one order.

const word = 64

// known returns where runs of equal bits of the constant parts of a term begin and where its other
// parts do, the lowest bit first.
func (p *pool) known(t *term) (all []int) {
	switch t.operator {
	case concat:
		low := t.width
		for _, part := range t.arguments {
			low -= part.width
			for _, c := range p.known(part) {
				all = append(all, low+c)
			}
		}
		return all
	case constant:
		last := uint64(2)
		for i := range t.width {
			if bit := t.value[i/64] >> (i % 64) & 1; bit != last {
				all, last = append(all, i), bit
			}
		}
		return all
	}
	return []int{0}
}

// pieces is a bitwise operation. One on a word is cut where all its pieces are known from one side,
// and an and where some are.
func (p *pool) pieces(o operator, x, y *term) *term {
	do := map[operator]combination{and: (*pool).and, or: (*pool).or, xor: (*pool).xor}[o]
	var parts []*term
	if x.width > word {
		for low := (x.width - 1) / word * word; low >= 0; low -= word {
			high := min(low+word, x.width) - 1
			parts = append(parts, do(p, p.extract(x, high, low), p.extract(y, high, low)))
		}
		return p.concat(parts...)
	}
	places := append(p.known(x), p.known(y)...)
	slices.Sort(places)
	places = slices.Compact(places)
	high := x.width - 1
	for _, low := range slices.Backward(places) {
		a, b := p.extract(x, high, low), p.extract(y, high, low)
		known := p.isZero(a) || p.isZero(b) || p.isOnes(a) || p.isOnes(b)
		switch {
		case !known && o == xor:
			return p.chain(o, x, y)
		case !known && o == or:
			return p.binary(o, x, y)
		case !known:
			a = p.binary(o, a, b)
		case o == xor && p.isOnes(a):
			a = p.not(b)
		case o == xor && p.isOnes(b):
			a = p.not(a)
		default:
			a = do(p, a, b)
		}
		parts, high = append(parts, a), low-1
	}
	return p.concat(parts...)
}

// chain is a sum or an exclusive or of all that two have, in the order of their numbers. Of an
// exclusive or what is there twice is left out.
func (p *pool) chain(o operator, x, y *term) *term {
	var list func(t *term) []*term
	list = func(t *term) []*term {
		if t.operator == o {
			return append(list(t.arguments[0]), list(t.arguments[1])...)
		}
		return []*term{t}
	}
	all := append(list(x), list(y)...)
	slices.SortStableFunc(all, func(x, y *term) int { return cmp.Compare(x.number, y.number) })
	if o == xor {
		for i := 0; i+1 < len(all); {
			if all[i] != all[i+1] {
				i++
				continue
			}
			all = slices.Delete(all, i, i+2)
			i = max(0, i-1)
		}
		if len(all) == 0 {
			return p.number(0, x.width)
		}
	}
	sum := all[0]
	for _, t := range all[1:] {
		sum = p.binary(o, sum, t)
	}
	return sum
}
