package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/packets/page"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

func newPageCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "page RECORD...",
		Short: "Make one page of HTML from the records of other commands",
		Long: `Make one page of HTML from the records of agreement, guard, deny and kernels.

These commands write a record with --record. The page has the numbers of the records, and sums of
them. It is one file, which a browser shows without a network.

Exit codes: 0 done; 2 bad input.`,
		Example: `  packets guard trace.pcap --audit --record guard.json
  bloomlane kernels --speed --record kernels.json
  packets page guard.json kernels.json -o index.html`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runPage(cmd, args, output) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write the page to")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

// paged is what page prints.
type paged struct {
	File    command.Path `json:"file"`
	Records int          `json:"records"`
}

func (p paged) String() string {
	return fmt.Sprintf("page of %s: %s\n", quantity.Of(p.Records, "record"),
		legible.Escape(command.OutputName(string(p.File))))
}

func runPage(cmd *cobra.Command, args []string, output string) error {
	inputs := make([]command.Input, len(args))
	for i, path := range args {
		inputs[i] = command.NewInput("record "+fmt.Sprint(i+1), path)
	}
	if err := command.OnlyOnce(inputs...); err != nil {
		return err
	}
	if err := command.CheckOutput("output", output, args...); err != nil {
		return err
	}
	results, err := command.ResultsBeside(cmd, output)
	if err != nil {
		return err
	}
	var reports []*page.Report
	for _, path := range args {
		report, err := readRecord(cmd, path)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	err = command.WritePath(cmd, output, 0o666,
		func(w io.Writer) error { return page.Write(w, reports) })
	if err != nil {
		return err
	}
	return command.PrintResult(cmd, results, paged{command.Path(output), len(reports)})
}

func readRecord(cmd *cobra.Command, path string) (*page.Report, error) {
	file, err := command.OpenFile(cmd, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return page.Read(command.PathName(path), file)
}
