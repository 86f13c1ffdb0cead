package planning

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/internal/elementary"
	"github.com/bloomlane/bloomlane/internal/expected"
)

// MaxBlocks is the largest number of blocks of a table. That many blocks of 512 bits are 64 GiB.
const MaxBlocks = min(1<<30, math.MaxInt/512+1)

// MaxMembers is the largest number of members of a table, at which the largest table has half a bit
// per member. If an int has 32 bits, it is the largest int.
const MaxMembers = min(1<<40, math.MaxInt)

// MaxTurnovers is the largest number of turnovers of a prediction. A table that is not full by then
// has hundreds of bits per key.
const MaxTurnovers = 1000

// The least and the largest number of re-inserts per insert. With the least, a block is refreshed
// once in MaxTurnovers.
const (
	MinReinserts = 1.0 / MaxTurnovers
	MaxReinserts = 1000
)

// Table is a table of blocks and its history. It was filled with Members without deletes. Since
// then members have come and gone at a constant rate, and their number has stayed about the same.
type Table struct {
	BlockBits int // 512 or 256, collision bits included; 0 stands for 512
	Blocks    int // 1 to MaxBlocks
	Members   int // 1 to MaxMembers

	// Turnovers is the number of inserts since the table was filled, divided by Members. After I
	// inserts in all it is I/Members - 1.
	Turnovers float64

	// Lifetime says how long members stay. The members with which the table was filled count as
	// members from before: their ages are those of a population in equilibrium.
	Lifetime Lifetime

	// Reinserts is how many members are inserted again per insert, from the start on. One block
	// after another is refreshed: it is cleared, and its members at that time are inserted again.
	// Reinserts is 0 for no refreshes, or from MinReinserts to MaxReinserts. After 1/Reinserts
	// turnovers every block has been refreshed once, and the table is in a steady state: see
	// [Table.Steady].
	Reinserts float64
}

// Prediction has the expected properties of a table. Rates and shares are from 0 to 1.
type Prediction struct {
	// Rate is the false-positive rate, the probability that a non-member is present, as a mean over
	// hash keys. About half of all tables are above it.
	Rate float64

	// Rate99 is the false-positive rate that about 99 of 100 tables are below. With a million
	// members it is hardly more than Rate; with a hundred it may be several times as much. For
	// tables with turnovers, tests compare it with simulations up to 128 bits per key. Beyond, more
	// than 1 of 100 tables are above it.
	Rate99 float64

	// Deletability is the share of the members whose delete would clear at least one bit. Others
	// would be retained: after their delete they are false positives.
	Deletability float64

	// Collided is the share of the regions that have collided, in which deletes clear no bit.
	Collided float64

	// Extrapolated says that the table is outside the range in which tests compare predictions with
	// simulations: see [HeldMembers]. It is false for fresh tables of any size.
	Extrapolated bool
}

// The range in which tests compare the predictions of [Table.Predict] with simulations, for tables
// with turnovers and at least HeldMembers. Up to HeldTurnovers and HeldBitsPerKey, rates are within
// 7 %. Up to HeldTurnoversWide and HeldBitsPerKeyWide, they are within 15 %. Outside, a prediction
// is [Prediction.Extrapolated].
const (
	HeldMembers = 300

	HeldBitsPerKey, HeldTurnovers         = 64, 100
	HeldBitsPerKeyWide, HeldTurnoversWide = 384, 10
)

// The range for tables that are refreshed, with any number of turnovers, at least HeldMembers and
// at least HeldBlocks: at least HeldReinserts up to HeldBitsPerKey, and at least HeldReinsertsWide
// up to HeldBitsPerKeyWide. Rates are within 10 %. With fewer blocks a prediction is the mean over
// time: the rate falls with each refresh of a block, and rises until the next one.
const (
	HeldBlocks        = 32
	HeldReinserts     = 0.1
	HeldReinsertsWide = 0.25
)

// held reports whether a table with turnovers is within the range.
func (t *Table) held() bool {
	bits := t.BitsPerKey()
	within, withinWide := t.Turnovers <= HeldTurnovers, t.Turnovers <= HeldTurnoversWide
	if t.Reinserts > 0 {
		enough := t.Blocks >= HeldBlocks
		within = enough && t.Reinserts >= HeldReinserts
		withinWide = enough && t.Reinserts >= HeldReinsertsWide
	}
	return t.Members >= HeldMembers && (bits <= HeldBitsPerKey && within ||
		bits <= HeldBitsPerKeyWide && withinWide)
}

// Steady returns the table in its steady state: its Turnovers are 1/Reinserts, after which every
// block has been refreshed once. More turnovers change nothing. Reinserts must be above 0.
func (t Table) Steady() Table {
	t.Turnovers = 1 / t.Reinserts
	return t
}

// Span returns the turnovers or the re-inserts in words: "2.5 turnovers", or "1 re-insert per
// insert".
func (t *Table) Span() string {
	n, noun, per := t.Turnovers, "turnover", ""
	if t.Reinserts > 0 {
		n, noun, per = t.Reinserts, "re-insert", " per insert"
	}
	number := strconv.FormatFloat(n, 'g', 4, 64)
	if number != "1" {
		noun += "s"
	}
	return number + " " + noun + per
}

// BitsPerKey returns the bits of the table divided by its Members, collision bits included.
func (t *Table) BitsPerKey() float64 {
	return float64(t.Blocks) * float64(t.blockBits()) / float64(t.Members)
}

// Bytes returns the memory of the table.
func (t *Table) Bytes() int { return t.Blocks * (t.blockBits() / 8) }

// The sizes of blocks in bits.
const (
	bits512 = 512
	bits256 = 256
)

func (t *Table) blockBits() int { return orDefault(t.BlockBits) }

func orDefault(blockBits int) int {
	if blockBits == 0 {
		return bits512
	}
	return blockBits
}

// laneBits returns W, the bits of a lane.
func laneBits(blockBits int) int { return blockBits / fallback.Lanes }

func checkShape(blockBits, members int, turnovers float64) error {
	if b := orDefault(blockBits); b != bits512 && b != bits256 {
		return &InputError{"BlockBits", blockBits, "512 or 256"}
	}
	if members < 1 {
		return &InputError{"Members", members, "at least 1"}
	}
	if members > MaxMembers {
		return &InputError{"Members", members, fmt.Sprintf("at most %d", MaxMembers)}
	}
	if !(turnovers >= 0 && turnovers <= MaxTurnovers) { // in this form NaN fails too
		return &InputError{"Turnovers", turnovers, fmt.Sprintf("0 to %g", float64(MaxTurnovers))}
	}
	return nil
}

// BlocksFor returns the smallest number of blocks, at least 1, of a table with at least bitsPerKey
// bits per member. Blocks have blockBits bits, 512 or 256; 0 stands for 512. The error is an
// *[InputError].
func BlocksFor(blockBits, members int, bitsPerKey float64) (int, error) {
	if err := checkShape(blockBits, members, 0); err != nil {
		return 0, err
	}
	if !(bitsPerKey > 0) {
		return 0, &InputError{"BitsPerKey", bitsPerKey, "a number above 0"}
	}
	block := float64(orDefault(blockBits))
	blocks := math.Ceil(float64(members) * bitsPerKey / block)
	if blocks > float64(MaxBlocks) {
		return 0, &InputError{"BitsPerKey", bitsPerKey,
			fmt.Sprintf("at most %.6g: %d members in %d blocks",
				float64(MaxBlocks)*block/float64(members), members, MaxBlocks)}
	}
	return max(1, int(blocks)), nil
}

// Check returns an *[InputError] if a field of t is out of its range, and nil otherwise.
func (t *Table) Check() error {
	if err := checkShape(t.BlockBits, t.Members, t.Turnovers); err != nil {
		return err
	}
	if t.Blocks < 1 || t.Blocks > MaxBlocks {
		return &InputError{"Blocks", t.Blocks, fmt.Sprintf("1 to %d", MaxBlocks)}
	}
	// in this form NaN fails too
	if t.Reinserts != 0 && !(t.Reinserts >= MinReinserts && t.Reinserts <= MaxReinserts) {
		return &InputError{"Reinserts", t.Reinserts,
			fmt.Sprintf("0, or %g to %d", MinReinserts, MaxReinserts)}
	}
	return nil
}

// Predict returns the expected rate of the table and how many of its members can be deleted.
// docs/theory/planning.md has the derivation and how exact it is. It takes milliseconds, and up to
// some tenths of a second for hundreds of turnovers; if blocks are refreshed only once in hundreds
// of turnovers and a few members live very long, it takes seconds. The time and the memory do not
// depend on the size of the table. The error is an *[InputError].
func (t *Table) Predict() (Prediction, error) {
	if err := t.Check(); err != nil {
		return Prediction{}, err
	}
	return t.predict(), nil
}

// The nodes of [Table.Predict]. With more nodes no rate changes by 0.1 %: TestEnoughNodes has the
// cases.
var oddsNodes = nodes{stayed: 2, left: 2}

func (t *Table) rateNodes() nodes {
	const few = 8 // keys in a block
	if t.Members < few*t.Blocks {
		return nodes{stayed: 8, left: 5}
	}
	return nodes{stayed: 5, left: 5}
}

// predict is Predict for a table that was checked.
func (t *Table) predict() Prediction { return t.predictBy(t.rateNodes(), oddsNodes) }

// rate is the Rate of predict, alone.
func (t *Table) rate() (rate float64) {
	if t.Turnovers < hardlyAny {
		return FreshRate(t.blockBits(), t.Members, t.Blocks)
	}
	t.eachAge(func(turnovers, part float64) {
		rate += float64(part * t.rateAfter(turnovers))
	})
	return rate
}

// rough is about the rate. It is exact if there are no turnovers.
func (t *Table) rough() (rate float64) {
	if t.Turnovers < hardlyAny {
		return FreshRate(t.blockBits(), t.Members, t.Blocks)
	}
	t.eachAge(func(turnovers, part float64) {
		load := float64(t.Members) / float64(t.Blocks)
		past := newHistory(t.blockBits(), load, turnovers, t.Lifetime, 0.25)
		odds := exactly(past.w)
		set := past.cell(&even, odds).set()
		// the keys of a fresh block that would be as full as a block of the mean load
		fill := elementary.Pow(past.rate(&set), 1.0/lanes)
		keys := float64(t.Blocks) * min(saturated, elementary.Log1p(-min(fill, 1-1e-15))/-odds.miss)
		rate += float64(part * FreshRate(t.blockBits(), int(min(keys, math.MaxInt/2)), t.Blocks))
	})
	return rate
}

// rateAfter is the Rate of after, alone.
func (t *Table) rateAfter(turnovers float64) (rate float64) {
	if t.eachCell(turnovers, t.rateNodes(), oddsNodes, func(c *cell, part float64, _ [2]float64) {
		set := c.set()
		rate += float64(part * c.past.rate(&set))
	}) {
		return 1
	}
	return t.bounded(turnovers, min(1, rate))
}

// hardlyAny turnovers are less than one insert.
const hardlyAny = 1e-12

func (t *Table) predictBy(forRate, forOdds nodes) (p Prediction) {
	if t.Turnovers < hardlyAny {
		p = t.fresh()
		p.Rate99 = rate99(p.Rate, freshSpread(t.blockBits(), t.Members, t.Blocks))
		return p
	}
	var all []expected.Blocks
	mean := 0.0
	t.eachAge(func(turnovers, part float64) {
		aged, blocks := t.after(turnovers, forRate, forOdds)
		p.Rate += float64(part * aged.Rate)
		p.Deletability += float64(part * aged.Deletability)
		p.Collided += float64(part * aged.Collided)
		// The number of blocks of each age is constant. So the differences between the means of the
		// ages do not count as spread: each block counts by its distance from the mean of its age.
		rate := expected.SpreadOf(t.Blocks, blocks).Mean
		mean += float64(part * rate)
		for _, b := range blocks {
			all = append(all, b.Plus(-rate).Times(part))
		}
	})
	spread := expected.SpreadOf(t.Blocks, all)
	spread.Mean = mean
	p.Rate99 = rate99(p.Rate, spread)
	p.Extrapolated = !t.held()
	return p
}

// rate99 returns the rate that about 99 of 100 tables with a mean rate are below.
func rate99(rate float64, spread expected.Spread) float64 {
	return min(1, rate+max(0, spread.Below99()-spread.Mean))
}

// ageNodes is how many ages stand for the ages of all refreshed blocks. With four times as many no
// rate changes by more than 1 %: TestEnoughAges.
const ageNodes = 16

// eachAge calls do with the turnovers since blocks were filled or refreshed, and the share of the
// blocks of this age. The ages of refreshed blocks are spread evenly up to the length of a round.
func (t *Table) eachAge(do func(turnovers, part float64)) {
	refreshed := min(1, t.Turnovers*t.Reinserts)
	if refreshed > 0 {
		most := min(t.Turnovers, 1/t.Reinserts)
		for i := range ageNodes {
			do(most*(float64(i)+0.5)/ageNodes, refreshed/ageNodes)
		}
	}
	if refreshed < 1 {
		do(t.Turnovers, 1-refreshed)
	}
}

// fresh returns the prediction for the table when it was filled, without Rate99.
func (t *Table) fresh() Prediction {
	return Prediction{
		Rate:         FreshRate(t.blockBits(), t.Members, t.Blocks),
		Deletability: FreshDeletability(t.blockBits(), t.Members, t.Blocks),
		Collided:     freshCollided(t.blockBits(), t.Members, t.Blocks),
	}
}

// eachCell calls do with the cells of the quadrature, for blocks that were filled or refreshed the
// given number of turnovers ago, which is above 0: with the part of the blocks that a cell stands
// for, and by how many keys they exceed the mean. It calls nothing, and returns true, if all bits
// are set.
func (t *Table) eachCell(
	turnovers float64,
	forRate, forOdds nodes,
	do func(c *cell, part float64, surplus [2]float64),
) (full bool) {
	load := float64(t.Members) / float64(t.Blocks)
	// In each turnover a cell is hit about hit times, and the keys of the 7 cells of a column find
	// about the share hit/(1+hit) of them set. If both are large, and hardly a key of the start is
	// left, every region has collided and every bit is set.
	const enough, hardly = 200, 1e-3
	if hit := load / float64(laneBits(t.blockBits())); turnovers*hit*min(1,
		lanes*hit/(1+hit)) > enough && 1-t.Lifetime.distribution().lived(turnovers) < hardly {
		return true
	}
	past := newHistory(t.blockBits(), load, turnovers, t.Lifetime, 1)
	keys := past.influence(float64(t.Blocks))
	to := past.odds(keys, forOdds)
	keys.each(forRate, func(got *arrivals, part float64, surplus [2]float64) {
		do(past.cell(got, to), part, surplus)
	})
	return false
}

// after returns the prediction for blocks that were filled or refreshed the given number of
// turnovers ago, which is above 0, without Rate99 and Extrapolated. It also returns the blocks of
// the quadrature, for the spread.
func (t *Table) after(
	turnovers float64,
	forRate, forOdds nodes,
) (p Prediction, all []expected.Blocks) {
	full := t.eachCell(turnovers, forRate, forOdds,
		func(c *cell, part float64, surplus [2]float64) {
			set := c.set()
			blocks := c.past.rates(&set)
			blocks.Part, blocks.Surplus = part, surplus
			all = append(all, blocks)
			p.Deletability += float64(part * (1 - c.retained()))
			p.Collided += float64(part * c.collided())
		})
	if full {
		return Prediction{Rate: 1, Collided: 1},
			[]expected.Blocks{{Part: 1, Rate: 1, Square: 1, Cube: 1}}
	}
	fresh := t.fresh()
	p.Rate = t.bounded(turnovers, expected.SpreadOf(t.Blocks, all).Mean)
	p.Deletability = min(max(p.Deletability, 0), fresh.Deletability)
	p.Collided = min(max(p.Collided, fresh.Collided),
		freshCollided(t.blockBits(), t.inserts(turnovers), t.Blocks))
	return p, all
}

func (t *Table) inserts(turnovers float64) int {
	return int(min(float64(t.Members)*(1+turnovers), math.MaxInt/2))
}

// bounded returns a rate after a number of turnovers within two bounds that are certain: the bits
// of all members are set, and no bits but those of all inserts.
func (t *Table) bounded(turnovers, rate float64) float64 {
	return min(max(rate, FreshRate(t.blockBits(), t.Members, t.Blocks)),
		FreshRate(t.blockBits(), t.inserts(turnovers), t.Blocks))
}
