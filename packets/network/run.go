package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/packets/capture"
)

// Policy is a way to choose the header of a packet among the candidates, one a table.
type Policy int

// The policies.
const (
	AnyTable  Policy = iota // that of a random table, whatever it matches
	BestTable               // the best one, whatever it matches
	Strict                  // the best one if it has no false match; else the packet is not sent
	policies
)

// String returns the policy's name.
func (p Policy) String() string { return [policies]string{"any table", "best table", "strict"}[p] }

// Config says what is simulated.
type Config struct {
	Packets int     // the most packets to take from the capture; 0 means all
	Seed    uint64  // of the network, and of every packet's way
	Key     key.Key // the zero Key means one made from the seed

	Tables    int // d; 0 means DefaultTables
	FillLimit int // of the headers and of every engine; 0 means none
	BlockBits int // of a header: 256 or 512

	RTL       bool                 // every hop also runs through the in-line engine's RTL
	DataBytes int                  // of a beat of the RTL: 8, 16, 32 or 64
	Building  func() (done func()) // called while the RTL's model is built, which may take a minute

	Nodes, Degree, Receivers int // of the network: degree is the mean; receivers those of a packet
	VirtualLinks             int // the most virtual links of the network
	Controls                 int // nodes of a packet's tree that it asks to do something
	Services, Path, Chain    int // known, on a packet's way, and of these in its chain
}

// DefaultTables is the number of tables where a [Config] leaves it open.
const DefaultTables = inpacket.DefaultTables

// The bounds of a Config.
const (
	maxNodes    = 10_000
	maxDegree   = 64
	maxServices = 100_000
	maxVirtual  = 1024
)

func (c *Config) validate() error {
	for _, field := range []struct {
		flag             string
		found, low, high int
	}{
		{"packets", c.Packets, 0, math.MaxInt},
		{"nodes", c.Nodes, 2, maxNodes},
		{"degree", c.Degree, 2, maxDegree},
		{"receivers", c.Receivers, 1, c.Nodes - 1},
		{"virtual-links", c.VirtualLinks, 0, maxVirtual},
		{"controls", c.Controls, 0, c.Receivers + 1},
		{"services", c.Services, 1, maxServices},
		{"path", c.Path, 1, c.Services},
		{"chain", c.Chain, 1, c.Path},
	} {
		if field.found < field.low || field.found > field.high {
			return fmt.Errorf("--%s is %d, expected %d to %d", field.flag, field.found,
				field.low, field.high)
		}
	}
	return nil
}

// Simulate carries the frames of a capture through a network, and reports what became of them. A
// capture that is damaged ends early: damage says why, and the report is of the packets before it.
// The error of a capture without any packet that could be sent is a *[capture.NoPacketError].
func Simulate(
	ctx context.Context,
	c Config,
	input string,
	frames Frames,
) (report *Report, damage, err error) {
	if c.RTL && !slices.Contains([]int{8, 16, 32, 64}, c.DataBytes) {
		return nil, nil, fmt.Errorf("--data-bytes is %d, expected 8, 16, 32 or 64", c.DataBytes)
	}
	if c.BlockBits == 512 {
		return simulate[kernel.Block512](ctx, c, input, frames)
	}
	return simulate[kernel.Block256](ctx, c, input, frames)
}

func simulate[B inpacket.Block](
	ctx context.Context,
	c Config,
	input string,
	frames Frames,
) (report *Report, damage, err error) {
	model := Model[B]{FillLimit: cmp.Or(c.FillLimit, 8*inpacket.FieldBytes[B]())}
	r, err := New(c, Engine[B](model))
	if err != nil {
		return nil, nil, err
	}
	var rtl *RTL[B]
	checked := &Checked[B]{First: model}
	if c.RTL {
		done := c.Building()
		rtl, err = NewRTL[B](ctx, c.DataBytes, model.FillLimit)
		done()
		if err != nil {
			return nil, nil, fmt.Errorf("inpacket: %w", err)
		}
		defer func() { err = errors.Join(err, rtl.Close()) }()
		checked.Second, r.Engine = rtl, checked
	}
	if err := r.Process(frames); err != nil {
		return nil, nil, err
	}
	if r.packets == r.framing {
		return nil, nil, &capture.NoPacketError{Input: input, Packets: r.packets, Err: r.damage}
	}
	report = r.Report(input)
	if rtl != nil {
		report.RTL = &RTLReport{c.DataBytes, checked.Differences, checked.Difference, rtl.Cycles}
	}
	return report, r.damage, nil
}

// Frames is where packets come from, as Ethernet frames: see capture.Reader.
type Frames interface {
	NextFrame() ([]byte, error)
}

// A batch of packets goes through each step of its ways together, so that an engine gets many hops
// at once.
const (
	batchFrames = 512
	batchBytes  = 1 << 20
)

// A packet that goes round in circles is stopped.
const (
	maxSteps  = 64
	maxCopies = 1000
)

// Run is a simulation, and what it has found out.
type Run[B inpacket.Block] struct {
	Engine Engine[B] // of all hops

	config  Config
	network *network

	// The three ways of routes go with one control plane: with the identifiers of links; the same
	// in which nothing is deleted; and with those of virtual links.
	routes, undeleted, virtual way[B]
	chains                     way[B]

	virtualLinks []inpacket.VirtualLink
	virtualAt    [][]int // for each node, the virtual links that leave it, by number

	packets int   // taken from the capture
	framing int   // of these, those that have no Ethernet frame
	damage  error // that ended the capture
}

// way is one of the ways that packets go.
type way[B inpacket.Block] struct {
	plane    *inpacket.Plane[B]
	names    [][]byte     // of services, or of links and from a number on the controls of nodes
	controls int          // that number
	ports    [][]entry[B] // for each of the names, what it is matched by, in order
	tallies  [policies]Tally
}

// entry is an element as a port holds it, with what the port does to headers that have it.
type entry[B inpacket.Block] struct {
	element inpacket.Element[B]
	op      inpacket.Op
}

// newWay returns a way whose every port has an entry of its own.
func newWay[B inpacket.Block](
	plane *inpacket.Plane[B],
	names [][]byte,
	controls int,
	op inpacket.Op,
) way[B] {
	plane.Add(names...)
	w := way[B]{plane: plane, names: names, controls: controls}
	for _, name := range names {
		w.ports = append(w.ports, []entry[B]{{plane.Element(name), op}})
	}
	return w
}

// New returns a simulation whose hops run through an engine, with the fill limit of the config.
func New[B inpacket.Block](config Config, engine Engine[B]) (*Run[B], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(config.Seed, 0))
	if config.Key.IsZero() {
		var bytes [32]byte
		for i := range bytes {
			bytes[i] = byte(rng.Uint32())
		}
		config.Key = keytest.Key(bytes[:]...)
	}
	r := &Run[B]{config: config, Engine: engine,
		network: newNetwork(rng, config.Nodes, config.Degree)}
	var planes [2]*inpacket.Plane[B]
	for i := range planes {
		var err error
		planes[i], err = inpacket.New[B](inpacket.Config{Key: config.Key, Tables: config.Tables,
			FillLimit: config.FillLimit})
		if err != nil {
			return nil, err
		}
	}
	names := r.network.names()
	links := len(names)
	if config.Controls > 0 {
		for node := range config.Nodes {
			names = append(names, fmt.Appendf(nil, "control %d", node))
		}
	}
	services := make([][]byte, config.Services)
	for i := range services {
		services[i] = fmt.Appendf(nil, "service %d", i)
	}
	r.routes = newWay(planes[0], names, links, inpacket.OpDelete)
	r.undeleted = newWay(planes[0], names, links, inpacket.OpQuery)
	r.virtual = newWay(planes[0], names, links, inpacket.OpDelete)
	r.chains = newWay(planes[1], services, len(services), inpacket.OpDelete)
	r.addVirtualLinks()
	return r, nil
}

// addVirtualLinks gives the network its virtual links, and their entries to the ports.
func (r *Run[B]) addVirtualLinks() {
	rng := rand.New(rand.NewPCG(r.config.Seed, math.MaxUint64))
	r.virtualAt = make([][]int, r.config.Nodes)
	for i, members := range r.network.virtualLinks(rng, r.config.VirtualLinks, r.config.Receivers) {
		name := fmt.Appendf(nil, "virtual %d", i)
		r.virtual.plane.Add(name)
		v := inpacket.VirtualLink{Identifier: name}
		for _, l := range members {
			op, links := inpacket.OpDelete, &v.Last
			if slices.ContainsFunc(members,
				func(m int) bool { return r.network.links[m].from == r.network.links[l].to }) {
				op, links = inpacket.OpQuery, &v.Through
			}
			*links = append(*links, r.virtual.names[l])
			r.virtual.ports[l] = append(r.virtual.ports[l],
				entry[B]{r.virtual.plane.Element(name), op})
			if at := &r.virtualAt[r.network.links[l].from]; !slices.Contains(*at, i) {
				*at = append(*at, i)
			}
		}
		r.virtualLinks = append(r.virtualLinks, v)
	}
}

// some returns the names with some numbers.
func (w *way[B]) some(numbers []int) [][]byte {
	names := make([][]byte, len(numbers))
	for i, n := range numbers {
		names[i] = w.names[n]
	}
	return names
}

// flight is a packet on its way under one policy.
type flight[B inpacket.Block] struct {
	way    *way[B]
	sent   []byte // with its header
	wanted []int  // the ports: links and controls of a tree, services of a chain
	seen   []bool // of these, those that matched
	source int    // of a route: where it starts
	path   []int  // of a chain: the services on the way
	tally  *Tally

	reached              []int // of a route: nodes, the source first
	falseMatches, copies int   // so far
}

// Process takes frames to the end of the capture, or of the number that the config wants. Its error
// is that of the engine. A capture that is damaged ends too.
func (r *Run[B]) Process(frames Frames) error {
	for more := true; more; {
		var batch [][]byte
		for size := 0; more && len(batch) < batchFrames && size < batchBytes; {
			if more = r.config.Packets == 0 || r.packets < r.config.Packets; !more {
				break
			}
			frame, err := frames.NextFrame()
			if err != nil {
				if more = false; err != io.EOF {
					r.damage = err
				}
				break
			}
			if r.packets++; frame == nil {
				r.framing++
				continue
			}
			batch = append(batch, slices.Clone(frame))
			size += len(frame)
		}
		if err := r.send(batch); err != nil {
			return err
		}
	}
	return nil
}

// send sends a batch on both ways under every policy.
func (r *Run[B]) send(batch [][]byte) error {
	var routes, chains []*flight[B]
	first := uint64(r.packets - len(batch)) // a number for the batch's first packet
	for i, frame := range batch {
		rng := rand.New(rand.NewPCG(r.config.Seed, 1+first+uint64(i)))
		table := rng.IntN(r.routes.plane.Tables())

		// A route: the links of a tree. The control plane asks all that can match at its nodes.
		ends := rng.Perm(r.config.Nodes)[:1+r.config.Receivers]
		links, nodes := r.network.tree(ends[0], ends[1:])
		var queries []int
		for _, node := range nodes {
			queries = append(queries, r.network.leave[node]...)
		}

		// A chain: some of the services of a path. The control plane asks all services.
		path := rng.Perm(r.config.Services)[:r.config.Path]
		wanted := slices.Sorted(slices.Values(rng.Perm(r.config.Path)[:r.config.Chain]))
		for i, place := range wanted {
			wanted[i] = path[place]
		}
		names := r.chains.some(wanted)
		chain, err := r.chains.flights(frame, flight[B]{wanted: wanted, path: path}, names,
			r.chains.names, table)
		if err != nil {
			return err
		}
		chains = append(chains, chain...)

		// Some nodes of the tree are asked to do something.
		var controls []int
		if r.config.Controls > 0 {
			for _, node := range nodes {
				queries = append(queries, len(r.network.links)+node)
			}
			for _, i := range rng.Perm(len(nodes))[:r.config.Controls] {
				controls = append(controls, len(r.network.links)+nodes[i])
			}
		}
		route := flight[B]{
			wanted: slices.Concat(links, controls), source: ends[0], reached: ends[:1:1],
		}
		names, askedNames := r.routes.some(route.wanted), r.routes.some(queries)
		for _, w := range []*way[B]{&r.routes, &r.undeleted, &r.virtual} {
			if w == &r.virtual {
				if len(r.virtualLinks) == 0 {
					break
				}
				names = inpacket.Replace(names, r.virtualLinks)
				askedNames = append(askedNames, r.virtualNames(nodes)...)
			}
			flights, err := w.flights(frame, route, names, askedNames, table)
			if err != nil {
				return err
			}
			routes = append(routes, flights...)
		}
	}
	if err := errors.Join(r.fly(routes), r.serve(chains)); err != nil {
		return err
	}
	for _, f := range slices.Concat(routes, chains) {
		f.land()
	}
	return nil
}

// virtualNames returns the identifiers of the virtual links that leave some nodes.
func (r *Run[B]) virtualNames(nodes []int) (names [][]byte) {
	seen := make([]bool, len(r.virtualLinks))
	for _, node := range nodes {
		for _, i := range r.virtualAt[node] {
			if !seen[i] {
				seen[i] = true
				names = append(names, r.virtualLinks[i].Identifier)
			}
		}
	}
	return names
}

// flights returns the flights of a frame with some identifiers in its header: one a policy that
// sends it. The control plane asks for others, which all that the wanted ports have are among. The
// table is that of AnyTable.
func (w *way[B]) flights(
	frame []byte,
	f flight[B],
	identifiers, queries [][]byte,
	table int,
) ([]*flight[B], error) {
	candidates, err := w.plane.Candidates(identifiers, queries)
	if err != nil {
		return nil, err
	}
	nonMembers := len(queries) - len(identifiers)
	var flights []*flight[B]
	for policy := range policies {
		chosen := candidates[table]
		if policy != AnyTable {
			chosen = w.plane.Best(candidates)
		}
		tally := &w.tallies[policy]
		if policy == Strict && !w.plane.Clean(&chosen) {
			tally.Refused++
			continue
		}
		tally.Sent++
		tally.Elements += len(f.wanted)
		tally.Identifiers += len(identifiers)
		tally.FillSum += chosen.Fill
		tally.FillMost = max(tally.FillMost, chosen.Fill)
		tally.Asked += nonMembers
		tally.Matches += chosen.False
		tally.Expected += inpacket.FalseMatchRate[B](len(identifiers)) * float64(nonMembers)
		sent := f
		sent.way, sent.tally = w, tally
		sent.sent, sent.seen = encapsulate(nil, frame, chosen.Header), make([]bool, len(f.wanted))
		flights = append(flights, &sent)
	}
	return flights, nil
}

// note counts a hop of the flight, and reports whether it matched.
func (f *flight[B]) note(hop *Hop[B]) bool {
	f.tally.Hops++
	if hop.Overfull {
		f.tally.Overfull++
	}
	if !intact[B](hop.Frame, f.sent) {
		f.tally.Damaged++
	}
	switch hop.Status {
	case kernel.Absent:
		return false
	case kernel.Deleted:
		f.tally.Deleted++
	case kernel.Retained:
		f.tally.Retained++
	}
	return true
}

// match counts a match at a port.
func (f *flight[B]) match(port int) {
	control := port >= f.way.controls
	if i := slices.Index(f.wanted, port); i >= 0 && !f.seen[i] {
		f.seen[i] = true
		f.tally.Delivered++
		if control {
			f.tally.Done++
		}
		return
	}
	f.falseMatches++
	if control {
		f.tally.FalseDone++
	}
}

// land counts what the flight comes to.
func (f *flight[B]) land() {
	lost := 0
	for _, seen := range f.seen {
		if !seen {
			lost++
		}
	}
	f.tally.Lost += lost
	f.tally.False += f.falseMatches
	if lost+f.falseMatches > 0 {
		f.tally.Wrong++
	}
}

// Report takes stock of the run, whose capture is given by name.
func (r *Run[B]) Report(input string) *Report {
	report := &Report{
		Input: input, Packets: r.packets, Framing: r.framing,
		BlockBits: 8 * inpacket.FieldBytes[B](), Offset: FieldStart,
		Tables: r.routes.plane.Tables(), FillLimit: r.routes.plane.FillLimit(),
		Nodes: r.config.Nodes, Links: len(r.network.links), Receivers: r.config.Receivers,
		Controls: r.config.Controls,
		Routes:   r.routes.tallies[:], Undeleted: r.undeleted.tallies[:],
		Services: r.config.Services, Path: r.config.Path, Chain: r.config.Chain,
		Chains: r.chains.tallies[:],
	}
	if r.damage != nil {
		report.Damage = r.damage.Error()
	}
	if len(r.virtualLinks) > 0 {
		report.Virtual = r.virtualReport()
	}
	for policy := range policies {
		for _, w := range []*way[B]{&r.routes, &r.undeleted, &r.virtual, &r.chains} {
			w.tallies[policy].Policy = policy.String()
			report.Hops += w.tallies[policy].Hops
		}
	}
	return report
}

// virtualReport takes stock of the virtual links.
func (r *Run[B]) virtualReport() *VirtualReport {
	v := &VirtualReport{VirtualLinks: len(r.virtualLinks), Routes: r.virtual.tallies[:]}
	v.EntryBits = r.virtual.plane.Tables()*inpacket.PositionBits[B]() + 1
	for _, links := range r.virtualLinks {
		v.MostLinks = max(v.MostLinks, len(links.Through)+len(links.Last))
	}
	for _, leave := range r.network.leave {
		entries := 0
		for _, l := range leave {
			entries += len(r.virtual.ports[l]) - 1
		}
		v.Entries += entries
		v.MostEntries = max(v.MostEntries, entries)
	}
	return v
}

// visit is a packet of a flight at a port.
type visit[B inpacket.Block] struct {
	flight  *flight[B]
	packet  []byte
	port    int
	matched bool
}

// handle lets packets through the engines of their ports' entries.
func (r *Run[B]) handle(visits []visit[B]) error {
	for entry := 0; ; entry++ {
		var hops []Hop[B]
		var here []*visit[B]
		for i := range visits {
			v := &visits[i]
			if entries := v.flight.way.ports[v.port]; entry < len(entries) {
				hops = append(hops, Hop[B]{Frame: v.packet, Element: &entries[entry].element,
					Op: entries[entry].op})
				here = append(here, v)
			}
		}
		if len(hops) == 0 {
			break
		}
		if err := r.Engine.Handle(hops); err != nil {
			return err
		}
		for i, v := range here {
			v.packet = hops[i].Frame
			v.matched = v.flight.note(&hops[i]) || v.matched
		}
	}
	for i := range visits {
		if v := &visits[i]; v.matched {
			v.flight.match(v.port)
		}
	}
	return nil
}

// fly sends routes through the network.
func (r *Run[B]) fly(flights []*flight[B]) error {
	type copyOf struct {
		flight *flight[B]
		packet []byte
		trail  []int // the nodes that it was at, up to where it is
	}
	var copies []copyOf
	for _, f := range flights {
		copies = append(copies, copyOf{f, slices.Clone(f.sent), f.reached})
	}
	for step := 1; len(copies) > 0; step++ {
		if r.config.Controls > 0 {
			visits := make([]visit[B], len(copies))
			for i, c := range copies {
				visits[i] = visit[B]{flight: c.flight, packet: c.packet,
					port: len(r.network.links) + c.trail[len(c.trail)-1]}
			}
			if err := r.handle(visits); err != nil {
				return err
			}
			for i, v := range visits {
				copies[i].packet = v.packet
			}
		}
		var visits []visit[B]
		for _, c := range copies {
			for _, l := range r.network.leave[c.trail[len(c.trail)-1]] {
				visits = append(visits,
					visit[B]{flight: c.flight, packet: slices.Clone(c.packet), port: l})
			}
		}
		if err := r.handle(visits); err != nil {
			return err
		}
		var next []copyOf
		for _, c := range copies {
			f, leave := c.flight, r.network.leave[c.trail[len(c.trail)-1]]
			for i := range leave {
				v := &visits[i]
				if !v.matched {
					continue
				}
				to := r.network.links[v.port].to
				if slices.Contains(f.reached, to) {
					f.tally.Duplicates++
				} else {
					f.reached = append(f.reached, to)
				}
				if slices.Contains(c.trail, to) {
					f.tally.Loops++
				}
				if f.copies++; f.copies > maxCopies || step == maxSteps {
					f.tally.Stopped++
				} else {
					next = append(next, copyOf{f, v.packet, append(slices.Clip(c.trail), to)})
				}
			}
			visits = visits[len(leave):]
		}
		copies = next
	}
	return nil
}

// serve sends chains along their services.
func (r *Run[B]) serve(flights []*flight[B]) error {
	visits := make([]visit[B], len(flights))
	for i, f := range flights {
		visits[i] = visit[B]{flight: f, packet: slices.Clone(f.sent)}
	}
	for step := range r.config.Path {
		for i, f := range flights {
			visits[i].port, visits[i].matched = f.path[step], false
		}
		if err := r.handle(visits); err != nil {
			return err
		}
	}
	return nil
}
