package inpacket_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// exampleKey makes the output of the examples the same every time. Programs leave Config.Key out
// and get a random key.
var exampleKey, _ = key.Parse("0102030000000000000000000000000000000000000000000000000000000000")

// A packet must pass three services, and its way leads along five.
func Example() {
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{Key: exampleKey, Deletable: true})
	if err != nil {
		log.Fatal(err)
	}
	way := [][]byte{[]byte("firewall"), []byte("cache"), []byte("load balancer"), []byte("dpi"),
		[]byte("nat")}
	plane.Add(way...)

	chosen, err := plane.Encode([][]byte{[]byte("firewall"), []byte("dpi"), []byte("nat")}, nil)
	if err != nil {
		log.Fatal(err)
	}
	header := chosen.Header
	for _, service := range way {
		fmt.Printf("%s: %v, %d bits left\n", service, header.Delete(plane.Element(service)),
			header.Fill())
	}
	// Output:
	// firewall: deleted, 14 bits left
	// cache: absent, 14 bits left
	// load balancer: absent, 14 bits left
	// dpi: deleted, 7 bits left
	// nat: deleted, 0 bits left
}

// A tree of four links is a virtual link of three links and one more link in the header. Each port
// deletes its own identifier, and the port where a branch ends deletes that of the virtual link. A
// copy keeps what other branches delete.
func ExampleVirtualLink() {
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{Key: exampleKey, Deletable: true})
	if err != nil {
		log.Fatal(err)
	}
	trunk := inpacket.VirtualLink{Identifier: []byte("trunk"), Through: [][]byte{[]byte("a-b")},
		Last: [][]byte{[]byte("b-c"), []byte("b-d")}}
	tree := [][]byte{[]byte("a-b"), []byte("b-c"), []byte("b-d"), []byte("d-e")}
	plane.Add(trunk.Identifier)
	plane.Add(tree...)

	identifiers := inpacket.Replace(tree, []inpacket.VirtualLink{trunk})
	chosen, err := plane.Encode(identifiers, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d bits\n", identifiers, chosen.Fill)

	// The ports on the way to node e.
	header := chosen.Header
	for _, port := range []struct {
		link, identifier string
		op               inpacket.Op
	}{
		{"a-b", "a-b", inpacket.OpDelete},
		{"a-b", "trunk", inpacket.OpQuery},
		{"b-d", "b-d", inpacket.OpDelete},
		{"b-d", "trunk", inpacket.OpDelete},
		{"d-e", "d-e", inpacket.OpDelete},
	} {
		status := header.Apply(port.op, plane.Element([]byte(port.identifier)))
		fmt.Printf("link %s, %s: %v, %d bits left\n", port.link, port.identifier, status,
			header.Fill())
	}
	// Output:
	// [trunk d-e]: 14 bits
	// link a-b, a-b: absent, 14 bits left
	// link a-b, trunk: retained, 14 bits left
	// link b-d, b-d: absent, 14 bits left
	// link b-d, trunk: deleted, 7 bits left
	// link d-e, d-e: deleted, 0 bits left
}

// The words that program a port of a match engine to send packets to "dpi", and the in-line engine
// to delete it from the header of a packet.
func ExampleElement() {
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	dpi := plane.Element([]byte("dpi"))
	const table = 2 // the header's

	fmt.Printf("write_key    = %d'h%09x\n", inpacket.PositionBits[kernel.Block256](),
		dpi.Positions[table])
	fmt.Printf("s_axis_tuser = {38'h%010x, user}\n",
		inpacket.TUser(inpacket.OpDelete, dpi.Positions[table]))
	fmt.Printf("program_mask = %08x\n", inpacket.Words(dpi.Masks[table])) // bits 31:0 first

	// The same by hand, from the hash.
	h := plane.Hash([]byte("dpi"), table)
	fmt.Println(kernel.Positions256(h) == dpi.Positions[table],
		kernel.Mask256(h) == dpi.Masks[table])
	// Output:
	// write_key    = 35'h6365429ef
	// s_axis_tuser = {38'h31b2a14f7a, user}
	// program_mask = [00000000 01000000 08000000 00000020 00000100 00000400 00008000 00008000]
	// true true
}

// The writes that program a match engine of four ports with the links of a node.
func ExamplePortWrites() {
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{Key: exampleKey})
	if err != nil {
		log.Fatal(err)
	}
	var links []inpacket.Element[kernel.Block256]
	for _, name := range []string{"a-b", "a-c", "a-d"} {
		links = append(links, plane.Element([]byte(name)))
	}
	for _, w := range inpacket.PortWrites(links, 0, 4) {
		fmt.Printf("write_port = %d, write_enable = %-5v write_key = 35'h%09x\n", w.Port,
			w.Enable, w.Positions)
	}
	// Output:
	// write_port = 0, write_enable = true  write_key = 35'h7e76bd0ba
	// write_port = 1, write_enable = true  write_key = 35'h661b6896e
	// write_port = 2, write_enable = true  write_key = 35'h2fae7907e
	// write_port = 3, write_enable = false write_key = 35'h000000000
}

// If no table has a clean header for a chain, the packet is sent in two parts, or on another way.
func ExampleErrNoCandidate() {
	plane, err := inpacket.New[kernel.Block256](inpacket.Config{Key: exampleKey, FillLimit: 128})
	if err != nil {
		log.Fatal(err)
	}
	var chain [][]byte
	for i := range 40 {
		chain = append(chain, fmt.Appendf(nil, "service %d", i))
	}
	plane.Add(chain...)
	_, err = plane.Encode(chain, nil)
	fmt.Println(errors.Is(err, inpacket.ErrNoCandidate))
	fmt.Println(strings.ReplaceAll(err.Error(), ": ", ":\n"))
	// Output:
	// true
	// in-packet filter:
	// no clean candidate among 8 for 40 elements:
	// the best has 0 false matches, 184 set bits and 35 elements that cannot be deleted
}

func ExampleFalseMatchRate() {
	for _, n := range []int{5, 10, 20} {
		fmt.Printf("%d elements: %.2g with 256 bits, %.2g with 512\n", n,
			inpacket.FalseMatchRate[kernel.Block256](n),
			inpacket.FalseMatchRate[kernel.Block512](n))
	}
	// Output:
	// 5 elements: 1.5e-06 with 256 bits, 1.4e-08 with 512
	// 10 elements: 0.00011 with 256 bits, 1.4e-06 with 512
	// 20 elements: 0.0051 with 256 bits, 0.00011 with 512
}
