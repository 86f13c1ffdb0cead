package cosim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A bench holds one model against Go. The same check runs on the RTL as it is, which must agree; on
// each planted mutation, which must not; and for coverage and waveforms.
type bench struct {
	name    string
	model   Model
	vectors int // records of a full run
	// check sends about n records and returns the first difference.
	check func(s *Simulation, rng *rand.Rand, n int) error
}

// short returns the number of records of a short run, in which everything happens still.
func (b *bench) short() int { return min(b.vectors, max(b.vectors/20, 10*batch)) }

// errNarrow is wrapped by the error of a check that agreed but did not see everything happen.
var errNarrow = errors.New("the stimuli are too narrow")

// The list of what is co-simulated.
var benches = slices.Concat(
	coreBenches,
	pipeBenches,
	fifoBenches,
	packetFIFOBenches,
	inlineBenches,
	placeBenches,
	rateBenches,
	tableBenches,
	tableBusBenches,
	exampleBenches,
	guardBenches,
	boardBenches,
	controlBenches,
	registerBenches,
)

// long is the feature by which make cosim-all asks for full lengths and planted mistakes.
const long = "cosim-all"

// onlyLong skips a test where make cosim-all does not run it.
func onlyLong(t *testing.T) {
	t.Helper()
	if !require.Names(long) {
		require.Skip(t, "cosim-all", "make cosim-all runs it")
	}
}

// Every bench agrees with Go, bit by bit and clock by clock.
func TestRTL(t *testing.T) {
	for _, b := range benches {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			n := b.vectors
			if !require.Names(long) {
				n = b.short()
			}
			s := simulate(t, b)
			start := time.Now()
			if err := b.check(s, random(), n); err != nil {
				t.Fatalf("%s: %v", b.model, err)
			}
			t.Logf("%s: %d vectors, %.2f M/s", b.model, n,
				float64(n)/time.Since(start).Seconds()/1e6)
		})
	}
}

// The legal sizes that matter each have a bench: all widths of a beat, and the smallest tables.
func TestSizes(t *testing.T) {
	for _, size := range []struct {
		top, parameter string
		values         []int
	}{
		{"counted_tb", "DATA_BYTES", []int{1, 2, 4, 8, 16, 32, 64, 128}},
		{"counted_tb", "W", []int{32, 64}},
		{"counted_tb", "LOG2_DEPTH", []int{2, 3, 4, 6, 7}},
		{"counted_tb", "CUT_THROUGH", []int{1}},
		{"bloomlane_table", "LOG2_BLOCKS", []int{1, 2, 3, 9}},
		{"bloomlane_table_core", "LOG2_BLOCKS", []int{1, 2, 3, 5, 9, 12}},
		{"flipped_core", "READ_STAGES", []int{2, 3}},
		{"flipped_table", "BANKS", []int{1, 2}},
		{"bloomlane_toeplitz", "FIELD_BYTES", []int{1, 13, 40}},
		{"bloomlane_siphash", "COMPRESSION", []int{1, 2}},
		{"bloomlane_pipe", "DEPTH", []int{1, 2, 3, 4}},
		{"bloomlane_match", "COUNT", []int{2, 3, 4}},
		{"bloomlane_match", "LOG2_TABLES", []int{3, 6}},
	} {
		for _, value := range size.values {
			if !slices.ContainsFunc(benches, func(b bench) bool {
				return b.model.Top == size.top && b.model.Parameters[size.parameter] == value
			}) {
				t.Errorf("no bench has %s with %s = %d", size.top, size.parameter, value)
			}
		}
	}
}

// random returns the generator of a bench's stimuli: the same in every run, so that a difference
// can be looked at again, with waves.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// simulate builds and starts a bench's model for the length of the test. With
// BLOOMLANE_WAVES=folder it writes the waveform of the run to the file folder/name.fst.
func simulate(t *testing.T, b bench, args ...string) *Simulation {
	t.Helper()
	model := b.model
	if folder := os.Getenv("BLOOMLANE_WAVES"); folder != "" {
		model.waves = true
		args = append(args, "+wave="+filepath.Join(folder, b.name+".fst"))
	}
	s := start(t, model, args...)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// start builds and starts a model. The caller must close it.
func start(t *testing.T, model Model, args ...string) *Simulation {
	t.Helper()
	needTools(t)
	program, err := Build(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	s, err := program.Start(append(args, "+verilator+seed+1")...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// needTools skips the test where Verilator is missing, and a short one that nobody requires: models
// take seconds each to build.
func needTools(t *testing.T) {
	t.Helper()
	if testing.Short() && !require.Names("cosim") {
		require.Skip(t, "cosim", "make cosim runs it, and go test without -short")
	}
	if err := Available(); err != nil {
		require.Skip(t, "cosim", err.Error())
	}
}

// drive runs n records: fill writes record i, verify compares its answer. fill is ahead of verify,
// by less than 2*batch records.
func drive(
	s *Simulation,
	n int,
	fill func(i int, record []byte),
	verify func(i int, record, answer []byte) error,
) error {
	type chunk struct {
		first            int
		records, answers []byte
	}
	write := func(first int) *chunk {
		count := min(batch, n-first)
		c := &chunk{first, make([]byte, count*s.InBytes()), make([]byte, count*s.OutBytes())}
		for i := range count {
			fill(first+i, c.records[i*s.InBytes():][:s.InBytes()])
		}
		return c
	}
	ran := make(chan error, 1)
	for c, next := write(0), (*chunk)(nil); c != nil; c, next = next, nil {
		go func() { ran <- s.Run(c.records, c.answers) }()
		if first := c.first + batch; first < n { // meanwhile
			next = write(first)
		}
		if err := <-ran; err != nil {
			return err
		}
		for i := range len(c.records) / s.InBytes() {
			err := verify(c.first+i, c.records[i*s.InBytes():][:s.InBytes()],
				c.answers[i*s.OutBytes():][:s.OutBytes()])
			if err != nil {
				return fmt.Errorf("record %d: %w", c.first+i, err)
			}
		}
	}
	return nil
}

// The operations of the RTL: BLOOMLANE_QUERY, … of its parameter header.
const (
	opQuery = iota
	opInsert
	opDelete
	opPass
)

// perform is what one operation does: the definition, with the codes of the RTL.
func perform[T fallback.Lane](op uint64, block, mask *[fallback.Lanes]T) (result uint64) {
	present := false
	switch op {
	case opQuery:
		present = fallback.QueryMask(block, mask)
	case opInsert:
		present = fallback.InsertMask(block, mask)
	case opDelete:
		return uint64(fallback.DeleteMask(block, mask))
	}
	if present {
		return 1
	}
	return 0
}

// differ returns an error that names the first lane where two blocks differ, or nil.
func differ[T fallback.Lane](what string, got, want *[fallback.Lanes]T) error {
	for lane := range want {
		if got[lane] != want[lane] {
			return fmt.Errorf("%s: lane %d is %#x, want %#x", what, lane, got[lane], want[lane])
		}
	}
	return nil
}

// differValue returns an error where two values differ, or nil.
func differValue(what string, got, want uint64) error {
	if got != want {
		return fmt.Errorf("%s is %#x, want %#x", what, got, want)
	}
	return nil
}
