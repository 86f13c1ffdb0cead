package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// With the strict choice and virtual links every link and every control is found once and nothing
// else is. And virtual links do what they are for: fewer identifiers, emptier headers, fewer false
// matches, and more packets that have a clean header.
func TestVirtualLinks(t *testing.T) {
	config := crowded
	config.Tables, config.Receivers, config.VirtualLinks, config.Controls = 2, 14, 60, 3
	r := simulated(t, config, 500, Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 256}))
	if r.Failure() != nil || r.Virtual == nil {
		t.Fatalf("failure %v, virtual links %v", r.Failure(), r.Virtual)
	}
	for form, tallies := range map[string][]Tally{"links": r.Routes, "undeleted": r.Undeleted,
		"virtual": r.Virtual.Routes} {
		any, strict := tallies[AnyTable], tallies[Strict]
		if strict.Wrong+strict.Lost+strict.False+strict.Duplicates > 0 ||
			strict.Loops+strict.Stopped+strict.FalseDone > 0 ||
			strict.Sent == 0 || strict.Done != 3*strict.Sent ||
			strict.Delivered != strict.Elements {
			t.Errorf("%s, strict: %+v", form, strict)
		}
		if any.Duplicates == 0 || any.Loops == 0 || any.Loops > any.Duplicates ||
			any.Duplicates > any.False || any.FalseDone == 0 {
			t.Errorf("%s, any table: %+v", form, any)
		}
		if undeleted := form == "undeleted"; (any.Deleted == 0) != undeleted ||
			strict.Hops < strict.Delivered {
			t.Errorf("%s: %+v", form, any)
		}
	}
	for policy, links := range r.Routes {
		undeleted, virtual := r.Undeleted[policy], r.Virtual.Routes[policy]
		if links.Identifiers != links.Elements || undeleted.Identifiers != links.Identifiers ||
			undeleted.FillSum != links.FillSum {
			t.Errorf("%+v\n%+v", links, undeleted)
		}
		if Policy(policy) == AnyTable &&
			(undeleted.Loops <= links.Loops || undeleted.Stopped <= links.Stopped ||
				virtual.Elements != links.Elements ||
				virtual.Identifiers > links.Identifiers*9/10 || virtual.FillSum >= links.FillSum ||
				virtual.Expected >= links.Expected || virtual.Matches >= links.Matches ||
				virtual.Wrong >= links.Wrong) {
			t.Errorf("links     %+v\nundeleted %+v\nvirtual   %+v", links, undeleted, virtual)
		}
		if Policy(policy) == Strict && virtual.Refused >= links.Refused {
			t.Errorf("%d refused with virtual links, %d without", virtual.Refused, links.Refused)
		}
	}
	// Without them there is no such part of the report, and the same routes.
	config.VirtualLinks = 0
	if plain := simulated(t, config, 500,
		Engine[kernel.Block256](Model[kernel.Block256]{FillLimit: 256})); plain.Virtual != nil ||
		!slices.Equal(plain.Routes, r.Routes) || !slices.Equal(plain.Undeleted, r.Undeleted) ||
		!slices.Equal(plain.Chains, r.Chains) {
		t.Error("virtual links change the other ways")
	}
}

// The state that is reported is that of the virtual links, counted by the names of their links.
func TestVirtualState(t *testing.T) {
	config := crowded
	config.VirtualLinks, config.Tables = 30, 4
	run, err := New(config, Engine[kernel.Block512](Model[kernel.Block512]{FillLimit: 512}))
	if err != nil {
		t.Fatal(err)
	}
	want := VirtualReport{VirtualLinks: 30, EntryBits: 4*42 + 1}
	byNode := make([]int, config.Nodes)
	for _, v := range run.virtualLinks {
		links := slices.Concat(v.Through, v.Last)
		want.MostLinks = max(want.MostLinks, len(links))
		for _, link := range links {
			var from int
			if _, err := fmt.Sscanf(string(link), "link %d-", &from); err != nil {
				t.Fatal(err)
			}
			want.Entries++
			byNode[from]++
		}
	}
	want.MostEntries = slices.Max(byNode)
	got := *run.virtualReport()
	if got.Routes = nil; fmt.Sprint(got) != fmt.Sprint(want) || want.MostEntries < 2 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// walker takes one packet through a network, depth first and by the names of things: what fly does,
// in the plainest form.
type walker struct {
	run     *Run[kernel.Block256]
	virtual bool
	delete  bool

	tally   Tally
	crossed map[string]int
	visits  map[int]int
}

// meet lets a header meet an identifier, and reports whether it matched.
func (w *walker) meet(h *inpacket.Header256, identifier string, last bool) bool {
	w.tally.Hops++
	element := w.run.routes.plane.Element([]byte(identifier))
	if !h.Query(element) {
		return false
	}
	before := *h
	if w.delete && last {
		h.Delete(element)
	}
	if *h != before {
		w.tally.Deleted++
	} else {
		w.tally.Retained++
	}
	return true
}

// walk takes a copy to a node, over the nodes of a trail, and returns false where it goes on for
// too long.
func (w *walker) walk(h inpacket.Header256, node int, trail []int) bool {
	if w.visits[node]++; w.visits[node] > 1 {
		w.tally.Duplicates++
	}
	if slices.Contains(trail, node) {
		w.tally.Loops++
	}
	if trail = append(slices.Clone(trail), node); len(trail) > maxSteps ||
		w.tally.Duplicates > maxCopies/2 {
		return false
	}
	if control := fmt.Sprintf("control %d", node); w.run.config.Controls > 0 &&
		w.meet(&h, control, true) {
		w.crossed[control]++
	}
	for _, l := range w.run.network.links {
		if l.from != node {
			continue
		}
		out, name := h, fmt.Sprintf("link %d-%d", l.from, l.to)
		matched := w.meet(&out, name, true)
		for _, v := range w.run.virtualLinks {
			same := func(link []byte) bool { return string(link) == name }
			through, last := slices.ContainsFunc(v.Through, same), slices.ContainsFunc(v.Last, same)
			if w.virtual && (through || last) {
				matched = w.meet(&out, string(v.Identifier), last) || matched
			}
		}
		if matched {
			if w.crossed[name]++; !w.walk(out, l.to, trail) {
				return false
			}
		}
	}
	return true
}

// moving is the engine in Go, whose packets leave it in memory of their own.
type moving struct{ Model[kernel.Block256] }

func (m moving) Handle(hops []Hop[kernel.Block256]) error {
	for i := range hops {
		hops[i].Frame = slices.Clone(hops[i].Frame)
	}
	return m.Model.Handle(hops)
}

// The counts of a route are those of the plain walker, in each of the forms, with true and false
// matches.
func TestCounts(t *testing.T) {
	for _, policy := range []Policy{AnyTable, Strict} {
		config := crowded
		config.Receivers, config.VirtualLinks, config.Controls, config.Tables = 12, 40, 2, 2
		run, err := New(config,
			Engine[kernel.Block256](moving{Model[kernel.Block256]{FillLimit: 256}}))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		var sum Tally
		for range 150 {
			tour := rng.Perm(config.Nodes)[:1+config.Receivers]
			links, nodes := run.network.tree(tour[0], tour[1:])
			wanted := slices.Concat(links,
				[]int{len(run.network.links) + nodes[0], len(run.network.links) + nodes[3]})
			for _, w := range []*way[kernel.Block256]{&run.routes, &run.undeleted, &run.virtual} {
				names := w.some(wanted)
				if w == &run.virtual {
					names = inpacket.Replace(names, run.virtualLinks)
				}
				flights, err := w.flights(make([]byte, 60),
					flight[kernel.Block256]{wanted: wanted, source: tour[0], reached: tour[:1:1]},
					names, nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(flights,
					func(f *flight[kernel.Block256]) bool { return f.tally == &w.tallies[policy] })
				if i < 0 {
					continue // it is refused
				}
				f, got := flights[i], &Tally{}
				f.tally = got
				walker := &walker{run: run, virtual: w == &run.virtual, delete: w != &run.undeleted,
					crossed: make(map[string]int), visits: make(map[int]int)}
				var h inpacket.Header256
				if err := h.UnmarshalBinary(
					f.sent[headerStart:][:inpacket.HeaderBytes[kernel.Block256]()]); err != nil {
					t.Fatal(err)
				}
				if err := run.fly([]*flight[kernel.Block256]{f}); err != nil {
					t.Fatal(err)
				}
				f.land()
				if whole := walker.walk(h, tour[0], nil); !whole || got.Stopped > 0 {
					sum.Stopped++
					continue
				}
				want := walker.tally
				for _, port := range wanted {
					if name := string(w.names[port]); walker.crossed[name] > 0 {
						walker.crossed[name]--
						want.Delivered++
						if port >= len(run.network.links) {
							want.Done++
						}
					} else {
						want.Lost++
					}
				}
				for name, times := range walker.crossed {
					if want.False += times; name[0] == 'c' {
						want.FalseDone += times
					}
				}
				want.Wrong = min(1, want.False+want.Lost)
				if *got != want {
					t.Fatalf("%v: %+v\nwant %+v", policy, *got, want)
				}
				sum.Sent++
				sum.False += got.False
				sum.FalseDone += got.FalseDone
				sum.Loops += got.Loops
				sum.Duplicates += got.Duplicates
			}
		}
		if wrong := policy == AnyTable; sum.Sent < 50 || sum.Stopped > 50 ||
			(min(sum.FalseDone, sum.Loops, sum.Duplicates-sum.Loops) > 0) != wrong {
			t.Errorf("%v: %+v: the test shows too little", policy, sum)
		}
	}
}

// What is learned is what an exhaustive count of each round finds: the pair of parts that most
// trees have, where a pair is two parts of which the union begins at one node.
func TestLearnedVirtualLinks(t *testing.T) {
	const number, receivers = 12, 3
	n := newNetwork(rand.New(rand.NewPCG(1, 2)), 9, 3)
	got := n.virtualLinks(rand.New(rand.NewPCG(3, 4)), number, receivers)

	rng := rand.New(rand.NewPCG(3, 4))
	var trees [][]int
	for range sampleTrees {
		at := rng.Perm(9)[:1+receivers]
		tree, _ := n.tree(at[0], at[1:])
		trees = append(trees, tree)
	}
	parts := make([][]int, len(n.links))
	for l := range parts {
		parts[l] = []int{l}
	}
	for len(parts) < len(n.links)+number {
		best, most := [2]int{}, 0
		for p := range parts {
			for q := range p {
				in := 0
				for _, tree := range trees {
					if slices.Contains(tree, p) && slices.Contains(tree, q) &&
						tops(n, slices.Concat(parts[p], parts[q])) == 1 {
						in++
					}
				}
				if pair := [2]int{q, p}; in > most || in == most &&
					slices.Compare(pair[:], best[:]) < 0 {
					best, most = pair, in
				}
			}
		}
		for i, tree := range trees {
			if slices.Contains(tree, best[0]) && slices.Contains(tree, best[1]) {
				trees[i] = append(slices.DeleteFunc(tree,
					func(p int) bool { return p == best[0] || p == best[1] }), len(parts))
			}
		}
		parts = append(parts, slices.Concat(parts[best[0]], parts[best[1]]))
	}
	want := parts[len(n.links):]
	slices.SortStableFunc(want, func(a, b []int) int { return len(b) - len(a) })
	for _, links := range slices.Concat(got, want) {
		slices.Sort(links)
	}
	if !slices.EqualFunc(got, want, slices.Equal) || len(got[0]) < 3 {
		t.Errorf("learned %v, want %v", got, want)
	}
	// Trees of one link have nothing in common that could be replaced.
	if got := newNetwork(rng, 2, 2).virtualLinks(rng, 5, 1); len(got) != 0 {
		t.Errorf("learned %v of trees of one link", got)
	}
}

// tops returns at how many nodes some links of a tree begin.
func tops(n *network, links []int) int {
	var top []int
	for _, l := range links {
		from := n.links[l].from
		if !slices.ContainsFunc(links, func(m int) bool { return n.links[m].to == from }) &&
			!slices.Contains(top, from) {
			top = append(top, from)
		}
	}
	return len(top)
}
