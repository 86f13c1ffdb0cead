package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cosim"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/progress"
)

// mostMessage is the most bytes of a message. Longer ones are those with long paths, and are cut in
// their middle.
const mostMessage = 1024

// messages returns where warnings, notes and progress bars go: nowhere with --quiet.
func messages(cmd *cobra.Command) io.Writer {
	if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && quiet {
		return io.Discard
	}
	return cmd.ErrOrStderr()
}

// note writes a line that is no error.
func note(cmd *cobra.Command, format string, args ...any) {
	writeMessage(messages(cmd), "note: "+fmt.Sprintf(format, args...))
}

// warn writes a line of what may be a mistake.
func warn(cmd *cobra.Command, format string, args ...any) {
	writeMessage(messages(cmd), "warning: "+fmt.Sprintf(format, args...))
}

// writeMessage writes a message as one line, in which names that others chose do no harm.
func writeMessage(w io.Writer, text string) {
	fmt.Fprintln(w, "bloomlane:", legible.Cut(legible.Escape(text), mostMessage))
}

// writeError writes the error of a command. What a tool printed stays in lines.
func writeError(w io.Writer, err error, text string) {
	var tool *cosim.ToolError
	if errors.As(err, &tool) {
		fmt.Fprintln(w, "bloomlane:", legible.EscapeLines(text))
		return
	}
	writeMessage(w, text)
}

// startProgress starts a progress bar.
func startProgress(cmd *cobra.Command, what string, total int64, unit string) *progress.Bar {
	const most = 60 // beside the bar
	what = legible.Cut(legible.Escape(what), most)
	return progress.Start(messages(cmd), what, total, unit)
}
