package xdp

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
)

// all are prefix lengths of both versions, with the shortest and the longest.
var all = Lengths{IPv4: []int{32, 31, 24, 16, 9, 8, 1, 0},
	IPv6: []int{128, 127, 65, 64, 63, 48, 1, 0}}

// In each hook and mode a member is denied as soon as it is inserted, by its address or a prefix of
// any length, and passes again when it is deleted.
func TestDenied(t *testing.T) {
	for _, hook := range []Hook{XDP, Ingress, Egress} {
		for _, mode := range []Mode{Filter, ReportOnly, Exact} {
			for _, side := range []Side{Source, Destination} {
				t.Run(hook.String()+"/"+mode.String()+"/"+side.String(), func(t *testing.T) {
					testDenied(t, Options{Hook: hook, Mode: mode, Side: side, Lengths: all})
				})
			}
		}
	}
}

// A packet counts as corrected once, however many prefixes of its address the filter has found, if
// the deny list has none of them. Answers of other lists do not count.
func TestCleared(t *testing.T) {
	p := load(t, Options{Mode: Exact, FilterIPv4: true, Lengths: all, Learn: true})
	for list := range lists {
		table, err := p.NewTable(deletable.Config{Members: 1, Rate: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		for i := range byte(200) { // a filter that finds everything
			if err := table.Insert(one(netip.AddrFrom4([4]byte{10, 0, 0, i}))); err != nil {
				t.Fatal(err)
			}
		}
		err = errors.Join(table.Insert(prefix("192.0.2.0/24")), p.Replace(list, table))
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range byte(100) {
		for _, network := range [][3]byte{{198, 51, 100}, {192, 0, 2}} {
			source := netip.AddrFrom4([4]byte{network[0], network[1], network[2], i})
			p.run(t, frame(source, addr("203.0.113.1")))
		}
	}
	if c, err := p.Counts(); err != nil || c.Cleared != 100 || c.Passed.Packets != 100 ||
		c.Spared.Packets != 100 {
		t.Errorf("%+v, %v", c, err)
	}
}

func testDenied(t *testing.T, options Options) {
	p := load(t, options)
	table := p.table(t, Deny, 10_000)
	verdict := func(a netip.Addr) (denied, dropped bool) {
		before, err := p.Counts()
		if err != nil {
			t.Fatal(err)
		}
		other := addr("198.51.100.1")
		if a.Is6() {
			other = addr("2001:db8:ffff::1")
		}
		if options.Side == Source {
			dropped = p.run(t, frame(a, other))
		} else {
			dropped = p.run(t, frame(other, a))
		}
		after, err := p.Counts()
		if err != nil {
			t.Fatal(err)
		}
		if after.Packets() != before.Packets()+1 || after.Denied.Packets+after.Passed.Packets !=
			after.Packets() {
			t.Fatalf("%v: %+v after %+v", a, after, before)
		}
		return after.Denied.Packets > before.Denied.Packets, dropped
	}
	for _, text := range []string{"192.0.2.77/32", "192.0.2.76/31", "192.0.2.0/24", "192.0.0.0/16",
		"192.0.0.0/9", "192.0.0.0/8", "128.0.0.0/1", "0.0.0.0/0",
		"2001:db8::77/128", "2001:db8::76/127", "2001:db8::/65", "2001:db8::/64", "2001:db8::/63",
		"2001:db8::/48", "::/1", "::/0"} {
		member := prefix(text)
		inside, outside := member.Addr(), addr("64.0.0.1")
		if inside.Is6() {
			outside = addr("8000::1")
		}
		if denied, dropped := verdict(inside); denied || dropped {
			t.Fatalf("%v is denied before the insert of %v", inside, member)
		}
		if err := table.Insert(member); err != nil {
			t.Fatal(err)
		}
		denied, dropped := verdict(inside)
		if !denied || dropped != (options.Mode != ReportOnly) {
			t.Errorf("%v of %v: denied %v, dropped %v", inside, member, denied, dropped)
		}
		if denied, _ := verdict(outside); denied != member.Contains(outside) {
			t.Errorf("%v beside %v: denied %v", outside, member, denied)
		}
		if !table.Query(member) {
			t.Errorf("Go does not find %v", member)
		}
		if status, err := table.Delete(member); status != filter.Deleted || err != nil {
			t.Errorf("%v: %v, %v", member, status, err)
		}
		if denied, _ := verdict(inside); denied {
			t.Errorf("%v is denied after the delete of %v", inside, member)
		}
	}
}
