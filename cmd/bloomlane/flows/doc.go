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
// A SYN after a FIN of a live flow, of either side, ends it too and begins the next: the other FIN was not captured.
//
// What a packet is taken for:
//
//   - VLANs do not count: the same tuple in two of them is one flow;
//   - of a tunnel it is the outermost header that counts;
//   - fragments after the first have no ports, and are only counted;
//   - ICMP has no ports: all of it between two hosts is one flow.
//
// What arrives after the end of a connection, such as its last ACK, begins no new flow until the idle
// timeout has passed since the last of it, unless it is a SYN: each late packet keeps its flow from being forgotten,
// and so takes room among those that are followed.
//
// Time is that of the packets. It never goes back: a packet with an earlier time than one before it counts as
// of the same time, and so does one without. So does one that leaps ahead by more than the idle timeout where the
// next packet takes that back. Where more than a hundredth of the packets are so far off, ahead or behind, there
// is no advice.
//
// A synthesised trace takes the flows that the end of the capture cut for complete, and draws the times between
// beginnings one by one, which smooths bursts.
//
// # Filters
//
// A flow's beginning inserts its key into each filter, and its end deletes it. All have exactly the
// same memory:
//
//   - insert-only: a Bloom filter, from which nothing is deleted, with the number of hashes that is best for all
//     flows of the traffic: they all go in;
//   - deletable: package deletable's, left as it is;
//   - rebuild: the same, built anew of the live flows when it is due by its plan, for the lifetimes of these
//     flows; while that happens there are two of its tables;
//   - rolling: package rolling's, with the live flows as stragglers, which deletes by key alone;
//   - counting: a Bloom filter of 4-bit counters (Fan et al., Summary Cache, 2000).
//
// Each promises that it finds every live flow that it took: rolling refuses flows that it has no room for, and is
// not asked for them. That is checked for all of them at every sample, and for each once more when it ends.
// NonMembers are seeded keys that no flow has. They measure the rate at samples; between these the bits are
// looked at, whenever a 32nd of the members was inserted, at the peak and before anything is built anew.
//
// The filter to use is the first that keeps the rate: insert-only, from which nothing has to be deleted; then those
// whose queries read the fewest lines of memory; and of those the one that asks least of its owner. Turnovers
// are of the mean live flows.
package flows
