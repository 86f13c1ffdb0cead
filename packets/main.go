// Command packets uses filters on network traffic: it drops packets at an interface, guards
// captured packets, and sends them through a network with filters as headers.
// "packets --help" lists its commands.
//
// Results, messages and exit codes are those of the command bloomlane.
package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/report/command"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command line with args and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(newRootCommand(), args, stdin, stdout, stderr, func(err error) bool {
		var tool *cosim.ToolError
		return errors.As(err, &tool)
	})
}

func newRootCommand() *cobra.Command {
	root := command.New("packets", "Filters on captured traffic, and a packet guard",
		`Filters on captured traffic, and a packet guard.

  packets guard trace.pcap --blocklist blocked.txt --sequences bad-words.txt
  packets deny eth0 --list deny.txt           # drops packets at an interface

Results go to standard output, messages to standard error. With --json the result is one JSON
object. "-" is standard input or output where a command reads a capture, or writes a file. --quiet
leaves out warnings, notes and progress bars. Errors are always printed. A count may be 1e6 or 10M,
and a share 1%.

`+command.CodesHelp+`

Filters in files: the command bloomlane.`, "  packets help guard")
	root.AddCommand(
		command.Recorded(newGuardCommand(), "verdicts", "answers"),
		command.Recorded(newDenyCommand()),
		newInpacketCommand(),
		command.Recorded(newAgreementCommand(), "picture"),
		newPageCommand(),
	)
	return root
}
