package inpacket

import (
	"cmp"
	"slices"

	"github.com/bloomlane/bloomlane/fallback"
)

// Candidate is a header for some elements in one of the tables, and what it is worth.
type Candidate[B Block] struct {
	Header Header[B]
	False  int // of the identifiers that were asked, how many match without being elements
	Fill   int // bits that are set, in all lanes
	Stuck  int // elements all of whose bits are shared, so that a delete will retain them
}

// Best returns the best of some candidates: one within the fill limit if there is one, with the
// fewest false matches, then with the fewest stuck elements where [Config.Deletable] minds them,
// and then with the fewest bits. It panics where there are none.
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

// Clean reports whether Encode would return a candidate: it has no false match, is within the fill
// limit, and has no stuck element where [Config.Deletable] minds them.
func (p *Plane[B]) Clean(c *Candidate[B]) bool {
	return c.False == 0 && p.excess(c) == 0 && p.stuck(c) == 0
}

// excess returns by how many bits a candidate is over the fill limit.
func (p *Plane[B]) excess(c *Candidate[B]) int { return max(0, c.Fill-p.config.FillLimit) }

// stuck returns the stuck elements of a candidate, if they matter.
func (p *Plane[B]) stuck(c *Candidate[B]) int {
	if !p.config.Deletable {
		return 0
	}
	return c.Stuck
}

// Encode returns the best header for some elements: that of the table in which the fewest of the
// identifiers asked match by accident, and then the one with the fewest bits. One with any false
// match, one over the fill limit and, if [Config.Deletable] asks so, one with an element that could
// not be deleted, is not returned: the error then wraps [ErrNoCandidate].
//
// The fewest bits mean the fewest false matches to come, and also the most bits that elements
// share: where a service must be gone from the header once it has served, ask for
// [Config.Deletable].
//
// Which identifiers are asked is up to the caller: those that the packet can meet, such as all
// links that leave the nodes of a delivery tree; nil means all that are known. It may contain
// elements.
//
// Elements and identifiers asked must be known, and no element may be there twice: it would collide
// with itself, and never be deleted. The error is an *[EncodeError].
func (p *Plane[B]) Encode(elements, asked [][]byte) (Candidate[B], error) {
	candidates, err := p.Candidates(elements, asked)
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

// Candidates returns the candidate of every table, clean or not, for who wants to choose by other
// rules. Its arguments and its error are those of Encode, less [ErrNoCandidate].
func (p *Plane[B]) Candidates(elements, asked [][]byte) ([]Candidate[B], error) {
	members, err := p.places(elements)
	if err != nil {
		return nil, err
	}
	nonMembers, err := p.nonMembers(members, asked)
	if err != nil {
		return nil, err
	}
	candidates := make([]Candidate[B], p.config.Tables)
	scratch := make([]B, 0, len(nonMembers))
	for table := range candidates {
		candidates[table] = p.candidate(table, members, nonMembers, asked == nil, scratch)
	}
	return candidates, nil
}

// places returns the places of identifiers in the tables.
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

// nonMembers returns the places of the identifiers asked that are no members.
func (p *Plane[B]) nonMembers(members []int, asked [][]byte) ([]int, error) {
	var places []int
	for _, identifier := range asked {
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
func (p *Plane[B]) candidate(table int, members, nonMembers []int, all bool,
	scratch []B) Candidate[B] {
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
		c.False = match(&c.Header.Block, masks) - len(members) // who all match
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
// no collision bit, so that it holds whatever is deleted before.
func allShared[B Block](block, mask *B) bool {
	var free uint64
	for i := fallback.CollisionLanes; i < fallback.Lanes; i++ {
		free |= lane(mask, i) &^ lane(block, 0)
	}
	return free == 0
}
