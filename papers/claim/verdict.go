package claim

import "math"

// Verdict is what became of a claim.
type Verdict string

// The verdicts.
const (
	// the interval measured meets what was published, and would not meet a value a tenth off
	Reproduced Verdict = "reproduced"
	Differs    Verdict = "differs" // it does not, or the direction is another one
	// the interval holds what agrees with the paper and what does not
	Undecided Verdict = "undecided"
	// only a direction was published, and it is significant
	InTrend         Verdict = "trend"
	NotPublished    Verdict = "not published"        // our own number
	NotRun          Verdict = "not run"              // only the full run measures it
	NotReproducible Verdict = "cannot be reproduced" // nothing can be measured
)

// Verdicts are all of them, in the order of reports.
var Verdicts = []Verdict{
	Reproduced, InTrend, Undecided, Differs, NotReproducible, NotRun, NotPublished,
}

// unexplained marks a verdict whose reason nobody has written: with another seed, another list or a
// changed filter a claim may come out as nobody has seen it.
const unexplained = "no reason is written for this verdict"

// Judge sets the verdict, drops a reason that it does not need, and marks the lack of one.
func (c *Claim) Judge() {
	c.Verdict = c.verdict()
	switch needs := c.Verdict == Differs || c.Verdict == NotReproducible; {
	case !needs:
		c.Why = ""
	case c.Why == "":
		c.Why = unexplained
	}
}

// Explained says whether the verdict has the reason that it needs.
func (c *Claim) Explained() bool { return c.Why != unexplained }

func (c *Claim) verdict() Verdict {
	if c.Measured == nil && c.Verdict == NotRun {
		return NotRun
	}
	return verdict(&c.Published, &c.Interval)
}

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
		return InTrend
	case fails:
		return Differs
	}
	return Undecided
}

// Meant says whether a paper meant a reading.
type Meant string

// What is known of a reading that holds where another one of the same sentence does not.
const (
	MustBeMeant Meant = "must be meant" // no other holds
	MayBeMeant  Meant = "may be meant"
)

// findMeant finds the readings that papers must have meant, or may: those by which all claims of a
// sentence hold, where another reading differs.
func findMeant(claims []Claim) {
	type sentence struct{ item, where string }
	holds := map[sentence]map[string]bool{} // by reading
	for _, c := range claims {
		own := sentence{c.Item, c.Where}
		if holds[own] == nil {
			holds[own] = map[string]bool{}
		}
		held, found := holds[own][c.Reading]
		if c.Reading != Literal && (c.Verdict == Differs || c.holds()) {
			holds[own][c.Reading] = c.holds() && (held || !found)
		}
	}
	for i := range claims {
		c := &claims[i]
		readings, number := holds[sentence{c.Item, c.Where}], 0
		for _, held := range readings {
			if held {
				number++
			}
		}
		switch {
		case !c.holds() || !readings[c.Reading] || number == len(readings):
		case number == 1:
			c.Meant = MustBeMeant
		default:
			c.Meant = MayBeMeant
		}
	}
}

// holds says whether what was published does.
func (c *Claim) holds() bool { return c.Verdict == Reproduced || c.Verdict == InTrend }
