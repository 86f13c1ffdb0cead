// Package guard is no API: it is a packet filter and tracker made of deletable Bloom filters.
//
// It keeps three sets: the good sources, the bad sources, and the bad sequences of one to three
// 32-bit words. Every packet has a source address and words, and goes through these rules:
//
//   - A source in the bad set is rejected before anything else.
//   - A source's first accepted packet inserts it into the good set, once.
//   - After each word, the last three, two and one words of its source are looked up among the bad
//     sequences, longest first. A hit is a strike, at most one per word, and clears the source's
//     history. A history continues from one packet to the next.
//   - After the first and the second strike the packet goes on. With the third strike it stops: the
//     source is deleted from the good set and inserted into the bad one.
//
// An exact state of each source decides that it is inserted once, and so may be deleted. The answer
// of a filter cannot decide that. If a false positive were not inserted, its delete would clear
// bits of members. If a source were inserted with every packet, all its bits would collide, and no
// delete could clear them. Strikes and the history are part of the state.
//
// The number of states is bounded. If one more is needed, the source whose last packet is oldest is
// evicted: it is deleted from the good set, so that its return is one insert again, and its strikes
// are forgotten.
//
// The sources that have a state are the members of the good set. An exact set lists their hashes,
// by interval too. The rate of the good filter grows with every insert. So it is planned for a
// number of turnovers, in each of which all sources are replaced once, and then rebuilt from that
// list; or it is planned for re-inserts, and its blocks are refreshed from the list, in turn.
//
// Some sources must never be blocked. For these the blocklist is in a retouched filter, which finds
// none of them, and the sources that turn bad are in a second filter. A source of the
// list that gets its third strike stays good, and its strikes are set to zero. The same holds for a
// source that would make one of the list a false positive of the second filter.
//
// The engine works on any filters that delete, so that the same rules run on filters and, for an
// audit, on exact sets. If a set refuses a source, the run ends with its error.
//
// # Attackers
//
// An attacker can have only those sources deleted from whose addresses he can send. Three limits
// stay. Forged packets give strikes to the source that they name. An attacker with as many
// addresses as there are states pushes his own state out, and his strikes are forgotten. An
// attacker with more bad addresses than planned fills the bad filter, and it then rejects honest
// sources. docs/keyed-hashing.md has the whole list.
package guard
