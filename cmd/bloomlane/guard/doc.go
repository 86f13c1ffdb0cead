// Package guard is no API: it is a packet filter and tracker made of deletable Bloom filters.
//
// It keeps three sets: the good sources, the bad sources, and the bad sequences of one to three
// 32-bit words. Every packet has a source address and words, and goes through these rules:
//
//   - A source in the bad set is rejected before anything else.
//   - A source's first accepted packet inserts it into the good set, once.
//   - After each word, the last three, two and one words of its source are looked up among the bad
//     sequences, longest first. A hit is a strike, at most one a word, and clears the source's
//     history. Histories go on from packet to packet.
//   - After a strike the packet goes on. With the third strike it stops: the source is deleted from
//     the good set and inserted into the bad one.
//
// What decides that a source is inserted once, and so may be deleted, is an exact state of each
// source, never the answer of a filter: a false positive would leave a source out, whose deletion
// would then clear bits of others; and inserting it with every packet would make all its bits
// collide, so that no deletion could clear them. Strikes and the history are part of that state.
//
// The states are bounded. Where one more is needed, the source that was not seen for longest is
// evicted: it is deleted from the good set, so that its return is one insert again, and its strikes
// are forgotten.
//
// The sources that have a state are the members of the good set, and an exact set lists their
// hashes, by interval too. Its filter decays with every insert, so it is planned for some turnovers
// and then built anew from that list; or for re-inserts, and its blocks are refreshed in turn.
//
// Some sources must never be blocked. Then the blocklist is in a retouched filter, which hits none
// of them, and the sources that turn bad are in a filter beside it. A source of the list that gets
// its third strike stays good, and its strikes start anew. So does a source with whom one of the
// list would be a false positive.
//
// The engine takes any filters that delete, so that the same rules run on filters and, for an
// audit, on exact sets. Where a set refuses a source, the run ends with its error.
package guard
