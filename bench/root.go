package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/accuracy"
	"github.com/bloomlane/bloomlane/bench/churn"
	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/model"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/kernel"
)

// The exit codes.
const (
	exitDone   = 0
	exitSlower = 1
	exitBad    = 2 // bad usage, or results that cannot be had or written
)

// The parts of a run.
const (
	partKernels = "kernels"
	partPeers   = "peers" // accuracy, and then times
)

// errSlower says that a comparison found a kernel slower, which its output names.
var errSlower = errors.New("slower")

// run runs the command line with args and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := kernel.VariableError()
	if err == nil {
		err = root.ExecuteContext(context.Background())
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errSlower):
		return exitSlower
	default:
		fmt.Fprintln(stderr, "bench:", err)
		return exitBad
	}
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
	cmd.Flags().IntVar(&o.rounds, "rounds", rounds, "how often each slice is measured, 1 to 1000; a comparison takes 8 to be decided")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the results as one JSON object")
}

func (o *options) plan(stderr io.Writer) (measure.Plan, error) {
	p := measure.Plan{Rounds: o.rounds, Stderr: stderr}
	if o.rounds < 1 || o.rounds > 1000 {
		return p, fmt.Errorf("--rounds %d: want 1 to 1000", o.rounds)
	}
	if len(o.sizes) == 0 {
		return p, fmt.Errorf("--sizes names none")
	}
	for _, text := range o.sizes {
		size, err := result.ParseSize(text)
		if err != nil {
			return p, fmt.Errorf("--sizes: %w", err)
		}
		p.Sizes = append(p.Sizes, size)
	}
	slices.Sort(p.Sizes)
	p.Sizes = slices.Compact(p.Sizes)
	return p, nil
}

func newRootCommand() *cobra.Command {
	var o options
	var quick bool
	var out string
	var parts []string
	quickSizes := []string{"16KiB", "512KiB", "16MiB", "512MiB"}
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure this CPU's kernels against its memory, and against other filters",
		Long: `Measure every implementation that this CPU can run, in nanoseconds a key and as a ratio
to a bare loop over the same memory (its floor): query, insert and delete of batches and
of single keys, merge and header match, on tables from the first-level cache to memory,
on pages of 4 KiB and on huge ones, on one core and on all; the latency of calls while the
garbage collector works; and other libraries' filters beside ours, at equal bits and at an
equal rate of false positives, with how often each answers wrongly.

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
			p.Quick = quick
			for _, part := range parts {
				if part != partKernels && part != partPeers {
					return fmt.Errorf("--parts %q: want %s or %s", part, partKernels, partPeers)
				}
			}
			if out != "" { // what cannot be written is not measured
				if err := os.MkdirAll(out, 0o755); err != nil {
					return err
				}
			}
			r, err := measureAll(cmd, p, parts)
			if err != nil {
				return err
			}
			err = o.print(cmd.OutOrStdout(), r, report.Text)
			if out != "" {
				err = errors.Join(err, report.Write(out, r))
			}
			return err
		},
	}
	o.add(root, 10, append(quickSizes, "2GiB")...)
	root.Flags().BoolVar(&quick, "quick", false, "take under a minute: fewer rounds, no table above 512 MiB, peers in the cache only")
	root.Flags().StringVar(&out, "out", "", "write the report into this folder too: Markdown, JSON, benchstat's text, SVG")
	root.Flags().StringSliceVar(&parts, "parts", []string{partKernels, partPeers}, "what to measure")
	root.AddCommand(churn.Command(), model.Command())
	root.AddCommand(newSweepCommand(), newCompareCommand(), newRenderCommand())
	return root
}

// measureAll has everything measured. Accuracy comes before peers, because it says at how many bits their
// rates are equal.
func measureAll(cmd *cobra.Command, p measure.Plan, parts []string) (*result.Run, error) {
	r := measure.NewRun()
	if slices.Contains(parts, partKernels) {
		if err := p.Kernels(r); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(parts, partPeers) {
		return r, nil
	}
	a := accuracy.Default()
	if p.Quick {
		a = accuracy.Quick()
	}
	found, notes, err := a.Measure(cmd.Context(), library.All(), p.Steps("accuracy"))
	if err != nil {
		return nil, err
	}
	r.Accuracy, r.Notes = found, append(r.Notes, notes...)
	p.Peers(r, library.All(), result.EqualRate(found, peerRate))
	return r, nil
}

// peerRate is the rate of false positives at which peers are measured when it is not the bits that are
// equal: about that of ours at 16 bits a key.
const peerRate = 0.002

// print prints a run in the form asked for.
func (o *options) print(stdout io.Writer, r *result.Run, text func(io.Writer, *result.Run) error) error {
	if o.json {
		return r.Write(stdout)
	}
	return text(stdout, r)
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
			r, err := p.Sweep()
			if err != nil {
				return err
			}
			return o.print(cmd.OutOrStdout(), r, report.Sweep)
		},
	}
	o.add(sweep, 4, "64KiB", "256KiB", "1MiB", "16MiB", "512MiB", "2GiB")
	return sweep
}

func newCompareCommand() *cobra.Command {
	limits := report.DefaultLimits
	var asJSON bool
	compare := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two runs of one machine, which are JSON files",
		Long: `Compare each kernel of two runs with itself, less what the floors of the same group say that
the machine's speed changed by. Exit code: 0; 1 where a kernel got slower beyond noise; 2 where
the runs cannot be read or are not of one machine.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(limits.Significance > 0 && limits.Significance < 1) || !(limits.Change >= 0) {
				return fmt.Errorf("--significance %g --change %g: want above 0 and below 1, and 0 or more", limits.Significance, limits.Change)
			}
			before, err := readRun(args[0])
			if err != nil {
				return err
			}
			after, err := readRun(args[1])
			if err != nil {
				return err
			}
			c, err := report.Compare(before, after, limits)
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(c)
			} else {
				err = c.Text(cmd.OutOrStdout())
			}
			if err == nil && len(c.With(result.Slower)) > 0 {
				err = errSlower
			}
			return err
		},
	}
	compare.Flags().Float64Var(&limits.Significance, "significance", limits.Significance, "the P below which a change is one")
	compare.Flags().Float64Var(&limits.Change, "change", limits.Change, "the least change that counts: 0.05 is 5 %")
	compare.Flags().BoolVar(&asJSON, "json", false, "print the comparison as one JSON object")
	return compare
}

func newRenderCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "render FILE DIR",
		Short: "Write the report of a run again from its JSON",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := readRun(args[0])
			if err != nil {
				return err
			}
			return report.Write(args[1], r)
		},
	}
}

func readRun(name string) (*result.Run, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := result.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
