package inpacket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/filter/inpacket"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
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
	Services, Path, Chain    int // known, on a packet's way, and of these in its chain
}

// DefaultTables is the number of tables where a [Config] leaves it open.
const DefaultTables = inpacket.DefaultTables

// The bounds of a Config.
const (
	maxNodes    = 10_000
	maxDegree   = 64
	maxServices = 100_000
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
		{"services", c.Services, 1, maxServices},
		{"path", c.Path, 1, c.Services},
		{"chain", c.Chain, 1, c.Path},
	} {
		if field.found < field.low || field.found > field.high {
			return fmt.Errorf("--%s is %d, expected %d to %d", field.flag, field.found, field.low, field.high)
		}
	}
	return nil
}

// Simulate carries the frames of a capture through a network, and reports what became of them. A capture that
// is damaged ends early: damage says why, and the report is of the packets before it. The error of a capture
// without any packet that could be sent is a *[capture.NoPacketError].
func Simulate(ctx context.Context, c Config, input string, frames Frames) (report *Report, damage, err error) {
	if c.RTL && !slices.Contains([]int{8, 16, 32, 64}, c.DataBytes) {
		return nil, nil, fmt.Errorf("--data-bytes is %d, expected 8, 16, 32 or 64", c.DataBytes)
	}
	if c.BlockBits == 512 {
		return simulate[kernel.Block512](ctx, c, input, frames)
	}
	return simulate[kernel.Block256](ctx, c, input, frames)
}

func simulate[B inpacket.Block](
	ctx context.Context, c Config, input string, frames Frames,
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
	routes  way[B]
	chains  way[B]

	packets int   // taken from the capture
	framing int   // of these, those that have no Ethernet frame
	damage  error // that ended the capture
}

// way is one of the two kinds of ways.
type way[B inpacket.Block] struct {
	plane    *inpacket.Plane[B]
	names    [][]byte
	elements []inpacket.Element[B] // of the names
	tallies  [policies]Tally
}

// New returns a simulation whose hops run through an engine, with the fill limit of the config.
func New[B inpacket.Block](config Config, engine Engine[B]) (*Run[B], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(config.Seed, 0))
	if config.Key.IsZero() {
		var bytes [key.Size]byte
		for i := range bytes {
			bytes[i] = byte(rng.Uint32())
		}
		config.Key = key.FromBytes(bytes)
	}
	r := &Run[B]{config: config, Engine: engine, network: newNetwork(rng, config.Nodes, config.Degree)}
	services := make([][]byte, config.Services)
	for i := range services {
		services[i] = fmt.Appendf(nil, "service %d", i)
	}
	for _, w := range []*way[B]{&r.routes, &r.chains} {
		plane, err := inpacket.New[B](inpacket.Config{Key: config.Key, Tables: config.Tables, FillLimit: config.FillLimit})
		if err != nil {
			return nil, err
		}
		w.plane, w.names = plane, services
		if w == &r.routes {
			w.names = r.network.names()
		}
		plane.Add(w.names...)
		for _, name := range w.names {
			w.elements = append(w.elements, plane.Element(name))
		}
	}
	return r, nil
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
	sent   []byte // with its header
	wanted []int  // the elements
	seen   []bool // of these, those that matched
	source int    // of a route: where it starts
	path   []int  // of a chain: the services on the way
	tally  *Tally

	falseMatches, copies int // so far
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

		// A route: the links of a tree. The control plane asks all links that leave its nodes.
		at := rng.Perm(r.config.Nodes)[:1+r.config.Receivers]
		links, nodes := r.network.tree(at[0], at[1:])
		var asked []int
		for _, node := range nodes {
			asked = append(asked, r.network.leave[node]...)
		}
		route, err1 := r.routes.flights(frame, flight[B]{wanted: links, source: at[0]}, r.routes.some(asked), table)

		// A chain: some of the services of a path. The control plane asks all services.
		path := rng.Perm(r.config.Services)[:r.config.Path]
		wanted := slices.Sorted(slices.Values(rng.Perm(r.config.Path)[:r.config.Chain]))
		for i, place := range wanted {
			wanted[i] = path[place]
		}
		chain, err2 := r.chains.flights(frame, flight[B]{wanted: wanted, path: path}, r.chains.names, table)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		routes, chains = append(routes, route...), append(chains, chain...)
	}
	if err := errors.Join(r.fly(routes), r.serve(chains)); err != nil {
		return err
	}
	for _, f := range slices.Concat(routes, chains) {
		f.land()
	}
	return nil
}

// flights returns the flights of a frame: one a policy that sends it. The control plane asks some names, the
// wanted ones among them. The table is that of AnyTable.
func (w *way[B]) flights(frame []byte, f flight[B], asked [][]byte, table int) ([]*flight[B], error) {
	candidates, err := w.plane.Candidates(w.some(f.wanted), asked)
	if err != nil {
		return nil, err
	}
	nonMembers := len(asked) - len(f.wanted)
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
		tally.FillSum += chosen.Fill
		tally.FillMost = max(tally.FillMost, chosen.Fill)
		tally.Asked += nonMembers
		tally.Matches += chosen.False
		tally.Expected += inpacket.FalseMatchRate[B](len(f.wanted)) * float64(nonMembers)
		sent := f
		sent.sent, sent.seen, sent.tally = encapsulate(nil, frame, chosen.Header), make([]bool, len(f.wanted)), tally
		flights = append(flights, &sent)
	}
	return flights, nil
}

// note counts a hop of the flight at the engine of an element, and reports whether it matched.
func (f *flight[B]) note(hop *Hop[B], element int) bool {
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
	if i := slices.Index(f.wanted, element); i >= 0 && !f.seen[i] {
		f.seen[i] = true
		f.tally.Delivered++
	} else {
		f.falseMatches++
	}
	return true
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
		Nodes: r.config.Nodes, Links: len(r.network.links), Receivers: r.config.Receivers, Routes: r.routes.tallies[:],
		Services: r.config.Services, Path: r.config.Path, Chain: r.config.Chain, Chains: r.chains.tallies[:],
	}
	if r.damage != nil {
		report.Damage = r.damage.Error()
	}
	for policy := range policies {
		for _, w := range []*way[B]{&r.routes, &r.chains} {
			w.tallies[policy].Policy = policy.String()
			report.Hops += w.tallies[policy].Hops
		}
	}
	return report
}

// fly sends routes through the network.
func (r *Run[B]) fly(flights []*flight[B]) error {
	type copyOf struct {
		flight *flight[B]
		packet []byte
		node   int
	}
	var copies []copyOf
	for _, f := range flights {
		copies = append(copies, copyOf{f, f.sent, f.source})
	}
	for step := 1; len(copies) > 0; step++ {
		var hops []Hop[B]
		for _, c := range copies {
			for _, l := range r.network.leave[c.node] {
				hops = append(hops, Hop[B]{Frame: slices.Clone(c.packet), Element: &r.routes.elements[l]})
			}
		}
		if err := r.Engine.Handle(hops); err != nil {
			return err
		}
		var next []copyOf
		for _, c := range copies {
			f, leave := c.flight, r.network.leave[c.node]
			for i, l := range leave {
				hop := &hops[i]
				if !f.note(hop, l) {
					continue
				}
				if f.copies++; f.copies > maxCopies || step == maxSteps {
					f.tally.Stopped++
				} else {
					next = append(next, copyOf{f, hop.Frame, r.network.links[l].to})
				}
			}
			hops = hops[len(leave):]
		}
		copies = next
	}
	return nil
}

// serve sends chains along their services.
func (r *Run[B]) serve(flights []*flight[B]) error {
	hops := make([]Hop[B], len(flights))
	for i, f := range flights {
		hops[i].Frame = slices.Clone(f.sent)
	}
	for step := range r.config.Path {
		for i, f := range flights {
			hops[i].Element = &r.chains.elements[f.path[step]]
		}
		if err := r.Engine.Handle(hops); err != nil {
			return err
		}
		for i, f := range flights {
			f.note(&hops[i], f.path[step])
		}
	}
	return nil
}
