package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/inband"
	"github.com/bloomlane/bloomlane/filter/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// inbandOptions are the flags of inband, and its argument.
type inbandOptions struct {
	capture string
	config  inband.Config
	bits    int
	key     string // file

	impl      string
	dataBytes int
	clock     float64 // MHz
}

func newInbandCommand() *cobra.Command {
	var o inbandOptions
	cmd := &cobra.Command{
		Use:   "inband CAPTURE",
		Short: "Carry in-packet filters through a simulated network, in the packets of a capture",
		Long: `Carry in-packet filters through a simulated network, in the packets of a capture (pcap
or pcapng; "-" is standard input).

Every packet gets a header that is a filter, and goes two ways. As a route it holds the
links of a tree in a random network: a node offers a copy to each of its links, whose engine
deletes itself from the header if it is there, and drops the copy if not. As a chain it holds
some of the services on the packet's way, each of which serves the packet if it is in the
header, and deletes itself.

The delivery sets are known exactly, so that false deliveries and lost elements are counted,
for three ways to choose a header among the candidates, one a table: any, the best, and the
best if nothing matches it by accident (strict), where the packet is not sent otherwise.

With --impl rtl every hop runs through the in-line engine's Verilog in Verilator as well,
and is held against Go bit by bit.

Exit code 1: with strict choice a packet was delivered wrongly, or a packet was damaged, or
the RTL did anything that Go did not.`,
		Example: `  bloomlane inband trace.pcap
  bloomlane inband trace.pcap --chain 20 --path 60 --json
  bloomlane inband trace.pcap --packets 1000 --impl rtl --data-bytes 64 --clock 250`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.capture = args[0]
			if o.key != "" {
				if err := onlyOnce(input{"the capture", o.capture}, input{"the hash key (--key)", o.key}); err != nil {
					return fmt.Errorf("inband: %w", err)
				}
				key, err := readKey(cmd, o.key)
				if err != nil {
					return fmt.Errorf("inband: %w", err)
				}
				o.config.Key = key
			}
			switch o.bits {
			case 256:
				return runInband[kernel.Block256](cmd, &o)
			case 512:
				return runInband[kernel.Block512](cmd, &o)
			}
			return fmt.Errorf("inband: --bits is %d, expected 256 or 512", o.bits)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.bits, "bits", 256, "bits of a header: 256 or 512")
	flags.StringVar(&o.key, "key", "", "`file` with the hash key, 64 hex digits (default one made from the seed)")
	flags.StringVar(&o.impl, "impl", "go", "engine of the hops: go, or rtl, which Go checks")
	flags.IntVar(&o.dataBytes, "data-bytes", inband.ReportedDataBytes, "bytes of a beat of the rtl: a power of two, 8 to 64")
	flags.Float64Var(&o.clock, "clock", 0, fmt.Sprintf("clock of the rtl in `MHz` (default, for beats of %d bytes, %g: %s)",
		inband.ReportedDataBytes, inband.ReportedMHz, inband.ReportedFrom))
	flags.Uint64Var(&o.config.Seed, "seed", 1, "seed of the network and of every packet's way")
	flags.IntVar(&o.config.Packets, "packets", 0, "take at most that many packets (default all)")
	flags.IntVar(&o.config.Tables, "tables", inpacket.DefaultTables, "candidates for every header")
	flags.IntVar(&o.config.FillLimit, "fill-limit", 0, "most bits that a header may have set (default all)")
	flags.IntVar(&o.config.Nodes, "nodes", 40, "nodes of the network")
	flags.IntVar(&o.config.Degree, "degree", 4, "mean number of links that leave a node")
	flags.IntVar(&o.config.Receivers, "receivers", 5, "receivers of a packet")
	flags.IntVar(&o.config.Services, "services", 64, "services that there are")
	flags.IntVar(&o.config.Path, "path", 32, "services on a packet's way")
	flags.IntVar(&o.config.Chain, "chain", 12, "of these, services that are to serve it")
	return cmd
}

// validate checks the flags that the simulation does not.
func (o *inbandOptions) validate() error {
	switch {
	case o.impl != "go" && o.impl != "rtl":
		return fmt.Errorf("inband: --impl is %q, expected go or rtl", o.impl)
	case !slices.Contains([]int{8, 16, 32, 64}, o.dataBytes):
		return fmt.Errorf("inband: --data-bytes is %d, expected 8, 16, 32 or 64", o.dataBytes)
	case !(o.clock >= 0 && o.clock <= 1e5):
		return fmt.Errorf("inband: --clock is %g, expected MHz above 0", o.clock)
	}
	return nil
}

func runInband[B inpacket.Block](cmd *cobra.Command, o *inbandOptions) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	limit := o.config.FillLimit
	if limit == 0 {
		limit = 8 * inpacket.FieldBytes[B]()
	}
	model := inband.Model[B]{FillLimit: limit}
	checked := &inband.Checked[B]{First: model}
	run, err := inband.New(o.config, inband.Engine[B](model))
	if err != nil {
		return err
	}
	var rtl *inband.RTL[B]
	if o.impl == "rtl" {
		bar := startProgress(cmd, "the RTL's model, which is built once", -1, "")
		bar.Set(1)
		rtl, err = inband.NewRTL[B](cmd.Context(), o.dataBytes, limit)
		bar.Done()
		if err != nil {
			return fmt.Errorf("inband: %w", err)
		}
		defer func() { err = errors.Join(err, rtl.Close()) }()
		checked.Second = rtl
		run.Engine = checked
	}
	if err := o.process(cmd, run.Process); err != nil {
		return err
	}
	report := run.Report(o.capture)
	if rtl != nil {
		report.AddRTL(o.dataBytes, rtl.Cycles, o.clock, checked.Differences, checked.Difference)
	}
	if wantsJSON(cmd) {
		err = writeJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.Write(cmd.OutOrStdout())
	}
	if err != nil {
		return fmt.Errorf("inband: report: %w", err)
	}
	if damage := run.Damage(); damage != nil {
		return fmt.Errorf("inband: %s: %w", o.capture, damage)
	}
	if failure := report.Failure(); failure != "" {
		return fmt.Errorf("inband: %s: %w", failure, errAnswerNo)
	}
	return nil
}

// process opens the capture and runs its frames. What is wrong with its head comes out like damage
// further on.
func (o *inbandOptions) process(cmd *cobra.Command, process func(inband.Frames) error) error {
	reader := cmd.InOrStdin()
	if o.capture != "-" {
		file, err := openInput(cmd, o.capture)
		if err != nil {
			return fmt.Errorf("inband: %w", err)
		}
		defer file.close()
		reader = file
	}
	frames, err := capture.Open(reader)
	if err != nil {
		return process(damagedInput{err})
	}
	return process(frames)
}
