package planning_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// The largest differences between a prediction and a simulation: in the rate, beyond the
// uncertainty of the simulation, and in the deletable share.
const (
	freshRate, freshDeletability = 0.02, 0.003
	churnRate, churnDeletability = 0.03, 0.01
	lowRate                      = 0.15 // if a block has hardly a key
	steadyRate                   = 0.10 // if blocks are refreshed
	standardErrors               = 3.5  // of the simulation; one in 2000 differs by more
)

// full reports whether the tests have their long form, of larger tables and more of them.
func full() bool { return os.Getenv("BLOOMLANE_STEADY") == "full" }

// sized returns a table with at least the given numbers of blocks and, if it has few bits per key,
// of members.
func sized(t *testing.T, blockBits int, bitsPerKey float64) planning.Table {
	t.Helper()
	members := 60_000
	if full() {
		members = 300_000
	} else if testing.Short() {
		members = 10_000
	}
	blocks, err := planning.BlocksFor(blockBits, members, bitsPerKey)
	if err != nil {
		t.Fatal(err)
	}
	return planning.Table{BlockBits: blockBits, Blocks: blocks, Members: members}
}

// compare compares the predictions for a table with the measurements of its simulation.
func compare(t *testing.T, table planning.Table, times []float64, byRate, byDeletability float64) {
	t.Helper()
	nonMembers := 200_000
	if testing.Short() {
		nonMembers = 20_000
	}
	measured := simulate(simulation{Table: table, At: times,
		NonMembers: nonMembers, Seed: 7})
	for _, m := range measured {
		table.Turnovers = m.Turnovers
		p, err := table.Predict()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%g turnovers: rate %.4g, measured %.4g (%+.1f %%, a standard error is %.1f %%); "+
			"deletable %.4f, measured %.4f",
			m.Turnovers, p.Rate, m.Rate, 100*(p.Rate/m.Rate-1), 100*m.RateError/m.Rate,
			p.Deletability, m.Deletability)
		if off := math.Abs(p.Rate - m.Rate); off > byRate*m.Rate+standardErrors*m.RateError {
			t.Errorf("%g turnovers: rate %g, measured %g: %.1f %% off", m.Turnovers, p.Rate, m.Rate,
				100*off/m.Rate)
		}
		sampling := 0.5 / math.Sqrt(float64(table.Members)) * standardErrors
		if off := math.Abs(p.Deletability - m.Deletability); off > byDeletability+sampling {
			t.Errorf("%g turnovers: deletable %g, measured %g", m.Turnovers,
				p.Deletability, m.Deletability)
		}
		if off := math.Abs(p.Collided - m.Collided); off > byDeletability+sampling {
			t.Errorf("%g turnovers: %g of the regions collided, measured %g", m.Turnovers,
				p.Collided, m.Collided)
		}
		// The measured rate is exact for the bits of the table. A sample of non-members agrees with
		// it.
		expected := m.Rate * float64(nonMembers)
		if off := math.Abs(float64(m.Found) - expected); off > 4.5*math.Sqrt(expected)+3 {
			t.Errorf("%g turnovers: %d of %d non-members are found, %g expected", m.Turnovers,
				m.Found, nonMembers, expected)
		}
	}
}

func TestFreshTables(t *testing.T) {
	for _, blockBits := range []int{512, 256} {
		for _, bitsPerKey := range []float64{8, 10, 12, 16, 20, 24, 32} {
			t.Run(fmt.Sprintf("%d/%g", blockBits, bitsPerKey), func(t *testing.T) {
				compare(t, sized(t, blockBits, bitsPerKey), nil, freshRate, freshDeletability)
			})
		}
	}
}

func TestChurn(t *testing.T) {
	heavy, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	brief, err := planning.Mixture(0.9, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	all := []float64{8, 10, 12, 16, 20, 24, 32}
	for _, test := range []struct {
		lifetime   planning.Lifetime
		bitsPerKey []float64
	}{
		{planning.Oldest(), all}, {planning.Random(), all},
		{heavy, []float64{12, 24}}, {brief, []float64{16, 32}},
	} {
		for _, blockBits := range []int{512, 256} {
			for _, bitsPerKey := range test.bitsPerKey {
				if testing.Short() && bitsPerKey != 24 {
					continue
				}
				t.Run(fmt.Sprintf("%v/%d/%g", test.lifetime, blockBits, bitsPerKey),
					func(t *testing.T) {
						table := sized(t, blockBits, bitsPerKey)
						table.Members, table.Blocks = table.Members/4, table.Blocks/4
						table.Lifetime = test.lifetime
						table.Turnovers = 10
						compare(t, table, []float64{0.1, 0.5, 1, 2, 5}, churnRate,
							churnDeletability)
					})
			}
		}
	}
}

// The steady state of refreshed tables, in the range of HeldReinserts: a mean over eight moments.
// Between two of them all blocks were refreshed and about all members replaced.
func TestSteady(t *testing.T) {
	heavy, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	brief, err := planning.Mixture(0.9, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := planning.Observed([]float64{30, 1, 2, 100, 2})
	if err != nil {
		t.Fatal(err)
	}
	type size struct{ bitsPerKey, reinserts float64 }
	held := []size{
		{8, planning.HeldReinserts}, {8, 1}, {8, 4}, {16, planning.HeldReinserts}, {16, 1}, {16, 4},
		{32, planning.HeldReinserts}, {32, 1}, {planning.HeldBitsPerKey, planning.HeldReinserts},
		{planning.HeldBitsPerKey, 1},
		{128, planning.HeldReinsertsWide},
		{planning.HeldBitsPerKeyWide, planning.HeldReinsertsWide}, {planning.HeldBitsPerKeyWide, 2},
	}
	for _, life := range []planning.Lifetime{planning.Oldest(), planning.Random(), heavy,
		brief, seen} {
		for _, blockBits := range []int{512, 256} {
			for _, known := range held {
				if !full() && known != (size{16, 1}) && (testing.Short() || blockBits == 256 ||
					known != (size{32, planning.HeldReinserts})) {
					continue
				}
				name := fmt.Sprintf("%v/%d/%g/%g",
					life, blockBits, known.bitsPerKey, known.reinserts)
				t.Run(name,
					func(t *testing.T) {
						table := sized(t, blockBits, known.bitsPerKey)
						if !testing.Short() {
							table.Members, table.Blocks = table.Members/4, table.Blocks/4
						}
						table.Lifetime, table.Reinserts = life, known.reinserts
						table = table.Steady()
						compareSteady(t, table)
					})
			}
		}
	}
}

func compareSteady(t *testing.T, table planning.Table) {
	t.Helper()
	p, err := table.Predict()
	if err != nil {
		t.Fatal(err)
	}
	const times = 8
	first, apart := table.Turnovers, max(1, table.Turnovers)
	var turnovers []float64
	for i := range times - 1 {
		turnovers = append(turnovers, first+apart*float64(i))
	}
	table.Turnovers = first + apart*(times-1)
	if later, err := table.Predict(); err != nil || math.Abs(later.Rate/p.Rate-1) > 1e-9 {
		t.Errorf("rate %g later (%v), want that of the steady state, %g", later.Rate, err, p.Rate)
	}
	measured := simulate(simulation{Table: table, At: turnovers, Seed: 7})
	var mean measurement
	for _, m := range measured {
		mean.Rate += m.Rate / times
		mean.RateError += m.RateError / times / math.Sqrt(times)
		mean.Deletability += m.Deletability / times
		mean.Collided += m.Collided / times
	}
	t.Logf("rate %.4g, measured %.4g (%+.1f %%, a standard error is %.1f %%); deletable %.4f, "+
		"measured %.4f; collided %.4f, measured %.4f",
		p.Rate, mean.Rate, 100*(p.Rate/mean.Rate-1), 100*mean.RateError/mean.Rate, p.Deletability,
		mean.Deletability, p.Collided, mean.Collided)
	if p.Extrapolated {
		t.Errorf("%+v is outside the range that this test holds", table)
	}
	if off := math.Abs(p.Rate - mean.Rate); off >
		steadyRate*mean.Rate+standardErrors*mean.RateError {
		t.Errorf("rate %g, measured %g: %.1f %% off", p.Rate, mean.Rate, 100*off/mean.Rate)
	}
	if math.Abs(p.Deletability-mean.Deletability) > churnDeletability ||
		math.Abs(p.Collided-mean.Collided) > churnDeletability {
		t.Errorf("deletable %g and collided %g, measured %g and %g", p.Deletability, p.Collided,
			mean.Deletability, mean.Collided)
	}
}

// Before the steady state, a part of the blocks has been refreshed.
func TestOnTheWayToSteady(t *testing.T) {
	table := sized(t, 512, 16)
	table.Reinserts = 0.5
	table = table.Steady()
	compare(t, table, []float64{0.4, 1, 1.6}, steadyRate, churnDeletability)
}

// A hundred turnovers, with enough bits per key that the rate is still below 1.
func TestLongChurn(t *testing.T) {
	table := sized(t, 512, 64)
	table.Members, table.Blocks = table.Members/8, table.Blocks/8
	table.Turnovers = 100
	compare(t, table, []float64{20, 50}, churnRate, churnDeletability)
}

// Most members leave at once and the rest stay for long, so the number of turnovers does not say
// how full the table is.
func TestBriefVisitors(t *testing.T) {
	life, err := planning.Mixture(0.9999, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	table := sized(t, 512, 24)
	table.Members, table.Blocks = table.Members/4, table.Blocks/4
	table.Lifetime = life
	table.Turnovers = 100
	compare(t, table, []float64{1, 10}, churnRate, churnDeletability)
}

// Few keys per block, in the range of HeldBitsPerKey.
func TestFewKeysABlock(t *testing.T) {
	for _, test := range []struct {
		blockBits int
		off       float64
	}{{512, 0.05}, {256, 0.07}} {
		table := sized(t, test.blockBits, planning.HeldBitsPerKey)
		table.Turnovers = 2
		compare(t, table, []float64{1}, test.off, churnDeletability)
	}
}

// Rates far below what can be sampled, in the range of HeldBitsPerKeyWide: a block has one or two
// keys.
func TestLowRates(t *testing.T) {
	heavy, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, blockBits := range []int{512, 256} {
		for _, life := range []planning.Lifetime{planning.Oldest(), planning.Random(), heavy} {
			for _, bitsPerKey := range []float64{128, planning.HeldBitsPerKeyWide} {
				if testing.Short() && bitsPerKey != 128 {
					continue
				}
				t.Run(fmt.Sprintf("%v/%d/%g", life, blockBits, bitsPerKey), func(t *testing.T) {
					table := sized(t, blockBits, bitsPerKey)
					table.Members, table.Blocks = table.Members/3, table.Blocks/3
					table.Lifetime = life
					table.Turnovers = planning.HeldTurnoversWide
					compare(t, table, []float64{1, 4}, lowRate, churnDeletability)
				})
			}
		}
	}
}

// Of many small tables with turnovers, about one of 100 has a rate above Rate99. Rate99 is not much
// larger than needed: it is near the 99th percentile of the simulated rates.
func TestRate99(t *testing.T) {
	const most = 0.025
	for _, test := range []struct {
		blockBits, members int
		bitsPerKey         float64
		turnovers          float64
		lifetime           planning.Lifetime
		reinserts          float64
	}{
		{512, 100, 16, 0, planning.Oldest(), 0}, {256, 1000, 32, 0, planning.Oldest(), 0},
		{512, 100, 128, 4, planning.Oldest(), 0}, {512, 100, 24, 2, planning.Oldest(), 0},
		{256, 100, 48, 8, planning.Random(), 0},
		{512, 1000, 16, 2, planning.Oldest(), 0}, {512, 1000, 48, 2, planning.Random(), 0},
		{512, 1000, 16, 2, planning.Oldest(), 1}, {512, 100, 24, 4, planning.Random(), 0.5},
		{256, 1000, 16, 3, planning.Oldest(), 0.5},
	} {
		if testing.Short() && test.members == 1000 {
			continue
		}
		further := 1.4
		if test.reinserts > 0 && test.members == 100 { // five blocks have too few different ages
			further = 1.7
		}
		const tables = 300
		blocks, err := planning.BlocksFor(test.blockBits, test.members, test.bitsPerKey)
		if err != nil {
			t.Fatal(err)
		}
		table := planning.Table{
			BlockBits: test.blockBits, Blocks: blocks, Members: test.members,
			Turnovers: test.turnovers, Lifetime: test.lifetime, Reinserts: test.reinserts,
		}
		p, err := table.Predict()
		if err != nil {
			t.Fatal(err)
		}
		rates := make([]float64, tables)
		above := 0
		for seed := range rates {
			measured := simulate(simulation{Table: table, Seed: uint64(seed)})
			if rates[seed] = measured[0].Rate; rates[seed] > p.Rate99 {
				above++
			}
		}
		slices.Sort(rates)
		one := rates[tables-tables/100]
		t.Logf("%+v: %.2f %% above Rate99, which is %.3f of the rate that 1 %% are above, and "+
			"%.2f of the mean",
			table, 100*float64(above)/float64(tables), p.Rate99/one, p.Rate99/p.Rate)
		if float64(above) > most*float64(tables) || p.Rate99-p.Rate > further*(one-p.Rate) {
			t.Errorf("%+v: %d of %d are above %g, and 1 %% above %g", table, above, tables,
				p.Rate99, one)
		}
	}
}

// Tables of few blocks, over many hash keys. The load of a block is then far from a Poisson
// variable, and that of a single block is constant, so the dependence between its columns shows.
func TestFewBlocks(t *testing.T) {
	for _, blocks := range []int{1, 2, 5} {
		for _, turnovers := range []float64{0, 1, 3} {
			table := planning.Table{Blocks: blocks, Members: 32 * blocks, Turnovers: turnovers}
			p, err := table.Predict()
			if err != nil {
				t.Fatal(err)
			}
			tables := 1500
			if testing.Short() {
				tables = 150
			}
			rate, squares, deletable := 0.0, 0.0, 0.0
			for seed := range tables {
				measured := simulate(simulation{Table: table, Seed: uint64(seed)})
				m := measured[len(measured)-1]
				rate += m.Rate / float64(tables)
				squares += m.Rate * m.Rate / float64(tables)
				deletable += m.Deletability / float64(tables)
			}
			deviation := math.Sqrt((squares - rate*rate) / float64(tables))
			t.Logf("%d blocks, %g turnovers: rate %.4g, measured %.4g (%.1f %%), deletable %.3f, "+
				"measured %.3f",
				blocks, turnovers, p.Rate, rate, 100*deviation/rate, p.Deletability, deletable)
			if math.Abs(p.Rate-rate) > 0.05*rate+standardErrors*deviation ||
				math.Abs(p.Deletability-deletable) > 0.04 {
				t.Errorf("%d blocks, %g turnovers: %+v, measured rate %g, deletable %g", blocks,
					turnovers, p, rate, deletable)
			}
		}
	}
}

// Tables of HeldMembers, as means over hash keys, and tables of HeldBlocks that are refreshed. With
// fewer blocks the rate of a refreshed table depends on the time since the last refresh, and the
// prediction is the mean over that.
func TestSmallTables(t *testing.T) {
	const phases = 5
	for _, test := range []struct {
		members, blocks      int
		turnovers, reinserts float64
		phases               int
		off                  float64
	}{
		{planning.HeldMembers, 5, 1, 0, 0, 0.05}, {planning.HeldMembers, 19, 1, 0, 0, 0.05},
		{planning.HeldMembers, 38, 8, 0, 0, 0.05},
		{planning.HeldMembers, planning.HeldBlocks, 0, 0.5, 0, 0.10},
		{planning.HeldMembers, 8, 0, 0.25, phases, 0.05},
		{planning.HeldMembers, 8, 0, 1, phases, 0.05},
		{planning.HeldMembers, 2, 0, 1, phases, 0.05},
	} {
		for _, life := range []planning.Lifetime{planning.Oldest(), planning.Random()} {
			table := planning.Table{Blocks: test.blocks, Members: test.members, Lifetime: life,
				Turnovers: test.turnovers, Reinserts: test.reinserts}
			if test.reinserts > 0 {
				table = table.Steady()
			}
			p, err := table.Predict()
			if err != nil {
				t.Fatal(err)
			}
			if p.Extrapolated != (test.phases > 0) {
				t.Errorf("%+v: extrapolated %v", table, p.Extrapolated)
			}
			var turnovers []float64
			round := table.Turnovers
			for i := range test.phases { // between two refreshes
				phase := (float64(i) + 0.5) / phases / float64(test.blocks)
				table.Turnovers = round * (1 + phase)
				turnovers = append(turnovers, table.Turnovers)
			}
			tables := 100
			if testing.Short() {
				tables = 50
			}
			mean, squares := 0.0, 0.0
			for seed := range tables {
				measured := simulate(simulation{Table: table,
					At: turnovers[:max(0, len(turnovers)-1)], Seed: uint64(seed)})
				rate := 0.0
				for _, m := range measured {
					rate += m.Rate / float64(len(measured))
				}
				mean += rate / float64(tables)
				squares += rate * rate / float64(tables)
			}
			deviation := math.Sqrt((squares - mean*mean) / float64(tables))
			t.Logf("%+v: rate %.4g, measured %.4g ± %.2g", table, p.Rate, mean, deviation)
			if math.Abs(p.Rate-mean) > test.off*mean+standardErrors*deviation {
				t.Errorf("%+v: rate %g, measured %g ± %g", table, p.Rate, mean, deviation)
			}
		}
	}
}
