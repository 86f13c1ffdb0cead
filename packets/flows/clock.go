package flows

import (
	"fmt"
	"time"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// clock takes the times from packets that are astray, as a corrupt one is. A timestamp that jumps
// ahead by more than a bound is ignored if the next packet jumps back; a jump that stays counts. A
// packet that is behind by more than the bound is astray too; its time counts for nothing anyway.
type clock struct {
	packets capture.Headers
	bound   time.Duration
	latest  time.Time // or zero: none had a time
	astray  int

	ahead bool // next and err are the answer to the next read
	next  capture.Header
	err   error
}

// NextHeader implements [capture.Headers].
func (c *clock) NextHeader() (h capture.Header, err error) {
	if c.ahead {
		c.ahead, h, err = false, c.next, c.err
	} else {
		h, err = c.packets.NextHeader()
	}
	if err != nil || h.Time.IsZero() {
		return h, err
	}
	switch {
	case c.latest.IsZero() || h.Time.Sub(c.latest) > c.bound:
		c.next, c.err = c.packets.NextHeader()
		c.ahead = true
		if c.err == nil && !c.next.Time.IsZero() && h.Time.Sub(c.next.Time) > c.bound {
			c.astray++
			h.Time = time.Time{}
			return h, nil
		}
	case c.latest.Sub(h.Time) > c.bound:
		c.astray++
	}
	if h.Time.After(c.latest) {
		c.latest = h.Time
	}
	return h, nil
}

// mostAstray is the part of the packets whose times may be astray. With more, times say nothing
// about flows.
const mostAstray = 0.01

// ClockError says that the times of the packets are no basis for advice.
type ClockError struct {
	Astray, Packets int
	Bound           time.Duration
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("found %d of %d packets more than %v off the times around them, expected "+
		"at most %g %%", e.Astray, e.Packets, e.Bound, 100*mostAstray)
}

// trust returns a *ClockError where too many packets are astray.
func (t *Traffic) trust() error {
	// One alone says nothing of the others.
	if p := &t.Packets; p.Astray > 1 && float64(p.Astray) > mostAstray*float64(p.All) {
		return &ClockError{p.Astray, p.All, t.timeout}
	}
	return nil
}
