package xdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// event is a call in a history: an insert, a delete or a query of one address, with the times of
// its begin and its end by one clock for all.
type event struct {
	kind       byte // 'i', 'd', 'q'
	begin, end int64
	denied     bool // of a query
}

// history is the events of addresses, of many goroutines.
type history struct {
	clock  atomic.Int64
	mu     sync.Mutex
	events map[netip.Addr][]event
}

func (h *history) note(a netip.Addr, kind byte, call func() (denied bool)) {
	e := event{kind: kind, begin: h.clock.Add(1)}
	e.denied = call()
	e.end = h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events[a] = append(h.events[a], e)
}

// missed returns the queries that did not find an address that was a member all the time, and
// found those that found one that was no member at any time. Writes of an address follow each
// other.
func (h *history) missed() (missed, found, denied []string) {
	for a, events := range h.events {
		slices.SortFunc(events, func(x, y event) int { return cmp.Compare(x.begin, y.begin) })
		for _, q := range events {
			if q.kind != 'q' {
				continue
			}
			member, possible := false, false // all the time; at some time
			for _, e := range events {
				switch {
				case e.kind == 'q':
				case e.end < q.begin:
					member = e.kind == 'i'
					possible = member
				case e.begin < q.end: // at the same time
					member = member && e.kind == 'i'
					possible = true
				}
			}
			text := fmt.Sprintf("%v: %+v of %+v", a, q, events)
			switch {
			case member && !q.denied:
				missed = append(missed, text)
			case !possible && q.denied:
				found = append(found, text)
			case q.denied:
				denied = append(denied, text)
			}
		}
	}
	return missed, found, denied
}

// Recorded histories of addresses that the kernel tells of, and that Go inserts and deletes beside
// batches of others in the same blocks: a packet that comes after the insert has returned, and ends
// before the delete begins, falls. Where exact sets confirm, one that comes after the delete
// passes.
func TestLearnedHistories(t *testing.T) {
	for _, mode := range []Mode{Filter, Exact} {
		t.Run(mode.String(), func(t *testing.T) { testLearnedHistories(t, mode) })
	}
}

func testLearnedHistories(t *testing.T, mode Mode) {
	p := load(t, Options{Mode: mode, Learn: true, Lengths: Lengths{IPv4: []int{32, 24}}})
	table, err := p.NewTable(deletable.Config{Members: 6000, BitsPerKey: 16,
		Key: keytest.Sip(35, 20)})
	if err == nil {
		err = p.Replace(Deny, table)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	trap, server := addr("198.51.100.1"), addr("198.51.100.2")
	if err := p.table(t, Trap, 10).Insert(one(trap)); err != nil {
		t.Fatal(err)
	}
	spared := addr("10.0.0.1")
	if err := p.table(t, NeverDeny, 10).Insert(one(spared)); err != nil {
		t.Fatal(err)
	}
	h := history{events: map[netip.Addr][]event{}}
	h.events[spared] = nil
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var group sync.WaitGroup
	errs := make([]error, 3)
	learned := make(chan netip.Addr, 1<<16)
	members := map[netip.Addr]bool{} // of the goroutine that learns
	repeated := 0
	var admitted atomic.Int64
	group.Go(func() {
		defer stop() // also where it fails
		errs[0] = p.Learn(ctx, func(s Sighting) (err error) {
			if s.Trap != trap || s.Address == spared {
				return fmt.Errorf("told of %+v", s)
			}
			if members[s.Address] {
				repeated++
				return nil
			}
			members[s.Address] = true
			defer admitted.Add(1)
			h.note(s.Address, 'i', func() bool { err = table.Insert(one(s.Address)); return false })
			select {
			case learned <- s.Address:
			default: // it stays a member
			}
			return err
		})
	})
	group.Go(func() { // deletes every other one
		defer stop()
		for n := 0; ctx.Err() == nil; n++ {
			select {
			case <-ctx.Done():
			case a := <-learned:
				if n%2 == 0 {
					var status filter.Status
					h.note(a, 'd', func() bool {
						status, errs[1] = table.Delete(one(a))
						return false
					})
					if errs[1] != nil || status == filter.Absent {
						errs[1] = errors.Join(errs[1], fmt.Errorf("%v is %v", a, status))
						return
					}
				}
			}
		}
	})
	group.Go(func() { // others, in the same blocks
		defer stop()
		batch := make([]netip.Prefix, 200)
		for n := 0; ctx.Err() == nil && errs[2] == nil; n++ {
			for i := range batch {
				batch[i] = prefix(fmt.Sprintf("%d.%d.%d.0/24", 240+n%8, n/8%256, i))
			}
			errs[2] = table.InsertBatch(batch)
			_, err := table.DeleteBatch(batch, nil)
			errs[2] = errors.Join(errs[2], err)
		}
	})
	rng := rand.New(rand.NewPCG(35, 8))
	trapped := uint64(0)
	packets := min(queries()*10, 100_000)
	fell := 0
	few := func() bool { return admitted.Load() < int64(packets/100) || fell < packets/500 }
	for n := 0; ctx.Err() == nil && (n < packets || few() && n < 20*packets); n++ {
		a := netip.AddrFrom4([4]byte{10, 1, byte(rng.IntN(8)), byte(rng.IntN(256))})
		switch rng.IntN(10) {
		case 0:
			before, err := p.Counts()
			if err != nil {
				t.Fatal(err)
			}
			denied := p.run(t, frame(a, trap))
			after, err := p.Counts()
			if err != nil {
				t.Fatal(err)
			}
			counted := after.Learned + after.Unlearned - before.Learned - before.Unlearned
			if (counted == 1) == denied || counted > 1 {
				t.Fatalf("a packet to a trap: denied %v, told of %d times", denied, counted)
			}
			trapped += counted
		case 1:
			if p.run(t, frame(spared, trap)) {
				t.Fatal("a spared address is denied")
			}
		default:
			h.note(a, 'q', func() bool {
				dropped := p.run(t, frame(a, server))
				if dropped {
					fell++
				}
				return dropped
			})
		}
	}
	stop()
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	missed, found, denied := h.missed()
	if len(missed) > 0 {
		t.Errorf("%d packets of members passed, such as %s", len(missed), missed[0])
	}
	// in the mode Filter there are false positives, and deletes that are retained
	if mode == Exact && len(found) > 0 {
		t.Errorf("%d packets of others fell, such as %s", len(found), found[0])
	}
	if len(denied) < packets/1000 {
		t.Errorf("%d addresses were learned, and %d packets of theirs fell: want more",
			len(members), len(denied))
	}
	if c, err := p.Counts(); err != nil || c.Learned+c.Unlearned != trapped ||
		c.Learned < uint64(len(members)) {
		t.Errorf("%+v, %v; %d packets met the trap, %d addresses were learned, %d again", c, err,
			trapped, len(members), repeated)
	}
}

// A history in which a packet of a member passes is found, and one in which a packet of another
// falls.
func TestHistoriesFail(t *testing.T) {
	a := addr("10.0.0.1")
	for _, test := range []struct {
		events        []event
		missed, found int
	}{
		{[]event{{'i', 1, 2, false}, {'q', 3, 4, true}}, 0, 0},
		{[]event{{'i', 1, 2, false}, {'q', 3, 4, false}}, 1, 0},
		{[]event{{'i', 1, 3, false}, {'q', 2, 4, false}}, 0, 0},
		{[]event{{'i', 1, 3, false}, {'q', 2, 4, true}}, 0, 0},
		{[]event{{'q', 1, 2, true}, {'i', 3, 4, false}}, 0, 1},
		{[]event{{'i', 1, 2, false}, {'d', 3, 6, false}, {'q', 4, 5, false}}, 0, 0},
		{[]event{{'i', 1, 2, false}, {'d', 3, 4, false}, {'q', 5, 6, true}}, 0, 1},
		{[]event{{'i', 1, 2, false}, {'q', 3, 4, false}, {'d', 5, 6, false}}, 1, 0},
	} {
		h := history{events: map[netip.Addr][]event{a: test.events}}
		missed, found, _ := h.missed()
		if len(missed) != test.missed || len(found) != test.found {
			t.Errorf("%+v: %v and %v", test.events, missed, found)
		}
	}
}

// What the ring has no room for is counted, and packets go on.
func TestUnlearned(t *testing.T) {
	for _, text := range []string{"198.51.100.1", "2001:db8::1"} {
		p := load(t, Options{Learn: true})
		trap := addr(text)
		if err := p.table(t, Trap, 10).Insert(one(trap)); err != nil {
			t.Fatal(err)
		}
		source := trap.Next()
		const packets = 10_000
		for range packets {
			if p.run(t, frame(source, trap)) {
				t.Fatal("a packet falls")
			}
		}
		c, err := p.Counts()
		if err != nil || c.Learned+c.Unlearned != packets || c.Unlearned == 0 ||
			c.Learned < packets/4 {
			t.Errorf("%+v, %v", c, err)
		}
		enough := errors.New("enough")
		n := uint64(0)
		err = p.Learn(context.Background(), func(s Sighting) error {
			if s != (Sighting{source, trap}) {
				t.Errorf("told of %+v", s)
			}
			if n++; n == c.Learned {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Error(err)
		}
	}
}
