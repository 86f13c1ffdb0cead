package retouched

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What section VI-B measures, and what its list of penultimate nodes shows of the change from a
// cycle of traces to the next.
const (
	monitors     = 10
	destinations = 10_000
	penultimates = 8006
	becameShort  = 0.0936 // destinations that have another router in front of them
	moved        = 0.1251 // destinations that are behind a new router
	lastCycle    = 10
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
	parents   []int32 // of core routers
	gateways  []int32 // the core routers that they join
	addresses int32
	edges     []edge // of destinations
}

// edge is where a destination is: behind a chain of addresses at a core router.
type edge struct {
	router int32
	chain  []int32
}

func newInternet(rng *rand.Rand) *internet {
	n := &internet{rng: rng, parents: []int32{-1}, addresses: 2*core + 2*monitors}
	var ends []int32
	for i := int32(1); i < core; i++ {
		to := rng.Int32N(i)
		if len(ends) > 0 && rng.IntN(3) < 2 {
			to = ends[rng.IntN(len(ends))]
		}
		n.parents = append(n.parents, to)
		ends = append(ends, to, i)
	}
	for range monitors {
		n.gateways = append(n.gateways, rng.Int32N(core))
	}
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

// hop is a step of traces: to an address, from the hop before, by the link between both addresses,
// which has a number; the first has none.
type hop struct{ before, address, link int32 }

// cycle is a round of traces: the hops of each monitor's, which form a tree, each behind the one
// before it, and the last hop in front of each destination.
type cycle struct {
	hops         [monitors][]hop
	last         [monitors][]int32
	nodes, links int32
}

// trace makes a cycle.
func (n *internet) trace() *cycle {
	c, links := &cycle{nodes: n.addresses}, map[hop]int32{}
	for m, gateway := range n.gateways {
		hops := []hop{{-1, 2*core + int32(m), 0}}
		places := make([]int32, n.addresses) // the hop to an address; 0 for none
		step := func(before, address int32) int32 {
			if places[address] == 0 {
				places[address] = int32(len(hops))
				link := hop{before: hops[before].address, address: address}
				if links[link] == 0 {
					links[link] = int32(len(links)) + 1
				}
				hops = append(hops, hop{before, address, links[link]})
			}
			return places[address]
		}
		// The neighbour from which a trace comes to a core router is its parent, but for those on
		// the way up from the gateway.
		from := slices.Clone(n.parents)
		for below := gateway; n.parents[below] >= 0; below = n.parents[below] {
			from[n.parents[below]] = below
		}
		var reach func(router int32) int32
		reach = func(router int32) int32 {
			address := router
			switch {
			case router == gateway:
				return step(0, 2*core+monitors+int32(m))
			case from[router] != n.parents[router]:
				address = core + from[router]
			}
			if places[address] > 0 {
				return places[address]
			}
			return step(reach(from[router]), address)
		}
		for _, e := range n.edges {
			before := reach(e.router)
			for _, address := range e.chain {
				before = step(before, address)
			}
			c.last[m] = append(c.last[m], before)
		}
		c.hops[m] = hops
	}
	c.links = int32(len(links))
	return c
}

// traffic returns how many traces come to each address, if they stop at no destination.
func (c *cycle) traffic() []int {
	all := make([]int, c.nodes)
	for m, hops := range c.hops {
		through := make([]int, len(hops))
		for _, h := range c.last[m] {
			through[h]++
		}
		for i, h := range slices.Backward(hops) {
			all[h.address] += through[i]
			if h.before >= 0 {
				through[h.before] += through[i]
			}
		}
	}
	return all
}

// probed is what became of the traces of a cycle that stop where a stop set says so.
type probed struct {
	success, short, collisions float64 // shares of the traces
	nodes, links               float64 // that are reached
}

func success(p *probed) float64    { return p.success }
func stopsShort(p *probed) float64 { return p.short }
func collisions(p *probed) float64 { return p.collisions }
func nodes(p *probed) float64      { return p.nodes }
func links(p *probed) float64      { return p.links }

// probe follows the traces of a cycle, which stop at some of the first addresses.
func (c *cycle) probe(stops []bool) probed {
	reached, linked := make([]bool, c.nodes), make([]bool, c.links+1)
	var ends [3]float64
	for m, hops := range c.hops {
		stopped := make([]bool, len(hops)) // at this hop or before
		for i, h := range hops {
			passed := h.before < 0 || !stopped[h.before]
			stopped[i] = !passed || int(h.address) < len(stops) && stops[h.address]
			if passed {
				reached[h.address], linked[h.link] = true, true
			}
		}
		for _, h := range c.last[m] {
			switch before := hops[h].before; {
			case before >= 0 && stopped[before]:
				ends[1]++
			case stopped[h]:
				ends[0]++
			default:
				ends[2]++
			}
		}
	}
	const all = monitors * destinations
	return probed{ends[0] / all, ends[1] / all, ends[2] / all, count(reached),
		count(linked[1:])}
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
	filters map[Shape]bloom

	cycles map[int]*cycle // by number
}

func learn(n *internet) stopSet {
	c := n.trace()
	s := stopSet{traffic: c.traffic(), isOne: make([]bool, n.addresses),
		filters: map[Shape]bloom{}, cycles: map[int]*cycle{}}
	for m, last := range c.last {
		for _, h := range last {
			s.isOne[c.hops[m][h].address] = true
		}
	}
	for a, traffic := range s.traffic {
		switch {
		case s.isOne[a]:
			s.members = append(s.members, int32(a))
		case traffic > 0:
			s.others = append(s.others, int32(a))
		}
	}
	slices.SortStableFunc(s.others,
		func(a, b int32) int { return cmp.Compare(s.traffic[b], s.traffic[a]) })
	s.hash(n)
	return s
}

// hash draws hashes for the addresses that have none.
func (s *stopSet) hash(n *internet) {
	for int32(len(s.hashes)) < n.addresses {
		s.hashes = append(s.hashes, n.rng.Uint64())
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

// setting is a stop set in a cycle of traces. A list has m = 0, a Bloom filter β = 0.
type setting struct {
	m, k     int
	beta     float64
	improved bool
	cycle    int
}

// study makes the networks: a learning cycle, and then cycles in which stop sets can be asked.
func study(run *trials.Run) []stopSet {
	return trials.Recall(run, "case study", times(run), func(rng *rand.Rand) stopSet {
		n := newInternet(rng)
		set := learn(n)
		for i := 1; i <= lastCycle; i++ {
			n.change()
			set.hash(n)
			if !run.Short || i == 1 || i == lastCycle {
				set.cycles[i] = n.trace()
			}
		}
		return set
	})
}

// ask asks a stop set in its cycle, of each network.
func ask(run *trials.Run, which setting) []probed {
	all, subject := study(run), fmt.Sprintf("%+v", which)
	return trials.Remember(run, "asked", subject, len(all), func() []probed {
		answers := make([]probed, len(all))
		var asking sync.WaitGroup
		for i := range all {
			asking.Go(func() {
				c := all[i].cycles[which.cycle]
				answers[i] = c.probe(all[i].stops(which, c.nodes))
			})
		}
		asking.Wait()
		return answers
	})
}

// stops says at which of the first addresses a stop set stops traces.
func (s *stopSet) stops(which setting, addresses int32) []bool {
	if which.m == 0 {
		return s.isOne
	}
	b := s.bloom(which.m, which.k)
	if which.beta == 0 {
		return finds(b, s.hashes[:addresses])
	}
	// A share of the false positives is bought off, the most troublesome.
	chosen, keys := retouched.Ratio, int(math.Round(which.beta*float64(len(b.positives))))
	if which.improved {
		chosen = retouched.ImprovedRatio
	}
	f, _, err := retouched.New(b.Filter, retouched.Config{
		Algorithm: chosen, Members: source(s.hashesOf(s.members)),
		Troublesome: source(s.hashesOf(b.positives[:keys])),
		Others:      source(s.hashesOf(b.positives[keys:])),
	})
	return finds(must(f, err), s.hashes[:addresses])
}

// bloom is a stop set as a Bloom filter, and its false positives among what was seen, the most
// troublesome first.
type bloom struct {
	*plain.Filter
	positives []int32
}

// bloom returns the filter of m bits with k hash functions.
func (s *stopSet) bloom(m, k int) bloom {
	shape := Shape{m, len(s.members), k}
	if known, found := s.filters[shape]; found {
		return known
	}
	b := bloom{Filter: newFilter(m, len(s.members), k)}
	must(b.InsertHashBatch(s.hashesOf(s.members), nil))
	found := finds(b, s.hashes[:len(s.isOne)])
	for _, a := range s.others {
		if found[a] {
			b.positives = append(b.positives, a)
		}
	}
	s.filters[shape] = b
	return b
}
