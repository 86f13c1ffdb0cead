package xdp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// sweep is the program of testdata/sweep.c: the program, on members one after another.
type sweep struct {
	*Program
	members []netip.Prefix
	packet  []byte // of the first of them
}

// newSweep loads the program for some members, and with options.
func newSweep(t *testing.T, members int, options Options) *sweep {
	t.Helper()
	load(t, Options{}) // or skip
	p, err := loaded(compile(t, "testdata/sweep.c"), "sweep", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	const first = 12345
	s := &sweep{Program: p}
	for source := uint32(first); len(s.members) < members; source = source*1664525 + 1013904223 {
		s.members = append(s.members, one(netip.AddrFrom4([4]byte(
			binary.LittleEndian.AppendUint32(nil, source)))))
	}
	s.packet = frame(s.members[0].Addr(), netip.IPv4Unspecified())
	binary.LittleEndian.PutUint32(s.packet[38:], uint32(members)) // the period
	binary.LittleEndian.PutUint32(s.packet[42:], first)
	return s
}

// queries is how many queries of members the tests make, in thousands.
func queries() int {
	if os.Getenv("BLOOMLANE_XDP") == "full" {
		return 600_000
	}
	if testing.Short() {
		return 500
	}
	return 2000
}

// table returns a table that has the members as prefixes of some length, of 16 bits for each, under
// a key of its own.
func (s *sweep) table(t *testing.T, number byte, bits, more int) *Table {
	t.Helper()
	table, err := s.NewTable(deletable.Config{Members: len(s.members) + more, BitsPerKey: 16,
		Key: keytest.Sip(35, number)})
	if err == nil {
		var all []netip.Prefix
		for _, m := range s.members {
			all = append(all, netip.PrefixFrom(m.Addr(), bits).Masked())
		}
		err = table.InsertBatch(all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// race runs write beside queries, a number of times at least, until that many thousands of queries
// are made. Each finds its address in the list.
func (s *sweep) race(t *testing.T, list List, thousands, least int, write func(round int)) {
	t.Helper()
	done := make(chan error, 1)
	var rounds atomic.Int64
	go func() {
		const repeat = 100_000
		for n := 0; n < thousands*1000 || rounds.Load() < int64(least); n += repeat {
			options := ebpf.RunOptions{Data: s.packet, Repeat: repeat}
			if _, err := s.program.Run(&options); err != nil {
				done <- err
				return
			}
		}
		close(done)
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Counts()
			if err != nil {
				t.Fatal(err)
			}
			found := c.Denied.Packets
			if list == NeverDeny {
				found = c.Spared.Packets
			}
			if found != c.Packets() || found < uint64(thousands*1000) {
				t.Errorf("of %d packets of members %d are found in %d rounds", c.Packets(), found,
					rounds.Load())
			}
			return
		default:
			write(int(rounds.Load()))
			rounds.Add(1)
		}
	}
}

// Queries in the kernel find every member while Go inserts and deletes others in the same blocks,
// in batches and one by one, and refreshes blocks.
func TestReadersBesideWriters(t *testing.T) {
	s := newSweep(t, 5000, Options{FilterIPv4: true})
	table := s.table(t, 1, 32, 0)
	defer table.Close()
	if err := s.Replace(Deny, table); err != nil {
		t.Fatal(err)
	}
	f := table.Filter()
	members := table.hashes(s.members)
	rng := rand.New(rand.NewPCG(35, 7))
	others := make([]uint64, 500)
	s.race(t, Deny, queries(), 60, func(round int) {
		for i := range others {
			others[i] = rng.Uint64()
		}
		switch round % 3 {
		case 0:
			if _, err := f.InsertHashBatch(others, nil); err != nil {
				t.Fatal(err)
			}
			f.DeleteHashBatch(others, nil)
		case 1:
			for _, h := range others {
				_, _ = f.InsertHash(h) // of a filter that is open
			}
			for _, h := range others {
				f.DeleteHash(h)
			}
		case 2:
			blocks := f.Shape().Blocks
			first := rng.IntN(blocks - 20)
			err := f.RefreshHash(context.Background(), first, first+20,
				func(low, high uint64) iter.Seq2[uint64, error] {
					return func(yield func(uint64, error) bool) {
						for _, h := range members {
							if low <= h && h <= high && !yield(h, nil) {
								return
							}
						}
					}
				})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// While tables are replaced, by ones of other sizes and keys with other members besides, each
// packet of a member of all of them is found: also below another prefix, and where an exact set
// confirms it.
func TestReplaceBesidePackets(t *testing.T) {
	filters := Lengths{IPv4: []int{32, 24}}
	for _, options := range []Options{{}, {FilterIPv4: true, Lengths: filters, Mode: Exact},
		{FilterIPv4: true}} {
		for _, list := range []List{Deny, NeverDeny} {
			t.Run(fmt.Sprintf("%+v/%v", options, list), func(t *testing.T) {
				testReplace(t, options, list)
			})
		}
	}
}

func testReplace(t *testing.T, options Options, list List) {
	s := newSweep(t, 300, options)
	denied := s.table(t, 0, 32, 0)
	defer denied.Close()
	if err := s.Replace(Deny, denied); err != nil {
		t.Fatal(err)
	}
	var old *Table
	replace := func(round int) {
		table := s.table(t, byte(round), 32-round%2*8, round%5*100)
		for i := range 20 {
			other := fmt.Sprintf("240.0.%d.%d", round%256, i)
			if err := table.Insert(prefix(other)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Replace(list, table); err != nil {
			t.Fatal(err)
		}
		if old != nil {
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
		}
		old = table
	}
	replace(0)
	s.race(t, list, queries(), 10, replace)
	if err := old.Close(); err != nil {
		t.Error(err)
	}
	if s.run(t, s.packet) != (list == Deny) {
		t.Error("the program loses a table that Go has closed")
	}
	for i, list := range []List{NeverDeny, Deny} {
		if err := s.Replace(list, nil); err != nil {
			t.Fatal(err)
		}
		if s.run(t, s.packet) != (i == 0) {
			t.Errorf("without the %v list a packet has a wrong verdict", list)
		}
	}
	for _, outer := range []string{tables, sets, tries, pages} {
		if n := s.inner(t, outer); n != 0 {
			t.Errorf("%d %s are kept of lists that are empty", n, outer)
		}
	}
}

// While a list changes, each packet of a member falls, or in the list NeverDeny passes: others come
// and go, a tenth of them at once, the members' prefixes are split and joined, and the list is built
// again. In the long form the others are a million.
func TestUpdatesBesidePackets(t *testing.T) {
	filters := Lengths{IPv4: []int{32, 24}} // and /25 in the trie
	for _, options := range []Options{{}, {FilterIPv4: true, Lengths: filters},
		{FilterIPv4: true, Lengths: filters, Mode: Exact}} {
		for _, list := range []List{Deny, NeverDeny} {
			t.Run(fmt.Sprintf("%+v/%v", options, list), func(t *testing.T) {
				testUpdates(t, options, list)
			})
		}
	}
}

func testUpdates(t *testing.T, options Options, list List) {
	const members = 300
	others := 10_000
	if os.Getenv("BLOOMLANE_XDP") == "full" {
		others = 1_000_000
	}
	s := newSweep(t, members, options)
	denied := s.table(t, 0, 32, 0)
	defer denied.Close()
	// cover returns prefixes that have all members, each once.
	cover := func(round int) (all []netip.Prefix) {
		for _, m := range s.members {
			switch network := netip.PrefixFrom(m.Addr(), 24).Masked(); round % 3 {
			case 0:
				all = append(all, m)
			case 1:
				all = append(all, network)
			default:
				bytes := network.Addr().As4()
				bytes[3] = 128
				all = append(all, netip.PrefixFrom(network.Addr(), 25),
					netip.PrefixFrom(netip.AddrFrom4(bytes), 25))
			}
		}
		slices.SortFunc(all, netip.Prefix.Compare)
		return slices.Compact(all)
	}
	network := uint32(0) // of 8 bits, that no member is in
	for slices.ContainsFunc(s.members, func(m netip.Prefix) bool {
		return uint32(m.Addr().As4()[0]) == network
	}) {
		network++
	}
	// tenth returns others, no two the same.
	tenth := func(number int) []netip.Prefix {
		all := make([]netip.Prefix, others/10)
		for i := range all {
			x := uint32(number*len(all)+i) * 0x9e3779b1 & 0xffffff
			all[i] = one(addressOf(network<<24 | x))
		}
		slices.SortFunc(all, netip.Prefix.Compare)
		return all
	}
	var table *Table
	build := func(round int) {
		fresh, err := s.NewTable(deletable.Config{Members: 3*others + 4*members, BitsPerKey: 16})
		if err == nil {
			err = fresh.InsertBatch(cover(round))
		}
		for i := round; i < round+10 && err == nil; i++ {
			err = fresh.InsertBatch(tenth(i))
		}
		if err == nil {
			err = s.Replace(list, fresh)
		}
		if err == nil && table != nil {
			err = table.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		table = fresh
	}
	if err := s.Replace(Deny, denied); err != nil {
		t.Fatal(err)
	}
	build(0)
	s.race(t, list, min(2000, queries()), 8, func(round int) {
		if round%5 == 4 {
			build(round + 1)
			return
		}
		err := errors.Join(table.InsertBatch(cover(round+1)), table.InsertBatch(tenth(round+10)),
			s.Replace(list, table)) // which waits for the packets under way
		if err == nil {
			_, err = table.DeleteBatch(cover(round), nil)
		}
		if err == nil {
			_, err = table.DeleteBatch(tenth(round), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := errors.Join(s.Replace(list, nil), table.Close()); err != nil {
		t.Error(err)
	}
}

// inner returns how many maps a map of maps has.
func (p *Program) inner(t *testing.T, outer string) (n int) {
	t.Helper()
	m := p.collection.Maps[outer]
	key, inner := make([]byte, m.KeySize()), uint32(0)
	all := m.Iterate()
	for all.Next(&key, &inner) {
		n++
	}
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// A table that a list does not take leaves there what was, wholly: one that the kernel has not, one
// that is closed, and those of programs of another mode or other lengths.
func TestReplaceFails(t *testing.T) {
	lengths := Lengths{IPv4: []int{32, 24}}
	for _, mode := range []Mode{Filter, Exact} {
		p := load(t, Options{Mode: mode, Lengths: lengths, FilterIPv4: mode == Exact})
		made := func(p *Program, member string) *Table {
			table, err := p.NewTable(deletable.Config{Members: 10, Rate: 1e-6})
			if err == nil {
				err = table.Insert(prefix(member))
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = table.Close() }) // the test breaks some
			return table
		}
		err := errors.Join(p.Replace(Deny, made(p, "10.0.0.0/24")),
			p.Replace(NeverDeny, made(p, "10.0.0.1")))
		unknown, closed := made(p, "10.0.0.3"), made(p, "10.0.0.3")
		if err = errors.Join(err, unknown.parts[tables].Close(), closed.Close()); err != nil {
			t.Fatal(err)
		}
		for i, table := range []*Table{unknown, closed,
			made(load(t, Options{Mode: Exact - mode, Lengths: lengths}), "10.0.0.3"),
			made(load(t, Options{Mode: mode}), "10.0.0.3"),
			made(load(t, Options{Mode: mode, FilterIPv4: true}), "10.0.0.0/8"),
		} {
			for list := range lists {
				err := p.Replace(list, table)
				foreign := errors.Is(err, ErrForeign)
				if err == nil || foreign != (i >= 2) ||
					strings.Contains(err.Error(), "\n") {
					t.Errorf("%v: table %d in the %v list: %v", mode, i, list, err)
				}
			}
			for text, falls := range map[string]bool{"10.0.0.1": false, "10.0.0.2": true} {
				if p.run(t, frame(addr(text), netip.IPv4Unspecified())) != falls {
					t.Errorf("%v: table %d: %v is dropped: %v", mode, i, text, !falls)
				}
			}
			if n := p.inner(t, sets); mode == Exact && n != 2 {
				t.Errorf("table %d: %d exact sets are kept for two lists", i, n)
			}
		}
	}
}

// A table may be in two lists, and take its own place.
func TestOneTableInTwoLists(t *testing.T) {
	p := load(t, Options{Mode: Exact})
	both, other := p.table(t, Deny, 10), p.table(t, NeverDeny, 10)
	member := prefix("10.0.0.1")
	if err := errors.Join(both.Insert(member), other.Insert(member)); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		list  List
		table *Table
		falls bool
	}{{NeverDeny, both, false}, {Deny, other, false}, {NeverDeny, nil, true}, {Deny, both, true},
		{Deny, both, true}, {Deny, nil, false}} {
		if err := p.Replace(step.list, step.table); err != nil {
			t.Fatal(err)
		}
		if p.run(t, frame(member.Addr(), netip.IPv4Unspecified())) != step.falls {
			t.Errorf("step %d: a packet is dropped: %v", i, !step.falls)
		}
	}
}
