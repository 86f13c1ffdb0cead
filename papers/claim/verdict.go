package claim

import "math"

// Verdict is what became of a value, or of a cell.
type Verdict string

// The verdicts.
const (
	// the interval measured meets what was published, and would not meet a value a tenth off; or
	// the direction that was published is significant
	Reproduced Verdict = "reproduced"
	Differs    Verdict = "differs" // it does not, or the direction is another one
	// the interval holds what agrees with the paper and what does not
	Undecided       Verdict = "undecided"
	NotPublished    Verdict = "not published"        // our own number
	NotReproducible Verdict = "cannot be reproduced" // nothing can be measured
)

// Verdicts are all of them, in the order of reports.
var Verdicts = []Verdict{
	Reproduced, Undecided, Differs, NotReproducible, NotPublished,
}

// unexplained marks a verdict whose reason nobody has written: with another seed, another list or a
// changed filter a value may come out as nobody has seen it.
const unexplained = "no reason is written for this verdict"

// verdict is that on what is published, by what was measured.
func verdict(p *Published, i *Interval) Verdict {
	switch {
	case i.Measured == nil:
		return NotReproducible
	case p.Direction == Higher:
		return direction(*i.Low > 0, *i.High <= 0)
	case p.Direction == Lower:
		return direction(*i.High < 0, *i.Low >= 0)
	case p.Direction == NotHigher:
		return direction(*i.High <= 0, *i.Low > 0)
	case p.Value == nil:
		return NotPublished
	}
	least, most := math.Inf(-1), math.Inf(1)
	if p.Least != nil {
		least = *p.Least
	}
	if p.Most != nil {
		most = *p.Most
	}
	// The interval may be a little wider than what was published: by a twentieth of the value. A
	// wider one would also meet a value that is a tenth off.
	room := 0.0
	if p.Least != nil && p.Most != nil {
		room = math.Abs(*p.Value) / 20
	}
	switch {
	case *i.High < least || *i.Low > most:
		return Differs
	case *i.Low < least-room || *i.High > most+room:
		return Undecided
	}
	return Reproduced
}

// direction is the verdict on a difference of which the interval is on the side that was published,
// or on the other one.
func direction(holds, fails bool) Verdict {
	switch {
	case holds:
		return Reproduced
	case fails:
		return Differs
	}
	return Undecided
}
