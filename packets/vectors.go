package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/kernel/vectors"
	"github.com/bloomlane/bloomlane/report/command"
)

func newVectorsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Check test vectors of the block operations with the Verilog",
		Long: `Check test vectors of the block operations with the Verilog.

bloomlane vectors make writes such vectors, and bloomlane vectors check does the same with the
implementations of this CPU.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(command.NewVectorsCheck(vectorTargets, rtl, `
The Verilog performs the runs, simulated by Verilator, which must be installed. Its models are built
at the first use, which takes a minute, and are kept in the cache folder.`, "the implementation: rtl",
		`  packets vectors check --impl rtl vectors256.jsonl vectors512.jsonl`))
	return cmd
}

// rtl is the name of the Verilog.
const rtl = "rtl"

// vectorTargets returns the Verilog.
func vectorTargets(ctx context.Context, name string) ([]vectors.Target, func() error, error) {
	if name != rtl {
		return nil, nil, fmt.Errorf("--impl is %q, expected %s", name, rtl)
	}
	simulated, err := cosim.NewVectors(ctx)
	if err != nil {
		return nil, nil, err
	}
	return simulated.Targets(), simulated.Close, nil
}
