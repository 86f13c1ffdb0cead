package planning_test

import (
	"fmt"
	"log"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// A million members have 16 bits per key, and each new one replaces the oldest.
func ExampleTable_Predict() {
	blocks, err := planning.BlocksFor(512, 1_000_000, 16)
	if err != nil {
		log.Fatal(err)
	}
	for _, turnovers := range []float64{0, 1, 5} {
		table := planning.Table{Blocks: blocks, Members: 1_000_000, Turnovers: turnovers}
		p, err := table.Predict()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%g turnovers: %.2g false positives, %.0f %% deletable\n", turnovers, p.Rate,
			100*p.Deletability)
	}
	// Output:
	// 0 turnovers: 0.0021 false positives, 92 % deletable
	// 1 turnovers: 0.023 false positives, 52 % deletable
	// 5 turnovers: 0.61 false positives, 1 % deletable
}

// A million members come and go without an end, and the false-positive rate must stay below 1 %.
// For each new member one member is inserted again, into a block that is refreshed.
func ExamplePlan_reinserts() {
	plan := planning.Plan{Members: 1_000_000, Rate: 0.01, Reinserts: 1}
	planned, err := plan.Solve()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f bits per key, %.0f %% deletable\n", planned.Table.BitsPerKey(),
		100*planned.End.Deletability)

	small := planned.Table
	small.Blocks = small.Blocks * 3 / 4
	r, err := small.LeastReinserts(0.01)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f bits per key with %.1f re-inserts per insert\n", small.BitsPerKey(), r)
	// Output:
	// 15.7 bits per key, 70 % deletable
	// 11.8 bits per key with 11.9 re-inserts per insert
}

// A million members come and go for five turnovers, and the false-positive rate must stay below 1
// %.
func ExamplePlan() {
	plan := planning.Plan{Members: 1_000_000, Rate: 0.01, Turnovers: 5}
	planned, err := plan.Solve()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f bits per key\n", planned.Table.BitsPerKey())
	fmt.Printf("start: %.1g false positives, %.1f %% deletable\n", planned.Start.Rate,
		100*planned.Start.Deletability)
	fmt.Printf("end: %.1g false positives, %.1f %% deletable\n", planned.End.Rate,
		100*planned.End.Deletability)
	// Output:
	// 38.9 bits per key
	// start: 2e-05 false positives, 99.9 % deletable
	// end: 0.01 false positives, 78.6 % deletable
}
