// Package inpacket is the control plane of Bloom filters in packet headers: it turns identifiers
// into the bits of a header of 256 or 512 bits, and into the words that hardware is programmed
// with.
//
// Two networks are in view, those of section V of the letter of the Deletable Bloom Filter
// (Rothenberg, Macapuna, Verdi and Magalhães, IEEE Communications Letters, 2010). In one the
// identifiers are those of links, and a header holds the links of a delivery tree: every node sends
// a packet over each of its links that the header contains (LIPSIN: Jokela et al., "LIPSIN: Line
// Speed Publish/Subscribe Inter-networking", SIGCOMM 2009). In the other they are those of services
// such as firewalls, and a header holds the chain of services that a packet must see: each on the
// packet's way serves it if the header contains it, and deletes itself from there.
//
// # From an identifier to bits
//
// Identifiers are bytes. There are d tables (LIPSIN's d link identity tags), in which an identifier
// has bits that are independent of each other:
//
//	h = HighwayHash-64(key, the table's number as one byte, then the identifier)
//
// and h gives mask and positions as in a table of package kernel: [kernel.Mask256] and
// [kernel.Positions256], or their siblings for 512 bits. A header belongs to one table, whose
// number it carries, and every node holds the bits of its own identifiers in all tables: an
// [Element].
//
// # What a false match does
//
// An element is never missing from a header that it was inserted into, however many others deleted
// themselves. But an identifier that was not inserted can match, with the probability
// [FalseMatchRate]. A link that does sends a copy where nobody wants it, which may even come back.
// A service that does is worse: it serves a packet that was not meant for it, and when it then
// deletes itself, it clears bits that are those of other services. The next of these finds a bit
// missing, and is skipped: a lost element, a false negative, in a filter that has none as long as
// only members are deleted.
//
// So the control plane, which knows all the identifiers, asks them in advance. [Plane.Encode] makes
// a candidate header in each table and takes the one with the fewest false matches and then the
// fewest bits; and it takes none that has any. A delete sets no bit, so a header that is clean when
// it is sent stays clean on its way: no false deliveries and no lost elements. If no candidate is
// clean the error is an [ErrNoCandidate], and the caller sends two headers, or asks fewer
// identifiers.
//
// That promise covers the identifiers that were asked, and packets that the control plane made. A
// fill limit, in the nodes and here, keeps others from sending a header of ones that matches
// everything.
//
// # Virtual links and controls
//
// Deletion makes room for identifiers of other things than links, which the letter names too. A
// [VirtualLink] stands for a path or a tree of links, and its last ports delete it. It makes
// headers emptier, for an entry more at each of its ports. A control identifier asks one node to do
// something, such as to report the packet or to keep a copy: it is an identifier as any other,
// which the node deletes from a packet before it looks for the links to send it over. So no copy
// asks for it again.
//
// # Plain headers
//
// [Config.Plain] makes LIPSIN's own zFilters: 256 bits without a collision lane, five bits an
// identifier anywhere among them. Nothing can be deleted from them.
//
// # Hardware
//
// The RTL hashes nothing. [Element] has what its ports are programmed with: the stored positions,
// or the mask, whose 32-bit words [Words] returns. [TUser] makes the side-band word of a packet for
// the in-line engine, and [PortWrites] the writes of a match engine.
package inpacket
