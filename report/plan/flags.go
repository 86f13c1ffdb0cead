package plan

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/report/command"
)

// Help says what the flags of a plan mean.
const Help = `A turnover is as many inserts as there are members at a time. The predictions are the false-positive
rate, and the part of the members whose delete can make them invisible. Both get worse with every
insert: a collision bit records where two keys share bits, and no delete clears it.

With --rate the table is the smallest that keeps the rate to the end of the turnovers. With --bytes
it is the largest that fits. With both it is the smallest that keeps the rate, if it fits.
A rate is a mean over hash keys. Next to it is the rate that about 99 of 100 tables stay below.
EXTRAPOLATED marks predictions outside the range in which tests compare them with simulations.

With --reinserts members come and go without end, and the rate stays. Blocks are refreshed in turn:
the owner lists the members in an interval of hashes, and --reinserts of them are inserted again per
insert. The lines "cheaper" name kinds of filters that need fewer bits, and their costs.

The lifetime of the members:
  oldest               A new member replaces the oldest one.
  random               A new member replaces a random one.
  pareto:SHAPE         It has a heavy tail. SHAPE is above 1; the nearer to 1, the heavier.
  mixture:PART:RATIO   PART of all new members live RATIO times as long as the others.
  @FILE                It is as in FILE: one lifetime per line, in any unit of time.`

// Flags are those that say what to plan.
type Flags struct {
	plan     planning.Plan
	forever  bool
	lifetime string
}

// Register adds the flags to a command.
func (f *Flags) Register(cmd *cobra.Command) {
	flags := cmd.Flags()
	command.CountVar(flags, &f.plan.Members, "members", "", 0, "members at a time")
	command.RateVar(flags, &f.plan.Rate, "rate", 0,
		"false-positive rate to keep until the end of the turnovers")
	command.CountVar(flags, &f.plan.Bytes, "bytes", "", 0, "maximum size of the table, in bytes")
	flags.Float64Var(&f.plan.Turnovers, "turnovers", 0,
		"how often all members are replaced before the table is rebuilt")
	flags.Float64Var(&f.plan.Reinserts, "reinserts", 0, command.ReinsertsUsage)
	flags.BoolVar(&f.forever, "forever", false,
		"as --reinserts 1; with --rate and --bytes the fewest that keep the rate")
	flags.StringVar(&f.lifetime, "lifetime", command.Oldest, LifetimeUsage)
	flags.IntVar(&f.plan.BlockBits, "block-bits", 512, "bits of a block: 256 or 512")
	_ = cmd.MarkFlagRequired("members")
	cmd.MarkFlagsOneRequired("rate", "bytes")
	cmd.MarkFlagsMutuallyExclusive("turnovers", "reinserts", "forever")
	command.Group(cmd, "The members", "members", "lifetime", "turnovers", "reinserts", "forever")
	command.Group(cmd, "The table", "rate", "bytes", "block-bits")
}

// Report solves the plan. Where no table keeps the rate, the report is of the largest one, and
// there is a failure too.
func (f *Flags) Report(cmd *cobra.Command) (r *Report, failure, err error) {
	if err := command.CheckBlockBits(f.plan.BlockBits); err != nil {
		return nil, nil, err
	}
	if cmd.Flags().Changed("reinserts") && f.plan.Reinserts == 0 {
		return nil, nil, fmt.Errorf("--reinserts is 0, expected %g to %d", planning.MinReinserts,
			planning.MaxReinserts)
	}
	f.plan.Lifetime, err = ParseLifetime(f.lifetime, cmd.InOrStdin())
	if err != nil {
		return nil, nil, err
	}
	if f.forever {
		if err := SetReinserts(&f.plan); err != nil {
			return nil, nil, err
		}
	}
	planned, err := f.plan.Solve()
	var none *planning.RateError
	if errors.As(err, &none) {
		planned, failure = none.Best, none // to be reported, before the answer is no
	} else if err != nil {
		return nil, nil, err
	}
	r, err = New(&f.plan, planned)
	return r, failure, err
}
