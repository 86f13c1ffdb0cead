package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/flows"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/progress"
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

A flow is a 5-tuple, in both directions. It is inserted with its first packet. It is deleted at the
first RST, when both sides have sent a FIN, or when it was idle. All filters but the last have the
same memory:

  insert-only   a Bloom filter from which nothing is deleted
  deletable     the deletable filter, left as it is
  rebuild       the same, rebuilt from the live flows when it is due
  refresh       the same, with --reinserts flows inserted again per insert, some blocks at a time
  rolling       the ring of deletable filters
  counting      a Bloom filter of 4-bit counters
  elastic       a filter that grows and shrinks with the live flows

At each sample every filter is queried for all live flows, which it must find, and for random
non-members. The rate is the share of these that it finds. Each filter that deletes has a shadow, an
exact set of a sample of its keys. With --synthesise the filters get flows that were never captured,
each with the packets, the duration and the ending of a random flow of the capture.

Exit codes: 0 a filter keeps the rate, and is named; 1 no filter keeps the rate, or a filter or its
shadow did not find a live flow that it took; 2 bad input or usage, or no advice.`,
		Example: `  packets flows trace.pcap
  packets flows trace.pcap --rate 0.001 --bits-per-key 48 --plot flows.svg
  packets flows trace.pcap --synthesise 100000 --density 10 --waves 3 --plot waves.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Requires(cmd, "synthesise", "density", "waves"); err != nil {
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
	command.CountVar(flags, &o.config.Limit, "flows", "", 1<<20,
		"most flows that are tracked at a time")
	command.CountVar(flags, &o.config.Members, "members", "", 0,
		"live flows to plan the filters for (default their peak in the capture)")
	flags.Float64Var(&o.config.BitsPerKey, "bits-per-key", 32,
		"bits per member of each filter; of elastic the most in its blocks")
	command.RateVar(flags, &o.config.Rate, "rate", 0.01, "false-positive rate that is to be kept")
	flags.Float64Var(&o.config.Reinserts, "reinserts", 1,
		"flows inserted again per insert, into blocks of the filter that is refreshed")
	command.CountVar(flags, &o.config.Samples, "samples", "", 60,
		"samples over the time of the packets")
	command.CountVar(flags, &o.config.NonMembers, "non-members", "", 1<<16,
		"random non-members that are queried at each sample")
	flags.IntVar(&o.config.Shadow, "shadow", 1024, "keep an exact set of one `hash` in this "+
		"many, a power of two from 64; 0: none")
	flags.Uint64Var(&o.config.Seed, "seed", 1,
		"seed of the non-members, the hash key and synthesised flows")
	command.CountVar(flags, &o.synthesis.Flows, "synthesise", "", 0,
		"make this many `flows` from those of the capture")
	flags.Float64Var(&o.synthesis.Density, "density", 1,
		"synthesised flows begin this many times as often as captured ones")
	flags.IntVar(&o.synthesis.Waves, "waves", 0, "times that the density rises from 1 to "+
		"--density and falls; 0: it is constant")
	flags.StringVar(&o.picture, "plot", "",
		"`file` to draw the samples into, as SVG; \"-\": to stdout, and the report to stderr")
	command.Group(cmd, "The flows", "idle", "flows", "synthesise", "density", "waves", "seed")
	command.Group(cmd, "The filters", "rate", "members", "bits-per-key", "reinserts")
	command.Group(cmd, "The measurement", "samples", "non-members", "shadow")
	return cmd
}

func runFlows(cmd *cobra.Command, name string, o *flowsOptions) error {
	if name == command.Standard {
		return errors.New("found standard input, expected a file: it is read twice")
	}
	// A pipe cannot be read twice: the second open would wait forever.
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: found no regular file, expected one: it is read twice", name)
	}
	results, err := command.ResultsBeside(cmd, o.picture)
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
			bar = command.StartProgress(cmd, "synthesising", int64(o.synthesis.Flows), "flows")
			done = bar.Done
		}
		bar.Set(int64(flows))
	}
	report, damage, err := flows.Run(o.config, func() (capture.Headers, error) {
		done()
		file, err := command.OpenInput(cmd, name)
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
		if err := command.WritePath(cmd, o.picture, 0o644, report.Picture); err != nil {
			return err
		}
	}
	return command.PrintReport(cmd, results, report, name, damage, report.Failure())
}
