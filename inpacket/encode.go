package inpacket

import (
	"cmp"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
)

// Candidate is a header for some elements in one of the tables, and how good it is.
type Candidate[B Block] struct {
	Header Header[B]
	False  int // how many of the identifiers that were asked match without being elements
	Fill   int // the number of set bits, in all lanes
	Stuck  int // elements whose bits are all shared, so that a delete will retain them
}

// Best returns the best of some candidates. It compares them in this order: by how many bits they
// exceed the fill limit, by false matches, by stuck elements if [Config.Deletable] is set, and by
// set bits. It panics if there are no candidates.
func (p *Plane[B]) Best(candidates []Candidate[B]) Candidate[B] {
	return slices.MinFunc(candidates, func(x, y Candidate[B]) int {
		return cmp.Or(
			cmp.Compare(p.excess(&x), p.excess(&y)),
			cmp.Compare(x.False, y.False),
			cmp.Compare(p.stuck(&x), p.stuck(&y)),
			cmp.Compare(x.Fill, y.Fill),
		)
	})
}

// Clean reports whether Encode may return a candidate: it has no false match, is within the fill
// limit, and has no stuck element if [Config.Deletable] is set.
func (p *Plane[B]) Clean(c *Candidate[B]) bool {
	return c.False == 0 && p.excess(c) == 0 && p.stuck(c) == 0
}

// excess returns by how many bits a candidate exceeds the fill limit.
func (p *Plane[B]) excess(c *Candidate[B]) int { return max(0, c.Fill-p.config.FillLimit) }

// stuck returns the number of stuck elements of a candidate, or 0 if they do not matter.
func (p *Plane[B]) stuck(c *Candidate[B]) int {
	if !p.config.Deletable {
		return 0
	}
	return c.Stuck
}

// Encode returns the best header for some elements: of the clean candidates, the one with the
// fewest set bits. A candidate is clean if no identifier of asked matches by accident, if it is
// within the fill limit, and, with [Config.Deletable], if every element can be deleted from it. If
// no candidate is clean, the error wraps [ErrNoCandidate].
//
// asked are the identifiers that the packet can meet, such as all links that leave the nodes of a
// delivery tree. nil stands for all known identifiers. asked may contain elements.
//
// A header with few bits has few false matches, but its elements share many bits. If a service must
// be gone from the header after it has served, set [Config.Deletable].
//
// Elements and asked identifiers must be known: see [Plane.Add]. No element may occur twice,
// because it would collide with itself and could not be deleted. The error is an *[EncodeError].
func (p *Plane[B]) Encode(elements, queries [][]byte) (Candidate[B], error) {
	candidates, err := p.Candidates(elements, queries)
	if err != nil {
		return Candidate[B]{}, err
	}
	best := p.Best(candidates)
	if !p.Clean(&best) {
		return Candidate[B]{}, &EncodeError{Err: ErrNoCandidate, Elements: len(elements),
			Candidates: len(candidates), False: best.False, Fill: best.Fill, Stuck: best.Stuck}
	}
	return best, nil
}

// Candidates returns the candidate of every table, clean or not, so that you can choose by other
// rules. Its arguments and its errors are those of Encode, without [ErrNoCandidate].
func (p *Plane[B]) Candidates(elements, queries [][]byte) ([]Candidate[B], error) {
	members, err := p.places(elements)
	if err != nil {
		return nil, err
	}
	nonMembers, err := p.nonMembers(members, queries)
	if err != nil {
		return nil, err
	}
	candidates := make([]Candidate[B], p.config.Tables)
	scratch := make([]B, 0, len(nonMembers))
	for table := range candidates {
		candidates[table] = p.candidate(table, members, nonMembers, queries == nil, scratch)
	}
	return candidates, nil
}

// places returns the places of elements in the tables.
func (p *Plane[B]) places(elements [][]byte) ([]int, error) {
	places := make([]int, len(elements))
	for i, identifier := range elements {
		place, ok := p.known[string(identifier)]
		if !ok {
			return nil, &EncodeError{Err: ErrUnknown, Identifier: identifier}
		}
		if slices.Contains(places[:i], place) {
			return nil, &EncodeError{Err: ErrDuplicate, Identifier: identifier}
		}
		places[i] = place
	}
	return places, nil
}

// nonMembers returns the places of the asked identifiers that are no members.
func (p *Plane[B]) nonMembers(members []int, queries [][]byte) ([]int, error) {
	var places []int
	for _, identifier := range queries {
		place, ok := p.known[string(identifier)]
		if !ok {
			return nil, &EncodeError{Err: ErrUnknown, Identifier: identifier}
		}
		if !slices.Contains(members, place) {
			places = append(places, place)
		}
	}
	return places, nil
}

// candidate makes the candidate of a table.
func (p *Plane[B]) candidate(
	table int,
	members, nonMembers []int,
	all bool,
	scratch []B,
) Candidate[B] {
	masks := p.tables[table]
	c := Candidate[B]{Header: Header[B]{Plain: p.config.Plain, Table: uint8(table)}}
	for _, place := range members {
		put(&c.Header.Block, &masks[place], p.config.Plain)
	}
	c.Fill = c.Header.Fill()
	for _, place := range members {
		if p.config.Plain || allShared(&c.Header.Block, &masks[place]) {
			c.Stuck++
		}
	}
	if all {
		c.False = match(&c.Header.Block, masks) - len(members) // all members match
		return c
	}
	scratch = scratch[:0]
	for _, place := range nonMembers {
		scratch = append(scratch, masks[place])
	}
	c.False = match(&c.Header.Block, scratch)
	return c
}

// allShared reports whether every bit of a member's mask lies in a collided region. Deletes clear
// no collision bit, so deletes do not change the answer.
func allShared[B Block](block, mask *B) bool {
	var free uint64
	for i := fallback.CollisionLanes; i < fallback.Lanes; i++ {
		free |= lane(mask, i) &^ lane(block, 0)
	}
	return free == 0
}
