//go:build (amd64 || arm64) && !purego

package highway

// schedule is what the assembly for keys of one width starts from: the state after the hash key and
// the width, as far as it is the same for all keys. Pairs of lanes follow one another. For lanes 0
// and 1 they are v1 + mul0, v0 with its halves swapped, mul0, v0 + mul1 and mul1, and then the same
// for lanes 2 and 3; the last is the size of what follows a whole packet. (The order is that of
// avogen/highway.go.)
type schedule [11 * 2]uint64

// scheduled are the widths that have a schedule, and assembly.
func scheduled(width int) bool {
	switch width {
	case 4, 8, 16, 20, 32, 40:
		return true
	}
	return false
}

// newSchedule returns the schedule of a width, from the state before the first packet.
func newSchedule(s state, width int) (c schedule) {
	if width < packetBytes {
		s.resize(width)
	}
	c.half(s, 0)
	if width < packetBytes/2 {
		// Lanes 2 and 3 of the packet are empty, and meet the others only after its round.
		s.update(&packet{})
	}
	c.half(s, 2)
	size := uint64(width % packetBytes)
	c[20], c[21] = size<<32|size, size<<32|size
	return c
}

// half sets the pairs of two lanes.
func (c *schedule) half(s state, lane int) {
	for i := range 2 {
		from := lane + i
		for j, value := range [...]uint64{
			s.v1[from] + s.mul0[from], swapHalves(s.v0[from]), s.mul0[from],
			s.v0[from] + s.mul1[from], s.mul1[from],
		} {
			c[5*lane+2*j+i] = value
		}
	}
}
