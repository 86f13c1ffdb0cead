package main

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/accuracy"
	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/report"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// The parts of a run.
const (
	partKernels = "kernels"
	partHashes  = "hashes" // of keys of bytes: a minute
	partBytes   = "bytes"  // what a query of keys of bytes is made of
	partPeers   = "peers"  // accuracy, and then times
)

var parts = []string{partKernels, partHashes, partBytes, partPeers}

// run runs the command line with args and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(newRootCommand(), args, stdin, stdout, stderr, nil)
}

// options are the flags of a run.
type options struct {
	sizes, parts []string
	rounds       int
	quick, json  bool
	out          string
}

// quickSizes are those of a quick run.
var quickSizes = []string{"16KiB", "512KiB", "16MiB", "512MiB"}

func newRootCommand() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure this CPU's kernels against its memory, and against other filters",
		Long: `Measure every implementation that this CPU can run, in ns per key and as a ratio to a
bare loop over the same memory (its floor): query, insert and delete of batches and of single keys,
the positions of what is present, merge and header match, on tables from the first-level cache to
memory, on pages of 4 KiB and on huge ones, on one core and on all; the latency of calls while the
garbage collector works; hashes of keys of bytes, ours and others', independent ones and each after
the one before, and what a query of such keys is made of; and other libraries' filters beside ours,
on hashes and on keys of bytes, at equal bits and at an equal rate of false positives, with how
often each answers wrongly.

Results go to stdout, messages and progress to stderr. Exit code: 0; 2 where the usage
is bad or the results cannot be had or written.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.quick && !cmd.Flags().Changed("sizes") {
				o.sizes = quickSizes
			}
			if o.quick && !cmd.Flags().Changed("rounds") {
				o.rounds = 2
			}
			return o.run(cmd)
		},
	}
	flags := root.Flags()
	flags.StringSliceVar(&o.sizes, "sizes", append(slices.Clone(quickSizes), "2GiB"),
		"sizes of tables, powers of two from 16KiB")
	flags.IntVar(&o.rounds, "rounds", 10,
		"how often each slice is measured, 1 to 1000; a comparison takes 8 to be decided")
	flags.BoolVar(&o.json, "json", false, "print the results as one JSON object")
	flags.BoolVar(&o.quick, "quick", false,
		"take under a minute: fewer rounds, no table above 512 MiB, peers in the cache only")
	flags.StringVar(&o.out, "out", "", "write the recording and its page into this folder too")
	flags.StringSliceVar(&o.parts, "parts", parts,
		"what to measure")
	root.AddCommand(newRenderCommand(), newTakeCommand())
	return root
}

func (o *options) settings(stderr io.Writer) (measure.Settings, error) {
	s := measure.Settings{Rounds: o.rounds, Quick: o.quick, Stderr: stderr}
	if o.rounds < 1 || o.rounds > 1000 {
		return s, fmt.Errorf("--rounds %d: want 1 to 1000", o.rounds)
	}
	if len(o.sizes) == 0 {
		return s, fmt.Errorf("--sizes names none")
	}
	for _, text := range o.sizes {
		size, err := parseSize(text)
		if err != nil {
			return s, fmt.Errorf("--sizes: %w", err)
		}
		s.Sizes = append(s.Sizes, size)
	}
	slices.Sort(s.Sizes)
	s.Sizes = slices.Compact(s.Sizes)
	for _, part := range o.parts {
		if !slices.Contains(parts, part) {
			return s, fmt.Errorf("--parts %q: want some of %s", part, strings.Join(parts, ", "))
		}
	}
	return s, nil
}

// parseSize reads the size of a table, such as 16KiB or "512 MiB": half of its members are more
// than a slice, and blocks count in an int.
func parseSize(text string) (int64, error) {
	bytes, err := humanize.ParseBytes(text)
	if err != nil || bytes < 16<<10 || bytes > 64<<30 || bits.OnesCount64(bytes) != 1 {
		return 0, fmt.Errorf("size %q: want a power of two from 16 KiB to 64 GiB, such as 16KiB "+
			"or 2GiB", text)
	}
	return int64(bytes), nil
}

// peerRate is the rate of false positives at which peers are measured when it is not the bits that
// are equal: about that of ours at 16 bits per key.
const peerRate = 0.002

// run measures, prints and writes.
func (o *options) run(cmd *cobra.Command) error {
	s, err := o.settings(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if o.out != "" { // what cannot be written is not measured
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return err
		}
	}
	r := measure.NewRun()
	if slices.Contains(o.parts, partKernels) {
		if err := s.Kernels(r); err != nil {
			return err
		}
	}
	if slices.Contains(o.parts, partHashes) {
		s.Hashes(r, library.Hashes())
	}
	if slices.Contains(o.parts, partBytes) {
		if err := s.Bytes(r); err != nil {
			return err
		}
	}
	if slices.Contains(o.parts, partPeers) {
		a := accuracy.Default()
		if s.Quick {
			a = accuracy.Quick()
		}
		// Before times, because it says at how many bits rates are equal.
		found, notes := a.Measure(library.All(), s.Stderr)
		r.Accuracy, r.Notes = found, append(r.Notes, notes...)
		s.Peers(r, library.All(),
			result.EqualRate(found, peerRate))
	}
	if o.json {
		err = r.Write(cmd.OutOrStdout())
	} else {
		err = printTables(cmd, r)
	}
	if o.out != "" {
		err = errors.Join(err, report.Write(o.out, r))
		if err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "the recording is %s: CONTRIBUTING.md says how it is "+
				"taken in\n", filepath.Join(o.out, report.ResultFile))
		}
	}
	return err
}

func printTables(cmd *cobra.Command, r *result.Run) error {
	_, err := fmt.Fprint(cmd.OutOrStdout(), pivot.Text(report.Tables(r)...))
	return err
}

func newRenderCommand() *cobra.Command {
	var text, benchstat bool
	render := &cobra.Command{
		Use:   "render RECORDING",
		Short: "Write the page of a run again, beside its recording",
		Long: `Write the page of a run again, beside its recording: a file, or the folder of a
report. With --text, print its tables instead. With --benchstat, print every sample in Go's
benchmark format, for benchstat: each in ns, and in multiples of the floor of the same group and
round, which takes out what the machine's speed changed by.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, folder, err := report.Read(args[0])
			switch {
			case err != nil:
				return err
			case text:
				return printTables(cmd, r)
			case benchstat:
				return report.Benchstat(cmd.OutOrStdout(), r)
			}
			return report.Render(folder, r)
		},
	}
	render.Flags().BoolVar(&text, "text", false, "print the tables, for a terminal")
	render.Flags().BoolVar(&benchstat, "benchstat", false,
		"print every sample as benchstat reads it")
	render.MarkFlagsMutuallyExclusive("text", "benchstat")
	return render
}

func newTakeCommand() *cobra.Command {
	var results string
	take := &cobra.Command{
		Use:   "take NAME RECORDING",
		Short: "Take the recording of a machine in, with its page",
		Long: `Take the recording of a machine in, with its page, into the folder NAME of the
results. It must be of a commit, and of a run without --quick. "make take" also writes the figures
of all machines into the pages that have them.`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return report.Take(results, args[0], args[1])
		},
	}
	take.Flags().StringVar(&results, "results", "bench/results",
		"the folder of the folders with recordings")
	return take
}
