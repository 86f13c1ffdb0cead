package streams

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// near is how far from a figure the ends of its interval may be for the figure to stand alone.
const near = 0.1

// share is a part of a whole, both counted.
type share struct {
	Count int `json:"count"`
	Of    int `json:"of"`
}

func (s share) value() float64 { return float64(s.Count) / float64(max(1, s.Of)) }

// and is the share with one more, which counts or does not.
func (s share) and(counts bool) share {
	s.Of++
	if counts {
		s.Count++
	}
	return s
}

// interval is Wilson's, of 95 %.
func (s share) interval() (low, high float64) {
	of := audit.Answers{NonMembers: s.Of, FalsePositives: s.Count}.Rate()
	return of.Low, of.High
}

// spread is of the times of the rounds: the least, and what a quarter of them do not exceed.
type spread struct {
	Least    float64 `json:"least_ns"`
	Quartile float64 `json:"quartile_ns,omitzero"`
}

// percent is the share in percent, or its interval where that is wide.
func (s share) percent() string {
	low, high := s.interval()
	switch v := s.value(); {
	case s.Of == 0:
		return ""
	case s.Count == 0:
		return fmt.Sprintf("below %.2g", 100*high)
	case v-low > near*v || high-v > near*v:
		return fmt.Sprintf("%.2g–%.2g", 100*low, 100*high)
	default:
		return fmt.Sprintf("%.3g", 100*v)
	}
}

// text is the least time, and the quartile where that is much more.
func (s spread) text() string {
	if s.Least == 0 {
		return ""
	}
	if s.Quartile > (1+near)*s.Least {
		return quantity.Digits(s.Least) + "–" + quantity.Digits(s.Quartile)
	}
	return quantity.Digits(s.Least)
}

// texts are the times of a query, a delete and an insert, with that of what the insert has inserted
// again; and how often a key is a member.
func (t *times) texts() (query, remove, insert, count string) {
	if t == nil {
		return
	}
	insert = t.Insert.text()
	if t.Again.Least > 0 {
		insert += " + " + t.Again.text()
	}
	return t.Query.text(), t.Delete.text(), insert, t.Count.text()
}

// bitsOf writes a number of bits per key.
func bitsOf(bits float64) string { return fmt.Sprintf("%.1f", bits) }
