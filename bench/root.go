package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitDone = 0
	exitBad  = 2 // bad usage, or results that cannot be had or written
)

// run runs the command line with args and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitBad
	}
	return exitDone
}

// options are the flags that the commands share.
type options struct {
	sizes  []string
	rounds int
	json   bool
}

// add adds the flags to a command, with the defaults of that command.
func (o *options) add(cmd *cobra.Command, rounds int, sizes ...string) {
	cmd.Flags().StringSliceVar(&o.sizes, "sizes", sizes, "sizes of tables, powers of two from 16KiB")
	cmd.Flags().IntVar(&o.rounds, "rounds", rounds, "how often each slice is measured, 1 to 1000")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the results as one JSON object")
}

func (o *options) plan(stderr io.Writer) (plan, error) {
	p := plan{rounds: o.rounds, keys: streamKeys, stderr: stderr}
	if o.rounds < 1 || o.rounds > 1000 {
		return plan{}, fmt.Errorf("--rounds %d: want 1 to 1000", o.rounds)
	}
	if len(o.sizes) == 0 {
		return plan{}, fmt.Errorf("--sizes names none")
	}
	for _, text := range o.sizes {
		size, err := parseSize(text)
		if err != nil {
			return plan{}, fmt.Errorf("--sizes: %w", err)
		}
		p.sizes = append(p.sizes, size)
	}
	slices.Sort(p.sizes)
	p.sizes = slices.Compact(p.sizes)
	return p, nil
}

func newRootCommand() *cobra.Command {
	var o options
	var quick bool
	quickSizes := []string{"16KiB", "512KiB", "16MiB", "512MiB"}
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure the kernels of this CPU against what its memory allows",
		Long: `Measure every implementation that this CPU can run, in nanoseconds a key and as a ratio
to a bare loop over the same memory (its floor): query, insert and delete of batches and
of single keys, merge and header match, on tables from the first-level cache to memory,
on pages of 4 KiB and on huge ones.

Results go to stdout, messages and progress to stderr. Exit code: 0; 2 where the usage
is bad or the results cannot be had or written.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quick && !cmd.Flags().Changed("sizes") {
				o.sizes = quickSizes
			}
			if quick && !cmd.Flags().Changed("rounds") {
				o.rounds = 2
			}
			p, err := o.plan(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			p.quick = quick
			r, err := p.measure()
			if err != nil {
				return err
			}
			return r.write(cmd.OutOrStdout(), o.json, false)
		},
	}
	o.add(root, 8, append(quickSizes, "2GiB")...)
	root.Flags().BoolVar(&quick, "quick", false, "take under a minute: fewer rounds, no table above 512 MiB, single keys in the cache only")
	root.AddCommand(newSweepCommand())
	return root
}

func newSweepCommand() *cobra.Command {
	var o options
	sweep := &cobra.Command{
		Use:   "sweep",
		Short: "Measure prefetch distances",
		Long: `Measure the floors and the assembly of every instruction set that this CPU has by how
many keys ahead they prefetch, 0 being no prefetch: the way to tables such as those in the
documentation of avogen.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := o.plan(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			r, err := p.sweep()
			if err != nil {
				return err
			}
			return r.write(cmd.OutOrStdout(), o.json, true)
		},
	}
	o.add(sweep, 4, "16KiB", "512KiB", "4MiB", "16MiB", "512MiB", "1GiB")
	return sweep
}
