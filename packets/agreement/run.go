package agreement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/hdl/cosim"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/xdp"
)

// Config is what a run compares.
type Config struct {
	Blocks  int    // of the filter, a power of two
	Steps   int    // how often the list changes
	Packets int    // captured ones at most, or 0 for all
	Seed    uint64 // of synthesised packets, of the list and its changes
}

// Check returns an error if a field is out of range.
func (c *Config) Check() error {
	wrong := func(field string, found int, expected string) error {
		return fmt.Errorf("--%s is %d, expected %s", field, found, expected)
	}
	switch {
	case c.Blocks < 2 || c.Blocks > 1<<12 || c.Blocks&(c.Blocks-1) != 0:
		return wrong("blocks", c.Blocks, "a power of two from 2 to 4096")
	case c.Steps < 1 || c.Steps > 10_000:
		return wrong("steps", c.Steps, "1 to 10000")
	case c.Packets < 0:
		return wrong("packets", c.Packets, "at least 0")
	}
	return nil
}

// Run reads a capture, and runs it on all machines that there are here.
func Run(ctx context.Context, c Config, name string, in io.Reader) (*Report, error) {
	s, err := c.scenario(capture.Open(in))
	if err != nil {
		return nil, err
	}
	return s.run(ctx, name, machines(ctx))
}

func (c *Config) scenario(in *capture.Reader) (*scenario, error) {
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	t, err := readTraffic(in, rng, c.Packets)
	if err != nil {
		return nil, err
	}
	if t.captured < c.Steps {
		return nil, fmt.Errorf("agreement: found %d packets, expected at least %d, one a step",
			t.captured, c.Steps)
	}
	return newScenario(rng, t, keytest.Sip(byte(c.Seed)), c.Blocks, c.Steps)
}

// machines are all that are compared.
func machines(ctx context.Context) (all []machine) {
	for _, im := range dispatch.Implementations() {
		all = append(all, goMachine(im))
	}
	return append(all, cMachine(header), kernelMachine(xdp.Options{}),
		verilogMachine(ctx, nil))
}

// missing reports whether an error says that this computer lacks what a machine needs.
func missing(err error) bool {
	var noCompiler NoCompilerError
	var noKernel *xdp.Error
	var noTool *cosim.NotInstalledError
	return errors.As(err, &noCompiler) || errors.As(err, &noKernel) || errors.As(err, &noTool)
}

// run runs a scenario. The portable implementation, which is the definition, is what the others are
// compared with.
func (s *scenario) run(ctx context.Context, name string, machines []machine) (*Report, error) {
	r := &Report{Input: name, Captured: s.traffic.captured, Entries: len(s.list),
		Blocks: len(s.table()), FileBytes: len(s.file)}
	for i, n := range s.traffic.synthesised {
		r.Synthesised += n
		r.Forms = append(r.Forms, Form{forms[i].name, n})
	}
	for _, step := range s.steps {
		if step.insert {
			r.Adds += len(step.addresses)
		} else {
			r.Deletes += len(step.addresses)
		}
	}
	want, err := s.play(ctx, goMachine(dispatch.ByName("purego")))
	if err != nil {
		return nil, err
	}
	if err := s.count(r, want); err != nil {
		return nil, err
	}
	for _, m := range machines {
		got, err := s.play(ctx, m)
		if missing(err) {
			r.Machines = append(r.Machines,
				Machine{Name: m.name, Missing: err.Error(), missing: err})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		r.Machines = append(r.Machines, s.compare(m.name, got, want))
	}
	return r, nil
}

// table returns an empty table of the scenario's size.
func (s *scenario) table() kernel.Table512 {
	shape, err := s.config.Shape()
	if err != nil {
		panic(err) // it made the filter
	}
	return make(kernel.Table512, shape.Blocks)
}

// history is what a machine did.
type history struct {
	dropped [][]bool          // of the frames of each step
	results [][]uint8         // of its changes
	tables  []kernel.Table512 // behind the file, and each change
	cost    Cost
}

// play runs a machine.
func (s *scenario) play(ctx context.Context, m machine) (h *history, err error) {
	e, err := m.start(s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	h = &history{}
	read := func() error {
		table := s.table()
		h.tables = append(h.tables, table)
		return e.blocks(table)
	}
	if err := read(); err != nil {
		return nil, err
	}
	for _, step := range s.steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dropped, results := make([]bool, len(step.frames)), make([]uint8, len(step.addresses))
		h.dropped, h.results = append(h.dropped, dropped), append(h.results, results)
		if err := e.judge(step.frames, dropped); err != nil {
			return nil, err
		}
		if err := e.change(step.insert, step.addresses, results); err != nil {
			return nil, err
		}
		if err := read(); err != nil {
			return nil, err
		}
	}
	h.cost, err = e.cost(s.traffic.frames)
	return h, err
}

// count counts what the definition did. A listed packet that passes is an error: then the filter
// has lost a member.
func (s *scenario) count(r *Report, h *history) error {
	for i, step := range s.steps {
		for j, frame := range step.frames {
			source := xdp.Parse(frame).Source
			switch listed, dropped := s.listed[i][j], h.dropped[i][j]; {
			case listed && !dropped:
				return fmt.Errorf("agreement: a packet of %v passes, which is listed", source)
			case listed:
				r.Denied++
			case dropped:
				r.Innocent++
			case source.IsValid():
				r.Passed++
			default:
				r.NoSource++
			}
		}
		for _, result := range h.results[i] {
			switch {
			case step.insert && result == 1:
				r.Present++
			case !step.insert && filter.Status(result) == filter.Retained:
				r.Retained++
			case !step.insert && filter.Status(result) == filter.Deleted:
				r.Deleted++
			case !step.insert:
				return errors.New("agreement: a delete of an entry finds it absent")
			}
		}
	}
	return nil
}

// compare counts what a machine did otherwise.
func (s *scenario) compare(name string, got, want *history) Machine {
	m := Machine{Name: name, Cost: got.cost}
	differ := func(count *int, format string, args ...any) {
		if *count++; m.Difference == "" {
			m.Difference = fmt.Sprintf(format, args...)
		}
	}
	packets := 0
	for i, step := range s.steps {
		for j := range step.frames {
			packets++
			if got.dropped[i][j] != want.dropped[i][j] {
				differ(&m.Verdicts.Differ, "packet %d is dropped: %v, want %v", packets,
					got.dropped[i][j], want.dropped[i][j])
			}
		}
		for j, a := range step.addresses {
			m.Changes.Compared++
			if got.results[i][j] != want.results[i][j] {
				differ(&m.Changes.Differ, "the change of %v in step %d has result %d, want %d", a,
					i, got.results[i][j], want.results[i][j])
			}
		}
	}
	m.Verdicts.Compared = packets
	for i, table := range want.tables {
		for j := range table {
			m.Blocks.Compared++
			if got.tables[i][j] != table[j] {
				differ(&m.Blocks.Differ, "block %d behind change %d is %x, want %x", j, i,
					got.tables[i][j], table[j])
			}
		}
	}
	return m
}
