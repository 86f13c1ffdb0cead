package main

import (
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/plan"
)

func newPlanCommand() *cobra.Command {
	var f plan.Flags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Size a table for members that come and go, and predict its rates",
		Long: `Size a table for members that come and go, and predict its rates.

` + plan.Help + `

Exit codes: 0 done; 1 no table keeps the rate, and the report is about the largest table; 2 bad
usage.`,
		Example: `  bloomlane plan --members 1000000 --rate 0.01 --turnovers 5
  bloomlane plan --members 1000000 --rate 0.01 --forever
  bloomlane plan --members 1000000 --bytes 2000000 --turnovers 2 --lifetime random`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, failure, err := f.Report(cmd)
			if err != nil {
				return err
			}
			return command.PrintReport(cmd, cmd.OutOrStdout(), report, "", nil, failure)
		},
	}
	f.Register(cmd)
	return cmd
}
