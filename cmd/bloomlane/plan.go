package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/packets/verify"
	"github.com/bloomlane/bloomlane/report/plan"
)

// planOptions are the flags of plan.
type planOptions struct {
	plan     planning.Plan
	forever  bool
	lifetime string
	picture  string // file

	verify  bool
	members int
	seed    uint64
}

func newPlanCommand() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Size a table for members that come and go, and predict its rates",
		Long: `Size a table for members that come and go, and predict its rates.

The predictions are the false-positive rate, and the part of the members whose delete can make
them invisible. No delete clears a collision bit, so both get worse with every insert. A turnover
is as many inserts as there are members at a time.

With --rate the table is the smallest that keeps the rate to the end of the turnovers. With --bytes
it is the largest that fits. With both it is the smallest that keeps the rate, if it fits.

A rate is a mean over hash keys. Beside it is the rate that about 99 of 100 tables stay below.
EXTRAPOLATED marks predictions outside the range in which tests compare them with simulations.

With --reinserts members come and go without end, and the rate stays. Blocks are refreshed in turn:
the owner lists the members in an interval of hashes, and --reinserts of them are inserted again
per insert. --forever means one per insert; with --rate and --bytes it means the fewest that keep
the rate.

The lines "cheaper" name kinds of filters that need fewer bits for the rate, and their costs.

The lifetime of the members:
  oldest               A new member replaces the oldest one.
  random               A new member replaces a random one.
  pareto:SHAPE         It has a heavy tail. SHAPE is above 1; the nearer to 1, the heavier.
  mixture:PART:RATIO   PART of all new members live RATIO times as long as the others.
  @FILE                It is as in FILE: one lifetime per line, in any unit of time.

With --verify tables of the same bits per key are simulated beside the predictions. With --reinserts
or --forever the simulation is 100 turnovers of this table, of one without refreshes, and of other
kinds of filters of the same size.

Exit codes: 0 done; 1 a prediction is off by more than its tolerance, or no table keeps the rate,
and the report is about the largest table; 2 bad usage.`,
		Example: `  bloomlane plan --members 1000000 --rate 0.01 --turnovers 5
  bloomlane plan --members 1000000 --rate 0.01 --forever
  bloomlane plan --members 1000000 --bytes 2000000 --turnovers 2 --lifetime random
  bloomlane plan --members 50000 --rate 0.001 --turnovers 2 --verify --plot plan.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPlan(cmd, &o) },
	}
	flags := cmd.Flags()
	countVar(flags, &o.plan.Members, "members", "", 0, "members at a time")
	rateVar(flags, &o.plan.Rate, "rate", 0,
		"false-positive rate to keep until the end of the turnovers")
	countVar(flags, &o.plan.Bytes, "bytes", "", 0, "maximum size of the table, in bytes")
	flags.Float64Var(&o.plan.Turnovers, "turnovers", 0,
		"turnovers of the members until the table is rebuilt")
	flags.Float64Var(&o.plan.Reinserts, "reinserts", 0, reinsertsUsage)
	flags.BoolVar(&o.forever, "forever", false,
		"as --reinserts 1; with --rate and --bytes the fewest that keep the rate")
	flags.StringVar(&o.lifetime, "lifetime", oldest, workload.LifetimeUsage)
	flags.IntVar(&o.plan.BlockBits, "block-bits", 512, "bits of a block: 256 or 512")
	flags.StringVar(&o.picture, "plot", "",
		"`file` to draw the predictions into, as SVG; \"-\": to stdout, and the report to stderr")
	flags.BoolVar(&o.verify, "verify", false, "simulate tables beside the predictions")
	countVar(flags, &o.members, "verify-members", "", 100_000,
		"most members of a simulated table, with --verify")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the simulations, with --verify")
	_ = cmd.MarkFlagRequired("members")
	cmd.MarkFlagsOneRequired("rate", "bytes")
	cmd.MarkFlagsMutuallyExclusive("turnovers", "reinserts", "forever")
	return cmd
}

func runPlan(cmd *cobra.Command, o *planOptions) error {
	if err := o.complete(cmd); err != nil {
		return err
	}
	results, err := resultsBeside(cmd, o.picture)
	if err != nil {
		return err
	}
	if o.forever {
		if err := plan.SetReinserts(&o.plan); err != nil {
			return err
		}
	}
	planned, err := o.plan.Solve()
	var none *planning.RateError
	if errors.As(err, &none) {
		planned = none.Best // to be reported, before the answer is no
	} else if err != nil {
		return err
	}
	report, err := plan.New(&o.plan, planned)
	if err != nil {
		return err
	}
	if o.verify {
		bar := startProgress(cmd, "simulating", int64(verify.Inserts(report, o.members)), "inserts")
		err := verify.Run(report, o.members, o.seed, func(inserts int) { bar.Set(int64(inserts)) })
		bar.Done()
		if err != nil {
			return err
		}
	}
	if o.picture != "" {
		if err := writePath(cmd, o.picture, 0o644,
			func(w io.Writer) error { return verify.Picture(w, report) }); err != nil {
			return err
		}
	}
	var failure error
	if none != nil {
		failure = none
	} else if v := report.Verified; v != nil && v.Off > 0 {
		failure = fmt.Errorf("%d of %d predictions are off", v.Off, v.Points)
	}
	return printReport(cmd, results, report, "", nil, failure)
}

// complete checks and adds what the flags say of the plan in words.
func (o *planOptions) complete(cmd *cobra.Command) (err error) {
	if err := checkBlockBits(o.plan.BlockBits); err != nil {
		return err
	}
	if o.members < 1 {
		return fmt.Errorf("--verify-members is %d, expected at least 1", o.members)
	}
	if err := requires(cmd, "verify", "seed", "verify-members"); err != nil {
		return err
	}
	if cmd.Flags().Changed("reinserts") && o.plan.Reinserts == 0 {
		return fmt.Errorf("--reinserts is 0, expected %g to %d", planning.MinReinserts,
			planning.MaxReinserts)
	}
	o.plan.Lifetime, err = workload.ParseLifetime(o.lifetime, cmd.InOrStdin())
	return err
}

// lifetimeInput is the file of a lifetime, if it has one.
func lifetimeInput(text string) input {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return input{}
	}
	return input{"the lifetimes (--lifetime)", file}
}
