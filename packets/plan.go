package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/packets/verify"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/plan"
)

// planOptions are the flags of plan.
type planOptions struct {
	plan.Flags
	picture string // file

	verify  bool
	members int
	seed    uint64
}

func newPlanCommand() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Predict the rates of a table, simulate it, and draw both",
		Long: `Predict the rates of a table, as bloomlane plan does, simulate it, and draw both.

` + plan.Help + `

With --verify tables of the same bits per key are simulated, and the difference is printed. With
--reinserts or --forever that is 100 turnovers of this table and of other filters of its size.

Exit codes: 0 done; 1 a prediction is off by more than its tolerance, or no table keeps the rate,
and the report is about the largest table; 2 bad usage.`,
		Example: `  packets plan --members 50000 --rate 0.001 --turnovers 2 --verify --plot plan.svg`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runPlan(cmd, &o) },
	}
	o.Register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.picture, "plot", "",
		"`file` to draw the predictions into, as SVG; \"-\": to stdout, and the report to stderr")
	flags.BoolVar(&o.verify, "verify", false, "simulate tables, and compare predictions")
	command.CountVar(flags, &o.members, "verify-members", "", 100_000,
		"most members of a simulated table, with --verify")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the simulations, with --verify")
	command.Group(cmd, "The simulation", "verify", "verify-members", "seed")
	return cmd
}

func runPlan(cmd *cobra.Command, o *planOptions) error {
	if o.members < 1 {
		return fmt.Errorf("--verify-members is %d, expected at least 1", o.members)
	}
	if err := command.Requires(cmd, "verify", "seed", "verify-members"); err != nil {
		return err
	}
	results, err := command.ResultsBeside(cmd, o.picture)
	if err != nil {
		return err
	}
	report, failure, err := o.Report(cmd)
	if err != nil {
		return err
	}
	if o.verify {
		bar := command.StartProgress(cmd, "simulating", int64(verify.Inserts(report, o.members)),
			"inserts")
		err := verify.Run(report, o.members, o.seed,
			func(inserts int) { bar.Set(int64(inserts)) })
		bar.Done()
		if err != nil {
			return err
		}
	}
	if o.picture != "" {
		err := command.WritePath(cmd, o.picture, 0o644,
			func(w io.Writer) error { return verify.Picture(w, report) })
		if err != nil {
			return err
		}
	}
	if v := report.Verified; failure == nil && v != nil && v.Off > 0 {
		failure = fmt.Errorf("%d of %d predictions are off", v.Off, v.Points)
	}
	return command.PrintReport(cmd, results, report, "", nil, failure)
}
