package batch

import "unsafe"

// Groups are the calls of a batch of keys of one width, Longest bytes at most:
//
//	for g := buffer.Groups(keys, hashes, most); g.Next(); {
//		…
//	}
type Groups struct {
	keys   Keys
	hashes []uint64
	most   int     // the keys of a call
	buffer *Buffer // where the last keys are if they are less than a group

	start, end int // the keys of the call
}

// Groups returns the calls for keys of one width, of which there are as many as hashes. A call has
// about most keys.
func (b *Buffer) Groups(keys Keys, hashes []uint64, most int) Groups {
	width, n := int(keys.step), len(hashes)%Group
	copy(b.padded[:], slice(keys.data, (len(hashes)-n)*width, n*width))
	return Groups{keys: keys, hashes: hashes, most: max(most/Group, 1) * Group, buffer: b}
}

// Next finds the next call.
func (g *Groups) Next() bool {
	g.start = g.end
	n := len(g.hashes) - g.start
	if n >= Group {
		g.end += min(n, g.most) / Group * Group
	} else {
		g.end += Group
	}
	if n < 0 {
		copy(g.hashes[g.start-Group:], g.buffer.sums[:])
	}
	return n > 0
}

// Keys returns the first key of the call, and Hashes where the hashes are stored and of how many
// keys: whole groups.
func (g *Groups) Keys() *byte {
	if g.end > len(g.hashes) {
		return &g.buffer.padded[0]
	}
	return (*byte)(unsafe.Add(g.keys.data, g.start*int(g.keys.step)))
}

func (g *Groups) Hashes() (first *uint64, n int) {
	if g.end > len(g.hashes) {
		return &g.buffer.sums[0], Group
	}
	return &g.hashes[g.start], g.end - g.start
}
