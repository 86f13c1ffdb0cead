package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
)

// messages returns where warnings, notes and progress bars go: nowhere with --quiet.
func messages(cmd *cobra.Command) io.Writer {
	if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && quiet {
		return io.Discard
	}
	return cmd.ErrOrStderr()
}

// note writes a line that is no error.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(messages(cmd), "bloomlane: note: "+format+"\n", args...)
}

// warn writes a line about what is probably not meant.
func warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(messages(cmd), "bloomlane: warning: "+format+"\n", args...)
}

// startProgress starts a progress bar.
func startProgress(cmd *cobra.Command, what string, total int64, unit string) *progress.Bar {
	return progress.Start(messages(cmd), what, total, unit)
}
