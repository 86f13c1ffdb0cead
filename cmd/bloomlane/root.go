package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/kernel"
)

// errAnswerNo is wrapped by the error of a command that ran, and whose answer is no.
var errAnswerNo = errors.New("the answer is no")

// requires returns an error where one of the flags is given, which say nothing without another one.
func requires(cmd *cobra.Command, other string, flags ...string) error {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) && !cmd.Flags().Changed(other) {
			return fmt.Errorf("--%s is given, expected --%s with it", flag, other)
		}
	}
	return nil
}

// The exit codes of every command.
const (
	exitYes = 0 // the command ran
	exitNo  = 1 // the command ran, and the answer is no: errAnswerNo
	exitBad = 2 // bad input or usage, or a file that cannot be read or written
)

// run runs the command line with args and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	ran := root
	err := kernel.VariableError()
	if err == nil {
		ran, err = root.ExecuteC()
	}
	if err == nil {
		return exitYes
	}
	fmt.Fprintln(stderr, "bloomlane:", inFlags(ran, err))
	if errors.Is(err, errAnswerNo) {
		return exitNo
	}
	return exitBad
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "bloomlane",
		Short: "Bloom filters in files, and a packet guard made of them",
		Long: `Bloom filters in files, and a packet guard made of them.

Results go to stdout, messages to stderr. With --json the result is one JSON object. Where
a filter or keys are read or written, "-" is standard input or output; --quiet leaves out
warnings, notes and progress bars, not errors.
Exit code: 0; 1 where the command ran and the answer is no, such as a key that is
absent; 2 where input or usage is bad, or a file cannot be read or written, or the
environment variable ` + kernel.Variable + ` names what this CPU cannot run.

Papers on these filters, reproduced, and their errata: go run ./papers in Bloomlane's source.`,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	root.PersistentFlags().Bool("json", false, "print the result as one JSON object")
	root.PersistentFlags().Bool("quiet", false, "print no warnings, notes or progress bars")
	root.AddCommand(
		newBuildCommand(),
		newAddCommand(),
		newQueryCommand(),
		newDeleteCommand(),
		newRebuildCommand(),
		newMergeCommand(),
		newIntersectCommand(),
		newExportCommand(),
		newImportCommand(),
		newPruneCommand(),
		newInfoCommand(),
		newKindsCommand(),
		recorded(newKernelsCommand()),
		newVectorsCommand(),
		recorded(newGuardCommand()),
		newInpacketCommand(),
		recorded(newPlanCommand()),
		recorded(newFlowsCommand()),
		newPageCommand(),
		newVersionCommand(),
	)
	return root
}
