package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/progress"
)

// MostMessage is the most bytes of a message. Longer ones are those with long paths, and are cut in
// their middle.
const MostMessage = 1024

// Messages returns where warnings, notes and progress bars go: nowhere with --quiet.
func Messages(cmd *cobra.Command) io.Writer {
	if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && quiet {
		return io.Discard
	}
	return cmd.ErrOrStderr()
}

// Note writes a line that is no error.
func Note(cmd *cobra.Command, format string, args ...any) {
	writeMessage(Messages(cmd), cmd.Root().Name(), "note: "+fmt.Sprintf(format, args...))
}

// Warn writes a line of what may be a mistake.
func Warn(cmd *cobra.Command, format string, args ...any) {
	writeMessage(Messages(cmd), cmd.Root().Name(), "warning: "+fmt.Sprintf(format, args...))
}

// writeMessage writes a message of a program as one line, in which names that others chose do no
// harm.
func writeMessage(w io.Writer, program, text string) {
	fmt.Fprintf(w, "%s: %s\n", program, legible.Cut(legible.Escape(text), MostMessage))
}

// writeLines writes a message that stays in lines.
func writeLines(w io.Writer, program, text string) {
	fmt.Fprintf(w, "%s: %s\n", program, legible.EscapeLines(text))
}

// Complain prints each error but the last, a line each. It returns the last, for the command to end
// with, or nil if there is none.
func Complain(cmd *cobra.Command, failures []error) error {
	if len(failures) == 0 {
		return nil
	}
	last := len(failures) - 1
	for _, err := range failures[:last] {
		writeMessage(cmd.ErrOrStderr(), cmd.Root().Name(), err.Error())
	}
	return failures[last]
}

// StartProgress starts a progress bar.
func StartProgress(cmd *cobra.Command, what string, total int64, unit string) *progress.Bar {
	const most = 60 // beside the bar
	what = legible.Cut(legible.Escape(what), most)
	return progress.Start(Messages(cmd), what, total, unit)
}
