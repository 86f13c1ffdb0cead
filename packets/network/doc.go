// Package network is no API: it carries in-packet filters through a simulated network, in real
// packets.
//
// Every packet of a capture gets a header between its Ethernet header and its payload, as package
// inpacket makes it:
//
//	bytes 0-11   the addresses, as they were
//	bytes 12-13  EtherType 0x88B5, IEEE's for local experiments
//	bytes 14-17  version and kind, table, the packet's own EtherType
//	bytes 18 …   the field of 32 or 64 bytes
//
// and goes two kinds of ways. In the one the header is a route: the links of a tree through a
// random network, from a node to some receivers. Every node offers a copy to each of its links,
// whose engine deletes the link from the header if it is there, and drops the copy if not. In the
// other the header is a chain: some of the services that are on the packet's way, each of which has
// an engine that deletes it from the header if it is there, and serves the packet only then.
//
// Routes go again in two other forms, in the same packets. In one, engines query and delete
// nothing, which shows what deletion is worth: how many copies come to a node again, and how many
// go round in circles. In the other, virtual links stand for links wherever the packet's tree has
// all of theirs. Then the engines of a link are several, one after the other, of the link and of
// the virtual links that go over it. And a route's header can have control identifiers, each of a
// node of the tree, whose engine deletes it before the links' do.
//
// The simulation knows the tree and the chain exactly, so it counts what went wrong: false
// deliveries, which are copies over other links and services by others, and lost elements. It does
// so for three ways to choose a header: see [Policy].
//
// An engine is an [Engine]: that in Go, or the in-line engine's RTL.
package network
