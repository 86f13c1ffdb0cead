package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/plan"
)

// sizingFlags are the flags that say how large a filter is to be.
type sizingFlags struct {
	members    int
	bitsPerKey float64
	rate       float64
	turnovers  float64
	reinserts  float64
	named      string // the lifetime, on the command line
	lifetime   planning.Lifetime
	byRate     bool
}

func (s *sizingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	command.CountVar(flags, &s.members, "members", "", 0,
		"members to plan for (default as many as there are keys)")
	flags.Float64Var(&s.bitsPerKey, "bits-per-key", 16, "bits per planned member")
	command.RateVar(flags, &s.rate, "rate", 0,
		"size by the false-positive rate, above 0 and below 1")
	flags.Float64Var(&s.turnovers, "turnovers", 0,
		"how often all members are replaced before the filter is rebuilt")
	flags.Float64Var(&s.reinserts, "reinserts", 0, command.ReinsertsUsage)
	flags.StringVar(&s.named, "lifetime", command.Oldest, plan.LifetimeUsage)
	cmd.MarkFlagsMutuallyExclusive("bits-per-key", "rate")
	cmd.MarkFlagsMutuallyExclusive("turnovers", "reinserts")
}

// groupSizing puts the flags of sizes together in the help.
func groupSizing(cmd *cobra.Command) {
	command.Group(cmd, "Its size", "members", "rate", "bits-per-key", "turnovers", "lifetime",
		"reinserts")
}

// check finds what is wrong with the flags by themselves.
func (s *sizingFlags) check(cmd *cobra.Command) (err error) {
	s.byRate = cmd.Flags().Changed("rate")
	switch {
	case s.members < 0:
		return fmt.Errorf("--members is %d, expected at least 0", s.members)
	case s.byRate && !(s.rate > 0 && s.rate < 1): // so written, NaN fails it too
		return fmt.Errorf("--rate is %g, expected a number above 0 and below 1", s.rate)
	case !(s.bitsPerKey > 0):
		return fmt.Errorf("--bits-per-key is %g, expected a number above 0", s.bitsPerKey)
	}
	for _, flag := range []string{"turnovers", "reinserts"} { // the default keeps no rate so long
		if !s.byRate && !cmd.Flags().Changed("bits-per-key") && cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is given, expected --rate or --bits-per-key with it", flag)
		}
	}
	s.lifetime, err = plan.ParseLifetime(s.named, cmd.InOrStdin())
	return err
}

// sizing returns the sizing of a filter of the members that there are, or that are planned for.
func (s *sizingFlags) sizing(members int, k key.Key) filter.Sizing {
	sizing := filter.Sizing{
		Members: max(1, members, s.members), Turnovers: s.turnovers, Lifetime: s.lifetime,
		Reinserts: s.reinserts, Key: k,
	}
	if s.byRate {
		sizing.Rate = s.rate
	} else {
		sizing.BitsPerKey = s.bitsPerKey
	}
	return sizing
}
