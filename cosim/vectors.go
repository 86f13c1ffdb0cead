package cosim

import (
	"context"
	"errors"
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel/vectors"
)

// Vectors is the RTL as a target of package kernel/vectors. The blocks of the table are kept in Go;
// the RTL performs every operation on them.
type Vectors struct {
	ctx         context.Context
	simulations map[string]*Simulation // by model
}

// NewVectors returns the RTL as targets. It returns a *NotInstalledError where Verilator is
// missing. Models are built when a run needs them, until the context is done. The caller must Close
// it.
func NewVectors(ctx context.Context) (*Vectors, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	return &Vectors{ctx: ctx, simulations: map[string]*Simulation{}}, nil
}

// Close ends the processes of the simulations.
func (v *Vectors) Close() error {
	var errs []error
	for _, s := range v.simulations {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Targets returns two targets, which are not safe for concurrent use. The one, "rtl", takes a
// record at a time: bloomlane_core performs it, and bloomlane_match a match, on masks. The other,
// "rtl in batches", has many under way in each clock: bloomlane_pipe performs them, and
// bloomlane_match a match, on positions. bloomlane_merge merges for both.
func (v *Vectors) Targets() []vectors.Target {
	return []vectors.Target{target{v, 1}, target{v, 256}}
}

// simulation returns the running simulation of a model, started at the first call.
func (v *Vectors) simulation(model Model) (*Simulation, error) {
	if s := v.simulations[model.String()]; s != nil {
		return s, nil
	}
	program, err := Build(v.ctx, model)
	if err != nil {
		return nil, err
	}
	s, err := program.Start()
	if err != nil {
		return nil, err
	}
	v.simulations[model.String()] = s
	for _, port := range program.Ports {
		if port.Name == "rst" { // registers start with random values
			record := make([]byte, s.InBytes())
			port.Set(record, 1)
			return s, s.Run(record, make([]byte, s.OutBytes()))
		}
	}
	return s, nil
}

type target struct {
	*Vectors
	group int
}

func (t target) Name() string {
	if t.group == 1 {
		return "rtl"
	}
	return "rtl in batches"
}

func (t target) Group() int { return t.group }

func (t target) New(blockBits, nblocks int) (vectors.Machine, error) {
	switch blockBits {
	case 256:
		return &machine[uint32]{target: t, table: make([][fallback.Lanes]uint32, nblocks)}, nil
	case 512:
		return &machine[uint64]{target: t, table: make([][fallback.Lanes]uint64, nblocks)}, nil
	}
	return nil, fmt.Errorf("cosim: blocks of %d bits, want 512 or 256", blockBits)
}

// ports is the number of elements that a record's matcher holds.
const ports = 8

type machine[T fallback.Lane] struct {
	target
	table   [][fallback.Lanes]T
	answers []byte
}

func (m *machine[T]) Block(i int) (block vectors.Block, err error) {
	for lane, v := range m.table[i] {
		block[lane] = uint64(v)
	}
	return block, nil
}

// Apply performs the records in parts that touch no block twice, because the RTL gets the blocks of
// a whole part before it performs the first record.
func (m *machine[T]) Apply(records []vectors.Record, results []vectors.Result) error {
	perform := m.operate
	switch records[0].Op {
	case vectors.Merge:
		perform = m.merge
	case vectors.Match:
		perform = m.match
	}
	for start := 0; start < len(records); {
		end, touched := start, map[int]bool{}
		for end < len(records) && !touched[records[end].Block] {
			touched[records[end].Block] = true
			end++
		}
		if err := perform(records[start:end], results[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// model returns a model with lanes as wide as the machine's.
func (m *machine[T]) model(top string, more map[string]int) Model {
	parameters := map[string]int{"W": int(fallback.LaneBits[T]())}
	for name, value := range more {
		parameters[name] = value
	}
	return Model{Top: top, Parameters: parameters}
}

// run sends records, and returns the n answers in which the port valid is high, or all where n < 0.
func (m *machine[T]) run(s *Simulation, records []byte, n int) ([][]byte, error) {
	count := len(records) / s.InBytes()
	m.answers = append(m.answers[:0], make([]byte, count*s.OutBytes())...)
	if err := s.Run(records, m.answers); err != nil {
		return nil, err
	}
	var answers [][]byte
	for i := range count {
		if answer := m.answers[i*s.OutBytes():][:s.OutBytes()]; n < 0 ||
			s.Out("out_valid").Get(answer) == 1 {
			answers = append(answers, answer)
		}
	}
	if n >= 0 && len(answers) != n {
		return nil, fmt.Errorf("cosim: %s: %d answers, want %d", s.model, len(answers), n)
	}
	return answers, nil
}

// drain is the number of cycles in which the last answers come out. It is more than any latency.
const drain = 16

var codes = map[vectors.Op]uint64{vectors.Query: 0, vectors.Insert: 1, vectors.Delete: 2}

var resultsOf = map[vectors.Op][]vectors.Result{
	vectors.Query:  {vectors.Absent, vectors.Present},
	vectors.Insert: {vectors.Absent, vectors.Present},
	vectors.Delete: {vectors.Absent, vectors.Retained, vectors.Deleted},
}

// operate performs a query, insert or delete.
func (m *machine[T]) operate(records []vectors.Record, results []vectors.Result) error {
	if m.group == 1 {
		s, err := m.simulation(m.model("bloomlane_core", nil))
		if err != nil {
			return err
		}
		in := make([]byte, s.InBytes())
		mask := fallback.Mask[T](records[0].H)
		s.In("op").Set(in, codes[records[0].Op])
		setBlock(s.In("block"), in, &m.table[records[0].Block])
		setBlock(s.In("mask"), in, &mask)
		answers, err := m.run(s, in, -1)
		if err != nil {
			return err
		}
		return m.keep(&records[0], &results[0], getBlock[T](s.Out("after"), answers[0]),
			s.Out("result").Get(answers[0]))
	}
	s, err := m.simulation(m.model("bloomlane_pipe", map[string]int{"DEPTH": 3, "POSITIONS": 1}))
	if err != nil {
		return err
	}
	in := make([]byte, (len(records)+drain)*s.InBytes())
	for i := range len(records) + drain {
		record := in[i*s.InBytes():][:s.InBytes()]
		s.In("advance").Set(record, 1)
		if i < len(records) {
			r := &records[i]
			s.In("in_valid").Set(record, 1)
			s.In("in_op").Set(record, codes[r.Op])
			setBlock(s.In("in_block"), record, &m.table[r.Block])
			s.In("in_key").Set(record, fallback.Positions[T](r.H))
		}
	}
	answers, err := m.run(s, in, len(records))
	if err != nil {
		return err
	}
	for i, answer := range answers {
		err := m.keep(&records[i], &results[i], getBlock[T](s.Out("out_block"), answer),
			s.Out("out_result").Get(answer))
		if err != nil {
			return err
		}
	}
	return nil
}

// keep stores the RTL's result for a record.
func (m *machine[T]) keep(
	r *vectors.Record,
	result *vectors.Result,
	after [fallback.Lanes]T,
	code uint64,
) error {
	names := resultsOf[r.Op]
	if code >= uint64(len(names)) {
		return fmt.Errorf("cosim: the result of %s is %d, want less than %d", r.Op,
			code, len(names))
	}
	m.table[r.Block], *result = after, names[code]
	return nil
}

func (m *machine[T]) merge(records []vectors.Record, results []vectors.Result) error {
	s, err := m.simulation(m.model("bloomlane_merge", nil))
	if err != nil {
		return err
	}
	in := make([]byte, len(records)*s.InBytes())
	for i := range records {
		record := in[i*s.InBytes():][:s.InBytes()]
		var other [fallback.Lanes]T
		for lane, v := range records[i].Mask {
			other[lane] = T(v)
		}
		setBlock(s.In("x"), record, &m.table[records[i].Block])
		setBlock(s.In("y"), record, &other)
	}
	answers, err := m.run(s, in, -1)
	if err != nil {
		return err
	}
	for i, answer := range answers {
		m.table[records[i].Block], results[i] = getBlock[T](s.Out("merged"), answer), vectors.Merged
	}
	return nil
}

// match writes the elements of at most one record per port. Then it asks for each record's block
// which ports match. The record's own port is its answer.
func (m *machine[T]) match(records []vectors.Record, results []vectors.Result) error {
	positions := 1
	if m.group == 1 {
		positions = 0
	}
	s, err := m.simulation(m.model("bloomlane_match",
		map[string]int{"PORTS": ports, "POSITIONS": positions}))
	if err != nil {
		return err
	}
	for start := 0; start < len(records); start += ports {
		part := records[start:min(start+ports, len(records))]
		in := make([]byte, (2*len(part)+drain)*s.InBytes())
		for i := range 2*len(part) + drain {
			record := in[i*s.InBytes():][:s.InBytes()]
			s.In("fill_limit").Set(record, fallback.Lanes*uint64(fallback.LaneBits[T]()))
			switch {
			case i < len(part):
				s.In("write").Set(record, 1)
				s.In("write_port").Set(record, uint64(i))
				s.In("write_enable").Set(record, 1)
				if positions == 0 {
					mask := fallback.Mask[T](part[i].H)
					setBlock(s.In("write_key"), record, &mask)
				} else {
					s.In("write_key").Set(record, fallback.Positions[T](part[i].H))
				}
			case i < 2*len(part):
				s.In("in_valid").Set(record, 1)
				setBlock(s.In("in_header"), record, &m.table[part[i-len(part)].Block])
			}
		}
		answers, err := m.run(s, in, len(part))
		if err != nil {
			return err
		}
		for i, answer := range answers {
			results[start+i] = resultsOf[vectors.Query][s.Out("out_ports").Get(answer)>>i&1]
		}
	}
	return nil
}
