package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/vectors"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/spf13/cobra"
)

func newVectorsCommand() *cobra.Command {
	vectors := &cobra.Command{
		Use:   "vectors",
		Short: "Make and check test vectors of the block operations",
		Long: `Make and check test vectors of the block operations.

A vector file is a run of mixed operations in JSON lines. Each line has an operation, its result
and the block after it, so that an implementation in any language can be compared.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	vectors.AddCommand(newVectorsMakeCommand(), command.NewVectorsCheck(vectorTargets, "all", "",
		"an implementation by name, or all that this CPU runs",
		`  bloomlane vectors check vectors256.jsonl vectors512.jsonl
  bloomlane vectors check --impl purego vectors512.jsonl`))
	return vectors
}

// madeRun is the result of vectors make for one file.
type madeRun struct {
	File    command.Path  `json:"file"`
	Bits    int           `json:"block_bits"`
	Records int           `json:"records"`
	Results vectors.Tally `json:"results"`
}

func (r madeRun) String() string {
	return fmt.Sprintf("%s: %d records\n", legible.Escape(string(r.File)), r.Records)
}

func newVectorsMakeCommand() *cobra.Command {
	var folder string
	var c vectors.Config
	cmd := &cobra.Command{
		Use:   "make",
		Short: "Write a run of mixed operations for each size of block",
		Long: `Write a run of mixed operations for each size of block.

The files are vectors256.jsonl and vectors512.jsonl in a folder. The same flags write the same
bytes.

` + command.ExitHelp,
		Example: `  bloomlane vectors make --records 1000 --folder /tmp`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.Records < 1 {
				return fmt.Errorf("--records is %d, expected at least 1", c.Records)
			}
			if c.NBlocks < 1 || c.NBlocks > vectors.MaxBlocks {
				return fmt.Errorf("--blocks is %d, expected 1 to %d", c.NBlocks, vectors.MaxBlocks)
			}
			sizes := []int{256, 512}
			if cmd.Flags().Changed("block-bits") {
				if err := command.CheckBlockBits(c.BlockBits); err != nil {
					return err
				}
				sizes = []int{c.BlockBits}
			}
			path := func(bits int) string {
				return filepath.Join(folder, fmt.Sprintf("vectors%d.jsonl", bits))
			}
			if len(sizes) > 1 && command.SameTarget(path(sizes[0]), path(sizes[1])) {
				return fmt.Errorf("%s and %s are one file, expected two", path(sizes[0]),
					path(sizes[1]))
			}
			var made command.VectorRuns[madeRun]
			for _, c.BlockBits = range sizes {
				name := path(c.BlockBits)
				run := madeRun{File: command.Path(name), Bits: c.BlockBits, Records: c.Records}
				err := atomicfile.Write(name, 0o644, func(w io.Writer) (err error) {
					run.Results, err = vectors.Make(w, c)
					return err
				})
				if err != nil {
					return err
				}
				made.Runs = append(made.Runs, run)
			}
			return command.PrintResult(cmd, cmd.OutOrStdout(), made)
		},
	}
	cmd.Flags().StringVarP(&folder, "folder", "o", ".", "folder that the files are written to")
	cmd.Flags().IntVar(&c.BlockBits, "block-bits", 0,
		"blocks of 256 or 512 bits only (default both)")
	command.CountVar(cmd.Flags(), &c.Records, "records", "n", 10_000, "operations of a run")
	command.CountVar(cmd.Flags(), &c.NBlocks, "blocks", "", 250, "blocks of the table")
	cmd.Flags().Uint64Var(&c.Seed, "seed", 1, "seed of the random choices")
	return cmd
}

// vectorTargets returns the targets that --impl names.
func vectorTargets(_ context.Context, name string) ([]vectors.Target, func() error, error) {
	var targets []vectors.Target
	names := []string{"all"}
	for _, im := range kernel.Implementations() {
		names = append(names, im.String())
		if name == "all" || name == im.String() {
			targets = append(targets, vectors.Targets(im)...)
		}
	}
	if len(targets) == 0 {
		return nil, nil, fmt.Errorf("--impl is %q, expected one of %s", name,
			strings.Join(names, ", "))
	}
	return targets, func() error { return nil }, nil
}
