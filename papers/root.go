package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

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
	root := newRootCommand(papersToRun()...)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "papers:", err)
		return exitBad
	}
	return exitDone
}

// papersToRun are all of them.
func papersToRun() []*claim.Paper {
	return []*claim.Paper{letter.New(), garden.New(), retouched.New(), elastic.New(),
		challenge.New()}
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
		Long: `Reproduce papers on Bloom filters. What they publish is printed next to formulas
and to what is measured here, with an interval of 95 % and a verdict. A paper, and all, have
more flags: --out also writes the figures, as SVG and as CSV with the seed and the commit.

Results go to stdout, messages and progress to stderr. Exit code: 0, or 2 if the usage is bad or
the results cannot be made or written. A value that differs is a result, and no error.`,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&o.Short, "short", false, "take fewer trials: some seconds per paper")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of all random numbers")
	all := &cobra.Command{
		Use: "all", Short: "Reproduce all papers", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.reproduce(cmd, papers) },
	}
	summary := &cobra.Command{
		Use: "summary", Short: "Print how many values of each paper have which verdict",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []claim.Found
			for _, paper := range papers {
				all = append(all, o.run(cmd, paper))
			}
			return claim.WriteSummary(cmd.OutOrStdout(), all...)
		},
	}
	report := &cobra.Command{
		Use: "report", Short: "Print what was found of a paper, as a page to cite",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(all, summary, report)
	o.addFlags(all)
	for _, paper := range papers {
		o.addFlags(addPaper(root, paper, func(cmd *cobra.Command, _ []string) error {
			return o.reproduce(cmd, []*claim.Paper{paper})
		}))
		addPaper(report, paper, func(cmd *cobra.Command, _ []string) error {
			return paper.WritePage(cmd.OutOrStdout(), &o.Run, o.run(cmd, paper))
		})
	}
	return root
}

// addFlags adds those of a command that prints values and draws figures.
func (o *options) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.json, "json", false,
		"print each value as one JSON object a line, figures' points too")
	flags.StringVar(&o.out, "out", "", "write the figures into this folder, as SVG and CSV")
}

// addPaper adds a command for a paper.
func addPaper(
	parent *cobra.Command,
	paper *claim.Paper,
	run func(cmd *cobra.Command, args []string) error,
) *cobra.Command {
	command := &cobra.Command{Use: paper.Name, Short: paper.Title, Args: cobra.NoArgs, RunE: run}
	parent.AddCommand(command)
	return command
}

// run reproduces a paper.
func (o *options) run(cmd *cobra.Command, paper *claim.Paper) claim.Found {
	var bar *progress.Bar
	defer func() { bar.Done() }()
	return paper.Reproduce(&o.Run, func(parts int) func() {
		bar = progress.Start(cmd.ErrOrStderr(), paper.Name, int64(parts), "parts")
		return func() { bar.Add(1) }
	})
}

// commit is the one of the checkout that the program runs in, where Git tells: papers are run from
// their source.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=40", "--dirty",
		"--match=").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// reproduce prints and draws papers.
func (o *options) reproduce(cmd *cobra.Command, papers []*claim.Paper) (err error) {
	at := ""
	if o.out != "" { // what cannot be written is not simulated
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return err
		}
		at = commit()
	}
	for _, paper := range papers {
		found := o.run(cmd, paper)
		if o.json {
			err = found.WriteJSON(cmd.OutOrStdout())
		} else {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", paper.Title)
			err = found.WriteTable(cmd.OutOrStdout())
		}
		for _, figure := range found.Figures {
			if o.out != "" {
				name := filepath.Join(o.out, paper.Name+"-"+figure.Name)
				points := func(w io.Writer) error {
					return claim.WritePoints(w, figure.Points, o.Seed, at)
				}
				err = errors.Join(err,
					atomicfile.Write(name+".svg", 0o666, figure.Picture.WriteSVG),
					atomicfile.Write(name+".csv", 0o666, points))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
