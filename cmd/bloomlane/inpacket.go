package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/capture"
	"github.com/bloomlane/bloomlane/cmd/bloomlane/inpacket"
)

func newInpacketCommand() *cobra.Command {
	var c inpacket.Config
	var keyPath, impl string
	cmd := &cobra.Command{
		Use:   "inpacket CAPTURE",
		Short: "Carry in-packet filters through a simulated network, in the packets of a capture",
		Long: `Carry in-packet filters through a simulated network, in the packets of a capture (pcap
or pcapng; "-" is standard input).

Every packet gets a header that is a filter, and goes two ways. As a route it holds the
links of a tree in a random network: a node offers a copy to each of its links, whose engine
deletes itself from the header if it is there, and drops the copy if not. As a chain it holds
some of the services on the packet's way, each of which serves the packet if it is in the
header, and deletes itself.

Routes go once more without deletion, which shows how many copies come to a node again, and
how many come back in a loop. With --virtual-links they also go with identifiers that stand
for several links, a path or a tree, and are deleted where they have been followed: emptier
headers, for state in the nodes. With --controls some of a tree's nodes find an identifier
that asks them to do something, and delete it.

The delivery sets are known exactly, so that false deliveries and lost elements are counted,
for three ways to choose a header among the candidates, one a table: any, the best, and the
best if nothing matches it by accident (strict), where the packet is not sent otherwise.

With --impl rtl every hop runs through the in-line engine's Verilog in Verilator as well,
and is held against Go bit by bit.

Exit code 1: with strict choice a packet was delivered wrongly, or a packet was damaged, or
the RTL did anything that Go did not. Exit code 2: no packet of the capture can be sent over
Ethernet, or the capture is damaged.`,
		Example: `  bloomlane inpacket trace.pcap
  bloomlane inpacket trace.pcap --chain 20 --path 60 --json
  bloomlane inpacket trace.pcap --virtual-links 64 --receivers 16
  bloomlane inpacket trace.pcap --packets 1000 --impl rtl --data-bytes 64`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if c.RTL = impl == "rtl"; !c.RTL && impl != "go" {
				return fmt.Errorf("--impl is %q, expected go or rtl", impl)
			}
			if err := checkBlockBits(c.BlockBits); err != nil {
				return err
			}
			err = onlyOnce(input{"the capture", args[0]}, input{"the hash key (--key)", keyPath})
			if err == nil && keyPath != "" {
				c.Key, err = readKey(cmd, keyPath)
			}
			if err != nil {
				return err
			}
			return runInpacket(cmd, args[0], c)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&c.BlockBits, "block-bits", 256, "bits of a header, which is a block: 256 or 512")
	flags.StringVar(&keyPath, "key", "", "`file` with the hash key, 64 hex digits (default one made from the seed)")
	flags.StringVar(&impl, "impl", "go", "engine of the hops: go, or rtl, which Go checks")
	flags.IntVar(&c.DataBytes, "data-bytes", 8, "bytes of a beat of the rtl: a power of two, 8 to 64")
	flags.Uint64Var(&c.Seed, "seed", 1, "seed of the network and of every packet's way")
	flags.IntVar(&c.Packets, "packets", 0, "take at most that many packets (default all)")
	flags.IntVar(&c.Tables, "tables", inpacket.DefaultTables, "candidates for every header")
	flags.IntVar(&c.FillLimit, "fill-limit", 0, "most bits that a header may have set (default all)")
	flags.IntVar(&c.Nodes, "nodes", 40, "nodes of the network")
	flags.IntVar(&c.Degree, "degree", 4, "mean number of links that leave a node")
	flags.IntVar(&c.Receivers, "receivers", 5, "receivers of a packet")
	flags.IntVar(&c.VirtualLinks, "virtual-links", 0, "most virtual links of the network, for the same routes with them")
	flags.IntVar(&c.Controls, "controls", 0, "nodes of a packet's tree that its header asks to do something")
	flags.IntVar(&c.Services, "services", 64, "services that there are")
	flags.IntVar(&c.Path, "path", 32, "services on a packet's way")
	flags.IntVar(&c.Chain, "chain", 12, "of these, services that are to serve it")
	return cmd
}

func runInpacket(cmd *cobra.Command, path string, c inpacket.Config) error {
	in, err := openInput(cmd, path)
	if err != nil {
		return err
	}
	defer in.Close()
	c.Building = func() func() {
		bar := startProgress(cmd, "the RTL's model, which is built once", -1, "")
		bar.Set(1)
		return bar.Done
	}
	report, damage, err := inpacket.Simulate(cmd.Context(), c, pathName(path), capture.Open(in))
	if err != nil {
		return err
	}
	_ = in.Close() // it was only read
	return printReport(cmd, cmd.OutOrStdout(), report, pathName(path), damage, report.Failure())
}
