// Package simulation is no API: it fills tables with random members, lets the members come and go,
// and measures what package planning predicts. The tables are those of package kernel. Its tests
// hold the predictions to the simulations.
package simulation

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

// MaxInserts is the largest number of inserts of a simulation, which then runs for a minute or two.
const MaxInserts = 1 << 28

// MaxMembers is the largest number of members at a time. Each needs 24 bytes.
const MaxMembers = 1 << 24

// MaxBytes is the size of the largest table.
const MaxBytes = 1 << 27

// refreshes is the number of refreshes of a round, in tables of at least that number of blocks.
const refreshes = 256

// Config says what to simulate.
type Config struct {
	// Table is filled with its Members. Then each member that has lived for its lifetime is deleted
	// and a new one inserted, for the table's Turnovers in all. With Reinserts its blocks are
	// refreshed in turn, a 256th of the table at a time.
	Table planning.Table

	// At are the turnovers to measure at, ascending. The table's own, at the end, is measured too.
	At []float64

	// NonMembers is the number of random keys to query for each measurement.
	NonMembers int

	Seed uint64

	// Progress, where it is not nil, is called now and then with the number of inserts so far.
	Progress func(inserts int)
}

// Measurement is what a table was like after a number of turnovers.
type Measurement struct {
	Turnovers float64

	// Rate is the false-positive rate of the table's bits: the mean over the blocks of the product
	// of their lanes' fills, with the standard error of it as an estimate for all hash keys.
	Rate, RateError float64

	// Found is how many non-members were present.
	Found int

	// Deletability is the part of the members of which a delete would clear a bit.
	Deletability float64

	Collided float64 // the part of the regions that are
}

// Run simulates c and returns its measurements. The same c gives the same ones. Its error is a
// *[planning.InputError].
func Run(c Config) ([]Measurement, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Table.BlockBits == 256 {
		return run(&c, kernel.NewTable256(c.Table.Blocks), kernel.Table256.QueryBatch,
			kernel.Mask256), nil
	}
	return run(&c, kernel.NewTable512(c.Table.Blocks), kernel.Table512.QueryBatch, kernel.Mask512),
		nil
}

func (c *Config) check() error {
	if err := c.Table.Check(); err != nil {
		return err
	}
	if c.Table.Members > MaxMembers {
		return &planning.InputError{Field: "Members", Found: c.Table.Members,
			Expected: fmt.Sprintf("at most %d to simulate", MaxMembers)}
	}
	if inserts := float64(c.Table.Members) *
		(1 + c.Table.Turnovers*(1+c.Table.Reinserts)); inserts > MaxInserts {
		return &planning.InputError{Field: "Turnovers", Found: c.Table.Turnovers,
			Expected: fmt.Sprintf("no more than %d inserts to simulate, not %.3g",
				MaxInserts, inserts)}
	}
	if bytes := c.Table.Bytes(); bytes > MaxBytes {
		return &planning.InputError{Field: "Blocks", Found: c.Table.Blocks,
			Expected: fmt.Sprintf("a table of at most %d bytes to simulate", MaxBytes)}
	}
	if c.NonMembers < 0 || c.NonMembers > MaxInserts {
		return &planning.InputError{Field: "NonMembers", Found: c.NonMembers,
			Expected: fmt.Sprintf("0 to %d", MaxInserts)}
	}
	last := 0.0
	for _, turnovers := range c.At {
		if !(turnovers >= last && turnovers <= c.Table.Turnovers) { // so written, NaN fails it too
			return &planning.InputError{Field: "At", Found: turnovers,
				Expected: fmt.Sprintf("%g to %g, ascending", last, c.Table.Turnovers)}
		}
		last = turnovers
	}
	return nil
}

// table is a kernel.Table256 or a kernel.Table512.
type table[B any] interface {
	~[]B
	Insert(h uint64) bool
	Delete(h uint64) kernel.Status
}

func run[B ~[fallback.Lanes]T, T fallback.Lane, S table[B]](
	c *Config,
	blocks S,
	query func(S, []uint64, []uint64) int,
	mask func(uint64) B,
) []Measurement {
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	members := workload.NewPopulation(c.Table.Members, c.Table.Lifetime, rng)
	for _, h := range members.Hashes() {
		blocks.Insert(h)
	}

	measure := func(turnovers float64) Measurement {
		m := Measurement{Turnovers: turnovers}
		sum, squares, collided := 0.0, 0.0, 0
		for i := range blocks {
			collided += bits.OnesCount64(uint64(blocks[i][0]))
			product := fills[B, T](&blocks[i])
			sum += product
			squares += product * product
		}
		n := float64(len(blocks))
		m.Collided = float64(collided) / (n * float64(fallback.LaneBits[T]()))
		m.Rate = sum / n
		m.RateError = math.Sqrt(max(0, squares/n-m.Rate*m.Rate) / n)
		deletable := 0
		for _, h := range members.Hashes() {
			own := mask(h)
			if clears[B, T](&blocks[fallback.Index(h, uint64(len(blocks)))], &own) {
				deletable++
			}
		}
		m.Deletability = float64(deletable) / float64(members.Len())
		nonMembers := make([]uint64, min(c.NonMembers, 4096))
		for left := c.NonMembers; left > 0; left -= len(nonMembers) {
			nonMembers = nonMembers[:min(left, len(nonMembers))]
			workload.Fill(rng, nonMembers)
			m.Found += query(blocks, nonMembers, nil)
		}
		return m
	}

	// refresh clears a part of the blocks, and inserts their members. An owner who lists members by
	// interval of hashes need not go through all of them.
	parts, refreshed := min(refreshes, len(blocks)), 0
	refresh := func() {
		first, last := refreshed%parts*len(blocks)/parts, (refreshed%parts+1)*len(blocks)/parts
		clear(blocks[first:last])
		for h := range members.Live() {
			if at := int(fallback.Index(h, uint64(len(blocks)))); first <= at && at < last {
				blocks.Insert(h)
			}
		}
		refreshed++
	}

	var measured []Measurement
	inserts := members.Len()
	for _, turnovers := range append(append([]float64(nil), c.At...), c.Table.Turnovers) {
		for until := members.Len() + int(math.Round(turnovers*float64(members.Len()))); inserts <
			until; inserts++ {
			gone, come := members.Replace()
			blocks.Delete(gone)
			blocks.Insert(come)
			rounds := c.Table.Reinserts * float64(inserts-members.Len()+1) / float64(members.Len())
			for refreshed < int(rounds*float64(parts)) {
				refresh()
			}
			const now = 1 << 16 // and then
			if inserts%now == 0 && c.Progress != nil {
				c.Progress(inserts)
			}
		}
		measured = append(measured, measure(turnovers))
	}
	return measured
}
