package main

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// paths are what steers a design on an UltraScale+.
type paths struct {
	Control control        // the net with the most loads of those that steer
	Ends    map[string]int // the end points that a handshake, or the reset, reaches within a clock
}

// control is a net that reaches an enable, a reset or a memory's address.
type control struct {
	Loads int // pins that it drives
	Level int // LUTs in a row ahead of it, and reads of LUT memories
}

// handshake are the ports from which paths are followed; steering are the pins that steer a cell.
var (
	handshake = regexp.MustCompile(`^(rst|advance|write|(\w+_)?t?(valid|ready))$`)
	steering  = regexp.MustCompile(`^(CE|R|S|WE\w*|ADDR\w*|A[0-4]?|DPRA\w*|EN\w*|RST\w*|CE\w+)$`)
)

// limits are what an in-line engine may have, whatever its parameters. The receiver's tready reaches
// the pointer of the ring at the output, three bits that yosys keeps twice, and each valid a register.
var limits = struct {
	depth, level int
	ends         map[string]int
}{3, 0, map[string]int{"m_axis_tready": 6, "s_axis_tvalid": 1, "program_valid": 1}}

// reads are the inputs of a LUT memory from which a path leads to its output in the same clock.
var reads = regexp.MustCompile(`^(ADDR[A-G]|RAD|(DPR)?A[0-6]?)$`)

// pin is an input of a cell, or a port of the module, which has no cell.
type pin struct{ cell, port string }

// graph is what drives the nets of a module, and what they drive.
type graph struct {
	family family
	module module
	loads  map[float64][]pin
	driver map[float64]string // a cell from whose inputs paths lead on
	levels map[string]int     // of the cells that were looked at
}

func (f family) graph(m module) *graph {
	g := &graph{f, m, map[float64][]pin{}, map[float64]string{}, map[string]int{}}
	for name, c := range m.Cells {
		for port, bits := range c.Connections {
			for net := range nets(bits) {
				if c.Directions[port] == "input" {
					g.loads[net] = append(g.loads[net], pin{name, port})
				} else if !f.ends(c.Type) {
					g.driver[net] = name
				}
			}
		}
	}
	for name, p := range m.Ports {
		for net := range nets(p.Bits) {
			if p.Direction == "output" {
				g.loads[net] = append(g.loads[net], pin{port: fmt.Sprint(name, net)})
			}
		}
	}
	return g
}

// nets yields those of bits that are no constants.
func nets(bits []any) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, bit := range bits {
			if net, ok := bit.(float64); ok && !yield(net) {
				return
			}
		}
	}
}

// passes says whether a path leads from a pin to its cell's outputs.
func (g *graph) passes(p pin) bool {
	c, ok := g.module.Cells[p.cell]
	return ok && !g.family.ends(c.Type) &&
		(g.family.kind(c.Type) != memory || reads.MatchString(p.port))
}

// level returns how many LUTs and reads of LUT memories are in a row up to a net.
func (g *graph) level(net float64) int {
	name, ok := g.driver[net]
	if !ok {
		return 0
	}
	if n, ok := g.levels[name]; ok {
		return n
	}
	g.levels[name] = 0
	n, c := 0, g.module.Cells[name]
	for port, bits := range c.Connections {
		if c.Directions[port] == "input" && g.passes(pin{name, port}) {
			for net := range nets(bits) {
				n = max(n, g.level(net))
			}
		}
	}
	if k := g.family.kind(c.Type); k == lut || k == memory {
		n++
	}
	g.levels[name] = n
	return n
}

// follow adds the end points of a net: registers, memories and ports of the module.
func (g *graph) follow(net float64, seen map[float64]bool, ends map[pin]bool) {
	if seen[net] {
		return
	}
	seen[net] = true
	for _, p := range g.loads[net] {
		switch {
		case g.passes(p):
			c := g.module.Cells[p.cell]
			for port, bits := range c.Connections {
				for net := range nets(bits) {
					if c.Directions[port] == "output" {
						g.follow(net, seen, ends)
					}
				}
			}
		case p.cell == "":
			ends[p] = true
		default:
			ends[pin{cell: p.cell}] = true
		}
	}
}

// steers says whether a pin is an enable, a reset or an address.
func (g *graph) steers(p pin) bool {
	k := g.family.kind(g.module.Cells[p.cell].Type)
	return p.cell != "" && k != lut && k != carry && k != wide && steering.MatchString(p.port)
}

// trace follows the nets of a module of the netlist.
func (f family) trace(list netlist, module string) (paths, error) {
	top, ok := list.Modules[module]
	if !ok {
		return paths{}, fmt.Errorf("%s: the netlist has no module %s", f.name, module)
	}
	g, found := f.graph(top), paths{Ends: map[string]int{}}
	for name, p := range top.Ports {
		if p.Direction == "input" && handshake.MatchString(name) {
			ends, seen := map[pin]bool{}, map[float64]bool{}
			for net := range nets(p.Bits) {
				g.follow(net, seen, ends)
			}
			found.Ends[name] = len(ends)
		}
	}
	for net, loads := range g.loads {
		if !slices.ContainsFunc(loads, g.steers) {
			continue
		}
		c := control{len(loads), g.level(net)}
		if c.Loads > found.Control.Loads ||
			c.Loads == found.Control.Loads && c.Level > found.Control.Level {
			found.Control = c
		}
	}
	return found, nil
}

// kind returns what a type of cell is to the counts.
func (f family) kind(cell string) kind {
	if at := slices.IndexFunc(f.cells,
		func(known cells) bool { return known.types.MatchString(cell) }); at >= 0 {
		return f.cells[at].kind
	}
	return ff
}

// ends says whether paths end at a type of cell.
func (f family) ends(cell string) bool {
	k := f.kind(cell)
	return k == ff || k == bram || k == dsp
}

// widened says what is wider than it was then. Of a row that was not traced nothing is.
func (now paths) widened(then paths) error {
	if then.Ends == nil {
		return nil
	}
	if now.Control.Level > then.Control.Level ||
		float64(now.Control.Loads) > growth*float64(then.Control.Loads) {
		return fmt.Errorf("a net that steers has %d loads behind %d LUTs, and had %d behind %d",
			now.Control.Loads, now.Control.Level, then.Control.Loads, then.Control.Level)
	}
	for _, port := range slices.Sorted(maps.Keys(now.Ends)) {
		if ends := now.Ends[port]; float64(ends) > growth*float64(then.Ends[port]) {
			return fmt.Errorf("%s reaches %d end points, and reached %d", port, ends,
				then.Ends[port])
		}
	}
	return nil
}

// String returns what steers as it is in the README: two cells, empty where that is not traced.
func (p paths) String() string {
	if p.Ends == nil {
		return "|"
	}
	var ends []string
	for _, port := range slices.Sorted(maps.Keys(p.Ends)) {
		ends = append(ends, fmt.Sprintf("%s %d", port, p.Ends[port]))
	}
	return fmt.Sprintf("%d behind %d | %s", p.Control.Loads, p.Control.Level,
		strings.Join(ends, ", "))
}
