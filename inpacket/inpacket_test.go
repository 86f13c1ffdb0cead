package inpacket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/kernel"
)

// fixed is the hash key of the tests, so that every run is the same.
var fixed = keytest.Key(1, 2, 3, 4)

// newPlane returns a plane with some identifiers, and the identifiers.
func newPlane[B Block](t testing.TB, config Config, identifiers int) (*Plane[B], [][]byte) {
	t.Helper()
	config.Key = fixed
	p, err := New[B](config)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for i := range identifiers {
		all = append(all, fmt.Appendf(nil, "service %d", i))
	}
	p.Add(all...)
	p.Add(all...) // a second time changes nothing
	if len(p.known) != identifiers {
		t.Fatalf("%d known, want %d", len(p.known), identifiers)
	}
	return p, all
}

// elementsOf returns the elements of identifiers.
func elementsOf[B Block](p *Plane[B], identifiers [][]byte) map[string]Element[B] {
	elements := make(map[string]Element[B])
	for _, identifier := range identifiers {
		elements[string(identifier)] = p.Element(identifier)
	}
	return elements
}

// choose returns n different identifiers.
func choose(rng *rand.Rand, all [][]byte, n int) [][]byte {
	var some [][]byte
	for _, i := range rng.Perm(len(all))[:n] {
		some = append(some, all[i])
	}
	return some
}

// eachWidth runs a law on both widths.
func eachWidth(t *testing.T, law256, law512 func(t *testing.T)) {
	t.Run("256", law256)
	t.Run("512", law512)
}

// Every element of a chain matches when the packet comes to it, and deletes itself without losing
// the others, in any order, also in crowded headers.
func TestChainsServe(t *testing.T) {
	eachWidth(t, testChainsServe[kernel.Block256], testChainsServe[kernel.Block512])
}

func testChainsServe[B Block](t *testing.T) {
	p, all := newPlane[B](t, Config{Tables: 4}, 60)
	elements := elementsOf(p, all)
	rng := rand.New(rand.NewPCG(1, 2))
	var statuses [3]int
	for range 500 {
		chain := choose(rng, all, 1+rng.IntN(40))
		candidates, err := p.Candidates(chain, nil)
		if err != nil {
			t.Fatal(err)
		}
		for table, c := range candidates {
			if int(c.Header.Table) != table || c.Fill != c.Header.Fill() {
				t.Fatalf("candidate %d is of table %d and has fill %d, not %d", table,
					c.Header.Table, c.Fill, c.Header.Fill())
			}
			retained := 0
			for i, identifier := range chain {
				for _, later := range chain[i:] {
					if !c.Header.Query(elements[string(later)]) {
						t.Fatalf("%q is lost at place %d of %q", later, i, chain)
					}
				}
				before := c.Header
				status := c.Header.Delete(elements[string(identifier)])
				statuses[status]++
				if status == kernel.Retained {
					retained++
				}
				visible := c.Header.Query(elements[string(identifier)])
				if status == kernel.Absent || visible != (status == kernel.Retained) ||
					(c.Header != before) != (status == kernel.Deleted) {
					t.Fatalf("%q of %q: %v, visible %v", identifier, chain, status, visible)
				}
			}
			if retained != c.Stuck {
				t.Fatalf("%d retained of %d elements, the candidate says %d", retained,
					len(chain), c.Stuck)
			}
		}
	}
	if statuses[kernel.Retained] == 0 || statuses[kernel.Deleted] == 0 {
		t.Errorf("statuses %v: the test shows too little", statuses)
	}
}

// walk takes a header over the services of a path. A service that matches deletes itself. walk
// returns how many services served the packet but should not, and how many should but did not.
func walk[B Block](
	elements map[string]Element[B],
	h Header[B],
	path, chain [][]byte,
) (nonMembers, lost int) {
	for _, identifier := range path {
		served := h.Delete(elements[string(identifier)]) != kernel.Absent
		wanted := slices.ContainsFunc(chain,
			func(c []byte) bool { return bytes.Equal(c, identifier) })
		switch {
		case served && !wanted:
			nonMembers++
		case wanted && !served:
			lost++
		}
	}
	return nonMembers, lost
}

// With chosen headers no element is lost and no other service serves the packet. Without the
// choice, in the same walks, both happen, because false matches delete themselves.
func TestStrictSelectionLosesNothing(t *testing.T) {
	eachWidth(t,
		func(t *testing.T) { testStrict[kernel.Block256](t, 14) },
		func(t *testing.T) { testStrict[kernel.Block512](t, 30) })
}

func testStrict[B Block](t *testing.T, length int) {
	p, all := newPlane[B](t, Config{}, 4*length)
	elements := elementsOf(p, all)
	rng := rand.New(rand.NewPCG(3, 4))
	var firstFalse, firstLost, sent int
	for range 2000 {
		chain := choose(rng, all, length)
		path := choose(rng, all, len(all))
		candidates, err := p.Candidates(chain, nil)
		if err != nil {
			t.Fatal(err)
		}
		wrong, lost := walk(elements, candidates[0].Header, path, chain)
		firstFalse, firstLost = firstFalse+wrong, firstLost+lost

		best, err := p.Encode(chain, nil)
		if err != nil {
			if e := new(EncodeError); !errors.As(err, &e) || !errors.Is(err, ErrNoCandidate) ||
				e.False == 0 || e.Candidates != p.Tables() {
				t.Fatal(err)
			}
			continue
		}
		sent++
		for _, c := range candidates {
			if c.False == 0 && c.Fill < best.Fill {
				t.Fatalf("fill %d was chosen, table %d has %d", best.Fill, c.Header.Table, c.Fill)
			}
		}
		if wrong, lost := walk(elements, best.Header, path, chain); wrong != 0 || lost != 0 {
			t.Fatalf("%q in table %d: %d false, %d lost", chain, best.Header.Table, wrong, lost)
		}
	}
	if firstFalse == 0 || firstLost == 0 || sent < 1900 {
		t.Errorf("without selection %d false, %d lost; %d sent with it: the test shows too little",
			firstFalse, firstLost, sent)
	}
}

// The same law for delivery trees in random networks, where only the links that leave the nodes of
// a tree are asked: with chosen headers every receiver gets the packet, and no other node does.
func TestStrictRoutesInRandomNetworks(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			spurious, sent := 0, 0
			for network := range 40 {
				p, err := New[kernel.Block256](Config{Key: fixed, Plain: plain})
				if err != nil {
					t.Fatal(err)
				}
				parent, links := randomNetwork(rng, 20+rng.IntN(40))
				elements := make(map[string]Element[kernel.Block256])
				for _, from := range links {
					for _, link := range from {
						p.Add([]byte(link.name))
						elements[link.name] = p.Element([]byte(link.name))
					}
				}
				for range 50 {
					tree, reached := randomTree(rng, parent, 2+rng.IntN(5))
					var queries [][]byte
					for node := range reached {
						for _, link := range links[node] {
							queries = append(queries, []byte(link.name))
						}
					}
					candidates, err := p.Candidates(tree, queries)
					if err != nil {
						t.Fatal(err)
					}
					_, copies := flood(candidates[0].Header, links, elements)
					spurious += copies - len(tree)
					best, err := p.Encode(tree, queries)
					if err != nil {
						if !errors.Is(err, ErrNoCandidate) {
							t.Fatal(err)
						}
						continue
					}
					sent++
					got, copies := flood(best.Header, links, elements)
					if copies != len(tree) || len(got) != len(reached) {
						t.Fatalf("network %d: %d copies to %d nodes, want %d to %d", network,
							copies, len(got), len(tree), len(reached))
					}
					for node := range reached {
						if !got[node] {
							t.Fatalf("network %d: node %d is not reached", network, node)
						}
					}
				}
			}
			if spurious == 0 {
				t.Error("no false delivery without selection: the test shows too little")
			}
			if sent < 1000 {
				t.Errorf("%d of 2000 packets are sent with selection: the test shows too little",
					sent)
			}
		})
	}
}

type testLink struct {
	name string
	to   int
}

// randomNetwork returns a connected network: for each node the next node towards node 0, and its
// links.
func randomNetwork(rng *rand.Rand, nodes int) (parent []int, links [][]testLink) {
	parent, links = make([]int, nodes), make([][]testLink, nodes)
	connect := func(a, b int) {
		links[a] = append(links[a], testLink{fmt.Sprintf("%d-%d", a, b), b})
		links[b] = append(links[b], testLink{fmt.Sprintf("%d-%d", b, a), a})
	}
	for node := 1; node < nodes; node++ {
		parent[node] = rng.IntN(node)
		connect(node, parent[node])
	}
	for range nodes {
		if a, b := rng.IntN(nodes), rng.IntN(nodes); a != b && !slices.ContainsFunc(links[a],
			func(l testLink) bool { return l.to == b }) {
			connect(a, b)
		}
	}
	return parent, links
}

// randomTree returns the links of a tree from node 0 to some receivers, and its nodes.
func randomTree(rng *rand.Rand, parent []int, receivers int) (tree [][]byte, reached map[int]bool) {
	reached = map[int]bool{0: true}
	for range receivers {
		for node := rng.IntN(len(parent)); !reached[node]; node = parent[node] {
			reached[node] = true
			tree = append(tree, fmt.Appendf(nil, "%d-%d", parent[node], node))
		}
	}
	return tree, reached
}

// flood sends a header from node 0 over every link that it contains, and each link deletes itself.
// It returns the nodes that it reaches and the number of copies. It stops at a thousand copies.
func flood(
	h Header256,
	links [][]testLink,
	elements map[string]Element[kernel.Block256],
) (reached map[int]bool, copies int) {
	reached = map[int]bool{0: true}
	type packet struct {
		node int
		h    Header256
	}
	for queue := []packet{{0, h}}; len(queue) > 0 && copies < 1000; queue = queue[1:] {
		for _, link := range links[queue[0].node] {
			h := queue[0].h
			if h.Delete(elements[link.name]) != kernel.Absent {
				copies++
				reached[link.to] = true
				queue = append(queue, packet{link.to, h})
			}
		}
	}
	return reached, copies
}

// The measured rate of false matches agrees with the formula.
func TestFalseMatchRate(t *testing.T) {
	eachWidth(t, testFalseMatchRate[kernel.Block256], testFalseMatchRate[kernel.Block512])
}

func testFalseMatchRate[B Block](t *testing.T) {
	p, all := newPlane[B](t, Config{Tables: 8}, 3000)
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{12, 20, 32, 64} {
		matches, queries := 0, 0
		for range 100 {
			candidates, err := p.Candidates(choose(rng, all, n), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range candidates {
				matches += c.False
				queries += len(all) - n
			}
		}
		want := FalseMatchRate[B](n) * float64(queries)
		// Matches against one header depend on each other, because its fill varies. The second term
		// is for that.
		if tolerance := 5*math.Sqrt(want) + 0.1*want; math.Abs(float64(matches)-want) > tolerance {
			t.Errorf("%d elements: %d false matches of %d, want %.1f ± %.1f", n, matches, queries,
				want, tolerance)
		}
	}
}

// The bits of an element in two tables are independent, and the number of the table is not a part
// of the identifier.
func TestTablesDiffer(t *testing.T) {
	p, _ := newPlane[kernel.Block256](t, Config{Tables: MaxTables}, 1)
	e := p.Element([]byte("service 0"))
	seen := make(map[uint64]bool)
	for table, positions := range e.Positions {
		if seen[positions] {
			t.Errorf("table %d repeats positions %#x", table, positions)
		}
		seen[positions] = true
		h := p.Hash([]byte("service 0"), table)
		if e.Masks[table] != kernel.Mask256(h) || positions != kernel.Positions256(h) {
			t.Errorf("table %d is not that of the hash %#x", table, h)
		}
		if want := fixed.Hash(append([]byte{byte(table)}, "service 0"...)); h != want {
			t.Errorf("table %d: hash %#x, want %#x", table, h, want)
		}
	}
}

// Clean and Best do what their comments say, for every candidate and every pair near the limits.
func TestCleanAndBest(t *testing.T) {
	const limit = 60
	var all []Candidate[kernel.Block256]
	for _, fill := range []int{0, 1, limit - 1, limit, limit + 1, limit + 2} {
		for falseMatches := range 3 {
			for stuck := range 3 {
				all = append(all, Candidate[kernel.Block256]{False: falseMatches, Fill: fill,
					Stuck: stuck})
			}
		}
	}
	for _, deletable := range []bool{false, true} {
		p, _ := newPlane[kernel.Block256](t, Config{FillLimit: limit, Deletable: deletable}, 0)
		worth := func(c *Candidate[kernel.Block256]) [4]int {
			w := [4]int{max(0, c.Fill-limit), c.False, c.Stuck, c.Fill}
			if !deletable {
				w[2] = 0
			}
			return w
		}
		for _, x := range all {
			w := worth(&x)
			if want := w[0] == 0 && w[1] == 0 && w[2] == 0; p.Clean(&x) != want {
				t.Errorf("deletable %v: %+v is clean: %v, want %v", deletable, x, !want, want)
			}
			for _, y := range all {
				best := p.Best([]Candidate[kernel.Block256]{x, y})
				if v := worth(&y); slices.Compare(v[:], w[:]) < 0 && best != y ||
					best != x && best != y {
					t.Errorf("deletable %v: of %+v and %+v the best is %+v", deletable, x, y, best)
				}
			}
		}
	}
}

// Encode returns a header if and only if one of its candidates is clean.
func TestEncodeReturnsWhatIsClean(t *testing.T) {
	var returned, matched, full, stuck int
	for _, config := range []Config{{}, {Deletable: true}, {FillLimit: 60, Deletable: true}} {
		config.Tables = 2
		p, all := newPlane[kernel.Block256](t, config, 200)
		rng := rand.New(rand.NewPCG(11, 12))
		for range 500 {
			chain := choose(rng, all, 1+rng.IntN(24))
			// queries may contain elements
			queries := append(slices.Clone(chain), choose(rng, all, 150)...)
			candidates, err := p.Candidates(chain, queries)
			if err != nil {
				t.Fatal(err)
			}
			clean := 0
			for _, c := range candidates {
				switch {
				case c.False > 0:
					matched++
				case c.Fill > p.FillLimit():
					full++
				case config.Deletable && c.Stuck > 0:
					stuck++
				default:
					clean++
				}
			}
			if _, err := p.Encode(chain, queries); (err == nil) != (clean > 0) {
				t.Fatalf("%+v: error %v, and %d clean candidates of %+v", config, err,
					clean, candidates)
			}
			returned += min(1, clean)
		}
	}
	if min(returned, matched, full, stuck) < 50 {
		t.Errorf("%d headers; of the candidates %d match falsely, %d are too full, %d stuck: the "+
			"test shows too little",
			returned, matched, full, stuck)
	}
}

// Limits hold, and errors name them.
func TestLimits(t *testing.T) {
	const limit = 60
	p, all := newPlane[kernel.Block256](t, Config{FillLimit: limit, Deletable: true, Tables: 64},
		40)
	rng := rand.New(rand.NewPCG(9, 10))
	var none int
	for range 300 {
		chain := choose(rng, all, 6+rng.IntN(8))
		c, err := p.Encode(chain, nil)
		if err != nil {
			e := new(EncodeError)
			if !errors.As(err, &e) || !errors.Is(err, ErrNoCandidate) || e.False == 0 &&
				e.Stuck == 0 && e.Fill <= limit {
				t.Fatal(err)
			}
			none++
			continue
		}
		if c.False != 0 || c.Stuck != 0 || c.Fill > limit || c.Fill != c.Header.Fill() {
			t.Fatalf("%+v", c)
		}
		for _, identifier := range chain {
			if status := c.Header.Delete(p.Element(identifier)); status != kernel.Deleted {
				t.Fatalf("%q of %q: %v", identifier, chain, status)
			}
		}
	}
	if none == 0 || none > 250 {
		t.Errorf("no candidate for %d of 300: the test shows too little", none)
	}
}

func TestErrors(t *testing.T) {
	p, all := newPlane[kernel.Block256](t, Config{}, 3)
	for _, table := range []int{-1, p.Tables()} {
		func() {
			want := fmt.Sprintf("inpacket: Hash: table %d of %d tables", table, p.Tables())
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			p.Hash(all[0], table)
		}()
	}
	for _, test := range []struct {
		elements, queries [][]byte
		want              error
		says              string
	}{
		{[][]byte{all[0], []byte("who")}, nil, ErrUnknown,
			`in-packet filter: unknown identifier: "who"`},
		{all, [][]byte{[]byte("who")}, ErrUnknown, `in-packet filter: unknown identifier: "who"`},
		{[][]byte{all[0], all[1], all[0]}, nil, ErrDuplicate,
			`in-packet filter: identifier twice: "service 0"`},
		{[][]byte{all[1], all[2], all[2]}, nil, ErrDuplicate,
			`in-packet filter: identifier twice: "service 2"`},
	} {
		if _, err := p.Encode(test.elements, test.queries); !errors.Is(err, test.want) ||
			err.Error() != test.says {
			t.Errorf("%v, want %s", err, test.says)
		}
	}
	if c, err := p.Encode(nil, nil); err != nil || c.Fill != 0 {
		t.Errorf("a header of nothing: %+v, %v", c, err)
	}
	for _, config := range []Config{
		{Tables: -1}, {Tables: 257}, {FillLimit: -1}, {FillLimit: 257},
		{Plain: true, Deletable: true}, {Key: key.SipHash13.New()},
		{Key: key.Unknown()},
	} {
		var e *ConfigError
		if _, err := New[kernel.Block256](config); !errors.As(err, &e) {
			t.Errorf("%+v: %v, want a *ConfigError", config, err)
		}
	}
	if _, err := New[kernel.Block512](Config{Plain: true}); err == nil {
		t.Error("a plain header of 512 bits")
	}
	q, err := New[kernel.Block256](Config{})
	if err != nil || q.Key().Equal(fixed) || q.Tables() != DefaultTables || q.FillLimit() != 256 {
		t.Errorf("defaults: %d tables, fill limit %d, %v", q.Tables(), q.FillLimit(), err)
	}
}

// If the header of an unknown sender has a table that a node does not have, nothing matches and
// nothing changes.
func TestForeignTable(t *testing.T) {
	p, all := newPlane[kernel.Block256](t, Config{Tables: 2}, 1)
	h := Header256{Table: 2}
	for i := range h.Block {
		h.Block[i] = math.MaxUint32
	}
	before, e := h, p.Element(all[0])
	if h.Query(e) || h.Insert(e) || h.Delete(e) != kernel.Absent || h != before {
		t.Error("an element matches a header of a table that it does not have")
	}
}

// Plain headers are LIPSIN's: at most five bits per element, anywhere among the 256, and no
// deletes.
func TestPlain(t *testing.T) {
	p, all := newPlane[kernel.Block256](t, Config{Plain: true}, 200)
	bits := make(map[int]int)
	for _, identifier := range all {
		e := p.Element(identifier)
		if e.Positions != nil {
			t.Fatal("a plain element has positions")
		}
		for i := range e.Masks {
			bits[ones(&e.Masks[i])]++
			// As plainMask says, the first five bytes of the spread hash are positions in the flat
			// vector.
			var want kernel.Block256
			for _, at := range binary.BigEndian.AppendUint64(nil,
				fallback.Spread(p.Hash(identifier, i)))[:5] {
				want[at/32] |= 1 << (at % 32)
			}
			if e.Masks[i] != want {
				t.Fatalf("%q in table %d: mask %x, want %x", identifier, i, e.Masks[i], want)
			}
		}
	}
	if bits[5] < 1500 || bits[5] == 1600 || bits[0]+bits[1] > 0 || bits[6] > 0 {
		t.Errorf("bits per element: %v", bits)
	}
	c, err := p.Encode(all[:10], nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Header.Plain || c.Stuck != 10 {
		t.Errorf("%+v", c)
	}
	before := c.Header
	for _, identifier := range all[:10] {
		if c.Header.Delete(p.Element(identifier)) != kernel.Retained {
			t.Errorf("%q is not retained", identifier)
		}
	}
	if c.Header.Delete(p.Element(all[10])) != kernel.Absent || c.Header != before {
		t.Error("a plain header changes")
	}
	if !before.Insert(p.Element(all[0])) || before != c.Header {
		t.Error("a second insert changes a plain header")
	}
}
