// Package flows runs filters on the flows of real traffic, beside exact sets.
//
// # Flows
//
// A flow is a 5-tuple: two addresses, two ports and the transport protocol, IPv4 or IPv6, where both
// directions are the same flow, as they are one entry of a firewall's or a NAT's table. Protocols
// without ports have ports of 0. A flow begins with its first packet: its SYN where the capture has it, or
// else any. It ends
//
//   - with the first RST, or when both sides have sent a FIN: until then one side may still send;
//   - or when no packet of it came for the idle timeout;
//   - or where more flows are followed than the limit: then that goes which was not seen for longest.
//
// Fragments after the first have no ports, and are only counted.
//
// What arrives after the end of a connection, such as its last ACK, begins no new flow until the idle
// timeout has passed, unless it is a SYN. Time is that of the packets. It never goes back: a packet with an
// earlier time than one before it counts as of the same time, and so does one without.
//
// # Filters
//
// A flow's beginning inserts its key into each filter, and its end deletes it. All have exactly the
// same memory:
//
//   - insert-only: a Bloom filter with the best number of hashes, from which nothing is deleted;
//   - deletable: package deletable's, left as it is;
//   - rebuild: the same, built anew of the live flows when it is due by its plan, for the lifetimes of these
//     flows; while that happens there are two of its tables;
//   - rolling: package rolling's, with the live flows as stragglers, which deletes by key alone;
//   - counting: a Bloom filter of 4-bit counters (Fan et al., Summary Cache, 2000).
//
// Each promises that it finds every live flow. That is checked for all of them at every sample, and for each
// once more when it ends. Strangers are seeded keys that no flow has.
package flows
