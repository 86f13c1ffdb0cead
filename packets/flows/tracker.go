package flows

import (
	"fmt"
	"math"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/bloomlane/bloomlane/packets/capture"
)

// end says why a flow ended.
type end string

const (
	idle    end = "idle"    // no packet came for the idle timeout
	closed  end = "closed"  // both sides sent a FIN
	reset   end = "reset"   // one side sent a RST
	evicted end = "evicted" // to make room for another flow
	cut     end = "cut"     // it had not ended when the packets did
)

// flow is what is known of a flow. Times are since the first packet.
type flow struct {
	key         tuple
	first, last time.Duration
	gap         time.Duration // from the beginning of the flow before it
	packets     int
	syn         bool    // it begins with a SYN
	fins        [2]bool // from the low end, from the high one
	over        bool    // it has ended, and late packets of it begin no other
}

// observer is told when flows begin and end, in the order of time.
type observer interface {
	began(f *flow)
	ended(f *flow, at time.Duration, why end)
}

// Packets are numbers of packets.
type Packets struct {
	All      int `json:"all"`
	NoIP     int `json:"no_ip"`          // no IP header
	Fragment int `json:"fragments"`      // after the first: they have no ports
	Cut      int `json:"cut"`            // before the transport's header ends
	Late     int `json:"late"`           // of connections that had ended
	Backward int `json:"times_backward"` // earlier than one before them
	Astray   int `json:"times_astray"`   // by more than the idle timeout off those around them
}

// tracker follows flows, exactly, in memory that is bounded by a number of flows.
type tracker struct {
	observer observer
	timeout  time.Duration
	limit    int // of flows, with those that are over but may still have late packets

	start   time.Time     // of the first packet that has a time
	now     time.Duration // since then
	begun   time.Duration // the latest flow
	flows   *simplelru.LRU[tuple, *flow]
	packets Packets
}

func newTracker(timeout time.Duration, limit int, observer observer) (*tracker, error) {
	flows, err := simplelru.NewLRU[tuple, *flow](limit, nil)
	if err != nil {
		return nil, fmt.Errorf("flows: room for %d flows: %w", limit, err)
	}
	return &tracker{observer: observer, timeout: timeout, limit: limit, flows: flows}, nil
}

// packet follows a packet.
func (t *tracker) packet(h *capture.Header) {
	t.packets.All++
	t.tick(h.Time)
	switch {
	case !h.Source.IsValid():
		t.packets.NoIP++
	case h.Fragment:
		t.packets.Fragment++
	case !h.Whole:
		t.packets.Cut++
	default:
		t.follow(h)
	}
}

// tick moves the time on, and ends the flows that were idle by then.
func (t *tracker) tick(moment time.Time) {
	if moment.IsZero() {
		return
	}
	if t.start.IsZero() {
		t.start = moment
	}
	now := moment.Sub(t.start) // at most 292 years
	if now < t.now {
		t.packets.Backward++
		return
	}
	t.now = now
	for {
		_, oldest, ok := t.flows.GetOldest()
		if !ok || t.now-oldest.last < t.timeout {
			return
		}
		t.drop(oldest, later(oldest.last, t.timeout), idle)
	}
}

// later returns a time that is so much later, or the last that there is.
func later(t, d time.Duration) time.Duration {
	if d > math.MaxInt64-t {
		return math.MaxInt64
	}
	return t + d
}

// drop forgets a flow.
func (t *tracker) drop(f *flow, at time.Duration, why end) {
	t.flows.Remove(f.key)
	if !f.over {
		t.end(f, at, why)
	}
}

func (t *tracker) end(f *flow, at time.Duration, why end) {
	f.over = true
	t.observer.ended(f, at, why)
}

// follow adds a packet to its flow.
func (t *tracker) follow(h *capture.Header) {
	k, sender := keyOf(h)
	tcp := h.Protocol == layers.IPProtocolTCP
	opens := tcp && h.Flags&(capture.SYN|capture.ACK) == capture.SYN
	f, known := t.flows.Get(k) // which makes it the one seen last
	if known && !f.over && opens && (f.fins[0] || f.fins[1]) {
		t.end(f, t.now, closed) // the other side's FIN was not captured
	}
	switch {
	case known && f.over && !opens:
		f.last = t.now
		t.packets.Late++
		return
	case known && f.over:
		t.begin(f, k, opens)
	case !known:
		if t.flows.Len() == t.limit {
			_, oldest, _ := t.flows.GetOldest()
			t.drop(oldest, t.now, evicted)
		}
		f = new(flow)
		t.flows.Add(k, f)
		t.begin(f, k, opens)
	}
	f.last = t.now
	f.packets++
	if !tcp {
		return
	}
	if h.Flags&capture.FIN != 0 {
		f.fins[0] = f.fins[0] || sender == k.low
		f.fins[1] = f.fins[1] || sender == k.high
	}
	switch {
	case h.Flags&capture.RST != 0:
		t.end(f, t.now, reset)
	case f.fins[0] && f.fins[1]:
		t.end(f, t.now, closed)
	}
}

func (t *tracker) begin(f *flow, k tuple, syn bool) {
	*f = flow{key: k, first: t.now, last: t.now, gap: t.now - t.begun, syn: syn}
	t.begun = t.now
	t.observer.began(f)
}

// finish ends the packets: the flows that have not ended are cut.
func (t *tracker) finish() {
	for _, f := range t.flows.Values() { // the oldest first
		if !f.over {
			t.end(f, t.now, cut)
		}
	}
}
