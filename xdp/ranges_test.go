package xdp

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
)

// union is a set of prefixes that is asked by the definition.
type union map[netip.Prefix]bool

func (u union) has(a netip.Addr) bool {
	for bits := range a.BitLen() + 1 {
		if u[netip.PrefixFrom(a, bits).Masked()] {
			return true
		}
	}
	return false
}

// addressOf returns an address of IPv4.
func addressOf(x uint32) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, x)))
}

// The program finds exactly the addresses of the prefixes in a table, at both ends of each and
// beside them, and so it does after each change: prefixes of all lengths, within each other and side
// by side, few and many in a chunk, all of a chunk by parts; beside a table that is in no list.
func TestRanges(t *testing.T) {
	p := load(t, Options{})
	rng := rand.New(rand.NewPCG(57, 1))
	table := p.table(t, Deny, 1)
	members := union{}
	var ordered []netip.Prefix
	changes := 150
	if testing.Short() {
		changes = 40
	}
	for change := range changes {
		var batch []netip.Prefix
		insert := len(ordered) < 30 || rng.IntN(3) > 0
		for range 1 + rng.IntN(1<<rng.IntN(10)) {
			if !insert {
				if len(ordered) > 0 {
					i := rng.IntN(len(ordered))
					batch = append(batch, ordered[i])
					ordered = slices.Delete(ordered, i, i+1)
				}
				continue
			}
			bits := 8 + rng.IntN(25)
			if rng.IntN(2) == 0 {
				bits = 24 + rng.IntN(9)
			}
			// in few chunks, and in few parts of some of these
			x := 10<<24 | uint32(rng.IntN(6))<<16 | uint32(rng.IntN(1<<(4+rng.IntN(13))))
			if bits <= 16 && rng.IntN(4) > 0 || rng.IntN(20) == 0 {
				x = rng.Uint32()
			}
			one := netip.PrefixFrom(addressOf(x), bits).Masked()
			if !members[one] && !slices.Contains(batch, one) {
				batch = append(batch, one)
			}
		}
		if insert {
			if err := table.InsertBatch(batch); err != nil {
				t.Fatal(err)
			}
			ordered = append(ordered, batch...)
		} else if n, err := table.DeleteBatch(batch, nil); n != len(batch) || err != nil {
			t.Fatalf("%d of %d prefixes are deleted: %v", n, len(batch), err)
		}
		for _, one := range batch {
			members[one] = insert
		}
		ask := func(x uint32) {
			a := addressOf(x)
			if got, want := p.run(t, frame(a, addr("192.0.2.1"))), members.has(a); got != want {
				t.Fatalf("change %d: %v is found: %v, want %v", change, a, got, want)
			}
		}
		for _, one := range slices.Concat(batch, ordered[:min(20, len(ordered))]) {
			bytes := one.Addr().As4()
			first := binary.BigEndian.Uint32(bytes[:])
			last := first | uint32(1<<(32-one.Bits())-1)
			for _, x := range []uint32{first - 1, first, last, last + 1,
				first + rng.Uint32()&(last-first)} {
				ask(x)
			}
		}
	}
}

// A chunk whose addresses come one prefix after another has all forms of fragments on its way, and
// back.
func TestFormsOfAChunk(t *testing.T) {
	p := load(t, Options{})
	table := p.table(t, Deny, 1)
	forms := map[uint32]int{}
	parts := prefixesOf("10.9.0.0/16", 24)
	slices.Reverse(parts)
	singles := prefixesOf("10.9.0.0/24", 32)
	check := func() {
		chunk := 10<<8 | 9
		forms[descriptors(table.ranges.memory)[chunk]%(1<<formBits)]++
		for _, text := range []string{"10.8.255.255", "10.10.0.0"} {
			if p.run(t, frame(addr(text), addr("192.0.2.1"))) {
				t.Fatalf("%s is found", text)
			}
		}
	}
	for _, list := range [][]netip.Prefix{singles, parts[:255]} {
		for _, one := range list {
			if err := table.Insert(one); err != nil {
				t.Fatal(err)
			}
			check()
		}
	}
	if d := descriptors(table.ranges.memory)[10<<8|9]; d != everything {
		t.Errorf("a chunk that is full has the descriptor %d", d)
	}
	for _, list := range [][]netip.Prefix{parts[:255], singles} {
		for _, one := range list {
			if _, err := table.Delete(one); err != nil {
				t.Fatal(err)
			}
			check()
		}
	}
	if d := descriptors(table.ranges.memory)[10<<8|9]; d != 0 {
		t.Errorf("a chunk that is empty has the descriptor %d", d)
	}
	for form := range uint32(shortWords + 1) {
		if forms[form] < 1 {
			t.Errorf("no chunk of the form %d: %v", form, forms)
		}
	}
	if forms[longForm] < 100 {
		t.Errorf("few long fragments: %v", forms)
	}
}

// prefixesOf returns the prefixes of some length in a network.
func prefixesOf(network string, bits int) (all []netip.Prefix) {
	p := prefix(network)
	bytes := p.Addr().As4()
	first := binary.BigEndian.Uint32(bytes[:])
	for i := range uint32(1) << (bits - p.Bits()) {
		all = append(all, netip.PrefixFrom(addressOf(first+i<<(32-bits)), bits))
	}
	return all
}
