// Package command is no API: it has what the commands of this project share: flags, messages, exit
// codes, standard input and output, results as text and as JSON, and records of reports.
package command

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/kernel"
)

// ErrNo is wrapped by the error of a command that ran, and whose answer is no.
var ErrNo = errors.New("the answer is no")

// Requires returns an error where one of the flags is given, which say nothing without another one.
func Requires(cmd *cobra.Command, other string, flags ...string) error {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) && !cmd.Flags().Changed(other) {
			return fmt.Errorf("--%s is given, expected --%s with it", flag, other)
		}
	}
	return nil
}

// The exit codes of every command.
const (
	ExitYes = 0 // the command ran
	ExitNo  = 1 // the command ran, and the answer is no: ErrNo
	ExitBad = 2 // bad input or usage, or a file that cannot be read or written
)

// ExitHelp is the exit codes of the commands that give no answer.
const ExitHelp = "Exit codes: 0 done; 2 bad input or usage, or a file cannot be read or written."

// New returns a program, to which its commands are added. It has commands for its help and its
// version. The examples are those of its help command.
func New(name, short, long, examples string) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           name,
		Short:         short,
		Long:          long,
		SilenceErrors: true, // Run prints them
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return PrintResult(cmd, cmd.OutOrStdout(), newVersion(name))
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(flagError)
	ofGroups := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasSubCommands() {
			ofGroups(cmd, args)
		} else {
			writeHelp(cmd.OutOrStdout(), cmd)
		}
	})
	root.SetHelpCommand(newHelpCommand(examples))
	root.Flags().BoolVar(&version, "version", false, "print the version of this program")
	root.PersistentFlags().Bool("json", false, "print the result as one JSON object")
	root.PersistentFlags().Bool("quiet", false, "print no warnings, notes or progress bars")
	root.AddCommand(newVersionCommand(name))
	return root
}

// CodesHelp is for the help of a program: the exit codes of its commands.
const CodesHelp = `Exit codes:
  0  The command ran.
  1  The command ran and the answer is no: a key is absent, or no filter keeps the rate. The help
     of each command has its codes.
  2  Input or usage is bad, a file cannot be read or written, or the environment variable
     ` + kernel.Variable + ` names an implementation that this CPU cannot run.

On a terminal, control characters in keys and names of files are printed as escapes, such as \033.`

// Run runs the command line of a program with args and returns its exit code. A message is one
// line, but for errors of tools, which have what a tool printed.
func Run(
	root *cobra.Command,
	args []string,
	stdin io.Reader,
	stdout, stderr io.Writer,
	ofTool func(error) bool,
) int {
	out := &resultWriter{Writer: stdout}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	ran := root
	err := kernel.VariableError()
	if err == nil {
		ran, err = execute(root)
	}
	if err == nil {
		err = out.err // of a help text, which cobra writes
	}
	if err == nil {
		return ExitYes
	}
	write := writeMessage
	if ofTool != nil && ofTool(err) {
		write = writeLines
	}
	write(stderr, root.Name(), inOurWords(ran, inFlags(ran, err)))
	if errors.Is(err, ErrNo) {
		return ExitNo
	}
	return ExitBad
}

// execute runs a command. A table that does not fit into memory is an error, and so is a mapped
// file that somebody cuts.
func execute(root *cobra.Command) (ran *cobra.Command, err error) {
	debug.SetPanicOnFault(true)
	defer func() {
		switch found := recover().(type) {
		case nil:
		case *hugepage.MemoryError:
			ran, err = root, found
		case interface{ Addr() uintptr }:
			const text = "found no memory at %#x, expected that of a file: somebody may have cut it"
			ran, err = root, fmt.Errorf(text, found.Addr())
		default:
			panic(found)
		}
	}()
	return root.ExecuteC()
}
