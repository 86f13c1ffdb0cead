package proof

import "math/bits"

// The instructions of amd64 that the assembly of AES-PMAC has beside others.

func init() {
	for name, m := range map[string]meaning{
		"bsf":              {2, trailingZeros},
		"kmovd":            {2, moveOpmaskOf(32)},
		"tzcnt":            {2, trailingZeros},
		"vaesenc":          {3, cipherRound},
		"vaesenclast":      {3, cipherRound},
		"vaeskeygenassist": {3, assistKey},
		"vbroadcasti128":   {2, broadcastLanes(128)},
		"vbroadcasti64x2":  {2, broadcastLanes(128)},
		"vbroadcasti64x4":  {2, broadcastLanes(256)},
		"vextracti64x2":    {3, extractLane(128)},
		"vinserti128":      {4, insertLane(128)},
		"vpermq":           {3, permute},
		"vpinsrq":          {4, insertLane(64)},
		"vpslldq":          {3, shiftBytes},
	} {
		meanings[name] = m
	}
}

// cipherRound is a round of AES in each 128 bits, and vaesenclast the last one.
func cipherRound(s *step, o []operand) error {
	x, key, err := s.pair(o[1:], o[0].width)
	if err != nil {
		return err
	}
	all := lanes(s.pool, x, 128)
	for i := range all {
		bytes := s.substitutedAll(shiftedRows(lanes(s.pool, all[i], 8)))
		if s.mnemonic == "vaesenc" {
			bytes = s.mixedColumns(bytes)
		}
		all[i] = join(s.pool, bytes)
	}
	return s.set(o[0], s.xor(join(s.pool, all), key))
}

// assistKey has the S-box of the second and the fourth word, and behind each the same turned, with
// a constant added.
func assistKey(s *step, o []operand) error {
	x, err := s.get(o[1], 128)
	if err != nil {
		return err
	}
	bytes := lanes(s.pool, x, 8)
	var all []*term
	for _, from := range []int{4, 12} {
		word := s.substitutedAll(bytes[from : from+4])
		turned := append(word[1:4:4], word[0])
		turned[0] = s.xor(turned[0], s.number(o[2].immediate&0xff, 8))
		all = append(append(all, word...), turned...)
	}
	return s.set(o[0], join(s.pool, all))
}

// trailingZeros counts them. Of zero tzcnt gives the width, and bsf leaves its destination, as CPUs
// do; the flags but the zero flag, and of tzcnt the carry, are left undefined.
func trailingZeros(s *step, o []operand) error {
	x, err := s.get(o[1], s.width())
	if err != nil {
		return err
	}
	count, err := s.get(o[0], x.width)
	if err != nil {
		return err
	}
	if x.width != 64 {
		return s.unknown("bits of less than 64")
	}
	zero := s.equal(x, s.number(0, x.width))
	if s.mnemonic == "tzcnt" {
		count = s.number(uint64(x.width), x.width)
	}
	for i := x.width - 1; i >= 0; i-- {
		count = s.choose(s.extract(x, i, i), s.number(uint64(i), x.width), count)
	}
	s.state.flags = flags{zero: zero}
	if s.mnemonic == "tzcnt" {
		s.state.flags = flags{carry: zero, zero: s.equal(count, s.number(0, x.width))}
	}
	return s.set(o[0], count)
}

// broadcastLanes fills a vector with copies of a part of some width.
func broadcastLanes(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		v, err := s.get(o[1], width)
		if err != nil {
			return err
		}
		copies := make([]*term, o[0].width/width)
		for i := range copies {
			copies[i] = v
		}
		return s.masked(o[0], join(s.pool, copies), 64)
	}
}

// insertLane replaces the part of a vector whose number is a constant.
func insertLane(width int) func(*step, []operand) error {
	return func(s *step, o []operand) error {
		x, err := s.get(o[1], o[0].width)
		if err != nil {
			return err
		}
		v, err := s.get(o[2], width)
		if err != nil {
			return err
		}
		all := lanes(s.pool, x, width)
		all[o[3].immediate%uint64(len(all))] = v
		return s.masked(o[0], join(s.pool, all), 64)
	}
}

// permute chooses words: of each 256 bits by a constant, or of all by the words of a vector.
func permute(s *step, o []operand) error {
	if o[2].kind == immediate {
		x, err := s.get(o[1], o[0].width)
		if err != nil {
			return err
		}
		from := lanes(s.pool, x, 64)
		chosen := make([]*term, len(from))
		for i := range chosen {
			chosen[i] = from[i&^3|int(o[2].immediate>>(2*(i%4))&3)]
		}
		return s.masked(o[0], join(s.pool, chosen), 64)
	}
	indices, x, err := s.pair(o[1:], o[0].width)
	if err != nil {
		return err
	}
	from, chosen := lanes(s.pool, x, 64), lanes(s.pool, indices, 64)
	for i, index := range chosen {
		chosen[i] = s.element(from, s.extract(index, bits.Len(uint(len(from)))-2, 0))
	}
	return s.masked(o[0], join(s.pool, chosen), 64)
}

// shiftBytes moves the bytes of each 128 bits up.
func shiftBytes(s *step, o []operand) error {
	x, err := s.get(o[1], o[0].width)
	if err != nil {
		return err
	}
	all := lanes(s.pool, x, 128)
	for i := range all {
		all[i] = s.shiftLeft(all[i], s.number(8*(o[2].immediate&0xff), 128))
	}
	return s.set(o[0], join(s.pool, all))
}
