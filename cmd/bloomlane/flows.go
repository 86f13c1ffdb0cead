package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/flows"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
)

// flowsOptions are the flags of flows.
type flowsOptions struct {
	config    flows.Config
	synthesis flows.Synthesis
	picture   string // file
}

func newFlowsCommand() *cobra.Command {
	var o flowsOptions
	cmd := &cobra.Command{
		Use:   "flows CAPTURE",
		Short: "Run filters on the flows of a capture, and say which one to use",
		Long: `Run filters on the flows of a capture (pcap or pcapng), and say which one to use.

A flow is a 5-tuple, in both directions. It is inserted with its first packet, its SYN where
the capture has that, and deleted at the first RST, when both sides have sent a FIN, or when it
was idle for the timeout, by the packets' time. All filters but the last have the same memory:

  insert-only   a Bloom filter, from which nothing is deleted
  deletable     the deletable filter, left as it is
  rebuild       the same, built anew of the live flows when it is due
  refresh       the same, built anew some blocks at a time, with --reinserts flows inserted again
                per insert
  rolling       the ring of deletable filters
  counting      a Bloom filter of 4-bit counters
  elastic       a filter that grows and shrinks with the live flows, made for a 64th of those
                that the others are made for

At each sample every filter is queried for all live flows, which it must find, and for random
non-members, which it should not find. Between samples the rates are computed from the filters'
bits, so that a burst counts too. The capture is read twice, the first time to size the filters.

With --synthesise the filters get flows that were never captured. Each has the packets, the
duration and the ending of a random flow of the capture. With --waves the live flows grow and
shrink.

Each filter that deletes has a shadow: an exact set of a sample of its keys, which any program can
keep. Package filter/audit describes it.

If more than a hundredth of the packets have times far off those around them, there is no advice,
and the exit code is 2.

Exit code 1: a filter did not find a live flow that it took, or its shadow says so; or no filter
keeps the rate.`,
		Example: `  bloomlane flows trace.pcap
  bloomlane flows trace.pcap --rate 0.001 --bits-per-key 48 --plot flows.svg
  bloomlane flows trace.pcap --synthesise 100000 --density 10
  bloomlane flows trace.pcap --synthesise 100000 --density 10 --waves 3 --plot waves.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requires(cmd, "synthesise", "density", "waves"); err != nil {
				return err
			}
			if cmd.Flags().Changed("synthesise") {
				o.config.Synthesis = &o.synthesis
			}
			if cmd.Flags().Changed("members") && o.config.Members < 1 {
				return fmt.Errorf("--members is %d, expected at least 1", o.config.Members)
			}
			return runFlows(cmd, args[0], &o)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&o.config.Idle, "idle", 15*time.Second, "idle timeout of a flow")
	flags.IntVar(&o.config.Limit, "flows", 1<<20, "flows that are followed at a time")
	flags.IntVar(&o.config.Members, "members", 0,
		"live flows to plan the filters for (default their peak in the capture)")
	flags.Float64Var(&o.config.BitsPerKey, "bits-per-key", 32,
		"bits of each filter, for each of the members; of the elastic one the most of its blocks")
	flags.Float64Var(&o.config.Rate, "rate", 0.01, "false-positive rate that is to be kept")
	flags.Float64Var(&o.config.Reinserts, "reinserts", 1,
		"flows inserted again per insert, into blocks of the filter that is refreshed")
	flags.IntVar(&o.config.Samples, "samples", 60, "samples over the time of the packets")
	flags.IntVar(&o.config.NonMembers, "non-members", 1<<16,
		"keys that no flow has, asked at each sample")
	flags.IntVar(&o.config.Shadow, "shadow", 1024, "audit the filters that delete beside an "+
		"exact set of one `hash` in so many, a power of two from 64; 0: do not")
	flags.Uint64Var(&o.config.Seed, "seed", 1,
		"seed of the non-members, the hash key and what is drawn")
	flags.IntVar(&o.synthesis.Flows, "synthesise", 0,
		"make traffic of that many `flows` from those of the capture")
	flags.Float64Var(&o.synthesis.Density, "density", 1,
		"how many times as often as in the capture a synthesised flow begins")
	flags.IntVar(&o.synthesis.Waves, "waves", 0, "times that the density goes from 1 up to "+
		"--density and back; 0: it is the same at any time")
	flags.StringVar(&o.picture, "plot", "",
		"`file` to draw the samples into, as SVG; \"-\": to stdout, and the report to stderr")
	return cmd
}

func runFlows(cmd *cobra.Command, name string, o *flowsOptions) error {
	if name == standard {
		return errors.New("found standard input, expected a file: it is read twice")
	}
	// A pipe has no second time, and would wait for ever.
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: found no regular file, expected one: it is read twice", name)
	}
	if err := checkOutput("plot", o.picture, name); err != nil {
		return err
	}
	results, err := resultsBeside(cmd, o.picture)
	if err != nil {
		return err
	}
	o.synthesis.Seed = o.config.Seed
	done := func() {} // with the latest pass
	defer func() { done() }()
	var bar *progress.Bar // of a synthesis
	o.config.Progress = func(flows int) {
		if flows == 0 {
			done()
			bar = startProgress(cmd, "synthesising", int64(o.synthesis.Flows), "flows")
			done = bar.Done
		}
		bar.Set(int64(flows))
	}
	report, damage, err := flows.Run(o.config, func() (capture.Headers, error) {
		done()
		file, err := openInput(cmd, name)
		if err != nil {
			return nil, err
		}
		done = func() { _ = file.Close() }
		return capture.Open(file), nil
	})
	if err != nil {
		return err
	}
	done()
	if damage != nil && report.Traffic.Packets.All == 0 {
		return &capture.NoPacketError{Input: name, Err: damage} // it is no capture at all
	}
	report.Input = name
	if o.picture != "" {
		if err := writePath(cmd, o.picture, 0o644, report.Picture); err != nil {
			return err
		}
	}
	return printReport(cmd, results, report, name, damage, report.Failure())
}
