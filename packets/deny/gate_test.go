package deny

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/xdp"
)

// newGate returns a gate that is attached nowhere, until the end of the test.
func newGate(t *testing.T, config Config, prefixes []netip.Prefix) *Gate {
	t.Helper()
	g, err := New(config, map[xdp.List][]netip.Prefix{xdp.Deny: prefixes})
	if err != nil {
		var lacking *xdp.Error
		if errors.As(err, &lacking) {
			require.Skip(t, "xdp", err.Error())
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// filters are options by which lists of IPv4 are in filters.
var filters = xdp.Options{FilterIPv4: true}

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// An address that both lists have falls all the time, also while its prefix gives way to others: in
// the table, and by another table.
func TestPrefixesGiveWay(t *testing.T) {
	for _, options := range []xdp.Options{{}, {FilterIPv4: true},
		{FilterIPv4: true, Mode: xdp.Exact}} {
		for _, rebuild := range []bool{false, true} {
			prefixesGiveWay(t, options, rebuild)
		}
	}
}

func prefixesGiveWay(t *testing.T, options xdp.Options, rebuild bool) {
	lists := [][]netip.Prefix{prefixes("10.0.0.0/24"), prefixes("10.0.0.0/25", "10.0.0.128/25")}
	config := Config{Rate: 1e-5, Turnovers: 20, Members: 10_000, Options: options}
	g := newGate(t, config, lists[0])
	packet := make([]byte, 64)
	binary.BigEndian.PutUint16(packet[12:], 0x0800)
	packet[14] = 0x45
	copy(packet[26:], []byte{10, 0, 0, 1})
	const repeat = 5000
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			_, err := g.program.Kernel().Run(&ebpf.RunOptions{Data: packet, Repeat: repeat})
			if err != nil {
				done <- err
				return
			}
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
		}
	}()
	var updated error
	updates := 8
	if testing.Short() {
		updates = 2
	}
	for update := range updates {
		g.lists[xdp.Deny].stale = rebuild
		_, _, err := g.Update(xdp.Deny, lists[(update+1)%2])
		updated = errors.Join(updated, err)
	}
	close(stop)
	err := errors.Join(updated, <-done)
	if c, counted := g.Counts(); err != nil || counted != nil || c.Passed.Packets > 0 ||
		c.Denied.Packets < repeat {
		t.Errorf("%+v, built again %v: %d packets passed, and %d fell: %v, %v", options, rebuild,
			c.Passed.Packets, c.Denied.Packets, err, counted)
	}
}

// Nothing of a list goes before the kernel has been waited for: its packets under way have not
// looked for what comes. A program that is closed says so where it is asked to wait: what comes is
// in force, and the next update builds the table again, because of what has not gone.
func TestWaitsBeforeDeletes(t *testing.T) {
	old, next := prefixes("192.0.2.1/32"), prefixes("192.0.2.2/32")
	g := newGate(t, Config{Rate: 1e-5}, old)
	if err := g.program.Close(); err != nil {
		t.Fatal(err)
	}
	added, deleted, err := g.Update(xdp.Deny, next)
	var leftover *LeftoverError
	l := g.lists[xdp.Deny]
	if !errors.Is(err, xdp.ErrClosed) || !errors.As(err, &leftover) || added != 1 || deleted != 1 ||
		!l.table.Query(old[0]) || !l.table.Query(next[0]) || !l.stale {
		t.Errorf("%d added, %d deleted: %v", added, deleted, err)
	}
}

// A list may be empty, at the start and later, also when its table is built again.
func TestEmptyList(t *testing.T) {
	for _, mode := range []xdp.Mode{xdp.Filter, xdp.Exact} {
		g := newGate(t, Config{Rate: 1e-5, Options: xdp.Options{Mode: mode}}, nil)
		one := prefixes("192.0.2.1/32")
		for range 3 {
			if added, deleted, err := g.Update(xdp.Deny, one); added != 1 || deleted != 0 ||
				err != nil || !g.lists[xdp.Deny].table.Query(one[0]) {
				t.Errorf("%v: %d added, %d deleted: %v", mode, added, deleted, err)
			}
			g.lists[xdp.Deny].stale = true
			if added, deleted, err := g.Update(xdp.Deny, nil); added != 0 || deleted != 1 ||
				err != nil || g.lists[xdp.Deny].table.Query(one[0]) {
				t.Errorf("%v: %d added, %d deleted: %v", mode, added, deleted, err)
			}
		}
	}
}

// What a table that cannot be built again leaves in force is said, and the next update makes it
// good.
func TestLeftovers(t *testing.T) {
	g := newGate(t, Config{Rate: 0.01, Members: 2, Options: filters}, prefixes("192.0.2.1/32", "192.0.2.2/32"))
	l := g.lists[xdp.Deny]
	next := prefixes("192.0.2.2/32", "192.0.2.3/32")
	g.config.Rate = 2 // so that no table can be built; one is due, for the third insert
	var leftover *LeftoverError
	added, deleted, err := g.Update(xdp.Deny, next)
	if added != 1 || deleted != 1 || !errors.As(err, &leftover) {
		t.Errorf("%d added, %d deleted: %v", added, deleted, err)
	}
	for _, p := range next {
		if !l.table.Query(p) {
			t.Errorf("%v is lost", p)
		}
	}
	last := prefixes("192.0.2.4/32")
	if _, _, err := g.Update(xdp.Deny, last); err == nil || errors.As(err, &leftover) ||
		l.table.Query(last[0]) || !slices.Equal(l.members, next) {
		t.Errorf("an update that changes nothing: %v", err)
	}
	g.config.Rate = 0.01
	if added, deleted, err := g.Update(xdp.Deny, next); added != 0 || deleted != 0 || err != nil ||
		l.rebuilt != 1 || l.stale {
		t.Errorf("%d added, %d deleted, %d built again: %v", added, deleted, l.rebuilt, err)
	}
}

// hosts returns addresses of IPv4, in order.
func hosts(first, n int) (all []netip.Prefix) {
	for i := first; i < first+n; i++ {
		address := binary.BigEndian.AppendUint32(nil, 10<<24|uint32(i))
		all = append(all, netip.PrefixFrom(netip.AddrFrom4([4]byte(address)), 32))
	}
	return all
}

// A filter is planned for the members that are asked for, or, if it has more, for twice as many as
// it has, and a thousand at least. If it grows beyond that, it is planned again.
func TestPlanned(t *testing.T) {
	for _, test := range []struct{ members, entries, planned int }{
		{0, 0, 1000}, {0, 10, 1000}, {0, 600, 1200}, {100, 50, 100}, {100, 700, 1400},
	} {
		g := newGate(t, Config{Rate: 1e-4, Members: test.members, Options: filters},
			hosts(0, test.entries))
		if r, err := g.Report(nil); err != nil || r.Lists[0].Planned != test.planned {
			t.Errorf("%+v: %+v, %v", test, r.Lists, err)
		}
	}
	g := newGate(t, Config{Rate: 1e-4, Turnovers: 20, Options: filters}, hosts(0, 10))
	for _, test := range []struct{ entries, planned, rebuilt int }{
		{1000, 1000, 0}, {1001, 2002, 1}, {2000, 2002, 1}, {10, 2002, 1}, {2003, 4006, 2},
	} {
		_, _, err := g.Update(xdp.Deny, hosts(0, test.entries))
		if l := g.lists[xdp.Deny]; err != nil || l.planned != test.planned ||
			l.rebuilt != test.rebuilt || l.table.Filter().Members() != test.entries {
			t.Errorf("%+v: planned for %d, built again %d times, %d members: %v", test, l.planned,
				l.rebuilt, l.table.Filter().Members(), err)
		}
	}
}

// What a delete would leave visible goes, because the table is built again.
func TestRetained(t *testing.T) {
	const members, gone = 2000, 1000
	g := newGate(t, Config{Rate: 0.1, Members: members, Key: keytest.Sip(35, 1),
		Options: filters}, hosts(0, members))
	_, _, err := g.Update(xdp.Deny, hosts(gone, members-gone))
	if l := g.lists[xdp.Deny]; err != nil || l.rebuilt != 1 ||
		l.table.Filter().Members() != members-gone {
		t.Errorf("built again %d times, %d members: %v", l.rebuilt, l.table.Filter().Members(), err)
	}
}

// A filter is asked for the eight lengths of IPv6 that most entries have, of all lists: /128 only if
// it is one of these. All others are in the trie, also those that come later.
func TestLengthsOfAFilter(t *testing.T) {
	of := func(first byte, counts map[int]int) (list []netip.Prefix) {
		for bits, n := range counts {
			for i := range n {
				a := netip.AddrFrom16([16]byte{first, byte(i), byte(bits), 15: 1})
				list = append(list, netip.PrefixFrom(a, bits).Masked())
			}
		}
		slices.SortFunc(list, netip.Prefix.Compare)
		return list
	}
	for _, test := range []struct {
		deny, never map[int]int
		want        []int
		later       map[int]int
		parts       [3]int // in ranges, in the filter, in the trie
	}{
		{want: []int{}, later: map[int]int{128: 2}, parts: [3]int{0, 0, 2}},
		{deny: map[int]int{48: 3}, never: map[int]int{64: 2, 48: 1}, want: []int{48, 64},
			later: map[int]int{48: 2, 64: 3, 128: 1}, parts: [3]int{0, 5, 1}},
		{deny: map[int]int{29: 2, 32: 9, 36: 8, 40: 7, 44: 6, 48: 5, 56: 4, 64: 3, 96: 2, 128: 1},
			want:  []int{32, 36, 40, 44, 48, 56, 64, 96},
			later: map[int]int{29: 1, 32: 2, 128: 3}, parts: [3]int{0, 2, 4}},
	} {
		g, err := New(Config{Rate: 1e-6}, map[xdp.List][]netip.Prefix{xdp.Deny: of(0x20, test.deny),
			xdp.NeverDeny: of(0x30, test.never)})
		if err != nil {
			var lacking *xdp.Error
			if errors.As(err, &lacking) {
				require.Skip(t, "xdp", err.Error())
			}
			t.Fatal(err)
		}
		options := g.program.Options()
		got := slices.Sorted(slices.Values(options.Lengths.IPv6))
		if !slices.Equal(got, test.want) {
			t.Errorf("%v, %v: the lengths are %v, want %v", test.deny, test.never, got, test.want)
		}
		later := of(0x20, test.later)
		if _, _, err := g.Update(xdp.Deny, later); err != nil {
			t.Error(err)
		}
		if parts := g.count(later); parts != test.parts {
			t.Errorf("%v: %v are in the parts, want %v", later, parts, test.parts)
		}
		for _, p := range later {
			packet := make([]byte, 64)
			binary.BigEndian.PutUint16(packet[12:], 0x86dd)
			packet[14], packet[20] = 0x60, 59
			copy(packet[22:], p.Addr().AsSlice())
			verdict, err := g.program.Kernel().Run(&ebpf.RunOptions{Data: packet})
			if verdict != 1 || err != nil { // XDP_DROP
				t.Errorf("a packet of %v has the verdict %d: %v", p, verdict, err)
			}
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}
