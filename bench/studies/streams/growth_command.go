package streams

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/report/progress"
)

// standardGrowth takes minutes of a core, and quickGrowth less than a second.
var (
	standardGrowth = growthConfig{
		Least: 1000, Most: 10_000_000, Rate: 0.01, Rounds: 5, NonMembers: 1 << 17,
		Series: 100_000, Patience: 60,
	}
	quickGrowth = growthConfig{Least: 1000, Most: 100_000, Rate: 0.01, Rounds: 2,
		NonMembers: 1 << 17, Series: 10_000, Patience: 60}
)

// Growth returns the command that compares filters that grow.
func Growth() *cobra.Command {
	return recording.Command(&cobra.Command{
		Use:   "growth",
		Short: "Compare filters while their members become many, and few again",
		Long: `Compare filters, of this project and of other Go libraries, while their members grow
from 1000 to ten million and back. It prints a page of Markdown, and takes some minutes and 2 GB of
memory.

The page has, for each filter and decade: the time of an insert, a delete and a query, the longest
call, the bytes per member with what its owner keeps, and the rate of false positives.`,
	}, new(grown), standardGrowth, quickGrowth, (*growthConfig).run)
}

func (c *growthConfig) run(stderr io.Writer) (*grown, error) {
	r := &grown{Run: recording.Begin([]peer.Peer{library.Scalable()}), Config: *c}
	bar := progress.Start(stderr, "growth", int64(c.Rounds*len(c.sizes())), "")
	defer bar.Done()
	if err := r.measure(func() { bar.Add(1) }); err != nil {
		return nil, err
	}
	return r, nil
}
