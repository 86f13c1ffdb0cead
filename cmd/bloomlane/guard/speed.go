package guard

import (
	"time"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Recorded is the number of look-ups of bad sequences, the first of a run, that an audit asks again to
// time the implementations.
const Recorded = 1 << 20

// speedRounds is how often they are asked: the least time counts, because other work on the machine
// can only add to it.
const speedRounds = 7

// KernelSpeed is how fast an implementation answers the look-ups of a run, hashing not included.
type KernelSpeed struct {
	Implementation   string  `json:"implementation"`
	LookupsPerSecond float64 `json:"lookups_per_second"`
}

// recorder is a set that keeps the first hashes that it is asked about. It stands before the exact sequences
// of an audit, under the key of the filter of sequences, where it takes no time from what is measured.
type recorder struct {
	filter.Deleter
	of     *deletable.Filter // the filter whose look-ups they are
	hashes []uint64
	limit  int
}

func (r *recorder) QueryHashBatch(hashes, present []uint64) int {
	r.hashes = append(r.hashes, hashes[:min(len(hashes), r.limit-len(r.hashes))]...)
	return r.Deleter.QueryHashBatch(hashes, present)
}

// speeds times the recorded look-ups on every implementation that this CPU runs.
func (r *recorder) speeds() []KernelSpeed {
	var all []KernelSpeed
	if len(r.hashes) == 0 {
		return all
	}
	table, hits := r.of.CloneTable(), make([]uint64, filter.Words(len(r.hashes)))
	for _, im := range dispatch.Implementations() {
		least := time.Duration(0)
		for round := range speedRounds {
			start := time.Now()
			im.QueryBatch512(dispatch.Lanes(table), r.hashes, hits)
			if took := time.Since(start); round == 0 || took < least {
				least = took
			}
		}
		// A clock that saw no time pass knows no speed.
		all = append(all, KernelSpeed{im.String(), float64(len(r.hashes)) / max(least, 1).Seconds()})
	}
	return all
}
