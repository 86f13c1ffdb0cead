package main

import (
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/kernels"
)

func newKernelsCommand() *cobra.Command {
	var speed bool
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "Print what the CPU has, and which implementation runs and why",
		Long: `Print what the CPU has, and which implementation of the block operations runs, and why.

The list has the implementations that this program can run on this CPU, the best first. There is
also to what memory the system gives huge pages, and how many functions of this program have the
machine code that is proved to be the definition: their bytes in memory are compared by digests.
A proof is "as of" its commit where the definition, the contract or the prover has changed since.
The environment variable ` + kernel.Variable + ` chooses an implementation by its name.

With --speed every implementation queries, deletes and inserts members in batches, in a table of
1 MiB and in one of 256 MiB, on one core. "memory" is no filter, but a loop in portable Go that only
reads one word of each key's block, or reads and writes it. All run in one process, in alternation,
and of each batch of 4,096 keys the least time of all rounds counts. This needs some seconds.

Exit codes: 0 done; 2 the variable names what this CPU cannot run.`,
		Example: `  bloomlane kernels
  bloomlane kernels --speed
  ` + kernel.Variable + `=purego bloomlane kernels`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := kernels.New()
			if speed {
				for _, shape := range kernels.Shapes {
					bar := command.StartProgress(cmd, "timing", int64(shape.Steps()), "")
					report.Speed = append(report.Speed,
						kernels.Measure(shape, func() { bar.Add(1) }))
					bar.Done()
				}
			}
			return command.PrintReport(cmd, cmd.OutOrStdout(), report, "", nil, nil)
		},
	}
	cmd.Flags().BoolVar(&speed, "speed", false, "time the implementations: some seconds, "+
		"300 MB of memory")
	return cmd
}
