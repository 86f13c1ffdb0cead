package proof

import "math/bits"

// The parts of AES (FIPS 197) over terms. A state has 16 bytes: four columns, one behind another.

// substitutions is the S-box, of section 5.1.1: the inverse in GF(2^8), or zero of zero, and then an
// affine transformation. To terms and solvers it is any function of a byte, and only what a term
// comes to asks for its values.
var substitutions = func() (box [256]byte) {
	product := func(x, y byte) (z byte) {
		for ; y > 0; y >>= 1 {
			z ^= x * (y & 1)
			x = x<<1 ^ x>>7*0x1b
		}
		return z
	}
	for i := range box {
		inverse := byte(1)
		for range 254 { // the order of the group less one
			inverse = product(inverse, byte(i))
		}
		box[i] = 0x63
		for n := range 5 {
			box[i] ^= bits.RotateLeft8(inverse, n)
		}
	}
	return box
}()

// substituted is what the S-box has for a byte. It is no constant for a constant either.
func (p *pool) substituted(x *term) *term {
	return p.intern(term{operator: substitute, width: 8, arguments: []*term{x}})
}

// substitutedAll is the S-box of each byte.
func (p *pool) substitutedAll(x []*term) []*term {
	all := make([]*term, len(x))
	for i := range x {
		all[i] = p.substituted(x[i])
	}
	return all
}

// shiftedRows moves row r by r columns.
func shiftedRows(x []*term) []*term {
	all := make([]*term, len(x))
	for i := range x {
		row, column := i%4, i/4
		all[i] = x[row+4*((column+row)%4)]
	}
	return all
}

// doubled is the product of a byte and x in GF(2^8).
func (p *pool) doubled(x *term) *term {
	zero, top := p.number(0, 1), p.extract(x, 7, 7)
	return p.xor(p.concat(p.extract(x, 6, 0), zero),
		p.concat(zero, zero, zero, top, top, zero, top, top))
}

// mixedColumns is each column times a matrix.
func (p *pool) mixedColumns(x []*term) []*term {
	all := make([]*term, len(x))
	for i := range x {
		column := x[i/4*4 : i/4*4+4]
		at := func(n int) *term { return column[(i+n)%4] }
		tripled := p.xor(p.doubled(at(1)), at(1))
		all[i] = p.xor(p.xor(p.doubled(at(0)), tripled), p.xor(at(2), at(3)))
	}
	return all
}
