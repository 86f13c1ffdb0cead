// Package denylist is no API: it compares deny lists in the kernel's packet path: the table of
// module xdp, the kernel's own maps, nftables and ipset.
//
// A packet's time is that of a program that parses it, asks the list and counts the verdict. The
// programs run one after the other over the same sources.
package denylist

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/report/progress"
	"github.com/bloomlane/bloomlane/studies/recording"
)

// config says what is compared.
type config struct {
	Members  []int `json:"members"` // of the lists
	Sources  int   `json:"sources"` // of packets, in random order
	Slice    int   `json:"slice"`   // packets of one program at a time
	Rounds   int   `json:"rounds"`
	Asked    int   `json:"asked"`    // non-members, each on its own, for a rate
	Live     int   `json:"live"`     // frames through a veth pair in a round
	Filtered int   `json:"filtered"` // members of the lists of the live frames
}

// standard takes minutes of a core, and quick seconds. Long adds ten million members, which take
// 6 GB and many minutes to load.
var (
	standard = config{
		Members: []int{10_000, 1_000_000}, Sources: 1_000_000, Slice: 250_000, Rounds: 3,
		Asked: 100_000, Live: 500_000, Filtered: 1_000_000,
	}
	quick = config{
		Members: []int{1000}, Sources: 2000, Slice: 2000, Rounds: 1, Asked: 2000, Live: 2000,
		Filtered: 1000,
	}
)

const longMembers = 10_000_000

// Command returns the command.
func Command() *cobra.Command {
	var long bool
	cmd := recording.Command(&cobra.Command{
		Use:   "denylist",
		Short: "Compare deny lists in the kernel's packet path",
		Long: `Compare deny lists in the kernel's packet path: the table of module xdp, the kernel's
BPF maps, and nftables and ipset where their commands are installed. It prints a page of Markdown,
takes some minutes, and needs root on Linux.

The page has, by members of the list: ns per packet, memory, the time to load, and the rate of false
positives; and the time of packets that pass a veth pair.`,
	}, new(found), func(cmd *cobra.Command, brief bool) (recording.Recording, error) {
		c := standard
		if brief {
			c = quick
		}
		if long {
			c.Members = append(c.Members[:len(c.Members):len(c.Members)], longMembers)
		}
		return c.run(cmd.ErrOrStderr())
	})
	cmd.Flags().BoolVar(&long, "long", false,
		"also measure ten million members: 6 GB of memory, and many minutes to load")
	return cmd
}

func (c *config) run(stderr io.Writer) (*found, error) {
	r := &found{Run: recording.Begin(nil), Config: *c}
	bar := progress.Start(stderr, "denylist",
		int64(len(families)*len(mixes)*c.Rounds*(len(c.Members)+1)), "")
	defer bar.Done()
	if err := r.measure(func() { bar.Add(1) }); err != nil {
		return nil, fmt.Errorf("denylist: %w", err)
	}
	return r, nil
}
