package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// isQuiet reports whether the command was called with --quiet.
func isQuiet(cmd *cobra.Command) bool {
	quiet, err := cmd.Flags().GetBool("quiet")
	return err == nil && quiet
}

// note writes a line to stderr that is no error, unless --quiet is given.
func note(cmd *cobra.Command, format string, args ...any) {
	if !isQuiet(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "bloomlane: note: "+format+"\n", args...)
	}
}

// warn writes a line to stderr on what is probably not meant, unless --quiet is given.
func warn(cmd *cobra.Command, text string) {
	if !isQuiet(cmd) {
		fmt.Fprintln(cmd.ErrOrStderr(), "bloomlane: warning:", text)
	}
}
