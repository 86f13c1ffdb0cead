package vectors

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/bloomlane/bloomlane/internal/legible"
)

// MalformedError says that a file is no run. The command bloomlane then exits with code 2.
type MalformedError struct {
	Line int // the first that is wrong, from 1
	Err  error
}

// Error has the line and what is wrong with it. A long text is cut in its middle.
func (e *MalformedError) Error() string {
	const most = 200
	return fmt.Sprintf("vectors: line %d: %s", e.Line, legible.Cut(e.Err.Error(), most))
}

// Unwrap returns e.Err.
func (e *MalformedError) Unwrap() error { return e.Err }

// Difference is the error of a target whose result differs from that in the file. The command
// bloomlane then exits with code 1.
type Difference struct {
	Line      int    // the first record on which they do, from 1
	Target    string // the name of the target
	What      string // "block", "result", "mask lane 3" or "after lane 3"
	File, Got string // what the file has, and what the target computed
}

// Error has the line, the operation, and both results.
func (e *Difference) Error() string {
	return fmt.Sprintf("vectors: record %d: %s: the file has %s, %s has %s", e.Line, e.What, e.File,
		e.Target, e.Got)
}

// Target is an implementation that Check tests.
type Target interface {
	// Name returns the name of the target, for messages.
	Name() string
	// Group returns how many records of the same operation Apply accepts at once, at least 1.
	Group() int
	// New returns a machine with a table of nblocks empty blocks of blockBits bits, 512 or 256.
	New(blockBits, nblocks int) (Machine, error)
}

// Machine is a table of a target.
type Machine interface {
	// Apply performs the records in order and stores their results in results. They all have the
	// same operation. It uses their Op, their H and, for a merge, their Mask.
	Apply(records []Record, results []Result) error
	// Block returns block i of the table, from 0 on.
	Block(i int) (Block, error)
}

// Check reads a run from r and performs it on the target. It returns the number of records. The
// error is a *[MalformedError] if the file is no run, a *[Difference] if the target has another
// result, or an error of r or of the target.
func Check(r io.Reader, target Target) (int, error) {
	c := checker{target: target, results: make([]Result, target.Group())}
	in := bufio.NewReaderSize(r, maxLine)
	for line := 1; ; line++ {
		text, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(text) == 0:
			return line - 1, c.flush()
		case err == io.EOF:
			err = errors.New("the last line has no end")
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("longer than %d bytes", maxLine)
		case err != nil:
			return line - 1, err
		}
		var record Record
		if err == nil {
			record, err = parse(text)
		}
		if err == nil && line > 1 && (record.BlockBits != c.blockBits ||
			record.NBlocks != c.nblocks) {
			err = fmt.Errorf("block_bits %d and nblocks %d, want %d and %d as in line 1",
				record.BlockBits, record.NBlocks, c.blockBits, c.nblocks)
		}
		if err != nil {
			// an earlier record may differ, and the first difference counts
			if err := c.flush(); err != nil {
				return line - 1, err
			}
			return line - 1, &MalformedError{Line: line, Err: err}
		}
		if err := c.add(line, record); err != nil {
			return line - 1, err
		}
	}
}

// checker collects records into groups, and compares the results of the target with them.
type checker struct {
	target             Target
	machine            Machine
	blockBits, nblocks int
	first              int // line of the group's first record
	group              []Record
	results            []Result
}

func (c *checker) add(line int, r Record) error {
	if c.machine == nil {
		machine, err := c.target.New(r.BlockBits, r.NBlocks)
		if err != nil {
			return err
		}
		c.machine, c.blockBits, c.nblocks = machine, r.BlockBits, r.NBlocks
	}
	if block := blockOf(r.H, r.NBlocks); block != r.Block {
		return c.differ(line, "block", fmt.Sprint(r.Block), fmt.Sprint(block))
	}
	mask := maskOf(r.Op, r.BlockBits, r.H)
	if err := c.compare(line, "mask", r.Mask, mask); err != nil {
		return err
	}
	if len(c.group) > 0 && (len(c.group) == len(c.results) || c.group[0].Op != r.Op) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if len(c.group) == 0 {
		c.first = line
	}
	c.group = append(c.group, r)
	return nil
}

// flush performs the group. It compares every result, and every block after the last record that
// changed it.
func (c *checker) flush() error {
	if len(c.group) == 0 {
		return nil
	}
	results := c.results[:len(c.group)]
	if err := c.machine.Apply(c.group, results); err != nil {
		return fmt.Errorf("vectors: records %d to %d: %w", c.first, c.first+len(c.group)-1, err)
	}
	last := make(map[int]int, len(c.group))
	for i := range c.group {
		last[c.group[i].Block] = i
	}
	for i := range c.group {
		r := &c.group[i]
		if results[i] != r.Result {
			return c.differ(c.first+i, "result", string(r.Result), string(results[i]))
		}
		if last[r.Block] != i {
			continue
		}
		after, err := c.machine.Block(r.Block)
		if err != nil {
			return fmt.Errorf("vectors: record %d: block %d: %w", c.first+i, r.Block, err)
		}
		if err := c.compare(c.first+i, "after", r.After, after); err != nil {
			return err
		}
	}
	c.group = c.group[:0]
	return nil
}

func (c *checker) compare(line int, what string, file, got Block) error {
	for lane := range file {
		if file[lane] != got[lane] {
			digits := laneBits(c.blockBits) / 4
			return c.differ(line, fmt.Sprintf("%s lane %d", what, lane),
				fmt.Sprintf("0x%0*x", digits, file[lane]), fmt.Sprintf("0x%0*x", digits, got[lane]))
		}
	}
	return nil
}

func (c *checker) differ(line int, what, file, got string) error {
	return &Difference{Line: line, Target: c.target.Name(), What: what, File: file, Got: got}
}
