package cosim

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// The ports of a record that a top which is an AXI4-Stream slave has beside its own. The driver
// keeps a queue of beats, because Go writes a record before it knows in which cycle the beat before
// it is taken.
const (
	// StreamIn is in the input record: StreamPush and StreamOffer.
	StreamIn = "stream_in"
	// StreamOut is in the answer: StreamTaken, StreamOffered and StreamPath.
	StreamOut = "stream_out"
)

// The bits of StreamIn.
const (
	// StreamPush puts the record's s_axis ports at the end of the queue.
	StreamPush = 1
	// StreamOffer offers the first beat of the queue in this cycle; without it the cycle is a gap.
	// A beat that was offered is offered again until it is taken, as AXI4-Stream requires, also
	// through resets: the source is not reset, and a beat that is taken in a cycle of reset is
	// lost.
	StreamOffer = 2
)

// The bits of StreamOut.
const (
	// StreamTaken: a beat was offered, and s_axis_tready was high.
	StreamTaken = 1
	// StreamOffered: a beat was offered.
	StreamOffered = 2
	// StreamPath: s_axis_tready depends on m_axis_tready within the cycle.
	StreamPath = 4
)

// batch is the number of records that are sent at once: some hundred kilobytes.
const batch = 2048

// In returns an input port of the program's top. It panics if there is no port of that name.
func (p *Program) In(name string) Port { return p.port(name, true) }

// Out returns an output port of the program's top. It panics if there is no port of that name.
func (p *Program) Out(name string) Port { return p.port(name, false) }

// InBytes returns the size of an input record.
func (p *Program) InBytes() int { return p.layout.InBytes }

// OutBytes returns the size of an answer.
func (p *Program) OutBytes() int { return p.layout.OutBytes }

// A Simulation is a process of a program. Its model keeps its state from one Run to the next. It is
// not safe for concurrent use.
type Simulation struct {
	*Program
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	err    error // why the process can answer no more

	patience time.Duration // of a Run
}

// Start starts a process of the program. args are arguments for it, such as "+verilator+seed+1",
// where the seed determines the values that registers have before anything is written to them. The
// caller must Close the simulation.
func (p *Program) Start(args ...string) (*Simulation, error) {
	s := &Simulation{Program: p, patience: patience,
		cmd: exec.Command(p.path, append([]string{"+verilator+rand+reset+2"}, args...)...)}
	s.cmd.Stderr = &s.stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("cosim: %s: %w", p.model, err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cosim: %s: %w", p.model, err)
	}
	s.out = bufio.NewReaderSize(out, 1<<16)
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cosim: %s: %w", p.model, err)
	}
	return s, nil
}

// Run sends records, one after another in one slice, and fills answers, which must have room for
// the same number. It panics if the lengths do not fit. The error says so if the process had to be
// killed, because it did not answer within ten minutes.
func (s *Simulation) Run(records, answers []byte) error {
	n := len(records) / s.InBytes()
	if len(records) != n*s.InBytes() || len(answers) != n*s.OutBytes() {
		panic(fmt.Sprintf("cosim: %d bytes of records and %d of answers, want %d and %d a record",
			len(records), len(answers), s.InBytes(), s.OutBytes()))
	}
	if s.err != nil {
		return s.err
	}
	// The answers are read while records are still written. Otherwise both ends would wait for each
	// other.
	written := make(chan error, 1)
	go func() { written <- s.write(records) }()
	late := time.AfterFunc(s.patience, func() { _ = s.cmd.Process.Kill() })
	_, err := io.ReadFull(s.out, answers)
	if err != nil { // the process is at its end, or soon will be: then write ends too
		_ = s.in.Close()
	}
	err = errors.Join(err, <-written)
	if !late.Stop() {
		err = fmt.Errorf("no answer to %d records within %v", n, s.patience)
	}
	if err != nil {
		s.err = fmt.Errorf("cosim: %s: %w", s.model, errors.Join(err, s.end()))
	}
	return s.err
}

func (s *Simulation) write(records []byte) error {
	for len(records) > 0 {
		part := records[:min(len(records), batch*s.InBytes())]
		records = records[len(part):]
		head := binary.NativeEndian.AppendUint32(nil, uint32(len(part)/s.InBytes()))
		if _, err := s.in.Write(head); err != nil {
			return err
		}
		if _, err := s.in.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// end waits for the process to end, which it does at the end of its input.
func (s *Simulation) end() error {
	err := s.cmd.Wait()
	if message := strings.TrimSpace(s.stderr.String()); message != "" && err != nil {
		err = fmt.Errorf("%w: %s", err, message)
	}
	return err
}

// Close ends the process. It returns an error if the exit status of the process is not 0.
func (s *Simulation) Close() error {
	if s.err != nil {
		return nil // reported by Run
	}
	s.err = fmt.Errorf("cosim: %s: closed", s.model)
	if err := errors.Join(s.in.Close(), s.end()); err != nil {
		return fmt.Errorf("cosim: %s: %w", s.model, err)
	}
	return nil
}
