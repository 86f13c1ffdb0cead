package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/kernel/vectors"
	"github.com/spf13/cobra"
)

func newVectorsCommand() *cobra.Command {
	vectors := &cobra.Command{
		Use:   "vectors",
		Short: "Make and check test vectors of the block operations",
		Long: `Make and check test vectors: runs of mixed operations in JSON lines, each with its
result and the block that it leaves, to which any implementation can be held.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	vectors.AddCommand(newVectorsMakeCommand(), newVectorsCheckCommand())
	return vectors
}

// madeRun is the result of vectors make for one file.
type madeRun struct {
	File    string        `json:"file"`
	Width   int           `json:"width"`
	Records int           `json:"records"`
	Results vectors.Tally `json:"results"`
}

func newVectorsMakeCommand() *cobra.Command {
	var (
		folder           string
		width            int
		records, nblocks int
		seed             uint64
	)
	cmd := &cobra.Command{
		Use:   "make",
		Short: "Write a run of mixed operations for each block width",
		Long: `Write a run of mixed operations for each block width: the files vectors256.jsonl and
vectors512.jsonl in a folder. The same flags write the same bytes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if records < 1 {
				return fmt.Errorf("--records is %d, expected at least 1", records)
			}
			widths := []int{256, 512}
			if width != 0 {
				if !slices.Contains(widths, width) {
					return fmt.Errorf("--width is %d, want 256 or 512", width)
				}
				widths = []int{width}
			}
			var made []madeRun
			for _, width := range widths {
				run := madeRun{
					File:    filepath.Join(folder, fmt.Sprintf("vectors%d.jsonl", width)),
					Width:   width,
					Records: records,
				}
				err := atomicfile.Write(run.File, 0o644, func(w io.Writer) (err error) {
					run.Results, err = vectors.Make(w, vectors.Config{
						BlockBits: width, NBlocks: nblocks, Records: records, Seed: seed,
					})
					return err
				})
				if err != nil {
					return err
				}
				made = append(made, run)
			}
			return printVectors(cmd, made, func(w io.Writer) {
				for _, run := range made {
					fmt.Fprintf(w, "%s: %d records:%s\n", run.File, run.Records, tallyText(run.Results))
				}
			})
		},
	}
	cmd.Flags().StringVarP(&folder, "folder", "o", ".", "folder that the files are written to")
	cmd.Flags().IntVar(&width, "width", 0, "one width only, 256 or 512 bits a block (default both)")
	cmd.Flags().IntVarP(&records, "records", "n", 10_000, "operations of a run")
	cmd.Flags().IntVar(&nblocks, "blocks", 250, "blocks of the table")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random choices")
	return cmd
}

func tallyText(tally vectors.Tally) string {
	var text strings.Builder
	for _, op := range []vectors.Op{vectors.Insert, vectors.Query, vectors.Delete, vectors.Merge, vectors.Match} {
		var parts []string
		for _, result := range []vectors.Result{vectors.Present, vectors.Absent, vectors.Retained, vectors.Deleted, vectors.Merged} {
			if n := tally[op][result]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, result))
			}
		}
		fmt.Fprintf(&text, " %s (%s)", op, strings.Join(parts, ", "))
	}
	return text.String()
}

// checkedRun is the result of vectors check for one file and one target.
type checkedRun struct {
	File       string `json:"file"`
	Target     string `json:"target"`
	Records    int    `json:"records"`
	Agrees     bool   `json:"agrees"`
	Difference string `json:"difference,omitempty"`
}

func newVectorsCheckCommand() *cobra.Command {
	var implementation string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Perform runs with an implementation and compare every result and block",
		Long: `Perform runs with an implementation, by single calls and by batches, and compare every
result and every block. Exit code 0: all agree; 1: one differs, and the first record and
lane that do are printed; 2: a file is malformed, or has no record.

--impl rtl performs them with the Verilog, simulated by Verilator, which must be installed.
Its models are built at the first use, which takes a minute, and kept in the cache folder.
FILE "-" is standard input.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			targets, closeTargets, err := vectorTargets(cmd.Context(), implementation)
			if err != nil {
				return err
			}
			defer closeTargets()
			var checked []checkedRun
			var answer error
			for _, file := range files {
				open := func() (io.ReadCloser, error) { return os.Open(file) }
				if file == standard { // every target reads it
					content, err := io.ReadAll(cmd.InOrStdin())
					if err != nil {
						return fmt.Errorf("%s: %w", standardInput, err)
					}
					open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
				}
				for _, target := range targets {
					run, err := checkFile(pathName(file), open, target)
					if err != nil {
						return err
					}
					checked = append(checked, run)
					if !run.Agrees {
						answer = fmt.Errorf("%w: %s differs from %s", errAnswerNo, target.Name(), file)
					}
				}
			}
			err = printVectors(cmd, checked, func(w io.Writer) {
				for _, run := range checked {
					if run.Agrees {
						fmt.Fprintf(w, "%s: %s agrees on %d records\n", run.File, run.Target, run.Records)
					} else {
						fmt.Fprintf(w, "%s: %s\n", run.File, run.Difference)
					}
				}
			})
			return errors.Join(err, answer)
		},
	}
	cmd.Flags().StringVar(&implementation, "impl", "all", "an implementation by name, all that this CPU runs, or rtl")
	return cmd
}

// vectorTargets returns the targets that --impl names, and what ends them.
func vectorTargets(ctx context.Context, name string) ([]vectors.Target, func() error, error) {
	if name == "rtl" {
		rtl, err := cosim.NewVectors(ctx)
		if err != nil {
			return nil, nil, err
		}
		return rtl.Targets(), rtl.Close, nil
	}
	var targets []vectors.Target
	names := []string{"all"}
	for _, im := range kernel.Implementations() {
		names = append(names, im.String())
		if name == "all" || name == im.String() {
			targets = append(targets, vectors.Targets(im)...)
		}
	}
	if len(targets) == 0 {
		return nil, nil, fmt.Errorf("--impl is %q, want one of %s, rtl", name, strings.Join(names, ", "))
	}
	return targets, func() error { return nil }, nil
}

// checkFile holds one target against one file, which it opens. A difference is a result; anything else that
// is wrong is an error.
func checkFile(name string, open func() (io.ReadCloser, error), target vectors.Target) (checkedRun, error) {
	file, err := open()
	if err != nil {
		return checkedRun{}, err
	}
	defer file.Close()
	n, err := vectors.Check(file, target)
	run := checkedRun{File: name, Target: target.Name(), Records: n, Agrees: err == nil}
	var difference *vectors.Difference
	if errors.As(err, &difference) {
		run.Difference = difference.Error()
		return run, nil
	}
	if err == nil && n == 0 {
		err = errors.New("found no record, expected at least one") // nothing that could agree
	}
	if err != nil {
		return run, fmt.Errorf("%s: %w", name, err)
	}
	return run, nil
}

// printVectors prints a result of make or check: under --json as {"runs": …}, else as text.
func printVectors[T any](cmd *cobra.Command, runs []T, text func(io.Writer)) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string][]T{"runs": runs})
	}
	var lines strings.Builder
	text(&lines)
	_, err := io.WriteString(cmd.OutOrStdout(), lines.String())
	return err
}
