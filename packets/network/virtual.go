package network

import (
	"math/rand/v2"
	"slices"
)

// Virtual links are learned from trees as those of the packets, up to this many, or this many of
// their links.
const (
	sampleTrees = 1000
	sampleLinks = 1 << 16
)

// part is a part of a tree: one link, or more that hang together.
type part struct {
	links []int
	nodes []int // the one where it begins, and where its links lead to
}

// leads reports whether another part begins at one of p's nodes.
func (p part) leads(q part) bool { return slices.Contains(p.nodes, q.nodes[0]) }

// join returns two neighbours as one part.
func (p part) join(q part) part {
	if !p.leads(q) {
		p, q = q, p
	}
	return part{slices.Concat(p.links, q.links), slices.Concat(p.nodes, q.nodes[1:])}
}

// virtualLinks returns up to a number of virtual links, as the numbers of their links, those of the
// most links first. The two neighbouring parts that most trees of a sample have in common become
// one, and so on until no two trees have any in common.
func (n *network) virtualLinks(rng *rand.Rand, number, receivers int) [][]int {
	var parts []part
	for i, l := range n.links {
		parts = append(parts, part{[]int{i}, []int{l.from, l.to}})
	}
	var trees [][]int              // of parts, by number
	common := make(map[[2]int]int) // in how many trees two parts are neighbours
	for links := 0; len(trees) < sampleTrees && links < sampleLinks; {
		at := rng.Perm(len(n.leave))[:1+receivers]
		tree, _ := n.tree(at[0], at[1:])
		trees, links = append(trees, tree), links+len(tree)
		countNeighbours(common, parts, tree, 1)
	}
	for len(parts) < len(n.links)+number {
		best, most := [2]int{}, 1
		for pair, trees := range common {
			if trees > most || trees == most && most > 1 && slices.Compare(pair[:], best[:]) < 0 {
				best, most = pair, trees
			}
		}
		if most == 1 {
			break
		}
		parts = append(parts, parts[best[0]].join(parts[best[1]]))
		for i, tree := range trees {
			if slices.Contains(tree, best[0]) && slices.Contains(tree, best[1]) {
				countNeighbours(common, parts, tree, -1)
				tree = slices.DeleteFunc(tree,
					func(p int) bool { return p == best[0] || p == best[1] })
				trees[i] = append(tree, len(parts)-1)
				countNeighbours(common, parts, trees[i], 1)
			}
		}
	}
	var virtual [][]int
	for _, p := range parts[len(n.links):] {
		virtual = append(virtual, p.links)
	}
	slices.SortStableFunc(virtual, func(a, b []int) int { return len(b) - len(a) })
	return virtual
}

// countNeighbours adds to the count of each two parts of a tree that are neighbours.
func countNeighbours(common map[[2]int]int, parts []part, tree []int, add int) {
	for i, p := range tree {
		for _, q := range tree[:i] {
			if !parts[p].leads(parts[q]) && !parts[q].leads(parts[p]) {
				continue
			}
			pair := [2]int{min(p, q), max(p, q)}
			if common[pair] += add; common[pair] == 0 {
				delete(common, pair)
			}
		}
	}
}
