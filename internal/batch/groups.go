package batch

import "unsafe"

// Groups are the calls of a batch of keys of one width, which take whole groups of keys:
//
//	for g := buffer.Groups(keys, hashes, group, most); g.Next(); {
//		…
//	}
type Groups struct {
	keys   Keys
	hashes []uint64
	group  int     // the number of keys of which a call takes a multiple
	most   int     // the largest of these numbers that a call takes
	buffer *Buffer // where the last keys are if they are less than a group

	start, end int // the keys of the call
}

// Groups returns the calls for keys of one width, of which there are as many as hashes. A call has
// a multiple of group keys, about most at most. A group has Group keys of the longest width at
// most, or as many bytes of shorter ones.
func (b *Buffer) Groups(keys Keys, hashes []uint64, group, most int) Groups {
	width, n := int(keys.step), len(hashes)%group
	copy(b.padded[:group*width], slice(keys.data, (len(hashes)-n)*width, n*width))
	return Groups{keys: keys, hashes: hashes, group: group, most: max(most/group, 1) * group,
		buffer: b}
}

// Next finds the next call.
func (g *Groups) Next() bool {
	g.start = g.end
	n := len(g.hashes) - g.start
	if n >= g.group {
		g.end += min(n/g.group*g.group, g.most)
	} else {
		g.end += g.group
	}
	if n < 0 {
		copy(g.hashes[g.start-g.group:], g.buffer.sums[:])
	}
	return n > 0
}

// Keys returns the first key of the call, and Hashes where the hashes are stored and of how many
// keys.
func (g *Groups) Keys() *byte {
	if g.end > len(g.hashes) {
		return &g.buffer.padded[0]
	}
	return (*byte)(unsafe.Add(g.keys.data, g.start*int(g.keys.step)))
}

func (g *Groups) Hashes() (first *uint64, n int) {
	if g.end > len(g.hashes) {
		return &g.buffer.sums[0], g.group
	}
	return &g.hashes[g.start], g.end - g.start
}
