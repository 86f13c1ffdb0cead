package command

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

	"github.com/bloomlane/bloomlane/report/kernels"
)

// Record is the report of a command, and where it comes from.
type Record struct {
	Command string    `json:"command"` // agreement, guard, deny or kernels
	Line    []Path    `json:"line"`    // the words of the command line
	Made    time.Time `json:"made"`
	Program string    `json:"program"` // its version and commit
	Machine string    `json:"machine"` // CPU and platform
	// what the command said beside the report, where its exit code is not 0
	Failure string          `json:"failure,omitempty"`
	Result  json.RawMessage `json:"result"` // as --json prints it
}

const recordFlag = "record"

// Recorded gives a command whose report [PrintReport] prints the flag for a record of it. outputs
// are the command's other flags that name files to write. All of these are found to be writable,
// different from each other, and no input, before the command runs.
func Recorded(cmd *cobra.Command, outputs ...string) *cobra.Command {
	cmd.Flags().String(recordFlag, "",
		"write the report to a `file` of JSON too, for packets page")
	Group(cmd, "The results", append(outputs, recordFlag)...)
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		path := cmd.Flag(recordFlag).Value.String()
		if path == Standard {
			return fmt.Errorf("--%s is %s, expected a file", recordFlag, path)
		}
		outputs := append(outputs, recordFlag)
		inputs := slices.Clone(args) // and what other flags name, where it is a file
		cmd.Flags().Visit(func(flag *pflag.Flag) {
			if flag.Value.Type() == "string" && !slices.Contains(outputs, flag.Name) {
				inputs = append(inputs, flag.Value.String())
			}
		})
		for i, flag := range outputs {
			path := cmd.Flag(flag).Value.String()
			if err := CheckOutput(flag, path, inputs...); err != nil {
				return err
			}
			for _, other := range outputs[:i] {
				if path != Standard && SameTarget(path, cmd.Flag(other).Value.String()) {
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
	record, err := NewRecord(cmd, report, failure)
	if err != nil {
		return err
	}
	return WritePath(cmd, flag.Value.String(), 0o666, func(w io.Writer) error {
		return writeJSON(w, record)
	})
}

// NewRecord returns the record of a report. Failure is what the command says beside the report, or
// nil.
func NewRecord(cmd *cobra.Command, report any, failure error) (*Record, error) {
	result, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", recordFlag, err)
	}
	version := newVersion(cmd.Root().Name())
	record := &Record{
		Command: cmd.Name(), Line: commandLine(cmd), Made: time.Now().UTC().Truncate(time.Second),
		Program: version.name() + ", " + version.Go,
		Machine: kernels.CPU() + ", " + runtime.GOOS + "/" + runtime.GOARCH,
		Result:  result,
	}
	if failure != nil {
		record.Failure = failure.Error()
	}
	return record, nil
}

// commandLine returns the words of the command line, flags in the order of their names, without
// those that say where the report goes.
func commandLine(cmd *cobra.Command) []Path {
	line := []Path{Path(cmd.Root().Name()), Path(cmd.Name())}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch {
		case flag.Name == recordFlag || flag.Name == "json" || flag.Name == "quiet":
		case flag.Value.Type() == "bool":
			line = append(line, Path("--"+flag.Name))
		default:
			line = append(line, Path("--"+flag.Name), Path(flag.Value.String()))
		}
	})
	for _, word := range cmd.Flags().Args() {
		line = append(line, Path(word))
	}
	return line
}

// CommandLine returns the command line, in the quotes that a shell needs.
func (r *Record) CommandLine() string {
	var words []string
	for _, path := range r.Line {
		word := string(path)
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
