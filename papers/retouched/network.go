package retouched

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// What section VI-B measures, and what its list of penultimate nodes shows of the change from a
// cycle of traces to the next.
const (
	monitors     = 10
	destinations = 10_000
	penultimates = 8006
	becameShort  = 0.0936 // destinations that have another router in front of them
	moved        = 0.1251 // destinations that are behind a new router
)

// core is how many routers carry traces. With this number a path has about 17 hops.
const core = 20_000

// internet is a network by a rule, in place of the one that skitter traced.
//
// A core of routers is a tree: a new router joins an end of a random link with probability 2/3, and
// any router else. That prefers well-connected routers, as routers do. Each of the penultimate
// nodes is an access router that joins any core router. The first destinations have one each, and
// the others share a random one. Each monitor has a gateway that joins any core router.
//
// An address is that of a router's interface: one for each neighbour that a trace comes from. From
// each cycle to the next a destination has another router put in front of it, or moves behind a new
// access router.
type internet struct {
	rng       *rand.Rand
	parents   []int32   // of core routers
	children  [][]int32 // of core routers
	gateways  []int32   // the core routers that they join
	addresses int32
	edges     []edge // of destinations
}

// edge is where a destination is: behind a chain of addresses at a core router.
type edge struct {
	router int32
	chain  []int32
}

func newInternet(rng *rand.Rand) *internet {
	n := &internet{rng: rng, parents: make([]int32, core), children: make([][]int32, core)}
	var ends []int32
	n.parents[0] = -1
	for i := int32(1); i < core; i++ {
		to := rng.Int32N(i)
		if len(ends) > 0 && rng.IntN(3) < 2 {
			to = ends[rng.IntN(len(ends))]
		}
		n.parents[i] = to
		n.children[to] = append(n.children[to], i)
		ends = append(ends, to, i)
	}
	for range monitors {
		n.gateways = append(n.gateways, rng.Int32N(core))
	}
	n.addresses = 2*core + 2*monitors
	for i := range destinations {
		if i < penultimates {
			n.edges = append(n.edges, n.access())
		} else {
			n.edges = append(n.edges, n.edges[rng.IntN(penultimates)])
		}
	}
	return n
}

func (n *internet) address() int32 {
	n.addresses++
	return n.addresses - 1
}

// access returns the edge behind a new access router.
func (n *internet) access() edge { return edge{n.rng.Int32N(core), []int32{n.address()}} }

// change goes from a cycle to the next.
func (n *internet) change() {
	for i := range n.edges {
		switch u := n.rng.Float64(); {
		case u < becameShort:
			n.edges[i].chain = append(slices.Clone(n.edges[i].chain), n.address())
		case u < becameShort+moved:
			n.edges[i] = n.access()
		}
	}
}

// hop is a step of traces: to an address, from the hop before.
type hop struct{ before, address int32 }

// cycle is a round of traces: the hops of each monitor's, which form a tree, each behind the one
// before it, and the last hop in front of each destination.
type cycle struct {
	hops [monitors][]hop
	last [monitors][]int32
	// the number of the link that a hop came by, a pair of addresses; 0 for none
	links [monitors][]int32
	seen  struct{ nodes, links int32 }
}

// trace makes a cycle. Only hops on the way to a destination are in it.
func (n *internet) trace() *cycle {
	c := &cycle{}
	c.seen.nodes = n.addresses
	for m, gateway := range n.gateways {
		hops := append(make([]hop, 0, n.addresses), hop{-1, 2*core + int32(m)})
		routers := make([]int32, core) // the hop to a core router
		var visit func(router, from, address, before int32)
		visit = func(router, from, address, before int32) {
			hops = append(hops, hop{before, address})
			here := int32(len(hops) - 1)
			routers[router] = here
			if up := n.parents[router]; up >= 0 && up != from {
				visit(up, router, core+router, here)
			}
			for _, child := range n.children[router] {
				if child != from {
					visit(child, router, child, here)
				}
			}
		}
		visit(gateway, -1, 2*core+monitors+int32(m), 0)
		behind := make([]int32, n.addresses) // the hop to an address of an edge; 0 for none
		for _, e := range n.edges {
			before := routers[e.router]
			for _, address := range e.chain {
				if behind[address] == 0 {
					behind[address] = int32(len(hops))
					hops = append(hops, hop{before, address})
				}
				before = behind[address]
			}
			c.last[m] = append(c.last[m], before)
		}
		c.hops[m] = prune(hops, c.last[m])
	}
	return c
}

// prune drops hops that are on the way to none of the last ones.
func prune(hops []hop, last []int32) []hop {
	used := make([]bool, len(hops))
	for _, h := range last {
		for ; h >= 0 && !used[h]; h = hops[h].before {
			used[h] = true
		}
	}
	renamed, kept := make([]int32, len(hops)), hops[:0]
	for i, h := range hops {
		if used[i] {
			renamed[i] = int32(len(kept))
			if h.before >= 0 {
				h.before = renamed[h.before]
			}
			kept = append(kept, h)
		}
	}
	for i := range last {
		last[i] = renamed[last[i]]
	}
	return kept
}

// traffic returns how many traces come to each address, if they stop at no destination.
func (c *cycle) traffic(addresses int32) []int {
	all := make([]int, addresses)
	for m, hops := range c.hops {
		through := make([]int, len(hops))
		for _, h := range c.last[m] {
			through[h]++
		}
		for i := len(hops) - 1; i >= 0; i-- {
			all[hops[i].address] += through[i]
			if hops[i].before >= 0 {
				through[hops[i].before] += through[i]
			}
		}
	}
	return all
}

// number numbers the links.
func (c *cycle) number() {
	numbers := map[hop]int32{}
	for m, hops := range c.hops {
		c.links[m] = make([]int32, len(hops))
		for i, h := range hops {
			if h.before < 0 {
				continue
			}
			h.before = hops[h.before].address
			if numbers[h] == 0 {
				numbers[h] = int32(len(numbers)) + 1
			}
			c.links[m][i] = numbers[h]
		}
	}
	c.seen.links = int32(len(numbers)) + 1
}

// probed is what became of the traces of a cycle that stop where a stop set says so.
type probed struct {
	success, short, collision float64 // shares of the traces
	// addresses that were reached, and links, where these have numbers
	nodes, links float64
}

// probe follows the traces of a cycle, which stop where an address is positive.
func (c *cycle) probe(positive func(address int32) bool) (p probed) {
	nodes, links := make([]bool, c.seen.nodes), make([]bool, c.seen.links)
	for m, hops := range c.hops {
		stopped := make([]bool, len(hops)) // at this hop or before
		for i, h := range hops {
			passed := h.before < 0 || !stopped[h.before]
			stopped[i] = !passed || positive(h.address)
			if passed && c.seen.links > 0 {
				nodes[h.address] = true
				links[c.links[m][i]] = true
			}
		}
		for _, h := range c.last[m] {
			switch before := hops[h].before; {
			case before >= 0 && stopped[before]:
				p.short++
			case stopped[h]:
				p.success++
			default:
				p.collision++
			}
		}
	}
	const all = monitors * destinations
	return probed{p.success / all, p.short / all, p.collision / all, count(nodes),
		count(links[min(1, len(links)):])}
}

func count(all []bool) (n float64) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// stopSet is the red stop set of a learning cycle, and what else was seen in it.
type stopSet struct {
	hashes  []uint64 // by address
	members []int32  // penultimate nodes
	isOne   []bool   // by address
	others  []int32  // addresses that are none, the most traffic first
	traffic []int
}

func learn(rng *rand.Rand, c *cycle, addresses int32) *stopSet {
	s := &stopSet{traffic: c.traffic(addresses), isOne: make([]bool, addresses)}
	for m, last := range c.last {
		for _, h := range last {
			s.isOne[c.hops[m][h].address] = true
		}
	}
	for a := range addresses {
		switch {
		case s.isOne[a]:
			s.members = append(s.members, a)
		case s.traffic[a] > 0:
			s.others = append(s.others, a)
		}
	}
	slices.SortStableFunc(s.others,
		func(a, b int32) int { return cmp.Compare(s.traffic[b], s.traffic[a]) })
	s.hash(rng, addresses)
	return s
}

// hash draws hashes for addresses that have none.
func (s *stopSet) hash(rng *rand.Rand, addresses int32) {
	for int32(len(s.hashes)) < addresses {
		s.hashes = append(s.hashes, rng.Uint64())
	}
}

func (s *stopSet) hashesOf(addresses []int32) (all []uint64) {
	for _, a := range addresses {
		all = append(all, s.hashes[a])
	}
	return all
}

// hops is how many hops a trace of the learning cycle has, on average.
func (s *stopSet) hops() float64 {
	all := 0
	for _, n := range s.traffic {
		all += n
	}
	return float64(all) / monitors / destinations
}

// list is the stop set itself.
func (s *stopSet) list(address int32) bool {
	return int(address) < len(s.isOne) &&
		s.isOne[address]
}

// bloom returns the stop set as a Bloom filter of m bits, and its false positives among what was
// seen, the most troublesome first.
func (s *stopSet) bloom(m, k int) (f *plain.Filter, positives []uint64) {
	f, err := plain.New(plain.Config{
		Members:    len(s.members),
		BitsPerKey: float64(m) / float64(len(s.members)),
		Hashes:     k,
	})
	if err != nil {
		panic(err)
	}
	if _, err := f.InsertHashBatch(s.hashesOf(s.members), nil); err != nil {
		panic(err)
	}
	return f, present(f, s.hashesOf(s.others))
}

// retouch buys off a share of the false positives, the most troublesome.
func (s *stopSet) retouch(
	f *plain.Filter,
	positives []uint64,
	beta float64,
	algorithm retouched.Algorithm,
) *retouched.Filter {
	keys := int(math.Round(beta * float64(len(positives))))
	r, _, err := retouched.New(f, retouched.Config{
		Algorithm: algorithm, Members: source(s.hashesOf(s.members)),
		Troublesome: source(positives[:keys]),
		Others:      source(positives[keys:]),
	})
	if err != nil {
		panic(err)
	}
	return r
}

// finds returns a filter's answers for addresses.
func (s *stopSet) finds(f filter.Querier) func(address int32) bool {
	answers := make([]uint64, filter.Words(len(s.hashes)))
	f.QueryHashBatch(s.hashes, answers)
	return func(address int32) bool { return filter.At(answers, int(address)) }
}
