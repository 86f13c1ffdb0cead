package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/packets/agreement"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/page"
	"github.com/bloomlane/bloomlane/report/command"
)

func newAgreementCommand() *cobra.Command {
	var c agreement.Config
	var picture, from string
	cmd := &cobra.Command{
		Use:   "agreement [CAPTURE]",
		Short: "Compare Go, C, the kernel and Verilog on one deny list and one capture",
		Long: `Compare Go, C, the kernel and Verilog on one deny list and one capture.

All read the same filter file. The packets of CAPTURE, which is pcap or pcapng, pass with
synthesised ones between them: VLAN tags, IPv6, fragments, headers that are cut. Meanwhile entries
of the list are added and deleted. Each packet must have the same verdict everywhere, each change
the same result, and behind it each block of the filter the same bytes.

C needs a compiler, the kernel Linux 6.1 and root, and the Verilog Verilator. What is missing is
said, and does not run. --from draws the picture of a record again.

Exit codes: 0 all that ran agree; 1 something differs; 2 bad usage, or the capture cannot be read.`,
		Example: `  packets agreement trace.pcap
  packets agreement trace.pcap --record agreement.json --picture agreement.svg
  packets agreement --from agreement.json --picture agreement.svg`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case from != "" && len(args) == 0:
				return drawAgreement(cmd, from, picture)
			case from != "" || len(args) == 0:
				return errors.New("expected one input: a capture, or a record by --from")
			}
			return runAgreement(cmd, args[0], c, picture)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&c.Blocks, "blocks", 128, "blocks of 64 bytes of the filter, a power of two")
	flags.IntVar(&c.Steps, "steps", 64, "how often the list changes")
	command.CountVar(flags, &c.Packets, "packets", "", 0, "most packets to take (default all)")
	flags.Uint64Var(&c.Seed, "seed", 1, "seed of what is synthesised, of the list and its changes")
	flags.StringVar(&picture, "picture", "", "also draw the report into a `file`, as SVG")
	flags.StringVar(&from, "from", "", "run nothing, and take the report from a `record`")
	return cmd
}

func runAgreement(cmd *cobra.Command, path string, c agreement.Config, picture string) error {
	if err := c.Check(); err != nil {
		return err
	}
	in, err := command.OpenInput(cmd, path)
	if err != nil {
		return err
	}
	defer in.Close()
	packets := capture.Open(in)
	report, err := agreement.Run(cmd.Context(), c, command.PathName(path), packets)
	warnUndecoded(cmd, command.PathName(path), packets)
	if err != nil {
		return err
	}
	record, err := command.NewRecord(cmd, report, report.Failure())
	if err != nil {
		return err
	}
	if err := writeAgreement(cmd, picture, record, report); err != nil {
		return err
	}
	return command.PrintReport(cmd, cmd.OutOrStdout(), report, command.PathName(path), nil,
		report.Failure())
}

// drawAgreement draws the picture of a record.
func drawAgreement(cmd *cobra.Command, path, picture string) error {
	in, err := command.OpenInput(cmd, path)
	if err != nil {
		return err
	}
	defer in.Close()
	record, err := page.Read(command.PathName(path), in)
	if err != nil {
		return err
	}
	report, ok := record.Of.(*agreement.Report)
	if !ok {
		return fmt.Errorf("%s: found a record of %s, expected one of agreement",
			command.PathName(path), record.Command)
	}
	if err := writeAgreement(cmd, picture, &record.Record, report); err != nil {
		return err
	}
	return command.PrintResult(cmd, cmd.OutOrStdout(), report)
}

// writeAgreement draws the picture, if there shall be one.
func writeAgreement(
	cmd *cobra.Command,
	path string,
	record *command.Record,
	report *agreement.Report,
) error {
	if path == "" {
		return nil
	}
	var svg bytes.Buffer
	if err := agreement.Draw(&svg, record, report); err != nil {
		return err
	}
	return command.WritePath(cmd, path, 0o666, func(w io.Writer) error {
		_, err := w.Write(svg.Bytes())
		return err
	})
}
