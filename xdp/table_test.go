package xdp

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Of goroutines that write one writes at a time: nothing of theirs is lost.
func TestWritersTakeTurns(t *testing.T) {
	for _, filters := range []bool{false, true} {
		testWritersTakeTurns(t, Options{FilterIPv4: filters})
	}
}

func testWritersTakeTurns(t *testing.T, options Options) {
	p := load(t, options)
	table := p.table(t, Deny, 10_000)
	var group sync.WaitGroup
	var errs [4]error
	batch := func(goroutine, round int) []netip.Prefix {
		var all []netip.Prefix
		for i := range 250 {
			all = append(all, prefix(fmt.Sprintf("10.%d.%d.%d", goroutine, round, i)))
		}
		return all
	}
	const rounds = 100
	for goroutine := range errs {
		group.Go(func() {
			for round := range rounds {
				all := batch(goroutine, round)
				errs[goroutine] = errors.Join(errs[goroutine], table.InsertBatch(all))
				if round%2 == 0 {
					_, err := table.DeleteBatch(all, nil)
					errs[goroutine] = errors.Join(errs[goroutine], err)
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	for goroutine := range errs {
		for round := 1; round < rounds; round += 2 {
			for _, member := range batch(goroutine, round) {
				if !table.Query(member) {
					t.Fatalf("%v is lost", member)
				}
			}
		}
	}
	if got, want := table.Filter().Members(), len(errs)*rounds/2*250; options.FilterIPv4 &&
		got < want {
		t.Errorf("%d members, want %d or more", got, want)
	}
}

// A table takes all prefixes but one that is none, with which a batch has no effect.
func TestPrefixes(t *testing.T) {
	for _, mode := range []Mode{Filter, Exact} {
		p := load(t, Options{Mode: mode, FilterIPv4: mode == Exact,
			Lengths: Lengths{IPv4: []int{32, 24}}})
		table := p.table(t, Deny, 10)
		member := prefix("192.0.2.0/24")
		if err := table.Insert(netip.MustParsePrefix("192.0.2.7/24")); err != nil {
			t.Fatal(err) // the same prefix
		}
		batch := []netip.Prefix{prefix("192.0.2.1"), {}}
		if err := table.InsertBatch(batch); !errors.Is(err, ErrNoPrefix) {
			t.Errorf("%v: an insert of no prefix: %v", mode, err)
		}
		if _, err := table.DeleteBatch(batch, nil); !errors.Is(err, ErrNoPrefix) {
			t.Errorf("%v: a delete of no prefix: %v", mode, err)
		}
		if table.Query(prefix("192.0.2.1")) || !table.Query(member) {
			t.Errorf("%v: a batch with a wrong prefix has an effect", mode)
		}
		status := make([]filter.Status, 3)
		batch = []netip.Prefix{member, prefix("192.0.2.1"), prefix("2001:db8::1")}
		if n, err := table.DeleteBatch(batch, status); n != 1 || err != nil || !slices.Equal(status,
			[]filter.Status{filter.Deleted, filter.Absent, filter.Absent}) {
			t.Errorf("%v: %d are deleted, %v, %v", mode, n, status, err)
		}
	}
}

// Lengths that the program cannot look up are refused, and others sorted.
func TestLengths(t *testing.T) {
	for _, wrong := range []Lengths{{IPv4: []int{33}}, {IPv4: []int{-1}}, {IPv6: []int{129}},
		{IPv4: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}, {IPv6: []int{128, 1, 2, 3, 4, 5, 6, 7, 8}},
		{IPv4: []int{24, 32, 24}}} {
		_, err := Load(Options{Lengths: wrong})
		var of *LengthsError
		if !errors.As(err, &of) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	l, err := (Lengths{IPv4: []int{8, 32}, IPv6: []int{32}}).checked()
	if err != nil || !slices.Equal(l.IPv4, []int{32, 8}) || !slices.Equal(l.IPv6, []int{32}) {
		t.Errorf("%v, %v", l, err)
	}
	if l, err := (Lengths{}).checked(); err != nil || !slices.Equal(l.IPv4, []int{32}) ||
		!slices.Equal(l.IPv6, []int{128}) {
		t.Errorf("no lengths: %v, %v", l, err)
	}
}

// Configurations that are no tables are refused, with the field, and a closed table says so.
func TestTables(t *testing.T) {
	p := load(t, Options{})
	for field, config := range map[string]deletable.Config{
		"Key":        {Members: 10, Rate: 0.01, Key: key.HighwayHash64.New()},
		"Members":    {Rate: 0.01},
		"BitsPerKey": {Members: 10},
	} {
		_, err := p.NewTable(config)
		var sizing *filter.SizingError
		if !errors.As(err, &sizing) || sizing.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, k := range []key.Key{key.New(), key.Unknown()} {
		_, err := p.NewTable(deletable.Config{Members: 10, Rate: 0.01, Key: k})
		if err == nil || !strings.Contains(err.Error(), "--hash siphash-1-3") {
			t.Errorf("a table takes a %v: %v", k, err)
		}
	}
	table, err := p.NewTable(deletable.Config{Members: 10, Rate: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	memory, err := table.Memory()
	if err != nil || memory < 4096 {
		t.Errorf("%d bytes, %v", memory, err)
	}
	// Both parts of a table count.
	exact := load(t, Options{Mode: Exact}).table(t, Deny, 10)
	if both, err := exact.Memory(); err != nil || both < memory+4096 {
		t.Errorf("%d bytes with an exact set, %d without: %v", both, memory, err)
	}
	if err := p.Replace(lists, table); err == nil {
		t.Error("there is one list more")
	}
	for range 2 {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := table.Insert(prefix("192.0.2.1")); !errors.Is(err, ErrClosed) {
		t.Errorf("an insert into a closed table: %v", err)
	}
	if err := p.Replace(Deny, table); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed table in a list: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Counts(); !errors.Is(err, ErrClosed) {
		t.Errorf("counts of a closed program: %v", err)
	}
	if _, err := p.Attach(Target{Interface: "lo"}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed program is attached: %v", err)
	}
}

// A table that is larger than the memory is refused before the kernel looks for it.
func TestTooLarge(t *testing.T) {
	p := load(t, Options{})
	before := memory
	defer func() { memory = before }()
	memory = func() uint64 { return 1 << 20 }
	config := deletable.Config{Members: 1000, BitsPerKey: 9 << 10} // above 1 MiB
	_, err := p.NewTable(config)
	caused(t, err, Memory)
	memory = func() uint64 { return 2 << 20 }
	table, err := p.NewTable(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
	if room := available(); room < 1<<20 {
		t.Errorf("the system has %d bytes", room)
	}
}

// An exact set has room for twice the plan, because what a list comes to have is inserted before
// anything of it is deleted.
func TestTwiceThePlan(t *testing.T) {
	const members = 3000
	table := load(t, Options{Mode: Exact, FilterIPv4: true}).table(t, Deny, members)
	var all []netip.Prefix
	for i := range 2 * members {
		all = append(all, prefix(fmt.Sprintf("10.%d.%d.1", i/256, i%256)))
	}
	if err := table.InsertBatch(all); err != nil {
		t.Error(err)
	}
}

// An exact set that is full says so, and the filter has nothing of the batch.
func TestFull(t *testing.T) {
	p := load(t, Options{Mode: Exact, FilterIPv4: true})
	table := p.table(t, Deny, 1)
	var all []netip.Prefix
	for i := range 2000 {
		all = append(all, prefix(fmt.Sprintf("10.0.%d.%d", i/256, i%256)))
	}
	caused(t, table.InsertBatch(all), Memory)
	if n := table.Filter().Members(); n != 0 {
		t.Errorf("%d members, want 0", n)
	}
	var first hashed
	if err := table.parts[sets].NextKey(nil, &first); !errors.Is(err, ebpf.ErrKeyNotExist) {
		t.Errorf("the exact set has %v: %v", first, err)
	}
	for _, member := range all {
		if status, err := table.Delete(member); status != filter.Absent || err != nil {
			t.Fatalf("%v is %v, %v", member, status, err)
		}
	}
	if err := table.InsertBatch(all[:1000]); err != nil {
		t.Error(err)
	}
}

// A trie that is full says so, and neither it nor the rest of the table has anything of the batch.
func TestFullTrie(t *testing.T) {
	p := load(t, Options{Lengths: Lengths{IPv6: []int{128}}})
	table := p.table(t, Deny, 10)
	network := func(i int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 1, byte(i >> 16), byte(i >> 8),
			byte(i)}), 64)
	}
	var all []netip.Prefix
	for i := range MaxOthers {
		all = append(all, network(i))
	}
	if err := table.InsertBatch(all); err != nil {
		t.Fatal(err)
	}
	more := []netip.Prefix{prefix("192.0.2.1"), prefix("2001:db8::1"), network(MaxOthers)}
	caused(t, table.InsertBatch(more), Memory)
	if _, err := table.Delete(all[7]); err != nil {
		t.Error(err)
	}
	for _, one := range append(more, all[6], all[7]) {
		want := one == all[6]
		falls := p.run(t, frame(one.Addr(), one.Addr()))
		if falls != want || table.Query(one) != want {
			t.Errorf("%v is denied: %v, want %v", one, falls, want)
		}
	}
	if err := table.InsertBatch(more); err != nil {
		t.Error(err)
	}
}

// Ranges that the system has no memory for stay as they were, also where they are in force.
func TestRangesWithoutMemory(t *testing.T) {
	p := load(t, Options{})
	table := p.table(t, Deny, 10)
	before := memory
	defer func() { memory = before }()
	var apart []netip.Prefix // which take more than the first memory has
	for x := uint32(11 << 24); x < 11<<24+32<<16; x += 13 {
		apart = append(apart, one(addressOf(x)))
	}
	for _, big := range [][]netip.Prefix{prefixesOf("10.0.0.0/28", 32), apart} {
		memory = func() uint64 { return 0 }
		caused(t, table.InsertBatch(big), Memory)
		for _, one := range []netip.Prefix{big[0], big[len(big)-1]} {
			if p.run(t, frame(one.Addr(), one.Addr())) || table.Query(one) {
				t.Errorf("%v is denied without memory for it", one)
			}
		}
		memory = before
		if err := table.InsertBatch(big); err != nil {
			t.Fatal(err)
		}
		for _, one := range []netip.Prefix{big[0], big[len(big)-1]} {
			if !p.run(t, frame(one.Addr(), one.Addr())) || !table.Query(one) {
				t.Errorf("%v is not denied", one)
			}
		}
	}
}
