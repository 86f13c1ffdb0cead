package deletable

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/planning"
)

const (
	laneBits  = blockBits / fallback.Lanes
	blockBits = 512
	dataLanes = fallback.K // the number of data lanes, and of bits per key
)

// ExpectedRate returns the expected false-positive rate of a filter of nblocks blocks after the
// given number of inserts of different keys and no deletes. It is a mean over hash keys: see
// [planning.Prediction.Rate99] for single filters. It panics if nblocks is below 1 or inserts is
// below 0.
//
// The rate is higher than that of a Bloom filter without blocks, because some blocks have more keys
// than others: docs/theory/kernel.md has the formula. Package planning also predicts rates of
// filters whose members come and go.
func ExpectedRate(inserts, nblocks int) float64 {
	if inserts < 0 || nblocks < 1 {
		panic(fmt.Sprintf("deletable: ExpectedRate: %d inserts into %d blocks",
			inserts, nblocks))
	}
	return planning.FreshRate(blockBits, inserts, nblocks)
}
