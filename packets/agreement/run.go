package agreement

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/planning"
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
	case c.Steps < 1 || c.Steps > c.mostSteps():
		return wrong("steps", c.Steps, fmt.Sprintf("1 to %d with these --blocks", c.mostSteps()))
	case c.Packets < 0:
		return wrong("packets", c.Packets, "at least 0")
	}
	return nil
}

// mostSteps returns the largest number of steps: that of a small filter is what a plan can have.
func (c *Config) mostSteps() int {
	return min(10_000, 2*planning.MaxTurnovers*members(c.Blocks)/mostChanged)
}

// Run reads a capture, and runs it on all machines that there are here.
func Run(ctx context.Context, c Config, name string, in *capture.Reader) (*Report, error) {
	s, err := c.scenario(in)
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
	definition := goMachine(dispatch.ByName("purego"))
	_, err := s.play(ctx, []machine{definition}, func(i int, did []outcome) error {
		return s.count(r, i, &did[0])
	})
	if err != nil {
		return nil, err
	}
	for _, m := range machines {
		report := Machine{Name: m.name}
		report.Cost, err = s.play(ctx, []machine{definition, m}, func(i int, did []outcome) error {
			s.compare(&report, i, &did[1], &did[0])
			return nil
		})
		if missing(err) {
			report = Machine{Name: m.name, Missing: err.Error(), missing: err}
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		r.Machines = append(r.Machines, report)
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

// outcome is what a machine did in a step.
type outcome struct {
	dropped []bool  // of the frames
	results []uint8 // of the changes
	table   kernel.Table512
}

// play runs machines beside each other. It calls look with what they did before the first step,
// which is step -1, and in each step, and returns what a packet costs the last of them.
func (s *scenario) play(
	ctx context.Context,
	machines []machine,
	look func(i int, did []outcome) error,
) (cost Cost, err error) {
	var all []executor
	did := make([]outcome, len(machines))
	defer func() {
		for _, e := range all {
			err = errors.Join(err, e.close())
		}
	}()
	for i, m := range machines {
		e, err := m.start(s)
		if err != nil {
			return cost, err
		}
		all, did[i].table = append(all, e), s.table()
	}
	for i := -1; i < len(s.steps); i++ {
		if err := ctx.Err(); err != nil {
			return cost, err
		}
		for j, e := range all {
			if i >= 0 {
				err = did[j].step(e, &s.steps[i])
			}
			if err == nil {
				err = e.blocks(did[j].table)
			}
			if err != nil {
				return cost, err
			}
		}
		if err := look(i, did); err != nil {
			return cost, err
		}
	}
	return all[len(all)-1].cost(s.traffic.frames)
}

// step has a machine make a step.
func (o *outcome) step(e executor, step *step) error {
	o.dropped, o.results = make([]bool, len(step.frames)), make([]uint8, len(step.addresses))
	if err := e.judge(step.frames, o.dropped); err != nil {
		return err
	}
	return e.change(step.insert, step.addresses, o.results)
}

// count counts what the definition did in a step. A listed packet that passes is an error: then the
// filter has lost a member.
func (s *scenario) count(r *Report, i int, did *outcome) error {
	if i < 0 {
		return nil
	}
	step := &s.steps[i]
	for j, frame := range step.frames {
		source := xdp.Parse(frame).Source
		switch listed, dropped := s.listed[i][j], did.dropped[j]; {
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
	for _, result := range did.results {
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
	return nil
}

// compare counts what a machine did otherwise in a step.
func (s *scenario) compare(m *Machine, i int, got, want *outcome) {
	differ := func(count *int, format string, args ...any) {
		if *count++; m.Difference == "" {
			m.Difference = fmt.Sprintf(format, args...)
		}
	}
	for j := range want.dropped {
		m.Verdicts.Compared++
		if got.dropped[j] != want.dropped[j] {
			differ(&m.Verdicts.Differ, "packet %d is dropped: %v, want %v", m.Verdicts.Compared,
				got.dropped[j], want.dropped[j])
		}
	}
	for j := range want.results {
		m.Changes.Compared++
		if got.results[j] != want.results[j] {
			differ(&m.Changes.Differ, "the change of %v in step %d has result %d, want %d",
				s.steps[i].addresses[j], i, got.results[j], want.results[j])
		}
	}
	for j := range want.table {
		m.Blocks.Compared++
		if got.table[j] != want.table[j] {
			differ(&m.Blocks.Differ, "block %d behind change %d is %x, want %x", j, i+1,
				got.table[j], want.table[j])
		}
	}
}
