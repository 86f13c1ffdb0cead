// Package flows is no API: it runs filters on the flows of real traffic, and exact sets with them.
//
// # Flows
//
// A flow is a 5-tuple: two addresses, two ports and the transport protocol, IPv4 or IPv6. Both
// directions are the same flow, as in the table of a firewall or a NAT. Protocols without ports
// have ports of 0. A flow begins with its first packet. It ends
//
//   - with the first RST, or when both sides have sent a FIN;
//   - with a SYN after one FIN, which also begins the next flow: the other FIN was not captured;
//   - when no packet of it comes for the idle timeout;
//   - when more flows are followed than the limit, and no other was seen less recently.
//
// VLANs do not count: the same tuple in two of them is one flow. Of a tunnel the outermost header
// counts. Fragments after the first have no ports, and are only counted. All ICMP between two hosts
// is one flow.
//
// A packet that arrives after the end of its connection, such as the last ACK, begins no new flow
// unless it is a SYN. The connection is remembered for the idle timeout since the last such packet,
// and takes room among the flows that are followed.
//
// Time is that of the packets, and never goes back: a packet with an earlier time than one before
// it, or with none, counts as of the same time. A timestamp that jumps ahead by more than the idle
// timeout is ignored if the next packet jumps back. Where more than a hundredth of the packets are
// so far off, there is no advice.
//
// A synthesised trace takes the flows that the end of the capture cut for complete, and draws the
// times between beginnings one by one, which smooths bursts. In waves flows begin more often and
// less often in turn, so that the live ones grow and shrink.
//
// # Filters
//
// A flow's beginning inserts its key into each filter, and its end deletes it. All filters but the
// last have exactly the same memory:
//
//   - insert-only: a plain Bloom filter, from which nothing is deleted, with the number of hashes
//     that is best for all flows of the traffic;
//   - deletable: package deletable's, left as it is;
//   - rebuild: the same, rebuilt of the live flows when its plan for these lifetimes says that
//     it is due; while that happens there are two tables;
//   - refresh: the same, whose blocks are rebuilt in turn, with a number of re-inserts per
//     insert, each from the live flows whose hashes lie there;
//   - rolling: package rolling's, a ring of tables; the live flows of the oldest one, which package
//     rolling calls stragglers, are inserted again before it is emptied;
//   - counting: a Bloom filter of 4-bit counters (Fan et al., Summary Cache, 2000);
//   - elastic: package elastic's, made for a 64th of the members, at half the rate to keep, as one
//     would be whose owner knows nothing of the traffic. It grows and shrinks with the live flows.
//     Its blocks have no more bits per key than the others; its lists come on top, so that it takes
//     several times the memory at the peak.
//
// Each promises that it finds every live flow that it took, which is checked at every sample, and
// for each flow once more when it ends. Non-members are sampled at each sample; the rate is the
// share found. Between samples the bits are looked at: whenever a 32nd of the members was inserted,
// at the peak and before a table is rebuilt. A turnover is as many inserts as live flows in the
// mean. The elastic
// filter's memory is weighed with every insert and delete.
//
// The one to use is of those with the same memory, if any of them keeps the rate, and else the
// elastic one, if it does.
package flows
