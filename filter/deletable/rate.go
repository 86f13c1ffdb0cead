package deletable

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/planning"
)

const (
	laneBits  = blockBits / fallback.Lanes
	blockBits = 512
	dataLanes = fallback.K // the lanes that hold data, and the bits that a key owns
)

// ExpectedRate returns the expected false-positive rate of a filter of nblocks blocks after a
// number of inserts of different keys, and no deletes: a mean over hash keys, which single filters
// lie around ([planning.Prediction.Rate99]). It panics where nblocks is below 1 or inserts is below
// 0.
//
// It is higher than the textbook formula for one big bit array, equation 2 of the letter: see
// [planning.FreshRate], which derives it. Package planning also predicts the rate of filters whose
// members come and go.
func ExpectedRate(inserts, nblocks int) float64 {
	if inserts < 0 || nblocks < 1 {
		panic(fmt.Sprintf("deletable: the expected rate of %d inserts into %d blocks",
			inserts, nblocks))
	}
	return planning.FreshRate(blockBits, inserts, nblocks)
}
