package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/studies/streams"
	"github.com/bloomlane/bloomlane/report/command"
)

// run runs the command line with args and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(newRootCommand(), args, stdin, stdout, stderr, nil)
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "studies",
		Short: "Compare filters on streams of keys",
		Long: `Compare filters, of this project and of other Go libraries, on streams of keys, and
while members come and go. Write the figures of all recordings into pages.

Results go to stdout, messages and progress to stderr. Exit code: 0; 2 where the usage
is bad or the results cannot be had or written.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(streams.Churn(), streams.Command(), newFiguresCommand())
	return root
}
