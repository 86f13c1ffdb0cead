// Package xdp drops packets in the kernel before its network stack sees them: a program for XDP or
// traffic control looks each packet's address up in memory that the kernel and this process share.
// Prefixes of IPv4 are exact ranges there, and those of IPv6 are in a deletable filter and a trie. An
// address that Go inserts is denied at once, and passes again when Go deletes it.
//
//	program, err := xdp.Load(xdp.Options{})
//	table, err := program.NewTable(deletable.Config{Members: 1_000_000, Rate: 0.001})
//	err = table.Insert(netip.MustParsePrefix("192.0.2.1/32"))
//	err = program.Replace(xdp.Deny, table)
//	attachment, err := program.Attach(xdp.Target{Interface: "eth0"})
//	counts, err := program.Counts()
//
// It needs Linux 6.1, and root or the capabilities CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON. Traffic
// control needs Linux 6.6. The errors are *[Error] for what the machine lacks or refuses, and say
// what that is in one line.
//
// # What is looked up
//
// The source or the destination of the outermost IP header of an Ethernet frame, behind up to four
// VLAN tags (types 8100, 88a8, 9100 and 9200). What is no IP packet passes. Ranges are asked for an
// address of IPv4, which costs the same whatever lengths the prefixes have. A filter is asked for up
// to eight prefixes of an address, whose lengths are those of [Options]; [AppendKey] is the key of
// one. All other lengths are in a trie of at most [MaxOthers] prefixes. [Options.FilterIPv4] has
// IPv4 in filters too.
//
// # Verdicts
//
// A packet whose address the deny list has is denied, and so is a false positive of a filter in the
// modes [Filter] and [ReportOnly]. In the mode [Exact] an exact set in the kernel confirms what the
// filter finds, so that no innocent packet falls, and most packets pay for the filter only.
// Fragments and malformed packets pass or fall as [Options] says. An address of the list
// [NeverDeny] loses no packet whose address can be read.
//
// # Programs of others
//
// program/example.c is an XDP program with a filter of its own, by c/bloomlane.h, and
// example_linux_test.go fills it. An interface takes one program: where another is attached, also
// the dispatcher of libxdp, [Program.Attach] refuses, and while this one is attached, others are
// refused. Several programs share an interface at the hooks of traffic control.
//
// # Lists
//
// Each [List] is a [Table] that [Program.Replace] puts in force with one update, while packets
// pass: a rebuilt, refreshed or larger table too. A member of both tables is denied before, during
// and after it. docs/theory/xdp.md has the reasons, and why no query misses a member while Go
// writes.
//
// # Learned addresses
//
// With [Options.Learn], a packet to a trap, which is an address of the list [Trap], makes the
// source known to [Program.Learn]. The kernel only tells of it; Go inserts, as one writer. Who
// forges a source can have it told of, so protect your own addresses by [NeverDeny].
//
// # Life
//
// An [Attachment] ends when the process ends, however that happens, unless it is pinned. A pinned
// one stays in force with its program and its tables, and the next process takes it over by
// [Program.Attach] of the same pin, without a gap. [Remove] ends it. These and [Attachment.Detach]
// act one after another on the pins of a folder.
package xdp
