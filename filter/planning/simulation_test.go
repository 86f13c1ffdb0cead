package planning_test

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

// refreshes is the number of refreshes of a round, in tables of at least that number of blocks.
const refreshes = 256

// simulation says what to simulate.
type simulation struct {
	// Table is filled with its Members. Then each member that has lived for its lifetime is deleted
	// and a new one inserted, for the table's Turnovers in all. With Reinserts its blocks are
	// refreshed in turn, a 256th of the table at a time.
	Table planning.Table

	// At are the turnovers to measure at, ascending. The table's own, at the end, is measured too.
	At []float64

	// NonMembers is the number of random keys to query for each measurement.
	NonMembers int

	Seed uint64
}

// measurement is what a table was like after a number of turnovers.
type measurement struct {
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

// simulate returns the measurements of s, in tables of package kernel. The same s gives the same.
func simulate(s simulation) []measurement {
	if s.Table.BlockBits == 256 {
		return run(&s, kernel.NewTable256(s.Table.Blocks), kernel.Table256.QueryBatch,
			kernel.Mask256)
	}
	return run(&s, kernel.NewTable512(s.Table.Blocks), kernel.Table512.QueryBatch, kernel.Mask512)
}

// table is a kernel.Table256 or a kernel.Table512.
type table[B any] interface {
	~[]B
	Insert(h uint64) bool
	Delete(h uint64) kernel.Status
}

func run[B ~[fallback.Lanes]T, T fallback.Lane, S table[B]](
	c *simulation,
	blocks S,
	query func(S, []uint64, []uint64) int,
	mask func(uint64) B,
) []measurement {
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	members := workload.NewPopulation(c.Table.Members, c.Table.Lifetime, rng)
	for _, h := range members.Hashes() {
		blocks.Insert(h)
	}

	measure := func(turnovers float64) measurement {
		m := measurement{Turnovers: turnovers}
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

	var measured []measurement
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
		}
		measured = append(measured, measure(turnovers))
	}
	return measured
}

// fills returns the product of the fills of a block's data lanes: the probability that a random key
// of the block is present.
func fills[B ~[fallback.Lanes]T, T fallback.Lane](block *B) float64 {
	product := 1.0
	for _, lane := range (*block)[fallback.CollisionLanes:] {
		product *= float64(bits.OnesCount64(uint64(lane))) / float64(fallback.LaneBits[T]())
	}
	return product
}

// clears reports whether the delete of a member would clear a bit: one in a region without
// collision.
func clears[B ~[fallback.Lanes]T, T fallback.Lane](block, mask *B) bool {
	for _, lane := range (*mask)[fallback.CollisionLanes:] {
		if lane&^(*block)[0] != 0 {
			return true
		}
	}
	return false
}
