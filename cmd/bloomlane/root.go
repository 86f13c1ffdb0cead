package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/report/command"
)

// run runs the command line with args and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(newRootCommand(), args, stdin, stdout, stderr, nil)
}

func newRootCommand() *cobra.Command {
	root := command.New("bloomlane", "Bloom filters in files", `Bloom filters in files.

  bloomlane build words.txt -o words.blm      # a filter of the lines of a file
  bloomlane query words.blm apple             # present or absent
  bloomlane plan --members 1000000 --rate 0.01 --turnovers 5

Results go to standard output, messages to standard error. With --json the result is one JSON
object. "-" is standard input or output where a command reads keys or filters, or writes a filter.
--quiet leaves out warnings, notes and progress bars. Errors are always printed. A count may be
1e6 or 10M, and a share 1%.

`+command.CodesHelp+`

In Bloomlane's source are two more programs. Filters on captured traffic, and a packet
guard: go run ./packets. Papers on these filters, reproduced, and their errata: go run ./papers.`,
		`  bloomlane help build
  bloomlane help import parquet`)
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
		command.Recorded(newKernelsCommand()),
		newVectorsCommand(),
		newPlanCommand(),
	)
	return root
}
