// Package inpacket makes Bloom filters for packet headers: sets of identifiers, such as links or
// services, in 256 or 512 bits, from which a node on the way can delete its own identifier. Use it
// in the control plane of a network that forwards packets by such headers, and to compute the words
// that program the hardware in hdl.
//
//	plane, err := inpacket.New[kernel.Block256](inpacket.Config{})
//	plane.Add(all...)                          // every identifier of the network
//	best, err := plane.Encode(elements, nil)   // the header of a packet
//	wire, err := best.Header.MarshalBinary()
//
// Identifiers are byte strings. A [Plane] has several tables, 8 by default, and in each an
// identifier has other bits, from a keyed hash. A [Header] belongs to one table, whose number it
// carries. A node holds the bits of its identifiers in all tables, as an [Element], and queries or
// deletes them in the headers that it gets.
//
// # What is promised
//
//   - A header contains every element that was inserted, after any deletes of other elements.
//   - An identifier that was not inserted may match, with the probability [FalseMatchRate]. If it
//     then deletes itself, it may clear bits of elements, which are lost.
//   - [Plane.Encode] prevents that. It makes a candidate header in each table, checks which
//     identifiers match it by accident, and returns the best header that none matches. Deletes set
//     no bits, so such a header stays free of false matches on its way. If there is none, the error
//     wraps [ErrNoCandidate]: send two headers, or have fewer identifiers checked.
//   - That holds for the identifiers that were checked, and for headers that the Plane made.
//     A fill limit in the nodes rejects headers of other senders that match nearly everything.
//
// docs/theory/inpacket.md has the reasons, and docs/packets.md a network with numbers.
//
// # Other uses
//
// A [VirtualLink] is one identifier for a path or a tree of links. [Config.Plain] makes the
// zFilters of LIPSIN (Jokela et al., SIGCOMM 2009): 256 bits without a collision lane, from which
// nothing can be deleted, with five bits per identifier.
//
// The hardware computes no hashes. An Element has what a port is programmed with: the positions, or
// the mask, whose 32-bit words [Words] returns. [TUser] returns the side-band word of a packet for
// the in-line engine, and [PortWrites] the writes to a match engine.
//
// Any number of goroutines may use a Plane while no identifiers are added to it.
package inpacket
