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

// exitHelp is the exit codes of the commands that give no answer.
const exitHelp = "Exit codes: 0 done; 2 bad input or usage, or a file cannot be read or written."

// run runs the command line with args and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	out := &resultWriter{Writer: stdout}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	ran := root
	err := kernel.VariableError()
	if err == nil {
		ran, err = root.ExecuteC()
	}
	if err == nil {
		err = out.err // of a help text, which cobra writes
	}
	if err == nil {
		return exitYes
	}
	writeError(stderr, err, inOurWords(ran, inFlags(ran, err)))
	if errors.Is(err, errAnswerNo) {
		return exitNo
	}
	return exitBad
}

func newRootCommand() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "bloomlane",
		Short: "Bloom filters in files, filters on captured traffic, and a packet guard",
		Long: `Bloom filters in files, filters on captured traffic, and a packet guard.

  bloomlane build words.txt -o words.blm      # a filter of the lines of a file
  bloomlane query words.blm apple             # present or absent
  bloomlane plan --members 1000000 --rate 0.01 --turnovers 5

Results go to standard output, messages to standard error. With --json the result is one JSON
object. "-" is standard input or output where a command reads keys or filters, or writes a filter.
--quiet leaves out warnings, notes and progress bars. Errors are always printed. A count may be
1e6 or 10M, and a share 1%.

Exit codes:
  0  The command ran.
  1  The command ran and the answer is no, such as a key that is absent.
  2  Input or usage is bad, a file cannot be read or written, or the environment variable
     ` + kernel.Variable + ` names an implementation that this CPU cannot run.

On a terminal, control characters in keys and names of files are printed as escapes, such as \033.

Papers on these filters, reproduced, and their errata: go run ./papers in Bloomlane's source.`,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printResult(cmd, cmd.OutOrStdout(), newVersion())
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCommand())
	root.Flags().BoolVar(&version, "version", false, "print the version of this program")
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
		recorded(newGuardCommand(), "verdicts", "answers"),
		newInpacketCommand(),
		recorded(newPlanCommand(), "plot"),
		recorded(newFlowsCommand(), "plot"),
		newPageCommand(),
		newVersionCommand(),
	)
	return root
}
