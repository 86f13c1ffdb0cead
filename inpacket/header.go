package inpacket

import (
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel"
)

// Header is an in-packet filter with the fields that go with it in the packet. [Plane.Encode] makes
// one.
type Header[B Block] struct {
	Plain bool   // a zFilter of LIPSIN, without a collision lane; with 256 bits only
	Table uint8  // the number of the table from which the bits of its elements are
	Next  uint16 // the EtherType of what follows it in the packet
	Block B      // the filter
}

// Header256 and Header512 are the headers of the two widths.
type (
	Header256 = Header[kernel.Block256]
	Header512 = Header[kernel.Block512]
)

// Element is an identifier in the form that nodes hold: its bits in every table. [Plane.Element]
// makes one.
type Element[B Block] struct {
	// Masks has the mask of the element in every table.
	Masks []B

	// Positions has the positions of the element in every table, which is the form with the fewest
	// flip-flops in hardware: 35 bits for a header of 256 bits, 42 for one of 512 bits. It is nil
	// for elements of plain headers, whose bits may lie in any lane.
	Positions []uint64
}

// mask returns the element's mask in a header's table, and nil where the element has no such table,
// as it can happen with a header from an unknown sender.
func (e *Element[B]) mask(h *Header[B]) *B {
	if int(h.Table) >= len(e.Masks) {
		return nil
	}
	return &e.Masks[h.Table]
}

// Query reports whether the header contains the element: true for every element that was inserted
// and has not been deleted, and for a false match. It is false where the element does not have the
// header's table.
func (h *Header[B]) Query(e Element[B]) bool {
	mask := e.mask(h)
	return mask != nil && query(&h.Block, mask)
}

// Insert inserts the element and reports whether the header contained it before. Where the element
// does not have the header's table, nothing happens.
func (h *Header[B]) Insert(e Element[B]) bool {
	mask := e.mask(h)
	if mask == nil {
		return false
	}
	return put(&h.Block, mask, h.Plain)
}

// put inserts a mask into the block of a header, which is plain or not.
func put[B Block](block, mask *B, plain bool) bool {
	if !plain {
		return insert(block, mask)
	}
	present := query(block, mask)
	for i := range fallback.Lanes {
		setLane(block, i, lane(block, i)|lane(mask, i))
	}
	return present
}

// Delete deletes the element, which must be a member. If it is a false match, its delete may clear
// bits of members, and those are no longer found. A plain header retains every element that it
// contains.
func (h *Header[B]) Delete(e Element[B]) kernel.Status {
	mask := e.mask(h)
	switch {
	case mask == nil:
		return kernel.Absent
	case !h.Plain:
		return remove(&h.Block, mask)
	case query(&h.Block, mask):
		return kernel.Retained
	}
	return kernel.Absent
}

// Apply does what the in-line engine does, and returns its result. For a delete that is the result
// of Delete. For a query and an insert it is Retained if the header contained the element before,
// and else Absent. A pass, or an unknown op, does nothing and returns Absent.
func (h *Header[B]) Apply(op Op, e Element[B]) kernel.Status {
	switch {
	case op == OpDelete:
		return h.Delete(e)
	case op == OpQuery && h.Query(e), op == OpInsert && h.Insert(e):
		return kernel.Retained
	}
	return kernel.Absent
}

// Fill returns the number of set bits, in all lanes. A fill limit is a bound for it.
func (h *Header[B]) Fill() int { return ones(&h.Block) }
