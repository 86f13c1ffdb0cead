package xdp

import (
	"fmt"
	"net/netip"
	"slices"
)

// Mode says what becomes of a packet whose address the deny list's filter finds.
type Mode uint8

// The modes.
const (
	// Filter denies it. So it denies false positives too, at the rate of the filter.
	Filter Mode = iota
	// ReportOnly counts it as denied, and lets it pass.
	ReportOnly
	// Exact denies it if an exact set of the members has the address too. A table then has such a
	// set beside the filter, of some 100 bytes a member.
	Exact
)

// String returns the name of the mode.
func (m Mode) String() string { return name(m, "filter", "report-only", "exact") }

// Side says which address of a packet is looked up.
type Side uint8

// The sides.
const (
	Source Side = iota
	Destination
)

// String returns the name of the side.
func (s Side) String() string { return name(s, "source", "destination") }

// Hook says where in the kernel the program runs.
type Hook uint8

// The hooks.
const (
	// XDP is before the network stack, for packets that arrive.
	XDP Hook = iota
	// Ingress is traffic control, for packets that arrive: later than XDP, on any driver.
	Ingress
	// Egress is traffic control, for packets that leave.
	Egress
)

// String returns the name of the hook.
func (h Hook) String() string { return name(h, "XDP", "ingress", "egress") }

func name[T ~uint8](value T, names ...string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("%T(%d)", value, value)
}

// MaxLengths is the largest number of prefix lengths of a version of IP.
const MaxLengths = 8

// Lengths are the lengths of prefixes that are looked up in filters, at most [MaxLengths] of each
// version, and each once. Each costs a look-up for each packet of its version that no longer prefix
// denies. Prefixes of other lengths are in a trie: see [MaxOthers].
type Lengths struct {
	IPv4 []int // 0 to 32; nil stands for 32 alone; only with [Options.FilterIPv4]
	IPv6 []int // 0 to 128; nil stands for 128 alone
}

// checked returns the lengths with the longest first, or a *[LengthsError].
func (l Lengths) checked() (Lengths, error) {
	var err error
	check := func(version int, found []int, bits int) []int {
		sorted := slices.Clone(found)
		slices.SortFunc(sorted, func(a, b int) int { return b - a })
		if found == nil {
			return []int{bits}
		} else if len(found) == 0 {
			return sorted
		}
		low, high := sorted[len(sorted)-1], sorted[0]
		if len(found) > MaxLengths || len(slices.Compact(sorted)) < len(found) || low < 0 ||
			high > bits {
			err = &LengthsError{Version: version, Found: found}
		}
		return sorted
	}
	return Lengths{IPv4: check(4, l.IPv4, 32), IPv6: check(6, l.IPv6, 128)}, err
}

// Of returns the lengths of the version of an address.
func (l Lengths) Of(a netip.Addr) []int {
	if a.Is4() {
		return l.IPv4
	}
	return l.IPv6
}

// Options are what a program is loaded for. They do not change while it is loaded.
type Options struct {
	Hook    Hook
	Mode    Mode
	Side    Side
	Lengths Lengths

	// FilterIPv4 says that prefixes of IPv4 are in filters, as those of IPv6 are, and not in ranges.
	// A filter of few bits a member takes less memory, and finds addresses that are no members.
	FilterIPv4 bool

	// DropFragments says that fragments of packets fall, the first ones too.
	DropFragments bool
	// DropMalformed says that packets fall whose headers are cut, are not those of their version,
	// or are too many: more than four VLAN tags, or eight extension headers of IPv6.
	DropMalformed bool

	// Learn says that packets whose other address is in the list [Trap] are told to
	// [Program.Learn].
	Learn bool
}

// Part says where a table has a prefix.
type Part uint8

// The parts.
const (
	InRanges Part = iota
	InFilter
	InTrie

	parts
)

// PartOf returns where prefixes like p are.
func (o *Options) PartOf(p netip.Prefix) Part {
	switch {
	case p.Addr().Is4() && !o.FilterIPv4:
		return InRanges
	case slices.Contains(o.Lengths.Of(p.Addr()), p.Bits()):
		return InFilter
	}
	return InTrie
}

// List is a list of addresses.
type List uint32

// The lists. Each is empty until [Program.Replace].
const (
	// Deny is the addresses whose packets fall.
	Deny List = iota
	// NeverDeny is the addresses of which no packet falls. Its false positives lose nothing but
	// what Deny would have denied.
	NeverDeny
	// Trap is the addresses on the other side that nobody has a reason to write to: see
	// [Options.Learn].
	Trap

	lists
)

// String returns the name of the list.
func (l List) String() string { return name(uint8(l), "deny", "never-deny", "trap") }
