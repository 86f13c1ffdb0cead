package inpacket

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

// port is an entry of a link: the element of an identifier, and the operation of the port.
type port[B Block] struct {
	identifier string
	element    Element[B]
	op         Op
}

// subtree returns a virtual link of up to n links of a network's tree.
func subtree(rng *rand.Rand, parent []int, identifier string, n int) (v VirtualLink) {
	top := rng.IntN(len(parent) / 2)
	nodes, inner := []int{top}, make(map[int]bool)
	// a parent comes before its children
	for node := top + 1; node < len(parent) && len(nodes) <= n; node++ {
		if at := parent[node]; slices.Contains(nodes, at) && rng.IntN(3) > 0 {
			nodes, inner[at] = append(nodes, node), true
		}
	}
	v.Identifier = []byte(identifier)
	for _, node := range nodes[1:] {
		link := fmt.Appendf(nil, "%d-%d", parent[node], node)
		if inner[node] {
			v.Through = append(v.Through, link)
		} else {
			v.Last = append(v.Last, link)
		}
	}
	return v
}

// With chosen headers a packet goes over each link of its tree once, by the identifier of the link
// or of a virtual link, and over no other link. Where a branch of a virtual link ends, the packet
// no longer has its identifier.
func TestVirtualLinks(t *testing.T) {
	eachWidth(t, testVirtualLinks[kernel.Block256], testVirtualLinks[kernel.Block512])
}

func testVirtualLinks[B Block](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var sent, replaced, ends, trees int
	for network := range 20 {
		parent, links := randomNetwork(rng, 20+rng.IntN(30))
		p, err := New[B](Config{Key: fixed, Deletable: true})
		if err != nil {
			t.Fatal(err)
		}
		ports := make(map[string][]port[B])
		leave := make(map[int][][]byte) // by node: what can match there
		program := func(link string, from int, identifier []byte, op Op) {
			p.Add(identifier)
			ports[link] = append(ports[link],
				port[B]{string(identifier), p.Element(identifier), op})
			leave[from] = append(leave[from], identifier)
		}
		for from := range links {
			for _, link := range links[from] {
				program(link.name, from, []byte(link.name), OpDelete)
			}
		}
		var virtual []VirtualLink
		for i := range 30 {
			v := subtree(rng, parent, fmt.Sprintf("virtual %d", i), 1+rng.IntN(6))
			for op, members := range map[Op][][]byte{OpQuery: v.Through, OpDelete: v.Last} {
				for _, link := range members {
					var from int
					if _, err := fmt.Sscanf(string(link), "%d-", &from); err != nil {
						t.Fatal(err)
					}
					program(string(link), from, v.Identifier, op)
				}
			}
			virtual = append(virtual, v)
		}
		for range 100 {
			tree, reached := randomTree(rng, parent, 3+rng.IntN(12))
			identifiers := Replace(tree, virtual)
			var queries [][]byte
			for node := range reached {
				queries = append(queries, leave[node]...)
			}
			best, err := p.Encode(identifiers, queries)
			if err != nil {
				continue
			}
			sent++
			replaced += len(tree) - len(identifiers)
			crossed, copies := make(map[string]int), 0
			type packet struct {
				node int
				h    Header[B]
			}
			for queue := []packet{{0, best.Header}}; len(queue) > 0 &&
				copies < 1000; queue = queue[1:] {
				for _, link := range links[queue[0].node] {
					h, matched := queue[0].h, false
					for _, port := range ports[link.name] {
						status := h.Apply(port.op, port.element)
						matched = matched || status != kernel.Absent
						if port.op == OpDelete && status != kernel.Absent {
							if ends++; status != kernel.Deleted || h.Query(port.element) {
								t.Fatalf("network %d: %s is followed at %s, and not deleted",
									network, port.identifier, link.name)
							}
						}
					}
					if matched {
						crossed[link.name]++
						copies++
						queue = append(queue, packet{link.to, h})
					}
				}
			}
			want := make(map[string]int)
			for _, link := range tree {
				want[string(link)] = 1
			}
			if !maps.Equal(crossed, want) {
				t.Fatalf("network %d, header of %q: crossed %v, want %v", network, identifiers,
					crossed, want)
			}
			for _, v := range virtual {
				if len(v.Last) > 1 && slices.ContainsFunc(identifiers,
					func(id []byte) bool { return string(id) == string(v.Identifier) }) {
					trees++
				}
			}
		}
	}
	if sent < 500 || replaced < 500 || ends < 1000 || trees < 100 {
		t.Errorf("%d sent, %d links replaced, %d ends, %d virtual trees: the test shows too little",
			sent, replaced, ends, trees)
	}
}

// Replace on short lists.
func TestReplace(t *testing.T) {
	list := func(names string) (identifiers [][]byte) {
		for _, name := range names {
			identifiers = append(identifiers, []byte(string(name)))
		}
		return identifiers
	}
	virtual := []VirtualLink{
		{list("X")[0], list("ab"), list("c")},
		{list("Y")[0], list("c"), list("de")},
		{list("Z")[0], list("a"), nil}, // it has no last link
		{list("W")[0], nil, list("f")},
	}
	for _, test := range []struct{ links, want string }{
		{"", ""},
		{"ab", "ab"},
		{"cba", "X"},
		{"edc", "Y"},
		{"abcde", "Xde"}, // c is already replaced
		{"gfedcba", "XWged"},
		{"bcde", "Yb"},
	} {
		if got := string(slices.Concat(Replace(list(test.links), virtual)...)); got != test.want {
			t.Errorf("%s: %s, want %s", test.links, got, test.want)
		}
		if got := string(slices.Concat(Replace(list(test.links), nil)...)); got != test.links {
			t.Errorf("%s without virtual links: %s", test.links, got)
		}
	}
}

// Apply performs the operation that its argument names.
func TestApply(t *testing.T) {
	p, all := newPlane[kernel.Block256](t, Config{}, 2)
	e, other := p.Element(all[0]), p.Element(all[1])
	var h Header256
	for i, step := range []struct {
		op      Op
		e       Element[kernel.Block256]
		want    kernel.Status
		present bool // after the operation
	}{
		{OpQuery, e, kernel.Absent, false},
		{OpDelete, e, kernel.Absent, false},
		{OpPass, e, kernel.Absent, false},
		{OpInsert, e, kernel.Absent, true},
		{OpPass, e, kernel.Absent, true},
		{OpPass + 1, e, kernel.Absent, true},
		{OpQuery, e, kernel.Retained, true},
		{OpQuery, other, kernel.Absent, true},
		{OpDelete, e, kernel.Deleted, false},
		{OpInsert, e, kernel.Absent, true},
		{OpInsert, e, kernel.Retained, true},
		{OpDelete, e, kernel.Retained, true}, // it collides with itself
	} {
		if got := h.Apply(step.op, step.e); got != step.want || h.Query(e) != step.present {
			t.Errorf("step %d: %v, present %v, want %+v", i, got, h.Query(e), step)
		}
	}
}
