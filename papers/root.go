package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/papers/challenge"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic"
	"github.com/bloomlane/bloomlane/papers/garden"
	"github.com/bloomlane/bloomlane/papers/letter"
	"github.com/bloomlane/bloomlane/papers/retouched"
	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/progress"
)

// The exit codes.
const (
	exitDone = 0
	exitBad  = 2 // bad usage, or results that cannot be made or written
)

// run runs the command line with args and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRootCommand(letter.New(), garden.New(), retouched.New(), elastic.New(),
		challenge.New())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "papers:", err)
		return exitBad
	}
	return exitDone
}

// options are the flags that all papers have.
type options struct {
	trials.Run
	json bool
	out  string
}

func newRootCommand(papers ...*claim.Paper) *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:   "papers",
		Short: "Reproduce papers on Bloom filters",
		Long: `Reproduce papers on Bloom filters. Each claim of their texts is printed beside theory
and beside what is measured here, with an interval of 95 % and a verdict. --out also writes their
figures.

Results go to stdout, messages and progress to stderr. Exit code: 0, or 2 if the usage is bad or
the results cannot be made or written. A claim that differs is a result, and no error.`,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&o.Short, "short", false, "take fewer trials: some seconds per paper")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of all random numbers")
	flags.BoolVar(&o.json, "json", false,
		"print each claim as one JSON object a line, figures' points too")
	flags.StringVar(&o.out, "out", "", "write the figures into this folder, as SVG")
	all := &cobra.Command{
		Use: "all", Short: "Reproduce all papers", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.reproduce(cmd, papers) },
	}
	root.AddCommand(all)
	for _, paper := range papers {
		command := &cobra.Command{
			Use: paper.Name, Short: paper.Title, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return o.reproduce(cmd,
					[]*claim.Paper{paper})
			},
		}
		if paper.Flags != nil {
			paper.Flags(command.Flags())
		}
		root.AddCommand(command)
	}
	return root
}

// reproduce prints and draws papers.
func (o *options) reproduce(cmd *cobra.Command, papers []*claim.Paper) error {
	if o.out != "" { // what cannot be written is not simulated
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return err
		}
	}
	for _, paper := range papers {
		var bar *progress.Bar
		claims, figures, err := paper.Reproduce(&o.Run, func(parts int) func() {
			bar = progress.Start(cmd.ErrOrStderr(), paper.Name, int64(parts), "parts")
			return func() { bar.Add(1) }
		})
		if err != nil {
			return err
		}
		bar.Done()
		if o.json {
			err = claim.WriteJSON(cmd.OutOrStdout(), claims)
		} else {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", paper.Title)
			err = claim.WriteTable(cmd.OutOrStdout(), claims)
		}
		for _, figure := range figures {
			if o.out != "" {
				name := filepath.Join(o.out, paper.Name+"-"+figure.Name+".svg")
				err = errors.Join(err, atomicfile.Write(name, 0o666, figure.Picture.WriteSVG))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
