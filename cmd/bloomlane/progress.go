package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/progress"
)

// startProgress starts a progress bar on stderr, unless --quiet is given.
func startProgress(cmd *cobra.Command, what string, total int64, unit string) *progress.Bar {
	stderr := cmd.ErrOrStderr()
	if isQuiet(cmd) {
		stderr = io.Discard
	}
	return progress.Start(stderr, what, total, unit)
}
