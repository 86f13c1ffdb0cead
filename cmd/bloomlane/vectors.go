package main

import (
	"bytes"
	"errors"
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
	vectors.AddCommand(newVectorsMakeCommand(), newVectorsCheckCommand())
	return vectors
}

// vectorRuns is what make and check print.
type vectorRuns[T fmt.Stringer] struct {
	Runs []T `json:"runs"`
}

func (r vectorRuns[T]) String() (text string) {
	for _, run := range r.Runs {
		text += run.String()
	}
	return text
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
			var made vectorRuns[madeRun]
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

// checkedRun is the result of vectors check for one file and one target.
type checkedRun struct {
	File       command.Path `json:"file"`
	Target     string       `json:"target"`
	Records    int          `json:"records"`
	Agrees     bool         `json:"agrees"`
	Difference string       `json:"difference,omitempty"`
}

func (r checkedRun) String() string {
	name := legible.Escape(command.PathName(string(r.File)))
	if r.Agrees {
		return fmt.Sprintf("%s: %s agrees on %d records\n", name, r.Target, r.Records)
	}
	return fmt.Sprintf("%s: %s\n", name, r.Difference)
}

func newVectorsCheckCommand() *cobra.Command {
	var implementation string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Perform runs with an implementation and compare every result and block",
		Long: `Perform the runs of vector files with an implementation, and compare each result and block.

Each run is performed by single calls and by batches. FILE "-" is standard input.

Exit codes: 0 all agree; 1 one differs, and the first record and lane that differ are printed; 2 a
file is malformed, or has no record.`,
		Example: `  bloomlane vectors check vectors256.jsonl vectors512.jsonl
  bloomlane vectors check --impl purego vectors512.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			targets, err := vectorTargets(implementation)
			if err != nil {
				return err
			}
			var checked vectorRuns[checkedRun]
			var answer error
			for _, name := range files {
				file, err := command.OpenFile(cmd, name)
				if err != nil {
					return err
				}
				content, err := io.ReadAll(file) // which each target reads
				_ = file.Close()
				if err != nil {
					return fmt.Errorf("%s: %w", command.PathName(name), err)
				}
				for _, target := range targets {
					run, err := checkVectors(name, content, target)
					if err != nil {
						return err
					}
					checked.Runs = append(checked.Runs, run)
					if !run.Agrees {
						answer = fmt.Errorf("%w: %s differs from %s", command.ErrNo,
							target.Name(), name)
					}
				}
			}
			return errors.Join(command.PrintResult(cmd, cmd.OutOrStdout(), checked), answer)
		},
	}
	cmd.Flags().StringVar(&implementation, "impl", "all",
		"an implementation by name, or all that this CPU runs")
	return cmd
}

// checkVectors holds one target against a file's content. A difference is a result; anything else
// that is wrong is an error.
func checkVectors(name string, content []byte, target vectors.Target) (checkedRun, error) {
	n, err := vectors.Check(bytes.NewReader(content), target)
	run := checkedRun{File: command.Path(name), Target: target.Name(), Records: n, Agrees: err == nil}
	var difference *vectors.Difference
	switch {
	case errors.As(err, &difference):
		run.Difference, err = difference.Error(), nil
	case err == nil && n == 0:
		err = errors.New("found no record, expected at least one") // nothing that could agree
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", command.PathName(name), err)
	}
	return run, err
}

// vectorTargets returns the targets that --impl names.
func vectorTargets(name string) (targets []vectors.Target, err error) {
	names := []string{"all"}
	for _, im := range kernel.Implementations() {
		names = append(names, im.String())
		if name == "all" || name == im.String() {
			targets = append(targets, vectors.Targets(im)...)
		}
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("--impl is %q, expected one of %s", name, strings.Join(names, ", "))
	}
	return targets, nil
}
