package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/packets/page"
	"github.com/bloomlane/bloomlane/report/kernels"
)

const recordFlag = "record"

// recorded gives a command whose report [printReport] prints the flag for a record of it. outputs
// are the command's other flags that name files to write. All of these are found to be writable,
// different from each other, and no input, before the command runs.
func recorded(cmd *cobra.Command, outputs ...string) *cobra.Command {
	cmd.Flags().String(recordFlag, "", "also write the report to a `file`, as JSON with the "+
		"command line, the version and the CPU: bloomlane page makes a page of it")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		path := cmd.Flag(recordFlag).Value.String()
		if path == standard {
			return fmt.Errorf("--%s is %s, expected a file", recordFlag, path)
		}
		outputs := append(outputs, recordFlag)
		inputs := slices.Clone(args) // and what other flags name, where it is a file
		cmd.Flags().Visit(func(flag *pflag.Flag) {
			if flag.Value.Type() == "string" && !slices.Contains(outputs, flag.Name) {
				inputs = append(inputs, strings.TrimPrefix(flag.Value.String(), "@"))
			}
		})
		for i, flag := range outputs {
			path := cmd.Flag(flag).Value.String()
			if err := checkOutput(flag, path, inputs...); err != nil {
				return err
			}
			for _, other := range outputs[:i] {
				if path != standard && sameTarget(path, cmd.Flag(other).Value.String()) {
					return fmt.Errorf("--%s and --%s are both %s, expected two files", other, flag,
						path)
				}
			}
		}
		return nil
	}
	return cmd
}

// writeRecord writes the record of a report, if the command was asked for one. Failure is what the
// command says beside the report, or nil.
func writeRecord(cmd *cobra.Command, report any, failure error) error {
	flag := cmd.Flag(recordFlag)
	if flag == nil || !flag.Changed {
		return nil
	}
	result, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("--%s: %w", recordFlag, err)
	}
	version := newVersion()
	record := page.Record{
		Command: cmd.Name(), Line: commandLine(cmd), Made: time.Now().UTC().Truncate(time.Second),
		Program: version.name() + ", " + version.Go,
		Machine: kernels.CPU() + ", " + runtime.GOOS + "/" + runtime.GOARCH,
		Result:  result,
	}
	if failure != nil {
		record.Failure = failure.Error()
	}
	return writePath(cmd, flag.Value.String(), 0o666, func(w io.Writer) error {
		return writeJSON(w, record)
	})
}

// commandLine returns the words of the command line, flags in the order of their names, without
// those that say where the report goes.
func commandLine(cmd *cobra.Command) []string {
	line := []string{cmd.Root().Name(), cmd.Name()}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch {
		case flag.Name == recordFlag || flag.Name == "json" || flag.Name == "quiet":
		case flag.Value.Type() == "bool":
			line = append(line, "--"+flag.Name)
		default:
			line = append(line, "--"+flag.Name, flag.Value.String())
		}
	})
	return append(line, cmd.Flags().Args()...)
}
