package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/network"
	"github.com/bloomlane/bloomlane/report/command"
)

func newInpacketCommand() *cobra.Command {
	var c network.Config
	var keyPath, impl string
	cmd := &cobra.Command{
		Use:   "inpacket CAPTURE",
		Short: "Send the packets of a capture through a simulated network, with filters as headers",
		Long: `Send the packets of a capture through a simulated network, with filters as headers.

CAPTURE is pcap or pcapng; "-" is standard input. Every packet is sent with two headers, each of
which is a filter:

  route   The header holds the links of a tree in a random network. A node offers a copy to each of
          its links. A link that is in the header deletes itself and sends the copy.
  chain   The header holds some of the services on the packet's way. Each of these serves the packet
          and deletes itself.

The routes are sent without deletion too, which shows what loops; and with --virtual-links, where
an identifier stands for a path or a tree of links. The right deliveries are known exactly, so false
deliveries and lost elements are counted, for three ways to choose among a header per table: any
table; the best table; and strict, where a packet is not sent if anything matches by accident.
docs/packets.md has more.

Exit codes: 0 done; 1 under the strict choice a packet was delivered wrongly, or a packet was
damaged, or the RTL differs from Go; 2 bad usage, or the capture is damaged or has no packet that
Ethernet can carry.`,
		Example: `  packets inpacket trace.pcap
  packets inpacket trace.pcap --chain 20 --path 60 --json
  packets inpacket trace.pcap --virtual-links 64 --receivers 16
  packets inpacket trace.pcap --packets 1000 --impl rtl --data-bytes 64`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if c.RTL = impl == "rtl"; !c.RTL && impl != "go" {
				return fmt.Errorf("--impl is %q, expected go or rtl", impl)
			}
			if err := command.Requires(cmd, "impl", "data-bytes"); err != nil {
				return err
			}
			if err := command.CheckBlockBits(c.BlockBits); err != nil {
				return err
			}
			err = command.OnlyOnce(command.NewInput("the capture", args[0]),
				command.NewInput("the hash key (--key)", keyPath))
			if err == nil && keyPath != "" {
				c.Key, err = command.ReadKey(cmd, keyPath)
			}
			if err != nil {
				return err
			}
			return runInpacket(cmd, args[0], c)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&c.BlockBits, "block-bits", 256, "bits of a header, which is a block: 256 or 512")
	flags.StringVar(&keyPath, "key", "",
		"`file` with the hash key (default one made from the seed)")
	flags.StringVar(&impl, "impl", "go",
		"engine of the hops: go, or rtl, the Verilog, which Go checks bit by bit")
	flags.IntVar(&c.DataBytes, "data-bytes", 8,
		"bytes of a beat of the rtl: a power of two, 8 to 64")
	flags.Uint64Var(&c.Seed, "seed", 1, "seed of the network and of every packet's way")
	command.CountVar(flags, &c.Packets, "packets", "", 0, "most packets to take (default all)")
	flags.IntVar(&c.Tables, "tables", network.DefaultTables,
		"tables, each of which gives one candidate per header")
	flags.IntVar(&c.FillLimit, "fill-limit", 0,
		"most bits that a header may have set (default all)")
	flags.IntVar(&c.Nodes, "nodes", 40, "nodes of the network")
	flags.IntVar(&c.Degree, "degree", 4, "mean number of links that leave a node")
	flags.IntVar(&c.Receivers, "receivers", 5, "receivers of a packet")
	flags.IntVar(&c.VirtualLinks, "virtual-links", 0,
		"most identifiers that stand for several links; 0: none")
	flags.IntVar(&c.Controls, "controls", 0,
		"nodes of a packet's tree that its header asks to do something else")
	flags.IntVar(&c.Services, "services", 64, "services in all")
	flags.IntVar(&c.Path, "path", 32, "services on a packet's way, of --services")
	flags.IntVar(&c.Chain, "chain", 12, "services that are to serve a packet, of --path")
	command.Group(cmd, "The network", "nodes", "degree", "receivers", "virtual-links", "controls",
		"services", "path", "chain")
	command.Group(cmd, "The headers", "block-bits", "tables", "fill-limit", "key")
	command.Group(cmd, "The hops", "impl", "data-bytes")
	return cmd
}

func runInpacket(cmd *cobra.Command, path string, c network.Config) error {
	in, err := command.OpenInput(cmd, path)
	if err != nil {
		return err
	}
	defer in.Close()
	c.Building = func() func() {
		bar := command.StartProgress(cmd, "the RTL's model, which is built once", -1, "")
		bar.Set(1)
		return bar.Done
	}
	packets := capture.Open(in)
	report, damage, err := network.Simulate(cmd.Context(), c, command.PathName(path), packets)
	warnUndecoded(cmd, command.PathName(path), packets)
	if err != nil {
		return err
	}
	_ = in.Close() // it was only read
	return command.PrintReport(cmd, cmd.OutOrStdout(), report, command.PathName(path), damage,
		report.Failure())
}
