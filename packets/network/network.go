package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// link is a link of a network, in one direction.
type link struct{ from, to int }

// network is a connected network of nodes and links.
type network struct {
	links []link
	leave [][]int // for each node, the links that leave it, by number
}

// newNetwork returns a network of nodes with about degree links each, two or more nodes: a random
// tree, so that it is connected, and more links at random.
func newNetwork(rng *rand.Rand, nodes, degree int) *network {
	n := &network{leave: make([][]int, nodes)}
	for node := 1; node < nodes; node++ {
		n.connect(node, rng.IntN(node))
	}
	for tries := 0; len(n.links) < nodes*degree && tries < nodes*degree; tries++ {
		a, b := rng.IntN(nodes), rng.IntN(nodes)
		if a != b && !slices.ContainsFunc(n.leave[a],
			func(l int) bool { return n.links[l].to == b }) {
			n.connect(a, b)
		}
	}
	return n
}

// connect adds a link in each direction.
func (n *network) connect(a, b int) {
	n.leave[a] = append(n.leave[a], len(n.links))
	n.leave[b] = append(n.leave[b], len(n.links)+1)
	n.links = append(n.links, link{a, b}, link{b, a})
}

// names returns the identifiers of the links.
func (n *network) names() [][]byte {
	var names [][]byte
	for _, l := range n.links {
		names = append(names, fmt.Appendf(nil, "link %d-%d", l.from, l.to))
	}
	return names
}

// tree returns the links of a tree of shortest ways from a node to receivers, and its nodes.
func (n *network) tree(source int, receivers []int) (links, nodes []int) {
	arrival := make([]int, len(n.leave)) // the link that a node is first reached by, plus one
	for queue := []int{source}; len(queue) > 0; queue = queue[1:] {
		for _, l := range n.leave[queue[0]] {
			if to := n.links[l].to; to != source && arrival[to] == 0 {
				arrival[to] = l + 1
				queue = append(queue, to)
			}
		}
	}
	nodes = []int{source}
	for _, node := range receivers {
		for !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
			links = append(links, arrival[node]-1)
			node = n.links[arrival[node]-1].from
		}
	}
	return links, nodes
}
