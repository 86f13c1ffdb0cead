package retouched_test

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/plain"
)

// A blocklist in a filter, and addresses that it must not hit.
func Example() {
	blocked, err := plain.New(plain.Config{Members: 1000, BitsPerKey: 8,
		Key: exampleKey})
	if err != nil {
		fmt.Println(err)
		return
	}
	var blocklist, never []string
	for i := range 1000 {
		blocklist = append(blocklist, fmt.Sprintf("10.0.%d.%d", i/256, i%256))
		never = append(never, fmt.Sprintf("192.0.%d.%d", i/256, i%256))
	}
	if _, err := blocked.InsertStringBatch(blocklist, nil); err != nil {
		fmt.Println(err)
		return
	}
	hashes := func(addresses []string) iter.Seq2[uint64, error] {
		return filter.Hashes(filter.Infallible(slices.Values(addresses)), blocked.HashString)
	}
	f, report, err := retouched.New(blocked, retouched.Config{
		Members: hashes(blocklist), Troublesome: hashes(never),
		Protected: hashes(blocklist[:100]),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(blocked.QueryStringBatch(never, nil), "hit before,",
		f.QueryStringBatch(never, nil), "now")
	fmt.Println(len(report.BoughtOff), "bought off,", len(report.Remaining), "remaining")
	fmt.Println(len(report.Lost), "blocked addresses pass")
	fmt.Println(f.QueryStringBatch(blocklist[:100], nil), "of the first hundred are blocked")
	// Output:
	// 31 hit before, 0 now
	// 31 bought off, 0 remaining
	// 28 blocked addresses pass
	// 100 of the first hundred are blocked
}

var exampleKey, _ = key.Parse("0100000000000000000000000000000000000000000000000000000000000000")
