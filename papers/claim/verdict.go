package claim

// Verdict is what became of a claim.
type Verdict string

// The verdicts.
const (
	// the interval measured meets the one published
	Reproduced Verdict = "reproduced"
	Differs    Verdict = "differs" // it does not, or the direction is another one
	// only a direction was published, and it is significant
	InTrend         Verdict = "trend"
	NotPublished    Verdict = "not published"        // a point of a figure that no sentence gives
	NotReproducible Verdict = "cannot be reproduced" // nothing was measured
)

// Verdicts are all of them, in the order of reports.
var Verdicts = []Verdict{Reproduced, InTrend, Differs, NotReproducible, NotPublished}

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
	holds := false
	switch {
	case c.Measured == nil:
		return NotReproducible
	case c.Direction == Higher:
		holds = *c.Low > 0
	case c.Direction == Lower:
		holds = *c.High < 0
	case c.Direction == NotHigher:
		holds = *c.Low <= 0
	case c.Value == nil:
		return NotPublished
	case *c.Low <= *c.Most && *c.High >= *c.Least:
		return Reproduced
	}
	if holds {
		return InTrend
	}
	return Differs
}

// Meant says whether a paper meant a reading.
type Meant string

// What is known of a reading that holds where another one of the same sentence does not.
const (
	MustBeMeant Meant = "must be meant" // no other holds
	MayBeMeant  Meant = "may be meant"
)

// findMeant finds the readings that papers must have meant, or may.
func findMeant(claims []Claim) {
	type sentence struct{ item, where, quantity string }
	differ, hold := map[sentence]bool{}, map[sentence][]*Claim{}
	for i := range claims {
		c := &claims[i]
		of := sentence{c.Item, c.Where, c.Quantity}
		switch {
		case c.Reading == Literal:
		case c.Verdict == Differs:
			differ[of] = true
		case c.Verdict == Reproduced || c.Verdict == InTrend:
			hold[of] = append(hold[of], c)
		}
	}
	for of, readings := range hold {
		for _, c := range readings {
			switch {
			case !differ[of]:
			case len(readings) == 1:
				c.Meant = MustBeMeant
			default:
				c.Meant = MayBeMeant
			}
		}
	}
}
